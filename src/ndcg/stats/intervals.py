"""Confidence intervals of means of per-query values, many columns at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from ndcg.errors import InputError, OptionError, check_choice
from ndcg.stats.arrays import RELATIVE_TOLERANCE, Columns, as_columns
from ndcg.stats.bounded import Bounds, Interval, chernoff_interval, clopper_pearson
from ndcg.stats.distributions import normal_quantile, t_quantile
from ndcg.stats.options import (
    Alternative,
    check_alternative,
    check_n_resamples,
    check_share,
    tail_share,
)
from ndcg.stats.quantiles import needs_resamples, resampled_ends, series_ends

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ndcg.stats.arrays import BoolArray, FloatArray, IntArray
    from ndcg.stats.resampling import RandomSource

__all__ = ["IntervalMethod", "mean_intervals"]

IntervalMethod = Literal["expanded", "bca", "percentile", "t"]

# With fewer values apart from the commonest one, resamples show too little of what new queries
# could bring: at 95 % ones and n = 50 BCa covers 82 %.
MIN_APART = 6


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
    ``"expanded"``, the default, is BCa at Student's quantiles times sqrt(n / (n - 1)), as resamples
    vary too little by that factor (Hesterberg, 2015; ``CI.bca(expand=TRUE)`` of R's resample);
    ``"t"`` is Student's. On simulated and resampled real nDCG@10 of 50 queries, from 80 % zeros to
    60 % ones, the default covers 94-96 %, the percentile interval 92-94 % and Student's 91-95 %.

    Above 1,000 queries and for moderate skewness the quantiles of the resampled mean are not drawn
    but taken from their Cornish-Fisher series (Hall, 1992, The Bootstrap and Edgeworth Expansion),
    which is nearer to them than two sets of 10,000 resamples are to each other.

    Two kinds of columns get an interval that holds whatever the values (given `bounds`): values
    all at a bound are a proportion, `clopper_pearson`; fewer than 6 values apart from the commonest
    one, `chernoff_interval`.

    References
    ----------
    Efron (1987), Better bootstrap confidence intervals, JASA 82.
    Hesterberg (2015), What teachers should know about the bootstrap, The American Statistician 69;
    arXiv:1411.5279.

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
    columns = _within(as_columns(values), bounds)
    few = _needs_bounds(columns, bounds)
    low, high = np.zeros(columns.n_columns), np.zeros(columns.n_columns)
    spread = np.flatnonzero(~few)
    if spread.size:
        chosen = columns.take(spread)
        reach = _reach(chosen.n_queries, level, alternative, method)
        low[spread], high[spread] = _ends(chosen, reach, method, n_resamples, rng)
    least, greatest = bounds or (-np.inf, np.inf)
    low = np.maximum(low, least) if alternative != "less" else np.full_like(low, least)
    high = np.minimum(high, greatest) if alternative != "greater" else np.full_like(high, greatest)
    return tuple(
        _bounded_interval(columns, i, bounds, level, alternative)
        if few[i]
        else Interval(
            float(low[i]), float(high[i]), level, method, int(columns.n_queries[i]), alternative
        )
        for i in range(columns.n_columns)
    )


def _within(columns: Columns, bounds: Bounds | None) -> Columns:
    """Return columns whose values keep within the bounds, moving them by rounding at most."""
    if bounds is None:
        return columns
    low, high = bounds
    if not low < high:
        raise OptionError(f"bounds must be a lower and a higher number, got {bounds!r}")
    slack = RELATIVE_TOLERANCE * (high - low)
    values = np.where(columns.inside, columns.values, low)
    outside = np.argwhere((values < low - slack) | (values > high + slack))
    if outside.size:
        row, column = outside[0].tolist()
        raise InputError(
            f"values: query {row} of column {column} has {float(values[row, column])!r}, "
            f"outside {low:g} to {high:g}; give the measure's bounds, or None if it has none"
        )
    values = np.where(values <= low + slack, low, np.where(values >= high - slack, high, values))
    return Columns(np.where(columns.inside, values, 0.0), columns.inside)


def _needs_bounds(columns: Columns, bounds: Bounds | None) -> BoolArray:
    """Tell which columns show too little spread for an interval that rests on it."""
    if bounds is None:
        return columns.alike
    every = map(columns.column, range(columns.n_columns))
    return np.array(
        [_n_apart(column) < MIN_APART or np.isin(column, bounds).all() for column in every],
        dtype=np.bool_,
    )


def _n_apart(column: FloatArray) -> int:
    """Count the values that differ from the commonest one."""
    # A value that more than half of the others share is the median.
    candidates = column if len(column) <= 2 * MIN_APART else [np.median(column)]
    slack = RELATIVE_TOLERANCE * np.abs(column).max()
    return len(column) - max(
        int(np.count_nonzero(np.abs(column - candidate) <= slack)) for candidate in candidates
    )


def _bounded_interval(
    columns: Columns,
    i: int,
    bounds: Bounds | None,
    level: float,
    alternative: Alternative,
) -> Interval | None:
    column = columns.column(i)
    n_queries = len(column)
    if n_queries == 1 or bounds is None:
        return None
    if np.isin(column, bounds).all():
        successes = int(np.count_nonzero(column == bounds[1]))
        return clopper_pearson(
            successes, n_queries, level=level, alternative=alternative, bounds=bounds
        )
    # The mean of equal values may round to just outside their bounds.
    mean = float(np.clip(columns.mean[i], *bounds))
    return chernoff_interval(mean, n_queries, level=level, alternative=alternative, bounds=bounds)


def _reach(
    n_queries: IntArray, level: float, alternative: Alternative, method: IntervalMethod
) -> FloatArray:
    """How many standard errors the interval reaches to a side, before corrections."""
    share = 1.0 - tail_share(level, alternative)
    if method in {"bca", "percentile"}:
        return np.full(n_queries.shape, normal_quantile(share))
    degrees = np.maximum(n_queries - 1, 1)
    student = t_quantile(share, degrees)
    return student if method == "t" else student * np.sqrt((degrees + 1) / degrees)


def _ends(
    columns: Columns,
    reach: FloatArray,
    method: IntervalMethod,
    n_resamples: int,
    rng: RandomSource,
) -> tuple[FloatArray, FloatArray]:
    """Lower and upper ends; of no meaning for columns without spread."""
    error = columns.sd / np.sqrt(columns.n_queries)
    if method == "t":
        return columns.mean - reach * error, columns.mean + reach * error
    corrected = method != "percentile"
    # The series costs nothing, so it is taken for all and replaced where it may not be used.
    low, high = series_ends(columns, reach, corrected=corrected)
    drawn = np.flatnonzero(needs_resamples(columns))
    if drawn.size:
        low[drawn], high[drawn] = resampled_ends(
            columns.take(drawn),
            reach[drawn],
            corrected=corrected,
            n_resamples=n_resamples,
            rng=rng,
        )
    return low, high
