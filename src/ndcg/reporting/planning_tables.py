"""Plans and audits as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ndcg.reporting.grids import Grid, render_grid
from ndcg.reporting.score_tables import wrapped

if TYPE_CHECKING:
    from ndcg.planning import Plan
    from ndcg.stats import FigureAudit, Interval


def plan_grid(plan: Plan) -> Grid:
    """Return one row a way to spend."""
    names = ("queries", "depth", "documents", "raters", "labels", "hours", "money", "MDE")
    rows = tuple(
        (
            row.queries,
            row.depth,
            f"{row.documents:g}",
            row.raters,
            row.labels,
            f"{row.hours:.2f}",
            f"{row.money:.0f}",
            f"{row.detectable:.3f}",
        )
        for row in plan.rows
    )
    return Grid(names, rows, right=frozenset(names))


def render_plan(plan: Plan) -> str:
    """Return a plan as a page of text."""
    parts = [wrapped(f"deviation of the per-query difference {plan.sd:.3f} (from {plan.origin})")]
    if plan.required is not None:
        parts.append(
            wrapped(
                f"to see a difference of {plan.effect:g} with power {plan.power:g} at level "
                f"{plan.alpha:g}: {plan.required} queries"
            )
        )
    parts.append(render_grid(plan_grid(plan), "table"))
    parts.append(
        wrapped(
            "MDE: the least true difference found with this power. documents: a pool of three "
            "systems, about 1.5 a rank"
        )
    )
    return "\n\n".join([*parts, wrapped(plan.advice)])


_BASIS = {
    "exact": "exact: every score is 0 or 1",
    "sd": "from the standard deviation given",
    "widest": "valid whatever the scores from 0 to 1",
}


def render_audit(audit: FigureAudit) -> str:
    """Return what a figure can support as a page of text."""
    lines = [
        (
            f"{audit.n_queries} queries, mean {audit.mean:.4f}: {_ends(audit.interval)} "
            f"({_BASIS[audit.basis]})"
        )
    ]
    pair = audit.comparison
    if pair is not None:
        lines.append(f"against {pair.baseline:.4f}: difference {pair.difference:+.4f}")
        lines.append(f"interval of the difference that the figures support: {_ends(pair.interval)}")
        if pair.detectable is not None:
            lines.append(
                f"smallest difference they could show with this power: {pair.detectable:.4f}"
            )
        if pair.required is not None:
            lines.append(f"queries that would show a difference of this size: {pair.required}")
        could = "could" if pair.could_be_significant else "could not"
        lines.append(
            f"some outcome with these means {could} be significant (best attainable p "
            f"{pair.best_pvalue:.3g})"
        )
    return "\n".join(wrapped(line) for line in lines)


def _ends(interval: Interval | None) -> str:
    return "no interval" if interval is None else f"[{interval.low:.4f}, {interval.high:.4f}]"
