"""Resamples: drawn as they should be, and the same digits for any batch size and thread count."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from ndcg.stats import (
    max_t,
    mean_intervals,
    paired_bootstrap,
    paired_randomisation,
    resampling,
    tukey_hsd,
)
from ndcg.stats.arrays import FloatArray
from ndcg.stats.resampling import (
    enumerated_flips,
    resampled_counts,
    sampled_flips,
    sampled_shuffles,
)

Digits = Callable[[FloatArray, int], list[float]]


def interval_digits(values: FloatArray, seed: int) -> list[float]:
    found = mean_intervals(values, rng=seed, n_resamples=500)
    return [end for interval in found if interval for end in (interval.low, interval.high)]


def bootstrap_digits(values: FloatArray, seed: int) -> list[float]:
    result = paired_bootstrap(values - 0.5, rng=seed, n_resamples=500)
    ends = [
        end for interval in result.intervals if interval for end in (interval.low, interval.high)
    ]
    return [*result.pvalue.tolist(), *ends]


def randomisation_digits(values: FloatArray, seed: int) -> list[float]:
    result = paired_randomisation(values - 0.5, rng=seed, n_resamples=500)
    ends = [
        end for interval in result.intervals if interval for end in (interval.low, interval.high)
    ]
    return [*result.pvalue.tolist(), *ends]


def family_digits(values: FloatArray, seed: int) -> list[float]:
    return [*max_t(values - 0.5, rng=seed, n_resamples=500).pvalue.tolist()]


def pair_digits(values: FloatArray, seed: int) -> list[float]:
    result = tukey_hsd(values, rng=seed, n_resamples=500)
    return [*result.pvalue.ravel().tolist(), result.half_width]


EVERY = [interval_digits, bootstrap_digits, randomisation_digits, family_digits, pair_digits]


def some_values(n_queries: int, n_columns: int) -> FloatArray:
    return np.random.default_rng(5).beta(0.4, 0.6, size=(n_queries, n_columns))


def test_every_resample_draws_as_many_queries_as_there_are() -> None:
    for _, counts in resampled_counts(37, 100, rng=0):
        assert (counts.sum(axis=1) == 37.0).all()


def test_counts_have_the_moments_of_draws_with_replacement() -> None:
    counts = np.concatenate([counts for _, counts in resampled_counts(20, 20_000, rng=1)])
    # Multinomial: mean 1, variance 1 - 1/n, covariance -1/n; 5 standard errors are 0.011 here.
    covariance = np.cov(counts, rowvar=False)
    assert counts.mean(axis=0) == pytest.approx(np.ones(20), abs=0.04)
    assert np.diag(covariance).mean() == pytest.approx(0.95, abs=0.011)
    assert covariance[~np.eye(20, dtype=bool)].mean() == pytest.approx(-0.05, abs=0.011)


def test_flips_are_fair_and_independent() -> None:
    flips = np.concatenate([flips for _, flips in sampled_flips(70, 20_000, rng=2)])
    assert set(np.unique(flips)) == {0.0, 1.0}
    assert flips.mean(axis=0) == pytest.approx(np.full(70, 0.5), abs=0.02)
    assert abs(np.corrcoef(flips, rowvar=False)[~np.eye(70, dtype=bool)]).max() < 0.04


def test_all_flips_are_enumerated_once() -> None:
    flips = enumerated_flips(5)
    assert flips.shape == (32, 5)
    assert len(np.unique(flips, axis=0)) == 32
    assert not flips[0].any()


def test_shuffles_keep_the_sum_of_a_query_and_reach_every_order() -> None:
    scores = np.array([[1.0, 2.0, 4.0]])
    drawn = np.concatenate([sums for _, sums in sampled_shuffles(scores, 6000, rng=3)])
    orders, counts = np.unique(drawn, axis=0, return_counts=True)
    assert len(orders) == 6
    # Six orders, 1000 each: 4 standard deviations of a binomial count are 115.
    assert np.abs(counts - 1000).max() < 115


@pytest.mark.parametrize("digits", EVERY)
@pytest.mark.parametrize("cells", [1, 1 << 10, 1 << 24])
def test_the_batch_size_does_not_show(
    digits: Digits, cells: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = some_values(70, 4)
    expected = digits(values, 3)
    monkeypatch.setattr(resampling, "BATCH_CELLS", cells)
    assert digits(values, 3) == expected


@pytest.mark.parametrize("digits", [interval_digits, bootstrap_digits, randomisation_digits])
def test_the_number_of_columns_held_at_once_does_not_show(
    digits: Digits, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = some_values(30, 7)
    values[:3, 2] = np.nan
    expected = digits(values, 3)
    monkeypatch.setattr(resampling, "MAX_COLUMNS", 2)
    assert digits(values, 3) == expected


@pytest.mark.parametrize("digits", [interval_digits, bootstrap_digits, randomisation_digits])
def test_other_columns_do_not_change_a_columns_digits(digits: Digits) -> None:
    values = some_values(30, 5)
    assert set(digits(values[:, :1], 3)) <= set(digits(values, 3))


@pytest.mark.parametrize("digits", EVERY)
def test_the_seed_decides(digits: Digits) -> None:
    values = some_values(40, 3)
    assert digits(values, 1) == digits(values, 1)
    assert digits(values, 1) != digits(values, 2)


def test_a_generator_moves_on_and_an_integer_does_not() -> None:
    values, rng = some_values(30, 1), np.random.default_rng(4)
    first = mean_intervals(values, rng=rng, n_resamples=200)
    assert first == mean_intervals(values, rng=4, n_resamples=200)
    assert first != mean_intervals(values, rng=rng, n_resamples=200)


def test_without_a_seed_every_call_draws_anew() -> None:
    values = some_values(30, 1)
    assert mean_intervals(values, n_resamples=200) != mean_intervals(values, n_resamples=200)


@pytest.mark.slow
def test_the_number_of_threads_does_not_show() -> None:
    script = (
        "import sys, numpy as np\n"
        "from ndcg.stats import *\n"
        "rng = np.random.default_rng(0)\n"
        "d = rng.beta(0.4, 0.6, size=(701, 37)) - 0.4\n"
        "b = paired_bootstrap(d, rng=0, n_resamples=400)\n"
        "r = paired_randomisation(d, rng=0, n_resamples=400)\n"
        "m = max_t(d, rng=0, n_resamples=400)\n"
        "i = mean_intervals(d + 0.4, rng=0, n_resamples=400)\n"
        "intervals = [*b.intervals, *r.intervals, *i]\n"
        "ends = [end.hex() for interval in intervals for end in (interval.low, interval.high)]\n"
        "print(ends, *(x.tobytes().hex() for x in (b.pvalue, r.pvalue, m.pvalue, m.statistic)))\n"
    )

    def digits(threads: str) -> str:
        source = str(Path(resampling.__file__).parents[2])
        names = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
        environment = {**os.environ, "PYTHONPATH": source, **dict.fromkeys(names, threads)}
        return subprocess.run(
            [sys.executable, "-c", script],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    assert digits("1") == digits("2")


def test_an_interval_needs_no_scipy_and_a_test_only_its_distributions() -> None:
    script = (
        "import sys, ndcg.stats\n"
        "assert not any(name.startswith('scipy') for name in sys.modules)\n"
        "values = [0.1, 0.5, 0.2, 0.3, 0.6, 0.9, 0.7]\n"
        "ndcg.stats.mean_intervals(values, n_resamples=9)\n"
        "assert not any(name.startswith('scipy') for name in sys.modules)\n"
        "ndcg.stats.paired_t([0.1, 0.2, 0.4])\n"
        "assert 'scipy.special' in sys.modules and 'scipy.stats' not in sys.modules\n"
    )
    source = str(Path(resampling.__file__).parents[2])
    subprocess.run(
        [sys.executable, "-c", script], env={**os.environ, "PYTHONPATH": source}, check=True
    )
