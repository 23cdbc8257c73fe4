"""Grids of cells in every format."""

from __future__ import annotations

import csv
import io
import math
import re

import pytest

from ndcg import OptionError
from ndcg.reporting.grids import (
    GRID_FORMATS,
    Grid,
    display_width,
    printable,
    render_grid,
    shorten,
)

PLAIN = Grid(("run", "nDCG@10", "n"), (("bm25", 0.63149, 135), ("dense_v2", math.nan, None)))
AWKWARD = [
    "日本語",
    "e\u0301te\u0301",
    "a\tb",
    "a\nb",
    "a\r\nb",
    '"quoted", twice',
    "\x1b[31mred",
    "\u202egnip",
    "a|b*c`d<e>[f]\\g",
    "_x_y_",
    "50 % of $5 & #1 {~^}",
    "x" * 5_000,
]


def test_a_table_aligns_texts_to_the_left_and_numbers_to_the_right() -> None:
    assert render_grid(PLAIN, "table") == (
        "run       nDCG@10    n\nbm25       0.6315  135\ndense_v2        -    -"
    )


def test_a_column_may_be_said_to_stand_to_the_right() -> None:
    grid = Grid(("doc", "grade"), (("d1", "3"), ("d2", "hole")), right=frozenset({"grade"}))
    assert render_grid(grid, "table") == "doc  grade\nd1       3\nd2    hole"


def test_digits_may_be_chosen() -> None:
    assert render_grid(Grid(("x",), ((1 / 3,),), digits=2), "table") == "   x\n0.33"


def test_a_grid_without_rows_is_its_names() -> None:
    grid = Grid(("run", "n"), ())
    assert render_grid(grid, "table") == "run  n"
    assert render_grid(grid, "csv") == "run,n"
    assert render_grid(grid, "md") == "| run | n   |\n| --- | --- |"


def test_an_unknown_format_is_refused() -> None:
    message = "format must be one of table, csv, tsv, md, latex, got 'tabel'; did you mean 'table'?"
    with pytest.raises(OptionError, match=re.escape(message)):
        render_grid(PLAIN, "tabel")


@pytest.mark.parametrize("form", GRID_FORMATS)
def test_no_format_ends_with_a_line_end(form: str) -> None:
    assert render_grid(PLAIN, form)[-1] != "\n"


def test_wide_and_combining_letters_take_the_columns_of_a_terminal() -> None:
    rows = (("日本語", 1), ("e\u0301", 2), ("ab", 3))
    lines = render_grid(Grid(("id", "n"), rows), "table").splitlines()
    assert lines == ["id      n", "日本語  1", "e\u0301       2", "ab      3"]
    assert {display_width(line) for line in lines} == {9}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain é 日", "plain é 日"),
        ("a\tb\nc\rd", "a\\tb\\nc\\rd"),
        ("\x1b[31m\x00\x7f\x9b", "\\x1b[31m\\x00\\x7f\\x9b"),
        ("\u202e\u200b\u2028\ufeff", "\\u202e\\u200b\\u2028\\ufeff"),
        ("\udcff", "\\udcff"),
        ("no\u00a0break", "no\u00a0break"),
    ],
)
def test_what_a_terminal_would_act_on_is_spelled_out(text: str, shown: str) -> None:
    assert printable(text) == shown


@pytest.mark.parametrize("text", AWKWARD)
def test_an_awkward_id_keeps_a_table_in_form(text: str) -> None:
    lines = render_grid(Grid((text, "n"), ((text, 1), ("b", 22))), "table").splitlines()
    assert len(lines) == 3
    assert len({display_width(line) for line in lines}) == 1
    assert all(line.isprintable() for line in lines)
    assert display_width(lines[0]) <= 80


def test_a_long_text_is_cut_in_its_middle_so_that_80_columns_do() -> None:
    rows = (("https://example.org/" + "x" * 5_000 + "/42", 0.5),)
    line = render_grid(Grid(("document", "score"), rows), "table").splitlines()[1]
    assert len(line) == 80
    assert line.startswith("https://example.org/xxx")
    assert line.endswith("xxx/42  0.5000")
    assert line.count("…") == 1


def test_the_longest_text_is_cut_first() -> None:
    rows = (("short", "y" * 200, 0.5),)
    line = render_grid(Grid(("run", "query_id", "score"), rows), "table").splitlines()[1]
    assert len(line) == 80
    assert line.startswith("short  yyy")


