"""``why``: on which queries two conventions part, and through which rule."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest

from ndcg import PROFILES, Convention, InputError, OptionError, evaluate, why

SAMPLES = Path(__file__).parents[1] / "src" / "ndcg" / "samples"

SECOND = 1 / math.log2(3)  # the discount of rank 2


def rules_of(found: Any) -> dict[str, tuple[str, str, int]]:
    return {
        row["rule"]: (row["first"], row["second"], row["queries"]) for row in found.rules.to_dicts()
    }


# One query on which exactly one rule parts each pair: qrels, run, the changed rule, its two
# settings, and the values under both (None where the query is left out).
CASES: dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, Any], float | None, float]] = {
    "gain": (
        {"q": {"a": 1, "b": 2}},
        {"q": {"a": 2.0, "b": 1.0}},
        {"gain": "exp"},
        (1 + 3 * SECOND) / (3 + SECOND),
        (1 + 2 * SECOND) / (2 + SECOND),
    ),
    "discount": (
        {"q": {"a": 1, "b": 2}},
        {"q": {"a": 2.0, "b": 1.0}},
        {"discount": "jarvelin"},
        1.0,
        (1 + 2 * SECOND) / (2 + SECOND),
    ),
    "ties": (
        {"q": {"a": 1}},
        {"q": {"a": 1.0, "b": 1.0}},
        {"ties": "ascending"},
        1.0,
        SECOND,
    ),
    "ideal": (
        {"q": {"a": 1, "b": 1}},
        {"q": {"a": 1.0}},
        {"ideal": "retrieved"},
        1.0,
        1 / (1 + SECOND),
    ),
    "scores": (
        {"q": {"a": 1}},
        {"q": {"a": 0.30000000001, "b": 0.3}},
        {"scores": "float32"},
        SECOND,
        1.0,
    ),
    "grades": (
        {"q": {"a": 1.5, "b": 2}},
        {"q": {"a": 2.0, "b": 1.0}},
        {"grades": "truncated"},
        (1 + 2 * SECOND) / (2 + SECOND),
        (1.5 + 2 * SECOND) / (2 + 1.5 * SECOND),
    ),
    "unanswered": (
        {"p": {"a": 1}, "q": {"a": 1}},
        {"p": {"a": 1.0}},
        {"unanswered": "skip"},
        None,
        0.0,
    ),
    "barren": ({"q": {"a": 0}}, {"q": {"a": 1.0}}, {"barren": "one"}, 1.0, 0.0),
    "short_lists": (
        {"q": {"a": 1, "b": 1}},
        {"q": {"a": 1.0}},
        {"short_lists": "fill"},
        1.0,
        1 / (1 + SECOND),
    ),
    "same_ids": (
        {"q": {"a": 1}},
        {"q": {"q": 2.0, "a": 1.0}},
        {"same_ids": "drop"},
        1.0,
        SECOND,
    ),
}


@pytest.mark.parametrize("rule", CASES)
def test_a_rule_that_parts_a_query_is_its_cause(rule: str) -> None:
    qrels, run, setting, other, default = CASES[rule]
    found = why(qrels, run, "default", Convention(**setting))
    assert list(rules_of(found)) == [rule]
    assert rules_of(found)[rule][1:] == (str(setting[rule]), 1)
    (row,) = found.queries.to_dicts()
    assert (row["query_id"], row["rules"]) == ("q", rule)
    assert row["first"] == pytest.approx(default, abs=1e-12)
    assert row["second"] == (None if other is None else pytest.approx(other, abs=1e-12))
    assert row["difference"] == (
        None if other is None else pytest.approx(other - default, abs=1e-12)
    )


@pytest.mark.parametrize("rule", CASES)
def test_the_other_direction_is_the_mirror(rule: str) -> None:
    qrels, run, setting, _, _ = CASES[rule]
    there = why(qrels, run, "default", Convention(**setting))
    back = why(qrels, run, Convention(**setting), "default")
    assert back.means == there.means[::-1]
    assert back.counts == there.counts[::-1]
    assert back.names == there.names[::-1]
    (one,), (other,) = there.queries.to_dicts(), back.queries.to_dicts()
    assert (one["first"], one["second"], one["rules"]) == (
        other["second"],
        other["first"],
        other["rules"],
    )


def test_an_undefined_measure_may_count_0() -> None:
    qrels, run = {"p": {"a": 1}, "q": {"a": 1}}, {"p": {"a": 1.0}}
    found = why(qrels, run, "default", Convention(undefined="zero"), "Judged@10")
    assert found.queries.to_dicts() == [
        {"query_id": "q", "first": None, "second": 0.0, "difference": None, "rules": "undefined"}
    ]
    assert (found.means, found.counts) == ((1.0, 0.5), (1, 2))


def test_a_tie_exception_parts_the_measure_that_it_names() -> None:
    qrels, run = {"q": {"a": 1}}, {"q": {"a": 1.0, "b": 1.0}}
    other = Convention(tie_exceptions=(("RR@", "ascending"), ("Judged", "ascending")))
    found = why(qrels, run, "default", other, "RR@10")
    assert found.queries["rules"].to_list() == ["tie_exceptions"]
    assert rules_of(found) == {"tie_exceptions": ("none", "RR@, Judged ascending", 1)}
    assert len(why(qrels, run, "default", other, "nDCG@10").queries) == 0


def test_several_rules_that_each_part_a_query_are_all_named() -> None:
    qrels, run = {"q": {"a": 1, "b": 3}}, {"q": {"a": 1.0, "b": 1.0}}
    other = Convention(gain="exp", ties="ascending")
    found = why(qrels, run, Convention(ties="input"), other)
    assert found.queries["rules"].to_list() == ["gain"]
    found = why(qrels, run, "default", other)
    # In trec order b stands first and is ideal, so gain alone changes nothing.
    assert found.queries["rules"].to_list() == ["ties"]
    found = why(qrels, run, other, "default")
    assert found.queries["rules"].to_list() == ["gain, ties"]


def test_rules_that_part_a_query_only_together_are_said_so() -> None:
    qrels, run = {"q": {"a": 1, "b": 0}}, {"q": {"b": 1.0}}
    # LightGBM's ideal is empty here; only then does its policy for barren queries matter.
    other = Convention(ideal="retrieved", barren="one")
    found = why(qrels, run, "default", other)
    assert found.queries.to_dicts() == [
        {
            "query_id": "q",
            "first": 0.0,
            "second": 1.0,
            "difference": 1.0,
            "rules": "several rules together",
        }
    ]


def test_a_gain_mapping_is_spelled_as_it_is_written() -> None:
    gain: Any = {1: 1, 2: 10}
    qrels, run = {"q": {"a": 1, "b": 2}}, {"q": {"a": 2.0, "b": 1.0}}
    found = why(qrels, run, "default", Convention(gain=gain))
    assert rules_of(found) == {"gain": ("linear", "{1: 1, 2: 10}", 1)}


def test_means_and_counts_are_those_of_evaluate_on_real_data() -> None:
    qrels, run = SAMPLES / "qrels.txt", SAMPLES / "bm25.run.gz"
    names = [name for name in PROFILES if name != "trec_eval"]
    for name in names:
        found = why(qrels, run, "trec_eval", name, "nDCG@10")
        for side, profile in enumerate(("trec_eval", name)):
            scores = evaluate(qrels, run, "nDCG@10", convention=profile)
            assert found.means[side] == scores.mean()["nDCG@10"]
            assert found.counts[side] == scores.count("nDCG@10")
        differing = {
            rule
            for rule in vars(PROFILES[name])
            if rule != "profile"
            and getattr(PROFILES["trec_eval"], rule) != getattr(PROFILES[name], rule)
        }
        assert set(rules_of(found)) == differing


def test_queries_left_out_come_first_then_the_largest_difference() -> None:
    found = why(SAMPLES / "qrels.txt", SAMPLES / "bm25.run.gz", "trec_eval", "sklearn")
    differences = found.queries["difference"].to_list()
    assert differences[:4] == [None] * 4
    sizes = [abs(one) for one in differences[4:]]
    assert sizes == sorted(sizes, reverse=True)


def test_the_mean_after_a_rule_is_that_of_the_changed_convention() -> None:
    qrels, run = SAMPLES / "qrels.txt", SAMPLES / "bm25.run.gz"
    found = why(qrels, run, "default", "gdeval")
    for row in found.rules.to_dicts():
        changed: dict[str, Any] = {row["rule"]: getattr(PROFILES["gdeval"], row["rule"])}
        scores = evaluate(qrels, run, "nDCG@10", convention=Convention(**changed))
        assert row["mean"] == scores.mean()["nDCG@10"]


@pytest.mark.parametrize("other", ["beir", PROFILES["beir"]])
def test_identical_conventions_are_refused(other: Convention | str) -> None:
    message = "beir and beir have the same rules; nothing can differ"
    with pytest.raises(OptionError, match=message):
        why({"q": {"a": 1}}, {"q": {"a": 1.0}}, "beir", other)


def test_a_convention_that_is_no_profile_is_named_by_its_rules() -> None:
    found = why({"q": {"a": 1}}, {"q": {"a": 1.0}}, Convention(gain="exp"), "trec_eval")
    assert found.names == ("gain exp, log2, ties trec, unanswered 0, barren 0", "trec_eval")


def test_duplicates_count_as_each_convention_says() -> None:
    rows = [("q", "a", 3.0), ("q", "b", 2.0), ("q", "a", 1.0)]
    first, last = Convention(duplicates="first"), Convention(duplicates="last")
    found = why({"q": {"a": 1}}, rows, first, last)
    assert found.queries["rules"].to_list() == ["duplicates"]
    assert [found.queries["first"][0], round(found.queries["second"][0], 4)] == [1.0, 0.6309]
    # Where one refuses them, both count as the other says.
    found = why({"q": {"a": 1}}, rows, "default", last)
    assert len(found.queries) == 0


def test_a_run_that_answers_no_judged_query_is_refused() -> None:
    message = "run: none of its queries is judged; the run has 'x', the qrels have 'q'"
    with pytest.raises(InputError, match=re.escape(message)):
        why({"q": {"a": 1}}, {"x": {"a": 1.0}}, "default", "sklearn")


def test_fractional_grades_are_refused_where_a_profile_refuses_them() -> None:
    with pytest.raises(InputError, match=r"profile 'gdeval' takes integer grades only, got 0\.5"):
        why({"q": {"a": 0.5}}, {"q": {"a": 1.0}}, "default", "gdeval")


def test_plain_values_frame_and_html() -> None:
    found = why(*CASES["unanswered"][:2], "default", Convention(unanswered="skip"))
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert list(plain) == ["measure", "conventions", "means", "counts", "rules", "queries"]
    assert (plain["means"], plain["counts"]) == ([0.5, 1.0], [2, 1])
    assert found.to_frame().columns == ["query_id", "first", "second", "difference", "rules"]
    assert repr(found).startswith("Disagreement(nDCG@10: default 0.5000, gain linear, ")
    assert repr(found).endswith("; 1 query differs)")
    assert found._repr_html_().startswith("<p>Disagreement(nDCG@10: default 0.5000")


def test_html_holds_no_markup_of_an_id() -> None:
    mark = "<script>alert(1)</script>"
    found = why({mark: {"a": 1}}, {mark: {"a": 1.0, "b": 1.0}}, "default", "sklearn")
    assert len(found.queries) == 1
    assert "<script>" not in found._repr_html_()


def test_a_mean_over_no_query_is_none_in_plain_values() -> None:
    found = why({"q": {"a": 0}}, {"q": {"a": 1.0}}, "default", Convention(barren="skip"))
    assert found.to_dict()["means"] == [0.0, None]
    assert found.to_dict()["rules"][0]["mean"] is None
    json.dumps(found.to_dict(), allow_nan=False)
