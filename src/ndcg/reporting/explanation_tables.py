"""Explanations and disagreements as text and as JSON."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ndcg.reporting.grids import Grid, render_grid

if TYPE_CHECKING:
    from ndcg.disagreement import Disagreement
    from ndcg.explanation import Explanation, Step

_HOLE = "hole"
_ID_WIDTH = 28


def render_explanation(
    explained: Explanation,
    moved: Explanation | None,
    other: Explanation | None,
    title: str | None,
) -> str:
    """Return an explanation as tables: the ranks, the ideal order, what-if, the other run."""
    name = f"query {explained.query_id}" + (f": {title}" if title else "")
    parts = [f"{name}\n{_equation(explained)}", _steps(explained.steps, "DCG", explained.dcg)]
    if not explained.steps:
        parts[1] = f"{explained.run} retrieved nothing for this query"
    if explained.ideal:
        parts.append("ideal order\n" + _steps(explained.ideal, "IDCG", explained.idcg))
    else:
        parts.append("no relevant document is known for this query")
    parts += _holes(explained)
    if moved is not None:
        parts.append(_moved(explained, moved))
    if other is not None:
        parts.append(_against(explained, other))
    return "\n\n".join(parts)


def _equation(explained: Explanation) -> str:
    if explained.measure.name != "nDCG":
        return f"{explained.measure!r} = {explained.value:.4f} ({explained.run})"
    return (
        f"{explained.measure!r} = DCG / IDCG = {explained.dcg:.4f} / {explained.idcg:.4f} = "
        f"{explained.value:.4f} ({explained.run})"
    )


def _steps(steps: tuple[Step, ...], total: str, value: float) -> str:
    rows: list[tuple[object, ...]] = [
        (
            f"{step.rank:>4}{'=' if step.tied else ''}",
            _short(step.doc_id),
            _HOLE if step.grade is None else f"{step.grade:g}",
            _plain(step.gain),
            _divisor(step.discount),
            step.value,
        )
        for step in steps
    ]
    rows.append(("", total, "", "", "", value))
    names = ("rank", "document", "grade", "gain", "log2(i+1)", "gain/log2(i+1)")
    return render_grid(Grid(names, tuple(rows), right=frozenset(names[2:])), "table")


def _divisor(discount: float) -> str:
    return f"{1 / discount:.4f}" if discount else "-"


def _plain(value: float) -> str:
    return f"{value:g}" if value == round(value) else f"{value:.4f}"


def _short(doc_id: str) -> str:
    return doc_id if len(doc_id) <= _ID_WIDTH else f"{doc_id[: _ID_WIDTH - 1]}…"


def _holes(explained: Explanation) -> list[str]:
    holes, tied = len(explained.holes), sum(step.tied for step in explained.steps)
    told = []
    if holes:
        told.append(
            f"{holes} of {len(explained.steps)} documents are holes: never judged, counted as "
            "not relevant"
        )
    if tied:
        told.append("= shares its score with other documents; their ids decide")
    return ["\n".join(told)] if told else []


def _moved(before: Explanation, after: Explanation) -> str:
    what = ", ".join(f"{doc} at rank {rank}" for doc, rank in after.moves)
    change = after.value - before.value
    table = _steps(after.steps, "DCG", after.dcg)
    return f"what if {what}\n{_equation(after)}, {change:+.4f}\n{table}"


def _against(mine: Explanation, theirs: Explanation) -> str:
    frame = mine.against(theirs)
    rows = [
        (
            _short(row["doc_id"]),
            _HOLE if row["grade"] is None else f"{row['grade']:g}",
            _or_dash(row["rank"]),
            _or_dash(row["other_rank"]),
            f"{row['difference']:+.4f}",
        )
        for row in frame.to_dicts()
        if row["difference"]
    ]
    head = (
        f"{theirs.run} {theirs.value:.4f}, {mine.run} {mine.value:.4f}: "
        f"difference {mine.value - theirs.value:+.4f}"
    )
    if not rows:
        return f"{head}; no document makes a difference"
    names = ("document", "grade", mine.run, theirs.run, "difference")
    grid = Grid(names, tuple(rows), right=frozenset(names[1:]))
    return f"{head}\n{render_grid(grid, 'table')}"


def _or_dash(rank: int | None) -> str:
    return "-" if rank is None else str(rank)


def explanation_to_json(
    explained: Explanation, moved: Explanation | None, other: Explanation | None
) -> dict[str, Any]:
    """Return an explanation with its what-if and its other run as plain values."""
    told: dict[str, Any] = {"schema": 1, **explained.to_dict()}
    if moved is not None:
        told["moved"] = moved.to_dict()
    if other is not None:
        told["against"] = {
            "run": other.run,
            "value": other.value,
            "documents": explained.against(other).to_dicts(),
        }
    return told


def render_disagreement(found: Disagreement, *, top: int) -> str:
    """Return where two conventions part as tables."""
    (a, b), (x, y), (n, m) = found.names, found.means, found.counts
    head = (
        f"{found.measure!r} as {a} {_number(x)} over {n} queries, "
        f"as {b} {_number(y)} over {m} queries"
    )
    rules = [
        (row["rule"], row["first"], row["second"], row["queries"], row["mean"])
        for row in found.rules.to_dicts()
    ]
    parts = [
        head,
        "each rule changed alone, from the first to the second\n"
        + render_grid(Grid(("rule", a, b, "queries moved", "mean then"), tuple(rules)), "table"),
    ]
    if not len(found.queries):
        parts.append("no query differs on this data")
    else:
        rows = [tuple(row.values()) for row in found.queries.head(top).to_dicts()]
        more = len(found.queries) - len(rows)
        table = render_grid(Grid(("query", a, b, "difference", "rules"), tuple(rows)), "table")
        parts.append(
            f"{len(found.queries)} queries differ\n{table}" + (f"\n({more} more)" if more else "")
        )
    return "\n\n".join(parts)


def _number(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.4f}"
