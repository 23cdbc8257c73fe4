"""`evaluate`, what it returns, what it refuses, and every notice: when it appears and when not."""

from __future__ import annotations

import itertools
import json
import math
import re
import sys
from dataclasses import FrozenInstanceError, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ndcg import (
    AP,
    PROFILES,
    RR,
    Convention,
    InputError,
    Judged,
    Measure,
    MeasureError,
    MissingPackageError,
    OptionError,
    P,
    R,
    Scores,
    as_qrels,
    as_run,
    evaluate,
    load_scores,
    nDCG,
    parse_measure,
    tie_range,
)
from ndcg.evaluation import NamedRuns, distinct_names, find_scores, mean_of, named_runs

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

Table = dict[str, dict[str, float]]

QRELS: Table = {"q1": {"a": 1, "b": 0}, "q2": {"a": 2, "c": 1}}
GOOD: Table = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"a": 2.0, "c": 1.0}}
BAD: Table = {"q1": {"b": 2.0, "a": 1.0}, "q2": {"c": 2.0, "a": 1.0}}


def texts_of(scores: Scores, code: str | None = None) -> list[str]:
    return [notice.text for notice in scores.notices if code in {None, notice.code}]


def codes_of(scores: Scores) -> list[str]:
    return [notice.code for notice in scores.notices]


