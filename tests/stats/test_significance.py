"""Student's and the bootstrap's paired tests, and the degenerate cases that all tests share."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from ndcg.errors import InputError, OptionError
from ndcg.stats import (
    PairedTestResult,
    paired_bootstrap,
    paired_randomisation,
    paired_t,
    smallest_pvalue,
)
from ndcg.stats.arrays import FloatArray
from ndcg.stats.options import Alternative

SIDES: tuple[Alternative, ...] = ("two-sided", "less", "greater")
EVERY_TEST = ("t", "bootstrap", "randomisation")


def result_of(
    method: str,
    differences: object,
    *,
    alternative: Alternative = "two-sided",
    level: float = 0.95,
    n_resamples: int = 999,
) -> PairedTestResult:
    values = np.asarray(differences, dtype=np.float64)
    if method == "t":
        return paired_t(values, alternative=alternative, level=level)
    test = paired_bootstrap if method == "bootstrap" else paired_randomisation
    return test(values, alternative=alternative, level=level, n_resamples=n_resamples, rng=0)


def differences_of(n_queries: int, n_columns: int = 1, shift: float = 0.0) -> FloatArray:
    rng = np.random.default_rng(11)
    scores = rng.beta(0.6, 0.8, size=(2, n_queries, n_columns))
    return np.where(rng.random((n_queries, n_columns)) < 0.3, 0.0, scores[1] - scores[0] + shift)


@pytest.mark.parametrize("alternative", SIDES)
def test_the_t_test_is_scipys(alternative: Alternative) -> None:
    first, second = np.random.default_rng(0).random((2, 20))
    found = paired_t(second - first, alternative=alternative, level=0.9)
    expected = stats.ttest_rel(second, first, alternative=alternative)
    interval = found.intervals[0]
    assert interval is not None
    assert found.statistic[0] == pytest.approx(expected.statistic, rel=1e-12)
    assert found.pvalue[0] == pytest.approx(expected.pvalue, rel=1e-12)
    ends = expected.confidence_interval(0.9)
    assert (interval.low, interval.high) == pytest.approx((ends.low, ends.high), rel=1e-12)


def test_the_bootstrap_test_is_sakais_loop() -> None:
    differences = differences_of(15, shift=0.1)[:, 0]
    rng = np.random.default_rng(8)
    centred = differences - differences.mean()
    observed = abs(differences.mean() / (differences.std(ddof=1) / np.sqrt(15)))
    drawn = centred[rng.integers(15, size=(40_000, 15))]
    null = np.abs(drawn.mean(axis=1) / (drawn.std(axis=1, ddof=1) / np.sqrt(15)))
    expected = (np.count_nonzero(null >= observed) + 1) / 40_001
    found = paired_bootstrap(differences, n_resamples=40_000, rng=1).pvalue[0]
    # Two independent estimates of a share near 0.2, 40,000 draws each; 4 standard errors.
    assert found == pytest.approx(expected, abs=0.012)


def test_the_bootstrap_interval_is_scipys_bootstrap_t_made_symmetric() -> None:
    differences = differences_of(30, shift=0.05)[:, 0]
    result = paired_bootstrap(differences, n_resamples=20_000, rng=1)
    drawn = differences[np.random.default_rng(2).integers(30, size=(20_000, 30))]
    error = differences.std(ddof=1) / np.sqrt(30)
    pivots = (drawn.mean(axis=1) - differences.mean()) / (drawn.std(axis=1, ddof=1) / np.sqrt(30))
    reach = np.quantile(np.abs(pivots), 0.95) * error
    interval = result.intervals[0]
    assert interval is not None
    assert interval.high - differences.mean() == pytest.approx(reach, rel=0.03)
    assert differences.mean() - interval.low == pytest.approx(reach, rel=0.03)


@pytest.mark.parametrize("method", EVERY_TEST)
@pytest.mark.parametrize("alternative", SIDES)
@pytest.mark.parametrize("n_queries", [1, 2, 10, 300])
def test_identical_systems_differ_by_nothing(
    method: str, alternative: Alternative, n_queries: int
) -> None:
    result = result_of(method, np.zeros(n_queries), alternative=alternative)
    assert result.difference.tolist() == [0.0]
    assert result.statistic.tolist() == [0.0]
    assert result.pvalue.tolist() == [1.0]
    assert result.n_differing.tolist() == [0]
    assert result.smallest_pvalue.tolist() == [1.0]
    if n_queries == 1:
        assert result.intervals == (None,)
    elif alternative == "two-sided":
        interval = result.intervals[0]
        assert interval is not None
        assert (interval.low, interval.high) == (0.0, 0.0)


@pytest.mark.parametrize("method", EVERY_TEST)
def test_a_single_query_shows_nothing(method: str) -> None:
    result = result_of(method, [0.4])
    assert result.pvalue.tolist() == [1.0]
    assert result.intervals == (None,)


@pytest.mark.parametrize("method", EVERY_TEST)
@pytest.mark.parametrize("n_queries", [2, 5, 6, 9])
def test_one_difference_for_all_queries_has_the_p_of_its_sign(method: str, n_queries: int) -> None:
    result = result_of(method, np.full(n_queries, 0.1))
    assert result.pvalue.tolist() == [2.0 / 2**n_queries]
    assert result.intervals == (None,)
    less = result_of(method, np.full(n_queries, 0.1), alternative="less")
    greater = result_of(method, np.full(n_queries, 0.1), alternative="greater")
    assert less.pvalue.tolist() == [1.0]
    assert greater.pvalue.tolist() == [1.0 / 2**n_queries]


@pytest.mark.parametrize("method", ["bootstrap", "randomisation"])
def test_a_sampled_p_value_is_never_zero(method: str) -> None:
    result = result_of(method, differences_of(200, shift=0.5))
    assert result.pvalue.tolist() == [1.0 / 1000.0]


@pytest.mark.parametrize("method", EVERY_TEST)
def test_swapping_the_systems_mirrors_the_test(method: str) -> None:
    differences = differences_of(40, 3, shift=0.05)
    forth, back = result_of(method, differences), result_of(method, -differences)
    assert back.pvalue.tolist() == forth.pvalue.tolist()
    assert back.difference.tolist() == (-forth.difference).tolist()
    for one, other in zip(forth.intervals, back.intervals, strict=True):
        assert one is not None
        assert other is not None
        assert (-other.high, -other.low) == pytest.approx((one.low, one.high), abs=1e-9)
    greater = result_of(method, differences, alternative="greater")
    less = result_of(method, -differences, alternative="less")
    assert greater.pvalue.tolist() == less.pvalue.tolist()


@pytest.mark.parametrize("method", EVERY_TEST)
@pytest.mark.parametrize("level", [0.9, 0.95])
@pytest.mark.parametrize("alternative", SIDES)
@pytest.mark.parametrize(("n_queries", "shift"), [(9, 0.25), (60, 0.08)])
def test_interval_and_p_value_agree(
    method: str, level: float, alternative: Alternative, n_queries: int, shift: float
) -> None:
    differences = differences_of(n_queries, 60, shift=shift)
    differences[differences == 0.0] = 0.001
    result = result_of(method, differences, alternative=alternative, level=level)
    significant = (result.pvalue <= 1.0 - level + 1e-12).tolist()
    outside = [interval is not None and 0.0 not in interval for interval in result.intervals]
    assert outside == significant
    if alternative != "less":
        assert 5 < sum(significant) < 59


@pytest.mark.parametrize("method", EVERY_TEST)
def test_one_sided_intervals_are_open_on_the_other_side(method: str) -> None:
    differences = differences_of(50)
    above = result_of(method, differences, alternative="greater").intervals[0]
    below = result_of(method, differences, alternative="less").intervals[0]
    assert above is not None
    assert below is not None
    assert (above.high, below.low) == (np.inf, -np.inf)
    assert above.low < differences.mean() < below.high


def test_a_margin_is_held_when_the_one_sided_interval_says_so() -> None:
    differences = differences_of(300) * 0.2
    interval = paired_bootstrap(differences, alternative="greater", rng=0).intervals[0]
    shifted = paired_bootstrap(differences + 0.05, alternative="greater", rng=0)
    assert interval is not None
    assert interval.low > -0.05
    assert shifted.pvalue[0] < 0.05


@pytest.mark.parametrize("method", EVERY_TEST)
def test_a_slice_is_a_column_with_holes(method: str) -> None:
    differences = np.repeat(differences_of(80, shift=0.1), 2, axis=1)
    differences[25:, 1] = np.nan
    result = result_of(method, differences)
    alone = result_of(method, differences[:25, 1])
    assert result.n_queries.tolist() == [80, 25]
    assert result.difference[1] == alone.difference[0]
    assert result.n_differing[1] == alone.n_differing[0]
    # Resampling the whole set moves the slice's size, so the sampled p-values are close, not alike.
    assert result.pvalue[1] == pytest.approx(alone.pvalue[0], abs=0.05)


def test_a_resample_with_one_query_of_a_slice_proves_nothing() -> None:
    differences = np.full(400, np.nan)
    differences[:3] = [0.5, 0.6, 0.55]
    # A resample holds fewer than two of the slice's three queries with probability 0.2.
    assert paired_bootstrap(differences, n_resamples=4000, rng=0).pvalue[0] > 0.18


def test_where_too_few_queries_differ_the_bootstrap_interval_is_students() -> None:
    differences = np.zeros(40)
    differences[:2] = [0.2, 0.3]
    interval = paired_bootstrap(differences, rng=0).intervals[0]
    assert interval == paired_t(differences).intervals[0]


@pytest.mark.parametrize("method", ["bootstrap", "randomisation"])
def test_so_few_resamples_that_none_is_rejected_leave_students_interval(method: str) -> None:
    differences = differences_of(40, shift=0.5)
    result = result_of(method, differences, n_resamples=9)
    assert result.pvalue.tolist() == [0.1]
    assert result.intervals == paired_t(differences).intervals


def test_the_smallest_attainable_p_value_halves_with_each_query() -> None:
    assert smallest_pvalue([0, 1, 2, 5, 6]).tolist() == [1.0, 1.0, 0.5, 0.0625, 0.03125]
    assert smallest_pvalue([0, 4, 5], alternative="less").tolist() == [1.0, 0.0625, 0.03125]
    assert smallest_pvalue(7000).tolist() == 0.0


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from([0.0, 0.1, -0.1, 0.3, 1e-17]) | st.floats(-1, 1), min_size=1),
    st.sampled_from(EVERY_TEST),
    st.sampled_from(SIDES),
)
def test_nothing_is_ever_nan(values: list[float], method: str, alternative: Alternative) -> None:
    result = result_of(method, values, alternative=alternative, n_resamples=99)
    assert not np.isnan(result.statistic).any()
    assert ((result.pvalue > 0.0) | (method == "t")).all()
    assert (result.pvalue <= 1.0).all()
    for interval in result.intervals:
        if interval is not None:
            assert interval.low <= result.difference[0] + 1e-12
            assert interval.high >= result.difference[0] - 1e-12


@pytest.mark.parametrize("method", EVERY_TEST)
def test_differences_without_queries_are_an_error(method: str) -> None:
    with pytest.raises(InputError, match="differences: column 0 has no queries"):
        result_of(method, [])


@pytest.mark.parametrize("method", EVERY_TEST)
def test_settings_are_checked(method: str) -> None:
    with pytest.raises(OptionError, match="level must lie between 0 and 1"):
        result_of(method, [0.1, 0.2], level=95.0)
    with pytest.raises(OptionError, match="alternative must be one of"):
        result_of(method, [0.1, 0.2], alternative="worse")  # type: ignore[arg-type]


@pytest.mark.parametrize("ties", [1, 2, 3])
def test_a_few_ties_among_equal_losses_do_not_hide_them(ties: int) -> None:
    result = paired_bootstrap([-0.5] * (20 - ties) + [0.0] * ties, rng=0)
    assert result.pvalue[0] < 0.001
    assert result.intervals[0] is not None
    assert 0.0 not in result.intervals[0]


def test_a_few_equal_losses_among_ties_are_no_sign() -> None:
    result = paired_bootstrap([-0.5] * 2 + [0.0] * 18, rng=0)
    assert result.pvalue[0] > 0.05
    assert result.intervals[0] is not None
    assert 0.0 in result.intervals[0]
