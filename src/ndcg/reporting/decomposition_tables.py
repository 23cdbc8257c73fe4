"""Decompositions as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ndcg.reporting.grids import Grid, render_grid

if TYPE_CHECKING:
    from ndcg.comparison import Decomposition


def decomposition_grid(found: Decomposition) -> Grid:
    """Return one row a slice value: its share and mean on both sides, and what it gave."""
    rows = [(part.value, *part.shares, *part.means, part.within, part.mix) for part in found.parts]
    names = ("share before", "share after", "mean before", "mean after", "within", "mix")
    return Grid((found.slice, *names), tuple(rows))


def render_decomposition(found: Decomposition) -> str:
    """Return a decomposition as a sentence and a table."""
    head = (
        f"{found.measure!r} changed by {found.change:+.4f}: {found.within:+.4f} within the kinds "
        f"of queries,\n  {found.mix:+.4f} from their mix"
    )
    return f"{head}\n\n{render_grid(decomposition_grid(found), 'table')}"
