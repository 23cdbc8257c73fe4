"""ir_measures' calls: the values that it gave for real runs, its rows, its keys."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import NamedTuple

import pytest

from ndcg import MeasureError, nDCG
from ndcg.compat.ir_measures import calc_aggregate, iter_calc

GOLDEN = Path(__file__).parents[1] / "golden"
SPELLINGS = {
    "ndcg@10": "nDCG@10",
    "map": "AP",
    "p@10": "P@10",
    "recall@100": "R@100",
    "mrr@10": "RR@10",
    "judged@10": "Judged@10",
}
QRELS = {"q1": {"a": 1}, "q2": {"c": 2}}
RUN = {"q1": {"b": 2.0, "a": 1.0}}


class Spelled:
    """A measure that has a spelling, as those of ir_measures."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __str__(self) -> str:
        return self.text


class Qrel(NamedTuple):
    """A judgment as ir_measures names it."""

    query_id: str
    doc_id: str
    relevance: int
    iteration: str


class ScoredDoc(NamedTuple):
    """A retrieved document as ir_measures names it."""

    query_id: str
    doc_id: str
    score: float


@pytest.mark.parametrize("collection", ["vaswani", "cranfield", "cacm"])
@pytest.mark.parametrize("system", ["bm25", "minilm"])
def test_real_runs_have_its_values(collection: str, system: str) -> None:
    packed = (GOLDEN / "values" / f"{collection}__{system}.json.gz").read_bytes()
    told = json.loads(gzip.decompress(packed))["mean"]["ir_measures_calc_aggregate"]
    measures = {name: Spelled(SPELLINGS[name]) for name in told if name in SPELLINGS}
    assert len(measures) == 6
    qrels = GOLDEN / collection / "qrels.txt"
    found = calc_aggregate(
        measures.values(), qrels, GOLDEN / collection / "runs" / f"{system}.run.gz"
    )
    for name, measure in measures.items():
        assert found[measure] == pytest.approx(told[name], abs=1e-9), name


def test_every_judged_query_has_a_row_and_an_unanswered_one_is_zero() -> None:
    rows = list(iter_calc(["nDCG@10", nDCG @ 1], QRELS, RUN))
    assert [(row.query_id, row.measure) for row in rows] == [
        ("q1", "nDCG@10"), ("q1", nDCG @ 1), ("q2", "nDCG@10"), ("q2", nDCG @ 1)
    ]  # fmt: skip
    assert [row.value for row in rows] == pytest.approx([0.6309297535714575, 0, 0, 0])
    assert calc_aggregate(["RR"], QRELS, RUN) == {"RR": 0.25}


def test_its_named_tuples_are_read_and_the_last_line_of_a_document_counts() -> None:
    rows = [Qrel("q1", "a", 1, "0")]
    run = [ScoredDoc("q1", "a", 0.1), ScoredDoc("q1", "b", 0.5), ScoredDoc("q1", "a", 0.9)]
    assert calc_aggregate(["RR"], rows, run) == {"RR": 1.0}


def test_a_run_of_other_queries_is_zero_and_a_missing_measure_an_error() -> None:
    assert calc_aggregate(["RR"], QRELS, {"q9": {"a": 1.0}}) == {"RR": 0.0}
    assert list(iter_calc(["RR"], QRELS, {"q9": {"a": 1.0}})) == []
    with pytest.raises(MeasureError, match="IPrec"):
        calc_aggregate([Spelled("IPrec@0.1")], QRELS, RUN)
