"""Sums that do not depend on the order of addition."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ndcg.stats.arrays import as_columns
from ndcg.stats.sums import GroupSums, column_sums, on_grid


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=60), st.randoms(use_true_random=False))
def test_sums_on_the_grid_do_not_depend_on_the_order(values: list[float], random: object) -> None:
    gridded = on_grid(np.array(values)[:, np.newaxis], len(values))[:, 0].tolist()
    shuffled = list(gridded)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert sum(gridded) == sum(shuffled)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=60))
def test_the_grid_moves_a_value_by_its_stated_bound(values: list[float]) -> None:
    column = np.array(values)[:, np.newaxis]
    moved = np.abs(on_grid(column, len(values)) - column).max()
    assert moved <= len(values) * 2.0**-52 * np.abs(column).max()


@pytest.mark.parametrize("value", [0.0, 5e-324, 1e-300, 1e300])
def test_the_grid_takes_any_size(value: float) -> None:
    assert on_grid(np.full((2, 1), value), 2) == pytest.approx(np.full((2, 1), value), rel=1e-12)


def test_group_sums_are_the_weighted_sums_of_each_columns_queries() -> None:
    values = np.random.default_rng(5).random((9, 5))
    values[:4, 1] = values[5:, 3] = np.nan
    columns = as_columns(values)
    weights = np.arange(18.0).reshape(2, 9)
    (first, second), totals = GroupSums(columns, columns.values, columns.values**2)(weights)
    assert first == pytest.approx(weights @ np.nan_to_num(values), rel=1e-13)
    assert second == pytest.approx(weights @ np.nan_to_num(values) ** 2, rel=1e-13)
    assert totals.tolist() == (weights @ ~np.isnan(values)).tolist()


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=60))
def test_column_sums_are_within_a_last_digit_of_the_exact_sum(values: list[float]) -> None:
    found = column_sums(np.array(values)[:, np.newaxis])[0]
    assert found == pytest.approx(math.fsum(values), rel=2.0**-52, abs=5e-324)


@pytest.mark.parametrize("n_queries", [2, 50, 7000])
def test_column_sums_are_the_exactly_rounded_ones_in_any_order(n_queries: int) -> None:
    rng = np.random.default_rng(6)
    values = rng.beta(0.4, 0.6, size=(n_queries, 40)) - 0.3
    exact = [math.fsum(column) for column in values.T.tolist()]
    assert column_sums(values).tolist() == exact
    assert column_sums(rng.permutation(values)).tolist() == exact
