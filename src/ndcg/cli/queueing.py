"""``ndcg next``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ndcg.cli.options import (
    Output,
    Reading,
    as_option,
    effort_options,
    input_options,
    output_options,
    read_grades,
    tell,
)

if TYPE_CHECKING:
    from ndcg.planning import Effort


@click.command("next", short_help="Say which labels would settle two runs soonest.")
@click.argument("qrels")
@click.argument("a")
@click.argument("b")
@click.option("-n", type=int, default=50, show_default=True, help="How many labels to show.")
@click.option("-m", "--measure", default="nDCG@10", show_default=True, metavar="MEASURE")
@click.option("--grades", metavar="G,G...", help="The scale. [default: 0,1,2,3]")
@click.option("--seed", type=int, default=0, show_default=True, help="Same seed, same queue.")
@effort_options
@as_option
@input_options
@output_options("table", "json", "csv", "tsv", "md")
def next_command(  # noqa: PLR0913 - one parameter an option
    *,
    qrels: str,
    a: str,
    b: str,
    n: int,
    measure: str,
    grades: str | None,
    seed: int,
    effort: Effort,
    profile: str | None,
    reading: Reading,
    output: Output,
) -> None:
    r"""Say which labels would settle run A against run B soonest, and how many it may take.

    Settled means that no label can change who is ahead. Judge, put the labels with the others
    (ndcg merge), and ask again: every label changes what is worth most.

    \b
    ndcg next qrels.txt bm25.run dense.run -n 50
    ndcg next qrels.txt bm25.run dense.run -n 200 --format csv -o todo.csv
    """
    from ndcg.conventions import as_convention
    from ndcg.holes.labels import GRADES
    from ndcg.holes.queue import next_labels
    from ndcg.reporting.queue_tables import queue_lines, render_queue
    from ndcg.reporting.score_tables import notice_lines

    files = reading.runs((a, b), as_convention(profile).duplicates)
    judged = reading.qrels(qrels)
    first, second = (files.read(name) for name in files)
    found = next_labels(
        judged,
        first,
        second,
        measure,
        n=n,
        grades=GRADES if grades is None else read_grades(grades),
        seed=seed,
        convention=profile,
    )
    if output.format == "json":
        output.write_json(found.to_dict(effort))
        return
    output.write(render_queue(found, output.format, effort))
    if output.format != "table":
        tell([*queue_lines(found, effort), *notice_lines(found.notices)])
