"""Time the statistics of many runs at once beside SciPy's for the same columns."""

import json
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import stats as scipy_stats

from ndcg import stats

RUNS, QUERIES, MEASURES, RESAMPLES = 20, 6_980, 3, 10_000
Scores = NDArray[np.float64]


def made_scores() -> Scores:
    """Return per-query scores shaped like nDCG@10: many 0, many 1, runs that agree by half."""
    rng = np.random.default_rng(0)

    def drawn(*shape: int) -> Scores:
        values, kind = rng.beta(1.2, 1.5, shape), rng.random(shape)
        return np.where(kind < 0.3, 0.0, np.where(kind > 0.85, 1.0, values))

    shared = drawn(QUERIES, MEASURES, 1)
    own = drawn(QUERIES, MEASURES, RUNS)
    return np.where(rng.random(own.shape) < 0.5, shared, own)


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def ours(scores: Scores) -> None:
    differences = scores[:, :, 1:] - scores[:, :, :1]
    columns = differences.reshape(QUERIES, -1)
    stats.mean_intervals(scores.reshape(QUERIES, -1), rng=0)
    stats.paired_t(columns)
    stats.paired_randomisation(columns, rng=0)
    stats.holm(stats.paired_bootstrap(columns, rng=0).pvalue)
    for measure in range(MEASURES):
        stats.max_t(differences[:, measure], rng=0)
        stats.tukey_hsd(scores[:, measure], rng=0)
    for summary in stats.summarise_differences(columns):
        stats.detectable_effect(QUERIES, summary.sd or 1.0)


def theirs(scores: Scores) -> float:
    """Return SciPy's time for all columns, from one of each: they all cost the same."""
    first, second = scores[:, 0, 0], scores[:, 0, 1]
    batch = {"n_resamples": RESAMPLES, "batch": 500, "rng": 1}
    interval = seconds(lambda: scipy_stats.bootstrap((first,), np.mean, **batch))
    test = seconds(
        lambda: scipy_stats.permutation_test(
            (first, second),
            lambda a, b, axis: np.mean(a - b, axis=axis),
            permutation_type="samples",
            vectorized=True,
            **batch,
        )
    )
    return MEASURES * (RUNS * interval + (RUNS - 1) * test)


def main() -> None:
    scores = made_scores()
    # The first call warms up imports and is not counted.
    ours(scores[:, :, :2].repeat(RUNS // 2, axis=2))
    print(json.dumps({"ndcg": seconds(lambda: ours(scores)), "scipy": theirs(scores)}))


if __name__ == "__main__":
    main()
