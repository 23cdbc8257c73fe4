"""Tests of many systems together: their null distribution is that of the greatest statistic."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ndcg.errors import InputError
from ndcg.stats.arrays import TIE_TOLERANCE, Columns, as_columns
from ndcg.stats.distributions import range_cdf, range_quantile
from ndcg.stats.options import Alternative, check_alternative, check_n_resamples, check_share
from ndcg.stats.paired import rejection_rank, towards
from ndcg.stats.resampling import (
    RandomSource,
    enumerated_flips,
    sampled_flips,
    sampled_shuffles,
)
from ndcg.stats.sums import on_grid

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike

    from ndcg.stats.arrays import FloatArray

__all__ = ["AllPairsResult", "MaxTResult", "max_t", "tukey_hsd"]

# Beyond, the mean of shuffled scores is normal to more digits than 10,000 shuffles can tell.
MAX_SHUFFLED_QUERIES = 1000


@dataclass(frozen=True, eq=False)
class MaxTResult:
    """P-values of a family of comparisons, corrected for its size.

    Parameters
    ----------
    statistic : array, one entry a column
        Sum of the differences over the root of the sum of their squares: Student's t up to a
        monotone change.
    pvalue : array
        Corrected: the chance of one false alarm or more in the family, where it is called
        significant up to here.
    exact : bool
        Whether all sign patterns were counted.
    """

    statistic: FloatArray
    pvalue: FloatArray
    exact: bool


@dataclass(frozen=True, eq=False)
class AllPairsResult:
    """Every pair of systems, corrected for their number.

    Parameters
    ----------
    n_queries : int
        Queries that all systems answered.
    difference : array, shape (n_systems, n_systems)
        Mean of the row's system less mean of the column's.
    pvalue : array, shape (n_systems, n_systems)
        Chance that the best and the worst of equal systems are as far apart; 1 on the diagonal.
    half_width : float
        The honest significant difference: `difference` -+ `half_width` are simultaneous intervals.
    level : float
        Their confidence level.
    """

    n_queries: int
    difference: FloatArray
    pvalue: FloatArray
    half_width: float
    level: float


def max_t(
    differences: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    n_resamples: int = 10_000,
    rng: RandomSource = None,
) -> MaxTResult:
    """P-values of all columns corrected by the MaxT step-down: less strict than Holm's.

    Westfall & Young (1993), Resampling-Based Multiple Testing, algorithm 4.1, with sign flips that
    all columns share: a column is compared with the greatest statistic among the columns that are
    no more significant than itself, so columns that move together count once.

    Parameters
    ----------
    differences : array_like, shape (n_queries,) or (n_queries, n_columns)
        The family: system less baseline of each column; NaN marks a query outside a column.
    alternative : {"two-sided", "less", "greater"}
        ``"greater"``: the mean difference is above 0.
    n_resamples : int
        How many sign patterns are drawn; all are counted where there are no more than these.
    rng : int, Generator or None
        Same seed, same digits, whatever the batches and threads; None draws a fresh seed.

    Returns
    -------
    MaxTResult
        Statistics and p-values in the order of the columns.

    Raises
    ------
    InputError
        For differences that are no columns; see `as_columns`.
    OptionError
        For an unknown alternative or no resamples.

    Examples
    --------
    The same system twice costs nothing, where Holm would double the p-value:

    >>> once = [0.1, 0.2, 0.1, 0.3, 0.2, 0.1, 0.2]
    >>> max_t(np.column_stack([once, once])).pvalue.tolist()
    [0.015625, 0.015625]
    """
    check_alternative(alternative)
    check_n_resamples(n_resamples)
    columns = as_columns(differences, "differences")
    size = np.sqrt(np.square(columns.values).sum(axis=0))
    scaled = Columns(columns.values / np.where(size > 0.0, size, 1.0), columns.inside)
    # A query without a difference doubles the patterns and changes no sum.
    moving = np.flatnonzero(scaled.values.any(axis=1))
    exact = 1 << len(moving) <= n_resamples
    if exact:
        scaled = Columns(scaled.values[moving], scaled.inside[moving])
    n_queries = len(scaled.values)
    batches: Iterable[tuple[slice, FloatArray]] = (
        [(slice(None), enumerated_flips(n_queries))]
        if exact
        else sampled_flips(n_queries, n_resamples, rng)
    )
    table = on_grid(scaled.values, max(n_queries, 1))
    everything = table.sum(axis=0)
    observed = towards(alternative, everything)
    # From the least to the most significant, so that a running maximum is the step-down's.
    order = np.argsort(observed, kind="stable")
    extreme = np.zeros(columns.n_columns)
    for _, flips in batches:
        null = towards(alternative, everything - 2.0 * (flips @ table))
        greatest = np.maximum.accumulate(null[:, order], axis=1)
        slack = TIE_TOLERANCE * np.abs(table).sum(axis=0)
        extreme[order] += np.count_nonzero(greatest >= (observed - slack)[order], axis=0)
    share = extreme / (1 << n_queries) if exact else (extreme + 1.0) / (n_resamples + 1.0)
    # A column is not called significant before those that are more so.
    descending = order[::-1]
    pvalue = np.empty(columns.n_columns)
    pvalue[descending] = np.maximum.accumulate(share[descending])
    return MaxTResult(everything, pvalue, exact)


def tukey_hsd(
    scores: ArrayLike,
    *,
    level: float = 0.95,
    n_resamples: int = 10_000,
    rng: RandomSource = None,
) -> AllPairsResult:
    """P-values of all pairs of systems by the randomised Tukey HSD test.

    Carterette (TOIS 2012): were the systems alike, their scores could as well be
    shuffled within each query. A pair's p-value is the share of shuffles whose best and worst mean
    are as far apart as the pair, counted (extreme + 1) / (n_resamples + 1).

    Parameters
    ----------
    scores : array_like, shape (n_queries, n_systems)
        Per-query scores, every system on every query.
    level : float
        The confidence level of the simultaneous intervals.
    n_resamples : int
        How many shuffles are drawn.
    rng : int, Generator or None
        Same seed, same digits, whatever the batches and threads; None draws a fresh seed.

    Returns
    -------
    AllPairsResult
        Differences and p-values by row and column, and the honest significant difference.

    Raises
    ------
    InputError
        For fewer than two systems, or a query that one of them lacks.
    OptionError
        For a level outside 0..1 or no resamples.

    Notes
    -----
    Above 1,000 queries nothing is drawn: the shuffled means are normal by then, with variance
    sum(v) / n^2 where v is the variance within a query, and their range has a known distribution
    (Tippett, 1925). Its p-values agree with 10,000 shuffles to less than these agree with each
    other, and are never reported below 1 / (n_resamples + 1).

    Examples
    --------
    >>> result = tukey_hsd([[0.2, 0.2, 0.9], [0.4, 0.4, 0.8], [0.1, 0.1, 0.7]], rng=0)
    >>> float(result.pvalue[0, 1]), bool(result.pvalue[0, 2] > 0.05)
    (1.0, True)
    """
    check_share("level", level)
    check_n_resamples(n_resamples)
    columns = as_columns(scores, "scores")
    n_queries, n_systems = columns.values.shape
    if n_systems < 2:  # noqa: PLR2004
        raise InputError(f"all pairs need 2 systems or more, got {n_systems}")
    missing = np.argwhere(~columns.inside)
    if missing.size:
        row, column = missing[0].tolist()
        raise InputError(
            f"scores: system {column} has no value for query {row}; "
            "all pairs are compared on the queries that every system has"
        )
    difference = columns.mean[:, np.newaxis] - columns.mean
    distance = np.abs(difference)
    # Means that tie up to rounding must count every shuffle, also where all ranges are 0.
    distance = distance - TIE_TOLERANCE * np.abs(columns.values).max(initial=0.0)
    if n_queries > MAX_SHUFFLED_QUERIES:
        # np.var of equal scores is not exactly 0, and identical systems have no deviation.
        alike = np.ptp(columns.values, axis=1) == 0.0
        within = np.where(alike, 0.0, np.var(columns.values, axis=1, ddof=1)).sum()
        pvalue, half_width = _normal_ranges(distance, math.sqrt(within) / n_queries, level)
        # The normal tail is not to be trusted beyond what the shuffles it stands for could say.
        pvalue = np.maximum(pvalue, 1.0 / (n_resamples + 1.0))
    else:
        ranges = np.empty(n_resamples)
        for batch, sums in sampled_shuffles(columns.values, n_resamples, rng):
            ranges[batch] = np.ptp(sums, axis=1) / n_queries
        pvalue, half_width = _counted_ranges(distance, ranges, level)
    return AllPairsResult(n_queries, difference, pvalue, half_width, level)


def _counted_ranges(
    distance: FloatArray, ranges: FloatArray, level: float
) -> tuple[FloatArray, float]:
    ordered = np.sort(ranges)
    extreme = len(ordered) - np.searchsorted(ordered, distance, side="left")
    rank = rejection_rank(level, len(ordered))
    half_width = float(ordered[len(ordered) - rank]) if rank > 0 else float(np.inf)
    return np.divide(extreme + 1.0, len(ordered) + 1.0), half_width


def _normal_ranges(
    distance: FloatArray, deviation: float, level: float
) -> tuple[FloatArray, float]:
    n_systems = len(distance)
    if deviation == 0.0:
        return np.ones_like(distance), 0.0
    pvalue = np.ones_like(distance)
    for pair in zip(*np.triu_indices(n_systems, 1), strict=True):
        width = max(float(distance[pair]) / deviation, 0.0)
        pvalue[pair] = pvalue[pair[::-1]] = 1.0 - range_cdf(width, n_systems)
    return pvalue, range_quantile(level, n_systems) * deviation
