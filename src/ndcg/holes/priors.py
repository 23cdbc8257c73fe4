"""What an unjudged document is likely to be worth: the grades of judged ones at like ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ndcg.data import FloatArray, IntArray

__all__ = ["grade_prior"]

_EDGES = np.array([2, 4, 7])
_WEIGHT_OF_ALL = 10.0


def grade_prior(
    judged_rank: IntArray, judged_grade: FloatArray, scale: FloatArray, rank: IntArray
) -> FloatArray:
    """Return the chance of each grade of a scale at each rank, shape (len(rank), len(scale)).

    Counted over judged documents in four buckets of rank (1, 2-3, 4-6, 7 on), each smoothed with
    ten documents distributed as all of them are; every grade is counted once more than it occurs,
    so that none is impossible.
    """
    nearest = np.abs(judged_grade[:, None] - scale[None, :]).argmin(axis=1)
    counts = np.zeros((len(_EDGES) + 1, len(scale)))
    np.add.at(counts, (np.searchsorted(_EDGES, judged_rank, side="right"), nearest), 1.0)
    overall = counts.sum(axis=0) + 1.0
    smoothed = counts + _WEIGHT_OF_ALL * overall / overall.sum()
    chances: FloatArray = smoothed / smoothed.sum(axis=1, keepdims=True)
    return chances[np.searchsorted(_EDGES, rank, side="right")]
