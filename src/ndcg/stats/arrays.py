"""Per-query values as a checked matrix: a row a query, a column a system x measure x slice."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ndcg.errors import InputError
from ndcg.stats.sums import column_sums

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["BoolArray", "Columns", "FloatArray", "IntArray", "as_columns", "paired_differences"]

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]

# Two scores closer than this share of their size are one score: sums of discounts differ in the
# last digits with the order of addition.
RELATIVE_TOLERANCE = 1e-12

# The squares of smaller spreads vanish in float64.
SMALLEST_SPREAD = 1e-150

# Sums of many values that differ by less than this share of their size are a tie.
TIE_TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class Columns:
    """Per-query values in which each column keeps its own set of queries.

    Parameters
    ----------
    values : array, shape (n_queries, n_columns)
        0.0 where a query lies outside a column.
    inside : bool array, same shape
        Whether the query belongs to the column.
    """

    values: FloatArray
    inside: BoolArray

    @property
    def n_columns(self) -> int:
        """How many columns there are."""
        return int(self.values.shape[1])

    @cached_property
    def n_queries(self) -> IntArray:
        """How many queries each column has."""
        counts: IntArray = np.count_nonzero(self.inside, axis=0).astype(np.int64)
        return counts

    @cached_property
    def mean(self) -> FloatArray:
        """Mean of each column over its own queries."""
        means: FloatArray = column_sums(self.values) / self.n_queries
        return means

    @cached_property
    def deviations(self) -> FloatArray:
        """Values less their column's mean, 0.0 outside."""
        return np.where(self.inside, self.values - self.mean, 0.0)

    @cached_property
    def sd(self) -> FloatArray:
        """Sample standard deviation, exactly 0.0 where all values are alike or there is one."""
        squares = column_sums(np.square(self.deviations))
        spread = np.sqrt(squares / np.maximum(self.n_queries - 1, 1))
        return np.where(self.alike, 0.0, spread)

    @cached_property
    def alike(self) -> BoolArray:
        """Whether all values of a column are one value, up to rounding."""
        high = np.where(self.inside, self.values, -np.inf).max(axis=0)
        low = np.where(self.inside, self.values, np.inf).min(axis=0)
        size = np.maximum(np.abs(high), np.abs(low))
        flat: BoolArray = high - low <= np.maximum(RELATIVE_TOLERANCE * size, SMALLEST_SPREAD)
        return flat

    @cached_property
    def groups(self) -> tuple[tuple[IntArray, IntArray], ...]:
        """(rows, columns) pairs: the columns that hold the same queries, and these queries."""
        patterns: dict[bytes, list[int]] = {}
        packed = np.packbits(self.inside, axis=0).T
        for column, pattern in enumerate(packed):
            patterns.setdefault(pattern.tobytes(), []).append(column)
        return tuple(
            (np.flatnonzero(self.inside[:, columns[0]]), np.array(columns))
            for columns in patterns.values()
        )

    def take(self, columns: IntArray) -> Columns:
        """Return some of the columns, over the same queries."""
        return Columns(self.values[:, columns], self.inside[:, columns])

    def column(self, i: int) -> FloatArray:
        """Return the values of one column, its own queries only."""
        column: FloatArray = self.values[self.inside[:, i], i]
        return column


def as_columns(values: ArrayLike, name: str = "values") -> Columns:
    """Return checked columns from one column or a matrix; NaN marks a query outside a column.

    Parameters
    ----------
    values : array_like, shape (n_queries,) or (n_queries, n_columns)
        Finite numbers, or NaN where a query does not belong to a column.
    name : str
        What the messages call it.

    Raises
    ------
    InputError
        For another shape, an infinite value, or a column without a query.

    Examples
    --------
    >>> as_columns([[0.5, float("nan")], [1.0, 0.25]]).n_queries.tolist()
    [2, 1]
    """
    matrix = np.asarray(values, dtype=np.float64, order="C")
    if matrix.ndim == 1:
        matrix = matrix[:, np.newaxis]
    if matrix.ndim != 2:  # noqa: PLR2004
        raise InputError(
            f"{name} must be one column or a matrix (queries x columns), got {matrix.ndim} axes"
        )
    infinite = np.argwhere(np.isinf(matrix))
    if infinite.size:
        row, column = infinite[0].tolist()
        raise InputError(f"{name}: query {row} of column {column} is infinite; scores are finite")
    inside = ~np.isnan(matrix)
    empty = np.flatnonzero(~inside.any(axis=0))
    if empty.size:
        raise InputError(f"{name}: column {empty[0]} has no queries; leave it out")
    return Columns(np.where(inside, matrix, 0.0), inside)


def paired_differences(baseline: ArrayLike, system: ArrayLike) -> FloatArray:
    """Return system less baseline per query, exactly 0.0 where they differ by rounding alone.

    Parameters
    ----------
    baseline : array_like, shape (n_queries,) or (n_queries, n_columns)
        Scores of the baseline; one column serves every column of `system`.
    system : array_like, shape (n_queries,) or (n_queries, n_columns)
        Scores of the other systems on the same queries in the same order.

    Returns
    -------
    array, shape of the wider argument
        NaN where either score is NaN: the query is outside that column.

    Raises
    ------
    InputError
        When the numbers of queries or columns do not fit.

    Examples
    --------
    >>> paired_differences([0.3, 0.5], [0.1 + 0.2, 0.75]).tolist()
    [0.0, 0.25]
    """
    first, second = np.asarray(baseline, np.float64), np.asarray(system, np.float64)
    if first.ndim == 1 < second.ndim:
        first = first[:, np.newaxis]
    paired = first.shape == second.shape
    if not paired and (first.ndim != second.ndim or first.shape != (len(second), 1)):
        raise InputError(
            f"baseline of shape {first.shape} and system of shape {second.shape} do not pair; "
            "give both the same queries"
        )
    difference: FloatArray = second - first
    size = np.maximum(np.abs(first), np.abs(second))
    return np.where(np.abs(difference) <= RELATIVE_TOLERANCE * size, 0.0, difference)
