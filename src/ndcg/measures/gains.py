"""Gains, discounts and sums over ranks: what the measures have in common."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ndcg.errors import MeasureError

if TYPE_CHECKING:
    from ndcg.conventions import Gain
    from ndcg.data import FloatArray, IntArray
    from ndcg.ranking import Ranking

LARGEST_EXPONENT = 1023


@dataclass(frozen=True)
class Rules:
    """A measure's parameters with the convention's filled in."""

    cutoff: int | None = None
    gain: Gain = "linear"
    discount: str = "log2"
    ties: str = "trec"
    ideal: str = "judged"
    barren: str = "zero"
    rel: float = 1.0
    p: float = 0.8
    residual: bool = False
    max_grade: float | None = None


def gain_of(grades: FloatArray, gain: Gain) -> FloatArray:
    """Return what grades are worth; grades of 0 and below are worth 0.

    A grade that a gain mapping does not name is a `MeasureError`, never a silent 0.
    """
    positive = np.maximum(grades, 0.0)
    if gain == "linear":
        return positive
    # There are few grades: the gain of each is looked up once, the same on every processor.
    distinct, place = np.unique(positive, return_inverse=True)
    if gain == "exp":
        worth = [_exponential(grade) for grade in distinct.tolist()]
    else:
        mapped = {0.0: 0.0, **dict(gain)} if isinstance(gain, tuple) else {}
        worth = [_mapped(mapped, grade) for grade in distinct.tolist()]
    return np.array(worth, dtype=np.float64)[place]


def _exponential(grade: float) -> float:
    if grade > LARGEST_EXPONENT:
        raise MeasureError(
            f"gain 'exp' of grade {grade:g} is 2^{grade:g} - 1, more than a 64-bit float holds; "
            "use gain 'linear' or a mapping"
        )
    return math.exp2(grade) - 1.0


def _mapped(gains: dict[float, float], grade: float) -> float:
    if grade not in gains:
        raise MeasureError(
            f"the gain mapping has no grade {grade:g}, which the judgments use; "
            "name a gain for every grade above 0"
        )
    return gains[grade]


def discounts(ranks: int, discount: str) -> FloatArray:
    """Return the discount of ranks 1 to `ranks`, the first at index 0."""
    if discount == "none":
        return np.ones(ranks)
    # math.log2 is the same on every processor; NumPy's vector routines may differ by one bit.
    if discount == "log2":
        return np.array([1.0 / math.log2(i + 1) for i in range(1, ranks + 1)])
    return np.array([1.0 / max(1.0, math.log2(i)) for i in range(1, ranks + 1)])


def depth_of(ranking: Ranking, cutoff: int | None) -> int:
    """Return the last rank that counts: the cutoff, or the longest list where there is none."""
    longest = int(ranking.last.max()) if len(ranking.last) else 0
    return longest if cutoff is None else min(cutoff, longest)


def rank_weights(ranking: Ranking, discount: FloatArray, ties: str) -> FloatArray:
    """Return the discount that each judged document gets; expected over its tie with ``average``.

    `discount` has one value a rank; ranks after its end weigh nothing. The expected discount in a
    tie of ranks s+1..e is (C(e) - C(s)) / (e - s), C the running sum (McSherry & Najork, 2008).
    """
    padded = np.append(discount, 0.0)
    end = len(discount)
    exact = padded[np.minimum(ranking.rank - 1, end)]
    if ties != "average" or not ranking.has_ties:
        return exact
    running = np.concatenate(([0.0], np.cumsum(discount)))
    reach = running[np.minimum(ranking.last, end)] - running[np.minimum(ranking.first - 1, end)]
    return np.where(ranking.tied, reach / (ranking.last - ranking.first + 1), exact)


def sum_by_query(ranking: Ranking, query: IntArray, values: FloatArray) -> FloatArray:
    """Return sums for each query, added in order of rank."""
    # bincount adds one by one in row order: the same bits whatever other queries there are.
    sums = np.bincount(query, weights=values, minlength=len(ranking)).astype(np.float64, copy=False)
    if not np.isfinite(sums).all():
        raise MeasureError(
            "the gains of a query add up to more than a 64-bit float holds; use smaller grades, or "
            "a gain mapping"
        )
    return sums


def ideal_sum(ranking: Ranking, rules: Rules) -> FloatArray:
    """Return the DCG of the best order of the judged documents, cut at the cutoff."""
    if rules.ideal == "retrieved":
        query, grades = ranking.query, ranking.relevance
    else:
        query, grades = ranking.judged_query, ranking.judged_relevance
    gain = gain_of(grades, rules.gain)
    query, gain = query[gain > 0], gain[gain > 0]
    order = np.lexsort((-gain, query))
    query, gain = query[order], gain[order]
    starts = np.searchsorted(query, np.arange(len(ranking)))
    position = np.arange(len(query)) - starts[query]
    longest = int(position.max()) + 1 if len(position) else 0
    depth = longest if rules.cutoff is None else min(rules.cutoff, longest)
    weight = np.append(discounts(depth, rules.discount), 0.0)[np.minimum(position, depth)]
    return sum_by_query(ranking, query, gain * weight)
