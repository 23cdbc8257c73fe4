"""Explanations and disagreements as text."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from ndcg import Convention, explain, why
from ndcg.reporting.explanation_tables import (
    disagreement_to_json,
    explanation_to_json,
    render_disagreement,
    render_explanation,
)
from ndcg.reporting.grids import display_width

QRELS = {"q": {"d2": 3, "d4": 2, "d9": 1}}
RUN = {"q": {"d7": 5.0, "d2": 4.0, "d9": 3.0, "d4": 2.0, "d1": 1.0}}


def page(measure: str = "nDCG@5", **rules: Any) -> str:
    told = explain(QRELS, RUN, "q", measure, convention=Convention(**rules))
    return render_explanation(told, None, None, None)


@pytest.mark.parametrize(
    ("measure", "equation"),
    [
        ("nDCG@5", "nDCG@5 = DCG / IDCG = 3.2541 / 4.7619 = 0.6834 (run)"),
        ("DCG@5", "DCG@5 = 3.2541 (run)"),
        ("CG@3", "CG@3 = 4.0000 (run)"),
    ],
)
def test_the_equation(measure: str, equation: str) -> None:
    assert page(measure).splitlines()[1] == equation


@pytest.mark.parametrize(
    ("measure", "total", "ideal"), [("DCG@3", "DCG", "IDCG"), ("CG@3", "CG", "ICG")]
)
def test_the_sums_are_named_for_the_measure(measure: str, total: str, ideal: str) -> None:
    words = [line.split() for line in page(measure).splitlines()]
    assert [total, "2.3928" if total == "DCG" else "4.0000"] in words
    assert [ideal, "4.7619" if total == "DCG" else "6.0000"] in words


@pytest.mark.parametrize(
    ("measure", "rules", "divisor"),
    [
        ("nDCG@5", {}, "log2(i+1)"),
        ("nDCG@5", {"ties": "average"}, "divisor"),
        ("nDCG(discount='jarvelin')@5", {}, "divisor"),
        ("nDCG@5", {"discount": "none"}, "divisor"),
        ("CG@5", {}, "divisor"),
    ],
)
def test_the_divisor_is_named_where_it_is_no_plain_logarithm(
    measure: str, rules: dict[str, Any], divisor: str
) -> None:
    names = page(measure, **rules).split("\n\n")[1].splitlines()[0].split()
    assert names == ["rank", "document", "grade", "gain", divisor, f"gain/{divisor}"]


def test_the_convention_stands_above_the_table() -> None:
    assert page().splitlines()[2] == "gain linear, log2, ties trec, unanswered 0, barren 0"
    lines = page("nDCG(gain={1: 1, 2: 2.5, 3: 10})", ties="average", profile="mine").splitlines()
    assert (
        "as mine: gain {1: 1, 2: 2.5, 3: 10}, log2, ties average, unanswered 0, barren 0" in lines
    )


def test_fractions_are_rounded_and_whole_gains_are_not() -> None:
    told = explain({"q": {"a": 0.123456, "b": 12}}, {"q": {"a": 2.0, "b": 1.0}}, "q")
    rows = [line.split() for line in render_explanation(told, None, None, None).splitlines()]
    assert ["1", "a", "0.123456", "0.1235", "1.0000", "0.1235"] in rows
    assert ["2", "b", "12", "12", "1.5850", "7.5712"] in rows


def test_one_hole_is_a_hole() -> None:
    told = explain({"q": {"a": 1}}, {"q": {"a": 2.0, "b": 1.0}}, "q")
    assert render_explanation(told, None, None, None).endswith(
        "1 of 2 documents is a hole: never judged, counted as not relevant"
    )


def test_what_fills_a_list_up_is_marked() -> None:
    told = explain({"q": {"a": 1, "b": 2, "c": 3}}, {"q": {"a": 1.0}}, "q", convention="sklearn")
    text = render_explanation(told, None, None, None)
    assert [line.split()[:2] for line in text.splitlines()[6:9]] == [
        ["1", "a"],
        ["2+=", "c"],
        ["3+=", "b"],
    ]
    assert text.endswith("+ was not retrieved; the convention fills lists up with what was judged")


def test_ids_of_any_kind_keep_the_page_in_form() -> None:
    ids = ["x" * 5_000, "日本語" * 20, "a\tb\nc", "\x1b[31mred", "\u202egnip", "e\u0301"]
    qrels = {query: {doc: i for i, doc in enumerate(ids)} for query in ids}
    runs = {query: {doc: float(i) for i, doc in enumerate(ids[::-1])} for query in ids}
    for query in ids:
        told = explain(qrels, runs, query)
        told = replace(told, run="r\n" * 50)
        other = explain(qrels, {query: {ids[0]: 1.0}}, query)
        text = render_explanation(told, told.move(ids[0], 2), other, "title\n" * 40)
        assert all(line.isprintable() for line in text.split("\n"))
        assert max(display_width(line) for line in text.split("\n")) <= 80


def test_json_has_the_text_of_the_query() -> None:
    told = explain(QRELS, RUN, "q")
    assert explanation_to_json(told, None, None, "shoes")["text"] == "shoes"
    assert "moved" not in explanation_to_json(told, None, None, None)
    json.dumps(explanation_to_json(told, told.move("d2", 1), told, None), allow_nan=False)


def test_a_query_that_is_left_out_has_no_change() -> None:
    qrels = {**QRELS, "p": {"a": 1}}
    here = explain(qrels, {"p": {"a": 1.0}}, "q", convention="pytrec_eval")
    there = explain(qrels, RUN, "q", convention="pytrec_eval")
    text = render_explanation(here, here.move("d2", 1), there, None)
    assert "nDCG@10 = DCG / IDCG = 3.0000 / 4.7619 = 0.6300 (run)\nrank" in text
    assert "run 0.6834, run -: difference -\n" in text
    assert explanation_to_json(here, None, there, None)["value"] is None


def test_one_query_that_differs_is_one_query() -> None:
    qrels, run = {"q": {"a": 1}}, {"q": {"a": 1.0, "b": 1.0}}
    found = why(qrels, run, "default", Convention(ties="ascending", profile="mine"))
    text = render_disagreement(found, top=10)
    assert "\n1 query differs\n" in text
    assert disagreement_to_json(found) == {"schema": 1, **found.to_dict()}


def test_a_mean_over_no_query_is_a_dash() -> None:
    found = why({"q": {"a": 0}}, {"q": {"a": 1.0}}, "default", Convention(barren="skip"))
    text = " ".join(render_disagreement(found, top=10).split())
    assert text.startswith("nDCG@10 as default 0.0000 over 1 query, as gain linear, log2, ")
    assert "barren left out - over 0 queries" in text
