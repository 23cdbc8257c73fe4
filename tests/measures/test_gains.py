"""Gains, discounts, weights of ranks, sums: what the measures are made of."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ndcg import MeasureError, as_qrels, as_run, rank
from ndcg.measures.gains import (
    Rules,
    depth_of,
    discounts,
    gain_of,
    ideal_sum,
    rank_weights,
    sum_by_query,
)

if TYPE_CHECKING:
    from ndcg import Ranking

Table = dict[str, dict[str, float]]


def ranking_of(qrels: Table, run: Table) -> Ranking:
    return rank(as_qrels(qrels), as_run(run))


@pytest.mark.parametrize(
    ("gain", "expected"),
    [
        ("linear", [0.0, 0.0, 0.5, 1.0, 3.0, 3.0]),
        ("exp", [0.0, 0.0, math.sqrt(2) - 1, 1.0, 7.0, 7.0]),
        (((0.5, 9.0), (1.0, 0.0), (3.0, 2.5)), [0.0, 0.0, 9.0, 0.0, 2.5, 2.5]),
    ],
)
def test_what_grades_are_worth(gain: Any, expected: list[float]) -> None:
    grades = np.array([-2.0, 0.0, 0.5, 1.0, 3.0, 3.0])
    assert gain_of(grades, gain).tolist() == expected
    assert grades[0] == -2.0


@pytest.mark.parametrize("gain", ["linear", "exp", ((1.0, 1.0),)])
def test_no_grades_are_worth_nothing(gain: Any) -> None:
    assert gain_of(np.zeros(0), gain).tolist() == []


@given(st.integers(0, 1023))
def test_the_exponential_gain_of_an_integer_is_exact(grade: int) -> None:
    assert gain_of(np.array([float(grade)]), "exp").tolist() == [float(2.0**grade - 1)]


@pytest.mark.parametrize("grade", [1024.0, 1e9])
def test_a_gain_that_no_float_holds_is_refused(grade: float) -> None:
    told = (
        rf"^gain 'exp' of grade {grade:g} is 2\^{grade:g} - 1, more than a 64-bit float holds; use "
        r"gain 'linear' or a mapping$"
    ).replace("+", r"\+")
    with pytest.raises(MeasureError, match=told):
        gain_of(np.array([1.0, grade]), "exp")


def test_a_grade_that_a_mapping_does_not_name_is_refused() -> None:
    told = (
        r"^the gain mapping has no grade 2, which the judgments use; name a gain for every grade "
        r"above 0$"
    )
    with pytest.raises(MeasureError, match=told):
        gain_of(np.array([1.0, 2.0, 5.0]), ((1.0, 1.0), (3.0, 5.0)))
    assert gain_of(np.array([0.0, -1.0, 1.0]), ((1.0, 4.0),)).tolist() == [0.0, 0.0, 4.0]


@pytest.mark.parametrize(
    ("discount", "expected"),
    [
        ("log2", [1.0, 1 / math.log2(3), 0.5, 1 / math.log2(5)]),
        ("jarvelin", [1.0, 1.0, 1 / math.log2(3), 0.5]),
        ("none", [1.0, 1.0, 1.0, 1.0]),
    ],
)
def test_discounts(discount: str, expected: list[float]) -> None:
    assert discounts(4, discount).tolist() == expected
    assert discounts(0, discount).tolist() == []


def test_the_depth_is_the_cutoff_or_the_longest_list() -> None:
    ranking = ranking_of({"q": {"a": 1, "b": 1}}, {"q": {"x": 3.0, "a": 2.0, "b": 2.0}})
    assert [depth_of(ranking, cutoff) for cutoff in (None, 2, 9)] == [3, 2, 3]
    assert depth_of(ranking_of({"q": {"a": 1}}, {"q": {"x": 3.0}}), 5) == 0


def test_average_ties_share_the_discounts_of_their_ranks() -> None:
    ranking = ranking_of({"q": {"a": 1, "b": 1, "c": 1}}, {"q": {"a": 3.0, "b": 2.0, "c": 2.0}})
    discount = np.array([1.0, 0.5, 0.25])
    assert rank_weights(ranking, discount, "trec").tolist() == [1.0, 0.5, 0.25]
    assert rank_weights(ranking, discount, "average").tolist() == [1.0, 0.375, 0.375]
    assert rank_weights(ranking, discount[:2], "average").tolist() == [1.0, 0.25, 0.25]
    assert rank_weights(ranking, discount[:1], "average").tolist() == [1.0, 0.0, 0.0]


def test_a_query_without_rows_sums_to_0_beside_others() -> None:
    ranking = ranking_of({"p": {"a": 1}, "q": {"x": 1}, "r": {"a": 1}}, {"p": {"a": 1.0}})
    assert sum_by_query(ranking, np.array([0, 0, 2]), np.array([1.0, 2.0, 4.0])).tolist() == [
        3,
        0,
        4,
    ]


def test_a_sum_that_no_float_holds_is_refused() -> None:
    ranking = ranking_of({"q": {"a": 1}}, {"q": {"a": 1.0}})
    with pytest.raises(MeasureError, match=r"^the gains of a query add up to more than"):
        sum_by_query(ranking, np.array([0, 0]), np.array([1.7e308, 1.7e308]))


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        (Rules(discount="none"), [6.0, 0.0]),
        (Rules(discount="none", cutoff=2), [5.0, 0.0]),
        (Rules(discount="none", ideal="retrieved"), [3.0, 0.0]),
        (Rules(discount="none", gain="exp"), [11.0, 0.0]),
        (Rules(discount="none", gain=((1.0, 9.0), (2.0, 1.0), (3.0, 0.0)), cutoff=1), [9.0, 0.0]),
        (Rules(), [3 + 2 / math.log2(3) + 1 / 2, 0.0]),
    ],
)
def test_the_ideal_takes_the_best_first(rules: Rules, expected: list[float]) -> None:
    qrels: Table = {"q": {"a": 1, "b": 3, "c": 2, "d": -1}, "r": {"a": 0}}
    ranking = ranking_of(qrels, {"q": {"a": 2.0, "c": 1.0}, "r": {"a": 1.0}})
    assert ideal_sum(ranking, rules).tolist() == expected
