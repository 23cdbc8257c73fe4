"""Intervals that hold for any values between two bounds, however few or alike they are."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ndcg.errors import InputError, OptionError
from ndcg.stats.distributions import beta_quantile
from ndcg.stats.options import check_alternative, check_share, tail_share

if TYPE_CHECKING:
    from collections.abc import Callable

    from ndcg.stats.options import Alternative

__all__ = ["Interval", "chernoff_interval", "clopper_pearson"]

Bounds = tuple[float, float]


@dataclass(frozen=True)
class Interval:
    """A confidence interval, and the method that could give one.

    Parameters
    ----------
    low, high : float
        The ends; with one-sided alternatives one of them is the bound of the measure, or infinite.
    level : float
        The confidence level, such as 0.95.
    method : str
        ``"expanded"``, ``"bca"``, ``"percentile"``, ``"t"``, ``"bootstrap-t"``,
        ``"randomisation"``, ``"clopper-pearson"``, ``"chernoff"`` or ``"identical"``.
    n_queries : int
        How many queries it rests on.
    alternative : {"two-sided", "less", "greater"}
        ``"greater"``: only `low` bounds, as for the claim that the mean is greater.
    """

    low: float
    high: float
    level: float
    method: str
    n_queries: int
    alternative: Alternative = "two-sided"

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high


def _check_count(n_queries: int) -> None:
    if n_queries < 1:
        raise InputError(f"an interval needs at least one query, got {n_queries}")


def clopper_pearson(
    successes: int,
    n_queries: int,
    *,
    level: float = 0.95,
    alternative: Alternative = "two-sided",
    bounds: Bounds = (0.0, 1.0),
) -> Interval:
    """Exact interval for a mean of values that are each one of two bounds.

    Clopper & Pearson (1934), Biometrika 26: the proportions under which as many successes, or as
    few, are not too rare; from the quantiles of the beta distribution.

    Parameters
    ----------
    successes : int
        How many values are the upper bound.
    n_queries : int
        How many values there are.
    level : float
        The confidence level; the interval holds at least as often.
    alternative : {"two-sided", "less", "greater"}
        Which ends to bound.
    bounds : pair of float
        The two values.

    Returns
    -------
    Interval
        Never a single point.

    Raises
    ------
    InputError
        Unless 0 <= successes <= n_queries and n_queries >= 1.

    Examples
    --------
    >>> interval = clopper_pearson(10, 10)
    >>> round(interval.low, 3), interval.high
    (0.692, 1.0)
    """
    check_share("level", level)
    check_alternative(alternative)
    _check_count(n_queries)
    if not 0 <= successes <= n_queries:
        raise InputError(f"successes must be 0 to {n_queries} (n_queries), got {successes}")
    tail = tail_share(level, alternative)
    low, high = 0.0, 1.0
    # The beta quantiles need at least one success below and one failure above.
    if alternative != "less" and successes > 0:
        low = beta_quantile(tail, successes, n_queries - successes + 1)
    if alternative != "greater" and successes < n_queries:
        high = beta_quantile(1.0 - tail, successes + 1, n_queries - successes)
    return _scaled(low, high, level, "clopper-pearson", n_queries, alternative, bounds)


def chernoff_interval(
    mean: float,
    n_queries: int,
    *,
    level: float = 0.95,
    alternative: Alternative = "two-sided",
    bounds: Bounds = (0.0, 1.0),
) -> Interval:
    """Interval for a mean that holds for any values between the bounds, known by their mean alone.

    The true means m with n KL(mean, m) <= ln(1 / tail), where KL is the divergence of two coins:
    Hoeffding (1963), JASA 58, theorem 1, equation 2.1. For values that are all at a bound it
    equals Clopper-Pearson; elsewhere it is wider, as it must allow for the most spread values.

    Parameters
    ----------
    mean : float
        The observed mean.
    n_queries : int
        How many values it averages.
    level : float
        The confidence level; the interval holds at least as often.
    alternative : {"two-sided", "less", "greater"}
        Which ends to bound.
    bounds : pair of float
        The least and the greatest possible value.

    Returns
    -------
    Interval
        Never a single point.

    Raises
    ------
    InputError
        When the mean is outside the bounds or there is no query.

    Examples
    --------
    >>> interval = chernoff_interval(1.0, 10)
    >>> round(interval.low, 3), interval.high
    (0.692, 1.0)
    """
    check_share("level", level)
    check_alternative(alternative)
    _check_count(n_queries)
    share = _share_of(mean, bounds)
    reach = -math.log(tail_share(level, alternative)) / n_queries
    low, high = 0.0, 1.0
    if alternative != "less" and share > 0.0:
        low = _boundary(lambda m: _divergence(share, m) > reach, 0.0, share)
    if alternative != "greater" and share < 1.0:
        high = _boundary(lambda m: _divergence(share, m) > reach, 1.0, share)
    return _scaled(low, high, level, "chernoff", n_queries, alternative, bounds)


def _share_of(mean: float, bounds: Bounds) -> float:
    low, high = bounds
    if not low < high:
        raise OptionError(f"bounds must be a lower and a higher number, got {bounds!r}")
    if not low <= mean <= high:
        raise InputError(f"a mean of {mean!r} is outside its bounds {low:g} to {high:g}")
    return (mean - low) / (high - low)


def _divergence(share: float, other: float) -> float:
    """Kullback-Leibler divergence of a coin with probability `other` from one with `share`."""
    total = 0.0
    # 0 log 0 is 0: a side that was never seen adds nothing.
    for p, q in ((share, other), (1.0 - share, 1.0 - other)):
        if p > 0.0:
            total += p * math.log(p / q) if q > 0.0 else math.inf
    return total


def _boundary(outside: Callable[[float], bool], far: float, near: float) -> float:
    """Bisect to the outermost point that is not outside, from `near` towards `far`."""
    # 60 halvings of at most 1 leave less than a float can tell.
    for _ in range(60):
        middle = (far + near) / 2.0
        far, near = (middle, near) if outside(middle) else (far, middle)
    return near


def _scaled(
    low: float,
    high: float,
    level: float,
    method: str,
    n_queries: int,
    alternative: Alternative,
    bounds: Bounds,
) -> Interval:
    bottom, width = bounds[0], bounds[1] - bounds[0]
    return Interval(
        bottom + low * width, bottom + high * width, level, method, n_queries, alternative
    )
