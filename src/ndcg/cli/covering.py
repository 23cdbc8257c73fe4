"""``ndcg coverage``."""

from __future__ import annotations

import dataclasses
from typing import Any

import click

from ndcg.cli.options import (
    Output,
    Reading,
    as_option,
    bounds_options,
    input_options,
    output_options,
    read_share,
    read_slices,
    tell,
)


@click.command("coverage", short_help="Say what was never judged, and what it could change.")
@click.argument("qrels")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option("-k", type=int, default=10, show_default=True, help="The depth to look at.")
@click.option(
    "--floor",
    default="0.9",
    show_default=True,
    metavar="SHARE",
    help="The judged@k that every run needs: 0.9, or 90%.",
)
@as_option
@click.option("-q", "--per-query", is_flag=True, help="Show every query.")
@click.option("--slices", metavar="FILE", help="Groups of queries: query_id and a column a slice.")
@click.option("--by", multiple=True, metavar="COLUMN", help="Only these slices; repeatable.")
@click.option(
    "--sample",
    metavar="POOL.provenance.json",
    help="Estimate nDCG from a pool that was drawn at random.",
)
@bounds_options(default=True)
@input_options
@output_options("table", "json", "csv", "tsv", "md")
def coverage_command(  # noqa: PLR0913 - one parameter an option
    *,
    qrels: str,
    runs: tuple[str, ...],
    k: int,
    floor: str,
    profile: str | None,
    per_query: bool,
    slices: str | None,
    by: tuple[str, ...],
    sample: str | None,
    bounds: dict[str, Any],
    reading: Reading,
    output: Output,
) -> None:
    r"""Say what of each run's top k was never judged, and what it could change.

    Judged@k by run, slice and query; the mean with holes as 0 and without them beside its exact
    bounds; whom the pool favours. Exit code 1: some run is below the floor.

    \b
    ndcg coverage qrels.txt bm25.run dense.run
    ndcg coverage qrels.txt a.run b.run -k 5 --floor 95% --slices slices.tsv
    """
    from ndcg.conventions import as_convention
    from ndcg.holes.covering import coverage
    from ndcg.holes.sampling import estimate_sampled
    from ndcg.measures import nDCG
    from ndcg.reporting.coverage_tables import coverage_lines, heading, render_coverage

    rules = as_convention(profile)
    if reading.duplicates is not None:
        rules = dataclasses.replace(rules, duplicates=reading.duplicates)  # type: ignore[arg-type]
    share = read_share("--floor", floor)
    groups = read_slices(slices, by)
    read = reading.runs(runs, rules.duplicates)
    if sample is not None and output.format not in {"table", "json"}:
        raise click.UsageError("--sample is shown by --format table and json")
    judged, runs_read = reading.qrels(qrels), {name: read.read(name) for name in read}
    found = coverage(
        judged,
        runs_read,
        k,
        floor=share,
        slices=groups,
        convention=rules,
        **bounds,
    )
    sampled = None
    if sample is not None:
        sampled = estimate_sampled(judged, runs_read, nDCG @ k, sample=sample, convention=rules)
    if output.format == "json":
        told = found.to_dict()
        if sampled is not None:
            told["sampled"] = sampled.to_dict()
        if per_query:
            told["per_query"] = found.to_queries().to_dicts()
        output.write_json(told)
    else:
        output.write(render_coverage(found, output.format, per_query=per_query, sampled=sampled))
        if output.format != "table":
            tell([heading(found), *coverage_lines(found)])
    click.get_current_context().exit(found.exit_code)
