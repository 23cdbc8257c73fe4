"""What to judge next, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ndcg.data import counted
from ndcg.holes.queue import BELIEF_STOP, BELIEF_WORLDS
from ndcg.reporting.grids import Grid, render_grid
from ndcg.reporting.score_tables import notice_lines, wrapped

if TYPE_CHECKING:
    from ndcg.holes.queue import Queue
    from ndcg.planning import Effort


def queue_grid(found: Queue) -> Grid:
    """Return one row a label, in the order in which to judge them."""
    frame = found.frame
    names = ("next", "query_id", "doc_id", f"rank in {found.a}", f"rank in {found.b}", "value")
    rows = tuple((place, *row) for place, row in enumerate(frame.iter_rows(), 1))
    return Grid(names, rows, right=frozenset([*names[3:], "next"]))


def render_queue(found: Queue, format: str, effort: Effort) -> str:
    """Return the queue as text; ``table`` is the whole page, the others are the labels alone."""
    grid = queue_grid(found)
    if format != "table":
        return render_grid(grid, format)
    parts = ["\n".join(wrapped(line) for line in queue_lines(found, effort))]
    if grid.rows:
        parts.append(render_grid(grid, "table"))
    notes = [wrapped(line, "note: ") for line in notice_lines(found.notices)]
    return "\n\n".join([*parts, "\n".join(notes)] if notes else parts)


def queue_lines(found: Queue, effort: Effort) -> list[str]:
    """Return where the comparison stands, what is believed, and what it takes to settle it."""
    limits = found.limits
    stand = (
        f"{found.b} less {found.a}, {found.measure!r}: {limits.word}, {limits.lower:+.4f} to "
        f"{limits.upper:+.4f} over every labelling of {counted(limits.n_holes, 'hole')}"
    )
    if found.expected is None:
        return [stand, "no label can change who is ahead"]
    ahead = found.b if found.belief >= 0.5 else found.a  # noqa: PLR2004 - more likely than not
    belief = max(found.belief, 1 - found.belief)
    guess = (
        f"belief, not a result: {ahead} is ahead in {round(belief * BELIEF_WORLDS)} of "
        f"{BELIEF_WORLDS} worlds drawn from the grades of judged documents at like ranks"
    )
    if belief >= BELIEF_STOP:
        guess += "; enough to stop, if a belief is enough"
    low, middle, high = (round(labels) for labels in found.expected)
    hours = effort.hours(effort.labels(1, middle, effort.crews[0]))
    expected = (
        f"expected until settled: {middle} labels ({low} to {high} in most such worlds), "
        f"{hours:.1f} hours, {hours * effort.rate:.0f} in money"
    )
    return [stand, guess, expected]