def write(folder: Path, run: Table, name: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [f"{q} Q0 {d} 1 {s} t\n" for q, docs in run.items() for d, s in docs.items()]
    path.write_text("".join(lines))
    return path


def frame_of(run: Table) -> pl.DataFrame:
    return as_run(run).frame


def test_one_run_has_no_name_of_its_own() -> None:
    scores = evaluate(QRELS, GOOD, [P @ 1, AP])
    assert scores.measures == (P @ 1, AP)
    assert scores.query_ids == ["q1", "q2"]
    assert [run.name for run in scores.runs] == ["run"]
    assert scores["P@1"] == {"q1": 1.0, "q2": 1.0}
    assert scores[AP] == scores.per_query("map") == {"q1": 1.0, "q2": 1.0}
    assert dict(scores.mean()) == {P @ 1: 1.0, AP: 1.0}
    assert (scores.barren, scores.judgments) == (0, 4)
    assert scores.qrels_digest == as_qrels(QRELS).digest
    assert scores.convention == Convention()


def test_the_usual_measures_are_these() -> None:
    assert evaluate(QRELS, GOOD).measures == (nDCG @ 10, R @ 100, Judged @ 10)


def test_queries_are_in_order_of_their_ids_bytewise() -> None:
    qrels = {"10": {"a": 1}, "9": {"a": 1}, "é": {"a": 1}, "z": {"a": 1}}
    scores = evaluate(qrels, {query: {"a": 1.0} for query in reversed(qrels)}, "RR")
    assert scores.query_ids == ["10", "9", "z", "é"]
    assert list(scores["RR"]) == ["10", "9", "z", "é"]


@pytest.mark.parametrize(
    "runs",
    [
        {"good": GOOD, "bad": BAD},
        {"good": frame_of(GOOD), "bad": BAD},
        {"good": as_run(GOOD, name="x"), "bad": as_run(BAD, name="x")},
        [as_run(GOOD, name="good"), as_run(BAD, name="bad")],
    ],
)
def test_many_runs_have_names(runs: Any) -> None:
    scores = evaluate(QRELS, runs, "P@1")
    assert [run.name for run in scores.runs] == ["good", "bad"]
    assert scores.per_query("P@1", "good") == {"q1": 1.0, "q2": 1.0}
    assert scores.per_query("P@1", "bad") == {"q1": 0.0, "q2": 1.0}
    assert scores.mean("good")["P@1"] == 1.0
    assert scores.mean("bad")[P @ 1] == 0.5
    assert scores.count("P@1", "bad") == 2
    assert repr(scores) == "Scores(P@1: good 1.0000, bad 0.5000; 2 queries)"
    assert {notice.run for notice in scores.notices} <= {"good", "bad"}


@pytest.mark.parametrize(
    "runs", [[GOOD, BAD], [frame_of(GOOD), frame_of(BAD)], (GOOD, frame_of(BAD))]
)
def test_a_list_of_runs_without_names_is_numbered(runs: Any) -> None:
    scores = evaluate(QRELS, runs, "P@1")
    assert [run.name for run in scores.runs] == ["run", "run (2)"]
    assert scores.mean("run (2)")["P@1"] == 0.5


def test_a_list_of_rows_is_one_run() -> None:
    rows = [("q1", "a", 2.0), ("q1", "b", 1.0), ("q2", "a", 1.0)]
    for given_ in (rows, tuple(rows), iter(rows)):
        assert evaluate(QRELS, given_, "P@1")["P@1"] == {"q1": 1.0, "q2": 1.0}


def test_paths_name_their_runs(tmp_path: Path) -> None:
    good, bad = write(tmp_path, GOOD, "good.run"), write(tmp_path, BAD, "bad.txt")
    scores = evaluate(QRELS, [good, str(bad)], "P@1")
    assert [run.name for run in scores.runs] == ["good", "bad"]
    assert evaluate(QRELS, good, "P@1").runs[0].name == "good"
    assert evaluate(QRELS, {"mine": good}, "P@1").runs[0].name == "mine"


def test_equal_file_names_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    one, other = write(tmp_path, GOOD, "a/x.run"), write(tmp_path, BAD, "b/x.run")
    scores = evaluate(QRELS, [one, other], "P@1")
    assert [run.name for run in scores.runs] == [str(one), str(other)]
    assert scores.mean(str(other))["P@1"] == 0.5


@pytest.mark.parametrize(
    ("runs", "names"),
    [
        (["a.run", "b.run"], ["a", "b"]),
        (["x/a.run", "y/a.run", "b"], ["x/a.run", "y/a.run", "b"]),
        (["a.run", "a.run"], ["a.run", "a.run (2)"]),
        ([as_run(GOOD, name="a")] * 3, ["a", "a (2)", "a (3)"]),
        ([as_run(GOOD, name=name) for name in ("a", "a", "a (2)")], ["a", "a (2)", "a (2) (2)"]),
        ([as_run(GOOD, name=name) for name in ("a (2)", "a", "a")], ["a (2)", "a", "a (3)"]),
        ([{}, {}], ["run", "run (2)"]),
    ],
)
def test_names_are_distinct(runs: list[Any], names: list[str]) -> None:
    assert distinct_names(runs) == names


@pytest.mark.parametrize(
    ("runs", "names"),
    [
        (GOOD, ["run"]),
        ({"q1": {}, "q2": {"a": 1.0}}, ["run"]),
        ({"a": {"q1": {}}, "b": GOOD}, ["a", "b"]),
        ({"a": "path"}, ["a"]),
        ({}, ["run"]),
        ([], ["run"]),
        (frame_of(GOOD), ["run"]),
        (as_run(GOOD, name="x"), ["x"]),
        (5, ["run"]),
    ],
)
def test_one_run_is_told_from_many(runs: Any, names: list[str]) -> None:
    assert list(named_runs(runs)) == names


def test_runs_may_be_read_one_at_a_time() -> None:
    class Lazy(NamedRuns):
        def __init__(self) -> None:
            self.read: list[str] = []

        def __getitem__(self, name: str) -> Mapping[str, Mapping[str, float]]:
            self.read.append(name)
            return {"good": GOOD, "bad": BAD}[name]

        def __iter__(self) -> Iterator[str]:
            return iter(("good", "bad"))

        def __len__(self) -> int:
            return 2

    runs = Lazy()
    assert dict(evaluate(QRELS, runs, "P@1").mean("bad")) == {P @ 1: 0.5}
    assert runs.read == ["good", "bad"]


def test_the_run_must_be_named_where_there_are_many() -> None:
    scores = evaluate(QRELS, {"good": GOOD, "bad": BAD}, "P@1")
    for ask in (scores.run, scores.mean, scores.to_dict, lambda: scores["P@1"]):
        with pytest.raises(OptionError, match=r"^there are 2 runs \(good, bad\); name one$"):
            ask()
    told = "no run named 'god'; did you mean 'good'? (runs: good, bad)"
    with pytest.raises(OptionError, match=f"^{re.escape(told)}$"):
        scores.run("god")


def test_a_measure_that_was_not_evaluated_is_refused() -> None:
    scores = evaluate(QRELS, GOOD, "P@1, map")
    for ask in (lambda: scores["nDCG@10"], lambda: scores.count("nDCG@10")):
        with pytest.raises(
            OptionError, match=r"^nDCG@10 was not evaluated \(evaluated: P@1, AP\)$"
        ):
            ask()
    with pytest.raises(MeasureError, match=r"^no measure named 'xyz'"):
        scores["xyz"]
    with pytest.raises(KeyError):
        scores.mean()["nDCG@10"]


def test_means_take_any_spelling_of_a_measure() -> None:
    mean = evaluate(QRELS, GOOD, "nDCG@10, map").mean()
    assert mean["ndcg_cut_10"] == mean["NDCG@10"] == mean[nDCG @ 10] == 1.0
    assert (len(mean), list(mean)) == (2, [nDCG @ 10, AP])
    assert repr(mean) == "{nDCG@10: 1.0000, AP: 1.0000}"
    assert repr(evaluate(QRELS, GOOD, "map").run()) == "RunScores('run', 2 queries)"


def test_scores_are_frozen() -> None:
    scores = evaluate(QRELS, GOOD)
    with pytest.raises(FrozenInstanceError):
        scores.barren = 3  # type: ignore[misc]


def test_scores_for_pandas_and_as_json(monkeypatch: pytest.MonkeyPatch) -> None:
    qrels, runs = {"q1": {"a": 1}, "q2": {"b": 0}}, {"one": {"q1": {"a": 1.0}}}
    scores = evaluate(qrels, runs, "nDCG@10", convention=Convention(barren="skip"))
    frame = scores.to_pandas()
    assert frame.columns.tolist() == ["run", "query_id", "nDCG@10"]
    assert frame["nDCG@10"].isna().tolist() == [False, True]
    assert json.loads(scores.to_json()) == {"one": {"q1": {"nDCG@10": 1.0}, "q2": {}}}
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingPackageError, match="pip install pandas"):
        scores.to_pandas()


