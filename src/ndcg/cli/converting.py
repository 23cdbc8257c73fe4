"""``ndcg convert``."""

from __future__ import annotations

import click

from ndcg.cli.options import Reading, input_options, tell


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

    if kind == "qrels":
        judged = reading.qrels(source)
        write_qrels(judged, target, format=to)
        tell([notice.text for notice in judged.notices])
        return
    run = reading.runs((source,)).only()
    write_run(run, target, format=to)
    tell([notice.text for notice in run.notices])
