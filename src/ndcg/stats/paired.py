"""What every paired test gives and shares: the result, the degenerate cases, the intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ndcg.stats.arrays import TIE_TOLERANCE
from ndcg.stats.bounded import Interval
from ndcg.stats.distributions import t_quantile
from ndcg.stats.options import Alternative, check_alternative, tail_share

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ndcg.stats.arrays import BoolArray, Columns, FloatArray, IntArray

__all__ = [
    "PairedTestResult",
    "interval_columns",
    "least_extreme",
    "n_differing",
    "rejection_rank",
    "smallest_pvalue",
    "studentised",
    "towards",
    "unspread_pvalue",
]


@dataclass(frozen=True, eq=False)
class PairedTestResult:
    """A paired test of each column of differences; every array has one entry a column.

    Parameters
    ----------
    method : {"bootstrap", "t", "randomisation"}
        Which test.
    alternative : {"two-sided", "less", "greater"}
        What the test looks for: a mean difference other than, below or above 0.
    difference : array
        Mean difference.
    statistic : array
        Student's t, or the mean difference for the randomisation test. Infinite where all
        differences are one number other than 0.
    pvalue : array
        Never NaN; never 0 where it was sampled.
    intervals : tuple of Interval or None
        Confidence interval of the mean difference by the same method; None for a single query, or
        when all differences are one number other than 0.
    n_queries, n_differing : array of int
        Queries of the column, and those whose difference is not 0.
    smallest_pvalue : array
        See the function of this name; above the level no outcome could have been significant.
    exact : bool array
        Whether the p-value counts every outcome instead of a sample.
    """

    method: str
    alternative: Alternative
    difference: FloatArray
    statistic: FloatArray
    pvalue: FloatArray
    intervals: tuple[Interval | None, ...]
    n_queries: IntArray
    n_differing: IntArray
    smallest_pvalue: FloatArray
    exact: BoolArray


def smallest_pvalue(
    n_differing: ArrayLike, *, alternative: Alternative = "two-sided"
) -> FloatArray:
    """Return the least p-value that flips of this many differing queries can give.

    Of the 2^m equally likely sign patterns of m differences, the most extreme is one of two
    (two-sided) or the only one. Smucker, Allan & Carterette (CIKM 2007) describe the test.

    Parameters
    ----------
    n_differing : array_like of int
        Queries whose difference is not 0.
    alternative : {"two-sided", "less", "greater"}
        The side or sides of the test.

    Returns
    -------
    array
        min(1, 2 / 2^m), or 1 / 2^m for one side.

    Examples
    --------
    Five queries that differ cannot reach 0.05, whatever they say:

    >>> smallest_pvalue([0, 5, 6]).tolist()
    [1.0, 0.0625, 0.03125]
    """
    check_alternative(alternative)
    sides = 2.0 if alternative == "two-sided" else 1.0
    exponent = -np.asarray(n_differing, dtype=np.float64)
    return np.minimum(1.0, sides * np.exp2(exponent))


def n_differing(columns: Columns) -> IntArray:
    """How many differences of each column are not 0."""
    counts: IntArray = np.count_nonzero(columns.values, axis=0).astype(np.int64)
    return counts


def studentised(columns: Columns) -> FloatArray:
    """Student's t of each column; 0 for a mean of 0, infinite for another mean without spread."""
    error = columns.sd / np.sqrt(columns.n_queries)
    # SciPy answers 0 / 0 with NaN; here identical systems are the normal case.
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = columns.mean / error
    return np.where(columns.mean == 0.0, 0.0, ratio)


def towards(alternative: Alternative, statistic: FloatArray) -> FloatArray:
    """Turn a statistic so that greater values speak for the alternative."""
    if alternative == "two-sided":
        return np.abs(statistic)
    return -statistic if alternative == "less" else statistic


def least_extreme(observed: FloatArray, scale: FloatArray) -> FloatArray:
    """Return the value from which a resampled statistic ties with the observed one, or beats it."""
    return observed - TIE_TOLERANCE * scale


def unspread_pvalue(columns: Columns, alternative: Alternative) -> FloatArray:
    """P-value of columns whose differences are all one number: the flips' own, 1 for 0."""
    smallest = smallest_pvalue(n_differing(columns), alternative=alternative)
    return np.where(towards(alternative, columns.mean) > 0.0, smallest, 1.0)


def rejection_rank(level: float, n_resamples: int, *, sides: float = 1.0) -> int:
    """Which resample, from the most extreme one, a statistic must exceed to be rejected.

    Rejected means (extreme / sides + 1) / (n_resamples + 1) <= 1 - level; below 1 nothing is.
    """
    # 0.05 x 10,000 must count as 500, although 1 - 0.95 is a little more than 0.05.
    allowed = (1.0 - level) * (n_resamples + 1)
    return int(np.floor(sides * (allowed - 1.0) + TIE_TOLERANCE)) + 1


def interval_columns(
    columns: Columns,
    ends: tuple[FloatArray, FloatArray],
    *,
    level: float,
    alternative: Alternative,
    method: str,
) -> tuple[Interval | None, ...]:
    """Intervals from their ends; Student's where an end is infinite, none without spread."""
    share = 1.0 - tail_share(level, alternative)
    error = columns.sd / np.sqrt(columns.n_queries)
    reach = t_quantile(share, np.maximum(columns.n_queries - 1, 1)) * error
    intervals: list[Interval | None] = []
    for i, (low, high) in enumerate(zip(*ends, strict=True)):
        n_queries, mean = int(columns.n_queries[i]), float(columns.mean[i])
        needed = (
            [low, high] if alternative == "two-sided" else [high if alternative == "less" else low]
        )
        # One query, or one difference for all, tells nothing about other queries.
        if n_queries == 1 or (columns.alike[i] and mean != 0.0):
            intervals.append(None)
            continue
        name, bottom, top = method, float(low), float(high)
        if columns.alike[i]:
            name, bottom, top = "identical", 0.0, 0.0
        # The resamples could not bound the mean: too few queries differ, or too few were drawn.
        elif not np.isfinite(needed).all():
            name, bottom, top = "t", mean - float(reach[i]), mean + float(reach[i])
        intervals.append(
            Interval(
                -np.inf if alternative == "less" else bottom,
                np.inf if alternative == "greater" else top,
                level,
                name,
                n_queries,
                alternative,
            )
        )
    return tuple(intervals)
