"""A measure as a frozen value: parameters, cutoff, spelling."""

from __future__ import annotations

import math
import pickle
import re
from dataclasses import FrozenInstanceError
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ndcg import (
    AP,
    ERR,
    RBP,
    Convention,
    Judged,
    Measure,
    MeasureError,
    NumRel,
    P,
    Rprec,
    nDCG,
)
from ndcg.measures.catalogue import CATALOGUE
from ndcg.measures.gains import Rules

if TYPE_CHECKING:
    from collections.abc import Callable


TEN: Any = np.int64(10)


@pytest.mark.parametrize(
    ("measure", "spelling"),
    [
        (nDCG, "nDCG"),
        (nDCG @ 10, "nDCG@10"),
        (nDCG @ TEN, "nDCG@10"),
        (nDCG(gain="exp") @ 10, "nDCG(gain='exp')@10"),
        ((nDCG @ 10)(gain="exp"), "nDCG(gain='exp')@10"),
        (nDCG(ties="average", gain="exp") @ 10, "nDCG(gain='exp', ties='average')@10"),
        (nDCG(gain={3: 10, 1: 1}), "nDCG(gain={1: 1, 3: 10})"),
        (nDCG(gain=MappingProxyType({1: 1 / 3})), "nDCG(gain={1: 0.3333333333333333})"),
        (nDCG(condensed=True) @ 10, "nDCG(condensed=True)@10"),
        (nDCG(condensed=False), "nDCG"),
        (P(rel=2) @ 5, "P(rel=2)@5"),
        (P(rel=1) @ 5, "P@5"),
        (P(rel=np.float64(1.5)), "P(rel=1.5)"),
        (RBP, "RBP(p=0.8)"),
        (RBP(p=0.8), "RBP(p=0.8)"),
        (RBP(p=0.5) @ 10, "RBP(p=0.5)@10"),
        (RBP(residual=True, rel=2), "RBP(rel=2, p=0.8, residual=True)"),
        (ERR(max_grade=4) @ 20, "ERR(max_grade=4)@20"),
        (Rprec, "Rprec"),
    ],
)
def test_a_measure_is_its_spelling(measure: Measure, spelling: str) -> None:
    assert repr(measure) == spelling


def test_measures_are_equal_where_they_mean_the_same() -> None:
    assert nDCG(gain="exp", ties="input") == nDCG(ties="input")(gain="exp")
    assert P(rel=1) == P
    assert P(rel=2) == P(rel=2.0)
    assert RBP(p=0.8) == RBP
    assert nDCG != nDCG @ 10
    assert nDCG(gain="linear") != nDCG
    assert len({nDCG @ 10, nDCG @ 10, nDCG(gain={1: 1}), nDCG(gain={1: 1.0})}) == 2


def test_a_measure_is_frozen_and_travels() -> None:
    measure = nDCG(gain={1: 2}) @ 5
    with pytest.raises(FrozenInstanceError):
        measure.cutoff = 3  # type: ignore[misc]
    assert pickle.loads(pickle.dumps(measure)) == measure  # noqa: S301


@pytest.mark.parametrize("cutoff", [0, -1, True, False, 1.0, 10.5, "10", [1], math.nan])
def test_a_cutoff_is_an_integer_of_1_or_more(cutoff: Any) -> None:
    told = f"cutoff of nDCG must be an integer of 1 or more, got {cutoff!r}"
    with pytest.raises(MeasureError, match=f"^{re.escape(told)}$"):
        nDCG @ cutoff
    with pytest.raises(MeasureError, match=f"^{re.escape(told)}$"):
        Measure("nDCG", cutoff)


def test_a_cutoff_has_an_end() -> None:
    assert (nDCG @ 10**9).cutoff == 10**9
    with pytest.raises(
        MeasureError, match=r"^cutoff of P must be at most 1000000000, got 1000000001$"
    ):
        P @ (10**9 + 1)


def test_a_second_cutoff_is_refused() -> None:
    with pytest.raises(MeasureError, match=r"^nDCG@10 has a cutoff already, got another: @5$"):
        nDCG @ 10 @ 5


@pytest.mark.parametrize("name", [name for name, one in CATALOGUE.items() if one.cutoff == "never"])
def test_a_measure_of_the_whole_list_has_no_cutoff(name: str) -> None:
    with pytest.raises(MeasureError, match=rf"^{name} has no cutoff, got @5$"):
        Measure(name) @ 5


