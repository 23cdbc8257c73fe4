"""pytrec_eval's interface: its own tests in our words, then any data against the program itself."""

from __future__ import annotations

import gzip
import math
import random
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
import pytrec_eval

from ndcg import InputError
from ndcg.compat import pytrec_eval as ours

GOLDEN = Path(__file__).parents[1] / "golden"
QREL = {"q1": {"d1": 0, "d2": 1, "d3": 0}, "q2": {"d2": 1, "d3": 1}}


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ({"d1": 1.0, "d2": 0.0, "d3": 1.5}, 0.5),
        ({"d1": 1.0, "d2": 2.0, "d3": 1.5}, 1.0),
        ({"d1": 4.0, "d2": 2.0, "d3": 1.5}, 0.6309297535714575),
    ],
)
@pytest.mark.parametrize("more", [{}, {"q2": {}}])
def test_ndcg_of_its_own_tests(scores: Any, expected: float, more: Any) -> None:
    evaluator = ours.RelevanceEvaluator(QREL, {"map", "ndcg"})
    found = evaluator.evaluate({"q1": scores} | more)
    assert found["q1"]["ndcg"] == pytest.approx(expected, abs=1e-12)
    assert list(found) == ["q1", *more]


def test_cutoffs_of_its_own_tests() -> None:
    run = {"q1": {"d1": 1.0, "d2": 0.0, "d3": 1.5}, "q2": {}}
    found = ours.RelevanceEvaluator(QREL, {"ndcg_cut.1,2,3,1000"}).evaluate(run)["q1"]
    expected = {"ndcg_cut_1": 0.0, "ndcg_cut_2": 0.0, "ndcg_cut_3": 0.5, "ndcg_cut_1000": 0.5}
    assert found == pytest.approx(expected)


def lines_of(name: str) -> list[str]:
    path = GOLDEN / "trec_eval" / name
    if path.exists():
        return path.read_text().splitlines()
    return gzip.decompress(path.with_name(f"{name}.gz").read_bytes()).decode().splitlines()


@pytest.mark.parametrize(
    ("qrels", "expected", "level"),
    [("qrels.test", "out.test", 1), ("qrels.rel_level", "out.test.aql", 2)],
)
def test_trec_evals_own_files_as_in_its_own_tests(qrels: str, expected: str, level: int) -> None:
    told: dict[str, float] = {}
    for line in lines_of(expected):
        found = re.match(r"^([\w-]+)\s+all\s+([0-9.e-]+)$", line)
        if found:
            told[found[1]] = float(found[2])
    judged = ours.parse_qrel(lines_of(qrels))
    run = ours.parse_run(lines_of("results.test"))
    results = ours.RelevanceEvaluator(judged, ours.supported_measures, level).evaluate(run)
    names = set(next(iter(results.values()))) & set(told)
    assert {"map", "gm_map", "ndcg", "bpref", "infAP", "P_10", "num_rel", "set_F"} & names
    # Of 11pt_avg at level 2 the file has 0.1817; pytrec_eval gives 0.1804 on it, and so do we.
    for name in names - {"num_q", *(["11pt_avg"] if level > 1 else [])}:
        values = [values[name] for values in results.values()]
        assert ours.compute_aggregated_measure(name, values) == pytest.approx(
            told[name], abs=5.1e-4
        ), name
    assert len(results) == told["num_q"]


def test_parsers_give_what_its_parsers_give() -> None:
    run, qrels = lines_of("results.test"), lines_of("qrels.test")
    assert ours.parse_run(run) == pytrec_eval.parse_run(run)
    assert ours.parse_qrel(qrels) == pytrec_eval.parse_qrel(qrels)
    assert isinstance(ours.parse_run(run), defaultdict)
    with pytest.raises(AssertionError, match="'d' twice"):
        ours.parse_run(["q Q0 d 1 2.0 t", "q Q0 d 2 1.0 t"])
    with pytest.raises(AssertionError):
        ours.parse_qrel(["q 0 d 1", "q 0 d 1"])


