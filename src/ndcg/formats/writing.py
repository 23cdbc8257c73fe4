"""Writing judgments and runs, each in any of the formats that are read."""

from __future__ import annotations

import io
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from ndcg.errors import InputError, OptionError, check_choice
from ndcg.formats.layouts import FORMATS

if TYPE_CHECKING:
    from collections.abc import Callable

    from ndcg.data import Qrels, Run

__all__ = ["write_qrels", "write_run"]

_BY_ENDING = {
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".csv": "csv",
    ".tsv": "tsv",
}
_COMPRESSION = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "zstd"}


def write_qrels(qrels: Qrels, path: str | Path, *, format: str | None = None) -> None:
    """Write judgments; the format follows from the path's ending unless it is named.

    The file appears whole or not at all. ``trec`` is the form when nothing else says so; an ending
    .gz, .bz2, .xz or .zst compresses.
    """
    frame = qrels.frame.with_columns(relevance=_whole(qrels.frame["relevance"]))
    form = _format_of(path, format)
    if form in {"trec", "msmarco"}:
        _refuse_blanks(frame)
        frame = frame.select("query_id", pl.lit("0").alias("iteration"), "doc_id", "relevance")
    elif form == "beir":
        frame = frame.rename({"query_id": "query-id", "doc_id": "corpus-id", "relevance": "score"})
    _write(frame, path, form, qrels)


def write_run(run: Run, path: str | Path, *, format: str | None = None) -> None:
    """Write a run, each query's documents in trec_eval's order; see `write_qrels`.

    ``msmarco`` holds ranks and no scores, so reading it back gives the order but not the scores.
    """
    form = _format_of(path, format)
    if form == "beir":
        raise OptionError("a BEIR folder has no runs; write tsv or trec")
    position = pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over("query")
    frame = (
        run.frame.with_columns(query=run.row_queries)
        .sort("query", "score", "doc_id", descending=[False, True, True])
        .with_columns(rank=position)
        .drop("query")
    )
    if form in {"trec", "msmarco"}:
        _refuse_blanks(frame)
    if form == "trec":
        tag = "_".join(run.name.split()) or "run"
        frame = frame.select(
            "query_id",
            pl.lit("Q0").alias("Q0"),
            "doc_id",
            "rank",
            "score",
            pl.lit(tag).alias("tag"),
        )
    else:
        kept = (
            ["query_id", "doc_id", "rank"] if form == "msmarco" else ["query_id", "doc_id", "score"]
        )
        frame = frame.select(kept)
    _write(frame, path, form, run)


def _format_of(path: str | Path, format: str | None) -> str:
    if format is not None:
        check_choice("format", format, FORMATS)
        return format
    name = Path(path)
    if name.suffix in _COMPRESSION:
        name = name.with_suffix("")
    return _BY_ENDING.get(name.suffix.lower(), "trec")


def _whole(grades: pl.Series) -> pl.Series:
    values = grades.to_numpy()
    return grades.cast(pl.Int64) if (values == np.trunc(values)).all() else grades


def _refuse_blanks(frame: pl.DataFrame) -> None:
    for name in ("query_id", "doc_id"):
        bad = frame[name].str.contains(r"\s") | (frame[name] == "")
        if bad.any():
            raise InputError(
                f"{name} {frame[name][int(bad.arg_true()[0])]!r} has a blank in it, which columns "
                "parted by blanks cannot hold; write jsonl, json, csv or parquet"
            )


def _write(frame: pl.DataFrame, path: str | Path, form: str, table: Qrels | Run) -> None:
    target = Path(path)
    compression = _COMPRESSION.get(target.suffix) if str(path) != "-" else None
    content = _encode(frame, form, table)
    if compression:
        content = _compressor(compression)(content)
    if str(path) == "-":
        sys.stdout.buffer.write(content)
        return
    write_whole(target, content)


def write_whole(target: Path, content: bytes) -> None:
    """Write a file that appears whole or not at all."""
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    except OSError as error:
        raise OptionError(
            f"{target}: cannot write there ({(error.strerror or '').lower()})"
        ) from None
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
        # mkstemp makes files for the owner alone; a result is a file like any other.
        umask = os.umask(0)
        os.umask(umask)
        Path(name).chmod(0o666 & ~umask)
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _encode(frame: pl.DataFrame, form: str, table: Qrels | Run) -> bytes:
    if form == "json":
        return (json.dumps(_nested(frame, table), ensure_ascii=False) + "\n").encode()
    stream = io.BytesIO()
    if form == "parquet":
        frame.write_parquet(stream)
    elif form == "arrow":
        frame.write_ipc(stream)
    elif form == "jsonl":
        frame.write_ndjson(stream)
    else:
        frame.write_csv(
            stream,
            separator=","
            if form == "csv"
            else ("\t" if form in {"tsv", "beir", "msmarco"} else " "),
            include_header=form in {"csv", "tsv", "beir"},
            quote_style="necessary" if form == "csv" else "never",
        )
    return stream.getvalue()


def _nested(frame: pl.DataFrame, table: Qrels | Run) -> dict[str, dict[str, float]]:
    nested: dict[str, dict[str, float]] = {query: {} for query in table.query_ids}
    for query, doc, value in frame.select(pl.col("query_id"), "doc_id", pl.last()).iter_rows():
        nested[query][doc] = value
    return nested


def _compressor(kind: str) -> Callable[[bytes], bytes]:
    module: Any
    if kind == "gzip":
        import gzip

        return lambda content: gzip.compress(content, mtime=0)
    if kind == "bzip2":
        import bz2 as module
    elif kind == "xz":
        import lzma as module
    elif sys.version_info >= (3, 14):
        from compression import zstd as module
    else:
        from backports import zstd as module
    compress: Callable[[bytes], bytes] = module.compress
    return compress
