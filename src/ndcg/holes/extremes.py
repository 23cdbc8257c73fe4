"""Least and greatest values that sums and ratios can take when some gains are not known.

A sum is at its greatest when the holes of positive weight have the largest gain. A ratio
DCG / IDCG is not: a larger gain raises the ideal as well. The ideal depends only on which gains
there are, not on which hole has which, so for given gains the best order pairs them with the
weights (rearrangement inequality), and what is left to choose is how many holes reach each gain.
For a fixed ratio r those counts are chosen one by one to maximise DCG - r IDCG, and the greatest
ratio is the r at which that maximum is 0 (Dinkelbach, Management Science 13(7), 1967).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ndcg.data import FloatArray, IntArray
    from ndcg.ranking import BoolArray

__all__ = ["Unknowns", "ratio_extremes", "sum_extremes"]

_CELLS = 1 << 20


@dataclass(frozen=True, eq=False)
class Unknowns:
    """Sums over n queries of which some gains are known and some are not.

    Attributes
    ----------
    base
        The known part of each sum, shape (n,).
    hole_query, weight
        One row a hole, by query: the query, and the factor of its gain in the sum (any sign).
    judged_query, judged_gain
        One row a judged document of gain above 0, which the ideal list draws on.
    gains
        What a hole may be worth, ascending and distinct.
    discount
        The discount of each rank that counts; the ideal has no more ranks.
    """

    base: FloatArray
    hole_query: IntArray
    weight: FloatArray
    judged_query: IntArray
    judged_gain: FloatArray
    gains: FloatArray
    discount: FloatArray


def sum_extremes(unknowns: Unknowns) -> tuple[FloatArray, FloatArray]:
    """Return the least and the greatest of each sum base + weight · gain, shape (n,) each."""
    ends = []
    for worst, best in ((-1, 0), (0, -1)):
        gain = unknowns.gains[np.where(unknowns.weight < 0, worst, best)]
        ends.append(unknowns.base + _sums(unknowns, unknowns.weight * gain))
    return ends[0], ends[1]


def ratio_extremes(unknowns: Unknowns, *, empty: float = 0.0) -> tuple[FloatArray, FloatArray]:
    """Return the least and the greatest of each sum over its ideal, shape (n,) each.

    `empty` is the ratio where no gain is above 0, so that the ideal is 0. The time grows with
    holes times gains times the judged gains of a query, never with the number of assignments.
    """
    n = len(unknowns.base)
    lower, upper = np.full(n, empty), np.full(n, empty)
    for chosen, part in _parts(unknowns):
        lower[chosen] = -_greatest(part, -1.0, -empty)
        upper[chosen] = _greatest(part, 1.0, empty)
    return lower, upper


def _sums(unknowns: Unknowns, values: FloatArray) -> FloatArray:
    n = len(unknowns.base)
    return np.bincount(unknowns.hole_query, weights=values, minlength=n).astype(np.float64)


def _parts(unknowns: Unknowns) -> Iterator[tuple[IntArray, Unknowns]]:
    """Yield queries of like size together, so that rectangles of them hold little padding."""
    n = len(unknowns.base)
    holes = np.bincount(unknowns.hole_query, minlength=n)
    order = np.argsort(holes, kind="stable")
    start = 0
    while start < n:
        smallest = int(holes[order[start]])
        like = int(np.searchsorted(holes[order], 2 * smallest + 8, side="right"))
        widest = 2 * smallest + 9
        stop = min(like, start + max(1, _CELLS // widest))
        yield order[start:stop], _restricted(unknowns, order[start:stop])
        start = stop


def _restricted(unknowns: Unknowns, chosen: IntArray) -> Unknowns:
    place = np.full(len(unknowns.base), -1)
    place[chosen] = np.arange(len(chosen))
    holes, judged = place[unknowns.hole_query], place[unknowns.judged_query]
    return Unknowns(
        unknowns.base[chosen],
        holes[holes >= 0],
        unknowns.weight[holes >= 0],
        judged[judged >= 0],
        unknowns.judged_gain[judged >= 0],
        unknowns.gains,
        unknowns.discount,
    )


def _greatest(part: Unknowns, sign: float, empty: float) -> FloatArray:
    """Return the greatest of sign · sum / ideal of each query."""
    earned = _earned(part, sign)
    fixed, ideal = _ideals(part, earned.shape[1] - 1)
    base = sign * part.base + part.gains[0] * earned[:, -1]
    barren = np.bincount(part.judged_query, minlength=len(base)) == 0
    barren &= part.gains[0] == 0
    holes = np.bincount(part.hole_query, minlength=len(base))
    counts = np.zeros((len(part.gains) - 1, len(base)), np.int64)
    steps = np.diff(part.gains)
    rows = np.arange(len(base))
    best = np.full(len(base), -np.inf)
    # A query without a gain needs a hole that has one, or its ideal is 0.
    counts[:1] = np.where(barren, np.minimum(holes, 1), 0)
    while True:
        top = base + (steps[:, None] * earned[rows, counts]).sum(axis=0)
        under = fixed + ideal[np.arange(len(steps))[:, None], rows, counts].sum(axis=0)
        ratio = np.divide(top, under, out=np.full(len(base), empty), where=under > 0)
        if not (ratio > best).any():
            break
        best = np.maximum(best, ratio)
        counts = _best_counts(steps, earned, ideal, best, holes, barren)
    return np.where(barren, np.maximum(best, empty), best)


def _earned(part: Unknowns, sign: float) -> FloatArray:
    """Return the sum of the m greatest weights of each query, a column for each m from 0."""
    weight = sign * part.weight
    order = np.lexsort((-weight, part.hole_query))
    query = part.hole_query[order]
    holes = np.bincount(query, minlength=len(part.base))
    place = np.arange(len(query)) - np.repeat(np.cumsum(holes) - holes, holes)
    table = np.zeros((len(part.base), int(holes.max(initial=0)) + 1))
    table[query, place + 1] = weight[order]
    return np.cumsum(table, axis=1)


def _ideals(part: Unknowns, most: int) -> tuple[FloatArray, FloatArray]:
    """Return the ideal in layers: a fixed part, and for each gain what m holes of it make of it.

    An ideal list is a sum over the distinct gains, smallest first, of the step to the gain times
    the discounts of as many ranks as there are documents that reach it.
    """
    n = len(part.base)
    reach = np.concatenate(([0.0], np.cumsum(part.discount)))
    counts = np.arange(most + 1)
    holes = np.bincount(part.hole_query, minlength=n)
    fixed, ideal = np.zeros(n), np.zeros((len(part.gains) - 1, n, most + 1))
    for query, gain, step, judged in _layers(part):
        level = np.searchsorted(part.gains, gain)
        sure = level == 0
        known = judged + np.where(sure, holes[query], 0)
        settled = sure | (level == len(part.gains))
        fixed[query[settled]] += (step * reach[np.minimum(known, len(reach) - 1)])[settled]
        left = ~settled
        ranks = np.minimum(judged[left, None] + counts, len(reach) - 1)
        ideal[level[left] - 1, query[left]] += step[left, None] * reach[ranks]
    return fixed, ideal


def _layers(part: Unknowns) -> Iterator[tuple[IntArray, FloatArray, FloatArray, IntArray]]:
    """Yield, for the j-th smallest gain of every query that has so many: query, gain, step, judged.

    `judged` counts the judged documents that reach the gain.
    """
    n = len(part.base)
    possible = part.gains[part.gains > 0]
    query = np.concatenate((part.judged_query, np.repeat(np.arange(n), len(possible))))
    gain = np.concatenate((part.judged_gain, np.tile(possible, n)))
    judged = np.concatenate((np.ones(len(part.judged_query)), np.zeros(n * len(possible))))
    order = np.lexsort((gain, query))
    query, gain, judged = query[order], gain[order], judged[order]
    new = np.ones(len(query), np.bool_)
    new[1:] = (np.diff(query) != 0) | (np.diff(gain) != 0)
    first = np.flatnonzero(new)
    before = np.concatenate(([0.0], np.cumsum(judged)))
    ends = np.searchsorted(query, query[first], side="right")
    reaching = (before[ends] - before[first]).astype(np.int64)
    query, gain = query[first], gain[first]
    starts = np.searchsorted(query, query)
    place = np.arange(len(query)) - starts
    step = gain - np.where(place > 0, gain[np.arange(len(gain)) - (place > 0)], 0.0)
    order = np.argsort(place, kind="stable")
    for rows in np.split(order, np.cumsum(np.bincount(place))[:-1]):
        yield query[rows], gain[rows], step[rows], reaching[rows]


def _best_counts(
    steps: FloatArray,
    earned: FloatArray,
    ideal: FloatArray,
    ratio: FloatArray,
    holes: IntArray,
    barren: BoolArray,
) -> IntArray:
    """Return how many holes reach each gain, never more than reach the one below, at the best."""
    levels, n, width = ideal.shape
    columns = np.arange(width)
    chosen = np.zeros((levels, n, width), np.int32)
    total = np.zeros((n, width))
    for level in range(levels - 1, -1, -1):
        value = steps[level] * earned - ratio[:, None] * ideal[level] + total
        if level == 0:
            value[barren & (holes > 0), 0] = -np.inf
        total = np.maximum.accumulate(value, axis=1)
        chosen[level] = np.maximum.accumulate(np.where(value == total, columns, 0), axis=1)
    counts = np.zeros((levels, n), np.int64)
    limit = holes
    for level in range(levels):
        limit = counts[level] = chosen[level, np.arange(n), limit]
    return counts
