"""Charts of a comparison, as Altair charts: every one of a static page can also be had alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from ndcg.comparison.gathering import judged_measure
from ndcg.errors import OptionError, near_miss, require
from ndcg.evaluation.cautions import COVERAGE_FLOOR
from ndcg.measures import parse_measure
from ndcg.reporting.chart_rows import (
    coverage_rows,
    difference_rows,
    pairs_under,
    query_rows,
    score_rows,
    slice_rows,
)
from ndcg.reporting.chart_style import (
    DOWN,
    FAINT,
    INK,
    LETTER,
    MUTED,
    PAPER,
    UP,
    WIDTH,
    inline_data,
    level,
    name_axis,
    reach_of,
    rule,
    styled,
    tips,
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

_ROW = 30
_TALL_ROWS = 8
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
    base = alt.Chart(inline_data(alt, rows), width=WIDTH, height=alt.Step(_ROW)).encode(
        y=alt.Y("pair:N", sort=None, title=None, axis=name_axis(alt, rows, "pair"))
    )
    place: dict[str, Any] = {
        "title": f"worse  ←  difference in {wanted!r}  →  better",
        "scale": alt.Scale(domain=reach_of(rows), nice=False, zero=False),
        "axis": alt.Axis(tickCount=6),
    }
    zero = rule(alt, 0.0, INK)
    layers = [zero]
    if comparison.procedure.margin is not None:
        layers.append(rule(alt, -comparison.procedure.margin, MUTED, dash=[4, 3]))
    colour = alt.Color("verdict:N", scale=alt.Scale(domain=_VERDICTS, range=_COLOURS), legend=None)
    span = base.mark_rule(strokeWidth=2).encode(
        x=alt.X("low:Q", **place), x2="high:Q", color=colour
    )
    point = base.mark_point(size=90, filled=True, opacity=1).encode(
        x=alt.X("difference:Q", **place),
        color=colour,
        shape=alt.Shape("verdict:N", scale=alt.Scale(domain=_VERDICTS, range=_SHAPES), legend=None),
        tooltip=tips(alt, "pair:N", "difference:Q", "low:Q", "high:Q", "p:Q", "verdict:N"),
    )
    looks = {"color": PAPER, "stroke": PAPER, "strokeWidth": 3}, {"color": INK}
    numbers = [
        base.mark_text(dy=-11, fontSize=11, **look).encode(
            x="difference:Q", text=alt.Text("difference:Q", format="+.3f")
        )
        for look in looks
    ]
    return cast("LayerChart", styled(alt.layer(*layers, *numbers, span, point)))


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
        alt.Chart(inline_data(alt, rows), width=WIDTH, height=210)
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
            tooltip=tips(alt, "query:N", "first:Q", "last:Q", "difference:Q"),
        )
    )
    zero = level(alt, 0.0, INK)
    mean = level(alt, pair.numbers.difference, INK, dash=[5, 3])
    return cast("LayerChart", styled(alt.layer(bars, zero, mean)))


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
    names = list(dict.fromkeys(row["run"] for row in rows))
    for row in rows:
        row["told"] = (
            f"{row['run']}, mean {row['mean']:.4f}" if row["low"] == rows[0]["low"] else ""
        )
    place = alt.X(
        "low:Q",
        bin="binned",
        title=repr(wanted),
        scale=alt.Scale(domain=[rows[0]["low"], rows[-1]["high"]], nice=False),
        axis=alt.Axis(grid=False),
    )
    base = alt.Chart(width=WIDTH - 30, height=44 if len(names) <= _TALL_ROWS else 24)
    bars = base.mark_bar(color=UP, binSpacing=1).encode(
        x=place,
        x2="high:Q",
        y=alt.Y("share:Q", axis=None),
        tooltip=tips(alt, "run:N", "low:Q", "high:Q", "count:Q", "share:Q"),
    )
    mean = base.mark_rule(color=INK, strokeDash=[5, 3], strokeWidth=1.5).encode(x="mean(mean):Q")
    label = base.mark_text(align="left", baseline="bottom", dx=2, fontSize=12, color=INK).encode(
        x=alt.value(0), y=alt.value(-4), text="told:N"
    )
    faceted = alt.layer(bars, mean, label, data=inline_data(alt, rows)).facet(
        row=alt.Row("run:N", sort=names, header=None), spacing=20
    )
    return cast("FacetChart", styled(faceted, autosize="pad", top=22))


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
        star = "*" if row["significant"] else ""
        row["told"] = f"{row['difference']:+.2f}{star}".replace("-", "\N{MINUS SIGN}")
        row["size"] = abs(row["difference"])
    runs = len({row["run"] for row in rows})
    step = max(48, min(110, 280 // runs))
    is_level = LETTER * max(display_width(row["run"]) for row in rows) < step
    top = max(row["size"] for row in rows) or 1.0
    base = alt.Chart(inline_data(alt, rows), width=alt.Step(step), height=alt.Step(26)).encode(
        x=alt.X(
            "run:N",
            sort=None,
            title=None,
            axis=alt.Axis(
                orient="top",
                labelAngle=0 if is_level else -40,
                labelLimit=0,
                domain=False,
                ticks=False,
            ),
        ),
        y=alt.Y("group:N", sort=None, title=None, axis=name_axis(alt, rows, "group")),
    )
    cells = base.mark_rect(stroke=FAINT).encode(
        color=alt.condition("datum.difference > 0", alt.value(UP), alt.value(DOWN)),
        opacity=alt.Opacity(
            "size:Q", scale=alt.Scale(domain=[0, top], range=[0.03, 0.6]), legend=None
        ),
        tooltip=tips(alt, "group:N", "run:N", "n:Q", "difference:Q", "p:Q"),
    )
    numbers = base.mark_text(fontSize=11, color=INK).encode(text="told:N")
    return cast("LayerChart", styled(alt.layer(cells, numbers), autosize="pad"))


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
    base = alt.Chart(inline_data(alt, rows), width=WIDTH, height=alt.Step(26)).encode(
        y=alt.Y("run:N", sort=None, title=None, axis=name_axis(alt, rows, "run"))
    )
    place = alt.X(
        "judged:Q",
        title=f"judged@{judged_measure(wanted).cutoff}",
        scale=alt.Scale(domain=[0, 1], nice=False),
        axis=alt.Axis(format="%", values=[0, 0.25, 0.5, 0.75, 1]),
    )
    bars = base.mark_bar(height={"band": 0.7}).encode(
        x=place,
        color=alt.condition(f"datum.judged < {COVERAGE_FLOOR}", alt.value(DOWN), alt.value(UP)),
        tooltip=tips(alt, "run:N", "judged:Q", "n:Q"),
    )
    numbers = base.mark_text(align="left", dx=4, fontSize=11, color=INK).encode(
        x=alt.datum(1), text=alt.Text("judged:Q", format=".1%")
    )
    floor = rule(alt, COVERAGE_FLOOR, INK, dash=[5, 3])
    return cast("LayerChart", styled(alt.layer(bars, floor, numbers), right=52))


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
