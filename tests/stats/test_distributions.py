"""Quantiles and probabilities against SciPy, which is slower to import than to be right."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import special

from ndcg.stats.distributions import normal_cdf, normal_quantile, t_quantile

DEGREES = [1, 2, 3, 4, 5, 10, 11, 42, 49, 299, 6_979, 69_799, 1_000_000]
SHARES = st.floats(1e-6, 1 - 1e-6)


@pytest.mark.parametrize("degrees", DEGREES)
@pytest.mark.parametrize("share", [0.6, 0.9, 0.95, 0.975, 0.995, 0.9995, 0.025, 0.999999])
def test_students_quantiles_are_scipys(share: float, degrees: int) -> None:
    wanted = float(special.stdtrit(degrees, share))
    # 1 less the share holds 10 digits at 0.999999, and Cauchy's quantile is its inverse.
    assert float(t_quantile(share, degrees)) == pytest.approx(wanted, rel=1e-9)


@example(0.49994905687970626, 6)
@given(SHARES, st.integers(1, 5_000))
def test_students_quantiles_are_scipys_anywhere(share: float, degrees: int) -> None:
    wanted = float(special.stdtrit(degrees, share))
    # Close to the median SciPy 1.17 is off by up to 5e-11 itself.
    assert float(t_quantile(share, degrees)) == pytest.approx(wanted, rel=1e-8, abs=2e-10)


@pytest.mark.parametrize("share", [0.49994905687970626, 0.5000015184224984, 0.5 + 1e-9])
def test_students_quantiles_close_to_the_median_are_the_series(share: float) -> None:
    """Four degrees: the density at 0 is 3/8, so t = x + 5/24 x^3 for x = 8/3 (share - 1/2)."""
    x = (share - 0.5) * 8 / 3
    assert float(t_quantile(share, 4)) == pytest.approx(x + 5 / 24 * x**3, rel=1e-13)


def test_students_median_is_zero() -> None:
    assert t_quantile(0.5, [1, 2, 300]).tolist() == [0.0, 0.0, 0.0]


@given(st.floats(-30, 30))
def test_the_normal_probability_is_scipys(z: float) -> None:
    assert float(normal_cdf(z)) == pytest.approx(float(special.ndtr(z)), rel=1e-12)


@given(st.floats(1e-300, 1 - 1e-16))
def test_the_normal_quantile_is_scipys(share: float) -> None:
    wanted = float(special.ndtri(share))
    assert float(normal_quantile(share)) == pytest.approx(wanted, rel=1e-12, abs=1e-15)


def test_infinite_values_have_all_or_nothing_below() -> None:
    assert normal_cdf(np.array([-np.inf, np.inf])).tolist() == [0.0, 1.0]
