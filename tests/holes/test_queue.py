"""What to judge next: settles with fewer labels than other orders, and says how many."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest

import ndcg
from ndcg import Convention, InputError, MeasureError, OptionError, as_qrels, as_run, nDCG
from ndcg.holes.queue import next_labels, prepare_duel

if TYPE_CHECKING:
    from ndcg.holes.duels import Duel

SAMPLES = Path(ndcg.__file__).parent / "samples"
QRELS = SAMPLES / "qrels.txt"
RUNS = {name: SAMPLES / f"{name}.run.gz" for name in ("bm25", "minilm", "tfidf")}


def test_real_runs_get_a_queue_with_its_cost_and_names() -> None:
    found = next_labels(QRELS, RUNS["bm25"], RUNS["minilm"], n=20)
    limits = ndcg.bounds(QRELS, RUNS).difference("bm25", "minilm")
    assert (found.a, found.b) == ("bm25", "minilm")
    assert (found.limits.lower, found.limits.upper) == (limits.lower, limits.upper)
    assert len(found.frame) == 20
    assert found.frame["value"].is_sorted(descending=True)
    assert found.frame.select(pl.min_horizontal("rank_a", "rank_b").is_between(1, 10).all()).item()
    assert found.expected is not None
    low, middle, high = found.expected
    assert 0 < low <= middle <= high <= limits.n_holes
    assert 0.0 <= found.belief <= 1.0
    assert {notice.run for notice in found.notices} <= {None, "bm25", "minilm"}
    assert found.to_dict()["expected_labels"] == list(found.expected)


def test_every_document_of_the_queue_is_a_hole() -> None:
    frame = next_labels(QRELS, RUNS["bm25"], RUNS["tfidf"], n=10_000).frame
    judged = as_qrels(QRELS).frame
    assert frame.join(judged, on=["query_id", "doc_id"], how="semi").is_empty()
    assert not frame.select(pl.struct("query_id", "doc_id").is_duplicated().any()).item()


def test_same_seed_same_queue() -> None:
    one, other = (next_labels(QRELS, RUNS["bm25"], RUNS["tfidf"], seed=3) for _ in range(2))
    assert one.to_dict() == other.to_dict()


def hidden() -> tuple[Duel, np.ndarray, np.ndarray]:
    """Return bm25 against minilm on half the queries, all but one judgment of each hidden."""
    frame = as_qrels(QRELS).frame
    some = frame["query_id"].unique(maintain_order=True)[::2].implode()
    judged = frame.filter(pl.col("query_id").is_in(some))
    runs = {name: as_run(RUNS[name]) for name in ("bm25", "minilm")}
    kept = judged.group_by("query_id", maintain_order=True).head(1)
    duel, holes, _, _ = prepare_duel(
        as_qrels(kept), runs, nDCG @ 10, grades=(0, 1, 2, 3), convention=Convention()
    )
    known = holes.join(judged, on=["query_id", "doc_id"], how="left", maintain_order="left")
    ranks = holes.select(pl.min_horizontal("rank_a", "rank_b")).to_series()
    return duel, known["relevance"].fill_null(0.0).to_numpy(), ranks.to_numpy()


def labels_needed(order: str) -> int:
    duel, truth, ranks = hidden()
    rng = np.random.default_rng(0)
    fixed = rng.permutation(len(truth))
    if order == "rank":
        fixed = fixed[np.argsort(ranks[fixed], kind="stable")]
    belief = duel.belief(100, rng)
    for count in range(len(truth)):
        if duel.is_settled:
            return count
        if order == "next":
            if count % 50 == 49:
                belief = duel.belief(100, rng)
            hole = int(np.where(duel.is_open, duel.values(belief), -1.0).argmax())
        else:
            hole = int(fixed[count])
        duel.reveal(hole, truth[hole])
    return len(truth)


def test_settles_with_fewer_labels_than_rank_order_and_random() -> None:
    ours = labels_needed("next")
    assert ours < 0.9 * labels_needed("rank")
    assert ours < 0.9 * labels_needed("random")


def test_a_settled_pair_needs_no_label() -> None:
    found = next_labels({"q": {"a": 1}}, {"q": {"b": 2.0, "a": 1.0}}, {"q": {"a": 1.0}})
    assert not found.is_settled
    done = next_labels({"q": {"a": 1, "b": 0}}, {"q": {"b": 2.0}}, {"q": {"a": 1.0}})
    assert done.is_settled
    assert done.expected is None
    assert done.frame.is_empty()
    assert "settled" in repr(done)


def test_bad_requests_are_refused() -> None:
    qrels, run = {"q": {"a": 5}}, {"q": {"a": 1.0, "b": 0.5}}
    with pytest.raises(OptionError, match="n must be 1 label or more, got 0"):
        next_labels(qrels, run, run, n=0)
    with pytest.raises(OptionError, match="5"):
        next_labels(qrels, run, run)
    with pytest.raises(MeasureError, match="AP"):
        next_labels({"q": {"a": 1}}, run, run, "AP")
    with pytest.raises(InputError, match="quer"):
        next_labels({"q": {"a": 1}}, run, {"other": {"a": 1.0}})
