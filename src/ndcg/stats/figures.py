"""What a printed mean can support when the per-query scores behind it are not at hand."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from ndcg.errors import InputError
from ndcg.stats.bounded import Interval, chernoff_interval, clopper_pearson
from ndcg.stats.distributions import t_quantile
from ndcg.stats.options import check_share, tail_share
from ndcg.stats.paired import smallest_pvalue
from ndcg.stats.power import MAX_QUERIES, detectable_effect, required_queries, score_sd_bound

__all__ = ["FigureAudit", "FigureComparison", "audit_figure"]

Basis = Literal["exact", "sd", "widest"]

# A printed mean is rounded, so a printed standard deviation may exceed the bound by a little.
PRINTED_SLACK = 1.01


@dataclass(frozen=True)
class FigureComparison:
    """What the difference of two printed means can support.

    Parameters
    ----------
    baseline : float
        The other mean.
    baseline_interval : Interval or None
        What it supports by itself.
    difference : float
        The mean less the baseline.
    sd_bound : float
        Bound of the spread of the per-query differences, for systems whose scores are not
        negatively correlated.
    interval : Interval or None
        Student's interval of the difference at that bound; None for a single query.
    detectable : float or None
        The smallest true difference that this many queries find at that bound; None for a single
        query.
    required : int or None
        Queries that find a true difference of this size at that bound; None where there is no
        difference or a billion would not do.
    best_pvalue : float
        The least p-value of any per-query scores with these means.
    could_be_significant : bool
        Whether any per-query scores with these means reach the level.
    """

    baseline: float
    baseline_interval: Interval | None
    difference: float
    sd_bound: float
    interval: Interval | None
    detectable: float | None
    required: int | None
    best_pvalue: float
    could_be_significant: bool


@dataclass(frozen=True)
class FigureAudit:
    """What a printed mean can support, by itself and against a baseline.

    Parameters
    ----------
    mean : float
        The figure.
    n_queries : int
        Queries behind it.
    basis : {"exact", "sd", "widest"}
        ``"exact"``: every score is 0 or 1; ``"sd"``: from the standard deviation that was given;
        ``"widest"``: valid whatever the scores from 0 to 1.
    interval : Interval or None
        What the figure supports; None for a single query with a given standard deviation.
    comparison : FigureComparison or None
        None without a baseline.
    """

    mean: float
    n_queries: int
    basis: Basis
    interval: Interval | None
    comparison: FigureComparison | None = None


def audit_figure(
    mean: float,
    n_queries: int,
    *,
    baseline: float | None = None,
    sd: float | None = None,
    binary: bool = False,
    level: float = 0.95,
    power: float = 0.8,
) -> FigureAudit:
    """Interval, detectable difference and best p-value that printed means can support.

    Parameters
    ----------
    mean : float
        The figure, from 0 to 1.
    n_queries : int
        How many queries it averages.
    baseline : float, optional
        A figure on the same queries to compare with.
    sd : float, optional
        Standard deviation of the per-query scores, where it was printed.
    binary : bool
        Every score is 0 or 1, as for success@k; the mean stands for the nearest whole number of
        successes, and `sd` is not needed.
    level : float
        The confidence level; its complement is the level of the tests.
    power : float
        The power of the detectable difference.

    Returns
    -------
    FigureAudit
        With the comparison where there is a baseline.

    Raises
    ------
    InputError
        For means outside 0..1, a standard deviation that such a mean cannot have, or no queries.
    OptionError
        For a level or power outside 0..1.

    Notes
    -----
    One mean: `clopper_pearson` for binary scores, Student's interval for a given `sd`, else
    `chernoff_interval`. A difference: its variance is at most the sum of both variances when the
    systems' scores are not negatively correlated, and a variance is at most mean (1 - mean). The
    best case: binary scores whose k net wins are all that differs have p = 2 / 2^k; graded scores
    may differ on every query the same way, p = 2 / 2^n.

    Examples
    --------
    Five more successes among 300 queries are not significant, whichever queries they are:

    >>> audit = audit_figure(0.45, 300, baseline=130 / 300, binary=True)
    >>> audit.comparison.best_pvalue, audit.comparison.could_be_significant
    (0.0625, False)
    """
    check_share("level", level)
    check_share("power", power)
    if n_queries < 1:
        raise InputError(f"n_queries must be 1 or more, got {n_queries}")
    basis: Basis = "exact" if binary else "widest" if sd is None else "sd"
    spread = _score_sd(mean, n_queries, sd, basis)
    interval = _mean_interval(mean, n_queries, spread, basis, level)
    if baseline is None:
        return FigureAudit(mean, n_queries, basis, interval)
    baseline_spread = _score_sd(baseline, n_queries, sd, basis)
    difference = mean - baseline
    sd_bound = math.hypot(spread, baseline_spread)
    alpha = 1.0 - level
    best_pvalue = float(smallest_pvalue(_n_movable(mean, baseline, n_queries, basis)))
    comparison = FigureComparison(
        baseline,
        _mean_interval(baseline, n_queries, baseline_spread, basis, level),
        difference,
        sd_bound,
        _student(difference, n_queries, sd_bound, level, (-1.0, 1.0)),
        detectable_effect(n_queries, sd_bound, alpha=alpha, power=power),
        _required(difference, sd_bound, alpha, power),
        best_pvalue,
        best_pvalue <= alpha,
    )
    return FigureAudit(mean, n_queries, basis, interval, comparison)


def _score_sd(mean: float, n_queries: int, sd: float | None, basis: Basis) -> float:
    """Return the spread of the scores that was given, or the greatest that the mean allows."""
    bound = score_sd_bound(mean) * math.sqrt(n_queries / max(n_queries - 1, 1))
    if basis != "sd" or sd is None:
        return bound
    if not 0.0 <= sd <= bound * PRINTED_SLACK:
        raise InputError(
            f"scores from 0 to 1 with a mean of {mean:g} have a standard deviation of 0 to "
            f"{bound:.4f}, got {sd!r}; give the per-query spread, not that of the mean"
        )
    return sd


def _mean_interval(
    mean: float, n_queries: int, spread: float, basis: Basis, level: float
) -> Interval | None:
    # A printed mean is rounded, and a count of successes is whole.
    if basis == "exact":
        return clopper_pearson(round(mean * n_queries), n_queries, level=level)
    if basis == "widest":
        return chernoff_interval(mean, n_queries, level=level)
    return _student(mean, n_queries, spread, level, (0.0, 1.0))


def _student(
    mean: float, n_queries: int, spread: float, level: float, bounds: tuple[float, float]
) -> Interval | None:
    if n_queries == 1:
        return None
    quantile = float(t_quantile(1.0 - tail_share(level, "two-sided"), n_queries - 1))
    reach = quantile * spread / math.sqrt(n_queries)
    low, high = max(mean - reach, bounds[0]), min(mean + reach, bounds[1])
    return Interval(low, high, level, "t", n_queries)


def _n_movable(mean: float, baseline: float, n_queries: int, basis: Basis) -> int:
    """How many queries differ in the outcome with the least p-value."""
    # A query that one system wins and the other loses elsewhere only adds noise.
    if basis == "exact":
        return abs(round(mean * n_queries) - round(baseline * n_queries))
    return n_queries if mean != baseline else 0


def _required(difference: float, sd: float, alpha: float, power: float) -> int | None:
    if difference == 0.0 or sd == 0.0 or 4.0 * sd > abs(difference) * math.sqrt(MAX_QUERIES):
        return None
    return required_queries(difference, sd, alpha=alpha, power=power)
