"""Leave-one-run-out: checked by leaving the documents out by hand."""

from __future__ import annotations

import pytest
from scipy.stats import kendalltau

from ndcg import coverage, evaluate
from ndcg.holes.pool_bias import kendall_tau

QRELS = {"q": {"a": 2, "b": 1, "c": 1}, "r": {"a": 1, "z": 0}}
RUNS = {
    "one": {"q": {"a": 3.0, "b": 2.0}, "r": {"a": 1.0}},
    "two": {"q": {"a": 3.0, "x": 2.0}, "r": {"a": 1.0}},
    "three": {"q": {"c": 3.0, "a": 2.0}, "r": {"z": 1.0}},
}


def test_each_run_is_scored_without_what_only_it_found() -> None:
    bias = coverage(QRELS, RUNS).bias
    assert bias is not None
    rows = {row.run: row for row in bias.rows}
    assert [(row.own, row.judged, row.relevant) for row in bias.rows] == [
        (1, 1, 1),
        (1, 0, 0),
        (2, 2, 1),
    ]
    left = {"q": {"a": 2, "c": 1}, "r": {"a": 1, "z": 0}}
    expected = evaluate(left, RUNS["one"], "nDCG@10").mean()["nDCG@10"]
    assert rows["one"].without == expected
    assert rows["two"].change == 0.0
    assert rows["one"].change == rows["one"].without - rows["one"].value


def test_a_run_that_lives_on_its_own_judgments_is_named() -> None:
    found = coverage({"q": {"a": 1, "b": 1}}, {"old": {"q": {"a": 2.0}}, "new": {"q": {"b": 1.0}}})
    codes = [(notice.code, notice.run) for notice in found.notices]
    assert ("pool-bias", "old") in codes
    assert ("pool-bias", "new") in codes


def test_the_order_that_turns_round_is_told() -> None:
    qrels = {"q": {"a": 1, "b": 1, "c": 1}}
    runs = {"wide": {"q": {"a": 3.0, "b": 2.0}}, "narrow": {"q": {"x": 3.0, "c": 2.0, "y": 1.0}},
            "third": {"q": {"c": 2.0}}}  # fmt: skip
    found = coverage(qrels, runs)
    assert found.bias is not None
    assert found.bias.tau is not None
    assert found.bias.tau < 0.9
    assert "pool-order" in [notice.code for notice in found.notices]


def test_all_judgments_of_one_run_alone_leave_nothing_to_score() -> None:
    found = coverage({"q": {"a": 1}}, {"one": {"q": {"a": 1.0}}, "two": {"q": {"x": 1.0}}})
    assert found.bias is not None
    assert (found.bias.rows[0].value, found.bias.rows[0].without) == (1.0, 0.0)


@pytest.mark.parametrize(
    ("first", "second"), [([1, 2, 3, 4], [2, 1, 3, 4]), ([1, 1, 2], [3, 2, 2]), ([1, 2], [2, 1])]
)
def test_tau_is_scipys_tau_b(first: list[int], second: list[int]) -> None:
    assert kendall_tau(first, second) == pytest.approx(kendalltau(first, second).statistic)


def test_tau_of_equal_values_is_not_defined() -> None:
    assert kendall_tau([1, 1], [1, 2]) is None
