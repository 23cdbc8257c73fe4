"""``ndcg explain`` and ``ndcg why``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click

from ndcg.cli.options import (
    Output,
    Reading,
    as_option,
    input_options,
    output_options,
    tell,
    tell_notices,
)
from ndcg.errors import OptionError

if TYPE_CHECKING:
    from pathlib import Path

    from ndcg.explanation import Explanation

_PROFILES_COMPARED = 2


@click.command("explain", short_help="Explain one query's number, rank by rank.")
@click.argument("qrels")
@click.argument("run")
@click.argument("query")
@click.option("-m", "--measure", default="nDCG@10", show_default=True, metavar="MEASURE")
@click.option(
    "--move",
    "moves",
    multiple=True,
    metavar="DOC=RANK",
    help="What if this document stood at that rank; repeatable, in order.",
)
@click.option("--against", metavar="RUN2", help="Which documents make the difference to this run.")
@click.option("--queries", metavar="FILE", help="Query texts: BEIR queries.jsonl or id TAB text.")
@click.option("--corpus", metavar="FILE", help="Document texts: BEIR corpus.jsonl or id TAB text.")
@as_option
@input_options
@output_options("table", "json")
def explain_command(  # noqa: PLR0913 - one parameter an option
    *,
    qrels: str,
    run: str,
    query: str,
    measure: str,
    moves: tuple[str, ...],
    against: str | None,
    queries: str | None,
    corpus: str | None,
    profile: str | None,
    reading: Reading,
    output: Output,
) -> None:
    r"""Explain one query's nDCG: every rank with grade, gain and discount, and the ideal order.

    A hole, a document that was never judged, has no grade and gains nothing.

    \b
    ndcg explain qrels.txt bm25.run c014
    ndcg explain qrels.txt bm25.run c014 --move d2=1
    ndcg explain qrels.txt bm25.run c014 --against dense.run
    """
    from ndcg.conventions import as_convention
    from ndcg.explanation import explain
    from ndcg.reporting.explanation_tables import explanation_to_json, render_explanation

    paths = (run,) if against is None else (run, against)
    files, judged = reading.runs(paths, as_convention(profile).duplicates), reading.qrels(qrels)
    tell_notices(judged.notices)
    title = _text_of(query, queries, qrels, reading)
    parts: list[Explanation] = []
    for name in files:
        read = files.read(name)
        tell_notices(read.notices)
        parts.append(explain(judged, read, query, measure, convention=profile))
    moved = parts[0]
    for move in moves:
        doc, rank = _parse_move(move)
        moved = moved.move(doc, rank)
    changed = moved if moves else None
    other = parts[1] if against is not None else None
    if output.format == "json":
        output.write_json(explanation_to_json(parts[0], changed, other, title))
        return
    texts = _document_texts(parts[0], corpus, qrels, reading)
    output.write(render_explanation(parts[0], changed, other, title, texts))


def _text_of(query: str, queries: str | None, qrels: str, reading: Reading) -> str | None:
    """Return a query's text from the file that was named, or from beside a BEIR qrels file."""
    from ndcg.formats.beir import find_texts, read_texts

    if queries is None:
        found = None if qrels == "-" else find_texts(qrels, "queries.jsonl")
        return read_texts(found).get(query) if found else None
    reading.claim(queries)
    text = read_texts(queries).get(query)
    if text is None:
        tell([f"{queries}: no text for query {query!r}"])
    return text


def _document_texts(
    explained: Explanation, corpus: str | None, qrels: str, reading: Reading
) -> dict[str, str] | None:
    """Return the texts of the documents shown, from the file named or from a BEIR folder."""
    from ndcg.formats.beir import find_texts, read_texts

    path: str | Path | None = corpus
    if corpus is not None:
        reading.claim(corpus)
    elif qrels != "-":
        path = find_texts(qrels, "corpus.jsonl")
    if path is None:
        return None
    shown = {step.doc_id for step in (*explained.steps, *explained.ideal)}
    return read_texts(path, shown)


def _parse_move(text: str) -> tuple[str, int]:
    doc, equals, rank = text.rpartition("=")
    if not equals or not doc or not re.fullmatch(r"\s*[0-9]{1,18}\s*", rank):
        raise OptionError(f"--move takes DOC=RANK, such as d2=1, got {text!r}")
    return doc, int(rank)


@click.command("why", short_help="Say where two conventions part, and through which rule.")
@click.argument("qrels")
@click.argument("run")
@click.option(
    "--as", "profiles", multiple=True, metavar="PROFILE", help="Two profiles, each with --as."
)
@click.option("-m", "--measure", default="nDCG@10", show_default=True, metavar="MEASURE")
@click.option(
    "--top",
    type=click.IntRange(min=0),
    default=10,
    show_default=True,
    help="How many queries to show.",
)
@input_options
@output_options("table", "json")
def why_command(
    *,
    qrels: str,
    run: str,
    profiles: tuple[str, ...],
    measure: str,
    top: int,
    reading: Reading,
    output: Output,
) -> None:
    r"""Say on which queries two conventions give two numbers, and through which rule.

    \b
    ndcg why qrels.txt bm25.run --as trec_eval --as sklearn
    """
    from ndcg.conventions import as_convention
    from ndcg.disagreement import why
    from ndcg.reporting.explanation_tables import disagreement_to_json, render_disagreement

    if len(profiles) != _PROFILES_COMPARED:
        raise OptionError(f"why takes two profiles, --as A --as B, got {len(profiles)}")
    first, second = (as_convention(name) for name in profiles)
    policies = (convention.duplicates for convention in (first, second))
    files = reading.runs((run,), next((one for one in policies if one != "error"), "error"))
    judged, read = reading.qrels(qrels), files.only()
    found = why(judged, read, first, second, measure)
    tell_notices(judged.notices, read.notices)
    if output.format == "json":
        output.write_json(disagreement_to_json(found))
    else:
        output.write(render_disagreement(found, top=top))
