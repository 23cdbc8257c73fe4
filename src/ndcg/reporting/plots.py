"""Charts of a comparison, as Altair charts: every one of a static page can also be had alone."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, cast

from ndcg.comparison.gathering import judged_measure
from ndcg.comparison.verdicts import COVERAGE_FLOOR
from ndcg.errors import OptionError, near_miss, require
from ndcg.measures import parse_measure
from ndcg.reporting.chart_rows import (
    Row,
    coverage_rows,
    difference_rows,
    pairs_under,
    query_rows,
    score_rows,
    slice_rows,
)
from ndcg.reporting.comparison_text import measures_of
from ndcg.reporting.grids import display_width

if TYPE_CHECKING:
    from altair import FacetChart, LayerChart

    from ndcg.comparison import Comparison, Pair
    from ndcg.measures import Measure

__all__ = [
    "plot_coverage",
    "plot_differences",
    "plot_queries",
    "plot_scores",
    "plot_slices",
]

# A page turns these into its own colours, which change with the reader's light or dark theme.
INK, MUTED, FAINT, UP, DOWN = "#1b2026", "#5a6470", "#d3d8de", "#1170aa", "#c85200"
WIDTH = 460
_LABELS = 150
_ROW = 30
_LETTER = 7
_LEVEL_NAMES = 3
_LEVEL_LABELS = 2
_VERDICTS = ("better", "worse", "no difference", "cannot tell")
_SHAPES = ("triangle-up", "triangle-down", "circle", "diamond")
_COLOURS = (UP, DOWN, MUTED, INK)


def plot_differences(comparison: Comparison, measure: str | Measure | None = None) -> LayerChart:
    """Return a forest plot: the mean difference of each pair with its interval.

    Parameters
    ----------
    comparison
        What `ndcg.compare` returned.
    measure
        One of its measures; the first when not given.
    """
    alt = require("altair", extra="report")
    wanted = _measure(comparison, measure)
    rows = difference_rows(comparison, wanted)
    base = alt.Chart(_data(alt, rows), width=WIDTH, height=alt.Step(_ROW)).encode(
        y=alt.Y("pair:N", sort=None, title=None, axis=_name_axis(alt))
    )
    title = f"worse  ←  difference in {wanted!r}  →  better"
    zero = _rule(alt, 0.0, INK)
    layers = [zero]
    if comparison.procedure.margin is not None:
        layers.append(_rule(alt, -comparison.procedure.margin, MUTED, dash=[4, 3]))
    colour = alt.Color("verdict:N", scale=alt.Scale(domain=_VERDICTS, range=_COLOURS), legend=None)
    span = base.mark_rule(strokeWidth=2).encode(
        x=alt.X("low:Q", title=title), x2="high:Q", color=colour
    )
    point = base.mark_point(size=90, filled=True, opacity=1).encode(
        x=alt.X("difference:Q", title=title),
        color=colour,
        shape=alt.Shape("verdict:N", scale=alt.Scale(domain=_VERDICTS, range=_SHAPES), legend=None),
        tooltip=["pair:N", "difference:Q", "low:Q", "high:Q", "p:Q", "verdict:N"],
    )
    number = base.mark_text(dy=-11, fontSize=11, color=INK).encode(
        x="difference:Q", text=alt.Text("difference:Q", format="+.3f")
    )
    return cast("LayerChart", _styled(alt.layer(*layers, span, point, number)))


def plot_queries(
    comparison: Comparison,
    run: str | None = None,
    measure: str | Measure | None = None,
    *,
    baseline: str | None = None,
) -> LayerChart:
    """Return the differences of one pair by query, sorted, and their mean as a dashed line.

    Parameters
    ----------
    comparison
        What `ndcg.compare` returned.
    run, baseline
        A pair; the first one when not given.
    measure
        One of its measures; the first when not given.
    """
    alt = require("altair", extra="report")
    pair = _pair(comparison, run, baseline, _measure(comparison, measure))
    rows = query_rows(comparison, pair)
    gap = 0.08 if len(rows) <= 80 else 0.0  # noqa: PLR2004 - bars this narrow touch
    for row in rows:
        row["start"], row["stop"] = row["first"] - 1 + gap, row["last"] - gap
    reach = max(
        (abs(move[1]) for one in pairs_under(comparison, pair.measure) for move in one.moved),
        default=1.0,
    )
    last = rows[-1]["last"] if rows else 1
    place = alt.X(
        "start:Q",
        title="queries, by difference",
        scale=alt.Scale(domain=[0, last], nice=False),
        axis=alt.Axis(grid=False, tickMinStep=1),
    )
    bars = (
        alt.Chart(_data(alt, rows), width=WIDTH, height=210)
        .mark_rect()
        .encode(
            x=place,
            x2="stop:Q",
            y=alt.Y(
                "difference:Q",
                title=f"difference in {pair.measure!r}",
                scale=alt.Scale(domain=[-reach, reach]),
            ),
            y2=alt.datum(0),
            color=alt.condition("datum.difference > 0", alt.value(UP), alt.value(DOWN)),
            tooltip=["query:N", "first:Q", "last:Q", "difference:Q"],
        )
    )
    zero = _level(alt, 0.0, INK)
    mean = _level(alt, pair.numbers.difference, INK, dash=[5, 3])
    return cast("LayerChart", _styled(alt.layer(bars, zero, mean)))


def plot_scores(comparison: Comparison, measure: str | Measure | None = None) -> FacetChart:
    """Return the distribution of each run's per-query scores, and its mean as a dashed line.

    Parameters
    ----------
    comparison
        What `ndcg.compare` returned.
    measure
        One of its measures; the first when not given.
    """
    alt = require("altair", extra="report")
    wanted = _measure(comparison, measure)
    rows = score_rows(comparison, wanted)
    scale = alt.Scale(domain=[rows[0]["low"], rows[-1]["high"]], nice=False)
    named = min(_LABELS, max(_LETTER * display_width(row["run"]) for row in rows))
    base = alt.Chart(width=WIDTH - named - 30, height=44)
    bars = base.mark_bar(color=UP, binSpacing=1).encode(
        x=alt.X("low:Q", bin="binned", title=repr(wanted), scale=scale),
        x2="high:Q",
        y=alt.Y("share:Q", axis=None),
        tooltip=["run:N", "low:Q", "high:Q", "count:Q", "share:Q"],
    )
    mean = base.mark_rule(color=INK, strokeDash=[5, 3], strokeWidth=1.5).encode(x="mean(mean):Q")
    header = alt.Header(
        title=None, labelAngle=0, labelAlign="left", labelPadding=4, labelLimit=_LABELS,
        labelBaseline="middle", labelFontSize=12, labelColor=INK,
    )  # fmt: skip
    faceted = alt.layer(bars, mean, data=_data(alt, rows)).facet(
        row=alt.Row("run:N", sort=None, header=header), spacing=8
    )
    return cast("FacetChart", _styled(faceted, autosize="pad"))


def plot_slices(comparison: Comparison, measure: str | Measure | None = None) -> LayerChart:
    """Return a heat map of the mean difference by slice value and run.

    Parameters
    ----------
    comparison
        What `ndcg.compare` returned for a call with ``slices``.
    measure
        One of its measures; the first when not given.
    """
    alt = require("altair", extra="report")
    rows = slice_rows(comparison, _measure(comparison, measure))
    if not rows:
        raise OptionError("the comparison has no slices; call compare with slices=...")
    for row in rows:
        row["told"] = f"{row['difference']:+.2f}{'*' if row['significant'] else ''}"
        row["size"] = abs(row["difference"])
    runs = len({row["run"] for row in rows})
    step = max(48, min(110, 280 // runs))
    top = max(row["size"] for row in rows) or 1.0
    base = alt.Chart(_data(alt, rows), width=alt.Step(step), height=alt.Step(26)).encode(
        x=alt.X(
            "run:N",
            sort=None,
            title=None,
            axis=alt.Axis(
                orient="top",
                labelAngle=-40 if runs > _LEVEL_LABELS else 0,
                labelLimit=140,
                domain=False,
                ticks=False,
            ),
        ),
        y=alt.Y("group:N", sort=None, title=None, axis=_name_axis(alt, 220)),
    )
    cells = base.mark_rect(stroke=FAINT).encode(
        color=alt.condition("datum.difference > 0", alt.value(UP), alt.value(DOWN)),
        opacity=alt.Opacity(
            "size:Q", scale=alt.Scale(domain=[0, top], range=[0.03, 0.6]), legend=None
        ),
        tooltip=["group:N", "run:N", "n:Q", "difference:Q", "p:Q"],
    )
    numbers = base.mark_text(fontSize=11, color=INK).encode(text="told:N")
    return cast("LayerChart", _styled(alt.layer(cells, numbers), autosize="pad"))


def plot_coverage(comparison: Comparison, measure: str | Measure | None = None) -> LayerChart:
    """Return judged@k of each run as bars, and the floor of 90 % as a dashed line.

    Parameters
    ----------
    comparison
        What `ndcg.compare` returned.
    measure
        One of its measures, whose cutoff is the k; the first when not given.
    """
    alt = require("altair", extra="report")
    wanted = _measure(comparison, measure)
    rows = coverage_rows(comparison, wanted)
    base = alt.Chart(_data(alt, rows), width=WIDTH, height=alt.Step(26)).encode(
        y=alt.Y("run:N", sort=None, title=None, axis=_name_axis(alt))
    )
    place = alt.X(
        "judged:Q",
        title=f"judged@{judged_measure(wanted).cutoff}",
        scale=alt.Scale(domain=[0, 1.12], nice=False),
        axis=alt.Axis(format="%", values=[0, 0.25, 0.5, 0.75, 1]),
    )
    bars = base.mark_bar(height={"band": 0.7}).encode(
        x=place,
        color=alt.condition(f"datum.judged < {COVERAGE_FLOOR}", alt.value(DOWN), alt.value(UP)),
        tooltip=["run:N", "judged:Q", "n:Q"],
    )
    numbers = base.mark_text(align="left", dx=4, fontSize=11, color=INK).encode(
        x=place, text=alt.Text("judged:Q", format=".1%")
    )
    floor = _rule(alt, COVERAGE_FLOOR, INK, dash=[5, 3])
    return cast("LayerChart", _styled(alt.layer(bars, floor, numbers)))


def _measure(comparison: Comparison, measure: str | Measure | None) -> Measure:
    compared = measures_of(comparison)
    if measure is None:
        return compared[0]
    wanted = parse_measure(measure)
    if wanted not in compared:
        raise OptionError(
            f"{wanted!r} was not compared (compared: {', '.join(map(repr, compared))})"
        )
    return wanted


def _pair(comparison: Comparison, run: str | None, baseline: str | None, measure: Measure) -> Pair:
    pairs = pairs_under(comparison, measure)
    for pair in pairs:
        if run in {None, pair.run} and baseline in {None, pair.baseline}:
            return pair
    known = [pair.run for pair in pairs]
    hint = near_miss(run or "", known)
    against = "" if baseline is None else f" against {baseline!r}"
    raise OptionError(f"no pair of run {run!r}{against}{hint} (runs: {', '.join(known)})")


def _data(alt: Any, rows: list[Row]) -> Any:
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


def _rule(alt: Any, value: float, colour: str, dash: list[int] | None = None) -> Any:
    chart = alt.Chart(alt.InlineData(values=[{"value": value}]))
    return chart.mark_rule(color=colour, strokeDash=dash or [1, 0]).encode(x="value:Q")


def _level(alt: Any, value: float, colour: str, dash: list[int] | None = None) -> Any:
    chart = alt.Chart(alt.InlineData(values=[{"value": value}]))
    return chart.mark_rule(color=colour, strokeDash=dash or [1, 0]).encode(y="value:Q")


def _name_axis(alt: Any, limit: int = _LABELS) -> Any:
    return alt.Axis(labelLimit=limit, domain=False, ticks=False, labelPadding=6, labelColor=INK)


def _styled(chart: Any, autosize: str = "fit-x") -> Any:
    """Return a chart with the look of all; marks carry no labels of their own for a reader."""
    return chart.configure(
        background="transparent",
        font="sans-serif",
        aria=False,
        autosize={"type": autosize, "contains": "padding"},
        view={"stroke": None},
        axis={
            "labelColor": MUTED,
            "titleColor": MUTED,
            "labelFontSize": 12,
            "titleFontSize": 12,
            "titleFontWeight": "normal",
            "gridColor": FAINT,
            "domainColor": FAINT,
            "tickColor": FAINT,
        },
        title={"anchor": "start", "color": INK, "fontSize": 14, "offset": 12},
        padding={"left": 14, "top": 4, "right": 8, "bottom": 4},
    )