@pytest.mark.parametrize("judged_only", [False, True])
@pytest.mark.parametrize("level", [1, 2, 3])
def test_any_data_gives_the_same_keys_types_and_values(level: int, *, judged_only: bool) -> None:
    # Seeded rather than searched for: on some inputs the program itself crashes the interpreter.
    draw = random.Random(level)  # noqa: S311 - test data

    def drawn(values: list[Any], least: int) -> dict[str, dict[str, Any]]:
        return {
            query: {
                doc: draw.choice(values)
                for doc in draw.sample([f"d{i}" for i in range(8)], draw.randint(least, 6))
            }
            for query in draw.sample(["q1", "q2", "q3"], draw.randint(1, 3))
        }

    measures = ours.supported_measures
    for _ in range(150):
        qrel, run = drawn([0, 1, 2, 3], 0), drawn([0.0, 0.5, 1.0, -1.0, 2, 1e30], 0)
        theirs = pytrec_eval.RelevanceEvaluator(qrel, measures, level, judged_only).evaluate(run)
        found = ours.RelevanceEvaluator(qrel, measures, level, judged_only).evaluate(run)
        assert found.keys() == theirs.keys()
        for query, values in theirs.items():
            # Interpolated precision of an empty list is 0 / 0 there, and 0 here.
            told = {name: 0.0 if math.isnan(value) else value for name, value in values.items()}
            assert found[query] == pytest.approx(told, abs=1e-12)
            assert {type(value) for value in found[query].values()} == {float}


def test_negative_grades_count_as_not_relevant_in_both() -> None:
    # On negative grades the program itself can crash in others, such as bpref.
    qrel = {"q1": {"d1": -1, "d2": 2, "d3": -2, "d4": 1, "d6": 0}}
    run = {"q1": {"d1": 4.0, "d6": 3.5, "d2": 3.0, "d3": 2.0, "d5": 1.5, "d4": 1.0}}
    measures = {"map", "ndcg", "ndcg_cut_3", "P_5", "recip_rank", "num_rel", "num_ret"}
    for judged_only in (False, True):
        theirs = pytrec_eval.RelevanceEvaluator(qrel, measures, 1, judged_only).evaluate(run)
        found = ours.RelevanceEvaluator(qrel, measures, 1, judged_only).evaluate(run)
        assert found["q1"] == pytest.approx(theirs["q1"], abs=1e-12)


@pytest.mark.parametrize("names", [{"official"}, {"set"}, {"official", "set", "ndcg"}])
def test_nicknames_have_the_keys_of_its_own_tests(names: set[str]) -> None:
    run = {"q1": {"d1": 1.0, "d2": 0.5}, "q2": {}}
    theirs = pytrec_eval.RelevanceEvaluator(QREL, names).evaluate(run)
    found = ours.RelevanceEvaluator(QREL, names).evaluate(run)
    assert found["q1"] == pytest.approx(theirs["q1"], abs=1e-12)
    assert found["q2"].keys() == theirs["q2"].keys()


def test_measures_are_all_supported_or_said_to_be_missing() -> None:
    assert ours.supported_measures | ours.missing_measures == pytrec_eval.supported_measures
    assert not ours.supported_measures & ours.missing_measures
    for name in ours.missing_measures:
        with pytest.raises(ValueError, match=f"unsupported measure {name}: pytrec_eval has it"):
            ours.RelevanceEvaluator(QREL, {name})
    with pytest.raises(ValueError, match="pytrec_eval has it, ndcg has not"):
        ours.RelevanceEvaluator(QREL, {"all_trec"})
    for nickname, measures in ours.supported_nicknames.items():
        assert measures == pytrec_eval.supported_nicknames[nickname]
    for name in ("foo", "ndcg_cut_", "map_5x"):
        with pytest.raises(ValueError, match=f"unsupported measure {name}"):
            ours.RelevanceEvaluator(QREL, {name})


@pytest.mark.parametrize(
    ("qrel", "run"),
    [
        ({"q": {"d": 1.5}}, {}),
        ({"q": {1: 1}}, {}),
        (QREL, {"q1": {"d1": "x"}}),
        (QREL, {"q1": 3}),
    ],
)
def test_wrong_types_are_the_same_errors(qrel: Any, run: Any) -> None:
    with pytest.raises(TypeError) as theirs:
        pytrec_eval.RelevanceEvaluator(qrel, {"map"}).evaluate(run)
    with pytest.raises(TypeError) as found:
        ours.RelevanceEvaluator(qrel, {"map"}).evaluate(run)
    assert str(found.value) == str(theirs.value)


def test_a_score_that_is_no_number_is_refused() -> None:
    with pytest.raises(InputError, match="got nan"):
        ours.RelevanceEvaluator(QREL, {"map"}).evaluate({"q1": {"d1": float("nan")}})
