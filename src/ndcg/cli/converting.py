"""``ndcg convert``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ndcg.cli.options import Reading, input_options, tell, tell_notices
from ndcg.errors import OptionError

if TYPE_CHECKING:
    from ndcg.data import Qrels, Run


@click.command("convert", short_help="Rewrite judgments or a run in another format.")
@click.argument("kind", type=click.Choice(["qrels", "run"]))
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT")
@click.option(
    "--to",
    "to",
    metavar="FORMAT",
    help="trec, beir, tsv, csv, msmarco, parquet, arrow, jsonl or json; from OUT's ending unless "
    "given, trec where it says nothing.",
)
@input_options
def convert_command(
    *,
    kind: str,
    source: str,
    target: str,
    to: str | None,
    reading: Reading,
) -> None:
    r"""Rewrite judgments (qrels) or a run in another format; OUT appears whole or not at all.

    \b
    ndcg convert run bm25.run bm25.parquet
    ndcg convert qrels qrels.txt qrels/test.tsv --to beir
    ndcg convert run chunks.jsonl - --parent '#' > documents.run
    """
    from ndcg.formats.writing import write_qrels, write_run

    _refuse_needless(kind, reading)
    table: Qrels | Run
    if kind == "qrels":
        table = reading.qrels(source)
        write_qrels(table, target, format=to)
    else:
        table = reading.runs((source,)).only()
        write_run(table, target, format=to)
    tell_notices(table.notices)
    tell_lost(table, target, to)


def _refuse_needless(kind: str, reading: Reading) -> None:
    if kind == "run" and reading.qrels_format is not None:
        raise OptionError("--qrels-format is for qrels, and this is a run; say --run-format")
    if kind == "qrels" and reading.run_format is not None:
        raise OptionError("--run-format is for a run, and these are qrels; say --qrels-format")
    if kind == "qrels" and (reading.parent is not None or reading.duplicates is not None):
        raise OptionError("--parent and --duplicates are for a run, and these are qrels")


def tell_lost(table: Qrels | Run, target: str, to: str | None) -> None:
    """Say how many queries had no line to be written on; only JSON objects hold them."""
    from ndcg.formats.writing import format_of

    lost = len(table.query_ids) - len(table.frame["query_id"].unique())
    form = format_of(target, to)
    if lost and form != "json":
        what = "1 query" if lost == 1 else f"{lost} queries"
        tell([f"{what} without documents left out: {form} has no line for that"])
