"""The tables of a report's page, and grids as cells that a template can lay out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ndcg.reporting.chart_rows import pairs_under, slices_under
from ndcg.reporting.comparison_text import (
    bounds_text,
    interval_text,
    judged_text,
    pvalue_text,
)
from ndcg.reporting.grids import Grid, printable, shorten
from ndcg.reporting.provenance import shell_line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ndcg.comparison import Comparison, Pair
    from ndcg.comparison.pairs import Numbers
    from ndcg.measures import Measure

_SHOWN_FALLEN = 12
_NAME_WIDTH = 60
_NUMBERS = ("n", "baseline mean", "mean", "difference", "interval", "p", "d_z", "up/same/down",
            "judged", "MDE")  # fmt: skip
PAIR_NOTE = (
    "difference: the run's mean less the baseline's. p: corrected. d_z: the difference in standard "
    "deviations of the per-query differences. judged: judged@k of baseline/run. MDE: the least "
    "true difference that this many queries show with 80 % power. bounds: what labels for the "
    "unjudged documents could make of the difference (with --bounds)."
)


def short_name(text: str) -> str:
    """Return a name or id no longer than a line; the table of runs has every name in full."""
    return shorten(printable(text), _NAME_WIDTH)


def pair_name(comparison: Comparison, pair: Pair) -> str:
    """Return a pair by its run, and by both where every run meets every other."""
    if not comparison.procedure.all_pairs:
        return short_name(pair.run)
    return f"{short_name(pair.run)} against {short_name(pair.baseline)}"


def cells_of(grid: Grid) -> dict[str, Any]:
    """Return a grid as cells with text and kind, for a template."""
    head, *rows = grid.lines()
    kinds = ["number" if right else "text" for right in grid.alignment()]
    return {
        "head": _cells(head, kinds),
        "rows": [_cells([*row], _worded(grid, row, kinds)) for row in rows],
    }


def _cells(texts: list[str], kinds: list[str]) -> list[dict[str, str]]:
    return [{"text": text, "kind": kind} for text, kind in zip(texts, kinds, strict=True)]


def _worded(grid: Grid, row: list[str], kinds: list[str]) -> list[str]:
    if "verdict" not in grid.names:
        return kinds
    place = grid.names.index("verdict")
    return [*kinds[:place], f"text {row[place].replace(' ', '-')}", *kinds[place + 1 :]]


def pair_table(comparison: Comparison, measure: Measure) -> Grid:
    """Return one row a pair with every number behind its verdict."""
    pairs = pairs_under(comparison, measure)
    every = comparison.procedure.all_pairs
    head = ("run", "baseline") if every else ("run",)
    rows = tuple(
        (
            *map(short_name, (pair.run, pair.baseline) if every else (pair.run,)),
            pair.verdict.word,
            *_number_cells(pair.numbers),
        )
        for pair in pairs
    )
    names = _numbers(comparison)
    return Grid((*head, "verdict", *names), rows, right=frozenset(names))


def _number_cells(numbers: Numbers) -> tuple[object, ...]:
    return (
        numbers.n,
        *(f"{mean:.4f}" for mean in numbers.means),
        f"{numbers.difference:+.4f}",
        interval_text(numbers),
        pvalue_text(numbers.pvalue_corrected),
        None if numbers.effect_size is None else f"{numbers.effect_size:+.2f}",
        f"{numbers.wins}/{numbers.ties}/{numbers.losses}",
        judged_text(numbers),
        None if numbers.detectable is None else f"{numbers.detectable:.3f}",
        *(() if numbers.limits is None else (bounds_text(numbers), numbers.limits.word)),
    )


def _numbers(comparison: Comparison) -> tuple[str, ...]:
    return (*_NUMBERS, "bounds", "labels") if comparison.bounds else _NUMBERS


def slice_table(comparison: Comparison, measure: Measure) -> Grid:
    """Return one row a slice value and run."""
    rows = tuple(
        (
            short_name(f"{part.slice} = {part.value}"),
            short_name(part.run),
            *_number_cells(part.numbers),
        )
        for part in slices_under(comparison, measure)
    )
    names = _numbers(comparison)
    return Grid(("slice", "run", *names), rows, right=frozenset(names))


def moved_table(comparison: Comparison, measure: Measure) -> Grid:
    """Return one row a pair: the queries that moved most, and those that fell far."""
    rows = tuple(
        (
            pair_name(comparison, pair),
            _moves(move for move in pair.moved if move[1] > 0),
            _moves(move for move in pair.moved if move[1] < 0),
            _fallen(pair),
        )
        for pair in pairs_under(comparison, measure)
    )
    return Grid(("run", "rose most", "fell most", "fell by more than 0.3"), rows)


def _moves(moves: Iterable[tuple[str, float]]) -> str | None:
    # A blank that does not break keeps a change on the line of its query.
    return ", ".join(f"{short_name(query)}\u00a0{change:+.2f}" for query, change in moves) or None


def _fallen(pair: Pair) -> str:
    count = len(pair.fallen)
    if not count:
        return "none"
    listed = ", ".join(short_name(query) for query, _ in pair.fallen[:_SHOWN_FALLEN])
    more = f" and {count - _SHOWN_FALLEN} more" if count > _SHOWN_FALLEN else ""
    return f"{count}: {listed}{more}"


def explain_commands(comparison: Comparison) -> str:
    """Return one command a pair that explains the query that fell most."""
    pairs = (pair for pair in comparison.pairs if pair.moved and pair.moved[0][1] < 0)
    return "\n".join(shell_line(_explaining(pair)) for pair in pairs)


def _explaining(pair: Pair) -> list[str]:
    about = [pair.run, pair.moved[0][0], "-m", repr(pair.measure)]
    return ["ndcg", "explain", "QRELS", *about, "--against", pair.baseline]


def digest_table(comparison: Comparison) -> Grid:
    """Return one row a run: how many queries it answers, and its digest where one is known."""
    scores = comparison.scores
    total = len(scores.query_ids)
    rows = [(run.name, f"{run.answered} of {total}") for run in scores.runs]
    if not any(run.digest for run in scores.runs):
        return Grid(("run", "queries answered"), tuple(rows))
    known = tuple((*row, run.digest) for row, run in zip(rows, scores.runs, strict=True))
    return Grid(("run", "queries answered", "digest (sha256)"), known)
