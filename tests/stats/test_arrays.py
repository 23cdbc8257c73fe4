"""The checked matrix of per-query values, and paired differences."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ndcg.errors import InputError
from ndcg.stats import paired_differences
from ndcg.stats.arrays import as_columns

NAN = float("nan")


def test_one_column_is_a_matrix_of_one() -> None:
    columns = as_columns([0.25, 0.75])
    assert columns.n_columns == 1
    assert columns.mean.tolist() == [0.5]


def test_each_column_has_its_own_queries() -> None:
    columns = as_columns([[0.5, NAN], [1.0, 0.25], [0.0, 0.75]])
    assert columns.n_queries.tolist() == [3, 2]
    assert columns.mean.tolist() == [0.5, 0.5]
    assert columns.column(1).tolist() == [0.25, 0.75]
    assert columns.deviations.tolist() == [[0.0, 0.0], [0.5, -0.25], [-0.5, 0.25]]


def test_spread_is_the_sample_standard_deviation_of_the_columns_own_queries() -> None:
    columns = as_columns([[0.1, NAN], [0.4, 0.3], [0.9, 0.5], [0.2, 0.9]])
    expected = [np.std([0.1, 0.4, 0.9, 0.2], ddof=1), np.std([0.3, 0.5, 0.9], ddof=1)]
    assert columns.sd == pytest.approx(expected, rel=1e-14)


def test_values_alike_up_to_rounding_have_no_spread() -> None:
    columns = as_columns([[0.1 + 0.2, 0.3, 0.0], [0.3, 0.4, 1e-190], [0.3, 0.3, 0.0]])
    assert columns.alike.tolist() == [True, False, True]
    assert columns.sd[0] == 0.0


def test_columns_with_the_same_queries_form_a_group() -> None:
    columns = as_columns([[0.5, NAN, 0.1, NAN], [1.0, 0.25, 0.2, 0.0]])
    groups = [(rows.tolist(), members.tolist()) for rows, members in columns.groups]
    assert groups == [([0, 1], [0, 2]), ([1], [1, 3])]


def test_three_axes_are_an_error() -> None:
    with pytest.raises(InputError, match=r"differences must be one column or a matrix .* 3 axes"):
        as_columns(np.zeros((2, 2, 2)), "differences")


def test_an_infinite_value_is_named_by_query_and_column() -> None:
    with pytest.raises(InputError, match="values: query 1 of column 0 is infinite"):
        as_columns([0.0, float("inf")])


@pytest.mark.parametrize("values", [[], [NAN, NAN], [[0.5, NAN]]])
def test_a_column_without_queries_is_an_error(values: object) -> None:
    with pytest.raises(InputError, match=r"column \d has no queries; leave it out"):
        as_columns(values)  # type: ignore[arg-type]


def test_a_difference_of_rounding_alone_is_a_tie() -> None:
    assert paired_differences([0.3, 0.5, 0.0], [0.1 + 0.2, 0.75, 0.0]).tolist() == [0.0, 0.25, 0.0]


def test_a_small_true_difference_is_kept() -> None:
    assert paired_differences([0.5], [0.5 + 1e-9])[0] == pytest.approx(1e-9)


def test_one_baseline_serves_many_systems() -> None:
    difference = paired_differences([0.5, 0.25], [[0.5, 0.75], [0.5, NAN]])
    assert np.array_equal(difference, [[0.0, 0.25], [0.25, NAN]], equal_nan=True)


@pytest.mark.parametrize(
    ("baseline", "system"), [([0.5], [0.5, 1.0]), ([[0.5, 0.5]], [[0.5]]), ([[0.5]], [0.5])]
)
def test_scores_of_other_queries_do_not_pair(baseline: object, system: object) -> None:
    with pytest.raises(InputError, match="do not pair; give both the same queries"):
        paired_differences(baseline, system)  # type: ignore[arg-type]


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=20))
def test_differences_change_their_sign_with_the_roles(pairs: list[tuple[float, float]]) -> None:
    first, second = np.array(pairs).T
    forth, back = paired_differences(first, second), paired_differences(second, first)
    assert np.array_equal(forth, -back)
