"""Comparisons for papers and pull requests: marked tables in Markdown and LaTeX."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from ndcg.errors import check_choice
from ndcg.reporting.comparison_text import (
    comparison_notes,
    interval_text,
    is_significant,
    judged_text,
    measures_of,
    pair_title,
    procedure_line,
    pvalue_text,
    report_title,
    settings_line,
)
from ndcg.reporting.grids import Bold, Grid, printable, render_grid, to_latex, to_markdown
from ndcg.reporting.score_tables import heading

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ndcg.comparison import Comparison
    from ndcg.comparison.pairs import Pair
    from ndcg.measures import Measure

PAPER_FORMATS = ("md", "latex")
_DAGGER = "†"


def render_paper(comparison: Comparison, format: str, *, bold_significant: bool = False) -> str:
    """Return the marked table in ``md`` or ``latex``, and below it what the marks mean."""
    check_choice("format", format, PAPER_FORMATS)
    table = render_grid(paper_grid(comparison, bold_significant=bold_significant), format)
    told = legend(comparison, bold_significant=bold_significant)
    if format == "md":
        return f"{table}\n\n{to_markdown(told)}"
    return f"{table}\n\\par{{\\footnotesize {to_latex(told)}}}"


def render_answer(
    comparison: Comparison, format: str, *, command: str | None, bold_significant: bool = False
) -> str:
    """Return all that a pull request (``md``) or a paper (``latex``) needs, to paste as it is."""
    check_choice("format", format, PAPER_FORMATS)
    answer = _markdown_answer if format == "md" else _latex_answer
    return answer(comparison, command, bold_significant=bold_significant)


def paper_grid(comparison: Comparison, *, bold_significant: bool = False) -> Grid:
    """Return a row a run and a column a measure, marked as papers do.

    A dagger stands where a run differs significantly from the baseline. The best mean of a measure
    is bold; with `bold_significant` only where the best run differs significantly from the
    baseline, or every other run from a baseline that is the best.
    """
    runs = [run.name for run in comparison.scores.runs]
    means = {run: comparison.scores.mean(run) for run in runs}
    columns = []
    for measure in measures_of(comparison):
        shown = {run: f"{means[run][measure]:.4f}" for run in runs}
        sure = _significant(comparison, measure).keys()
        bold = _best(shown)
        if bold_significant:
            is_sure = sure >= shown.keys() - {comparison.baseline}
            bold = (bold if is_sure else set()) if comparison.baseline in bold else bold & sure
        columns.append([_marked(shown[run], sure=run in sure, bold=run in bold) for run in runs])
    names = ("run", *map(repr, measures_of(comparison)))
    return Grid(names, tuple(zip(runs, *columns, strict=True)), right=frozenset(names[1:]))


def _significant(comparison: Comparison, measure: Measure) -> dict[str, Pair]:
    """Return the runs that differ significantly from the baseline, and the pairs that say so."""
    baseline = comparison.baseline
    return {
        pair.run if pair.baseline == baseline else pair.baseline: pair
        for pair in comparison.pairs
        if pair.measure == measure
        and baseline in {pair.run, pair.baseline}
        and is_significant(comparison, pair.numbers)
    }


def _best(shown: dict[str, str]) -> set[str]:
    """Return the runs of the highest printed value: what looks equal is marked alike."""
    values = {run: float(text) for run, text in shown.items()}
    highest = max((value for value in values.values() if not math.isnan(value)), default=None)
    return {run for run, value in values.items() if value == highest}


def _marked(text: str, *, sure: bool, bold: bool) -> str:
    marked = f"{text}{_DAGGER}" if sure else text
    return Bold(marked) if bold else marked


def legend(comparison: Comparison, *, bold_significant: bool = False) -> str:
    """Return the sentences that say what the marks of `paper_grid` mean."""
    alpha = f"{1 - comparison.procedure.level:.4g}"
    pairs = [
        pair
        for measure in measures_of(comparison)
        for pair in _significant(comparison, measure).values()
    ]
    subject = f"{_DAGGER} differs" if pairs else "No run differs"
    told = (
        f"{subject} significantly from {comparison.baseline} at the {alpha} level "
        f"({procedure_line(comparison)})."
    )
    if any(pair.verdict.word == "cannot tell" for pair in pairs):
        told += " Significance does not cover what was never judged."
    bold = "Bold: the best mean" + (", only where significant" if bold_significant else "")
    return printable(f"{told} {bold}.")


def _markdown_answer(comparison: Comparison, command: str | None, *, bold_significant: bool) -> str:
    verdicts = [
        f"- **{to_markdown(pair_title(comparison, pair))}: {pair.verdict.word}**: "
        + to_markdown(printable("; ".join(pair.verdict.reasons)))
        for pair in comparison.pairs
    ]
    parts = [
        f"### {to_markdown(report_title(comparison))}",
        "\n".join(verdicts),
        render_paper(comparison, "md", bold_significant=bold_significant),
        render_grid(_difference_grid(comparison), "md"),
        to_markdown(f"{heading(comparison.scores)}. {settings_line(comparison)}."),
    ]
    notes = [f"- {to_markdown(note)}" for note in comparison_notes(comparison)]
    if notes:
        parts.append(_folded(f"{len(notes)} notes", "\n".join(notes)))
    if command is not None:
        parts.append(_fenced(command))
    return "\n\n".join(parts)


def _difference_grid(comparison: Comparison) -> Grid:
    interval = f"{100 * comparison.procedure.level:g}% interval"
    names = ("run", "difference", interval, "p", "up/same/down", "judged", "MDE")
    rows = [
        (
            pair_title(comparison, pair),
            f"{pair.numbers.difference:+.4f}",
            interval_text(pair.numbers),
            pvalue_text(pair.numbers.pvalue_corrected),
            f"{pair.numbers.wins}/{pair.numbers.ties}/{pair.numbers.losses}",
            judged_text(pair.numbers),
            None if pair.numbers.detectable is None else f"{pair.numbers.detectable:.3f}",
        )
        for pair in comparison.pairs
    ]
    return Grid(names, tuple(rows), right=frozenset(names[1:]))


def _folded(summary: str, content: str) -> str:
    return f"<details><summary>{summary}</summary>\n\n{content}\n\n</details>"


def _fenced(command: str) -> str:
    longest = max((len(ticks) for ticks in re.findall("`+", command)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}sh\n{command}\n{fence}"


def _latex_answer(comparison: Comparison, command: str | None, *, bold_significant: bool) -> str:
    caption = (
        f"{report_title(comparison)}, {len(comparison.scores.query_ids)} queries "
        f"({heading(comparison.scores)}). " + legend(comparison, bold_significant=bold_significant)
    )
    grid = paper_grid(comparison, bold_significant=bold_significant)
    verdicts = [f"{pair_title(comparison, pair)}: {pair.verdict}" for pair in comparison.pairs]
    return "\n".join(
        [
            *_remarks([*verdicts, "needs: \\usepackage{booktabs}"]),
            r"\begin{table}[t]",
            r"\centering",
            rf"\caption{{{to_latex(caption)}}}",
            r"\label{tab:ndcg}",
            render_grid(grid, "latex"),
            r"\end{table}",
            *_remarks(comparison_notes(comparison)),
            *_remarks([] if command is None else [command]),
        ]
    )


def _remarks(lines: Iterable[str]) -> list[str]:
    return [f"% {printable(line)}" for line in lines]
