"""Quantiles and probabilities; what an interval of a mean needs comes without SciPy.

The import of `scipy.special` costs more than evaluating a small run, that of `scipy.stats` a
second, so the other functions import `scipy.special` at their first call.
"""

from __future__ import annotations

import importlib
import math
from functools import cache
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike

    from ndcg.stats.arrays import FloatArray

__all__ = [
    "beta_quantile",
    "noncentral_t_power",
    "normal_cdf",
    "normal_quantile",
    "range_cdf",
    "range_quantile",
    "t_cdf",
    "t_quantile",
]

N_NODES = 256
REACH = 8.0
# The error of a step is about its square, so the step after this one would change nothing.
SMALL_T = 0.1
SMALL_STEP = 1e-9
MAX_STEPS = 60


def _special(name: str, *arguments: ArrayLike) -> FloatArray:
    function: Any = getattr(importlib.import_module("scipy.special"), name)
    return np.asarray(function(*arguments), dtype=np.float64)


def _each(function: Callable[..., float], *arguments: ArrayLike) -> FloatArray:
    return np.asarray(np.vectorize(function, otypes=[np.float64])(*arguments))


def normal_cdf(z: ArrayLike) -> FloatArray:
    """Probability of a standard normal value up to `z`."""
    return _each(lambda one: math.erfc(-one / math.sqrt(2.0)) / 2.0, z)


def normal_quantile(share: ArrayLike) -> FloatArray:
    """Standard normal value below which `share` lies, which is more than 0 and less than 1."""
    return _each(NormalDist().inv_cdf, share)


def t_cdf(t: ArrayLike, degrees: ArrayLike) -> FloatArray:
    """Probability of a Student t value up to `t`."""
    return _special("stdtr", degrees, t)


def t_quantile(share: ArrayLike, degrees: ArrayLike) -> FloatArray:
    """Student t value below which `share` lies, for whole degrees.

    >>> t_quantile(0.975, [1, 10, 299]).round(4).tolist()
    [12.7062, 2.2281, 1.9679]
    """
    return _each(_t_quantile, share, degrees)


def _t_quantile(share: float, degrees: int) -> float:
    within = abs(2.0 * share - 1.0)
    scale = math.exp(math.lgamma((degrees + 1) / 2.0) - math.lgamma(degrees / 2.0))
    scale *= 2.0 / math.sqrt(degrees * math.pi)
    # Between 0 and t lies a concave function of t, so Newton's steps from below stay below.
    t, step = NormalDist().inv_cdf((1.0 + within) / 2.0), math.inf
    for _ in range(MAX_STEPS):
        density = scale * math.exp(-(degrees + 1) / 2.0 * math.log1p(t * t / degrees))
        step = (within - _t_within(t, degrees)) / density
        t += step
        if abs(step) <= SMALL_STEP * t:
            break
    return math.copysign(t, share - 0.5)


def _t_within(t: float, degrees: int) -> float:
    """Probability of a Student t value from -t to t: Abramowitz & Stegun (1964), 26.7.3-4."""
    cosine2 = degrees / (degrees + t * t)
    sine = math.sqrt(1.0 - cosine2)
    if t < SMALL_T:
        # There 1 less the square has few digits left.
        sine = t / math.sqrt(degrees + t * t)
    odd = degrees % 2
    k = np.arange(1, (degrees - odd) // 2)
    factors = cosine2 * (2 * k - 1 + odd) / (2 * k + odd)
    series = sine * (1.0 + float(np.cumprod(factors).sum()))
    if not odd:
        return series
    rest = series * math.sqrt(cosine2) if degrees > 1 else 0.0
    return 2.0 / math.pi * (math.atan(t / math.sqrt(degrees)) + rest)


def beta_quantile(share: float, a: float, b: float) -> float:
    """Value below which `share` of a Beta(a, b) distribution lies."""
    return float(_special("betaincinv", a, b, share))


@cache
def _normal_nodes() -> tuple[FloatArray, FloatArray]:
    """Gauss-Legendre nodes within 8 standard deviations, weighted by the normal density."""
    nodes, weights = np.polynomial.legendre.leggauss(N_NODES)
    z = REACH * nodes
    return z, REACH * weights * np.exp(-z * z / 2.0) / np.sqrt(2.0 * np.pi)


@cache
def _spreads(degrees: int) -> FloatArray:
    """Return the root of a chi-square over its degrees, at the quantile of each normal node."""
    # In quantiles the integrand is smooth; over the chi-square itself few degrees have a cusp.
    z, _ = _normal_nodes()
    return np.sqrt(_special("gammaincinv", degrees / 2.0, normal_cdf(z)) * 2.0 / degrees)


def noncentral_t_power(shift: float, critical: float, degrees: int) -> float:
    """Probability that a noncentral t value exceeds `critical`.

    T = (Z + shift) / S with S the root of a chi-square over its degrees, so the probability is the
    mean of P(Z > critical S - shift) over S, here by quadrature over the quantiles of S.
    `scipy.special.nctdtr` does the same but is NaN far out (SciPy 1.17.1) or off by 1e-5 (1.14).

    >>> round(noncentral_t_power(shift=2.8, critical=1.96, degrees=10_000), 3)
    0.8
    """
    _, weights = _normal_nodes()
    return float(weights @ normal_cdf(shift - critical * _spreads(degrees)))


def range_cdf(width: float, n_values: int) -> float:
    """Probability that `n_values` standard normal values span at most `width`.

    Tippett (1925), Biometrika 17: k times the integral of phi(z) (Phi(z) - Phi(z - w))^(k - 1).

    >>> round(range_cdf(3.633, 4), 3)  # the 5 % point of tables of the studentised range
    0.95
    """
    z, weights = _normal_nodes()
    within = normal_cdf(z) - normal_cdf(z - width)
    return float(n_values * (weights @ within ** (n_values - 1)))


def range_quantile(share: float, n_values: int) -> float:
    """Width that `share` of samples of `n_values` standard normal values keep within."""
    low, high = 0.0, 20.0
    while high - low > 1e-9:  # noqa: PLR2004
        middle = (low + high) / 2.0
        low, high = (middle, high) if range_cdf(middle, n_values) < share else (low, middle)
    return (low + high) / 2.0
