"""Scores as tables, as JSON and as trec_eval's lines."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from typing import Any

import pytest

from ndcg import Convention, Notice, OptionError, Scores, evaluate, parse_measure
from ndcg.measures.catalogue import CATALOGUE
from ndcg.reporting.score_tables import (
    convention_line,
    heading,
    notice_lines,
    query_grid,
    render_scores,
    scores_to_json,
    summary_grid,
    trec_lines,
    trec_name,
    wrapped,
)

QRELS = {"q1": {"a": 1, "b": 2}, "q2": {"a": 1}, "q3": {"c": 0}}
RUN = {"q1": {"a": 2.0, "x": 1.0}, "q3": {"c": 1.0}}


@pytest.fixture
def scores() -> Scores:
    return evaluate(QRELS, {"one": RUN, "two": {"q2": {"a": 1.0}}}, ["nDCG@5", "Judged@5"])


def test_the_summary_has_a_row_a_run(scores: Scores) -> None:
    grid = summary_grid(scores)
    assert grid.names == ("run", "nDCG@5", "Judged@5", "n")
    assert [row[0] for row in grid.rows] == ["one", "two"]
    assert grid.rows[1] == ("two", 1 / 3, 1.0, 3)


def test_the_queries_have_a_row_each(scores: Scores) -> None:
    grid = query_grid(scores)
    assert grid.names == ("run", "query_id", "nDCG@5", "Judged@5")
    assert [row[:2] for row in grid.rows] == [
        (run, query) for run in ("one", "two") for query in ("q1", "q2", "q3")
    ]
    assert grid.rows[4] == ("two", "q2", 1.0, 1.0)


def test_an_undefined_value_is_a_dash_in_a_table_and_empty_in_csv(scores: Scores) -> None:
    assert "one  q2        0.0000         -" in render_scores(scores, "table", per_query=True)
    assert "one,q2,0.0,\n" in render_scores(scores, "csv", per_query=True)


def test_the_heading_names_convention_and_judgments(scores: Scores) -> None:
    digest = scores.qrels_digest[:12]
    plain = "gain linear, log2, ties trec, unanswered 0, barren 0"
    assert heading(scores) == f"{plain}; qrels {digest}"
    assert convention_line(Convention(profile="mine")) == f"as mine: {plain}"


def test_a_notice_begins_with_its_run_and_holds_no_controls() -> None:
    notices = [Notice("a", "said"), Notice("b", "said\tso", "run\x1b")]
    assert notice_lines(notices) == ["said", "run\\x1b: said\\tso"]


def test_a_long_notice_is_wrapped(scores: Scores) -> None:
    noted = replace(scores, notices=(Notice("x", "word " * 40),))
    lines = render_scores(noted, "table").partition("note: ")[2].splitlines()
    assert all(line.startswith("  word") for line in lines[1:])
    assert max(map(len, lines)) <= 80
    assert wrapped("a-b " * 30).count("\n") == 1


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", ["> "]),
        ("one", ["> one"]),
        ("x" * 78 + " y", ["> " + "x" * 78, "    y"]),
        ("a " + "x" * 100 + " b", ["> a", "    " + "x" * 76, "    " + "x" * 24 + " b"]),
        ("x" * 100, ["> " + "x" * 78, "    " + "x" * 22]),
        ("日本" * 25 + " 語", ["> " + "日本" * 19 + "日", "    本" + "日本" * 5 + " 語"]),
    ],
)
def test_text_is_wrapped_by_the_columns_of_a_terminal(text: str, lines: list[str]) -> None:
    assert wrapped(text, "> ", "    ").splitlines() == lines


def test_a_table_without_notices_ends_with_its_numbers() -> None:
    whole = evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "nDCG@1")
    digest = whole.qrels_digest[:12]
    assert render_scores(whole, "table") == (
        f"gain linear, log2, ties trec, unanswered 0, barren 0; qrels {digest}\n\n"
        "run  nDCG@1  n\nrun  1.0000  1"
    )


@pytest.mark.parametrize(
    ("measure", "name"),
    [
        ("nDCG@10", "ndcg_cut_10"),
        ("nDCG", "ndcg"),
        ("AP", "map"),
        ("AP@100", "map_cut_100"),
        ("P@5", "P_5"),
        ("P(rel=2)@5", "P_5"),
        ("P", "set_P"),
        ("R@1000", "recall_1000"),
        ("R", "set_recall"),
        ("RR", "recip_rank"),
        ("RR@10", "RR@10"),
        ("Success@1", "success_1"),
        ("Success", "Success"),
        ("Rprec", "Rprec"),
        ("Bpref", "bpref"),
        ("infAP", "infAP"),
        ("NumRet", "num_ret"),
        ("NumRet@10", "NumRet@10"),
        ("NumRel", "num_rel"),
        ("NumRelRet", "num_rel_ret"),
        ("nDCG(gain='exp')@10", "nDCG(gain='exp')@10"),
        ("nDCG(ties='average')@10", "nDCG(ties='average')@10"),
        ("ERR@20", "ERR@20"),
        ("RBP(p=0.8)", "RBP(p=0.8)"),
        ("Judged@10", "Judged@10"),
        ("DCG@10", "DCG@10"),
    ],
)
def test_trec_evals_names(measure: str, name: str) -> None:
    assert trec_name(parse_measure(measure)) == name


def test_every_printed_name_is_understood_as_the_measure_that_it_names() -> None:
    for family, definition in CATALOGUE.items():
        for cutoff in ("", "@7") if definition.cutoff != "never" else ("",):
            measure = parse_measure(f"{family}{cutoff}")
            assert parse_measure(trec_name(measure)) == measure


def test_two_measures_of_one_trec_name_are_told_apart() -> None:
    both = evaluate(QRELS, RUN, ["P@5", "P(rel=2)@5", "AP"])
    names = [line.split("\t")[0].strip() for line in trec_lines(both, per_query=False)]
    assert names == ["runid", "num_q", "P@5", "P(rel=2)@5", "map"]


def test_trec_lines_have_a_name_a_query_and_four_decimals() -> None:
    one = evaluate(QRELS, RUN, ["nDCG@5", "NumRet", "Judged@5"])
    lines = trec_lines(one, per_query=True)
    assert lines[:3] == [
        "ndcg_cut_5            \tq1\t0.3801",
        "num_ret               \tq1\t2",
        "Judged@5              \tq1\t0.5000",
    ]
    # Nothing was retrieved for q2, where Judged has no value.
    assert [line.split("\t")[0].strip() for line in lines if "\tq2\t" in line] == [
        *("ndcg_cut_5", "num_ret"),
    ]
    assert lines[-5:] == [
        "runid                 \tall\trun",
        "num_q                 \tall\t3",
        "ndcg_cut_5            \tall\t0.1267",
        "num_ret               \tall\t3",
        "Judged@5              \tall\t0.7500",
    ]


def test_trec_lines_hold_one_run(scores: Scores) -> None:
    with pytest.raises(OptionError, match="format trec holds one run, got 2; name one run"):
        render_scores(scores, "trec")


def test_trec_lines_part_columns_by_blanks() -> None:
    one = evaluate({"q 1": {"a": 1}}, {"my run": {"q 1": {"a": 1.0}}}, "nDCG@1")
    assert trec_lines(one, per_query=False)[0] == "runid                 \tall\tmy_run"
    message = "query 'q 1' has a blank in it, which parts columns in format trec; write csv, tsv"
    with pytest.raises(OptionError, match=re.escape(message)):
        trec_lines(one, per_query=True)


def test_json_has_no_nan(scores: Scores) -> None:
    told = scores_to_json(scores, per_query=True)
    json.dumps(told, allow_nan=False)
    assert told["runs"][0]["per_query"]["q2"] == {"nDCG@5": 0.0, "Judged@5": None}
    assert told["runs"][0]["queries"] == {
        "evaluated": 3,
        "unanswered": 1,
        "barren": 1,
        "unjudged": 0,
    }
    assert told["runs"][1]["measures"]["Judged@5"] == {
        "mean": 1.0,
        "interval": None,
        "n": 1,
        "bounds": None,
    }
    assert not math.isnan(told["runs"][0]["measures"]["nDCG@5"]["mean"])


def test_json_writes_a_gain_mapping_by_grade() -> None:
    gain: Any = {1: 1, 2: 2.5}
    told = scores_to_json(evaluate(QRELS, RUN, "nDCG@5", convention=Convention(gain=gain)))
    assert told["convention"]["gain"] == {"1": 1.0, "2": 2.5}
    assert json.loads(json.dumps(told)) == told
