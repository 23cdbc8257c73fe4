"""Conventions: gains, rules, profiles, and their way to JSON and back."""

from __future__ import annotations

import json
import math
import re
from dataclasses import FrozenInstanceError, fields, replace
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ndcg import PROFILES, Convention, OptionError
from ndcg import conventions as module
from ndcg.conventions import as_convention, as_gain, spell_gain, spell_number

POSITIVE = st.floats(min_value=1e-9, max_value=1e9)
GAINS = st.sampled_from(["linear", "exp"]) | st.dictionaries(
    POSITIVE, POSITIVE, min_size=1, max_size=4
)
CHOICES = {
    name: get_args(getattr(module, alias))
    for name, alias in {
        "discount": "Discount",
        "ties": "Ties",
        "ideal": "Ideal",
        "scores": "Precision",
        "grades": "Grades",
        "unanswered": "Unanswered",
        "barren": "Barren",
        "undefined": "Undefined",
        "duplicates": "Duplicates",
        "short_lists": "ShortLists",
        "same_ids": "SameIds",
    }.items()
}


@pytest.mark.parametrize(
    ("gain", "expected"),
    [
        ("linear", "linear"),
        ("exp", "exp"),
        ({3: 10, 1: 1}, ((1.0, 1.0), (3.0, 10.0))),
        (((2, 3), (1, 1)), ((1.0, 1.0), (2.0, 3.0))),
        ({1: 0}, ((1.0, 0.0),)),
        ({0: 0, -1: 0, 1: 5}, ((-1.0, 0.0), (0.0, 0.0), (1.0, 5.0))),
        ({0.5: 2}, ((0.5, 2.0),)),
    ],
)
def test_gains(gain: Any, expected: Any) -> None:
    assert as_gain(gain) == expected
    assert Convention(gain=gain).gain == expected


@pytest.mark.parametrize(
    ("gain", "told"),
    [
        ("expo", "gain must be one of linear, exp, got 'expo'; did you mean 'exp'?"),
        ({}, "a gain mapping needs at least one grade, such as {1: 1, 2: 3}"),
        ((), "a gain mapping needs at least one grade, such as {1: 1, 2: 3}"),
        ({1: math.nan}, "gain of grade 1 must be a number of 0 or more, got nan"),
        ({1: math.inf}, "gain of grade 1 must be a number of 0 or more, got inf"),
        ({1: -2}, "gain of grade 1 must be a number of 0 or more, got -2.0"),
        ({math.inf: 2}, "gain of grade inf must be a number of 0 or more, got 2.0"),
        ({0: 1}, "a grade of 0 or below gains nothing, got 1 for 0"),
        ({-1: 3, 1: 1}, "a grade of 0 or below gains nothing, got 3 for -1"),
        (((1, 1), (1, 2)), "a gain mapping names each grade once, got {1: 1, 1: 2}"),
        *[
            (gain, f"gain must be 'linear', 'exp' or a mapping from grade to gain, got {gain!r}")
            for gain in (5, None, {"a": 1}, [(1, 2, 3)], {1: None}, 1.5, [1])
        ],
    ],
)
def test_what_is_no_gain_is_refused(gain: Any, told: str) -> None:
    with pytest.raises(OptionError, match=f"^{re.escape(told)}$"):
        Convention(gain=gain)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "1"),
        (0.5, "0.5"),
        (3.14159265, "3.14159265"),
        (1e300, "1e+300"),
        (1000001.0, "1000001.0"),
        (0.1 + 0.2, "0.30000000000000004"),
    ],
)
def test_numbers_are_spelled_shortly_and_exactly(value: float, text: str) -> None:
    assert spell_number(value) == text
    assert float(text) == value


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_spelled_number_reads_as_itself(value: float) -> None:
    assert float(spell_number(value)) == value


def test_a_gain_is_spelled_as_it_is_written() -> None:
    assert spell_gain(((1.0, 1.0), (2.5, 1 / 3))) == "{1: 1, 2.5: 0.3333333333333333}"


@pytest.mark.parametrize("name", CHOICES)
def test_rules_are_one_of_their_choices(name: str) -> None:
    make: Any = Convention
    for choice in CHOICES[name]:
        assert getattr(make(**{name: choice}), name) == choice
    told = f"{name} must be one of {', '.join(CHOICES[name])}, got 'nonsuch'"
    with pytest.raises(OptionError, match=f"^{re.escape(told)}"):
        make(**{name: "nonsuch"})


