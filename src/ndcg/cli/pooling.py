"""``ndcg pool`` and ``ndcg merge``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ndcg.cli.options import (
    Output,
    Reading,
    effort_options,
    input_options,
    read_grades,
    tell,
    tell_notices,
)

if TYPE_CHECKING:
    from ndcg.planning import Effort


@click.command("pool", short_help="Choose the documents to judge, and say what they cost.")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option("--judged", metavar="QRELS", help="Judgments that there are: take only what lacks.")
@click.option("--depth", type=int, default=10, show_default=True, help="Ranks of each run.")
@click.option(
    "--method",
    type=click.Choice(["depth", "rrf", "rbp", "sample"]),
    default="depth",
    show_default=True,
    help="All; the most promising by fused rank or RBP weight; a stratified sample.",
)
@click.option("--budget", type=int, metavar="LABELS", help="For rrf, rbp and sample.")
@click.option(
    "--rejudge",
    type=float,
    default=0.04,
    show_default=True,
    help="Share of the judged candidates to judge again unseen.",
)
@click.option("--grades", metavar="G,G...", help="The rater's scale. [default: 0,1,2,3]")
@click.option("--seed", type=int, default=0, show_default=True, help="Same seed, same pool.")
@click.option("--queries", metavar="FILE", help="Query texts: queries.jsonl or id TAB text.")
@click.option("--corpus", metavar="FILE", help="Document texts, in the same forms.")
@effort_options
@input_options
@click.option(
    "--format", "format_", type=click.Choice(["table", "json"]), default="table", show_default=True
)
@click.option(
    "-o", "--output", "path", metavar="POOL.jsonl", help="Write the pool, and its origins beside."
)
def pool_command(  # noqa: PLR0913 - one parameter an option
    *,
    runs: tuple[str, ...],
    judged: str | None,
    depth: int,
    method: str,
    budget: int | None,
    rejudge: float,
    grades: str | None,
    seed: int,
    queries: str | None,
    corpus: str | None,
    effort: Effort,
    reading: Reading,
    format_: str,
    path: str | None,
) -> None:
    r"""Choose the documents to judge, say what they cost, and write them for raters.

    POOL.jsonl has a line a document with "relevance": null, in an order that tells nothing; put a
    grade there and name the file as QRELS. Runs and ranks go to POOL.provenance.json. Without -o
    nothing is written.

    \b
    ndcg pool bm25.run dense.run --depth 10 -o pool.jsonl
    ndcg pool bm25.run dense.run new.run --judged qrels.txt -o missing.jsonl
    ndcg pool a.run b.run --depth 50 --method sample --budget 500 -o sample.jsonl
    """
    from ndcg.holes.labels import GRADES
    from ndcg.holes.pooling import pool
    from ndcg.reporting.pool_tables import render_pool

    files = reading.runs(runs)
    known = None if judged is None else reading.qrels(judged)
    found = pool(
        {name: files.read(name) for name in files},
        judged=known,
        depth=depth,
        method=method,
        budget=budget,
        rejudge=rejudge,
        grades=GRADES if grades is None else read_grades(grades),
        seed=seed,
    )
    tell_notices(() if known is None else known.notices)
    if path is not None:
        asked = _texts(queries, found.frame["query_id"].to_list(), "queries")
        shown = _texts(corpus, found.frame["doc_id"].to_list(), "documents")
        beside = found.write(path, asked, shown)
        tell([f"wrote {path} for raters, and {beside}, which names the runs: keep it from them"])
    output = Output(format_, None)
    if format_ == "json":
        output.write_json(found.to_dict(effort))
    else:
        output.write(render_pool(found, effort))


def _texts(path: str | None, ids: list[str], what: str) -> dict[str, str] | None:
    """Return the texts that a rater sees; ids without one are told."""
    from ndcg.formats.beir import read_texts

    if path is None:
        return None
    wanted = set(ids)
    found = read_texts(path, wanted)
    if len(found) < len(wanted):
        tell([f"{path}: no text for {len(wanted) - len(found)} of {len(wanted)} {what}"])
    return found


@click.command("merge", short_help="Put judgments and rated pools together.")
@click.argument("qrels")
@click.argument("rated", nargs=-1, required=True, metavar="RATED...")
@click.option(
    "--keep",
    type=click.Choice(["first", "last", "error"]),
    default="first",
    show_default=True,
    help="Which grade counts where two differ.",
)
@click.option("--qrels-format", metavar="FORMAT", help="As in ndcg eval.")
@click.option("--to", "form", metavar="FORMAT", help="Format of OUT; by its ending if not given.")
@click.option("-o", "--output", "path", required=True, metavar="OUT", help="The new judgments.")
def merge_command(
    *,
    qrels: str,
    rated: tuple[str, ...],
    keep: str,
    qrels_format: str | None,
    form: str | None,
    path: str,
) -> None:
    r"""Put judgments and rated pools together, and say how far those judged twice agree.

    \b
    ndcg merge qrels.txt pool.jsonl -o qrels-2.txt
    """
    from ndcg.formats.reading import as_qrels
    from ndcg.formats.writing import write_qrels
    from ndcg.holes.merging import merge

    Reading(None, None, None, None).claim(qrels, *rated)
    first = as_qrels(qrels, format=qrels_format)
    merged = merge(first, list(rated), keep=keep)
    write_qrels(merged.qrels, path, format=form)
    tell_notices(merged.qrels.notices)
    click.echo(
        f"{merged.describe()}; {len(merged.qrels)} judgments, qrels {merged.qrels.digest[:12]} "
        f"(was {first.digest[:12]}): evaluate every run on the new ones",
        err=path == "-",
    )
