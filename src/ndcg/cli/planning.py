"""``ndcg plan``, ``ndcg audit`` and ``ndcg reference``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ndcg.cli.options import Output, effort_options, output_options
from ndcg.errors import InputError, OptionError

if TYPE_CHECKING:
    from ndcg.planning import Effort
    from ndcg.stats import FigureAudit

_TWO = 2


@click.command("plan", short_help="Say how many queries a difference needs, and what they cost.")
@click.argument("scores", nargs=-1, metavar="[SCORES SCORES]")
@click.option("--effect", type=float, metavar="D", help="The mean difference to see, such as 0.02.")
@click.option("--sd", type=float, help="Standard deviation of the per-query difference.")
@click.option("-m", "--measure", default="nDCG@10", show_default=True, metavar="MEASURE")
@click.option("--power", type=float, default=0.8, show_default=True)
@click.option("--alpha", type=float, default=0.05, show_default=True)
@click.option("-n", "--queries", type=int, multiple=True, help="Numbers of queries; repeatable.")
@click.option("--depth", "depths", type=int, multiple=True, help="Pool depths; repeatable.")
@effort_options
@output_options("table", "json", "csv", "md")
def plan_command(  # noqa: PLR0913 - one parameter an option
    *,
    scores: tuple[str, ...],
    effect: float | None,
    sd: float | None,
    measure: str,
    power: float,
    alpha: float,
    queries: tuple[int, ...],
    depths: tuple[int, ...],
    effort: Effort,
    output: Output,
) -> None:
    r"""Say how many queries a difference needs, and what labels for them cost.

    SCORES are two files saved with ndcg eval --save, for the deviation of their difference;
    without them give --sd, or the widest possible is taken.

    \b
    ndcg plan --effect 0.02 --sd 0.2
    ndcg plan old.parquet new.parquet -n 300 --depth 10 --raters 1 --raters 2
    """
    from ndcg.planning import plan
    from ndcg.reporting.grids import render_grid
    from ndcg.reporting.planning_tables import plan_grid, render_plan

    origin = "--sd"
    if scores:
        if sd is not None:
            raise OptionError("give two saved score files or --sd, not both")
        sd, origin = _deviation(scores, measure), " and ".join(scores)
    grid = {"queries": queries, "depths": depths}
    found = plan(
        effect,
        sd=sd,
        origin=origin,
        power=power,
        alpha=alpha,
        effort=effort,
        **{name: values for name, values in grid.items() if values},
    )
    if output.format == "json":
        output.write_json(found.to_dict())
    elif output.format == "table":
        output.write(render_plan(found))
    else:
        output.write(render_grid(plan_grid(found), output.format))


def _deviation(paths: tuple[str, ...], measure: str) -> float:
    from ndcg.evaluation import load_scores
    from ndcg.stats import paired_differences, summarise_differences

    if len(paths) != _TWO:
        raise OptionError(f"plan takes two saved score files, got {len(paths)}")
    first, second = (load_scores(path).per_query(measure) for path in paths)
    shared = [query for query in first if query in second]
    values = paired_differences([first[q] for q in shared], [second[q] for q in shared])
    sd = summarise_differences(values)[0].sd if len(shared) > 1 else None
    if not sd:
        raise InputError(
            f"{paths[0]} and {paths[1]} do not differ on {len(shared)} shared queries; nothing to "
            "plan from"
        )
    return sd


@click.command("audit", short_help="Say what a printed figure can support.")
@click.option("-n", "--queries", type=int, required=True, help="Queries behind the figure.")
@click.option("--mean", type=float, required=True, help="The figure, from 0 to 1.")
@click.option("--baseline", type=float, help="The figure it is compared with.")
@click.option("--sd", type=float, help="Standard deviation of the per-query scores, if printed.")
@click.option("--binary", is_flag=True, help="Every score is 0 or 1 (Success@k): exact.")
@click.option("--level", type=float, default=0.95, show_default=True)
@output_options("table", "json")
def audit_command(
    *,
    queries: int,
    mean: float,
    baseline: float | None,
    sd: float | None,
    binary: bool,
    level: float,
    output: Output,
) -> None:
    r"""Say what a figure in somebody's table can support, from means and query count alone.

    \b
    ndcg audit -n 300 --mean 0.45 --baseline 0.43
    ndcg audit -n 300 --mean 0.45 --baseline 0.43 --sd 0.3
    """
    from dataclasses import asdict

    from ndcg.reporting.planning_tables import render_audit
    from ndcg.stats import audit_figure

    found: FigureAudit = audit_figure(
        mean, queries, baseline=baseline, sd=sd, binary=binary, level=level
    )
    if output.format == "json":
        output.write_json({"schema": 1, **asdict(found)})
    else:
        output.write(render_audit(found))


@click.command("reference", short_help="Show published values, to see whether a number is sane.")
@click.argument("collection", required=False)
@output_options("table", "json", "csv", "md")
def reference_command(*, collection: str | None, output: Output) -> None:
    """Show the BEIR paper's nDCG@10 for a collection, or for all.

    Approximate: other indexes and releases move them by a point or two. For a sanity check of a
    reproduction, never for a decision.
    """
    from ndcg.references import SOURCE, find_references, references_frame
    from ndcg.reporting.grids import Grid, render_grid

    found = find_references(collection)
    if output.format == "json":
        output.write_json({"schema": 1, "references": [one.to_dict() for one in found]})
        return
    frame = references_frame(found)
    grid = Grid(tuple(frame.columns), tuple(frame.rows()), digits=3)
    text = render_grid(grid, output.format)
    if output.format == "table":
        text = f"{text}\n\napproximate, for a sanity check only\n{SOURCE}"
    output.write(text)
