"""Explanations and disagreements as text and as JSON."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ndcg.reporting.grids import Grid, printable, render_grid, shorten
from ndcg.reporting.score_tables import convention_line, wrapped

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ndcg.disagreement import Disagreement
    from ndcg.explanation import Explanation, Step

_SCHEMA = 1
_HOLE = "hole"
_NAME_WIDTH = 24
_TEXT_WIDTH = 24
_TIED = {
    "trec": "their ids decide, descending",
    "ascending": "their ids decide, ascending",
    "input": "the order given decides",
    "average": "the expected value over their orders counts",
}


def render_explanation(
    explained: Explanation,
    moved: Explanation | None,
    other: Explanation | None,
    title: str | None,
    texts: Mapping[str, str] | None = None,
) -> str:
    """Return an explanation as tables: the ranks, the ideal order, what-if, the other run."""
    head = [
        wrapped(printable(f"query {explained.query_id}" + (f": {title}" if title else ""))),
        wrapped(_equation(explained)),
        wrapped(convention_line(explained.convention)),
    ]
    parts = ["\n".join(head)]
    if explained.steps:
        total = _sum_name(explained)
        parts.append(_table(explained, explained.steps, total, explained.dcg, texts))
    else:
        parts.append("nothing was retrieved for this query")
    if explained.ideal:
        total = f"I{_sum_name(explained)}"
        ideal = _table(explained, explained.ideal, total, explained.idcg, texts)
        parts.append(f"ideal order\n{ideal}")
    parts += _remarks(explained)
    if moved is not None:
        parts.append(_moved(explained, moved))
    if other is not None:
        parts.append(_against(explained, other))
    return "\n\n".join(parts)


def _equation(explained: Explanation) -> str:
    name, run = repr(explained.measure), _name(explained.run)
    absent = "the run does not have this query"
    barren = "no relevant document was " + (
        "judged" if explained.convention.ideal == "judged" else "retrieved"
    )
    if math.isnan(explained.value):
        return f"{name} ({run}) is left out of the mean: {barren if explained.answered else absent}"
    value = f"{explained.value:.4f} ({run})"
    if not explained.answered:
        return f"{name} = {value}: {absent}"
    if explained.measure.name != "nDCG":
        return f"{name} = {value}"
    if not explained.idcg:
        return f"{name} = {value}: {barren}, which counts {explained.value:.0f}"
    return f"{name} = DCG / IDCG = {explained.dcg:.4f} / {explained.idcg:.4f} = {value}"


def _name(run: str) -> str:
    return shorten(printable(run), _NAME_WIDTH)


def _sum_name(explained: Explanation) -> str:
    return "CG" if explained.measure.name == "CG" else "DCG"


def _table(
    explained: Explanation,
    steps: tuple[Step, ...],
    total: str,
    value: float,
    texts: Mapping[str, str] | None = None,
) -> str:
    rows: list[tuple[object, ...]] = [
        (
            f"{step.rank:>4}{'' if step.retrieved else '+'}{'=' if step.tied else ''}",
            step.doc_id,
            _grade(step.grade),
            _plain(step.gain),
            f"{1 / step.discount:.4f}" if step.discount else None,
            step.value,
            *(() if texts is None else (_snippet(texts.get(step.doc_id, "")),)),
        )
        for step in steps
    ]
    rows.append(("", total, "", "", "", value, *(() if texts is None else ("",))))
    rules = explained.convention
    simple = rules.discount == "log2" and rules.ties != "average" and total.endswith("DCG")
    divisor = "log2(i+1)" if simple else "divisor"
    numbers = ("grade", "gain", divisor, f"gain/{divisor}")
    names = ("rank", "document", *numbers, *(() if texts is None else ("text",)))
    return render_grid(Grid(names, tuple(rows), right=frozenset(numbers)), "table")


def _snippet(text: str) -> str:
    return text if len(text) <= _TEXT_WIDTH else f"{text[: _TEXT_WIDTH - 1]}…"


def _grade(grade: float | None) -> str:
    return _HOLE if grade is None else f"{grade:g}"


def _plain(value: float) -> str:
    return f"{value:g}" if value == round(value) else f"{value:.4f}"


def _remarks(explained: Explanation) -> list[str]:
    steps, told = explained.steps, []
    if explained.holes:
        are = "is a hole" if len(explained.holes) == 1 else "are holes"
        told.append(
            f"{len(explained.holes)} of {len(steps)} documents {are}: never judged, counted as "
            "not relevant"
        )
    if any(step.tied and step.retrieved for step in steps):
        told.append(f"= shares its score with other documents; {_TIED[explained.convention.ties]}")
    if not all(step.retrieved for step in steps):
        told.append("+ was not retrieved; the convention fills lists up with what was judged")
    return ["\n".join(wrapped(line) for line in told)] if told else []


def _moved(before: Explanation, after: Explanation) -> str:
    what = ", ".join(
        f"{shorten(printable(doc), _NAME_WIDTH)} at rank {rank}" for doc, rank in after.moves
    )
    change = after.value - before.value
    equation = _equation(after) + ("" if math.isnan(change) else f", {change:+.4f}")
    table = _table(after, after.steps, _sum_name(after), after.dcg)
    return f"{wrapped(f'what if {what}')}\n{wrapped(equation)}\n{table}"


def _against(mine: Explanation, theirs: Explanation) -> str:
    here, there = _name(mine.run), _name(theirs.run)
    change = mine.value - theirs.value
    difference = "-" if math.isnan(change) else f"{change:+.4f}"
    head = wrapped(
        f"{there} {_number(theirs.value)}, {here} {_number(mine.value)}: difference {difference}"
    )
    rows = [
        (
            row["doc_id"],
            _grade(row["grade"]),
            row["rank"],
            row["other_rank"],
            f"{row['difference']:+.4f}",
        )
        for row in mine.against(theirs).to_dicts()
        if row["difference"]
    ]
    if not rows:
        return f"{head}; no document makes a difference"
    names = ("document", "grade", here, there, "difference")
    grid = Grid(names, tuple(rows), right=frozenset(names[1:]))
    return f"{head}\n{render_grid(grid, 'table')}"


def explanation_to_json(
    explained: Explanation,
    moved: Explanation | None,
    other: Explanation | None,
    title: str | None,
) -> dict[str, Any]:
    """Return an explanation with its what-if and its other run as plain values."""
    told: dict[str, Any] = {"schema": _SCHEMA, **explained.to_dict(), "text": title}
    if moved is not None:
        told["moved"] = moved.to_dict()
    if other is not None:
        told["against"] = {
            "run": other.run,
            "value": other.to_dict()["value"],
            "documents": explained.against(other).to_dicts(),
        }
    return told


def render_disagreement(found: Disagreement, *, top: int) -> str:
    """Return where two conventions part as tables."""
    (a, b), (x, y), (n, m) = found.names, found.means, found.counts
    head = wrapped(
        f"{found.measure!r} as {a} {_number(x)} over {_queries(n)}, "
        f"as {b} {_number(y)} over {_queries(m)}"
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
    count = len(found.queries)
    if not count:
        parts.append("no query differs on this data")
        return "\n\n".join(parts)
    rows = [tuple(row.values()) for row in found.queries.head(top).to_dicts()]
    names = ("query", a, b, "difference", "rules")
    table = render_grid(Grid(names, tuple(rows), right=frozenset(names[1:4])), "table")
    more = f"\n({count - len(rows)} more)" if count > len(rows) else ""
    parts.append(f"{_queries(count)} {'differs' if count == 1 else 'differ'}\n{table}{more}")
    return "\n\n".join(parts)


def _queries(count: int) -> str:
    return "1 query" if count == 1 else f"{count} queries"


def disagreement_to_json(found: Disagreement) -> dict[str, Any]:
    """Return where two conventions part as plain values."""
    return {"schema": _SCHEMA, **found.to_dict()}


def _number(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.4f}"
