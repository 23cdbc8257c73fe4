"""Reading a measure from its spelling, ours or another tool's."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ndcg import AP, Measure, MeasureError, P, R, nDCG, parse_measure
from ndcg.measures import parse_measures
from ndcg.measures.catalogue import CATALOGUE

KNOWN = (
    "(known: nDCG, DCG, CG, P, R, AP, RR, Success, Rprec, ERR, RBP, Bpref, infAP, Judged, NumRet, "
    "NumRel, NumRelRet)"
)


@pytest.mark.parametrize(
    ("text", "spelling"),
    [
        # ours
        *((name, name) for name in CATALOGUE if name != "RBP"),
        ("nDCG@10", "nDCG@10"),
        ("nDCG(gain='exp')@10", "nDCG(gain='exp')@10"),
        ('nDCG(gain="exp", ties="average")@10', "nDCG(gain='exp', ties='average')@10"),
        ("nDCG(gain={1: 1, 2: 3})@10", "nDCG(gain={1: 1, 2: 3})@10"),
        ("nDCG(condensed=True)@10", "nDCG(condensed=True)@10"),
        ("nDCG(cutoff=5)", "nDCG@5"),
        ("nDCG()", "nDCG"),
        ("RBP(p=0.8)", "RBP(p=0.8)"),
        ("RBP", "RBP(p=0.8)"),
        (" nDCG @ 10 ", "nDCG@10"),
        ("nDCG@+10", "nDCG@10"),
        # trec_eval and pytrec_eval
        ("ndcg", "nDCG"),
        ("ndcg_cut_10", "nDCG@10"),
        ("ndcg_cut.10", "nDCG@10"),
        ("ndcg_10", "nDCG@10"),
        ("map", "AP"),
        ("map_cut_100", "AP@100"),
        ("recip_rank", "RR"),
        ("P_5", "P@5"),
        ("P.5", "P@5"),
        ("recall_100", "R@100"),
        ("success_1", "Success@1"),
        ("Rprec", "Rprec"),
        ("bpref", "Bpref"),
        ("infAP", "infAP"),
        ("infap", "infAP"),
        ("set_P", "P"),
        ("set_recall", "R"),
        ("num_ret", "NumRet"),
        ("num_rel", "NumRel"),
        ("num_rel_ret", "NumRelRet"),
        ("rbp_0.8", "RBP(p=0.8)"),
        ("rbp_95", "RBP(p=0.95)"),
        ("rbp.5", "RBP(p=0.5)"),
        # ranx, BEIR, MTEB
        ("ndcg@10", "nDCG@10"),
        ("NDCG@10", "nDCG@10"),
        ("ndcg_burges@10", "nDCG(gain='exp')@10"),
        ("dcg_burges@5", "DCG(gain='exp')@5"),
        ("mrr@10", "RR@10"),
        ("MRR", "RR"),
        ("hit_rate@5", "Success@5"),
        ("accuracy@1", "Success@1"),
        ("precision@5", "P@5"),
        ("recall@100", "R@100"),
        ("map@100", "AP@100"),
        ("r-precision", "Rprec"),
        ("r_precision", "Rprec"),
        ("ndcg_at_10", "nDCG@10"),
        ("map_at_100", "AP@100"),
        ("recall_at_100", "R@100"),
        ("precision_at_5", "P@5"),
        ("mrr_at_10", "RR@10"),
        ("hit_rate_at_1", "Success@1"),
        # ir_measures and PyTerrier
        ("nDCG(dcg='exp-log2')@10", "nDCG(gain='exp')@10"),
        ("nDCG(dcg='log2')@10", "nDCG(gain='linear')@10"),
        ("nDCG(gains={1: 10, 2: 1})", "nDCG(gain={1: 10, 2: 1})"),
        ("nDCG(judged_only=True)@10", "nDCG(condensed=True)@10"),
        ("P(rel=2)@5", "P(rel=2)@5"),
        ("ERR(max=4)@20", "ERR(max_grade=4)@20"),
        ("reciprocal_rank", "RR"),
        ("average_precision", "AP"),
    ],
)
def test_spellings(text: str, spelling: str) -> None:
    assert repr(parse_measure(text)) == spelling


def test_a_measure_is_returned_as_it_is() -> None:
    measure = nDCG @ 10
    assert parse_measure(measure) is measure


NUMBERS = st.integers(1, 9) | st.floats(min_value=1e-6, max_value=1e6)
GAINS = st.sampled_from(["linear", "exp"]) | st.dictionaries(
    NUMBERS, NUMBERS, min_size=1, max_size=4
)
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "gain": GAINS,
    "discount": st.sampled_from(["log2", "jarvelin", "none"]),
    "rel": NUMBERS,
    "p": st.floats(min_value=1e-6, max_value=0.999999),
    "residual": st.booleans(),
    "max_grade": st.floats(min_value=1e-3, max_value=1000),
    "ties": st.sampled_from(["trec", "ascending", "input"]),
    "condensed": st.booleans(),
}


@st.composite
def measures(draw: st.DrawFn) -> Measure:
    """Return any measure that can be made."""
    name = draw(st.sampled_from(list(CATALOGUE)))
    allowed = [*CATALOGUE[name].parameters, "ties", "condensed"]
    chosen = draw(st.lists(st.sampled_from(allowed), unique=True))
    cutoff = (
        draw(st.none() | st.integers(1, 10**9)) if CATALOGUE[name].cutoff == "optional" else None
    )
    return Measure(name, cutoff, tuple((key, draw(VALUES[key])) for key in chosen))


@given(measures())
def test_a_measure_reads_as_itself(measure: Measure) -> None:
    assert parse_measure(repr(measure)) == measure
    assert repr(parse_measure(repr(measure))) == repr(measure)


@given(st.lists(measures(), min_size=1, max_size=4, unique=True))
def test_measures_in_one_text_read_as_themselves(several: list[Measure]) -> None:
    assert parse_measures(", ".join(map(repr, several))) == tuple(several)
    assert parse_measures(" ".join(map(repr, several))) == tuple(several)


@given(st.text(max_size=30) | st.text("nDCGPRrelmapgain@()=,{}'\"*.0123456789_ ", max_size=30))
def test_any_text_is_a_measure_or_a_measure_error(text: str) -> None:
    for parse in (parse_measure, parse_measures):
        try:
            parse(text)
        except MeasureError:
            continue


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("recal@5", "no measure named 'recal@5'; did you mean 'recall'?"),
        ("ndgc_cut_10", "no measure named 'ndgc_cut_10'; did you mean 'ndcg_cut'?"),
        ("nDGC(gain='exp')@10", "no measure named \"nDGC(gain='exp')@10\"; did you mean 'nDCG'?"),
        ("xyz", f"no measure named 'xyz' {KNOWN}"),
        ("", f"no measure named '' {KNOWN}"),
        ("@10", f"no measure named '@10' {KNOWN}"),
        ("10", f"no measure named '10' {KNOWN}"),
        (
            "nDCG@10 extra",
            "cutoff of 'nDCG@10 extra' must be an integer of 1 or more, got '10 extra'",
        ),
        ("nDCG@10@5", "cutoff of 'nDCG@10@5' must be an integer of 1 or more, got '10@5'"),
        ("nDCG@", "cutoff of 'nDCG@' must be an integer of 1 or more, got ''"),
        ("nDCG@x", "cutoff of 'nDCG@x' must be an integer of 1 or more, got 'x'"),
        ("nDCG@1.5", "cutoff of 'nDCG@1.5' must be an integer of 1 or more, got '1.5'"),
        ("nDCG@0", "cutoff of nDCG must be an integer of 1 or more, got 0"),
        ("nDCG@-1", "cutoff of nDCG must be an integer of 1 or more, got -1"),
        ("ndcg_cut_0", "cutoff of nDCG must be an integer of 1 or more, got 0"),
        ("P_1.5", "cutoff of 'P_1.5' must be an integer of 1 or more, got 1.5"),
        ("nDCG(cutoff=True)", "cutoff of nDCG must be an integer of 1 or more, got True"),
        ("nDCG(cutoff=0)", "cutoff of nDCG must be an integer of 1 or more, got 0"),
        (
            "nDCG(cutoff=5)@10",
            "nDCG has no parameter 'cutoff' (it has gain, discount, condensed, ties)",
        ),
        ("Rprec@5", "Rprec has no cutoff, got @5"),
        ("nDCG(10)", "the parameters of 'nDCG(10)' need names, such as rel=2"),
        ("P(rel=2)(rel=3)", "the parameters of 'P(rel=2)(rel=3)' need names, such as rel=2"),
        ("P(rel=2).x(rel=3)", "the parameters of 'P(rel=2).x(rel=3)' need names, such as rel=2"),
        ("P(rel=2)+(1)", "the parameters of 'P(rel=2)+(1)' need names, such as rel=2"),
        ("P(rel=2, rel=3)", "P is given parameter rel twice"),
        ("nDCG(gain='exp', dcg='log2')", "nDCG is given parameter gain twice"),
        ("P(**{'rel': 2})", "P has no parameter 'None' (it has rel, condensed, ties)"),
        (
            "P(rell=2)",
            "P has no parameter 'rell'; did you mean 'rel'? (it has rel, condensed, ties)",
        ),
        ("P(rel=0)", "parameter rel of P must be a number above 0, got 0"),
        ("P(rel=1e999)", "parameter rel of P must be a number above 0, got inf"),
        ("P(rel='2')", "parameter rel of P must be a number, got '2'"),
        *[
            (
                text,
                (
                    f"parameter rel of {text!r} must be a number, True or False, a quoted text, or "
                    "a mapping such as {1: 1, 2: 3}"
                ),
            )
            for text in (
                "P(rel=two)",
                "P(rel=nan)",
                "P(rel=1+x)",
                "P(rel={[1]: 2})",
                "P(rel=open('x'))",
            )
        ],
        (
            "nDCG(dcg='exp')",
            "parameter dcg of \"nDCG(dcg='exp')\" must be 'log2' or 'exp-log2', got 'exp'",
        ),
        ("nDCG(gain=)", "cannot read the parameters of 'nDCG(gain=)' ("),
        ("P(\0)", "cannot read the parameters of 'P(\\x00)' ("),
        ("P(rel=" + "(" * 500 + ")", "cannot read the parameters of 'P(rel=((((("),
        ("P(rel=" + "-" * 20_000 + "1)", "cannot read the parameters of 'P(rel=-----"),
        ("x" * 500, f"no measure named '{'x' * 80}' {KNOWN}"),
    ],
)
def test_a_wrong_spelling_is_told(text: str, told: str) -> None:
    with pytest.raises(MeasureError, match=f"^{re.escape(told)}"):
        parse_measure(text)


@pytest.mark.parametrize("value", [5, None, ["nDCG"], b"nDCG"])
def test_what_is_no_text_is_refused(value: Any) -> None:
    told = f"a measure is a text or a Measure, got {value!r}"
    with pytest.raises(MeasureError, match=f"^{re.escape(told)}$"):
        parse_measure(value)


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ("nDCG@10", (nDCG @ 10,)),
        ("nDCG@10, R@100", (nDCG @ 10, R @ 100)),
        ("nDCG@10 R@100", (nDCG @ 10, R @ 100)),
        ("nDCG @ 10, R @ 100,", (nDCG @ 10, R @ 100)),
        ("ndcg_cut.5,10 map", (nDCG @ 5, nDCG @ 10, AP)),
        ("ndcg_cut_5,10", (nDCG @ 5, nDCG @ 10)),
        ("nDCG@5,10,20", (nDCG @ 5, nDCG @ 10, nDCG @ 20)),
        ("P(rel=2)@5, 10", (P(rel=2) @ 5, P(rel=2) @ 10)),
        ("nDCG(gain={1: 1, 2: 3})@5,P@5", (nDCG(gain={1: 1, 2: 3}) @ 5, P @ 5)),
        (nDCG @ 10, (nDCG @ 10,)),
        ([nDCG @ 10, "P_5"], (nDCG @ 10, P @ 5)),
        (("map", "P_5 recall_100"), (AP, P @ 5, R @ 100)),
        (iter(["map"]), (AP,)),
        (["nDCG@10", "ndcg_cut_10", nDCG @ 10, "map"], (nDCG @ 10, AP)),
    ],
)
def test_several_measures(texts: Any, expected: tuple[Measure, ...]) -> None:
    assert parse_measures(texts) == expected


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        ("", "no measure given; the usual one is nDCG@10"),
        (" , ", "no measure given; the usual one is nDCG@10"),
        ([], "no measure given; the usual one is nDCG@10"),
        (["", " "], "no measure given; the usual one is nDCG@10"),
        ("map,10", f"no measure named '10' {KNOWN}"),
        ("RBP(p=0.8),10", f"no measure named '10' {KNOWN}"),
        ("10", f"no measure named '10' {KNOWN}"),
        ([5], "a measure is a text or a Measure, got 5"),
        (5, "a measure is a text or a Measure, got 5"),
        (None, "a measure is a text or a Measure, got None"),
        ("nDCG@10, nDGC@5", "no measure named 'nDGC@5'; did you mean 'nDCG'?"),
    ],
)
def test_wrong_lists_of_measures_are_told(texts: Any, told: str) -> None:
    with pytest.raises(MeasureError, match=f"^{re.escape(told)}$"):
        parse_measures(texts)
