"""Intervals that hold for any values between two bounds."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ndcg.errors import InputError, OptionError
from ndcg.stats import Interval, chernoff_interval, clopper_pearson
from ndcg.stats.options import Alternative


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
@pytest.mark.parametrize(("successes", "n_queries"), [(0, 10), (3, 10), (10, 10), (135, 300)])
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_clopper_pearson_is_scipys(
    successes: int, n_queries: int, level: float, alternative: Alternative
) -> None:
    found = clopper_pearson(successes, n_queries, level=level, alternative=alternative)
    expected = stats.binomtest(successes, n_queries, alternative=alternative).proportion_ci(level)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-12)


@given(st.integers(1, 400), st.data())
def test_an_exact_interval_holds_its_proportion_and_is_no_point(
    n_queries: int, data: st.DataObject
) -> None:
    successes = data.draw(st.integers(0, n_queries))
    interval = clopper_pearson(successes, n_queries)
    assert successes / n_queries in interval
    assert 0.0 <= interval.low < interval.high <= 1.0


def test_bounds_scale_the_interval() -> None:
    unit, scaled = clopper_pearson(3, 10), clopper_pearson(3, 10, bounds=(-1.0, 1.0))
    assert (scaled.low, scaled.high) == (2.0 * unit.low - 1.0, 2.0 * unit.high - 1.0)


@pytest.mark.parametrize("n_queries", [1, 2, 10, 300])
def test_chernoff_equals_clopper_pearson_where_all_values_are_at_a_bound(n_queries: int) -> None:
    for successes in (0, n_queries):
        exact = clopper_pearson(successes, n_queries)
        found = chernoff_interval(successes / n_queries, n_queries)
        assert (found.low, found.high) == pytest.approx((exact.low, exact.high), abs=1e-12)


@given(st.floats(0, 1), st.integers(1, 2000), st.sampled_from([0.8, 0.95, 0.99]))
def test_chernoff_ends_are_where_the_divergence_says(
    mean: float, n_queries: int, level: float
) -> None:
    interval = chernoff_interval(mean, n_queries, level=level)
    assert 0.0 <= interval.low <= mean <= interval.high <= 1.0
    for end in (interval.low, interval.high):
        if 1e-9 < end < 1.0 - 1e-9 and 1e-9 < mean < 1.0 - 1e-9:
            exponent = mean * math.log(mean / end) + (1 - mean) * math.log((1 - mean) / (1 - end))
            assert n_queries * exponent == pytest.approx(math.log(2 / (1 - level)), rel=1e-6)


@given(st.integers(2, 400), st.data())
def test_chernoff_is_no_narrower_than_the_exact_interval_of_0_1_values(
    n_queries: int, data: st.DataObject
) -> None:
    successes = data.draw(st.integers(0, n_queries))
    exact = clopper_pearson(successes, n_queries)
    found = chernoff_interval(successes / n_queries, n_queries)
    assert found.low <= exact.low + 1e-9
    assert found.high >= exact.high - 1e-9


def test_one_sided_intervals_reach_the_other_bound() -> None:
    above = chernoff_interval(0.7, 20, alternative="greater")
    below = chernoff_interval(0.7, 20, alternative="less")
    both = chernoff_interval(0.7, 20, level=0.9)
    assert (above.low, above.high) == pytest.approx((both.low, 1.0), rel=1e-12)
    assert (below.low, below.high) == pytest.approx((0.0, both.high), rel=1e-12)


def test_an_interval_tells_what_it_holds() -> None:
    interval = Interval(0.25, 0.5, 0.95, "t", 7)
    assert 0.25 in interval
    assert 0.51 not in interval


@pytest.mark.parametrize("call", [clopper_pearson, chernoff_interval])
def test_no_queries_support_no_interval(call: type) -> None:
    with pytest.raises(InputError, match="an interval needs at least one query, got 0"):
        call(0, 0)


def test_more_successes_than_queries_are_an_error() -> None:
    with pytest.raises(InputError, match=r"successes must be 0 to 5 \(n_queries\), got 6"):
        clopper_pearson(6, 5)


def test_a_mean_outside_its_bounds_is_an_error() -> None:
    with pytest.raises(InputError, match=r"a mean of 1\.5 is outside its bounds 0 to 1"):
        chernoff_interval(1.5, 10)


def test_bounds_in_the_wrong_order_are_an_error() -> None:
    with pytest.raises(OptionError, match="bounds must be a lower and a higher number"):
        chernoff_interval(0.5, 10, bounds=(1.0, 0.0))


@pytest.mark.parametrize("level", [0.0, 1.0, 95.0])
def test_a_level_is_a_share(level: float) -> None:
    with pytest.raises(OptionError, match=r"level must lie between 0 and 1, such as 0\.95"):
        clopper_pearson(1, 2, level=level)


def test_an_unknown_alternative_is_an_error() -> None:
    with pytest.raises(OptionError, match="alternative must be one of two-sided, less, greater"):
        clopper_pearson(1, 2, alternative="upper")  # type: ignore[arg-type]
