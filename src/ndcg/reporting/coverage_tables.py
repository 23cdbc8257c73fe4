"""Coverage as tables: what was judged, what the holes could change, whom the pool favours."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from ndcg.data import counted
from ndcg.reporting.bounds_tables import bounds_grid, bounds_line
from ndcg.reporting.grids import Grid, render_grid
from ndcg.reporting.score_tables import DIGEST_SHOWN, notice_lines, wrapped

if TYPE_CHECKING:
    from ndcg.holes.covering import Coverage
    from ndcg.holes.sampling import Sampled
    from ndcg.holes.shares import RunCoverage

_SHARES = ("judged", "weighted", "minimum")


def coverage_grid(found: Coverage) -> Grid:
    """Return one row a run."""
    names = ("run", *_names(found.k))
    return Grid(names, tuple((run.name, *_cells(run)) for run in found.runs))


def slices_grid(found: Coverage) -> Grid:
    """Return one row a slice value and run."""
    names = ("slice", "run", *_names(found.k))
    rows = [
        (f"{part.slice}={part.value}", part.run.name, *_cells(part.run)) for part in found.slices
    ]
    return Grid(names, tuple(rows))


def _names(k: int) -> tuple[str, ...]:
    return (f"judged@{k}", "weighted", "minimum", "with holes", "holes", "n")


def _cells(run: RunCoverage) -> tuple[object, ...]:
    told = run.to_dict()
    return (*(told[name] for name in _SHARES), told["incomplete"], told["holes"], told["n"])


def queries_grid(found: Coverage) -> Grid:
    """Return one row a run and query."""
    frame = found.to_queries()
    return Grid(tuple(frame.columns), tuple(frame.rows()))


def worst_grid(found: Coverage, shown: int) -> Grid:
    """Return the queries with the most holes in any run's top k, a column a run."""
    table = pl.DataFrame(
        {"query_id": pl.Series(found.query_ids, dtype=pl.String)}
        | {f"run {i}": run.holes for i, run in enumerate(found.runs)}
    )
    total = pl.sum_horizontal(pl.exclude("query_id")).alias("all")
    worst = table.with_columns(total).sort("all", "query_id", descending=[True, False])
    rows = worst.filter(pl.col("all") > 0).head(shown).drop("all").rows()
    return Grid(("query_id", *(run.name for run in found.runs)), tuple(rows))


def bias_grid(found: Coverage) -> Grid:
    """Return one row a run of the leave-one-run-out test."""
    names = ("run", "own", "judged", "relevant", repr(found.measure), "without", "change")
    rows = found.bias.rows if found.bias else ()
    cells = [
        (r.run, r.own, r.judged, r.relevant, r.value, r.without, f"{r.change:+.4f}") for r in rows
    ]
    return Grid(names, tuple(cells), right=frozenset(["change"]))


def sampled_grid(found: Sampled) -> Grid:
    """Return one row a run of what the sample says."""
    frame = found.to_frame().drop("outside")
    names = ("run", "n", "estimate", "low", "high", "holes as 0")
    return Grid(names, tuple(frame.rows()))


def render_coverage(
    found: Coverage, format: str, *, per_query: bool = False, sampled: Sampled | None = None
) -> str:
    """Return coverage as text: ``table`` is the whole page, the others are one table each."""
    if format != "table":
        grid = coverage_grid(found)
        if found.slices:
            grid = slices_grid(found)
        return render_grid(queries_grid(found) if per_query else grid, format)
    parts = [wrapped(heading(found)), render_grid(coverage_grid(found), "table")]
    if found.slices:
        parts.append(render_grid(slices_grid(found), "table"))
    if found.bounds is not None:
        bounded = {found.measure: found.bounds}
        parts += [wrapped(bounds_line(bounded)), render_grid(bounds_grid(bounded), "table")]
    if sampled is not None:
        line = (
            f"{sampled.measure!r} estimated from a sample of "
            f"{counted(sampled.drawn, 'judgment')}, each standing for the documents like it"
        )
        parts += [wrapped(line), render_grid(sampled_grid(sampled), "table")]
    if found.bias is not None:
        tau = "" if found.bias.tau is None else f"; Kendall's tau of the order {found.bias.tau:.2f}"
        line = (
            f"pool bias: each run without the judgments of its own documents, those that no other "
            f"run has in its top {found.k}{tau}"
        )
        parts += [wrapped(line), render_grid(bias_grid(found), "table")]
    parts += _queries(found, per_query=per_query)
    told = notice_lines(sampled.notices) if sampled is not None else []
    notes = [wrapped(line, "note: ") for line in [*coverage_lines(found), *told]]
    return "\n\n".join([*parts, "\n".join(notes)])


def heading(found: Coverage) -> str:
    """Return the line that says what was looked at."""
    return (
        f"top {found.k} of {counted(len(found.runs), 'run')}, "
        f"{counted(len(found.query_ids), 'judged query', 'judged queries')}, floor "
        f"{found.floor:.0%}; qrels {found.qrels_digest[:DIGEST_SHOWN]}"
    )


def _queries(found: Coverage, *, per_query: bool) -> list[str]:
    if per_query:
        return [render_grid(queries_grid(found), "table")]
    grid = worst_grid(found, 5)
    if not grid.rows:
        return []
    line = f"holes by query, the {len(grid.rows)} with the most (-q shows all):"
    return [wrapped(line if len(grid.rows) > 1 else "holes by query:"), render_grid(grid, "table")]


def coverage_lines(found: Coverage) -> list[str]:
    """Return what to know and what could mislead, a line each."""
    lines = notice_lines(found.notices)
    if found.completeness is not None:
        lines.append(found.completeness.describe())
    if found.holes:
        some = counted(found.holes, "document")
        lines.append(
            f"{some} to label would fill every hole: ndcg pool RUN... --judged QRELS -o pool.jsonl"
        )
    return lines
