"""Comparisons as text: verdicts first, then the numbers they rest on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ndcg.reporting.comparison_text import (
    bounds_text,
    comparison_notes,
    interval_text,
    judged_text,
    measures_of,
    pair_title,
    pvalue_text,
    settings_line,
)
from ndcg.reporting.grids import Grid, render_grid
from ndcg.reporting.paper_tables import render_paper
from ndcg.reporting.score_tables import heading, wrapped

if TYPE_CHECKING:
    from ndcg.comparison import Comparison
    from ndcg.comparison.pairs import Numbers, Pair


def render_comparison(comparison: Comparison, format: str) -> str:
    """Return a comparison: ``table`` is a page of text, the other formats the table of pairs."""
    if format in {"md", "latex"}:
        return render_paper(comparison, format)
    if format != "table":
        return render_grid(pair_grid(comparison), format)
    parts = [wrapped(heading(comparison.scores)), wrapped(settings_line(comparison))]
    parts.append("\n".join(_verdict_line(comparison, pair) for pair in comparison.pairs))
    parts.append(render_grid(_pair_table(comparison), "table"))
    if comparison.slices:
        parts.append(render_grid(_slice_table(comparison), "table"))
    parts += [text for pair in comparison.pairs if (text := _moves(pair))]
    notes = [wrapped(line, "note: ") for line in comparison_notes(comparison)]
    return "\n\n".join([*parts, "\n".join(notes)] if notes else parts)


def _verdict_line(comparison: Comparison, pair: Pair) -> str:
    head = f"{pair_title(comparison, pair)}: {pair.verdict.word.upper()}"
    return wrapped(f"{head}: {'; '.join(pair.verdict.reasons)}")


def _cells(numbers: Numbers) -> tuple[object, ...]:
    seen = None if numbers.detectable is None else f"{numbers.detectable:.3f}"
    return (
        f"{numbers.means[1]:.4f}",
        f"{numbers.difference:+.4f}",
        interval_text(numbers),
        pvalue_text(numbers.pvalue_corrected),
        f"{numbers.wins}/{numbers.ties}/{numbers.losses}",
        judged_text(numbers),
        seen,
        *(() if numbers.limits is None else (bounds_text(numbers),)),
    )


def _last_columns(comparison: Comparison) -> tuple[str, ...]:
    """Return the columns that only some comparisons have."""
    return ("bounds",) if comparison.bounds else ()


def _pair_table(comparison: Comparison) -> Grid:
    measures = measures_of(comparison)
    one = len(measures) == 1
    mean = repr(measures[0]) if one else "mean"
    names: tuple[str, ...] = ("run", mean, "diff", "interval", "p", "w/t/l", "judged", "MDE")
    names += _last_columns(comparison)
    rows: list[tuple[object, ...]] = []
    for measure in measures:
        pairs = [pair for pair in comparison.pairs if pair.measure == measure]
        if not comparison.procedure.all_pairs:
            base = pairs[0].numbers.means[0]
            label = comparison.baseline if one else f"{comparison.baseline}, {measure!r}"
            rows.append((label, f"{base:.4f}", *("",) * (len(names) - 2)))
        rows += [(pair_title(comparison, pair), *_cells(pair.numbers)) for pair in pairs]
    return Grid(names, tuple(rows), right=frozenset(names[1:]))


def _slice_table(comparison: Comparison) -> Grid:
    names: tuple[str, ...] = (
        "slice",
        "run",
        "n",
        "mean",
        "diff",
        "interval",
        "p",
        "w/t/l",
        "judged",
        "MDE",
    )
    names += _last_columns(comparison)
    many = len(measures_of(comparison)) > 1
    rows = []
    for part in comparison.slices:
        cells = _cells(part.numbers)
        label = f"{part.slice}={part.value}" + (f" {part.measure!r}" if many else "")
        run = f"{part.run}-{part.baseline}" if comparison.procedure.all_pairs else part.run
        rows.append((label, run, part.numbers.n, *cells))
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
        lines.append(wrapped(f"fell by more than 0.3 ({len(pair.fallen)}): {fallen}", "  "))
    worst = pair.moved[0][0]
    lines.append(
        f"  look: ndcg explain QRELS {pair.run} {worst} -m '{pair.measure!r}' "
        f"--against {pair.baseline}"
    )
    lines.append("  (or any other of these queries)")
    return "\n".join(lines)


def pair_grid(comparison: Comparison) -> Grid:
    """Return a row a pair with every number behind its verdict, as data files hold it."""
    names = (
        "run", "baseline", "measure", "n", "mean_baseline", "mean", "difference", "low", "high",
        "p", "p_corrected", "effect_size", "wins", "ties", "losses", "judged_baseline",
        "judged", "mde", "bounds_low", "bounds_high", "settled", "verdict",
    )  # fmt: skip
    return Grid(names, tuple(_full_row(pair) for pair in comparison.pairs))


def _full_row(pair: Pair) -> tuple[object, ...]:
    numbers = pair.numbers
    low, high = numbers.interval or (None, None)
    base_judged, judged = numbers.judged or (None, None)
    limits = numbers.limits
    least, greatest = limits or (None, None)
    settled = None if limits is None else str(limits.is_settled).lower()
    return (
        pair.run, pair.baseline, repr(pair.measure), numbers.n, *numbers.means, numbers.difference,
        low, high, numbers.pvalue, numbers.pvalue_corrected, numbers.effect_size, numbers.wins,
        numbers.ties, numbers.losses, base_judged, judged, numbers.detectable,
        least, greatest, settled, pair.verdict.word,
    )  # fmt: skip