@pytest.mark.parametrize(
    ("name", "hint"),
    [("NDCG", "; did you mean 'nDCG'?"), ("Sucess", "; did you mean 'Success'?"), ("xyz", "")],
)
def test_an_unknown_name_suggests_the_near_one(name: str, hint: str) -> None:
    with pytest.raises(MeasureError, match=f"^{re.escape(f'no measure named {name!r}{hint}')}$"):
        Measure(name)


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (
            lambda: nDCG(gian="exp"),
            (
                "nDCG has no parameter 'gian'; did you mean 'gain'? (it has gain, discount, "
                "condensed, "
                "ties)"
            ),
        ),
        (lambda: AP(p=0.5), "AP has no parameter 'p' (it has rel, condensed, ties)"),
        (lambda: Judged(rel=2), "Judged has no parameter 'rel' (it has condensed, ties)"),
        (lambda: P(rel=2)(rel=3), "P is given parameter rel twice"),
        (lambda: RBP(p=0.5)(p=0.6), "RBP is given parameter p twice"),
        (lambda: Measure("P", None, (("rel", 2), ("rel", 2))), "P is given parameter rel twice"),
        (
            lambda: AP(ties="average"),
            (
                "AP has no expected value over ties here; ties='average' goes with nDCG, DCG, CG, "
                "P, "
                "R, RBP, Judged, NumRet, NumRel, NumRelRet"
            ),
        ),
        (lambda: nDCG(condensed=1), "parameter condensed of nDCG must be True or False, got 1"),
        (lambda: RBP(residual="yes"), "parameter residual of RBP must be True or False, got 'yes'"),
        (
            lambda: nDCG(ties="avg"),
            (
                "parameter ties of nDCG must be one of trec, ascending, input, average, got 'avg'; "
                "did you mean 'average'?"
            ),
        ),
        (
            lambda: nDCG(ties=None),
            "parameter ties of nDCG must be one of trec, ascending, input, average, got None",
        ),
        (
            lambda: nDCG(discount="log3"),
            (
                "parameter discount of nDCG must be one of log2, jarvelin, none, got 'log3'; did "
                "you "
                "mean 'log2'?"
            ),
        ),
        (
            lambda: nDCG(gain="expo"),
            (
                "parameter gain of nDCG: gain must be one of linear, exp, got 'expo'; did you mean "
                "'exp'?"
            ),
        ),
        (
            lambda: nDCG(gain={}),
            "parameter gain of nDCG: a gain mapping needs at least one grade, such as {1: 1, 2: 3}",
        ),
        (
            lambda: nDCG(gain=5),
            (
                "parameter gain of nDCG: gain must be 'linear', 'exp' or a mapping from grade to "
                "gain, "
                "got 5"
            ),
        ),
        (
            lambda: nDCG(gain={1: -1}),
            "parameter gain of nDCG: gain of grade 1 must be a number of 0 or more, got -1.0",
        ),
    ],
)
def test_a_wrong_parameter_is_refused(make: Callable[[], Measure], told: str) -> None:
    with pytest.raises(MeasureError, match=f"^{re.escape(told)}$"):
        make()


@pytest.mark.parametrize("value", ["2", None, True, [1], 1j])
def test_a_parameter_must_be_a_number(value: Any) -> None:
    told = f"parameter rel of P must be a number, got {value!r}"
    with pytest.raises(MeasureError, match=f"^{re.escape(told)}$"):
        P(rel=value)


@pytest.mark.parametrize("value", [0, -1, math.nan, math.inf, -math.inf, 0.0])
def test_a_parameter_must_be_a_number_above_0(value: float) -> None:
    told = f"parameter rel of P must be a number above 0, got {value!r}"
    with pytest.raises(MeasureError, match=f"^{re.escape(told)}$"):
        P(rel=value)


@pytest.mark.parametrize("value", [0, 1, 1.5, -0.2, math.nan, math.inf])
def test_persistence_lies_between_0_and_1(value: float) -> None:
    told = f"parameter p of RBP must be a number above 0 and below 1, got {value!r}"
    with pytest.raises(MeasureError, match=f"^{re.escape(told)}$"):
        RBP(p=value)


@pytest.mark.parametrize("value", [0, -3, 1023, 5000, math.nan, math.inf])
def test_the_highest_grade_has_an_end(value: float) -> None:
    told = f"parameter max_grade of ERR must be a number above 0 and below 1023, got {value!r}"
    with pytest.raises(MeasureError, match=f"^{re.escape(told)}$"):
        ERR(max_grade=value)


def test_rules_are_the_measures_and_then_the_conventions() -> None:
    convention = Convention(
        gain="exp", discount="none", ties="input", ideal="retrieved", barren="one"
    )
    assert (nDCG(discount="log2", ties="trec") @ 5).rules(convention) == Rules(
        cutoff=5, gain="exp", discount="log2", ties="trec", ideal="retrieved", barren="one"
    )
    assert RBP(p=0.5, rel=2).rules(Convention()) == Rules(p=0.5, rel=2.0)
    assert RBP.rules(Convention()) == Rules()


@pytest.mark.parametrize("name", CATALOGUE)
def test_every_family_takes_what_its_definition_says(name: str) -> None:
    given: dict[str, Any] = {
        "gain": "exp",
        "discount": "none",
        "rel": 2,
        "p": 0.5,
        "residual": True,
        "max_grade": 4,
        "condensed": True,
        "ties": "input",
    }
    allowed = {*CATALOGUE[name].parameters, "condensed", "ties"}
    measure = Measure(name)(**{key: given[key] for key in allowed})
    assert {key for key, _ in measure.parameters} == allowed


def test_counting_is_told() -> None:
    assert NumRel.is_count
    assert not nDCG.is_count


def test_sums_of_gains_are_told() -> None:
    assert [name for name in CATALOGUE if Measure(name).is_unbounded] == ["DCG", "CG"]
