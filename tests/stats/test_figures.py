"""What printed means can support."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ndcg.errors import InputError, OptionError
from ndcg.stats import (
    FigureComparison,
    audit_figure,
    chernoff_interval,
    clopper_pearson,
    detectable_effect,
    paired_randomisation,
    paired_t,
    required_queries,
)


def compared(mean: float, n_queries: int, baseline: float, **settings: float) -> FigureComparison:
    comparison = audit_figure(mean, n_queries, baseline=baseline, **settings).comparison  # type: ignore[arg-type]
    assert comparison is not None
    return comparison


def test_a_binary_figure_has_its_exact_interval() -> None:
    audit = audit_figure(0.45, 300, binary=True)
    assert audit.basis == "exact"
    assert audit.interval == clopper_pearson(135, 300)
    assert audit.comparison is None


def test_a_graded_figure_has_the_widest_possible_interval() -> None:
    audit = audit_figure(0.45, 300)
    assert audit.basis == "widest"
    assert audit.interval == chernoff_interval(0.45, 300)


def test_a_printed_spread_gives_students_interval() -> None:
    audit = audit_figure(0.45, 300, sd=0.3)
    assert audit.basis == "sd"
    assert audit.interval is not None
    # 1.9679 is the 97.5 % point of t with 299 degrees of freedom.
    reach = 1.9679 * 0.3 / math.sqrt(300)
    assert (audit.interval.low, audit.interval.high) == pytest.approx(
        (0.45 - reach, 0.45 + reach), abs=1e-5
    )


def test_students_interval_keeps_within_0_and_1() -> None:
    interval = audit_figure(0.02, 5, sd=0.03).interval
    assert interval is not None
    assert interval.low == 0.0


def test_a_single_query_with_a_spread_has_no_interval() -> None:
    audit = audit_figure(0.45, 1, sd=0.3, baseline=0.43)
    assert audit.interval is None
    assert audit.comparison is not None
    assert audit.comparison.interval is None
    assert audit.comparison.detectable is None
    assert not audit.comparison.could_be_significant


def test_a_difference_is_bounded_by_twice_the_variance() -> None:
    comparison = compared(0.45, 300, 0.43, sd=0.3)
    assert comparison.sd_bound == pytest.approx(math.sqrt(2) * 0.3)
    assert comparison.detectable == pytest.approx(detectable_effect(300, math.sqrt(2) * 0.3))
    assert comparison.required == required_queries(comparison.difference, comparison.sd_bound)
    assert comparison.interval is not None
    assert comparison.interval.low < 0.0 < comparison.interval.high
    assert comparison.could_be_significant


def test_without_a_spread_the_greatest_one_is_taken() -> None:
    comparison = compared(0.45, 300, 0.43)
    variance = (0.45 * 0.55 + 0.43 * 0.57) * 300 / 299
    assert comparison.sd_bound == pytest.approx(math.sqrt(variance))


@pytest.mark.parametrize(("wins", "possible"), [(0, False), (5, False), (6, True), (-6, True)])
def test_the_best_outcome_of_a_binary_measure_has_no_losses(wins: int, *, possible: bool) -> None:
    audit = audit_figure(0.45 + wins / 300, 300, baseline=0.45, binary=True)
    assert audit.comparison is not None
    differences = np.zeros(300)
    differences[: abs(wins)] = np.sign(wins)
    assert audit.comparison.best_pvalue == paired_randomisation(differences, rng=0).pvalue[0]
    assert audit.comparison.could_be_significant is possible


@pytest.mark.parametrize(("n_queries", "possible"), [(5, False), (6, True)])
def test_the_best_outcome_of_a_graded_measure_moves_every_query(
    n_queries: int, *, possible: bool
) -> None:
    comparison = compared(0.47, n_queries, 0.45)
    best = paired_randomisation(np.full(n_queries, 0.02)).pvalue[0]
    assert comparison.best_pvalue == best
    assert comparison.could_be_significant is possible


def test_equal_figures_show_no_difference() -> None:
    comparison = compared(0.45, 300, 0.45)
    assert comparison.difference == 0.0
    assert comparison.required is None
    assert comparison.best_pvalue == 1.0
    assert not comparison.could_be_significant


def test_a_difference_that_no_billion_queries_show_requires_none() -> None:
    assert compared(0.45, 300, 0.45 + 1e-8).required is None
    assert compared(0.0, 2, 1e-308).required is None


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=2, max_size=40))
def test_the_bound_holds_for_scores_that_are_not_negatively_correlated(
    pairs: list[tuple[float, float]],
) -> None:
    first, second = np.sort(np.array(pairs), axis=0).T
    comparison = compared(float(second.mean()), len(pairs), float(first.mean()))
    assert (second - first).std(ddof=1) <= comparison.sd_bound + 1e-9
    actual = paired_t(second - first).intervals[0]
    if actual is not None and comparison.interval is not None:
        assert comparison.interval.low <= max(actual.low, -1.0) + 1e-9
        assert comparison.interval.high >= min(actual.high, 1.0) - 1e-9


def test_a_spread_that_the_mean_rules_out_is_an_error() -> None:
    with pytest.raises(InputError, match=r"mean of 0\.05 have a standard deviation of 0 to 0\.218"):
        audit_figure(0.05, 300, sd=0.3)


def test_a_mean_above_one_is_an_error() -> None:
    with pytest.raises(InputError, match=r"a mean of 45 is outside its bounds 0 to 1"):
        audit_figure(45, 300)


def test_no_queries_are_an_error() -> None:
    with pytest.raises(InputError, match="n_queries must be 1 or more, got 0"):
        audit_figure(0.45, 0)


def test_settings_are_checked() -> None:
    with pytest.raises(OptionError, match="level must lie between"):
        audit_figure(0.45, 300, level=95)
    with pytest.raises(OptionError, match="power must lie between"):
        audit_figure(0.45, 300, power=80)
