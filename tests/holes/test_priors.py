"""What an unjudged document is likely to be worth."""

from __future__ import annotations

import numpy as np
import pytest

from ndcg.holes.priors import grade_prior

SCALE = np.array([0.0, 1.0, 2.0])


def test_without_judgments_every_grade_is_as_likely_as_another() -> None:
    chance = grade_prior(np.array([], int), np.array([]), SCALE, np.array([1, 9]))
    assert chance == pytest.approx(np.full((2, 3), 1 / 3))


def test_first_ranks_expect_what_judged_documents_at_first_ranks_had() -> None:
    rank, grade = np.repeat([1, 9], 200), np.repeat([2.0, 0.0], 200)
    first, second, last = grade_prior(rank, grade, SCALE, np.array([1, 2, 10]))
    assert first.argmax() == 2
    assert last.argmax() == 0
    # No judged document at ranks 2 and 3: what all of them have.
    assert second == pytest.approx(np.array([201, 1, 201]) / 403)


def test_no_grade_is_impossible_and_a_negative_one_counts_as_the_nearest() -> None:
    chance = grade_prior(np.ones(500, int), np.full(500, -1.0), SCALE, np.array([1]))
    assert (chance > 0).all()
    assert chance[0, 0] > 0.97
    assert chance.sum() == pytest.approx(1.0)
