"""``ndcg decompose``."""

from __future__ import annotations

import click

from ndcg.cli.options import Output, output_options, read_slices


@click.command("decompose", short_help="Split a change into better answers and other queries.")
@click.argument("before")
@click.argument("after")
@click.option("--slices", required=True, metavar="FILE", help="The kind of each query.")
@click.option("--by", required=True, metavar="COLUMN", help="The slice to split by.")
@click.option("-m", "--measure", default="nDCG@10", show_default=True, metavar="MEASURE")
@output_options("table", "json", "csv", "md")
def decompose_command(
    *, before: str, after: str, slices: str, by: str, measure: str, output: Output
) -> None:
    r"""Split the change of a mean between two dates or query sets.

    BEFORE and AFTER are scores saved with ndcg eval --save, of one run each. What came from other
    values on the same kinds of queries is within, what came from another mix of them is mix.

    \b
    ndcg decompose may.parquet june.parquet --slices queries.tsv --by category
    """
    from ndcg.comparison import decompose
    from ndcg.evaluation import load_scores
    from ndcg.reporting.decomposition_tables import decomposition_grid, render_decomposition
    from ndcg.reporting.grids import render_grid

    groups = read_slices(slices, (by,))
    found = decompose(load_scores(before), load_scores(after), groups, by, measure)
    if output.format == "json":
        output.write_json(found.to_dict())
    elif output.format == "table":
        output.write(render_decomposition(found))
    else:
        output.write(render_grid(decomposition_grid(found), output.format))
