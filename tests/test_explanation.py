"""``explain``: the value of `evaluate`, its steps, what-if moves, the difference of two runs."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ndcg import (
    Convention,
    InputError,
    MeasureError,
    OptionError,
    as_qrels,
    as_run,
    evaluate,
    explain,
)

SAMPLES = Path(__file__).parents[1] / "src" / "ndcg" / "samples"

WORKED = {"q": {"d2": 3, "d4": 2, "d9": 1}}
RUN = {"q": {"d7": 5.0, "d2": 4.0, "d9": 3.0, "d4": 2.0, "d1": 1.0}}
DEFAULT = Convention()
LIGHTGBM = Convention(
    gain="exp", ties="input", ideal="retrieved", barren="one", unanswered="skip", grades="integer"
)


def test_the_worked_example() -> None:
    worked = explain(WORKED, RUN, "q", "nDCG@5")
    assert [step.doc_id for step in worked.steps] == ["d7", "d2", "d9", "d4", "d1"]
    assert [step.grade for step in worked.steps] == [None, 3.0, 1.0, 2.0, None]
    assert [step.doc_id for step in worked.ideal] == ["d2", "d4", "d9"]
    assert round(worked.dcg, 4) == 3.2541
    assert round(worked.idcg, 4) == 4.7619
    assert round(worked.value, 4) == 0.6834
    assert [step.rank for step in worked.holes] == [1, 5]


def test_the_better_document_on_top_gives_0_9159() -> None:
    # A text in circulation says 0.89; that is a slip.
    moved = explain(WORKED, RUN, "q", "nDCG@5").move("d2", 1)
    assert round(moved.value, 4) == 0.9159
    assert [step.doc_id for step in moved.steps] == ["d2", "d7", "d9", "d4", "d1"]
    assert moved.moves == (("d2", 1),)


def test_a_step_says_how_much_a_rank_adds() -> None:
    step = explain(WORKED, RUN, "q", "nDCG@5").steps[1]
    assert (step.rank, step.doc_id, step.grade, step.gain) == (2, "d2", 3.0, 3.0)
    assert step.discount == 1 / math.log2(3)
    assert step.value == step.gain * step.discount
    assert (step.tied, step.retrieved) == (False, True)


SETTINGS: list[tuple[str, Convention | str]] = [
    ("nDCG@10", "default"),
    ("nDCG", "default"),
    ("DCG@10", "default"),
    ("CG@3", "default"),
    ("nDCG(gain='exp')@10", "trec_eval-9"),
    ("nDCG(discount='jarvelin')@20", "default"),
    ("nDCG(gain={1: 1, 2: 3, 3: 10})@5", "beir"),
    ("nDCG@2", "sklearn"),
    ("nDCG", "sklearn"),
    ("CG", "sklearn"),
    ("DCG(ties='average')@1", "default"),
    ("nDCG@10", "ranx"),
    ("nDCG@10", "lightgbm"),
    ("nDCG@20", Convention(ties="ascending", short_lists="fill", barren="skip")),
]


@pytest.mark.parametrize(("measure", "convention"), SETTINGS)
def test_value_and_sums_are_those_of_evaluate_on_real_data(
    measure: str, convention: Convention | str
) -> None:
    qrels, run = as_qrels(SAMPLES / "qrels.txt"), as_run(SAMPLES / "bm25.run.gz")
    scores = evaluate(qrels, run, measure, convention=convention)
    for query, value in zip(scores.query_ids, scores.run().values[:, 0].tolist(), strict=True):
        told = explain(qrels, run, query, measure, convention=convention)
        assert told.value == value or (math.isnan(value) and math.isnan(told.value)), query
        for steps, total in ((told.steps, told.dcg), (told.ideal, told.idcg)):
            added = math.fsum(step.value for step in steps)
            # The steps round each product, the measure sums in another order.
            assert math.isclose(added, total, rel_tol=1e-12, abs_tol=1e-12), query


@pytest.mark.parametrize("form", ["mapping", "frame", "triples", "trec", "parquet"])
def test_every_form_of_a_run_explains_alike(form: str, tmp_path: Path) -> None:
    run = as_run(RUN)
    (tmp_path / "r.trec").write_text(
        "".join(f"q Q0 {doc} {i} {score} t\n" for i, (doc, score) in enumerate(RUN["q"].items()))
    )
    run.frame.write_parquet(tmp_path / "r.parquet")
    given_as: dict[str, Any] = {
        "mapping": RUN,
        "frame": run.frame,
        "triples": list(run.frame.iter_rows()),
        "trec": tmp_path / "r.trec",
        "parquet": tmp_path / "r.parquet",
    }
    told = explain(WORKED, given_as[form], "q", "nDCG@5")
    assert told.value == explain(WORKED, RUN, "q", "nDCG@5").value
    assert told.steps == explain(WORKED, RUN, "q", "nDCG@5").steps


def test_without_a_cutoff_the_steps_end_at_the_last_judged_document() -> None:
    told = explain({"q": {"b": 1, "z": 2}}, {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, "q", "nDCG")
    assert [step.doc_id for step in told.steps] == ["a", "b"]


def test_a_list_of_holes_alone_shows_ten() -> None:
    run = {"q": {f"d{i:02}": float(-i) for i in range(30)}}
    told = explain({"q": {"z": 1}}, run, "q", "nDCG")
    assert len(told.steps) == len(told.holes) == 10
    assert told.value == 0.0


def test_a_cutoff_beyond_the_list_shows_the_list() -> None:
    assert len(explain(WORKED, RUN, "q", "nDCG@100").steps) == 5


@pytest.mark.parametrize(
    ("ties", "order"),
    [("trec", "cba"), ("average", "cba"), ("ascending", "abc"), ("input", "bca")],
)
def test_tied_documents_stand_in_the_conventions_order(ties: Any, order: str) -> None:
    run = {"q": {"b": 1.0, "c": 1.0, "a": 1.0, "d": 0.5}}
    told = explain({"q": {"a": 1, "d": 1}}, run, "q", convention=Convention(ties=ties))
    assert "".join(step.doc_id for step in told.steps) == f"{order}d"
    # Holes share scores too.
    assert [step.tied for step in told.steps] == [True, True, True, False]
    assert told.convention.ties == ties


def test_scores_that_differ_beyond_32_bits_are_a_tie_in_float32() -> None:
    qrels, run = {"q": {"a": 1}}, {"q": {"a": 0.30000000001, "b": 0.3}}
    assert not explain(qrels, run, "q").steps[0].tied
    told = explain(qrels, run, "q", convention="pytrec_eval")
    assert [(step.doc_id, step.tied) for step in told.steps] == [("b", True), ("a", True)]


def test_expected_values_show_judged_documents_tied_across_the_cutoff() -> None:
    run = {"q": {"d": 2.0, "a": 1.0, "b": 1.0, "c": 1.0}}
    told = explain({"q": {"a": 1}}, run, "q", "nDCG(ties='average')@2")
    assert [(step.rank, step.doc_id) for step in told.steps] == [(1, "d"), (2, "c"), (4, "a")]
    share = 1 / math.log2(3) / 3
    assert [step.discount for step in told.steps] == [1.0, share, share]
    assert told.value == share


def test_filled_lists_mark_what_was_not_retrieved() -> None:
    told = explain({"q": {"a": 1, "b": 2, "c": 3}}, {"q": {"a": 1.0}}, "q", convention="sklearn")
    assert [(step.doc_id, step.retrieved) for step in told.steps] == [
        ("a", True),
        ("c", False),
        ("b", False),
    ]
    assert [step.tied for step in told.steps] == [False, True, True]


def test_an_ideal_of_the_retrieved_leaves_the_others_out() -> None:
    told = explain({"q": {"a": 1, "b": 3}}, {"q": {"a": 1.0}}, "q", convention="lightgbm")
    assert [step.doc_id for step in told.ideal] == ["a"]
    assert told.value == 1.0


def test_the_ideal_has_no_document_without_gain() -> None:
    told = explain({"q": {"a": 1, "b": 0, "c": -2}}, {"q": {"c": 2.0, "b": 1.0}}, "q")
    assert [step.doc_id for step in told.ideal] == ["a"]
    assert [(step.grade, step.gain) for step in told.steps] == [(-2.0, 0.0), (0.0, 0.0)]
    assert told.holes == ()


def test_an_unanswered_query_counts_as_its_convention_says() -> None:
    qrels, run = {"q": {"a": 1}, "p": {"a": 1}}, {"p": {"a": 1.0}}
    told = explain(qrels, run, "q")
    assert (told.answered, told.value, told.dcg, told.idcg, told.steps) == (
        False,
        0.0,
        0.0,
        1.0,
        (),
    )
    left_out = explain(qrels, run, "q", convention="pytrec_eval")
    assert math.isnan(left_out.value)
    assert repr(left_out) == "Explanation(nDCG@10 of 'q': nan)"
    assert left_out.to_dict()["value"] is None
    assert explain(qrels, {"q": {}, "p": {"a": 1.0}}, "q", convention="pytrec_eval").value == 0.0


@pytest.mark.parametrize(("barren", "value"), [("zero", 0.0), ("one", 1.0), ("skip", math.nan)])
def test_a_barren_query_counts_as_its_convention_says(barren: Any, value: float) -> None:
    qrels, run = {"q": {"a": 0}}, {"q": {"a": 1.0}}
    told = explain(qrels, run, "q", convention=Convention(barren=barren))
    assert np.array_equal(told.value, value, equal_nan=True)
    assert (told.idcg, told.ideal) == (0.0, ())


def test_documents_with_the_id_of_their_query_are_left_out_as_beir_does() -> None:
    told = explain({"q": {"a": 1}}, {"q": {"q": 2.0, "a": 1.0}}, "q", convention="beir")
    assert [step.doc_id for step in told.steps] == ["a"]


def test_duplicates_count_as_the_convention_says() -> None:
    twice = [("q", "a", 3.0), ("q", "b", 2.0), ("q", "a", 1.0)]
    with pytest.raises(InputError, match="retrieved twice"):
        explain({"q": {"a": 1}}, twice, "q")
    told = explain({"q": {"a": 1}}, twice, "q", convention="ranx")
    assert [step.doc_id for step in told.steps] == ["b", "a"]


def test_a_measures_own_parameters_are_in_the_convention() -> None:
    measure = "nDCG(gain='exp', discount='jarvelin', ties='average')@5"
    rules = explain(WORKED, RUN, "q", measure).convention
    assert (rules.gain, rules.discount, rules.ties) == ("exp", "jarvelin", "average")


def moved_run(order: list[str]) -> dict[str, dict[str, float]]:
    return {"q": {doc: float(-rank) for rank, doc in enumerate(order)}}


@pytest.mark.parametrize("measure", ["nDCG@3", "nDCG", "DCG@5", "CG@2", "nDCG(gain='exp')@5"])
@pytest.mark.parametrize("doc", ["d7", "d2", "d9", "d4", "d1"])
@pytest.mark.parametrize("rank", [1, 2, 3, 4, 5])
def test_a_move_is_the_modified_run_evaluated(measure: str, doc: str, rank: int) -> None:
    order = [one for one in RUN["q"] if one != doc]
    order.insert(rank - 1, doc)
    told = explain(WORKED, RUN, "q", measure).move(doc, rank)
    assert told.value == evaluate(WORKED, moved_run(order), measure)[measure]["q"]
    assert [step.doc_id for step in told.steps] == order[: len(told.steps)]


def test_moves_follow_one_another() -> None:
    told = explain(WORKED, RUN, "q", "nDCG@5").move("d2", 1).move("d4", 2).move("d9", 3)
    assert told.value == 1.0
    assert told.moves == (("d2", 1), ("d4", 2), ("d9", 3))
    assert repr(told) == "Explanation(nDCG@5 of 'q': 1.0000, d2 at 1, d4 at 2, d9 at 3)"


def test_a_move_leaves_the_explanation_as_it_is() -> None:
    told = explain(WORKED, RUN, "q", "nDCG@5")
    before = told.to_dict()
    told.move("d2", 1)
    assert told.to_dict() == before


def test_a_judged_document_that_was_not_retrieved_may_be_moved_in() -> None:
    qrels = {"q": {**WORKED["q"], "new": 3}}
    told = explain(qrels, RUN, "q", "nDCG@5").move("new", 1)
    assert told.value == evaluate(qrels, moved_run(["new", *RUN["q"]]), "nDCG@5")["nDCG@5"]["q"]
    assert [step.doc_id for step in told.steps] == ["new", "d7", "d2", "d9", "d4"]


def test_a_document_may_be_moved_into_a_query_that_the_run_lacks() -> None:
    told = explain({"q": {"a": 1}, "p": {"a": 1}}, {"p": {"a": 1.0}}, "q", convention="pytrec_eval")
    moved = told.move("a", 7)
    assert (moved.value, moved.answered, moved.moves) == (1.0, True, (("a", 1),))


@pytest.mark.parametrize("rank", [5, 6, 1_000_000, 10**30])
def test_a_rank_beyond_the_end_is_the_end(rank: int) -> None:
    told = explain(WORKED, RUN, "q", "nDCG@5").move("d2", rank)
    assert [step.doc_id for step in told.steps] == ["d7", "d9", "d4", "d1", "d2"]
    assert told.moves == (("d2", 5),)


def test_other_ties_outlast_a_move() -> None:
    qrels = {"q": {"a": 1, "e": 2}}
    run = {"q": {"a": 2.0, "b": 2.0, "c": 1.0, "e": 0.5}}
    told = explain(qrels, run, "q", "nDCG@3", convention="sklearn").move("e", 1)
    changed = {"q": {"e": 3.0, "a": 2.0, "b": 2.0, "c": 1.0}}
    expected = evaluate(qrels, changed, "nDCG@3", convention="sklearn")
    assert told.value == expected["nDCG@3"]["q"]
    assert [step.tied for step in told.steps] == [False, True, True]


def test_a_move_into_a_tie_parts_it() -> None:
    run = {"q": {"a": 1.0, "b": 1.0, "c": 1.0, "d": 0.5}}
    told = explain({"q": {"a": 1, "d": 1}}, run, "q", convention="sklearn").move("d", 2)
    assert [(step.doc_id, step.tied) for step in told.steps] == [
        *(("c", False), ("d", False), ("b", True), ("a", True)),
    ]


def test_a_move_to_where_a_document_stands_changes_nothing() -> None:
    for convention in ("default", "sklearn", "ranx"):
        told = explain(WORKED, RUN, "q", "nDCG@5", convention=convention)
        for step in told.steps:
            assert told.move(step.doc_id, step.rank).value == told.value


@pytest.mark.parametrize("rank", [0, -1, 1.0, True, "1", None])
def test_a_rank_is_an_integer_of_1_or_more(rank: Any) -> None:
    message = f"rank of 'd2' must be an integer of 1 or more, got {rank!r}"
    with pytest.raises(OptionError, match=re.escape(message)):
        explain(WORKED, RUN, "q").move("d2", rank)


def test_an_unknown_document_names_the_nearest() -> None:
    message = "document 'd77' is neither retrieved nor judged for query 'q'; did you mean 'd7'?"
    with pytest.raises(OptionError, match=re.escape(message)):
        explain(WORKED, RUN, "q").move("d77", 1)


DOCS = st.sampled_from("abcdefgh")
GRADES = st.dictionaries(DOCS, st.integers(-1, 3), min_size=1)
LISTS = st.dictionaries(DOCS, st.sampled_from([0.0, 1.0, 2.0, 3.0]))
RULES = st.builds(
    Convention,
    gain=st.sampled_from(["linear", "exp"]),
    ties=st.sampled_from(["trec", "ascending", "input", "average"]),
    ideal=st.sampled_from(["judged", "retrieved"]),
    short_lists=st.sampled_from(["end", "fill"]),
)
MEASURES = st.sampled_from(["nDCG@3", "nDCG", "DCG@2", "CG@4", "nDCG(discount='jarvelin')@5"])


@given(grades=GRADES, retrieved=LISTS, rules=RULES, measure=MEASURES)
def test_value_and_sums_are_those_of_evaluate(
    grades: dict[str, int], retrieved: dict[str, float], rules: Convention, measure: str
) -> None:
    qrels, run = {"q": grades, "p": {"a": 1}}, {"q": retrieved, "p": {"a": 1.0}}
    told = explain(qrels, run, "q", measure, convention=rules)
    assert told.value == evaluate(qrels, run, measure, convention=rules)[measure]["q"]
    for steps, total in ((told.steps, told.dcg), (told.ideal, told.idcg)):
        added = math.fsum(step.value for step in steps)
        assert math.isclose(added, total, rel_tol=1e-12, abs_tol=1e-12)


@given(grades=GRADES, mine=LISTS, theirs=LISTS, rules=RULES, measure=MEASURES)
def test_differences_of_documents_add_up_to_the_difference_of_two_runs(
    grades: dict[str, int],
    mine: dict[str, float],
    theirs: dict[str, float],
    rules: Convention,
    measure: str,
) -> None:
    qrels, other = {"q": grades}, {"p": {"a": 1.0}}
    here = explain(qrels, {"q": mine, **other}, "q", measure, convention=rules)
    there = explain(qrels, {"q": theirs, **other}, "q", measure, convention=rules)
    added = math.fsum(here.against(there)["difference"])
    assert math.isclose(added, here.value - there.value, rel_tol=1e-9, abs_tol=1e-9)


def test_differences_of_documents_on_real_data() -> None:
    qrels = as_qrels(SAMPLES / "qrels.txt")
    runs = [as_run(SAMPLES / f"{name}.run.gz") for name in ("bm25", "minilm")]
    for query in qrels.query_ids.to_list()[::9]:
        here, there = (explain(qrels, run, query) for run in runs)
        causes = here.against(there)
        assert math.isclose(
            math.fsum(causes["difference"]), here.value - there.value, abs_tol=1e-12
        )
        sizes = causes["difference"].abs().to_list()
        assert sizes == sorted(sizes, reverse=True)


def test_against_names_both_ranks() -> None:
    here = explain(WORKED, RUN, "q", "nDCG@3")
    there = explain(WORKED, moved_run(["d2", "d4", "d7"]), "q", "nDCG@3")
    causes = here.against(there)
    assert causes.columns == ["doc_id", "grade", "rank", "other_rank", "difference"]
    ranks = {
        row["doc_id"]: (row["grade"], row["rank"], row["other_rank"]) for row in causes.to_dicts()
    }
    assert ranks == {
        "d2": (3.0, 2, 1),
        "d4": (2.0, None, 2),
        "d9": (1.0, 3, None),
        "d7": (None, 1, 3),
    }
    assert causes["doc_id"].to_list()[:2] == ["d4", "d2"]


def test_against_takes_one_measure_and_one_query() -> None:
    here = explain(WORKED, RUN, "q", "nDCG@5")
    message = (
        "cannot set Explanation(nDCG@5 of 'q': 0.6834) against Explanation(nDCG@3 of 'q': 0.5025): "
        "another measure or another query"
    )
    with pytest.raises(OptionError, match=re.escape(message)):
        here.against(explain(WORKED, RUN, "q", "nDCG@3"))


def test_a_query_that_is_not_judged_names_the_nearest() -> None:
    qrels = {f"topic-{i}": {"a": 1} for i in range(1, 9)}
    message = (
        "query 'topic_3' is not judged (the qrels have 'topic-1', 'topic-2', 'topic-3', 'topic-4', "
        "'topic-5' and 3 more); did you mean 'topic-3'?"
    )
    with pytest.raises(InputError, match=re.escape(message)):
        explain(qrels, {"topic-1": {"a": 1.0}}, "topic_3")
    with pytest.raises(InputError, match="query 'x' is not judged, though the run has it "):
        explain(qrels, {"x": {"a": 1.0}}, "x")


def test_a_query_given_as_an_integer_is_its_digits() -> None:
    number: Any = 7
    assert explain({7: {"a": 1}}, {7: {"a": 1.0}}, number).query_id == "7"


@pytest.mark.parametrize("measure", ["P@10", "AP", "RR", "Judged@10"])
def test_other_measures_are_refused(measure: str) -> None:
    message = f"explain shows nDCG, DCG, CG, got {measure}"
    with pytest.raises(MeasureError, match=re.escape(message)):
        explain(WORKED, RUN, "q", measure)


def test_condensed_lists_are_refused() -> None:
    message = "explain shows the list as it was retrieved; leave out condensed=True"
    with pytest.raises(MeasureError, match=message):
        explain(WORKED, RUN, "q", "nDCG(condensed=True)@10")


def test_inputs_are_not_changed() -> None:
    qrels, run = {"q": dict(WORKED["q"])}, {"q": dict(RUN["q"])}
    explain(qrels, run, "q").move("d2", 1)
    assert (qrels, run) == (WORKED, RUN)


def test_the_steps_as_a_frame() -> None:
    frame = explain(WORKED, RUN, "q", "nDCG@5").to_frame()
    assert frame.schema == {
        "rank": pl.Int64,
        "doc_id": pl.String,
        "grade": pl.Float64,
        "gain": pl.Float64,
        "discount": pl.Float64,
        "value": pl.Float64,
        "tied": pl.Boolean,
        "retrieved": pl.Boolean,
    }
    assert frame["grade"].to_list() == [None, 3.0, 1.0, 2.0, None]
    empty = explain({"q": {"a": 1}, "p": {"a": 1}}, {"p": {"a": 1.0}}, "q").to_frame()
    assert empty.schema == frame.schema
    assert empty.height == 0


def test_plain_values_and_html() -> None:
    told = explain(WORKED, RUN, "q", "nDCG@5").move("d2", 1)
    plain = json.loads(json.dumps(told.to_dict(), allow_nan=False))
    assert plain["moves"] == [["d2", 1]]
    assert plain["convention"] == DEFAULT.to_dict()
    assert plain["steps"][0]["doc_id"] == "d2"
    assert told._repr_html_().startswith("<p>Explanation(nDCG@5 of ")


def test_html_holds_no_markup_of_an_id() -> None:
    mark = "<script>alert(1)</script>"
    html = explain({mark: {mark: 1}}, {mark: {mark: 1.0}}, mark)._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
