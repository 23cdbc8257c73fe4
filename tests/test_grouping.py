"""Grouped arrays: LightGBM's metric, computed anew here, and refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ndcg import Convention, InputError, grouped, nDCG


def lightgbm_ndcg(labels: list[int], scores: list[float], k: int) -> float:
    """Return what LightGBM's rank_metric.hpp computes for one query, written from its text."""
    gains = [2.0**label - 1 for label in labels]
    order = sorted(range(len(labels)), key=lambda i: -scores[i])
    discount = [1 / np.log2(2 + i) for i in range(min(k, len(labels)))]
    best = sum(g * d for g, d in zip(sorted(gains, reverse=True), discount, strict=False))
    reached = sum(gains[i] * d for i, d in zip(order, discount, strict=False))
    return reached / best if best > 0 else 1.0


QUERY = st.lists(
    st.tuples(st.integers(0, 4), st.sampled_from([0.0, 0.5, -1.0, 2.0])), min_size=1, max_size=9
)


@settings(max_examples=150, deadline=None)
@given(queries=st.lists(QUERY, min_size=1, max_size=12), k=st.integers(1, 10))
def test_any_groups_give_lightgbms_metric(queries: Any, k: int) -> None:
    rows = [row for query in queries for row in query]
    labels, scores = zip(*rows, strict=True)
    found = grouped(labels, scores, [len(query) for query in queries], nDCG @ k)
    expected = [
        lightgbm_ndcg([row[0] for row in query], [row[1] for row in query], k) for query in queries
    ]
    assert found.runs[0].values[:, 0] == pytest.approx(expected, abs=1e-12)


def test_another_convention_counts_an_empty_query_as_zero() -> None:
    rules = Convention(gain="exp", ties="input")
    scores = grouped([0, 0, 1], [0.2, 0.1, 0.3], [2, 1], ["nDCG@5", "P@1"], convention=rules)
    assert scores.runs[0].values[:, 0].tolist() == [0.0, 1.0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1, 2], [0.5], [2]), "y_true has 2 rows and y_score 1"),
        (([1, 2, 0], [0.5, 1, 2], [2]), "group sums to 2, and there are 3 rows$"),
        (([1, 2, 0], [0.5, 1, 2], [7, 7, 8]), "group takes sizes, not a query id a row"),
        (([1, 2], [0.5, 1], [2, 0]), "1 or more"),
        (([1, 2], [0.5, 1], []), "1 or more"),
        (([[1, 2]], [0.5, 1], [2]), "y_true must have one dimension"),
        ((["a", "b"], [0.5, 1], [2]), "y_true must hold numbers"),
        (([1, 2], [0.5, float("nan")], [2]), "NaN|nan"),
    ],
)
def test_bad_arrays_are_refused(arguments: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        grouped(*arguments)
