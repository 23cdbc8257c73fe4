"""``advise``: which measure fits the judgments, and what to watch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ndcg import Advice, InputError, advise, as_qrels, evaluate, nDCG, parse_measure

SAMPLES = Path(__file__).parents[1] / "src" / "ndcg" / "samples"

GRADED = {f"q{i}": {"a": 3, "b": 2, "c": 1, "d": 0} for i in range(60)}
BINARY = {f"q{i}": {"a": 1, "b": 1, "d": 0} for i in range(60)}
SINGLE = {f"q{i}": {"a": 1, "d": 0} for i in range(60)}


def names(advice: Advice) -> list[str]:
    return [repr(measure) for measure, _ in advice.measures]


def test_one_relevant_document_a_query_wants_its_rank() -> None:
    advice = advise(SINGLE)
    assert names(advice) == ["RR@10", "Success@1", "R@100"]
    assert advice.measures[0][1] == (
        "100% of the queries that have a relevant document have exactly one: its rank is all there "
        "is to measure"
    )
    assert advice.cautions == ()


@pytest.mark.parametrize(("several", "primary"), [(6, "RR@10"), (7, "nDCG@10")])
def test_nine_in_ten_queries_with_one_answer_are_enough(several: int, primary: str) -> None:
    mixed = {
        query: BINARY[query] if i < several else SINGLE[query] for i, query in enumerate(SINGLE)
    }
    assert names(advise(mixed))[0] == primary


def test_several_documents_of_different_usefulness_want_graded_ndcg() -> None:
    advice = advise(GRADED)
    assert names(advice) == ["nDCG@10", "nDCG(gain='exp')@10", "R@100"]
    assert advice.measures[0][1].endswith("linear gain: grade 3 counts 3 times grade 1")
    assert advice.measures[1][1] == (
        "only if grade 3 is worth much more than the rest: here 7 times grade 1"
    )


def test_several_documents_of_one_grade_want_ndcg() -> None:
    advice = advise(BINARY)
    assert names(advice) == ["nDCG@10", "R@100"]
    assert advice.measures[0][1].startswith("several relevant documents of one grade")


def test_a_long_scale_is_not_raised_to_a_power() -> None:
    percent = {f"q{i}": {f"d{j}": j * 5 for j in range(21)} for i in range(60)}
    advice = advise(percent)
    assert names(advice) == ["nDCG@10", "R@100"]
    assert advice.facts[0] == "60 queries, 1260 judgments, 21.0 a query; 21 grades from 0 to 100"
    huge = {query: {"a": 1e300, "b": 1e-3, "c": 0} for query in GRADED}
    assert advise(huge).measures[0][1].endswith("grade 1e+300 counts 1e+303 times grade 0.001")


def test_fractional_grades() -> None:
    advice = advise({query: {"a": 0.5, "b": 1.5, "c": 0} for query in GRADED})
    assert advice.measures[0][1].endswith("grade 1.5 counts 3 times grade 0.5")
    assert advice.measures[1][1].endswith("here 4.41 times grade 0.5")


def test_without_a_relevant_document_only_coverage_is_left() -> None:
    advice = advise({"q1": {"a": 0}, "q2": {"b": 0, "c": -1}})
    assert names(advice) == ["Judged@10"]
    assert advice.facts == (
        "2 queries, 3 judgments, 1.5 a query; grades -1, 0",
        "0 relevant documents a query (median); 2 queries have none",
    )


def test_few_queries_are_cautioned() -> None:
    assert advise({"q": {"a": 2, "b": 1, "c": 0}}).cautions == (
        (
            "1 query is few: expect differences below about 0.56 to stay within chance (deviation "
            "of the per-query difference taken as 0.2)"
        ),
    )
    (caution,) = advise(dict(list(GRADED.items())[:49])).cautions
    assert caution.startswith("49 queries are few: expect differences below about 0.08 ")
    assert advise(dict(list(GRADED.items())[:50])).cautions == ()


def test_barren_queries_are_cautioned() -> None:
    (caution,) = advise({**GRADED, "none": {"a": 0}}).cautions
    assert caution == (
        "1 query has no relevant document: every run scores 0 on it, which lowers all means alike"
    )
    (caution,) = advise({**GRADED, "x": {"a": 0}, "y": {"a": 0}}).cautions
    assert caution.startswith("2 queries have no relevant document: every run scores 0 on them,")


def test_judgments_of_relevant_documents_alone_are_cautioned() -> None:
    (caution,) = advise({query: {"a": 1} for query in SINGLE}).cautions
    assert caution.startswith("only relevant documents are in the judgments: judged@k is small by ")


def whole(depth: int = 150) -> dict[str, dict[str, float]]:
    """Return a run with the judged documents on top of `depth` distinct scores."""
    docs = [*"abcd", *(f"x{i}" for i in range(depth - 4))]
    return {query: {doc: float(-i) for i, doc in enumerate(docs)} for query in GRADED}


def judged(depth: int = 150) -> dict[str, dict[str, int]]:
    docs = [*"abcd", *(f"x{i}" for i in range(depth - 4))]
    return {query: {doc: max(3 - i, 0) for i, doc in enumerate(docs)} for query in GRADED}


def test_a_whole_run_brings_a_fact_and_no_caution() -> None:
    advice = advise(judged(), whole())
    assert advice.facts[2:] == ("run: 60 queries, 150 documents a query (median)",)
    assert advice.cautions == ()


def test_a_run_that_nobody_judged_is_cautioned() -> None:
    (caution,) = advise(GRADED, whole()).cautions
    assert caution == (
        "run: Judged@10 is 40%; what was never judged counts as not relevant, so a low value may "
        "only mean that nobody looked"
    )


def test_a_shallow_run_is_cautioned() -> None:
    (caution,) = advise(judged(50), whole(50)).cautions
    assert caution == "run: no list is deeper than 50; R@100 is R@50"


def test_ties_are_cautioned() -> None:
    tied = whole()
    tied["q7"]["b"] = tied["q7"]["a"]
    (caution,) = advise(judged(), tied).cautions
    assert caution == (
        "run: judged documents share scores with others in 1 of 60 queries; see the notice on ties "
        "in ndcg eval"
    )


def test_a_run_of_other_queries_is_cautioned() -> None:
    (caution,) = advise(judged(), {"other": {"a": 1.0}}).cautions
    assert caution == "run: none of its queries is judged; check the query ids"


def test_several_runs_are_to_be_compared_query_by_query() -> None:
    advice = advise(judged(), {"one": whole(), "two": whole()})
    assert [fact.partition(":")[0] for fact in advice.facts[2:]] == ["one", "two"]
    assert advice.cautions == (
        (
            "compare runs query by query on the same judgments (ndcg compare): means alone hide "
            "which queries moved"
        ),
    )


def test_what_was_counted_in_reading_is_cautioned(tmp_path: Path) -> None:
    (tmp_path / "q.txt").write_text("# by hand\nq1 0 a 1\nq1 0 a 1\nq1 0 b 0\n")
    (tmp_path / "r.run").write_text("# by hand\nq1 Q0 a 1 1 t\n")
    cautions = advise(tmp_path / "q.txt", tmp_path / "r.run").cautions
    told = [notice.text for notice in as_qrels(tmp_path / "q.txt").notices]
    assert len(told) == 2
    assert set(told) <= set(cautions)
    assert any(caution.startswith("r: ") and "comment" in caution for caution in cautions)


@pytest.mark.parametrize("runs", [None, SAMPLES / "bm25.run.gz", [SAMPLES / "bm25.run.gz"]])
def test_real_judgments(runs: Any) -> None:
    advice = advise(SAMPLES / "qrels.txt", runs)
    assert advice.measures[0][0] == nDCG @ 10
    assert advice.facts[:2] == (
        "135 queries, 3668 judgments, 27.2 a query; grades 0, 1, 2, 3",
        "9.5 relevant documents a query (median); 19 queries have none",
    )


def test_forms_of_the_result() -> None:
    advice = advise(GRADED)
    assert repr(advice) == "Advice(nDCG@10, nDCG(gain='exp')@10, R@100; 0 cautions)"
    assert repr(advise(SINGLE | {"x": {"a": 0}})) == "Advice(RR@10, Success@1, R@100; 1 caution)"
    assert advice.to_frame().columns == ["measure", "reason"]
    assert [parse_measure(name) for name in advice.to_frame()["measure"]] == [
        measure for measure, _ in advice.measures
    ]
    assert advice.to_dict() == {
        "facts": list(advice.facts),
        "measures": [
            {"measure": repr(measure), "reason": reason} for measure, reason in advice.measures
        ],
        "cautions": [],
    }
    assert advice._repr_html_().startswith("<p>60 queries, 240 judgments, 4.0 a query; ")


def test_saved_scores_are_no_run() -> None:
    message = "one: these are saved scores, not a run; name the run itself"
    with pytest.raises(InputError, match=message):
        advise(GRADED, {"one": evaluate(GRADED, whole())})
