"""DCG of matrices: the mean over every order of equal scores, and the best order."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from ndcg.measures.dense import dense_dcg, dense_ideal
from ndcg.measures.gains import discounts


def test_tied_rows_are_the_mean_over_orders_and_others_untouched() -> None:
    gains = np.array([[3, 2, 0, 1], [3, 2, 0, 1], [0, 0, 1, 5]])
    scores = np.array([[1.0, 1.0, 1.0, 2.0], [4.0, 3.0, 2.0, 1.0], [0.5, 0.5, 0.5, 0.5]])
    discount = discounts(4, "log2")
    found = dense_dcg(gains, scores, discount, ties="average")
    first = [np.dot([1, *order], discount) for order in itertools.permutations([3, 2, 0])]
    last = [np.dot(order, discount) for order in itertools.permutations([0, 0, 1, 5])]
    expected = [np.mean(first), np.dot([3, 2, 0, 1], discount), np.mean(last)]
    assert found == pytest.approx(expected)
    assert dense_ideal(gains, discount)[2] == pytest.approx(np.dot([5, 1, 0, 0], discount))
