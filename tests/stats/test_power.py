"""Power, sample size and detectable effect, against published and other programs' values."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from ndcg.errors import InputError, OptionError
from ndcg.stats import (
    detectable_effect,
    difference_sd_bound,
    paired_power,
    required_queries,
    score_sd_bound,
)
from ndcg.stats.distributions import noncentral_t_power
from ndcg.stats.options import Alternative

# statsmodels 0.15.0 (SciPy 1.17.1), TTestPower().power(d_z, n, 0.05): two-sided, "larger"
STATSMODELS_POWER = [
    (0.2, 50, 0.28359241, 0.40122150),
    (0.5, 34, 0.80777750, 0.88686531),
    (0.8, 15, 0.82131053, 0.90297615),
    (0.1, 300, 0.40780935, 0.53318432),
    (0.5, 5, 0.14051669, 0.23899517),
]

# The same, .solve_power(nobs=n, alpha=0.05, power=0.8): two-sided, "larger"; its root search stops
# some 1e-5 short.
STATSMODELS_DETECTABLE = [
    (10, 0.99600193, 0.85283915),
    (50, 0.40418301, 0.35659966),
    (300, 0.16227122, 0.14388263),
    (6980, 0.03353790, 0.02976455),
]

# pwr.t.test(d=0.5, sig.level=0.05, power=0.8, type="paired") of R's pwr prints n = 33.36713;
# statsmodels 0.15.0 gives 198.15, 33.37 and 14.30 pairs.
PUBLISHED_QUERIES = [(0.2, 199), (0.5, 34), (0.8, 15)]


@pytest.mark.parametrize(("effect", "n_queries", "both", "one"), STATSMODELS_POWER)
def test_power_is_statsmodels(effect: float, n_queries: int, both: float, one: float) -> None:
    assert paired_power(effect, 1.0, n_queries) == pytest.approx(both, abs=1e-6)
    assert paired_power(effect, 1.0, n_queries, alternative="greater") == pytest.approx(
        one, abs=1e-6
    )
    assert paired_power(-effect, 1.0, n_queries, alternative="less") == pytest.approx(one, abs=1e-6)


@pytest.mark.parametrize(("n_queries", "both", "one"), STATSMODELS_DETECTABLE)
@pytest.mark.parametrize("side", ["less", "greater"])
def test_the_detectable_effect_is_statsmodels(
    n_queries: int, both: float, one: float, side: Alternative
) -> None:
    assert detectable_effect(n_queries, 1.0) == pytest.approx(both, rel=3e-5)
    assert detectable_effect(n_queries, 1.0, alternative=side) == pytest.approx(one, rel=3e-5)


@pytest.mark.parametrize(("effect", "n_queries"), PUBLISHED_QUERIES)
def test_required_queries_are_the_published_ones(effect: float, n_queries: int) -> None:
    assert required_queries(effect, 1.0) == n_queries


def test_the_hand_form_is_near() -> None:
    # methods.md: n = ((1.96 + 0.84) s / d)^2 + 1.96^2 / 2, and MDE = 2.80 s / sqrt(n).
    hand = ((1.959964 + 0.841621) * 0.25 / 0.02) ** 2 + 1.959964**2 / 2
    assert required_queries(0.02, 0.25) == pytest.approx(hand, abs=1)
    assert detectable_effect(400, 0.2) == pytest.approx(2.80 * 0.2 / 20, rel=0.005)


def test_300_to_500_queries_detect_2_to_3_points_at_typical_spread() -> None:
    found = [detectable_effect(300, 0.18), detectable_effect(500, 0.18)]
    assert found == pytest.approx([0.029, 0.0226], abs=0.0005)


@pytest.mark.parametrize("n_queries", [2, 3, 10, 100, 7000, 1_000_000])
@pytest.mark.parametrize("shift", [0.1, 1.0, 2.8, 6.0])
def test_the_noncentral_t_is_scipys(n_queries: int, shift: float) -> None:
    critical = float(stats.t.ppf(0.975, n_queries - 1))
    expected = stats.nct.sf(critical, n_queries - 1, shift)
    assert noncentral_t_power(shift, critical, n_queries - 1) == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("shift", [-40.0, 40.0, 300.0])
@pytest.mark.parametrize("degrees", [1, 9, 33, 10_000])
def test_the_noncentral_t_is_a_number_far_out(shift: float, degrees: int) -> None:
    assert 0.0 <= noncentral_t_power(shift, 2.0, degrees) <= 1.0


def test_power_agrees_with_simulation() -> None:
    rng = np.random.default_rng(1)
    samples = rng.normal(0.5, 1.0, size=(20_000, 20))
    rejected = stats.ttest_1samp(samples, 0.0, axis=1).pvalue <= 0.05
    # 20,000 samples: 4 standard errors are 0.014.
    assert paired_power(0.5, 1.0, 20) == pytest.approx(rejected.mean(), abs=0.014)


@settings(max_examples=40, deadline=None)
@given(st.floats(0.01, 3.0), st.floats(0.01, 0.2), st.floats(0.5, 0.95))
def test_one_query_fewer_has_too_little_power(effect: float, alpha: float, power: float) -> None:
    n_queries = required_queries(effect, 1.0, alpha=alpha, power=power)
    assert paired_power(effect, 1.0, n_queries, alpha=alpha) >= power
    if n_queries > 2:
        assert paired_power(effect, 1.0, n_queries - 1, alpha=alpha) < power


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 5000), st.floats(0.001, 2.0), st.floats(0.3, 0.95))
def test_the_detectable_effect_has_the_power_asked_for(
    n_queries: int, sd: float, power: float
) -> None:
    effect = detectable_effect(n_queries, sd, power=power)
    assert effect is not None
    assert paired_power(effect, sd, n_queries) == pytest.approx(power, abs=1e-6)


def test_the_power_of_no_effect_is_alpha() -> None:
    assert paired_power(0.0, 0.2, 30) == pytest.approx(0.05, abs=1e-9)


def test_identical_systems_have_a_detectable_effect_of_zero() -> None:
    assert detectable_effect(30, 0.0) == 0.0


def test_one_query_detects_nothing() -> None:
    assert detectable_effect(1, 0.2) is None
    with pytest.raises(InputError, match="power needs 2 queries or more, got 1"):
        paired_power(0.1, 0.2, 1)


def test_spread_is_bounded_without_a_pilot() -> None:
    assert score_sd_bound(0.5) == 0.5
    assert score_sd_bound(0.0) == 0.0
    assert score_sd_bound(0.45) == pytest.approx(0.45**0.5 * 0.55**0.5)
    assert difference_sd_bound(0.3) == pytest.approx(2**0.5 * 0.3)


@pytest.mark.parametrize("sd", [0.0, -0.1, float("nan"), float("inf")])
def test_power_needs_some_spread(sd: float) -> None:
    with pytest.raises(InputError, match="a standard deviation above 0 is needed"):
        required_queries(0.02, sd)


@pytest.mark.parametrize("sd", [-0.1, float("nan"), float("inf")])
def test_a_spread_below_zero_is_an_error(sd: float) -> None:
    with pytest.raises(InputError, match="a standard deviation is 0 or more and finite"):
        detectable_effect(30, sd)
    with pytest.raises(InputError, match="a standard deviation is 0 or more and finite"):
        difference_sd_bound(sd)


def test_an_effect_in_the_wrong_direction_is_an_error() -> None:
    with pytest.raises(InputError, match="cannot be found by any number of queries"):
        required_queries(0.02, 0.2, alternative="less")
    with pytest.raises(InputError, match="cannot be found by any number of queries"):
        required_queries(0.0, 0.2)


def test_an_effect_of_nearly_nothing_is_an_error() -> None:
    with pytest.raises(InputError, match="takes more than a billion queries"):
        required_queries(1e-9, 0.2)


def test_a_power_below_alpha_is_an_error() -> None:
    with pytest.raises(OptionError, match=r"power must be above alpha \(0\.05\), got 0\.04"):
        required_queries(0.02, 0.2, power=0.04)
    with pytest.raises(OptionError, match=r"power must be above alpha \(0\.05\), got 0\.05"):
        detectable_effect(30, 0.2, power=0.05)


def test_a_mean_outside_its_bounds_is_an_error() -> None:
    with pytest.raises(InputError, match=r"a mean of 1\.2 is outside its bounds 0 to 1"):
        score_sd_bound(1.2)
