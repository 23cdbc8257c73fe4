"""Marked tables: what is bold, what has a dagger, and what the legend says of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ndcg import OptionError
from ndcg.comparison import Comparison, compare
from ndcg.reporting.comparison_tables import render_comparison
from ndcg.reporting.grids import Bold, Grid, render_grid
from ndcg.reporting.paper_tables import legend, paper_grid, render_answer, render_paper

SAMPLES = Path(__file__).parents[2] / "src" / "ndcg" / "samples"
RUNS = {name: SAMPLES / f"{name}.run.gz" for name in ("bm25", "tfidf", "minilm")}
DRAWN = "paired bootstrap test, corrected by Holm over the runs, 199 resamples, seed 0"
UNEQUAL = " Significance does not cover what was never judged."

MARKDOWN = f"""\
| run    |    nDCG@10 |      R@100 |
| ------ | ---------: | ---------: |
| bm25   | **0.6315** | **0.7663** |
| tfidf  |    0.5364† |    0.7044† |
| minilm |    0.5042† |    0.6866† |

† differs significantly from bm25 at the 0.05 level ({DRAWN}).{UNEQUAL} Bold: the best mean."""

LATEX = rf"""\begin{{tabular}}{{lrr}}
\toprule
run & nDCG@10 & R@100 \\
\midrule
bm25 & \textbf{{0.6315}} & \textbf{{0.7663}} \\
tfidf & 0.5364$^\dagger$ & 0.7044$^\dagger$ \\
minilm & 0.5042$^\dagger$ & 0.6866$^\dagger$ \\
\bottomrule
\end{{tabular}}
\par{{\footnotesize $^\dagger$ differs significantly from bm25 at the 0.05 level ({DRAWN}).{UNEQUAL} Bold: the best mean.}}"""  # noqa: E501


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    return compare(SAMPLES / "qrels.txt", RUNS, ["nDCG@10", "R@100"], n_resamples=199)


def made(changes: dict[str, list[int]], **options: object) -> Comparison:
    """Return a comparison under RR of a run at 1/2 with others that go up to 1 or down to 1/3."""
    n = len(next(iter(changes.values())))
    qrels = {f"q{i:02}": {"a": 1, "b": 0, "c": 0} for i in range(n)}
    lists = {
        1: {"a": 3.0, "b": 2.0, "c": 1.0},
        0: {"a": 2.0, "b": 3.0, "c": 1.0},
        -1: {"a": 1.0, "b": 3.0, "c": 2.0},
    }
    runs = {"base": dict.fromkeys(qrels, lists[0])}
    for name, moves in changes.items():
        runs[name] = {query: lists[move] for query, move in zip(qrels, moves, strict=True)}
    return compare(qrels, runs, "RR", n_resamples=199, **options)  # type: ignore[arg-type]


def cells(comparison: Comparison, **options: bool) -> dict[object, tuple[object, bool]]:
    grid = paper_grid(comparison, **options)
    return {run: (cell, isinstance(cell, Bold)) for run, cell in grid.rows}


def test_markdown_of_the_sample_data(comparison: Comparison) -> None:
    assert render_paper(comparison, "md") == MARKDOWN
    assert render_comparison(comparison, "md") == MARKDOWN


def test_latex_of_the_sample_data(comparison: Comparison) -> None:
    assert render_paper(comparison, "latex") == LATEX
    assert render_comparison(comparison, "latex") == LATEX


def test_another_format_is_refused(comparison: Comparison) -> None:
    with pytest.raises(OptionError, match="format must be one of md, latex, got 'csv'"):
        render_paper(comparison, "csv")
    with pytest.raises(OptionError, match="format must be one of md, latex, got 'html'"):
        render_answer(comparison, "html", command=None)


def test_a_run_that_is_better_is_bold_and_has_the_dagger() -> None:
    found = made({"good": [1] * 20, "close": [1] + [0] * 19})
    assert cells(found) == {
        "base": ("0.5000", False), "good": ("1.0000†", True), "close": ("0.5250", False),
    }  # fmt: skip
    assert cells(found, bold_significant=True)["good"] == ("1.0000†", True)


def test_the_best_is_not_bold_when_it_must_be_sure_and_is_not() -> None:
    found = made({"close": [1] + [0] * 19, "bad": [-1] * 20})
    assert cells(found)["close"] == ("0.5250", True)
    assert [bold for _, bold in cells(found, bold_significant=True).values()] == [False] * 3


def test_a_baseline_is_surely_the_best_when_every_run_differs_from_it() -> None:
    sure = made({"bad": [-1] * 20, "worse": [-1] * 14 + [0] * 6})
    assert cells(sure, bold_significant=True)["base"] == ("0.5000", True)
    unsure = made({"bad": [-1] * 20, "close": [-1] + [0] * 19})
    assert cells(unsure)["base"] == ("0.5000", True)
    assert cells(unsure, bold_significant=True)["base"] == ("0.5000", False)


def test_what_looks_equal_is_marked_alike() -> None:
    found = made({"same": [0] * 20, "other": [-1] + [0] * 19})
    assert [bold for _, bold in cells(found).values()] == [True, True, False]


def test_a_pvalue_of_zero_is_significant() -> None:
    found = made({"good": [1] * 19 + [0]}, test="t", correction="none")
    (pair,) = found.pairs
    none = replace(pair, numbers=replace(pair.numbers, pvalue_corrected=0.0))
    assert cells(replace(found, pairs=(none,)))["good"] == ("0.9750†", True)
    untested = replace(pair, numbers=replace(pair.numbers, pvalue_corrected=None))
    assert cells(replace(found, pairs=(untested,)))["good"] == ("0.9750", True)


def test_with_all_pairs_daggers_speak_of_the_baseline() -> None:
    values = {"good": [1] * 20, "close": [1] + [0] * 19}
    found = made(values, all_pairs=True, baseline="good")
    assert [cell for cell, _ in cells(found).values()] == ["0.5000†", "1.0000", "0.5250†"]
    assert "differs significantly from good" in legend(found)


def test_the_legend_says_test_correction_and_level() -> None:
    found = made({"good": [1] * 20}, test="t", correction="none", level=0.99)
    assert legend(found) == (
        "† differs significantly from base at the 0.01 level (paired t test, corrected by nothing)."
        " Bold: the best mean."
    )
    every = made({"good": [1] * 20}, all_pairs=True, seed=3)
    assert legend(every, bold_significant=True) == (
        "† differs significantly from base at the 0.05 level (all pairs by randomised Tukey HSD, "
        "199 resamples, seed 3). Bold: the best mean, only where significant."
    )
    close = made({"close": [1] + [0] * 19})
    assert legend(close).startswith("No run differs significantly from base at the 0.05 level (")


def test_the_answer_in_markdown_is_whole(comparison: Comparison) -> None:
    text = render_answer(comparison, "md", command="ndcg report a `b` ```c")
    lines = text.splitlines()
    assert lines[0] == "### tfidf, minilm against bm25 on nDCG@10, R@100"
    assert [line for line in lines if line.startswith("- **")] == [
        f"- **{pair.run}, {pair.measure!r}: {pair.verdict.word}**: "
        f"{'; '.join(pair.verdict.reasons)}"
        for pair in comparison.pairs
    ]
    assert MARKDOWN in text
    (row,) = [line for line in lines if line.startswith("| tfidf, nDCG@10")]
    low, high = comparison.pairs[0].numbers.interval or (0, 0)
    assert [cell.strip() for cell in row.replace("\\", "").split("|")[2:7]] == [
        "-0.0951", f"[{low:+.3f}, {high:+.3f}]", "0.010", "19/63/53", "74%/64%",
    ]  # fmt: skip
    notes = text[text.index("<details>") : text.index("</details>")]
    assert notes.count("\n- ") == len(comparison.notices)
    assert "<summary>13 notes</summary>\n\n- " in notes
    assert text.endswith("````sh\nndcg report a `b` ```c\n````")


def test_the_answer_in_latex_is_a_table_with_the_rest_in_remarks(comparison: Comparison) -> None:
    text = render_answer(comparison, "latex", command="ndcg report x")
    lines = text.splitlines()
    table = lines[lines.index(r"\begin{table}[t]") : lines.index(r"\end{table}") + 1]
    assert table[1] == r"\centering"
    assert table[2].startswith(r"\caption{tfidf, minilm against bm25 on nDCG@10, R@100, 135 querie")
    assert table[2].count("{") == table[2].count("}")
    assert table[4:-1] == LATEX.splitlines()[:-1]
    rest = [line for line in lines if line not in table]
    assert len(rest) == 4 + 1 + len(comparison.notices) + 1
    assert all(line.startswith("% ") for line in rest)
    assert rest[-1] == "% ndcg report x"


EVIL = "a\n\\end{table} | **b** `c` <i> % † x_y_"


def test_a_name_cannot_break_out_of_markdown() -> None:
    text = render_answer(made({EVIL: [1] * 20}), "md", command=None)
    spelled = r"a\\n\\end{table} \| \*\*b\*\* \`c\` \<i> % † x_y\_"
    assert text.splitlines()[0] == f"### {spelled} against base on RR"
    assert text.count(spelled) == 5
    assert "`c`" not in text.replace(spelled, "")


def test_a_name_cannot_break_out_of_latex() -> None:
    text = render_answer(made({EVIL: [1] * 20}), "latex", command=None)
    spelled = (
        r"a\textbackslash{}n\textbackslash{}end\{table\} \textbar{} **b** `c` "
        r"\textless{}i\textgreater{} \% $^\dagger$ x\_y\_"
    )
    shown = [line for line in text.splitlines() if not line.startswith("%")]
    assert shown[2].startswith(rf"\caption{{{spelled} against base on RR, 20 queries (")
    assert rf"{spelled} & \textbf{{1.0000$^\dagger$}} \\" in shown
    assert shown.count(r"\end{table}") == 1


def test_bold_cells_are_plain_in_tables_and_data() -> None:
    grid = Grid(("run", "x"), (("a", Bold("0.5†")), ("b", "0.4")), right=frozenset({"x"}))
    assert render_grid(grid, "table") == "run     x\na    0.5†\nb     0.4"
    assert render_grid(grid, "csv") == "run,x\na,0.5†\nb,0.4"
    assert "**0.5†**" in render_grid(grid, "md")
    assert r"\textbf{0.5$^\dagger$}" in render_grid(grid, "latex")
