"""Effect size, wins, ties and losses."""

import numpy as np
import pytest

from ndcg.stats import paired_differences, summarise_differences

NAN = float("nan")


def test_effect_size_is_the_mean_over_the_standard_deviation() -> None:
    differences = [0.3, -0.1, 0.0, 0.2]
    (summary,) = summarise_differences(differences)
    assert summary.difference == pytest.approx(0.1)
    assert summary.sd == pytest.approx(np.std(differences, ddof=1))
    assert summary.effect_size == pytest.approx(0.1 / np.std(differences, ddof=1))
    assert (summary.wins, summary.ties, summary.losses) == (2, 1, 1)


def test_rounding_is_no_win() -> None:
    (summary,) = summarise_differences(paired_differences([0.3, 0.1], [0.1 + 0.2, 0.1]))
    assert (summary.wins, summary.ties, summary.losses) == (0, 2, 0)
    assert summary.effect_size == 0.0


def test_a_constant_difference_has_no_effect_size() -> None:
    (summary,) = summarise_differences([0.1, 0.1, 0.1])
    assert summary.effect_size is None
    assert summary.sd == 0.0


def test_a_single_query_has_no_spread() -> None:
    (summary,) = summarise_differences([0.1])
    assert summary.sd is None
    assert summary.effect_size is None


def test_each_column_counts_its_own_queries() -> None:
    both, one = summarise_differences([[0.5, NAN], [0.1, -0.25], [-0.1, NAN]])
    assert (both.n_queries, both.wins, both.losses) == (3, 2, 1)
    assert (one.n_queries, one.difference, one.losses) == (1, -0.25, 1)
