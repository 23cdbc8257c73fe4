"""Advice as text."""

from __future__ import annotations

from ndcg import AP, RR, Advice
from ndcg.reporting.advice_text import render_advice


def test_facts_measures_and_cautions() -> None:
    advice = Advice(("a fact",), ((RR @ 10, "one answer"), (AP, "all of them")), ("beware",))
    assert render_advice(advice) == (
        "a fact\n\nuse   RR@10: one answer\nalso  AP: all of them\n\nnote: beware"
    )


def test_without_cautions_it_ends_with_the_measures() -> None:
    assert render_advice(Advice(("a fact",), ((AP, "so"),), ())) == "a fact\n\nuse   AP: so"


def test_long_lines_are_wrapped_and_controls_spelled_out() -> None:
    text = render_advice(Advice(("word " * 30,), ((AP, "why\t" * 30),), ("run\x1b: " * 20,)))
    lines = text.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[1].startswith("  word")
    assert "\\x1b" in text
    assert text.replace("\n", "").isprintable()
