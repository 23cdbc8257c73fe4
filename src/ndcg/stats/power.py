"""How many queries show a difference, and which difference a number of queries can show."""

from __future__ import annotations

import math
from functools import lru_cache

from ndcg.errors import InputError, OptionError
from ndcg.stats.distributions import noncentral_t_power, normal_quantile, t_quantile
from ndcg.stats.options import Alternative, check_alternative, check_share, tail_share

__all__ = [
    "detectable_effect",
    "difference_sd_bound",
    "paired_power",
    "required_queries",
    "score_sd_bound",
]

# Nobody judges more queries; beyond, the effect asked for is a typing error.
MAX_QUERIES = 1_000_000_000


def paired_power(
    effect: float,
    sd: float,
    n_queries: int,
    *,
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
) -> float:
    """Probability that a paired t-test finds a true mean difference.

    From the noncentral t distribution with n - 1 degrees of freedom and shift effect sqrt(n) / sd;
    Sakai (Information Retrieval Journal 2016).

    Parameters
    ----------
    effect : float
        The true mean difference.
    sd : float
        Standard deviation of the per-query differences.
    n_queries : int
        How many queries, 2 or more.
    alpha : float
        The level of the test.
    alternative : {"two-sided", "less", "greater"}
        The side or sides of the test.

    Returns
    -------
    float
        `alpha` for an effect of 0.

    Raises
    ------
    InputError
        For a standard deviation that is not above 0, or fewer than 2 queries.
    OptionError
        For an unknown alternative, or an alpha outside 0..1.

    Examples
    --------
    Fifty queries, a usual TREC track, miss a true difference of 0.02 more often than not:

    >>> round(paired_power(0.02, 0.1, 50), 2)
    0.28
    """
    check_share("alpha", alpha)
    check_alternative(alternative)
    _check_sd(sd)
    if n_queries < 2:  # noqa: PLR2004
        raise InputError(f"power needs 2 queries or more, got {n_queries}")
    shift = effect / sd * math.sqrt(n_queries)
    return _power(shift, n_queries, alpha, alternative)