def test_scores_as_a_frame() -> None:
    qrels = {**QRELS, "q3": {"a": 1.0}}
    frame = evaluate(qrels, {"good": GOOD, "bad": BAD}, "P@1 Judged@1").to_frame()
    assert frame.to_dict(as_series=False) == {
        "run": ["good"] * 3 + ["bad"] * 3,
        "query_id": ["q1", "q2", "q3"] * 2,
        "P@1": [1.0, 1.0, 0.0, 0.0, 1.0, 0.0],
        "Judged@1": [1.0, 1.0, None, 1.0, 1.0, None],
    }


def test_scores_as_a_dictionary_in_the_shape_of_pytrec_eval() -> None:
    qrels = {**QRELS, "q3": {"a": 1.0}}
    assert evaluate(qrels, GOOD, "P@1 Judged@1").to_dict() == {
        "q1": {"P@1": 1.0, "Judged@1": 1.0},
        "q2": {"P@1": 1.0, "Judged@1": 1.0},
        "q3": {"P@1": 0.0},
    }


def test_scores_as_html_are_escaped() -> None:
    html = evaluate(QRELS, {"<b>&": GOOD, "bad": BAD}, "P@1")._repr_html_()
    assert "<td>&lt;b&gt;&amp;</td><td>1.0000</td>" in html
    assert "<td>bad</td><td>0.5000</td>" in html
    assert "<th>P@1</th>" in html
    assert "gain linear, log2, ties trec" in html
    assert as_qrels(QRELS).digest[:12] in html
    assert "<b>" not in html


def test_scores_survive_a_file(tmp_path: Path) -> None:
    qrels = {**QRELS, "q3": {"a": 1.0}, "q4": {"a": 0.0}}
    measures = [nDCG(gain={1: 1, 2: 1 / 3}) @ 10, Judged @ 10, RR]
    scores = evaluate(qrels, {"good": GOOD, "bad": BAD}, measures, run_digests=True)
    scores.save(tmp_path / "scores.parquet")
    loaded = load_scores(tmp_path / "scores.parquet")
    assert loaded.to_frame().equals(scores.to_frame())
    for name in ("measures", "convention", "query_ids", "barren", "judgments", "qrels_digest"):
        assert getattr(loaded, name) == getattr(scores, name)
    assert loaded.notices == scores.notices
    for ours, theirs in zip(loaded.runs, scores.runs, strict=True):
        assert np.array_equal(ours.values, theirs.values, equal_nan=True)
        assert (ours.name, ours.answered, ours.unjudged) == (theirs.name, 2, 0)
        assert ours.digest == theirs.digest
        assert ours.digest is not None
    assert loaded.mean("bad") == scores.mean("bad")


@pytest.mark.parametrize("profile", PROFILES)
def test_every_profile_survives_a_file(tmp_path: Path, profile: str) -> None:
    path = tmp_path / "scores.parquet"
    evaluate(QRELS, GOOD, "nDCG@5", convention=profile).save(path)
    assert load_scores(path).convention == PROFILES[profile]


def test_a_frame_of_saved_scores_is_plain_parquet(tmp_path: Path) -> None:
    path = tmp_path / "scores.parquet"
    scores = evaluate(QRELS, GOOD, "P@1")
    scores.save(path)
    assert pl.read_parquet(path).equals(scores.to_frame())


