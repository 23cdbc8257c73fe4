"""DCG of matrices: every document of a query has a grade and a score, a row a query."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ndcg.data import FloatArray

__all__ = ["dense_dcg", "dense_ideal"]


def dense_dcg(gains: Any, scores: Any, discount: FloatArray, *, ties: str) -> FloatArray:
    """Return the DCG of each row, shape (n,).

    Parameters
    ----------
    gains, scores
        Shape (n, m); the greater the score, the earlier the document.
    discount
        The factor of each rank, shape (m,), 0 below a cutoff.
    ties
        ``average``: documents of equal score share the mean of their gains, which is the expected
        DCG over their orders (McSherry & Najork, ECIR 2008). ``sort``: the order in which NumPy's
        argsort, reversed, leaves them.
    """
    order = np.argsort(scores, axis=1)[:, ::-1]
    ranked = np.take_along_axis(gains, order, axis=1).astype(np.float64, copy=False)
    if ties == "sort":
        return np.asarray(ranked @ discount, dtype=np.float64)
    sorted_scores = np.take_along_axis(scores, order, axis=1)
    begins = np.ones(ranked.shape, np.bool_)
    np.not_equal(sorted_scores[:, 1:], sorted_scores[:, :-1], out=begins[:, 1:])
    if begins.all():
        return np.asarray(ranked @ discount, dtype=np.float64)
    return _tied_dcg(ranked, begins, discount)


def _tied_dcg(ranked: FloatArray, begins: Any, discount: FloatArray) -> FloatArray:
    width = ranked.shape[1]
    starts = np.flatnonzero(begins.ravel())
    sizes = np.diff(starts, append=ranked.size)
    total = np.append(0.0, np.cumsum(discount))
    column = starts % width
    shared = (total[column + sizes] - total[column]) / sizes
    earned = np.add.reduceat(ranked.ravel(), starts) * shared
    values: FloatArray = np.add.reduceat(earned, np.flatnonzero(column == 0))
    return values


def dense_ideal(gains: Any, discount: FloatArray) -> FloatArray:
    """Return the DCG of the best order of each row, shape (n,)."""
    best = np.sort(gains, axis=1)[:, ::-1].astype(np.float64, copy=False)
    return np.asarray(best @ discount, dtype=np.float64)
