"""Runs over chunks: each retrieved chunk stands for the document it was cut from."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from ndcg.data import Notice, Run
from ndcg.errors import InputError, OptionError


def to_parents(run: Run, parent: str | Mapping[str, str]) -> Run:
    """Return a run over documents; a document takes the place of its best chunk.

    `parent` is the separator before a chunk's suffix (the last one in an id counts), or a mapping
    from chunk id to document id. Chunks dropped because a better one of the same document stands
    above are counted in a notice.
    """
    if isinstance(parent, str):
        if not parent:
            raise OptionError("parent separator must not be empty; give the text before the suffix")
        head = pl.col("doc").str.split(parent)
        documents = (
            pl.when(pl.col("doc").str.contains(parent, literal=True))
            .then(head.list.head(head.list.len() - 1).list.join(parent))
            .otherwise(pl.col("doc"))
        )
    else:
        documents = pl.col("doc").replace(dict(parent))
    rows = pl.DataFrame(
        {"query": run.row_queries, "doc": run.doc_ids, "score": run.values}
    ).with_columns(documents.alias("document"))
    mapped = int((rows["doc"] != rows["document"]).sum())
    if not mapped:
        raise InputError(
            f"{run.name}: no document id is a chunk under parent {_spell(parent)}, such as "
            f"{run.doc_ids[0]!r}; check the separator or the file"
        )
    best = rows.group_by("query", "document", maintain_order=True).agg(pl.col("score").max())
    dropped = len(rows) - len(best)
    text = (
        f"{mapped} chunks stand for their documents; {dropped} left out below a better chunk of "
        "the same document"
    )
    ids = best["query"].rle()
    lengths = ids.struct.field("len").to_numpy().astype("int64")
    merged, _ = Run.of_groups(
        [(run.query_ids.gather(ids.struct.field("value")), lengths)],
        best["document"].alias("doc_id"),
        best["score"].to_numpy(),
        name=run.name,
    )
    return merged.with_notices([*run.notices, Notice("chunks", text, run.name)])


def _spell(parent: str | Mapping[str, str]) -> str:
    return repr(parent) if isinstance(parent, str) else f"mapping of {len(parent)} chunks"
