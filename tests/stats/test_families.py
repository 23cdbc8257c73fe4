"""MaxT and the randomised Tukey HSD: against brute force, SciPy and each other."""

import itertools

import numpy as np
import pytest
from scipy import stats

from ndcg.errors import InputError, OptionError
from ndcg.stats import holm, max_t, paired_randomisation, tukey_hsd
from ndcg.stats.arrays import FloatArray
from ndcg.stats.distributions import range_cdf, range_quantile
from ndcg.stats.options import Alternative


def family(n_queries: int, n_columns: int, seed: int = 1) -> FloatArray:
    rng = np.random.default_rng(seed)
    shared = rng.normal(size=(n_queries, 1))
    shifts = np.linspace(0.0, 0.6, n_columns)
    return 0.6 * shared + rng.normal(size=(n_queries, n_columns)) + shifts


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_max_t_steps_down_over_every_sign_pattern(alternative: Alternative) -> None:
    differences = family(8, 4)
    sign = {"two-sided": 0.0, "less": -1.0, "greater": 1.0}[alternative]
    scaled = differences / np.sqrt((differences**2).sum(axis=0))
    signs = np.array(list(itertools.product([1.0, -1.0], repeat=8)))
    null = signs @ scaled
    null = np.abs(null) if sign == 0.0 else sign * null
    observed = null[0]
    order = np.argsort(-observed)
    expected, floor = np.empty(4), 0.0
    for place, column in enumerate(order):
        greatest = null[:, order[place:]].max(axis=1)
        floor = max(floor, float(np.mean(greatest >= observed[column] - 1e-9)))
        expected[column] = floor
    found = max_t(differences, alternative=alternative)
    assert found.exact
    assert found.pvalue.tolist() == expected.tolist()


def test_max_t_of_one_column_is_the_randomisation_test() -> None:
    differences = family(40, 1)
    alone = paired_randomisation(differences, n_resamples=20_000, rng=1).pvalue[0]
    together = max_t(differences, n_resamples=20_000, rng=2).pvalue[0]
    assert together == pytest.approx(alone, abs=0.02)


def test_max_t_lies_between_the_raw_p_values_and_holms() -> None:
    differences = family(60, 6)
    raw = paired_randomisation(differences, rng=0).pvalue
    corrected = max_t(differences, rng=0).pvalue
    assert (corrected >= raw - 0.01).all()
    assert (corrected <= holm(raw) + 0.02).all()


def test_max_t_takes_identical_systems_and_slices() -> None:
    differences = family(60, 3)
    differences[:, 0] = 0.0
    differences[20:, 2] = np.nan
    result = max_t(differences, rng=0)
    assert result.pvalue[0] == 1.0
    assert result.statistic[0] == 0.0
    assert (result.pvalue[1:] < 1.0).all()


def test_max_t_of_nothing_but_ties_is_one() -> None:
    result = max_t(np.zeros((5, 3)))
    assert result.pvalue.tolist() == [1.0, 1.0, 1.0]


def test_max_t_is_never_zero() -> None:
    assert max_t(family(50, 2) + 5.0, n_resamples=99, rng=0).pvalue.tolist() == [0.01, 0.01]


def test_tukey_counts_shuffles_of_each_query() -> None:
    scores = np.array([[0.1, 0.4, 0.9], [0.2, 0.3, 0.4], [0.5, 0.1, 0.8]])
    orders = [list(itertools.permutations(row)) for row in scores.tolist()]
    means = np.array([np.mean(rows, axis=0) for rows in itertools.product(*orders)])
    ranges = np.ptp(means, axis=1)
    distance = np.abs(scores.mean(axis=0)[:, np.newaxis] - scores.mean(axis=0))
    expected = (ranges[:, np.newaxis, np.newaxis] >= distance - 1e-9).mean(axis=0)
    found = tukey_hsd(scores, n_resamples=40_000, rng=0)
    # 40,000 draws: 4 standard errors of a share are 0.01.
    assert found.pvalue == pytest.approx(expected, abs=0.01)
    assert found.difference[2, 0] == pytest.approx(scores[:, 2].mean() - scores[:, 0].mean())
    assert (np.diag(found.pvalue) == 1.0).all()