def test_every_rule_has_choices_or_is_known_to_have_none() -> None:
    free = {"gain", "tie_exceptions", "profile"}
    assert {field.name for field in fields(Convention)} == CHOICES.keys() | free


def test_an_exception_of_ties_is_one_of_the_choices() -> None:
    told = "tie_exceptions must be one of trec, ascending, input, average, got 'tre'"
    with pytest.raises(OptionError, match=f"^{re.escape(told)}"):
        Convention(tie_exceptions=(("RR", "tre"),))  # type: ignore[arg-type]


def test_a_convention_is_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        Convention().gain = "exp"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("convention", "told"),
    [
        (Convention(), "gain linear, log2, ties trec, unanswered 0, barren 0"),
        (
            Convention(
                gain=((1, 1), (3, 10)), discount="jarvelin", unanswered="skip", barren="one"
            ),
            "gain {1: 1, 3: 10}, discount jarvelin, ties trec, unanswered left out, barren 1",
        ),
        (
            Convention(unanswered="error", barren="skip", discount="none", ties="average"),
            "gain linear, discount none, ties average, unanswered refused, barren left out",
        ),
        (
            PROFILES["ir_measures"],
            (
                "gain linear, log2, ties trec, unanswered 0, barren 0, scores float32, grades "
                "integer, undefined zero, duplicates last, RR@ ties ascending, Judged ties "
                "ascending"
            ),
        ),
        (
            PROFILES["beir"],
            (
                "gain linear, log2, ties trec, unanswered left out, barren 0, scores float32, "
                "grades integer, same ids drop"
            ),
        ),
    ],
)
def test_a_convention_is_told_in_a_line(convention: Convention, told: str) -> None:
    assert convention.describe() == told


def test_the_profiles_are_these() -> None:
    assert list(PROFILES) == [
        *("default", "trec_eval", "trec_eval-9", "pytrec_eval", "ir_measures", "sklearn", "ranx"),
        *("beir", "gdeval", "lightgbm"),
    ]
    assert all(convention.profile == name for name, convention in PROFILES.items())


@pytest.mark.parametrize("name", PROFILES)
def test_a_profile_is_found_by_its_name(name: str) -> None:
    assert as_convention(name) is PROFILES[name]
    assert as_convention(PROFILES[name]) is PROFILES[name]


def test_no_convention_is_the_default() -> None:
    assert as_convention(None) == Convention()


@pytest.mark.parametrize(
    ("name", "told"),
    [
        (
            "treceval",
            "no profile named 'treceval'; did you mean 'trec_eval'? (known: default, trec",
        ),
        ("nonsuch", "no profile named 'nonsuch' (known: default, trec_eval, trec_eval-9"),
        (5, "expected a Convention or the name of a profile, got 5"),
        (["ranx"], "expected a Convention or the name of a profile, got ['ranx']"),
        ({}, "expected a Convention or the name of a profile, got {}"),
    ],
)
def test_an_unknown_profile_is_refused(name: Any, told: str) -> None:
    with pytest.raises(OptionError, match=f"^{re.escape(told)}"):
        as_convention(name)


@pytest.mark.parametrize("name", PROFILES)
def test_profiles_survive_json(name: str) -> None:
    told = json.loads(json.dumps(PROFILES[name].to_dict()))
    assert Convention.from_dict(told) == PROFILES[name]


@given(GAINS, st.fixed_dictionaries({name: st.sampled_from(one) for name, one in CHOICES.items()}))
def test_any_convention_survives_json(gain: Any, rules: dict[str, Any]) -> None:
    convention = Convention(gain=gain, tie_exceptions=(("RR", "input"),), **rules)
    assert Convention.from_dict(json.loads(json.dumps(convention.to_dict()))) == convention


def test_a_gain_mapping_is_an_object_in_json() -> None:
    assert Convention(gain=((1, 1), (2.25, 1000001))).to_dict()["gain"] == {
        "1": 1.0,
        "2.25": 1000001.0,
    }


def test_rules_that_are_left_out_are_the_defaults() -> None:
    assert Convention.from_dict({}) == Convention()
    assert Convention.from_dict({"ties": "input"}) == replace(Convention(), ties="input")


def test_an_unknown_rule_is_refused() -> None:
    told = "a convention has no rule 'tie'; did you mean 'ties'?"
    with pytest.raises(OptionError, match=f"^{re.escape(told)}$"):
        Convention.from_dict({"tie": "trec"})
