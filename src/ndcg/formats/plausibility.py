"""Whether what was read is what it was given for: judgments, or a run with sound ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ndcg.data import Notice, queries_where
from ndcg.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ndcg.data import FloatArray, IntArray, Qrels, Run
    from ndcg.formats.layouts import Layout
    from ndcg.formats.rows import Assembled

_LOWEST_GRADE, _HIGHEST_GRADE = -2, 6
_LONG_LIST = 5


def refuse_judgments(run: Run, read: Assembled) -> None:
    """Refuse judgments as a run: BEIR calls the grade a score."""
    layout = _doubtful_layout(read)
    if layout is None or not layout.beir:
        return
    low, high = run.values.min(), run.values.max()
    if not (low >= _LOWEST_GRADE and high <= _HIGHEST_GRADE):
        return
    if (run.values == np.trunc(run.values)).all():
        raise InputError(
            f"{read.rows.pieces[0].source.name}: this looks like judgments: every score is an "
            f"integer, {low:g} to {high:g}; the qrels come first, then the runs (--run-format "
            f"{layout.format} if these really are scores)"
        )


def refuse_scores(qrels: Qrels, read: Assembled) -> None:
    """Refuse a run as judgments: long lists of fractions that fall within each query."""
    layout = _doubtful_layout(read)
    if layout is None or layout.graded:
        return
    if (qrels.values == np.trunc(qrels.values)).all() or np.diff(qrels.offsets).max() < _LONG_LIST:
        return
    if not len(queries_where(qrels.offsets, qrels.values[1:] > qrels.values[:-1])):
        raise InputError(
            f"{read.rows.pieces[0].source.name}: this looks like a run: the grades are fractions "
            "that fall from line to line within each query; the qrels come first, then the runs "
            f"(--qrels-format {layout.format} if these really are grades)"
        )


def _doubtful_layout(read: Assembled) -> Layout | None:
    """Return the layout of what might be the other kind, None where the columns leave no doubt."""
    if not read.rows.sniffed or read.ranks is not None:
        return None
    layout = read.rows.pieces[0].layout
    return None if layout.is_plain_trec or layout.value is None else layout


def rank_notices(run: Run, ranks: NDArray[np.int32] | None) -> list[Notice]:
    """Return a notice of how many queries have ranks that contradict their scores."""
    count = 0 if ranks is None else count_rank_conflicts(run.offsets, run.values, ranks)
    if not count:
        return []
    queries = "query" if len(run.query_ids) == 1 else "queries"
    text = (
        f"the rank column contradicts the scores in {count} of {len(run.query_ids)} {queries}; "
        "scores decide"
    )
    return [Notice("rank-order", text, run.name)]


def count_rank_conflicts(
    offsets: IntArray, scores: FloatArray, ranks: NDArray[np.integer[Any]]
) -> int:
    """Return in how many queries a document with a higher score has a higher rank number."""
    doubtful = ~((scores[1:] <= scores[:-1]) & (ranks[1:] > ranks[:-1]))
    queries = queries_where(offsets, doubtful)
    return sum(
        _contradicts(scores[a:b], ranks[a:b])
        for a, b in zip(offsets[queries].tolist(), offsets[queries + 1].tolist(), strict=True)
    )


def _contradicts(scores: FloatArray, ranks: NDArray[np.integer[Any]]) -> bool:
    falling = scores[np.argsort(ranks, kind="stable")]
    if (falling[1:] <= falling[:-1]).all():
        return False
    order = np.lexsort((ranks, -scores))
    scores, ranks = scores[order], ranks[order]
    starts = np.flatnonzero(np.concatenate(([True], scores[1:] != scores[:-1])))
    highest = np.maximum.accumulate(np.maximum.reduceat(ranks, starts))
    return bool((ranks[starts][1:] < highest[:-1]).any())
