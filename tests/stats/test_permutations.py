"""The randomisation test: against brute force and SciPy, exact and sampled."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from ndcg.stats import paired_randomisation
from ndcg.stats.options import Alternative


def brute_force(values: list[float], alternative: Alternative, shift: float = 0.0) -> float:
    """Share of all sign patterns of the shifted values as extreme as they are."""
    shifted = [value - shift for value in values]
    observed = sum(shifted)
    slack = 1e-9 * sum(abs(value) for value in shifted)
    extreme = 0
    for signs in itertools.product([1, -1], repeat=len(values)):
        total = sum(sign * value for sign, value in zip(signs, shifted, strict=True))
        extreme += {
            "two-sided": abs(total) >= abs(observed) - slack,
            "less": total <= observed + slack,
            "greater": total >= observed - slack,
        }[alternative]
    return extreme / float(2 ** len(values))


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.sampled_from([0.0, 0.1, 0.2, -0.1, 0.3]) | st.floats(-1, 1), min_size=1, max_size=8
    ),
    st.sampled_from(["two-sided", "less", "greater"]),
)
def test_few_queries_are_enumerated(values: list[float], alternative: Alternative) -> None:
    result = paired_randomisation(values, alternative=alternative, n_resamples=256, rng=0)
    assert result.exact.tolist() == [True]
    assert result.pvalue.tolist() == [brute_force(values, alternative)]


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_exact_p_values_are_scipys(alternative: Alternative) -> None:
    values = np.random.default_rng(3).normal(0.2, 1.0, size=11)
    found = paired_randomisation(values, alternative=alternative)
    expected = stats.permutation_test(
        (values,),
        np.mean,
        permutation_type="samples",
        alternative=alternative,
        n_resamples=np.inf,
    )
    assert found.pvalue[0] == pytest.approx(expected.pvalue, rel=1e-12)


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_sampled_p_values_are_scipys(alternative: Alternative) -> None:
    values = np.random.default_rng(4).normal(0.15, 1.0, size=40)
    found = paired_randomisation(values, alternative=alternative, n_resamples=20_000, rng=0)
    expected = stats.permutation_test(
        (values,),
        lambda x, axis: np.mean(x, axis=axis),
        permutation_type="samples",
        alternative=alternative,
        n_resamples=20_000,
        vectorized=True,
        rng=1,
    )
    assert found.exact.tolist() == [False]
    # Two independent samples of 20,000 patterns; 4 standard errors of their difference.
    assert found.pvalue[0] == pytest.approx(expected.pvalue, abs=0.02)


def test_queries_that_tie_do_not_make_it_sampled() -> None:
    values = np.zeros(5000)
    values[:6] = [0.1, 0.2, 0.1, 0.3, 0.2, 0.1]
    result = paired_randomisation(values, n_resamples=100, rng=0)
    assert result.exact.tolist() == [True]
    assert result.pvalue.tolist() == [2 / 2**6]


def test_equal_sums_that_round_differently_tie() -> None:
    # 0.1 + 0.2 - 0.3 is not 0 in floating point: eight patterns, six as extreme as the data.
    values = [0.1, 0.2, -0.3]
    assert paired_randomisation(values).pvalue.tolist() == [1.0]
    assert paired_randomisation([0.3, 0.1 + 0.2, 0.6]).pvalue.tolist() == [0.25]


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_the_interval_holds_the_shifts_that_are_not_rejected(
    alternative: Alternative, level: float
) -> None:
    values = np.random.default_rng(6).normal(0.1, 0.5, size=9).round(2).tolist()
    interval = paired_randomisation(values, alternative=alternative, level=level).intervals[0]
    assert interval is not None
    for end, inwards in ((interval.low, 1e-6), (interval.high, -1e-6)):
        if np.isfinite(end):
            assert brute_force(values, alternative, end + inwards) > 1.0 - level
            assert brute_force(values, alternative, end - inwards) <= 1.0 - level


def test_with_five_queries_no_shift_is_rejected_and_the_interval_is_students() -> None:
    interval = paired_randomisation([0.1, 0.2, 0.15, 0.3, 0.05]).intervals[0]
    assert interval is not None
    assert interval.method == "t"


def test_the_sampled_interval_is_near_students_for_normal_differences() -> None:
    values = np.random.default_rng(9).normal(0.1, 0.2, size=400)
    interval = paired_randomisation(values, rng=0).intervals[0]
    expected = stats.ttest_1samp(values, 0.0).confidence_interval()
    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx((expected.low, expected.high), abs=0.002)
