"""PyTerrier's Experiment: the frames that version 1.1.2 returned, as Scores."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
import polars as pl
import pytest

import ndcg
from ndcg import InputError, MeasureError, evaluate
from ndcg.compat.pyterrier import read_experiment

# TOLD is what it made of these with nDCG@10, map and P@5.
QRELS = {"q1": {"d1": 1, "d2": 2}, "q2": {"d3": 1}}
RUNS = {
    "bm25": {"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"d4": 2.0}},
    "dense": {"q1": {"d2": 2.0, "d1": 1.0}, "q2": {"d3": 2.0}},
}
TOLD = pd.DataFrame(
    [
        ("bm25", "q1", "map", 1.000000),
        ("bm25", "q1", "P@5", 0.400000),
        ("bm25", "q1", "nDCG@10", 0.859719),
        ("bm25", "q2", "map", 0.000000),
        ("bm25", "q2", "P@5", 0.000000),
        ("bm25", "q2", "nDCG@10", 0.000000),
        ("dense", "q1", "map", 1.000000),
        ("dense", "q1", "P@5", 0.400000),
        ("dense", "q1", "nDCG@10", 1.000000),
        ("dense", "q2", "map", 1.000000),
        ("dense", "q2", "P@5", 0.200000),
        ("dense", "q2", "nDCG@10", 1.000000),
    ],
    columns=["name", "qid", "measure", "value"],
)


class EvaluationDataTuple(NamedTuple):
    """What perquery="both" returns."""

    averages: pd.DataFrame
    perquery: pd.DataFrame


@pytest.mark.parametrize(
    "results",
    [TOLD, EvaluationDataTuple(pd.DataFrame({"name": ["bm25"]}), TOLD), pl.DataFrame(TOLD)],
)
def test_its_values_are_ours(results: object) -> None:
    scores = read_experiment(results, QRELS)
    measured = evaluate(QRELS, RUNS, ["AP", "P@5", "nDCG@10"], convention="ir_measures")
    assert scores.measures == measured.measures
    assert scores.qrels_digest == measured.qrels_digest
    assert (scores.query_ids, scores.barren, scores.notices) == (["q1", "q2"], 0, ())
    for found, other in zip(scores.runs, measured.runs, strict=True):
        assert found.name == other.name
        assert np.allclose(found.values, other.values, rtol=0, atol=5e-7)


def test_systems_are_compared_and_scores_saved(tmp_path: object) -> None:
    scores = read_experiment(TOLD, QRELS)
    for given in (scores, [scores]):
        (pair,) = ndcg.compare(QRELS, given, "nDCG@10").pairs
        assert (pair.baseline, pair.run) == ("bm25", "dense")
        assert pair.numbers.difference == pytest.approx(1 - 0.4298595, abs=5e-7)
    scores.save(f"{tmp_path}/scores.parquet")
    again = ndcg.load_scores(f"{tmp_path}/scores.parquet")
    assert again.to_frame().equals(scores.to_frame())


def test_a_query_that_the_experiment_left_out_does_not_count() -> None:
    scores = read_experiment(TOLD, QRELS | {"q3": {"d1": 0}})
    assert scores.mean("bm25")["nDCG@10"] == pytest.approx(0.4298595)
    assert scores.count("nDCG@10", "bm25") == 2
    assert scores.barren == 1
    assert {(notice.code, notice.run) for notice in scores.notices} == {
        ("unanswered", "bm25"), ("unanswered", "dense")
    }  # fmt: skip


@pytest.mark.parametrize(
    ("table", "told"),
    [
        (
            pd.DataFrame({"name": ["bm25"], "map": [0.5]}),
            "no column 'qid' in it (columns: name, map); means cannot be compared, run pt.Exp",
        ),
        (TOLD.iloc[:0], "experiment: no rows in it"),
        (pd.concat([TOLD, TOLD.iloc[[0]]]), "two values of map for 'bm25', query 'q1'"),
        (TOLD.assign(qid="q9"), "1 query not judged here ('q9')"),
        (TOLD.assign(value=float("nan")), "experiment: empty cells in it"),
    ],
)
def test_what_is_no_such_result_is_refused(table: pd.DataFrame, told: str) -> None:
    with pytest.raises(InputError) as caught:
        read_experiment(table, QRELS)
    assert told in str(caught.value)


def test_a_measure_that_we_have_not_is_an_error() -> None:
    with pytest.raises(MeasureError, match="SetP"):
        read_experiment(TOLD.query("measure == 'map'").assign(measure="SetP"), QRELS)
