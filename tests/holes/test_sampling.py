"""Estimates from a random sample: unbiased over samples, exact where all was judged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ndcg
from ndcg import CG, DCG, InputError, MeasureError, P, as_qrels, evaluate, nDCG
from ndcg.holes.sampling import estimate_sampled

SAMPLES = Path(ndcg.__file__).parent / "samples"
QRELS = SAMPLES / "qrels.txt"
RUNS = {name: SAMPLES / f"{name}.run.gz" for name in ("bm25", "minilm")}
PAIR = ["query_id", "doc_id"]


def candidates() -> pl.DataFrame:
    """Return the pool of the two runs, every document with its grade (0 where there is none)."""
    pooled = ndcg.pool(RUNS).frame.select(PAIR)
    frame = pooled.join(as_qrels(QRELS).frame, on=PAIR, how="left")
    return frame.with_columns(pl.col("relevance").fill_null(0.0)).sort(PAIR)


def drawn_from(truth: pl.DataFrame, seed: int, tmp_path: Path) -> tuple[pl.DataFrame, Path]:
    """Return the judgments of a sample of the pool, and the file with its probabilities."""
    beside = ndcg.pool(RUNS, method="sample", budget=900, seed=seed).write(tmp_path / "p.jsonl")
    drawn = pl.DataFrame(json.loads(beside.read_text())["documents"]).select(PAIR)
    judged = truth.join(drawn, on=PAIR, how="semi")
    # Queries of which nothing was drawn stay judged.
    rest = truth.join(judged, on="query_id", how="anti").unique("query_id").select("query_id")
    none = rest.with_columns(doc_id=pl.lit("none"), relevance=pl.lit(0.0))
    return pl.concat([judged, none]), beside


def test_estimates_over_many_samples_are_those_of_judging_all(tmp_path: Path) -> None:
    truth = candidates()
    measures = (nDCG @ 10, DCG @ 10)
    whole = evaluate(truth, RUNS, measures)
    means: dict[Any, list[list[float]]] = {measure: [] for measure in measures}
    naive = []
    for seed in range(25):
        judged, beside = drawn_from(truth, seed, tmp_path)
        for measure in measures:
            found = estimate_sampled(judged, RUNS, measure, sample=beside)
            means[measure].append([run.mean for run in found.runs])
            assert not [notice for notice in found.notices if notice.code == "not-pooled"]
        naive.append([float(np.nanmean(run.counted)) for run in found.runs])
    for column, measure in enumerate(measures):
        values = np.array(means[measure])
        exact = np.array([run.values[:, column].mean() for run in whole.runs])
        error = values.std(axis=0, ddof=1) / np.sqrt(len(values))
        if measure.name == "DCG":
            assert np.all(np.abs(values.mean(axis=0) - exact) < 3.5 * error)
            assert np.all(np.array(naive).mean(axis=0) < exact - 10 * error)
        else:
            assert values.mean(axis=0) == pytest.approx(exact, abs=0.06)


def test_where_all_was_judged_the_estimate_is_the_value(tmp_path: Path) -> None:
    beside = ndcg.pool(RUNS).write(tmp_path / "pool.jsonl")
    found = estimate_sampled(candidates(), RUNS, sample=beside)
    exact = evaluate(candidates(), RUNS, nDCG @ 10)
    for ours, theirs in zip(found.runs, exact.runs, strict=True):
        assert ours.estimates == pytest.approx(theirs.values[:, 0], abs=1e-12)
    assert found.notices[0].code == "no-sample"


@settings(max_examples=100, deadline=None)
@given(
    judged=st.dictionaries(st.sampled_from("abcdef"), st.sampled_from([-1, 0, 1, 2]), min_size=1),
    order=st.permutations("abcdef"),
    measure=st.sampled_from([nDCG @ 3, nDCG, nDCG(gain="exp") @ 4, DCG @ 2, CG @ 3, P @ 2]),
)
def test_chances_of_one_change_nothing(judged: Any, order: Any, measure: Any) -> None:
    run = {"q": {doc: -float(i) for i, doc in enumerate(order)}}
    sample = pl.DataFrame({"query_id": "q", "doc_id": list(judged), "probability": 1.0})
    found = estimate_sampled({"q": judged}, run, measure, sample=sample)
    exact = evaluate({"q": judged}, run, measure).runs[0].values[:, 0]
    assert found.runs[0].estimates == pytest.approx(exact, abs=1e-12)


def test_the_ideal_holds_as_many_documents_as_a_judged_one_stands_for() -> None:
    run = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
    sample = {"query_id": ["q", "q"], "doc_id": ["a", "b"], "probability": [0.4, 1.0]}
    found = estimate_sampled({"q": {"a": 2, "b": 1}}, run, "nDCG@3", sample=pl.DataFrame(sample))
    second, third = 1 / np.log2(3), 0.5
    ideal = 2 * (1 + second + 0.5 * third) + 1 * 0.5 * third
    assert found.runs[0].mean == pytest.approx((2 / 0.4 + second) / ideal)
    assert found.notices[-1].code == "not-pooled"


def test_samples_without_chances_are_refused(tmp_path: Path) -> None:
    beside = ndcg.pool(RUNS, method="rrf", budget=300).write(tmp_path / "rrf.jsonl")
    with pytest.raises(InputError, match="300 documents without a probability"):
        estimate_sampled(QRELS, RUNS, sample=beside)
    with pytest.raises(InputError, match="no column 'probability'"):
        estimate_sampled(QRELS, RUNS, sample=as_qrels(QRELS).frame)
    (tmp_path / "bad.json").write_text("no")
    with pytest.raises(InputError, match=r"bad\.json: not valid JSON"):
        estimate_sampled(QRELS, RUNS, sample=tmp_path / "bad.json")
    (tmp_path / "bad.json").write_text("{}")
    with pytest.raises(InputError, match="no documents in it"):
        estimate_sampled(QRELS, RUNS, sample=tmp_path / "bad.json")
    with pytest.raises(InputError, match="No such file"):
        estimate_sampled(QRELS, RUNS, sample=tmp_path / "missing.json")
    with pytest.raises(MeasureError, match="AP"):
        estimate_sampled(QRELS, RUNS, "AP", sample=beside)