@pytest.mark.parametrize(
    ("width", "shown"), [(10, "abcdefghij"), (9, "abcd…ghij"), (8, "abcd…hij"), (2, "a…"), (1, "…")]
)
def test_shortening_keeps_both_ends(width: int, shown: str) -> None:
    assert shorten("abcdefghij", width) == shown


def test_shortening_counts_wide_letters_twice() -> None:
    assert shorten("日本語日本語", 7) == "日…語"
    assert display_width(shorten("日" * 100, 20)) <= 20


def test_columns_that_do_not_fit_follow_in_blocks_with_the_texts_again() -> None:
    names = tuple(f"measure_{i:02}" for i in range(9))
    grid = Grid(("run", *names), (("bm25", *(i / 10 for i in range(9))),))
    blocks = render_grid(grid, "table").split("\n\n")
    assert [block.split()[0] for block in blocks] == ["run", "run"]
    assert " ".join(blocks[0].splitlines()[0].split()[1:]) == " ".join(names[:6])
    assert " ".join(blocks[1].splitlines()[0].split()[1:]) == " ".join(names[6:])
    assert max(len(line) for block in blocks for line in block.splitlines()) <= 80


@pytest.mark.parametrize(("form", "separator"), [("csv", ","), ("tsv", "\t")])
def test_csv_and_tsv_read_back_to_the_last_digit(form: str, separator: str) -> None:
    values = [0.1 + 0.2, 1 / 3, 5e-324, 1.7976931348623157e308, -0.0, 1e22, 0.00001]
    rows = tuple((text, value) for text, value in zip(AWKWARD, values * 2, strict=False))
    written = render_grid(Grid(("id, or \t name", "value"), rows), form) + "\n"
    read = list(csv.reader(io.StringIO(written, newline=""), delimiter=separator))
    assert read[0] == ["id, or \t name", "value"]
    assert [(text, float(value)) for text, value in read[1:]] == list(rows)


@pytest.mark.parametrize("form", ["csv", "tsv"])
def test_a_missing_value_is_an_empty_field(form: str) -> None:
    separator = "," if form == "csv" else "\t"
    assert render_grid(PLAIN, form).splitlines()[2] == separator.join(["dense_v2", "", ""])


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("bm25_k1_b", "bm25_k1_b"),
        ("_x_", r"\_x\_"),
        ("a|b", r"a\|b"),
        ("a*b*c`d", r"a\*b\*c\`d"),
        ("<b>[x](y)", r"\<b>\[x](y)"),
        ("[x][y]", r"\[x][y]"),
        ("0.5 [0.4, 0.6]", "0.5 [0.4, 0.6]"),
        ("a\\b", r"a\\b"),
        ("a\nb", r"a\\nb"),
    ],
)
def test_markdown_is_escaped(text: str, cell: str) -> None:
    table = render_grid(Grid(("run", "n"), ((text, 1),)), "md").splitlines()
    assert len(table) == 3
    assert table[2] == f"| {cell:<3} |   1 |"


def test_markdown_is_aligned_and_no_wider_than_it_need_be() -> None:
    rows = (("日本語", 1.0), ("x" * 5_000, 2.0))
    lines = render_grid(Grid(("run", "score"), rows), "md").splitlines()
    assert [display_width(line) for line in lines[:3]] == [93, 93, 93]
    assert lines[1] == f"| {'-' * 80} | -----: |"
    assert "x" * 5_000 in lines[3]


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("a_b", r"a\_b"),
        ("50 % of $5 & #1", r"50 \% of \$5 \& \#1"),
        ("{~^}", r"\{\textasciitilde{}\textasciicircum{}\}"),
        ("\\cmd", r"\textbackslash{}cmd"),
        ("<|>", r"\textless{}\textbar{}\textgreater{}"),
        ("[1]", "{}[1]"),
        ("*", "{}*"),
        ("0.5 [0.4, 0.6]", "0.5 [0.4, 0.6]"),
        ("a\nb", r"a\textbackslash{}nb"),
    ],
)
def test_latex_is_escaped(text: str, cell: str) -> None:
    lines = render_grid(Grid(("run", "n"), ((text, 1),)), "latex").splitlines()
    assert lines == [
        r"\begin{tabular}{lr}",
        r"\toprule",
        r"run & n \\",
        r"\midrule",
        rf"{cell} & 1 \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]
