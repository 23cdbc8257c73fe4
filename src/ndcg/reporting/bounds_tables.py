"""Bounds as tables: the value with 0 for holes, what it could be at the least and at the most."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ndcg.reporting.grids import Grid

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ndcg.evaluation import Scores, SliceScores
    from ndcg.holes.bounding import Bounds
    from ndcg.measures import Measure

_ENDS = ("at least", "at most")


def bounds_grid(bounds: Mapping[Measure, Bounds]) -> Grid:
    """Return one row a run and measure: the 0-filled value, both bounds, nDCG', and the holes."""
    several = len(bounds) > 1
    names = ("run", "holes as 0", *_ENDS, "condensed", "unjudged")
    rows = []
    for measure, found in bounds.items():
        for name in found.names:
            told = found.of(name).to_dict()
            label = f"{name}, {measure!r}" if several else name
            rows.append((label, told["value"], *told["bounds"], told["condensed"], told["holes"]))
    return Grid(names, tuple(rows))


def with_bounds(grid: Grid, scores: Scores, bounds: Mapping[Measure, Bounds]) -> Grid:
    """Return a summary of runs with two columns a bounded measure."""
    names = tuple(f"{measure!r} {end}" for measure in bounds for end in _ENDS)
    rows = tuple(
        (*row, *(end for found in bounds.values() for end in found.of(run.name)))
        for row, run in zip(grid.rows, scores.runs, strict=True)
    )
    return Grid((*grid.names, *names), rows)


def with_query_bounds(grid: Grid, scores: Scores, bounds: Mapping[Measure, Bounds]) -> Grid:
    """Return a table of queries with two columns a bounded measure."""
    names = tuple(f"{measure!r} {end}" for measure in bounds for end in _ENDS)
    ends = [
        cells
        for run in scores.runs
        for cells in zip(
            *(
                column.tolist()
                for found in bounds.values()
                for column in (found.of(run.name).lows, found.of(run.name).highs)
            ),
            strict=True,
        )
    ]
    rows = tuple((*row, *cells) for row, cells in zip(grid.rows, ends, strict=True))
    return Grid((*grid.names, *names), rows)


def with_slice_bounds(
    grid: Grid, parts: Sequence[SliceScores], bounds: Mapping[Measure, Bounds]
) -> Grid:
    """Return a table of slices with two columns a bounded measure."""
    names = tuple(f"{measure!r} {end}" for measure in bounds for end in _ENDS)
    rows = []
    for row, part in zip(grid.rows, parts, strict=True):
        ends = [slice_ends(found, part) or (None, None) for found in bounds.values()]
        rows.append((*row, *(end for pair in ends for end in pair)))
    return Grid((*grid.names, *names), tuple(rows), right=grid.right)


def slice_ends(bounds: Bounds, part: SliceScores) -> list[float] | None:
    """Return the bounds of a run over a slice; None where none of its queries counts."""
    limits = bounds.of(part.run).where(part.inside)
    return list(limits) if limits.n else None


def query_bounds_to_json(bounds: Mapping[Measure, Bounds], run: str) -> dict[str, Any]:
    """Return ``{query_id: {"nDCG@10": [lower, upper]}}``, null where a query does not count."""
    told: dict[str, dict[str, Any]] = {}
    for measure, found in bounds.items():
        limits = found.of(run)
        ends = zip(limits.query_ids, limits.lows.tolist(), limits.highs.tolist(), strict=True)
        for query, low, high in ends:
            pair = None if math.isnan(low) else [low, high]
            told.setdefault(query, {})[repr(measure)] = pair
    return told


def bounds_line(bounds: Mapping[Measure, Bounds]) -> str:
    """Return what the bounds are of, and what they assume."""
    assumed = next(iter(bounds.values())).describe()
    return f"bounds of {', '.join(map(repr, bounds))}: {assumed}"


def assumed_to_json(bounds: Mapping[Measure, Bounds]) -> dict[str, Any] | None:
    """Return what the bounds assume of unjudged documents; None without bounds."""
    found = next(iter(bounds.values()), None)
    if found is None:
        return None
    return {"grades": list(found.grades), "open_world": found.open_world}
