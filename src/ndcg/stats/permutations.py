"""The randomisation test of paired differences: every pattern of signs, or a sample of them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ndcg.stats.arrays import TIE_TOLERANCE, Columns, as_columns
from ndcg.stats.options import Alternative, check_alternative, check_n_resamples, check_share
from ndcg.stats.paired import (
    PairedTestResult,
    interval_columns,
    least_extreme,
    n_differing,
    rejection_rank,
    smallest_pvalue,
    towards,
)
from ndcg.stats.resampling import (
    RandomSource,
    column_parts,
    enumerated_flips,
    sampled_flips,
)
from ndcg.stats.sums import GroupSums

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike

    from ndcg.stats.arrays import FloatArray

__all__ = ["paired_randomisation"]


def paired_randomisation(
    differences: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    level: float = 0.95,
    n_resamples: int = 10_000,
    rng: RandomSource = None,
) -> PairedTestResult:
    """Randomisation (sign-flip) test of each column of differences, on one set of flips.

    Fisher's test as Smucker, Allan & Carterette (CIKM 2007) use it: were the systems alike, each
    difference could as well have the other sign. The p-value is the share of sign patterns whose
    mean is as extreme as the observed one: of all patterns when m queries differ and 2^m is at
    most `n_resamples`, else of a sample, counted (extreme + 1) / (n_resamples + 1).

    Parameters
    ----------
    differences : array_like, shape (n_queries,) or (n_queries, n_columns)
        System less baseline (`paired_differences`); NaN marks a query outside a column.
    alternative : {"two-sided", "less", "greater"}
        ``"greater"``: the mean difference is above 0.
    level : float
        The confidence level of the intervals.
    n_resamples : int
        How many sign patterns are drawn.
    rng : int, Generator or None
        Same seed, same digits, whatever the batches and threads; None draws a fresh seed.

    Returns
    -------
    PairedTestResult
        The intervals hold the shifts that the drawn patterns do not reject.

    Raises
    ------
    InputError
        For differences that are no columns; see `as_columns`.
    OptionError
        For an unknown alternative, a level outside 0..1 or no resamples.

    Notes
    -----
    Let F be the mean of the flipped differences and G that of the others. At a shift x the pattern
    is as extreme as the data exactly when x lies between F and G (one side: beyond F), so the
    interval's ends are order statistics of these means (Hartigan, 1969, JASA 64: typical values).

    Examples
    --------
    Six wins of six are the least that can reach 0.05:

    >>> result = paired_randomisation([0.1, 0.2, 0.1, 0.3, 0.2, 0.1, 0.0])
    >>> result.pvalue.tolist(), result.exact.tolist()
    ([0.03125], [True])
    """
    check_share("level", level)
    check_alternative(alternative)
    check_n_resamples(n_resamples)
    columns = as_columns(differences, "differences")
    low, high = np.empty(columns.n_columns), np.empty(columns.n_columns)
    pvalue = np.empty(columns.n_columns)
    rank = rejection_rank(level, n_resamples)
    for positions, part, seed in column_parts(columns, rng):
        batches = sampled_flips(part.values.shape[0], n_resamples, seed)
        extreme, below, above = _flip(part, alternative, batches, n_resamples)
        pvalue[positions] = (extreme + 1.0) / (n_resamples + 1.0)
        low[positions], high[positions] = _ends(below, above, rank)
    differing = n_differing(columns)
    exact = differing <= math.log2(n_resamples)
    for i in np.flatnonzero(exact).tolist():
        column = columns.column(i)
        # A tie keeps its sum whatever its sign; for the interval, shifted, it is no tie any more.
        pvalue[i], _ = _enumerated(column[column != 0.0], alternative, level)
        if 1 << len(column) <= n_resamples:
            _, (low[i], high[i]) = _enumerated(column, alternative, level)
    return PairedTestResult(
        "randomisation",
        alternative,
        columns.mean,
        columns.mean,
        pvalue,
        interval_columns(
            columns, (low, high), level=level, alternative=alternative, method="randomisation"
        ),
        columns.n_queries,
        differing,
        smallest_pvalue(differing, alternative=alternative),
        exact,
    )


def _flip(
    columns: Columns,
    alternative: Alternative,
    batches: Iterable[tuple[slice, FloatArray]],
    n_patterns: int,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Count the patterns as extreme as the data, and find the shifts from and up to which they are.

    Returns
    -------
    extreme : array, shape (n_columns,)
        How many patterns are as extreme as the data.
    below, above : array, shape (n_patterns, n_columns)
        Each pattern is as extreme as the data at shifts between these (one side: beyond).
    """
    sums_of = GroupSums(columns, columns.values)
    (everything,), _ = sums_of(np.ones((1, columns.values.shape[0])))
    threshold = least_extreme(towards(alternative, everything), np.abs(columns.values).sum(axis=0))
    extreme = np.zeros(columns.n_columns)
    below = np.empty((n_patterns, columns.n_columns))
    above = np.empty_like(below)
    for batch, flips in batches:
        (flipped,), n_flipped = sums_of(flips)
        sums = everything - 2.0 * flipped
        extreme += np.count_nonzero(towards(alternative, sums) >= threshold, axis=0)
        n_kept = columns.n_queries - n_flipped
        mean_flipped = flipped / np.maximum(n_flipped, 1.0)
        mean_kept = (everything - flipped) / np.maximum(n_kept, 1.0)
        # Without a flip, or with flips alone, the pattern is as extreme as the data at any shift.
        fixed = n_flipped == 0.0
        if alternative == "two-sided":
            fixed |= n_kept == 0.0
            below[batch] = np.where(fixed, -np.inf, np.minimum(mean_flipped, mean_kept))
            above[batch] = np.where(fixed, np.inf, np.maximum(mean_flipped, mean_kept))
        else:
            below[batch] = np.where(fixed, -np.inf, mean_flipped)
            above[batch] = np.where(fixed, np.inf, mean_flipped)
    return extreme, below, above


def _ends(below: FloatArray, above: FloatArray, rank: int) -> tuple[FloatArray, FloatArray]:
    """Least and greatest shift at which at least `rank` patterns are as extreme as the data."""
    # So few patterns that none could be rejected: every shift is held.
    if rank < 1:
        unbounded = np.full(below.shape[1], np.inf)
        return -unbounded, unbounded
    place = min(rank, len(below)) - 1
    low: FloatArray = np.partition(below, place, axis=0)[place]
    high: FloatArray = np.partition(above, len(above) - 1 - place, axis=0)[len(above) - 1 - place]
    return low, high


def _enumerated(
    values: FloatArray, alternative: Alternative, level: float
) -> tuple[float, tuple[float, float]]:
    """P-value and interval over all sign patterns."""
    if not values.size:
        return 1.0, (0.0, 0.0)
    flips = enumerated_flips(len(values))
    batch = [(slice(None), flips)]
    extreme, below, above = _flip(as_columns(values), alternative, batch, len(flips))
    # The data are one of the patterns, so the counts need no correction by one.
    rank = int(np.floor((1.0 - level) * len(flips) + TIE_TOLERANCE)) + 1
    low, high = _ends(below, above, rank)
    return float(extreme[0]) / len(flips), (float(low[0]), float(high[0]))
