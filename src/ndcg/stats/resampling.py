"""Resamples shared by every column: counts of queries, and sets of queries whose sign is flipped.

One stream of random numbers is read resample by resample, so the batch size does not show in the
digits. Sums over the queries of a resample are those of `ndcg.stats.sums`, so the number of threads
does not show either.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from ndcg.stats.sums import on_grid

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ndcg.stats.arrays import Columns, FloatArray, IntArray

__all__ = [
    "RandomSource",
    "column_parts",
    "enumerated_flips",
    "resampled_counts",
    "sampled_flips",
    "sampled_shuffles",
]

RandomSource: TypeAlias = int | np.random.Generator | None

# 4 MB of counts a batch stay in the cache; 256 columns x 10,000 resamples are 20 MB a statistic.
BATCH_CELLS = 1 << 19
MAX_COLUMNS = 256
WORD_BITS = 64


def _batches(n_resamples: int, n_queries: int) -> Iterator[slice]:
    size = max(1, BATCH_CELLS // max(n_queries, 1))
    for start in range(0, n_resamples, size):
        yield slice(start, min(start + size, n_resamples))


def resampled_counts(
    n_queries: int, n_resamples: int, rng: RandomSource
) -> Iterator[tuple[slice, FloatArray]]:
    """Yield batches of how often each query was drawn, with replacement.

    Parameters
    ----------
    n_queries, n_resamples : int
        Every resample draws `n_queries` queries.
    rng : int, Generator or None
        The stream is read in the order of the resamples, whatever the batches.

    Yields
    ------
    slice
        Which resamples the batch holds.
    array, shape (batch, n_queries)
        The counts; every row sums to `n_queries`.

    Examples
    --------
    >>> [float(counts.sum()) for _, counts in resampled_counts(4, 2, rng=0)]
    [8.0]
    """
    generator = np.random.default_rng(rng)
    for batch in _batches(n_resamples, n_queries):
        drawn = generator.integers(n_queries, size=(batch.stop - batch.start, n_queries))
        counts = np.empty(drawn.shape)
        # A count a row stays in the cache; one bincount over all rows takes longer.
        for row, queries in zip(counts, drawn, strict=True):
            row[:] = np.bincount(queries, minlength=n_queries)
        yield batch, counts


def sampled_flips(
    n_queries: int, n_resamples: int, rng: RandomSource
) -> Iterator[tuple[slice, FloatArray]]:
    """Yield batches of random flips: 1.0 for a query whose difference changes its sign, else 0.0.

    Every query flips with probability one half, independently. Parameters and yields as for
    `resampled_counts`.
    """
    generator = np.random.default_rng(rng)
    # Whole 64-bit words a resample: smaller ones are buffered by NumPy, and batches would show.
    words = -(-n_queries // WORD_BITS)
    for batch in _batches(n_resamples, n_queries):
        size = (batch.stop - batch.start, words)
        drawn = generator.integers(1 << 64, size=size, dtype=np.uint64).astype("<u8", copy=False)
        bits = np.unpackbits(drawn.view(np.uint8), axis=1, count=n_queries, bitorder="little")
        yield batch, bits.astype(np.float64)


def sampled_shuffles(
    scores: FloatArray, n_resamples: int, rng: RandomSource
) -> Iterator[tuple[slice, FloatArray]]:
    """Yield batches of column sums after each row was shuffled, independently and uniformly.

    Yields
    ------
    slice
        Which resamples the batch holds.
    array, shape (batch, n_columns)
        The sums.
    """
    generator = np.random.default_rng(rng)
    table = on_grid(scores, len(scores))
    for batch in _batches(n_resamples, scores.size):
        keys = generator.random((batch.stop - batch.start, *scores.shape))
        shuffled = np.take_along_axis(table[np.newaxis], np.argsort(keys, axis=2), axis=2)
        yield batch, shuffled.sum(axis=1)


def enumerated_flips(n_queries: int) -> FloatArray:
    """Return all 2^n sets of flipped queries, the empty set first.

    >>> enumerated_flips(2).tolist()
    [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
    """
    codes = np.arange(1 << n_queries)[:, np.newaxis]
    return ((codes >> np.arange(n_queries)) & 1).astype(np.float64)


def column_parts(columns: Columns, rng: RandomSource) -> Iterator[tuple[IntArray, Columns, int]]:
    """Yield the columns a few hundred at a time, with one seed so that all see the same resamples.

    Yields
    ------
    array
        The positions of the part's columns.
    Columns
        The part.
    int
        The seed, the same for every part.
    """
    # A generator passed in moves on by one number, however many columns and resamples there are.
    seed = int(np.random.default_rng(rng).integers(1 << 63))
    for start in range(0, columns.n_columns, MAX_COLUMNS):
        positions = np.arange(start, min(start + MAX_COLUMNS, columns.n_columns))
        yield positions, columns.take(positions), seed
