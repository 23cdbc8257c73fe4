"""``ndcg compare``."""

from __future__ import annotations

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
    from collections.abc import Callable

    from ndcg.comparison import Comparison

FORMATS = ("table", "json", "csv", "tsv", "md", "latex")


_OPTIONS = (
    click.option(
        "-m",
        "--measure",
        "measures",
        multiple=True,
        metavar="MEASURE",
        help="Repeatable. [default: nDCG@10]",
    ),
    click.option(
        "--test",
        type=click.Choice(["bootstrap", "t", "permutation"]),
        default="bootstrap",
        show_default=True,
        help="The paired test.",
    ),
    click.option(
        "--correction",
        type=click.Choice(["holm", "maxt", "bh", "none"]),
        default="holm",
        show_default=True,
        help="For many runs.",
    ),
    click.option(
        "--all-pairs", is_flag=True, help="Every run with every other (randomised Tukey HSD)."
    ),
    click.option(
        "--margin",
        type=float,
        metavar="D",
        help="Non-inferiority: a run is only worse when it is worse by more than this.",
    ),
    click.option("--level", type=float, default=0.95, show_default=True, help="Confidence level."),
    click.option("--resamples", type=int, default=10_000, show_default=True),
    click.option("--seed", type=int, default=0, show_default=True, help="Same seed, same digits."),
    click.option(
        "--slices", metavar="FILE", help="Groups of queries: query_id and a column a slice."
    ),
    click.option("--by", multiple=True, metavar="COLUMN", help="Only these slices; repeatable."),
)


def comparison_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that say what is compared and how it is tested."""
    command = bounds_options(command)
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def compare_files(
    paths: tuple[str, ...],
    *,
    qrels: str,
    reading: Reading,
    profile: str | None,
    measures: tuple[str, ...],
    slices: str | None,
    by: tuple[str, ...],
    resamples: int,
    **procedure: Any,
) -> Comparison:
    """Return the comparison that a command was asked for; the first path is the baseline."""
    from ndcg.comparison import compare
    from ndcg.conventions import as_convention

    groups = read_slices(slices, by)
    return compare(
        reading.qrels(qrels),
        reading.runs(paths, as_convention(profile).duplicates),
        list(measures) or "nDCG@10",
        slices=groups,
        convention=profile,
        n_resamples=resamples,
        **procedure,
    )


@click.command("compare", short_help="Compare runs with a baseline, ending in a verdict.")
@click.argument("qrels")
@click.argument("baseline")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@comparison_options
@as_option
@input_options
@output_options(*FORMATS)
def compare_command(
    *,
    baseline: str,
    runs: tuple[str, ...],
    output: Output,
    **asked: Any,
) -> None:
    r"""Compare runs with a baseline, query by query, ending in one verdict a run.

    A run may be scores saved with ndcg eval --save. Exit code 0: no run is worse; 1: some run is
    worse; 3: for some run it cannot be told.

    \b
    ndcg compare qrels.txt bm25.run dense.run
    ndcg compare qrels.txt old.run new.run --slices slices.tsv --by category
    """
    from ndcg.reporting.comparison_tables import render_comparison
    from ndcg.reporting.comparison_text import comparison_notes
    from ndcg.reporting.score_tables import heading

    found = compare_files((baseline, *runs), **asked)
    if output.format == "json":
        output.write_json(found.to_dict())
    else:
        output.write(render_comparison(found, output.format))
        if output.format != "table":
            tell([heading(found.scores), *comparison_notes(found)])
            for pair in found.pairs:
                click.echo(f"{pair.run}: {pair.verdict}", err=True)
    click.get_current_context().exit(found.exit_code)
