"""Intervals of means: against SciPy, on degenerate columns, and for slices."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from ndcg.errors import InputError, OptionError
from ndcg.stats import Interval, chernoff_interval, clopper_pearson, mean_intervals, quantiles
from ndcg.stats.arrays import FloatArray, as_columns
from ndcg.stats.intervals import IntervalMethod


def graded(n_queries: int, n_columns: int = 1, seed: int = 7) -> FloatArray:
    """Scores shaped like nDCG@10: 30 % exact zeros, 15 % exact ones, the rest between."""
    rng = np.random.default_rng(seed)
    share = rng.random((n_queries, n_columns))
    scores = rng.beta(1.2, 1.5, size=share.shape)
    return np.where(share < 0.3, 0.0, np.where(share > 0.85, 1.0, scores))


def the(intervals: tuple[Interval | None, ...]) -> Interval:
    (interval,) = intervals
    assert interval is not None
    return interval


@pytest.mark.parametrize(("ours", "theirs"), [("bca", "BCa"), ("percentile", "percentile")])
@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
@pytest.mark.parametrize("values", [graded(40), graded(15) ** 3])
def test_resampled_intervals_are_scipys(
    ours: IntervalMethod, theirs: str, alternative: str, values: FloatArray
) -> None:
    found = the(
        mean_intervals(
            values,
            bounds=None,
            method=ours,
            alternative=alternative,  # type: ignore[arg-type]
            n_resamples=100_000,
            rng=1,
        )
    )
    expected = stats.bootstrap(
        (values[:, 0],), np.mean, method=theirs, alternative=alternative, n_resamples=100_000, rng=2
    ).confidence_interval
    # The 2.5 % points of two samples of 100,000 means differ by 0.012 standard errors, and the bias
    # correction and the skewed tail triple that; 2 of them.
    slack = 0.08 * values.std() / np.sqrt(len(values))
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=slack)


def test_students_interval_is_scipys() -> None:
    values = graded(25)[:, 0]
    found = the(mean_intervals(values, method="t", level=0.9))
    expected = stats.ttest_1samp(values, 0.0).confidence_interval(0.9)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=1e-12)


def test_the_default_is_bca_at_students_quantiles() -> None:
    values = graded(12)[:, 0]
    share = stats.norm.cdf(stats.t.ppf(0.975, 11) * np.sqrt(12 / 11))
    expanded = the(mean_intervals(values, rng=3))
    plain = the(mean_intervals(values, rng=3, method="bca", level=2.0 * share - 1.0))
    assert (expanded.low, expanded.high) == pytest.approx((plain.low, plain.high), rel=1e-12)
    assert expanded.method == "expanded"


@pytest.mark.parametrize("method", ["expanded", "bca", "percentile"])
@pytest.mark.parametrize("emptied", [0.0, 0.85])
def test_the_series_agrees_with_resampling_to_its_monte_carlo_error(
    method: IntervalMethod, emptied: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = graded(1001, 4)
    values[np.random.default_rng(1).random(values.shape) < emptied] = 0.0
    assert not quantiles.needs_resamples(as_columns(values)).any()
    series = mean_intervals(values, method=method)
    monkeypatch.setattr(quantiles, "MAX_RESAMPLED_QUERIES", 10_000)
    drawn = mean_intervals(values, method=method, rng=2)
    errors = values.std(axis=0) / np.sqrt(1001)
    for ours, theirs, error in zip(series, drawn, errors, strict=True):
        assert ours is not None
        assert theirs is not None
        # A 2.5 % point of 10,000 resamples has a standard deviation of 0.027 standard errors, or
        # 0.037 with the bias correction drawn too; 4 of them.
        assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.15 * error)


def test_the_series_follows_heavy_tails_far_out() -> None:
    values = np.zeros(40)
    values[:6] = [-1.0, -0.9, -0.71, 0.72, 0.88, 1.0]
    reach = np.array([stats.norm.ppf(0.9995)])
    columns = as_columns(values)
    series = quantiles.series_ends(columns, reach, corrected=False)
    drawn = quantiles.resampled_ends(columns, reach, corrected=False, n_resamples=400_000, rng=0)
    # The kurtosis moves these ends by 0.13 standard errors; 400,000 draws know them to 0.02.
    slack = 0.06 * values.std() / np.sqrt(40)
    assert np.ravel(series) == pytest.approx(np.ravel(drawn), abs=slack)


def test_the_correction_is_efrons() -> None:
    z = np.array([-1.96, 1.96])
    found = quantiles._corrected(z, np.full(2, 0.1), np.full(2, 0.05))
    expected = [0.1 - 1.86 / (1.0 + 0.05 * 1.86), 0.1 + 2.06 / (1.0 - 0.05 * 2.06)]
    assert found == pytest.approx(expected, rel=1e-12)


def test_a_correction_beyond_every_resample_is_its_end() -> None:
    found = quantiles._corrected(np.array([9.0]), np.zeros(1), np.full(1, 0.16))
    assert found.tolist() == [np.inf]


def test_resampled_means_equal_to_the_mean_are_half_below_it() -> None:
    columns = as_columns([0.0, 0.5, 1.0])
    shifts = np.array([[-0.1, 0.0, 1e-12, 0.2], [-0.1, 0.0, 0.0, 0.0]]).T
    found = quantiles._bias(shifts, as_columns(np.repeat(columns.values, 2, axis=1)))
    assert found == pytest.approx(stats.norm.ppf([2 / 4, 2.5 / 4]))


def test_a_strongly_skewed_long_column_is_resampled() -> None:
    values = np.zeros((5000, 2))
    values[:10, 0] = np.linspace(0.1, 1.0, 10)
    values[:, 1] = graded(5000)[:, 0]
    assert quantiles.needs_resamples(as_columns(values)).tolist() == [True, False]


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_ten_queries_at_a_bound_get_the_exact_interval(value: float) -> None:
    interval = the(mean_intervals([value] * 10))
    assert interval == clopper_pearson(int(10 * value), 10)


def test_zeros_and_ones_get_the_exact_interval() -> None:
    interval = the(mean_intervals([0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0], level=0.9))
    assert interval == clopper_pearson(5, 7, level=0.9)


def test_graded_values_all_alike_get_the_interval_of_any_bounded_values() -> None:
    interval = the(mean_intervals([0.7] * 10))
    expected = chernoff_interval(0.7, 10)
    assert interval.method == "chernoff"
    assert (interval.low, interval.high) == pytest.approx((expected.low, expected.high), rel=1e-9)


@pytest.mark.parametrize(("apart", "method"), [(5, "chernoff"), (6, "expanded")])
@pytest.mark.parametrize("n_queries", [12, 200])
def test_few_values_apart_from_the_commonest_are_not_resampled(
    apart: int, method: str, n_queries: int
) -> None:
    values = np.ones(n_queries)
    values[:apart] = np.linspace(0.1, 0.9, apart)
    assert the(mean_intervals(values, n_resamples=50, rng=0)).method == method


def test_a_single_query_has_no_interval() -> None:
    assert mean_intervals([0.5]) == (None,)
    assert mean_intervals([1.0]) == (None,)


def test_values_alike_without_bounds_have_no_interval() -> None:
    assert mean_intervals([3.0, 3.0, 3.0], bounds=None) == (None,)


def test_a_measure_without_an_upper_end_is_resampled_too() -> None:
    interval = the(mean_intervals(10.0 * graded(30), bounds=None, rng=0))
    unit = the(mean_intervals(graded(30), rng=0))
    assert (interval.low, interval.high) == pytest.approx((10 * unit.low, 10 * unit.high), rel=1e-9)


def test_ends_stay_within_the_bounds() -> None:
    values = np.concatenate([np.zeros(8), [0.01, 0.02, 0.03, 0.04, 0.05, 0.9]])
    interval = the(mean_intervals(values, method="t"))
    assert interval.low == 0.0


def test_rounding_above_a_bound_is_that_bound() -> None:
    assert the(mean_intervals([1.0 + 2e-16] * 5)) == clopper_pearson(5, 5)


def test_one_sided_intervals_are_the_ends_of_a_two_sided_one() -> None:
    values = graded(50)
    both = the(mean_intervals(values, level=0.9, rng=0))
    above = the(mean_intervals(values, level=0.95, alternative="greater", rng=0))
    below = the(mean_intervals(values, level=0.95, alternative="less", rng=0))
    assert (above.low, above.high) == pytest.approx((both.low, 1.0), rel=1e-12)
    assert (below.low, below.high) == pytest.approx((0.0, both.high), rel=1e-12)


def test_one_sided_without_bounds_is_infinite() -> None:
    above = the(mean_intervals(graded(50), bounds=None, alternative="greater", rng=0))
    assert above.high == np.inf


def test_a_slice_is_a_column_with_holes() -> None:
    values = np.repeat(graded(400), 2, axis=1)
    values[100:, 1] = np.nan
    whole, part = mean_intervals(values, rng=0)
    assert whole is not None
    assert part is not None
    assert (whole.n_queries, part.n_queries) == (400, 100)
    alone = the(mean_intervals(values[:100, 1], rng=0))
    # The number of the slice's queries varies between resamples, which widens it by about 1/(2 n).
    assert part.high - part.low == pytest.approx(alone.high - alone.low, rel=0.05)


def test_resamples_without_a_slices_queries_leave_its_mean() -> None:
    values = np.full((500, 1), np.nan)
    values[:7, 0] = [0.1, 0.2, 0.4, 0.5, 0.6, 0.8, 0.9]
    interval = the(mean_intervals(values, rng=0))
    assert interval.n_queries == 7
    assert 0.0 <= interval.low < 0.5 < interval.high <= 1.0


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from([0.0, 0.25, 0.5, 0.63, 1.0]) | st.floats(0, 1), min_size=2),
    st.sampled_from(["expanded", "bca", "percentile", "t"]),
)
def test_an_interval_is_ordered_within_bounds_and_never_a_point(
    values: list[float], method: IntervalMethod
) -> None:
    interval = the(mean_intervals(values, method=method, n_resamples=200, rng=0))
    assert 0.0 <= interval.low < interval.high <= 1.0
    if method == "t":
        assert float(np.mean(values)) in interval


@settings(max_examples=30, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=2, max_size=30), st.randoms(use_true_random=False))
def test_students_and_exact_intervals_do_not_depend_on_the_order(
    values: list[float], random: object
) -> None:
    before = the(mean_intervals(values, method="t"))
    random.shuffle(values)  # type: ignore[attr-defined]
    after = the(mean_intervals(values, method="t"))
    assert (before.low, before.high) == pytest.approx((after.low, after.high), abs=1e-15)


def test_a_value_outside_the_bounds_is_named() -> None:
    with pytest.raises(InputError, match=r"query 1 of column 0 has 3\.2, outside 0 to 1; give the"):
        mean_intervals([0.5, 3.2])


def test_bounds_in_the_wrong_order_are_an_error() -> None:
    with pytest.raises(OptionError, match="bounds must be a lower and a higher number"):
        mean_intervals([0.5, 0.7], bounds=(1.0, 0.0))


def test_an_unknown_method_names_the_near_miss() -> None:
    with pytest.raises(OptionError, match=r"method must be one of .* did you mean 'percentile'"):
        mean_intervals([0.5, 0.7], method="percentil")  # type: ignore[arg-type]


def test_no_resamples_are_an_error() -> None:
    with pytest.raises(OptionError, match="n_resamples must be 1 or more, got 0"):
        mean_intervals([0.5, 0.7], n_resamples=0)
