"""Runs over chunks: each retrieved chunk stands for the document it was cut from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import polars as pl

from ndcg.data import Notice, as_id, counted
from ndcg.errors import InputError, OptionError
from ndcg.formats.lines import BOM, split_fields
from ndcg.formats.sources import open_source

if TYPE_CHECKING:
    from pathlib import Path

    from ndcg.data import Run


def to_parents(run: Run, parent: str | Mapping[str, str]) -> Run:
    """Return a run over documents; a document takes the place of its best chunk.

    `parent` is the separator before a chunk's suffix (the last one in an id counts), or a mapping
    from chunk id to document id. Chunks dropped because a better one of the same document stands
    above are counted in a notice.
    """
    rows = pl.DataFrame({"query": run.row_queries, "doc": run.doc_ids, "score": run.values})
    rows = rows.with_columns(document=_document(parent))
    mapped = int((rows["doc"] != rows["document"]).sum())
    if not mapped:
        raise InputError(
            f"{run.name}: no document id is a chunk under parent {_spell(parent)}, such as "
            f"{run.doc_ids[0]!r}; check the separator or the file"
        )
    nameless = rows.filter(pl.col("document") == "")
    if len(nameless):
        raise InputError(
            f"{run.name}: chunk {nameless['doc'][0]!r} has no document under parent "
            f"{_spell(parent)}; check the separator or the file"
        )
    best = rows.group_by("query", "document", maintain_order=True).agg(pl.col("score").max())
    merged = run.with_rows(
        best["query"].to_numpy(), best["document"].alias("doc_id"), best["score"].to_numpy()
    )
    stand = "stands for its document" if mapped == 1 else "stand for their documents"
    text = (
        f"{counted(mapped, 'chunk')} {stand}; {len(rows) - len(best)} left out below a better "
        "chunk of the same document"
    )
    return merged.with_notices([Notice("chunks", text, run.name)])


def _document(parent: str | Mapping[str, str]) -> pl.Expr:
    doc = pl.col("doc")
    if isinstance(parent, Mapping):
        names = {as_id(chunk, "chunk_id"): as_id(d, "doc_id") for chunk, d in parent.items()}
        return doc.replace(names) if names else doc
    if not parent:
        raise OptionError("parent separator must not be empty; give the text before the suffix")
    pieces = doc.str.split(parent)
    head = pieces.list.head(pieces.list.len() - 1).list.join(parent)
    return pl.when(doc.str.contains(parent, literal=True)).then(head).otherwise(doc)


def _spell(parent: str | Mapping[str, str]) -> str:
    return repr(parent) if isinstance(parent, str) else f"mapping of {len(parent)} chunks"


def read_parents(path: str | Path) -> dict[str, str]:
    """Read a two-column file (chunk_id, doc_id) that maps chunks to their documents."""
    source = open_source(path)
    parents: dict[str, str] = {}
    for number, raw in enumerate(source.everything().removeprefix(BOM).split(b"\n"), 1):
        if not raw.strip():
            continue
        where = f"{source.name}:{number}"
        try:
            line = raw.decode("utf-8")
        except UnicodeDecodeError:
            raise InputError(f"{where}: not UTF-8; convert the file to UTF-8") from None
        mark = next((mark for mark in "\t," if mark in line), None)
        fields = split_fields(line, mark)
        if len(fields) != 2 or not all(fields):  # noqa: PLR2004
            raise InputError(
                f"{where}: expected 2 columns (chunk_id doc_id), got {len(fields)}; the line is "
                f"{line[:80]!r}"
            )
        chunk, document = fields
        if parents.setdefault(chunk, document) != document:
            raise InputError(
                f"{where}: chunk {chunk!r} belongs to {parents[chunk]!r} and to {document!r}; "
                "keep one"
            )
    if not parents:
        raise InputError(f"{source.name}: no line of a mapping in it (chunk_id doc_id)")
    return parents
