"""Comparisons as text: verdicts first, then the numbers they rest on."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from ndcg.comparison.verdicts import spell_pvalue
from ndcg.reporting.grids import WIDTH, Grid, render_grid
from ndcg.reporting.score_tables import heading, notice_lines

if TYPE_CHECKING:
    from ndcg.comparison import Comparison
    from ndcg.comparison.pairs import Numbers, Pair

_TESTS = {
    "bootstrap": "paired bootstrap test",
    "t": "paired t test",
    "permutation": "permutation test",
}
_CORRECTIONS = {
    "holm": "Holm over the runs",
    "maxt": "MaxT over the runs",
    "bh": "Benjamini-Hochberg over the runs",
    "none": "nothing",
}


def render_comparison(comparison: Comparison, format: str) -> str:
    """Return a comparison: ``table`` is a page of text, the other formats the table of pairs."""
    if format != "table":
        return render_grid(pair_grid(comparison, marked=format in {"md", "latex"}), format)
    parts = [_wrapped(heading(comparison.scores), ""), _settings(comparison)]
    parts.append("\n".join(_verdict_line(comparison, pair) for pair in comparison.pairs))
    parts.append(render_grid(_pair_table(comparison), "table"))
    if comparison.slices:
        parts.append(render_grid(_slice_table(comparison), "table"))
    parts += [text for pair in comparison.pairs if (text := _moves(pair))]
    notes = [_wrapped(line, "note: ") for line in comparison_notes(comparison)]
    return "\n\n".join([*parts, "\n".join(notes)] if notes else parts)


def comparison_notes(comparison: Comparison) -> list[str]:
    """Return every notice as a line that begins with its run."""
    return notice_lines(comparison.notices)


def _wrapped(text: str, first: str) -> str:
    return textwrap.fill(
        text, WIDTH, initial_indent=first, subsequent_indent="  ", break_on_hyphens=False
    )


def _settings(comparison: Comparison) -> str:
    procedure = comparison.procedure
    if procedure.all_pairs:
        how = "all pairs by randomised Tukey HSD"
    else:
        how = f"{_TESTS[procedure.test]}, corrected by {_CORRECTIONS[procedure.correction]}"
    is_drawn = procedure.test != "t" or procedure.all_pairs
    drawn = f", {procedure.n_resamples} resamples, seed {procedure.seed}" if is_drawn else ""
    margin = "" if procedure.margin is None else f", margin {procedure.margin:g}"
    return _wrapped(f"{how}{drawn}, level {procedure.level:g}{margin}", "")


def _title(comparison: Comparison, pair: Pair) -> str:
    many = len({one.measure for one in comparison.pairs}) > 1
    against = f" against {pair.baseline}" if comparison.procedure.all_pairs else ""
    return f"{pair.run}{against}{f', {pair.measure!r}' if many else ''}"


def _verdict_line(comparison: Comparison, pair: Pair) -> str:
    head = f"{_title(comparison, pair)}: {pair.verdict.word.upper()}"
    return _wrapped(f"{head}: {'; '.join(pair.verdict.reasons)}", "")


def _ends(numbers: Numbers) -> str:
    if numbers.interval is None:
        return "-"
    return f"[{numbers.interval[0]:+.3f}, {numbers.interval[1]:+.3f}]"


def _pvalue(value: float | None) -> str:
    return "-" if value is None else spell_pvalue(value)


def _shares(numbers: Numbers) -> str:
    if numbers.judged is None:
        return "-"
    return f"{numbers.judged[0]:.0%}/{numbers.judged[1]:.0%}"


def _cells(numbers: Numbers) -> tuple[object, ...]:
    seen = None if numbers.detectable is None else f"{numbers.detectable:.3f}"
    return (
        f"{numbers.means[1]:.4f}",
        f"{numbers.difference:+.4f}",
        _ends(numbers),
        _pvalue(numbers.pvalue_corrected),
        f"{numbers.wins}/{numbers.ties}/{numbers.losses}",
        _shares(numbers),
        seen,
    )


def _pair_table(comparison: Comparison) -> Grid:
    names = ("run", "mean", "diff", "interval", "p", "w/t/l", "judged", "MDE")
    rows: list[tuple[object, ...]] = []
    for measure in dict.fromkeys(pair.measure for pair in comparison.pairs):
        pairs = [pair for pair in comparison.pairs if pair.measure == measure]
        if not comparison.procedure.all_pairs:
            base = pairs[0].numbers.means[0]
            label = f"{comparison.baseline} ({measure!r})"
            rows.append((label, f"{base:.4f}", *("",) * 6))
        rows += [(_title(comparison, pair), *_cells(pair.numbers)) for pair in pairs]
    return Grid(names, tuple(rows), right=frozenset(names[1:]))


def _slice_table(comparison: Comparison) -> Grid:
    names = ("slice", "run", "n", "mean", "diff", "p", "w/t/l", "judged", "MDE")
    many = len({part.measure for part in comparison.slices}) > 1
    rows = []
    for part in comparison.slices:
        mean, diff, _, p, record, judged, seen = _cells(part.numbers)
        label = f"{part.slice}={part.value}" + (f" {part.measure!r}" if many else "")
        rows.append((label, part.run, part.numbers.n, mean, diff, p, record, judged, seen))
    return Grid(names, tuple(rows), right=frozenset(names[2:]))


def _moves(pair: Pair) -> str:
    if not pair.moved:
        return ""
    down = [f"{query} {change:+.2f}" for query, change in pair.moved if change < 0]
    up = [f"{query} {change:+.2f}" for query, change in pair.moved if change > 0]
    lines = [f"{pair.run} against {pair.baseline}, {pair.measure!r}"]
    if down:
        lines.append(f"  down  {', '.join(down)}")
    if up:
        lines.append(f"  up    {', '.join(up)}")
    if pair.fallen:
        fallen = ", ".join(query for query, _ in pair.fallen)
        lines.append(_wrapped(f"fell by more than 0.3 ({len(pair.fallen)}): {fallen}", "  "))
    worst = pair.moved[0][0]
    lines.append(
        f"  look: ndcg explain QRELS {pair.run} {worst} -m '{pair.measure!r}' "
        f"--against {pair.baseline}"
    )
    return "\n".join(lines)


def pair_grid(comparison: Comparison, *, marked: bool, bold_significant: bool = False) -> Grid:
    """Return a row a run: means with every number behind them, or marked for a paper.

    Marked: a dagger where the difference is significant; the best mean of a measure is bold, or
    bold only where it is significantly better with `bold_significant`.
    """
    if not marked:
        names = (
            "run", "baseline", "measure", "n", "mean_baseline", "mean", "difference", "low", "high",
            "p", "p_corrected", "effect_size", "wins", "ties", "losses", "judged_baseline",
            "judged", "mde", "verdict",
        )  # fmt: skip
        return Grid(names, tuple(_full_row(pair) for pair in comparison.pairs))
    return _paper_grid(comparison, bold_significant=bold_significant)


def _full_row(pair: Pair) -> tuple[object, ...]:
    numbers = pair.numbers
    low, high = numbers.interval or (None, None)
    base_judged, judged = numbers.judged or (None, None)
    return (
        pair.run, pair.baseline, repr(pair.measure), numbers.n, *numbers.means, numbers.difference,
        low, high, numbers.pvalue, numbers.pvalue_corrected, numbers.effect_size, numbers.wins,
        numbers.ties, numbers.losses, base_judged, judged, numbers.detectable, pair.verdict.word,
    )  # fmt: skip


def _paper_grid(comparison: Comparison, *, bold_significant: bool) -> Grid:
    measures = tuple(dict.fromkeys(pair.measure for pair in comparison.pairs))
    runs = [run.name for run in comparison.scores.runs]
    alpha = 1 - comparison.procedure.level
    rows: list[tuple[object, ...]] = []
    significant = {
        (pair.run, pair.measure): (pair.numbers.pvalue_corrected or 1.0) <= alpha
        for pair in comparison.pairs
    }
    for run in runs:
        cells: list[object] = [run]
        for measure in measures:
            means = {name: comparison.scores.mean(name)[measure] for name in runs}
            sure = significant.get((run, measure), False)
            best = means[run] == max(means.values())
            bold = best and (sure or not bold_significant)
            text = f"{means[run]:.4f}" + ("†" if sure and run != comparison.baseline else "")
            cells.append(f"**{text}**" if bold else text)
        rows.append(tuple(cells))
    names = ("run", *(repr(measure) for measure in measures))
    return Grid(names, tuple(rows), right=frozenset(names[1:]))