def test_tukey_of_two_systems_is_the_randomisation_test() -> None:
    scores = np.random.default_rng(2).random((30, 2)) + np.array([0.0, 0.1])
    expected = paired_randomisation(scores[:, 1] - scores[:, 0], n_resamples=20_000, rng=1)
    found = tukey_hsd(scores, n_resamples=20_000, rng=2)
    assert found.pvalue[0, 1] == pytest.approx(expected.pvalue[0], abs=0.02)


def test_tukey_of_many_queries_agrees_with_shuffling_them(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    scores = rng.beta(0.5, 0.7, size=(1001, 4)) + np.array([0.0, 0.01, 0.03, 0.045])
    limit = tukey_hsd(scores)
    monkeypatch.setattr("ndcg.stats.families.MAX_SHUFFLED_QUERIES", 10_000)
    drawn = tukey_hsd(scores, rng=0, n_resamples=4000)
    # 4,000 draws: 4 standard errors of a share are 0.03 at most, of a 5 % point 2.5 %.
    assert limit.pvalue == pytest.approx(drawn.pvalue, abs=0.03)
    assert limit.half_width == pytest.approx(drawn.half_width, rel=0.025)
    assert limit.difference.tolist() == drawn.difference.tolist()


def test_tukey_of_many_queries_never_reports_less_than_its_resamples_could() -> None:
    scores = np.random.default_rng(4).random((1500, 3)) + np.arange(3) / 2
    assert tukey_hsd(scores, n_resamples=999).pvalue[0, 1] == 0.001


@pytest.mark.parametrize("n_queries", [1, 10, 2000])
def test_tukey_of_identical_systems_finds_nothing(n_queries: int) -> None:
    scores = np.repeat(np.random.default_rng(5).random((n_queries, 1)), 3, axis=1)
    result = tukey_hsd(scores, n_resamples=50, rng=0)
    assert (result.pvalue == 1.0).all()
    assert (result.difference == 0.0).all()
    assert result.half_width == 0.0


def test_tukey_calls_significant_what_its_intervals_exclude() -> None:
    scores = np.random.default_rng(6).random((40, 6)) + np.linspace(0.0, 0.4, 6)
    for values in (scores, np.tile(scores, (30, 1))):
        result = tukey_hsd(values, rng=0)
        outside = np.abs(result.difference) > result.half_width
        assert outside.tolist() == (result.pvalue <= 0.05).tolist()
        assert 0 < outside.sum() < 30


@pytest.mark.parametrize("n_values", [2, 3, 8, 20])
def test_the_range_distribution_is_scipys_studentised_range_at_infinite_degrees(
    n_values: int,
) -> None:
    for width in (0.5, 2.0, 3.5, 5.0):
        expected = stats.studentized_range.cdf(width, n_values, np.inf)
        assert range_cdf(width, n_values) == pytest.approx(expected, abs=1e-10)
    assert range_cdf(range_quantile(0.95, n_values), n_values) == pytest.approx(0.95, abs=1e-8)


def test_a_query_that_a_system_lacks_is_named() -> None:
    with pytest.raises(InputError, match="scores: system 1 has no value for query 0"):
        tukey_hsd([[0.5, float("nan")], [0.5, 0.7]])


def test_one_system_has_no_pairs() -> None:
    with pytest.raises(InputError, match="all pairs need 2 systems or more, got 1"):
        tukey_hsd([0.5, 0.7])


def test_settings_are_checked() -> None:
    with pytest.raises(OptionError, match="level must lie between"):
        tukey_hsd([[0.5, 0.7]], level=1.0)
    with pytest.raises(OptionError, match="n_resamples must be 1 or more"):
        max_t([0.5, 0.7], n_resamples=0)
