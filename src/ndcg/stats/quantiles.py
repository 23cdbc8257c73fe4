"""Quantiles of the mean of resampled queries, drawn or from their series, corrected as BCa does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ndcg.stats.arrays import TIE_TOLERANCE
from ndcg.stats.distributions import normal_cdf, normal_quantile
from ndcg.stats.resampling import RandomSource, column_parts, resampled_counts
from ndcg.stats.sums import GroupSums, column_sums

if TYPE_CHECKING:
    from ndcg.stats.arrays import BoolArray, Columns, FloatArray

__all__ = ["needs_resamples", "resampled_ends", "series_ends"]

# Beyond both the series for the resampled mean is nearer than 10,000 resamples are to each other.
MAX_RESAMPLED_QUERIES = 1000
MAX_SERIES_SKEW = 0.2


def needs_resamples(columns: Columns) -> BoolArray:
    """Tell which columns are too short or too skewed for `series_ends`."""
    skew, _ = _shape(columns)
    skewed = np.abs(skew) > MAX_SERIES_SKEW * np.sqrt(columns.n_queries)
    return (columns.n_queries <= MAX_RESAMPLED_QUERIES) | skewed


def series_ends(
    columns: Columns, reach: FloatArray, *, corrected: bool
) -> tuple[FloatArray, FloatArray]:
    """Ends without resampling: the Cornish-Fisher series of the resampled mean.

    Hall (1992), The Bootstrap and Edgeworth Expansion, chapters 2 and 3: the mean of n draws
    has skewness s / sqrt(n) and excess kurtosis k / n, and its median lies s / (6 n) standard
    deviations from its mean, which makes the bias correction equal the acceleration.

    Parameters
    ----------
    columns : Columns
        Values with some spread.
    reach : array, shape (n_columns,)
        Standard normal quantile of the upper end, before correction.
    corrected : bool
        BCa instead of percentile ends.

    Returns
    -------
    tuple of two arrays, shape (n_columns,)
        Lower and upper ends.
    """
    n_queries = columns.n_queries
    skew, kurtosis = _shape(columns)
    acceleration = skew / (6.0 * np.sqrt(n_queries)) if corrected else np.zeros_like(skew)
    deviation = _population_sd(columns) / np.sqrt(n_queries)
    ends = []
    for side in (-reach, reach):
        z = _corrected(side, acceleration, acceleration)
        steps = (
            z
            + skew / np.sqrt(n_queries) * (z**2 - 1.0) / 6.0
            + kurtosis / n_queries * (z**3 - 3.0 * z) / 24.0
            - skew**2 / n_queries * (2.0 * z**3 - 5.0 * z) / 36.0
        )
        ends.append(columns.mean + deviation * steps)
    return ends[0], ends[1]


def resampled_ends(
    columns: Columns,
    reach: FloatArray,
    *,
    corrected: bool,
    n_resamples: int,
    rng: RandomSource,
) -> tuple[FloatArray, FloatArray]:
    """Ends read off the resampled means; parameters and result as for `series_ends`.

    A resample that holds none of a column's queries says nothing and counts as its mean.
    """
    low, high = np.empty(columns.n_columns), np.empty(columns.n_columns)
    for positions, part, seed in column_parts(columns, rng):
        shifts = np.empty((n_resamples, part.n_columns))
        sums_of = GroupSums(part, part.deviations)
        for batch, counts in resampled_counts(part.values.shape[0], n_resamples, seed):
            (sums,), totals = sums_of(counts)
            shifts[batch] = sums / np.maximum(totals, 1.0)
        skew, _ = _shape(part)
        acceleration = skew / (6.0 * np.sqrt(part.n_queries)) if corrected else np.zeros_like(skew)
        bias = _bias(shifts, part) if corrected else np.zeros_like(skew)
        shifts.sort(axis=0)
        for ends, side in ((low, -reach), (high, reach)):
            shares = normal_cdf(_corrected(side[positions], bias, acceleration))
            ends[positions] = part.mean + _interpolated(shifts, shares)
    return low, high


def _shape(columns: Columns) -> tuple[FloatArray, FloatArray]:
    """Skewness and excess kurtosis of each column, 0.0 without spread."""
    scale = np.where(columns.alike, 1.0, _population_sd(columns))
    scaled = np.where(columns.alike, 0.0, columns.deviations / scale)
    skew = column_sums(scaled**3) / columns.n_queries
    kurtosis = column_sums(scaled**4) / columns.n_queries - 3.0
    return skew, np.where(columns.alike, 0.0, kurtosis)


def _population_sd(columns: Columns) -> FloatArray:
    factor: FloatArray = np.sqrt((columns.n_queries - 1) / columns.n_queries)
    return columns.sd * factor


def _bias(shifts: FloatArray, columns: Columns) -> FloatArray:
    """Normal quantile of the share of resampled means below the mean, ties half."""
    slack = TIE_TOLERANCE * columns.sd
    below = np.count_nonzero(shifts < -slack, axis=0)
    tied = np.count_nonzero(np.abs(shifts) <= slack, axis=0)
    n_resamples = len(shifts)
    # Half a resample from 0 and 1, whose quantiles are infinite.
    share = np.clip((below + tied / 2.0) / n_resamples, 0.5 / n_resamples, 1.0 - 0.5 / n_resamples)
    return normal_quantile(share)


def _corrected(z: FloatArray, bias: FloatArray, acceleration: FloatArray) -> FloatArray:
    """Efron's correction of a normal quantile (JASA 1987)."""
    moved = bias + z
    # Past the pole of the correction no resample is far enough out.
    denominator = 1.0 - acceleration * moved
    safe = np.where(denominator > 0.0, denominator, 1.0)
    return np.where(denominator > 0.0, bias + moved / safe, np.copysign(np.inf, moved))


def _interpolated(ordered: FloatArray, shares: FloatArray) -> FloatArray:
    """Quantiles of sorted columns, one share a column, linear between neighbours."""
    place = shares * (len(ordered) - 1)
    below = np.floor(place).astype(np.int64)
    above = np.minimum(below + 1, len(ordered) - 1)
    column = np.arange(ordered.shape[1])
    first = ordered[below, column]
    value: FloatArray = first + (place - below) * (ordered[above, column] - first)
    return value
