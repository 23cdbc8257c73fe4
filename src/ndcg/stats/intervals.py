"""Confidence intervals of means of per-query values, many columns at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from ndcg.errors import InputError, OptionError, check_choice
from ndcg.stats.arrays import RELATIVE_TOLERANCE, Columns, as_columns
from ndcg.stats.bounded import Bounds, Interval, chernoff_interval, clopper_pearson
from ndcg.stats.distributions import normal_cdf, normal_quantile, t_quantile
from ndcg.stats.options import (
    Alternative,
    check_alternative,
    check_n_resamples,
    check_share,
    tail_share,
)
from ndcg.stats.resampling import GroupSums, RandomSource, column_parts, resampled_counts

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ndcg.stats.arrays import BoolArray, FloatArray, IntArray

__all__ = ["IntervalMethod", "mean_intervals"]

IntervalMethod = Literal["expanded", "bca", "percentile", "t"]

# With fewer values apart from the commonest one a resample shows too little of what a new set of
# queries could bring: at 95 % ones and n = 50 BCa covers 82 %, with this rule it covers 95 % or more.
MIN_APART = 6

# Where the series for the resampled mean errs by less than 10,000 resamples do.
MAX_RESAMPLED_QUERIES = 1000
MAX_SERIES_SKEW = 0.2


def mean_intervals(
    values: ArrayLike,
    *,
    bounds: Bounds | None = (0.0, 1.0),
    level: float = 0.95,
    alternative: Alternative = "two-sided",
    method: IntervalMethod = "expanded",
    n_resamples: int = 10_000,
    rng: RandomSource = None,
) -> tuple[Interval | None, ...]:
    """Confidence interval of the mean of each column, by resampling queries.

    Parameters
    ----------
    values : array_like, shape (n_queries,) or (n_queries, n_columns)
        Per-query values; NaN marks a query outside a column, such as a slice.
    bounds : pair of float or None
        The least and greatest value of the measure; None for one without an upper end, such as DCG.
    level : float
        The confidence level.
    alternative : {"two-sided", "less", "greater"}
        ``"greater"`` bounds the mean from below only, ``"less"`` from above only.
    method : {"expanded", "bca", "percentile", "t"}
        See below.
    n_resamples : int
        How many times the queries are drawn.
    rng : int, Generator or None
        Same seed, same digits, whatever the batches and threads; None draws a fresh seed.

    Returns
    -------
    tuple of Interval or None, one per column
        None where nothing supports an interval: one query, or all values alike without `bounds`.

    Raises
    ------
    InputError
        For values that are no columns (see `as_columns`) or lie outside `bounds`.
    OptionError
        For an unknown method or alternative, or a level outside 0..1.

    Notes
    -----
    All columns share the same resamples of the whole query set. ``"percentile"`` reads the ends off
    the resampled means; ``"bca"`` corrects their bias and skewness (Efron, JASA 1987);
    ``"expanded"``, the default, is BCa at Student's quantiles times sqrt(n / (n - 1)) (Hesterberg,
    The American Statistician 2015, section 5.3), as resamples vary too little by that factor;
    ``"t"`` is Student's. On nDCG@10-like values, n = 50, the default covers 94.6-96 % where the
    percentile interval covers 92-94.4 % and Student's 91-95 %.

    Above 1,000 queries and for moderate skewness the quantiles of the resampled mean are not drawn
    but taken from their Cornish-Fisher series (Hall, 1992, The Bootstrap and Edgeworth Expansion,
    section 2.5), which agrees with 10,000 resamples to less than these agree with each other.

    Two kinds of columns get an interval that holds whatever the values (given `bounds`): values
    all at a bound are a proportion, `clopper_pearson`; fewer than 6 values apart from the commonest
    one, `chernoff_interval`.

    References
    ----------
    Efron (1987), Better bootstrap confidence intervals, JASA 82.
    Hesterberg (2015), What teachers should know about the bootstrap, The American Statistician 69.

    Examples
    --------
    Ten perfect queries do not prove a perfect system:

    >>> (interval,) = mean_intervals([1.0] * 10)
    >>> round(interval.low, 3), interval.high, interval.method
    (0.692, 1.0, 'clopper-pearson')
    >>> mean_intervals([0.5])
    (None,)
    """
    check_share("level", level)
    check_alternative(alternative)
    check_choice("method", method, get_args(IntervalMethod))
    check_n_resamples(n_resamples)
    columns = as_columns(values)
    _check_bounds(columns, bounds)
    found = [_special_interval(columns, i, bounds, level, alternative) for i in range(columns.n_columns)]
    plan = _Plan(level, alternative, method, n_resamples)
    open_columns = np.array([i for i, (settled, _) in enumerate(found) if not settled], dtype=np.int64)
    intervals = [interval for _, interval in found]
    low, high = plan.ends(columns.take(open_columns), rng)
    least, greatest = bounds or (-np.inf, np.inf)
    for i, bottom, top in zip(open_columns, low, high, strict=True):
        intervals[i] = Interval(
            max(float(bottom), least) if alternative != "less" else least,
            min(float(top), greatest) if alternative != "greater" else greatest,
            level,
            method,
            int(columns.n_queries[i]),
            alternative,
        )
    return tuple(intervals)


def _check_bounds(columns: Columns, bounds: Bounds | None) -> None:
    if bounds is None:
        return
    low, high = bounds
    if not low < high:
        raise OptionError(f"bounds must be a lower and a higher number, got {bounds!r}")
    outside = np.argwhere(columns.inside & ((columns.values < low) | (columns.values > high)))
    if outside.size:
        row, column = outside[0].tolist()
        raise InputError(
            f"values: query {row} of column {column} has {columns.values[row, column]!r}, "
            f"outside {low:g} to {high:g}; give the measure's bounds, or None if it has none"
        )
