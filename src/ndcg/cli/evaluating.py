"""``ndcg eval``."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import click

from ndcg.cli.options import (
    Output,
    Reading,
    as_option,
    bounds_options,
    input_options,
    output_options,
    read_slices,
    tell,
)

if TYPE_CHECKING:
    from ndcg.data import Qrels, Run
    from ndcg.holes.bounding import Bounds
    from ndcg.measures import Measure

FORMATS = ("table", "json", "csv", "tsv", "md", "latex", "trec")


@click.command("eval", short_help="Evaluate runs against judgments.")
@click.argument("qrels")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    metavar="MEASURE",
    help="nDCG@10, \"nDCG(gain='exp')@10\", R@100, AP, RR@10, P@5 ... or another tool's name "
    "(ndcg_cut_10, recip_rank); repeatable, the first is the primary one. "
    "[default: nDCG@10 R@100 Judged@10]",
)
@as_option
@click.option("-q", "--per-query", is_flag=True, help="Also show each query.")
@click.option("--no-ci", is_flag=True, help="Leave out the 95 % intervals of the means.")
@click.option("--slices", metavar="FILE", help="Groups of queries: query_id and a column a slice.")
@click.option("--by", multiple=True, metavar="COLUMN", help="Only these slices; repeatable.")
@bounds_options()
@click.option("--save", metavar="FILE", help="Save per-query scores with convention and digests.")
@input_options
@output_options(*FORMATS)
def eval_command(  # noqa: PLR0913 - one parameter an option
    *,
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    profile: str | None,
    per_query: bool,
    no_ci: bool,
    slices: str | None,
    by: tuple[str, ...],
    bounds: Any,
    save: str | None,
    reading: Reading,
    output: Output,
) -> None:
    r"""Evaluate runs against judgments, with everything that could mislead.

    QRELS and RUN are files in any usual format, compressed or not; - is standard input; a folder
    or a quoted pattern is one run in parts.

    \b
    ndcg eval qrels.txt bm25.run dense.run
    ndcg eval qrels.txt bm25.run -m nDCG@10 -m AP -q --format csv
    ndcg eval qrels.txt bm25.run --as trec_eval --format trec -m map,P_10
    """
    from ndcg.conventions import as_convention
    from ndcg.evaluation import DEFAULT_MEASURES, evaluate, slice_scores
    from ndcg.measures import parse_measures
    from ndcg.reporting.score_tables import heading, notice_lines, render_scores, scores_to_json

    groups = read_slices(slices, by)
    rules = as_convention(profile)
    if reading.duplicates is not None:
        rules = dataclasses.replace(rules, duplicates=reading.duplicates)  # type: ignore[arg-type]
    wanted = parse_measures(list(measures)) if measures else DEFAULT_MEASURES
    judged: Qrels = reading.qrels(qrels)
    read: Any = reading.runs(runs, rules.duplicates)
    shown: dict[str, Any] = {"per_query": per_query, "intervals": not no_ci}
    if bounds is not False:
        read = {name: read.read(name) for name in read}
        shown["bounds"] = _bound(judged, read, wanted, convention=rules, **bounds)
    scores = evaluate(
        judged,
        read,
        wanted,
        convention=rules,
        run_digests=output.format == "json" or save is not None,
    )
    if save is not None:
        scores.save(save)
    for found in shown.get("bounds", {}).values():
        told = [notice for notice in found.notices if notice.run is None]
        scores = dataclasses.replace(scores, notices=tuple(dict.fromkeys([*scores.notices, *told])))
    if groups is not None:
        shown["slices"] = slice_scores(scores, groups, intervals=not no_ci)
    if output.format == "json":
        output.write_json(scores_to_json(scores, **shown))
        return
    output.write(render_scores(scores, output.format, **shown))
    if output.format != "table":
        tell([heading(scores), *notice_lines(scores.notices)])


def _bound(
    judged: Qrels, runs: dict[str, Run], measures: tuple[Measure, ...], **options: Any
) -> dict[Measure, Bounds]:
    """Return bounds of the measures that have them; none is an error."""
    from ndcg.holes.bounding import bounds
    from ndcg.holes.labels import FAMILIES

    bounded = [measure for measure in measures if measure.name in FAMILIES] or measures[:1]
    return {measure: bounds(judged, runs, measure, **options) for measure in bounded}
