"""Promises that only simulation shows: coverage of the intervals, error rates of the tests."""

from collections.abc import Callable

import numpy as np
import pytest

from ndcg.stats import (
    PairedTestResult,
    holm,
    max_t,
    mean_intervals,
    paired_bootstrap,
    paired_randomisation,
    paired_t,
    tukey_hsd,
)
from ndcg.stats.arrays import FloatArray

pytestmark = pytest.mark.slow

# Share of exact zeros, share of exact ones, and the Beta parameters of the rest. Real nDCG@10: bm25
# on chorus has 21 % zeros and 31 % ones, lm on dbpedia-entity 37 % and 2 %.
SHAPES = {
    "usual": (0.30, 0.15, 1.2, 1.5),
    "hard": (0.60, 0.05, 1.0, 2.0),
    "easy": (0.05, 0.60, 2.0, 1.0),
}


def scores(rng: np.random.Generator, shape: str, n_queries: int, n_columns: int) -> FloatArray:
    zeros, ones, a, b = SHAPES[shape]
    share = rng.random((n_queries, n_columns))
    rest = rng.beta(a, b, size=share.shape)
    return np.where(share < zeros, 0.0, np.where(share > 1.0 - ones, 1.0, rest))


def true_mean(shape: str) -> float:
    zeros, ones, a, b = SHAPES[shape]
    return ones + (1.0 - zeros - ones) * a / (a + b)


@pytest.mark.parametrize("n_queries", [50, 300])
@pytest.mark.parametrize("shape", SHAPES)
def test_the_default_interval_covers_95_percent(shape: str, n_queries: int) -> None:
    values = scores(np.random.default_rng(n_queries), shape, n_queries, 3000)
    intervals = mean_intervals(values, n_resamples=2000, rng=1)
    mean = true_mean(shape)
    below = np.mean([interval is not None and interval.high < mean for interval in intervals])
    above = np.mean([interval is not None and interval.low > mean for interval in intervals])
    assert 0.935 <= 1.0 - below - above <= 0.965
    # One-sided gates read one end only, so neither end may carry the whole error.
    assert max(below, above) <= 0.035


@pytest.mark.parametrize("shape", SHAPES)
def test_the_series_for_many_queries_covers_95_percent(shape: str) -> None:
    values = scores(np.random.default_rng(3), shape, 1200, 2500)
    intervals = mean_intervals(values)
    mean = true_mean(shape)
    assert np.mean([mean in interval for interval in intervals if interval]) == pytest.approx(
        0.95, abs=0.015
    )


@pytest.mark.parametrize("share", [0.9, 0.95, 0.98])
@pytest.mark.parametrize("n_queries", [10, 50])
def test_nearly_perfect_systems_are_not_promised_too_much(share: float, n_queries: int) -> None:
    rng = np.random.default_rng(4)
    rest = rng.beta(3.0, 1.0, size=(n_queries, 3000))
    values = np.where(rng.random(rest.shape) < share, 1.0, rest)
    mean = share + (1.0 - share) * 0.75
    intervals = mean_intervals(values, n_resamples=1000, rng=1)
    # Among them are many Clopper-Pearson and Chernoff intervals, which hold more often than told.
    assert np.mean([mean in interval for interval in intervals if interval]) >= 0.935


def null_differences(n_queries: int, n_columns: int, moved: float) -> FloatArray:
    """Differences of systems that are alike on average; only a share of the queries moves."""
    rng = np.random.default_rng(5)
    first, second = (scores(rng, "usual", n_queries, n_columns) for _ in range(2))
    return np.where(rng.random(first.shape) < moved, second - first, 0.0)


def bootstrap(differences: FloatArray, **settings: str) -> PairedTestResult:
    return paired_bootstrap(differences, n_resamples=2000, rng=2, **settings)  # type: ignore[arg-type]


def randomisation(differences: FloatArray, **settings: str) -> PairedTestResult:
    return paired_randomisation(differences, n_resamples=2000, rng=2, **settings)  # type: ignore[arg-type]


PairedTest = Callable[..., PairedTestResult]


@pytest.mark.parametrize("test", [paired_t, bootstrap, randomisation])
@pytest.mark.parametrize("n_queries", [50, 300])
def test_a_test_rejects_5_percent_of_true_null_hypotheses(test: PairedTest, n_queries: int) -> None:
    differences = null_differences(n_queries, 2500, 1.0)
    # 2,500 comparisons have a standard error of 0.004; the 2,000 resamples, which all comparisons
    # share, move the level by 0.005: 0.0064 together, two and a half of them.
    for alternative in ("two-sided", "greater"):
        rejected = np.mean(test(differences, alternative=alternative).pvalue <= 0.05)
        assert rejected == pytest.approx(0.05, abs=0.016)


@pytest.mark.parametrize("test", [paired_t, bootstrap, randomisation])
@pytest.mark.parametrize("moved", [0.05, 0.2])
def test_a_test_is_no_looser_where_few_queries_move(test: PairedTest, moved: float) -> None:
    differences = null_differences(100, 2000, moved)
    for alternative in ("two-sided", "greater", "less"):
        assert np.mean(test(differences, alternative=alternative).pvalue <= 0.05) <= 0.066


def test_the_interval_of_a_true_difference_covers_95_percent() -> None:
    differences = null_differences(60, 2000, 0.6)
    for result in (paired_t(differences), bootstrap(differences), randomisation(differences)):
        held = np.mean([interval is not None and 0.0 in interval for interval in result.intervals])
        assert 0.935 <= held <= 0.975


def false_families(pvalues: Callable[[FloatArray, int], FloatArray]) -> float:
    """Share of 2,000 families of 5 systems equal to their baseline with any p-value <= 0.05."""
    rng = np.random.default_rng(6)
    values = scores(rng, "usual", 40, 6 * 2000).reshape(40, 2000, 6)
    found = [pvalues(values[:, i], i).min() <= 0.05 for i in range(2000)]
    return float(np.mean(found))


def test_max_t_keeps_the_error_rate_of_a_family() -> None:
    def corrected(family: FloatArray, seed: int) -> FloatArray:
        return max_t(family[:, 1:] - family[:, :1], n_resamples=199, rng=seed).pvalue

    # 2,000 families: 3 standard errors are 0.015.
    assert false_families(corrected) == pytest.approx(0.05, abs=0.015)


def test_tukey_keeps_the_error_rate_of_all_pairs() -> None:
    def corrected(family: FloatArray, seed: int) -> FloatArray:
        return tukey_hsd(family, n_resamples=199, rng=seed).pvalue

    assert false_families(corrected) == pytest.approx(0.05, abs=0.015)


def test_holm_keeps_the_error_rate_of_a_family_and_no_correction_does_not() -> None:
    def raw(family: FloatArray, seed: int) -> FloatArray:
        del seed
        return paired_t(family[:, 1:] - family[:, :1]).pvalue

    assert false_families(lambda family, seed: holm(raw(family, seed))) <= 0.065
    assert false_families(raw) > 0.12
