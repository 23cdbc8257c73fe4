"""Writing judgments and runs, each in any of the formats that are read."""

from __future__ import annotations

import io
import json
import os
import stat
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from ndcg.errors import InputError, OptionError, check_choice
from ndcg.formats.layouts import FORMATS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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
_COMPRESSION = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "zstd", ".zstd": "zstd"}
_SEPARATORS = {"csv": ",", "trec": " ", "tsv": "\t", "beir": "\t", "msmarco": "\t"}
_HEADED = {"csv", "tsv", "beir"}
_LAST_EXACT_INTEGER = 2**53
_GZIP_LEVEL = 6  # what gzip itself takes; Python's 9 costs three times the time

# What an id cannot have in it where columns are parted by blanks, by tabs, by commas.
_BLANK = r"^$|[ \t\n\v\f\r\x00]"
_TAB = r"^$|^[ \v\f]|[ \v\f]$|[\t\n\r\x00]"
_UNWRITABLE = {
    "trec": _BLANK,
    "msmarco": _BLANK,
    "tsv": _TAB,
    "beir": _TAB,
    "csv": r"^$|^[ \t\v\f]|[ \t\v\f]$|[\n\r\x00]",
}
# A line that begins so is read as a comment, as JSON, or without its first character.
_UNREADABLE_START = r"^[#{\[\x{FEFF}]"


def write_qrels(qrels: Qrels, path: str | Path, *, format: str | None = None) -> None:
    """Write judgments; the format follows from the path's ending unless it is named.

    The file appears whole or not at all. ``trec`` is the form when nothing else says so; an ending
    .gz, .bz2, .xz or .zst compresses. What a format cannot hold (an id with a tab in TSV) is an
    `InputError`.
    """
    frame = qrels.frame.with_columns(relevance=_whole(qrels.frame["relevance"]))
    form = format_of(path, format)
    if form in {"trec", "msmarco"}:
        frame = frame.select("query_id", pl.lit("0").alias("iteration"), "doc_id", "relevance")
    elif form == "beir":
        frame = frame.rename({"query_id": "query-id", "doc_id": "corpus-id", "relevance": "score"})
    _write(frame, path, form, qrels)


def write_run(run: Run, path: str | Path, *, format: str | None = None) -> None:
    """Write a run, each query's documents by score, equal scores in the order given.

    See `write_qrels`. ``msmarco`` holds ranks and no scores, so there equal scores stand in
    trec_eval's order, and reading it back gives the order but not the scores.
    """
    form = format_of(path, format)
    if form == "beir":
        raise OptionError("a BEIR folder has no runs; write tsv or trec")
    by, down = ["query", "score"], [False, True]
    if form == "msmarco":
        by, down = [*by, "doc_id"], [*down, True]
    frame = (
        run.frame.with_columns(query=run.row_queries)
        .sort(by, descending=down, maintain_order=True)
        .with_columns(rank=pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over("query"))
    )
    if form == "trec":
        tag = pl.lit("_".join(run.name.split()) or "run").alias("tag")
        frame = frame.select("query_id", pl.lit("Q0").alias("Q0"), "doc_id", "rank", "score", tag)
    elif form == "msmarco":
        frame = frame.select("query_id", "doc_id", "rank")
    elif form in {"csv", "tsv"}:
        # With ranks beside them, small whole scores cannot be taken for grades.
        frame = frame.select("query_id", "doc_id", "rank", "score")
    else:
        frame = frame.select("query_id", "doc_id", "score")
    _write(frame, path, form, run)


def format_of(path: str | Path, format: str | None) -> str:
    """Return the format in which a path is written: the one named, or what its ending says."""
    if format is not None:
        check_choice("format", format, FORMATS)
        return format
    name = Path(path)
    if name.suffix.lower() in _COMPRESSION:
        name = name.with_suffix("")
    return _BY_ENDING.get(name.suffix.lower(), "trec")


def _whole(grades: pl.Series) -> pl.Series:
    values = grades.to_numpy()
    whole = (values == np.trunc(values)) & (np.abs(values) < _LAST_EXACT_INTEGER)
    return grades.cast(pl.Int64) if whole.all() else grades


def _refuse_ids(table: Qrels | Run, form: str) -> None:
    if form not in _UNWRITABLE:
        return
    for name, ids in (("query_id", table.query_ids), ("doc_id", table.doc_ids)):
        pattern = _UNWRITABLE[form]
        if name == "query_id":
            pattern += f"|{_UNREADABLE_START}"
        bad = ids.str.contains(pattern)
        if bad.any():
            raise InputError(
                f"{name} {ids[int(bad.arg_true()[0])]!r} cannot stand in format {form}: it would "
                "not be read back as it is; write jsonl, json or parquet"
            )


def _write(frame: pl.DataFrame, path: str | Path, form: str, table: Qrels | Run) -> None:
    _refuse_ids(table, form)
    content = _encode(frame, form, table)
    if str(path) == "-":
        sys.stdout.buffer.write(content)
        return
    compression = _COMPRESSION.get(Path(path).suffix.lower())
    if compression:
        content = _compressor(compression)(content)
    write_whole(path, content)


def write_whole(path: str | Path, content: bytes) -> None:
    """Write a file that appears whole or not at all."""
    with whole_file(path) as place:
        place.write_bytes(content)


@contextmanager
def whole_file(path: str | Path) -> Iterator[Path]:
    """Yield a path to write to; the file appears at `path` when all went well, or not at all."""
    given = Path(path)
    if given.is_dir():
        raise OptionError(f"{given}: is a folder, expected a file to write")
    if given.exists() and not given.is_file():
        # A device or a pipe takes what is written; it must not be replaced by a file.
        yield given
        return
    target = Path(os.path.realpath(given))
    place: Path | None = None
    try:
        handle, name = tempfile.mkstemp(prefix=".ndcg.", dir=target.parent)
        os.close(handle)
        place = Path(name)
        yield place
        place.chmod(_mode(target))
        place.replace(target)
    except BaseException as error:
        if place is not None:
            place.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise OptionError(f"{path}: {_reason(target, error)}") from None
        raise


def _reason(target: Path, error: OSError) -> str:
    if not target.parent.is_dir():
        return f"there is no folder {target.parent}; make it first"
    return f"cannot write there ({(error.strerror or str(error)).lower()})"


def _mode(target: Path) -> int:
    """Return the permissions of a file that is there, or those that a new one gets."""
    if target.exists():
        return stat.S_IMODE(target.stat().st_mode)
    # mkstemp makes files for the owner alone; a result is a file like any other.
    umask = os.umask(0)
    os.umask(umask)
    return 0o666 & ~umask


def _encode(frame: pl.DataFrame, form: str, table: Qrels | Run) -> bytes:
    if form in {"json", "jsonl"} and not np.isfinite(table.values).all():
        value = table.values[~np.isfinite(table.values)][0]
        raise InputError(f"score {value} is no number in JSON; write trec, tsv, csv or parquet")
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
            separator=_SEPARATORS[form],
            include_header=form in _HEADED,
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

        return lambda content: gzip.compress(content, _GZIP_LEVEL, mtime=0)
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
