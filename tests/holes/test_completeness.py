"""Capture-recapture: the textbook's formula, and its cover when its assumptions hold."""

from __future__ import annotations

import numpy as np
import pytest

from ndcg import OptionError, coverage
from ndcg.holes.completeness import chao_estimate


def test_the_estimate_is_the_bias_corrected_chao2() -> None:
    total, interval = chao_estimate(30, (10, 4), 3)
    assert total == pytest.approx(30 + (2 / 3) * 10 * 9 / (2 * 5))
    assert interval is not None
    assert 30 < interval[0] < total < interval[1]


@pytest.mark.parametrize("runs", [2, 4])
def test_the_interval_covers_when_runs_are_independent(runs: int) -> None:
    draw = np.random.default_rng(7)
    hits = 0
    for _ in range(200):
        times = (draw.random((300, runs)) < 0.4).sum(axis=1)
        counts = (int((times == 1).sum()), int((times == 2).sum()))
        _, interval = chao_estimate(int((times > 0).sum()), counts, runs)
        hits += interval is not None and interval[0] <= 300 <= interval[1]
    assert hits >= 180


def test_no_document_found_twice_still_gives_an_estimate() -> None:
    total, interval = chao_estimate(5, (5, 0), 2)
    assert total == 10.0
    assert interval is not None


def test_one_document_found_once_has_no_interval() -> None:
    assert chao_estimate(1, (1, 0), 2) == (1.0, None)


def test_one_run_cannot_be_recaptured() -> None:
    with pytest.raises(OptionError, match="2 runs or more, got 1"):
        chao_estimate(1, (1, 0), 1)
    assert coverage({"q": {"a": 1}}, {"q": {"a": 1.0}}).completeness is None


def test_the_sentence_says_that_it_is_rough_and_why() -> None:
    runs = {"one": {"q": {"a": 2.0, "b": 1.0}}, "two": {"q": {"a": 2.0, "c": 1.0}}}
    found = coverage({"q": {"a": 1, "b": 1, "c": 1}}, runs).completeness
    assert found is not None
    told = found.describe()
    assert told.startswith("the 2 runs found about 92% [")
    assert "(3 of 3; 2 by one run only, 1 by two); rough: as if runs found documents indep" in told


def test_runs_without_a_relevant_document_say_so() -> None:
    runs = {"one": {"q": {"x": 1.0}}, "two": {"q": {"y": 1.0}}}
    found = coverage({"q": {"a": 1}}, runs).completeness
    assert found is not None
    assert found.describe() == "none of the 2 runs found a relevant document"
    assert found.to_dict()["share"] is None