def test_saved_scores_are_found(tmp_path: Path) -> None:
    path = tmp_path / "scores.parquet"
    scores = evaluate(QRELS, GOOD, "P@1")
    scores.save(path)
    assert find_scores(scores) is scores
    found = find_scores(str(path))
    assert found is not None
    assert found["P@1"] == scores["P@1"]
    frame_of(GOOD).write_parquet(tmp_path / "run.parquet")
    others = [tmp_path / "run.parquet", tmp_path / "none.parquet", tmp_path / "x.run", GOOD, 5]
    assert [find_scores(other) for other in others] == [None] * 5


def test_saved_scores_are_no_run() -> None:
    scores: Any = evaluate(QRELS, GOOD, "P@1")
    with pytest.raises(
        InputError, match=r"^old: these are saved scores, not a run; evaluate the run"
    ):
        evaluate(QRELS, {"old": scores})


def test_what_is_no_saved_scores_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none: cannot be read as saved scores \("):
        load_scores(tmp_path / "none")
    path = tmp_path / "text"
    path.write_text("q1 Q0 a 1 2.5 t\n")
    with pytest.raises(InputError, match=r"text: cannot be read as saved scores \("):
        load_scores(path)
    frame_of(GOOD).write_parquet(path)
    with pytest.raises(
        InputError, match=r"text: a Parquet file, but not scores saved by Scores.save$"
    ):
        load_scores(path)
    told = {"ndcg": json.dumps({"schema": 99})}
    frame_of(GOOD).write_parquet(path, metadata=told)
    with pytest.raises(
        InputError,
        match=r"text: saved in form 99 by a newer version of ndcg, this one reads form 1; update",
    ):
        load_scores(path)


def test_digests_of_runs_are_computed_when_asked_for() -> None:
    assert evaluate(QRELS, GOOD).run().digest is None
    assert evaluate(QRELS, GOOD, run_digests=True).run().digest == as_run(GOOD).digest


@pytest.mark.parametrize(
    ("policy", "mean", "told"),
    [
        ("zero", 0.5, "1 of 2 judged queries is not in the run: counted as 0"),
        ("skip", 1.0, "1 of 2 judged queries is not in the run: left out of the mean"),
    ],
)
def test_an_unanswered_query_follows_its_policy(policy: Any, mean: float, told: str) -> None:
    scores = evaluate(QRELS, {"q1": GOOD["q1"]}, "nDCG@2", convention=Convention(unanswered=policy))
    assert scores.mean()["nDCG@2"] == mean
    assert scores.count("nDCG@2") == (2 if policy == "zero" else 1)
    assert scores.run().answered == 1
    assert texts_of(scores) == [told]


def test_unanswered_queries_may_be_refused() -> None:
    rules = Convention(unanswered="error")
    told = (
        "bm25: 1 of 2 judged queries is not in the run ('q2') and the convention refuses that; add "
        "them, or let them count 0"
    )
    with pytest.raises(InputError, match=f"^{re.escape(told)}$"):
        evaluate(QRELS, {"bm25": {"q1": GOOD["q1"]}, "x": GOOD}, convention=rules)
    many = {f"q{i}": {"a": 1} for i in range(9)}
    told = "run: 8 of 9 judged queries are not in the run ('q1', 'q2', 'q3', 'q4', 'q5' and 3 more)"
    with pytest.raises(InputError, match=f"^{re.escape(told)}"):
        evaluate(many, {"q0": {"a": 1.0}}, convention=rules)
    assert evaluate(QRELS, GOOD, "P@1", convention=rules).mean()["P@1"] == 1.0


@pytest.mark.parametrize(
    ("policy", "mean", "count", "fate"),
    [
        ("zero", 0.5, 2, "counted as 0"),
        ("one", 1.0, 2, "counted as 1"),
        ("skip", 1.0, 1, "left out"),
    ],
)
def test_a_barren_query_follows_its_policy(policy: Any, mean: float, count: int, fate: str) -> None:
    qrels: Table = {"q1": {"a": 1, "b": 0}, "q2": {"a": 0, "c": -1}}
    scores = evaluate(qrels, GOOD, "nDCG@2", convention=Convention(barren=policy))
    assert scores.mean()["nDCG@2"] == mean
    assert (scores.barren, scores.count("nDCG@2")) == (1, count)
    assert [(n.code, n.text, n.run) for n in scores.notices] == [
        ("barren", f"1 of 2 judged queries has no relevant document: {fate}", None)
    ]


def test_several_unanswered_and_barren_queries_are_counted() -> None:
    qrels: Table = {"q1": {"a": 1, "b": 1}, "q2": {"a": 0}, "q3": {"a": 0}, "q4": {"a": 1}}
    scores = evaluate(qrels, {"q1": GOOD["q1"]}, "nDCG@2")
    assert texts_of(scores) == [
        "2 of 4 judged queries have no relevant document: counted as 0",
        "3 of 4 judged queries are not in the run: counted as 0",
    ]


@pytest.mark.parametrize(
    ("extra", "told"),
    [
        ({"q7": {"a": 1.0}}, "1 query of the run has no judgments: left out"),
        ({"q7": {"a": 1.0}, "q8": {"a": 1.0}}, "2 queries of the run have no judgments: left out"),
    ],
)
def test_queries_without_judgments_are_left_out_and_counted(extra: Table, told: str) -> None:
    scores = evaluate(QRELS, {**GOOD, **extra}, "P@1")
    assert scores.query_ids == ["q1", "q2"]
    assert scores.run().unjudged == len(extra)
    assert texts_of(scores) == [told]


def test_queries_in_common_are_needed() -> None:
    told = "bm25: none of its queries is judged; the run has '1', '2', the qrels 'q1', 'q2'"
    with pytest.raises(InputError, match=f"^{re.escape(told)}$"):
        evaluate(QRELS, {"bm25": {2: {"a": 1.0}, 1: {"a": 1.0}}, "x": GOOD})


def test_documents_in_common_are_not_needed_but_missed() -> None:
    scores = evaluate(QRELS, {"q1": {"a ": 1.0}, "q2": {"x": 1.0}}, "nDCG@1")
    assert scores.mean()["nDCG@1"] == 0.0
    assert texts_of(scores) == [
        "judged@1 is 0.0%: 100.0% of the top 1 was never judged and counts as not relevant"
    ]


@pytest.mark.parametrize(
    ("holes", "told"),
    [
        (0, []),
        (1, []),
        (
            2,
            ["judged@10 is 80.0%: 20.0% of the top 10 was never judged and counts as not relevant"],
        ),
    ],
)
def test_low_coverage_is_told(holes: int, told: list[str]) -> None:
    qrels = {"q": {f"d{i}": 1 for i in range(10 - holes)}}
    run = {"q": {f"d{i}": float(-i) for i in range(10)}}
    scores = evaluate(qrels, run, "nDCG@10")
    assert texts_of(scores, "coverage") == told


def test_coverage_speaks_of_the_primary_measures_cutoff() -> None:
    run = {"q": {f"d{i}": float(-i) for i in range(10)}}
    qrels = {"q": {f"d{i}": 1 for i in range(5)}}
    assert "coverage" not in codes_of(evaluate(qrels, run, [P @ 5, P @ 10]))
    assert texts_of(evaluate(qrels, run, [P @ 8]), "coverage")[0].startswith(
        "judged@8 is 62.5%: 37.5%"
    )
    assert texts_of(evaluate(qrels, run, [AP]), "coverage")[0].startswith("judged@10 is 50.0%")
    condensed = evaluate(qrels, run, [nDCG(condensed=True) @ 10])
    assert texts_of(condensed, "coverage") == [
        "judged@10 is 50.0%: 50.0% of the top 10 was never judged and is left out of the list"
    ]


def test_ties_that_move_the_mean_are_told() -> None:
    qrels: Table = {"q1": {"a": 1}, "q2": {"a": 1, "b": 1}}
    run: Table = {"q1": {"a": 1.0, "b": 1.0}, "q2": {"a": 1.0, "b": 1.0}}
    scores = evaluate(qrels, run, "P@1 nDCG@2")
    assert texts_of(scores, "ties") == [
        "ties move P@1 in 1 of 2 queries: by their order the mean is 0.5000 to 1.0000"
    ]
    assert texts_of(evaluate(qrels, run, "nDCG@2"), "ties") == [
        (
            f"ties move nDCG@2 in 1 of 2 queries: by their order the mean is "
            f"{(1 / math.log2(3) + 1) / 2:.4f} "
            "to 1.0000"
        )
    ]


@pytest.mark.parametrize(
    "run",
    [
        {"q1": {"a": 2.0, "b": 1.0}, "q2": {"a": 1.0, "b": 1.0}},
        {"q1": {"a": 2.0, "x": 1.0, "y": 1.0}, "q2": {"a": 1.0}},
    ],
    ids=["of equal grades", "of unjudged documents"],
)
def test_ties_that_move_nothing_are_not_told(run: Table) -> None:
    qrels: Table = {"q1": {"a": 1}, "q2": {"a": 1, "b": 1}}
    assert "ties" not in codes_of(evaluate(qrels, run, "nDCG@2"))


def test_ties_below_the_tolerance_are_not_told() -> None:
    qrels = {f"q{i}": {"a": 1} for i in range(1000)}
    run: Table = {query: {"a": 2.0, "b": 1.0} for query in qrels}
    run["q0"] = {"a": 1.0, "b": 1.0}
    assert "ties" not in codes_of(evaluate(qrels, run, "P@1"))
    run["q1"] = {"a": 1.0, "b": 1.0}
    assert texts_of(evaluate(qrels, run, "P@1"), "ties") == [
        "ties move P@1 in 2 of 1000 queries: by their order the mean is 0.9980 to 1.0000"
    ]


def test_lists_that_end_before_the_cutoff_are_told() -> None:
    scores = evaluate(QRELS, {"q1": {"a": 1.0}, "q2": {"a": 2.0, "c": 1.0}}, "P@1 nDCG@2")
    assert texts_of(scores, "shallow") == ["1 of 2 lists ends before rank 2"]
    scores = evaluate(QRELS, {"q1": {"a": 1.0}, "q2": {"a": 2.0}, "q3": {}}, "nDCG@2")
    assert texts_of(scores, "shallow") == ["no list reaches rank 2 (deepest 1)"]
    assert "shallow" not in codes_of(evaluate(QRELS, GOOD, "nDCG@2 map"))
    three = {**QRELS, "q3": {"a": 1}}
    run: Table = {"q1": {"a": 1.0}, "q2": {"a": 1.0}, "q3": {"a": 2.0, "b": 1.0}}
    assert texts_of(evaluate(three, run, "nDCG@2"), "shallow") == ["2 of 3 lists end before rank 2"]


def test_a_measure_that_is_not_defined_everywhere_is_told() -> None:
    run: Table = {"q1": {"a": 2.0, "b": 1.0}, "q2": {}}
    scores = evaluate(QRELS, run, "P@2 Judged@2")
    assert scores["Judged@2"] == {"q1": 1.0}
    assert scores.count("Judged@2") == 1
    assert texts_of(scores, "undefined") == [
        "Judged@2 is the mean over 1 query: nothing was retrieved for 1, so it is not defined there"
    ]
    as_zero = evaluate(QRELS, run, "P@2 Judged@2", convention=Convention(undefined="zero"))
    assert as_zero["Judged@2"] == {"q1": 1.0, "q2": 0.0}
    assert "undefined" not in codes_of(as_zero)


def test_a_measure_defined_nowhere_is_refused() -> None:
    rules = Convention(barren="skip")
    told = "bm25: nDCG@10 is defined for no query under this convention"
    with pytest.raises(InputError, match=f"^{re.escape(told)}$"):
        evaluate({"q": {"a": 0}}, {"bm25": {"q": {"a": 1.0}}, "x": GOOD}, convention=rules)


def test_nothing_misleading_is_not_told() -> None:
    assert evaluate(QRELS, GOOD, "nDCG@2").notices == ()


def test_notices_of_reading_come_along_with_the_name_of_the_run(tmp_path: Path) -> None:
    path = write(tmp_path, GOOD, "x.run")
    path.write_text("# note\n" + path.read_text())
    scores = evaluate(QRELS, {"mine": path}, "nDCG@2")
    assert [(n.code, n.run) for n in scores.notices] == [("comments", "mine")]


@pytest.mark.parametrize("convention", ["sklearn", Convention(ties="average")])
def test_measures_without_an_expectation_refuse_average_ties(convention: Any) -> None:
    with pytest.raises(MeasureError, match=r"^AP has no expected value over ties here"):
        evaluate(QRELS, GOOD, "AP", convention=convention)
    assert (
        evaluate(QRELS, GOOD, "nDCG NumRet NumRel NumRelRet", convention=convention).mean()[
            "NumRet"
        ]
        == 2
    )


def test_measures_may_break_ties_each_in_their_own_way() -> None:
    qrels, run = {"q": {"a": 1}}, {"q": {"a": 1.0, "b": 1.0}}
    scores = evaluate(qrels, run, [P @ 1, P(ties="ascending") @ 1, P(ties="average") @ 1])
    assert list(scores.mean().values()) == [0.0, 1.0, 0.5]


DOORS = ["mapping", "columns"]


def through(door: str, table: Table) -> Any:
    return (
        table
        if door == "mapping"
        else [(q, d, v) for q, docs in table.items() for d, v in docs.items()]
    )


@pytest.mark.parametrize("door", DOORS)
def test_trec_eval_cuts_fractions(door: str) -> None:
    qrels: Table = {"q": {"a": 1.9, "b": 1.0, "c": -0.5}}
    run = through(door, {"q": {"b": 3.0, "a": 2.0, "c": 1.0}})
    scores = evaluate(through(door, qrels), run, "DCG@3", convention="trec_eval")
    assert scores["DCG@3"]["q"] == pytest.approx(1 + 1 / math.log2(3))
    assert texts_of(scores, "grades-cut") == [
        "2 fractional grades cut to integers, as trec_eval does"
    ]
    exact = evaluate(through(door, qrels), run, "DCG@3")
    assert exact["DCG@3"]["q"] == pytest.approx(1 + 1.9 / math.log2(3))
    one = evaluate(through(door, {"q": {"a": 1.5}}), run, "DCG@3", convention="trec_eval")
    assert texts_of(one, "grades-cut") == ["1 fractional grade cut to integers, as trec_eval does"]


def test_pytrec_eval_refuses_fractions() -> None:
    told = (
        "profile 'pytrec_eval' takes integer grades only, got 1.5 (1 such judgment); the default "
        "convention takes fractions"
    )
    with pytest.raises(InputError, match=f"^{re.escape(told)}$"):
        evaluate({"q": {"a": 1.5, "b": 1}}, {"q": {"a": 1.0}}, convention="pytrec_eval")


@pytest.mark.parametrize("door", DOORS)
def test_beir_leaves_out_documents_with_the_id_of_their_query(door: str) -> None:
    run = through(door, {"q1": {"q1": 9.0, "a": 1.0}, "q2": {"q1": 9.0, "a": 1.0, "q2": 8.0}})
    scores = evaluate(through(door, QRELS), run, "P@1", convention="beir")
    assert scores["P@1"] == {"q1": 1.0, "q2": 0.0}
    assert texts_of(scores, "same-ids") == [
        "2 documents with the id of the query left out, as beir does"
    ]
    assert evaluate(QRELS, run, "P@1")["P@1"] == {"q1": 0.0, "q2": 0.0}
    kept = evaluate(QRELS, GOOD, "P@1", convention="beir")
    assert "same-ids" not in codes_of(kept)
    one = evaluate(QRELS, through(door, {"q1": {"q1": 9.0, "a": 1.0}}), "P@1", convention="beir")
    assert texts_of(one, "same-ids") == [
        "1 document with the id of the query left out, as beir does"
    ]


def test_scikit_learn_sees_what_was_not_retrieved_as_one_tie() -> None:
    qrels: Table = {"q": {"a": 3, "b": 2, "c": 1}}
    scores = evaluate(qrels, {"q": {"c": 1.0}}, "DCG@3", convention="sklearn")
    assert scores["DCG@3"]["q"] == pytest.approx(1 + 2.5 / math.log2(3) + 2.5 / 2)


@pytest.mark.parametrize(
    ("profile", "expected"),
    [
        ("default", {"q1": 1.0, "q2": 0.0, "q3": 0.0}),
        ("trec_eval", {"q1": 1.0, "q2": 0.0, "q3": 0.0}),
        ("trec_eval-9", {"q1": 0.0, "q2": 0.0}),
        ("pytrec_eval", {"q1": 0.0, "q2": 0.0}),
        ("ir_measures", {"q1": 0.0, "q2": 0.0, "q3": 0.0}),
        ("ranx", {"q1": 1.0, "q2": 0.0, "q3": 0.0}),
        ("beir", {"q1": 0.0, "q2": 0.0}),
        ("gdeval", {"q1": 1.0, "q2": 0.0}),
        ("lightgbm", {"q1": 1.0, "q2": 1.0}),
    ],
)
def test_profiles_part_on_ties_and_policies(profile: str, expected: dict[str, float]) -> None:
    qrels: Table = {"q1": {"a": 1}, "q2": {"a": 0}, "q3": {"a": 1}}
    run: Table = {"q1": {"a": 1.0 + 1e-9, "b": 1.0}, "q2": {"a": 1.0}}
    assert evaluate(qrels, run, "nDCG@1", convention=profile)["nDCG@1"] == expected


def test_duplicates_follow_the_convention() -> None:
    rows = [("q1", "a", 1.0), ("q1", "b", 2.0), ("q1", "a", 3.0), ("q2", "a", 1.0)]
    with pytest.raises(InputError, match=r"^the rows, row 3: document 'a' is retrieved twice"):
        evaluate(QRELS, rows)
    last = evaluate(QRELS, rows, "P@1", convention="ranx")
    assert last["P@1"]["q1"] == 1.0
    first = evaluate(QRELS, rows, "P@1", convention=Convention(duplicates="first"))
    assert first["P@1"]["q1"] == 0.0
    assert "duplicate-documents" in codes_of(first)


TABLES = st.dictionaries(
    st.sampled_from(["q1", "q2"]),
    st.dictionaries(st.sampled_from("abcd"), st.integers(0, 3).map(float), min_size=1),
    min_size=1,
)


def orders_of(docs: Mapping[str, float]) -> list[list[str]]:
    """Return every order that the scores of a list allow."""
    levels = sorted(set(docs.values()), reverse=True)
    groups = [[doc for doc, score in docs.items() if score == level] for level in levels]
    every = itertools.product(*(itertools.permutations(group) for group in groups))
    return [[doc for group in order for doc in group] for order in every]


@pytest.mark.parametrize(
    "name",
    [
        "nDCG@2",
        "nDCG(gain={1: 9, 2: 1, 3: 4})@2",
        "DCG(gain='exp')",
        "P@2",
        "RR",
        "AP",
        "ERR",
        "RBP(p=0.5)",
        "RBP(p=0.5, residual=True)",
        "Judged@1",
        "Success@1",
        "Bpref",
    ],
)
@given(qrels=TABLES, run=TABLES)
def test_the_range_of_ties_is_that_over_all_orders(name: str, qrels: Table, run: Table) -> None:
    assume(qrels.keys() & run.keys())
    measure = parse_measure(name)
    found = tie_range(qrels, run, measure)
    for place, query in enumerate(found.query_ids):
        if query not in run:
            continue
        values = []
        for order in orders_of(run[query]):
            strict = {query: {doc: float(-i) for i, doc in enumerate(order)}}
            values.append(evaluate(qrels, strict, measure)[measure][query])
        assert found.lower[place] == pytest.approx(min(values), abs=1e-12)
        assert found.upper[place] == pytest.approx(max(values), abs=1e-12)
        assert found.lower[place] <= found.value[place] <= found.upper[place]


def test_a_range_of_ties_as_a_frame() -> None:
    found = tie_range({"q": {"a": 1}}, {"q": {"a": 1.0, "b": 1.0}}, "P@1")
    assert repr(found) == "TieRange(0.0000 <= 0.0000 <= 1.0000, 1 queries)"
    assert found.to_frame().rows() == [("q", 0.0, 0.0, 1.0)]


def test_a_range_of_ties_follows_the_convention() -> None:
    qrels, run = {"q": {"a": 1}}, {"q": {"a": 1.0 + 1e-9, "b": 1.0}}
    assert tie_range(qrels, run, "P@1").to_frame().rows() == [("q", 1.0, 1.0, 1.0)]
    found = tie_range(qrels, run, "P@1", convention="pytrec_eval")
    assert found.to_frame().rows() == [("q", 0.0, 0.0, 1.0)]


def test_means_are_rounded_once() -> None:
    assert mean_of(np.array([1e16, 1.0, -1e16, math.nan])) == 1 / 3
    assert math.isnan(mean_of(np.array([math.nan])))


@pytest.mark.parametrize("measure", ["nDCG@0", "nope", 5])
def test_a_wrong_measure_is_refused_before_anything_is_read(measure: Any, tmp_path: Path) -> None:
    with pytest.raises(MeasureError):
        evaluate(tmp_path / "none", tmp_path / "none", measure)


def test_a_wrong_convention_is_refused() -> None:
    with pytest.raises(
        OptionError, match=r"^no profile named 'treceval'; did you mean 'trec_eval'\?"
    ):
        evaluate(QRELS, GOOD, convention="treceval")


def test_intervals_hold_the_mean_within_the_range_of_the_measure() -> None:
    qrels: Table = {f"q{i}": {"a": 1 + i % 3, "b": 1} for i in range(20)}
    run: Table = {f"q{i}": {"a": float(i % 2), "b": 0.5, "x": 0.7} for i in range(20)}
    scores = evaluate(
        qrels, {"good": run, "bad": BAD | {"q3": {"b": 1.0}}}, "nDCG@3 DCG@3 P@1 NumRet"
    )
    found = scores.intervals("good")
    assert list(found) == list(scores.measures)
    assert found[parse_measure("NumRet")] is None
    for measure in scores.measures[:3]:
        ends = found[measure]
        assert ends is not None
        assert 0 <= ends[0] < scores.mean("good")[measure] < ends[1]
        assert measure.is_unbounded or ends[1] <= 1
        assert scores.interval(repr(measure), "good") == ends
    wider = scores.interval("nDCG@3", "good", level=0.99)
    assert wider is not None
    assert wider[0] < scores.intervals("good")[nDCG @ 3][0]  # type: ignore[index]
    with pytest.raises(OptionError, match=r"^AP was not evaluated"):
        scores.interval("AP", "good")


def test_one_query_supports_no_interval() -> None:
    assert evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "nDCG@10").interval("nDCG@10") is None


def test_a_measure_without_cutoff_needs_no_depth() -> None:
    scores = evaluate(QRELS, GOOD, Measure("nDCG"))
    assert scores.notices == ()
    assert replace(scores, notices=()).mean() == scores.mean()
