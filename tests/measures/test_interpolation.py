"""Interpolated precision: by hand on one list, and where a point is out of reach."""

from __future__ import annotations

import numpy as np
import pytest

from ndcg import as_qrels, as_run, rank
from ndcg.measures.interpolation import interpolated_precision

QRELS = as_qrels({"q1": {"a": 1, "b": 2, "c": 1, "x": 0}, "q2": {"z": 1}})
RUN = as_run({"q1": {"x": 5.0, "a": 4.0, "b": 3.0, "y": 2.0}, "q2": {"y": 1.0}})


def test_a_point_has_the_best_precision_from_there_on() -> None:
    found = interpolated_precision(rank(QRELS, RUN), points=(0.0, 0.3, 0.4, 0.6, 0.8, 1.0))
    # Relevant at ranks 2 and 3: precision 1/2 and 2/3; the third is never found.
    best = 2 / 3
    assert found[0] == pytest.approx([best, best, best, best, 0.0, 0.0])
    assert not found[1].any()


def test_a_level_of_relevance_counts_from_there() -> None:
    found = interpolated_precision(rank(QRELS, RUN), rel=2)
    assert found[0] == pytest.approx(np.full(11, 1 / 3))
