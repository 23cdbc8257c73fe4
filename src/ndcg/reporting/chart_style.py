"""The look that all charts share, and the parts that they are made of."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ndcg.reporting.grids import display_width

if TYPE_CHECKING:
    from ndcg.reporting.chart_rows import Row

# A page turns these into its own colours, which change with the reader's light or dark theme.
INK, MUTED, FAINT, UP, DOWN = "#1b2026", "#5a6470", "#d3d8de", "#1170aa", "#c85200"
PAPER = "#ffffff"
WIDTH = 410
FONT = "Arial, Helvetica, Liberation Sans, sans-serif"
# Pixels a column of a 12 pixel letter, generous: a reader's font may be wider than the drawer's.
LETTER = 7.3


def reach_of(rows: list[Row]) -> list[float]:
    """Return the ends of an axis that holds all intervals and 0, with room at both ends."""
    ends = [row[name] for row in rows for name in ("low", "high", "difference")]
    known = [0.0, *(end for end in ends if end is not None and not math.isnan(end))]
    low, high = min(known), max(known)
    room = 0.08 * (high - low) or 0.1
    return [low - room, high + room]


def inline_data(alt: Any, rows: list[Row]) -> Any:
    """Return rows as inline data; JSON has no NaN."""
    return alt.InlineData(
        values=[
            {
                name: None if isinstance(value, float) and math.isnan(value) else value
                for name, value in row.items()
            }
            for row in rows
        ]
    )


def tips(alt: Any, *fields: str) -> list[Any]:
    """Return what a chart as HTML tells of a mark under the pointer."""
    return [alt.Tooltip(field) for field in fields]


def rule(alt: Any, value: float, colour: str, dash: list[int] | None = None) -> Any:
    """Return an upright line at a value of the x axis."""
    chart = alt.Chart(alt.InlineData(values=[{"value": value}]))
    return chart.mark_rule(color=colour, strokeDash=dash or [1, 0]).encode(x="value:Q")


def level(alt: Any, value: float, colour: str, dash: list[int] | None = None) -> Any:
    """Return a level line at a value of the y axis."""
    chart = alt.Chart(alt.InlineData(values=[{"value": value}]))
    return chart.mark_rule(color=colour, strokeDash=dash or [1, 0]).encode(y="value:Q")


def name_axis(alt: Any, rows: list[Row], field: str) -> Any:
    """Return an axis of names with room for the widest in whatever font a reader has."""
    widest = max((display_width(row[field]) for row in rows), default=1)
    return alt.Axis(
        labelLimit=0,
        minExtent=LETTER * widest + 6,
        domain=False,
        ticks=False,
        labelPadding=6,
        labelColor=INK,
    )


def styled(chart: Any, autosize: str = "fit-x", *, top: int = 4, right: int = 8) -> Any:
    """Return a chart with the look of all; marks carry no labels of their own for a reader."""
    return chart.configure(
        background="transparent",
        font=FONT,
        aria=False,
        autosize={"type": autosize, "contains": "padding"},
        view={"stroke": None},
        axis={
            "labelColor": MUTED,
            "titleColor": MUTED,
            "labelFontSize": 12,
            "titleFontSize": 12,
            "titleFontWeight": "normal",
            "labelSeparation": 8,
            "gridColor": FAINT,
            "domainColor": FAINT,
            "tickColor": FAINT,
        },
        title={"anchor": "start", "color": INK, "fontSize": 14, "offset": 12},
        padding={"left": 4, "top": top, "right": right, "bottom": 4},
    )
