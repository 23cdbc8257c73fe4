"""Paired tests of per-query differences: Student's and the bootstrap's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ndcg.stats.arrays import TIE_TOLERANCE, Columns, as_columns
from ndcg.stats.distributions import t_cdf, t_quantile
from ndcg.stats.options import (
    Alternative,
    check_alternative,
    check_n_resamples,
    check_share,
    tail_share,
)
from ndcg.stats.paired import (
    PairedTestResult,
    interval_columns,
    least_extreme,
    n_differing,
    rejection_rank,
    smallest_pvalue,
    studentised,
    towards,
    unspread_pvalue,
)
from ndcg.stats.resampling import RandomSource, column_parts, resampled_counts
from ndcg.stats.sums import GroupSums

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ndcg.stats.arrays import FloatArray

__all__ = ["paired_bootstrap", "paired_t"]

# A resample of one repeated difference has this much variance from rounding.
VARIANCE_TOLERANCE = 1e-12


def paired_t(
    differences: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    level: float = 0.95,
) -> PairedTestResult:
    """Student's paired t-test of each column of differences.

    t = mean / (sd / sqrt(n)) at n - 1 degrees of freedom; Urbano, Lima & Hanjalic (SIGIR 2019) find
    it among the most accurate of the tests used on retrieval scores.

    Parameters
    ----------
    differences : array_like, shape (n_queries,) or (n_queries, n_columns)
        System less baseline (`paired_differences`); NaN marks a query outside a column.
    alternative : {"two-sided", "less", "greater"}
        ``"greater"``: the mean difference is above 0.
    level : float
        The confidence level of the intervals.

    Returns
    -------
    PairedTestResult
        With intervals mean -+ t sd / sqrt(n).

    Raises
    ------
    InputError
        For differences that are no columns; see `as_columns`.
    OptionError
        For an unknown alternative, or a level outside 0..1.

    Examples
    --------
    Identical systems are not an error:

    >>> result = paired_t([0.0, 0.0, 0.0])
    >>> result.pvalue.tolist(), result.intervals[0].low, result.intervals[0].high
    ([1.0], 0.0, 0.0)
    """
    check_share("level", level)
    check_alternative(alternative)
    columns = as_columns(differences, "differences")
    statistic = studentised(columns)
    degrees = np.maximum(columns.n_queries - 1, 1)
    sides = 2.0 if alternative == "two-sided" else 1.0
    pvalue = sides * t_cdf(-towards(alternative, statistic), degrees)
    error = columns.sd / np.sqrt(columns.n_queries)
    reach = t_quantile(1.0 - tail_share(level, alternative), degrees) * error
    return _result("t", columns, alternative, level, (statistic, pvalue, reach))


def paired_bootstrap(
    differences: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    level: float = 0.95,
    n_resamples: int = 10_000,
    rng: RandomSource = None,
) -> PairedTestResult:
    """Paired bootstrap test of each column of differences, on one set of resampled queries.

    Sakai (SIGIR 2006): the differences less their mean obey the null hypothesis; the
    p-value is the share of their resamples whose t is as extreme as the observed one, counted
    (extreme + 1) / (n_resamples + 1). The interval holds the mean differences that this test does
    not reject (the symmetric bootstrap-t interval), so it and the p-value never disagree. For one
    side half of the extreme resamples count: with few differing queries their own skewness is
    chance, and a test that follows it rejects 12 % of true null hypotheses instead of 5 %.

    Parameters
    ----------
    differences : array_like, shape (n_queries,) or (n_queries, n_columns)
        System less baseline (`paired_differences`); NaN marks a query outside a column.
    alternative : {"two-sided", "less", "greater"}
        ``"greater"``: the mean difference is above 0.
    level : float
        The confidence level of the intervals.
    n_resamples : int
        How many times the queries are drawn.
    rng : int, Generator or None
        Same seed, same digits, whatever the batches and threads; None draws a fresh seed.

    Returns
    -------
    PairedTestResult
        Where all differences are one number other than 0 there is nothing to resample: the
        p-value is `smallest_pvalue`. Where too few queries differ for the resamples to bound the
        mean, the interval is Student's. With fewer than some 20 differing queries the test is
        stricter than its level; `paired_randomisation` keeps it.

    Raises
    ------
    InputError
        For differences that are no columns; see `as_columns`.
    OptionError
        For an unknown alternative, a level outside 0..1 or no resamples.

    Examples
    --------
    >>> result = paired_bootstrap([0.1, 0.0, 0.3, 0.2, -0.1, 0.2, 0.1, 0.3], rng=0)
    >>> 0.0 in result.intervals[0], bool(result.pvalue[0] <= 0.05)
    (False, True)
    """
    check_share("level", level)
    check_alternative(alternative)
    check_n_resamples(n_resamples)
    columns = as_columns(differences, "differences")
    statistic = studentised(columns)
    sides = 1.0 if alternative == "two-sided" else 2.0
    rank = rejection_rank(level, n_resamples, sides=sides)
    observed = np.where(columns.alike, 0.0, np.abs(statistic))
    threshold = least_extreme(observed, observed)
    extreme, reach = np.zeros(columns.n_columns), np.zeros(columns.n_columns)
    for positions, part, seed in column_parts(columns, rng):
        null = np.abs(_null_statistics(part, n_resamples, seed))
        extreme[positions] = np.count_nonzero(null >= threshold[positions], axis=0) / sides
        reach[positions] = _largest(null, rank)
    # On the far side of the alternative the other half of the resamples is as extreme.
    agrees = towards(alternative, statistic) >= 0.0
    extreme = np.where(agrees, extreme, n_resamples - extreme)
    pvalue = (extreme + 1.0) / (n_resamples + 1.0)
    error = columns.sd / np.sqrt(columns.n_queries)
    # Without spread the reach is infinite times an error of 0, which would be NaN.
    reach = np.where(columns.alike, 0.0, reach) * np.where(columns.alike, 1.0, error)
    return _result("bootstrap", columns, alternative, level, (statistic, pvalue, reach))


def _null_statistics(columns: Columns, n_resamples: int, seed: int) -> FloatArray:
    """Student's t of resampled differences less their mean, shape (n_resamples, n_columns).

    A resample without spread has no t of its own. It is measured by the spread of the column where
    that makes it less extreme than what was observed: nineteen losses drawn without the one tie
    are no sign of chance. Otherwise, and with fewer than two of a column's queries, it is infinite:
    it may be as extreme as any.
    """
    typical = columns.sd / np.sqrt(columns.n_queries)
    statistics = np.empty((n_resamples, columns.n_columns))
    sums_of = GroupSums(columns, columns.deviations, columns.deviations**2)
    for batch, counts in resampled_counts(columns.values.shape[0], n_resamples, seed):
        (sums, squares), totals = sums_of(counts)
        # Resamples of the whole query set hold a slice's queries more or less often.
        size = np.maximum(totals, 2.0)
        mean = sums / size
        variance = (squares - sums * mean) / (size - 1.0)
        spread = variance > VARIANCE_TOLERANCE * columns.sd**2
        error = np.sqrt(np.where(spread, variance, 1.0) / size)
        nearer = np.abs(mean) < (1.0 - TIE_TOLERANCE) * np.abs(columns.mean)
        borrowed = np.divide(mean, typical, out=np.zeros_like(mean), where=typical > 0.0)
        unspread = np.where(nearer & (totals > 1.0), borrowed, np.inf)
        statistics[batch] = np.where(spread & (totals > 1.0), mean / error, unspread)
    return statistics


def _largest(null: FloatArray, rank: int) -> FloatArray:
    """Return the value that `rank` resamples reach, infinite where no rank rejects."""
    if rank < 1:
        return np.full(null.shape[1], np.inf)
    place = len(null) - min(rank, len(null))
    largest: FloatArray = np.partition(null, place, axis=0)[place]
    return largest


def _result(
    method: str,
    columns: Columns,
    alternative: Alternative,
    level: float,
    found: tuple[FloatArray, FloatArray, FloatArray],
) -> PairedTestResult:
    statistic, pvalue, reach = found
    differing = n_differing(columns)
    return PairedTestResult(
        method,
        alternative,
        columns.mean,
        statistic,
        np.where(columns.alike, unspread_pvalue(columns, alternative), pvalue),
        interval_columns(
            columns,
            (columns.mean - reach, columns.mean + reach),
            level=level,
            alternative=alternative,
            method="bootstrap-t" if method == "bootstrap" else method,
        ),
        columns.n_queries,
        differing,
        smallest_pvalue(differing, alternative=alternative),
        np.zeros(columns.n_columns, dtype=np.bool_),
    )
