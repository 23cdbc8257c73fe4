"""Quantiles and probabilities from `scipy.special`, which is imported at the first call.

`scipy.stats` has them too, but its import alone costs a second.
"""

from __future__ import annotations

import importlib
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
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


def _special(name: str, *arguments: ArrayLike) -> FloatArray:
    function: Any = getattr(importlib.import_module("scipy.special"), name)
    return np.asarray(function(*arguments), dtype=np.float64)


def normal_cdf(z: ArrayLike) -> FloatArray:
    """Probability of a standard normal value up to `z`."""
    return _special("ndtr", z)


def normal_quantile(share: ArrayLike) -> FloatArray:
    """Standard normal value below which `share` lies."""
    return _special("ndtri", share)


def t_cdf(t: ArrayLike, degrees: ArrayLike) -> FloatArray:
    """Probability of a Student t value up to `t`."""
    return _special("stdtr", degrees, t)


def t_quantile(share: ArrayLike, degrees: ArrayLike) -> FloatArray:
    """Student t value below which `share` lies."""
    return _special("stdtrit", degrees, share)


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
