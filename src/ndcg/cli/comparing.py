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
from ndcg.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Callable

    from ndcg.comparison import Comparison
    from ndcg.reporting.moved_queries import Compared

FORMATS = ("table", "json", "csv", "tsv", "md", "latex", "comment")


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
    command = bounds_options()(command)
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def compare_files(paths: tuple[str, ...], **asked: Any) -> Comparison:
    """Return the comparison that a command was asked for; the first path is the baseline."""
    from ndcg.comparison import compare

    files, options = _read(paths, **asked)
    return compare(*files, **options)


def compare_in_memory_files(paths: tuple[str, ...], **asked: Any) -> Compared:
    """Return the same with judgments and runs beside it, all of them in memory."""
    from ndcg.reporting.moved_queries import compare_in_memory

    files, options = _read(paths, **asked)
    return compare_in_memory(*files, **options)


def _read(
    paths: tuple[str, ...],
    *,
    qrels: str,
    reading: Reading,
    profile: str | None,
    measures: tuple[str, ...],
    slices: str | None,
    by: tuple[str, ...],
    **procedure: Any,
) -> tuple[tuple[Any, Any, Any], dict[str, Any]]:
    from ndcg.conventions import as_convention

    groups = read_slices(slices, by)
    runs = reading.runs(paths, as_convention(profile).duplicates)
    files = (reading.qrels(qrels), runs, list(measures) or "nDCG@10")
    options = {"slices": groups, "convention": profile, **procedure}
    options["n_resamples"] = options.pop("resamples")
    return files, options


@click.command("compare", short_help="Compare runs with a baseline, ending in a verdict.")
@click.argument("qrels")
@click.argument("baseline")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@comparison_options
@as_option
@input_options
@output_options(*FORMATS)
@click.option(
    "--key",
    metavar="NAME",
    help="Format comment: a name that tells it from others. [default: default]",
)
def compare_command(
    *,
    baseline: str,
    runs: tuple[str, ...],
    output: Output,
    key: str | None,
    **asked: Any,
) -> None:
    r"""Compare runs with a baseline, query by query, ending in one verdict a run.

    A run may be scores saved with ndcg eval --save. Exit code 0: no run is worse; 1: some run is
    worse; 3: for some run it cannot be told.

    \b
    ndcg compare qrels.txt bm25.run dense.run
    ndcg compare qrels.txt old.run new.run --slices slices.tsv --by category
    """
    if key is not None and output.format != "comment":
        raise OptionError("--key names a comment; add --format comment")
    if output.format == "comment":
        found = _write_comment((baseline, *runs), output, key or "default", asked)
    else:
        found = compare_files((baseline, *runs), **asked)
        _write(found, output)
    click.get_current_context().exit(found.exit_code)


def _write_comment(
    paths: tuple[str, ...], output: Output, key: str, asked: dict[str, Any]
) -> Comparison:
    from ndcg.reporting.comment import marker, render_comment

    marker(key)
    compared = compare_in_memory_files(paths, **asked)
    output.write(render_comment(compared, key=key))
    _tell_verdicts(compared.comparison)
    return compared.comparison


def _write(found: Comparison, output: Output) -> None:
    from ndcg.reporting.comparison_tables import render_comparison

    if output.format == "json":
        output.write_json(found.to_dict())
        return
    output.write(render_comparison(found, output.format))
    if output.format != "table":
        _tell_verdicts(found)


def _tell_verdicts(found: Comparison) -> None:
    """Write notices and verdicts to standard error."""
    from ndcg.reporting.comparison_text import comparison_notes
    from ndcg.reporting.score_tables import heading

    tell([heading(found.scores), *comparison_notes(found)])
    for pair in found.pairs:
        click.echo(f"{pair.run}: {pair.verdict}", err=True)
