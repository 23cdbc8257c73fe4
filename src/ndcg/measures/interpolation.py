"""Precision interpolated at points of recall, the eleven points of the older literature."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ndcg.data import FloatArray
    from ndcg.ranking import Ranking

__all__ = ["RECALL_POINTS", "interpolated_precision"]

RECALL_POINTS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


def interpolated_precision(
    ranking: Ranking, rel: float = 1.0, points: Sequence[float] = RECALL_POINTS
) -> FloatArray:
    """Return the greatest precision at or below each point of recall, shape (queries, points).

    A point counts as reached with int(point · relevant + 0.9) relevant documents, as in
    trec_eval's ``iprec_at_recall`` (Buckley & Voorhees, TREC, 2005); one that is not reached is 0.
    """
    values = np.zeros((len(ranking), len(points)))
    relevant = ranking.relevance >= rel
    query, rank = ranking.query[relevant], ranking.rank[relevant]
    judged = ranking.judged_query[ranking.judged_relevance >= rel]
    wanted = np.bincount(judged, minlength=len(ranking))
    ends = np.searchsorted(query, np.arange(len(ranking) + 1))
    start, end = ends[:-1], ends[1:]
    found = end - start
    # A last element, for the pairs of `reduceat` that end with the array.
    precision = np.append((np.arange(len(query)) - start[query] + 1) / rank, 0.0)
    for place, point in enumerate(points):
        need = (point * wanted + 0.9).astype(np.int64)
        reached = (need <= found) & (found > 0)
        first = start[reached] + np.maximum(need[reached], 1) - 1
        spans = np.column_stack([first, end[reached]]).ravel()
        if len(spans):
            values[reached, place] = np.maximum.reduceat(precision, spans)[::2]
    return values