def required_queries(
    effect: float,
    sd: float,
    *,
    alpha: float = 0.05,
    power: float = 0.8,
    alternative: Alternative = "two-sided",
) -> int:
    """Return the least number of queries that shows a true mean difference with this power.

    Searched from the noncentral t around the hand form n = ((z_(1 - alpha / 2) + z_power) sd /
    effect)^2 + z^2 / 2 (Sakai, Information Retrieval Journal 2016).

    Parameters
    ----------
    effect : float
        The true mean difference to find, not 0.
    sd : float
        Standard deviation of the per-query differences.
    alpha : float
        The level of the test.
    power : float
        The probability of finding the difference.
    alternative : {"two-sided", "less", "greater"}
        The side or sides of the test.

    Returns
    -------
    int
        2 or more.

    Raises
    ------
    InputError
        For a standard deviation that is not above 0, or an effect that no billion queries show.
    OptionError
        For an unknown alternative, an alpha or power outside 0..1, or a power below alpha.

    Examples
    --------
    >>> required_queries(0.02, 0.2), required_queries(0.03, 0.2)
    (787, 351)
    """
    check_share("alpha", alpha)
    check_share("power", power)
    check_alternative(alternative)
    _check_sd(sd)
    if power <= alpha:
        raise OptionError(f"power must be above alpha ({alpha:g}), got {power:g}")
    found = effect if alternative == "greater" else -effect
    if effect == 0.0 or (alternative != "two-sided" and found < 0.0):
        raise InputError(
            f"an effect of {effect!r} with alternative {alternative!r} cannot be found by any "
            "number of queries; give the difference that matters"
        )
    z = float(normal_quantile(1.0 - tail_share(1.0 - alpha, alternative)))
    reach = (z + float(normal_quantile(power))) * sd / abs(effect)
    guess = reach * reach + z * z / 2.0
    if not guess < MAX_QUERIES:
        raise InputError(
            f"an effect of {effect!r} at a standard deviation of {sd!r} takes more than a billion "
            "queries; give a larger effect"
        )

    def shown(n_queries: int) -> bool:
        shift = effect / sd * math.sqrt(n_queries)
        return _power(shift, n_queries, alpha, alternative) >= power

    # The hand form is exact to a query or two; widen until it is enough, then halve down.
    low, high = 1, max(2, math.ceil(guess))
    while not shown(high):
        low, high = high, high + max(1, high // 16)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if shown(middle) else (middle, high)
    return high


def detectable_effect(
    n_queries: int,
    sd: float,
    *,
    alpha: float = 0.05,
    power: float = 0.8,
    alternative: Alternative = "two-sided",
) -> float | None:
    """Return the minimum detectable effect: the least true difference found with this power.

    The inverse of `paired_power` in its effect; about 2.80 sd / sqrt(n) by default.

    Parameters
    ----------
    n_queries : int
        How many queries.
    sd : float
        Standard deviation of the per-query differences.
    alpha : float
        The level of the test.
    power : float
        The probability of finding the difference.
    alternative : {"two-sided", "less", "greater"}
        The side or sides of the test.

    Returns
    -------
    float or None
        The size of the effect, without sign; None for fewer than 2 queries, which show nothing.

    Raises
    ------
    InputError
        For a standard deviation below 0.
    OptionError
        For an unknown alternative, an alpha or power outside 0..1, or a power below alpha.

    Examples
    --------
    >>> round(detectable_effect(300, 0.15), 4)
    0.0243
    >>> detectable_effect(1, 0.15) is None
    True
    """
    check_share("alpha", alpha)
    check_share("power", power)
    check_alternative(alternative)
    if power <= alpha:
        raise OptionError(f"power must be above alpha ({alpha:g}), got {power:g}")
    if sd < 0.0 or not math.isfinite(sd):
        raise InputError(f"a standard deviation is 0 or more and finite, got {sd!r}")
    if n_queries < 2:  # noqa: PLR2004
        return None
    sides = "two-sided" if alternative == "two-sided" else "greater"
    return _detectable_shift(n_queries, alpha, power, sides) * sd / math.sqrt(n_queries)


@lru_cache(maxsize=4096)
def _detectable_shift(n_queries: int, alpha: float, power: float, sides: Alternative) -> float:
    low, high = 0.0, 1.0
    while _power(high, n_queries, alpha, sides) < power:
        low, high = high, high * 2.0
    while high - low > 1e-10 * high:
        middle = (low + high) / 2.0
        enough = _power(middle, n_queries, alpha, sides) >= power
        low, high = (low, middle) if enough else (middle, high)
    return high


def _power(shift: float, n_queries: int, alpha: float, alternative: Alternative) -> float:
    degrees = n_queries - 1
    critical = float(t_quantile(1.0 - tail_share(1.0 - alpha, alternative), degrees))
    if alternative == "two-sided":
        # The far tail matters for small effects: without it the power of no effect is alpha / 2.
        above = noncentral_t_power(shift, critical, degrees)
        return above + noncentral_t_power(-shift, critical, degrees)
    return noncentral_t_power(-shift if alternative == "less" else shift, critical, degrees)


def difference_sd_bound(sd: float) -> float:
    """Bound of the standard deviation of paired differences, from one system's scores alone.

    The variance of a difference is at most 2 sd^2 when two systems of the same spread do not
    disagree on which queries are hard, that is when their scores are not negatively correlated.

    Parameters
    ----------
    sd : float
        Standard deviation of the per-query scores of one system.

    Returns
    -------
    float
        sqrt(2) sd.

    Raises
    ------
    InputError
        For a standard deviation below 0.

    Examples
    --------
    >>> round(difference_sd_bound(0.3), 3)
    0.424
    """
    if sd < 0.0 or not math.isfinite(sd):
        raise InputError(f"a standard deviation is 0 or more and finite, got {sd!r}")
    return math.sqrt(2.0) * sd


def score_sd_bound(mean: float, *, bounds: tuple[float, float] = (0.0, 1.0)) -> float:
    """Return the greatest standard deviation of scores with a mean: that of scores at the bounds.

    Bhatia & Davis (2000), American Mathematical Monthly 107: variance <= (high - mean)(mean - low).

    Parameters
    ----------
    mean : float
        The mean of the scores.
    bounds : pair of float
        The least and greatest score.

    Returns
    -------
    float
        0.5 at most for scores from 0 to 1.

    Raises
    ------
    InputError
        For a mean outside the bounds.

    Examples
    --------
    >>> score_sd_bound(0.5)
    0.5
    """
    low, high = bounds
    if not low <= mean <= high:
        raise InputError(f"a mean of {mean!r} is outside its bounds {low:g} to {high:g}")
    return math.sqrt((high - mean) * (mean - low))


def _check_sd(sd: float) -> None:
    if not 0.0 < sd < math.inf:
        raise InputError(f"a standard deviation above 0 is needed, got {sd!r}")
