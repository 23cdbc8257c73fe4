from __future__ import annotations

import pytest

from ndcg.errors import OptionError
from ndcg.planning import Effort, plan


def test_the_known_costs_come_out() -> None:
    row = plan(sd=0.2, queries=[300], depths=[10]).rows[0]
    assert (row.labels, row.hours, row.money) == (4500, 31.25, 1875.0)


def test_300_to_500_queries_show_about_two_to_three_points_at_typical_variance() -> None:
    rows = plan(sd=0.17, queries=[300, 500], depths=[10]).rows
    assert [round(row.detectable, 3) for row in rows] == [0.028, 0.021]


def test_overlap_multiplies_only_the_shared_part() -> None:
    assert Effort(raters=3, overlap=0.2).labels(100, 10, 3) == 1400


def test_an_effect_needs_more_queries_than_a_larger_one() -> None:
    small, large = plan(0.02, sd=0.2).required, plan(0.04, sd=0.2).required
    assert (small, large) == (787, 199)


def test_without_a_deviation_the_widest_is_taken_and_said() -> None:
    found = plan(0.1)
    assert found.sd == pytest.approx(0.5 * 2**0.5)
    assert "widest possible" in found.origin


def test_the_plan_shows_itself() -> None:
    found = plan(0.02, sd=0.2, origin="a pilot", queries=[50, 100], depths=[5])
    assert repr(found) == "Plan(787 queries for 0.02, sd 0.200 from a pilot)"
    assert found.to_frame()["queries"].to_list() == [50, 100]
    assert found.to_dict()["rows"][1]["depth"] == 5
    assert found._repr_html_().startswith("<p>Plan(")


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"effect": 0.0}, "effect must be above 0"),
        ({"queries": [0]}, "queries must be 1 or more, got 0"),
        ({"depths": []}, "depths must be 1 or more"),
    ],
)
def test_what_cannot_be_planned_is_refused(keywords: dict[str, object], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        plan(**keywords)  # type: ignore[arg-type]


def test_impossible_efforts_are_refused() -> None:
    with pytest.raises(OptionError, match="effort needs seconds above 0"):
        Effort(seconds=0)


def test_several_numbers_of_raters_make_rows_of_their_own() -> None:
    found = plan(sd=0.2, queries=[100], depths=[10], effort=Effort(raters=(1, 3), overlap=0.5))
    assert [(row.raters, row.labels) for row in found.rows] == [(1, 1500), (3, 3000)]
