"""Tables about queries: slices, or the columns of a queries file."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import polars as pl

from ndcg.errors import InputError
from ndcg.formats.layouts import QUERY_NAMES, fold
from ndcg.formats.lines import split_fields
from ndcg.formats.sources import open_source, refuse_binary

if TYPE_CHECKING:
    from pathlib import Path

    from ndcg.formats.sources import Source

_ID_NAMES = {*QUERY_NAMES, "_id", "id"}
_BINARY = {b"PAR1": pl.read_parquet, b"ARROW1": pl.read_ipc}


def read_attributes(path: str | Path) -> pl.DataFrame:
    """Return a table about queries with its id column named ``query_id``; all cells as given.

    Reads TSV and CSV with a header, JSON lines, Parquet and Arrow IPC, compressed or not.
    """
    source = open_source(path)
    content = source.everything()
    if not content.strip():
        raise InputError(
            f"{source.name}: the file is empty, expected a table with a query_id column"
        )
    for magic, read in _BINARY.items():
        if content.startswith(magic):
            return name_query_column(read(io.BytesIO(content)), source.name)
    refuse_binary(source, content[:65536])
    text = _decoded(content, source)
    if text.lstrip().startswith("{"):
        return name_query_column(_of_json_lines(text, source), source.name)
    return name_query_column(_of_lines(text, source), source.name)


def name_query_column(frame: pl.DataFrame, where: str) -> pl.DataFrame:
    """Return a frame whose query ids are text in a column ``query_id``."""
    named = [name for name in frame.columns if fold(name) in _ID_NAMES]
    if not named:
        raise InputError(
            f"{where}: no column of query ids (query_id, qid, query-id ...) among "
            f"{', '.join(frame.columns)}"
        )
    ids = frame[named[0]]
    if not (ids.dtype == pl.String or ids.dtype.is_integer()) or ids.null_count():
        raise InputError(f"{where}: column {named[0]!r} must hold text or integers in every row")
    rest = frame.drop(named[0])
    return rest.insert_column(0, ids.cast(pl.String).alias("query_id"))


def _decoded(content: bytes, source: Source) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise InputError(f"{source.name}:{line}: not UTF-8; convert the file to UTF-8") from None


def _of_lines(text: str, source: Source) -> pl.DataFrame:
    lines = text.splitlines()
    separator = "\t" if "\t" in lines[0] else ("," if "," in lines[0] else None)
    names = split_fields(lines[0], separator)
    rows = []
    for number, line in enumerate(lines[1:], 2):
        if not line.strip():
            continue
        fields = split_fields(line, separator)
        if len(fields) != len(names):
            raise InputError(
                f"{source.name}:{number}: expected {len(names)} columns ({' '.join(names)}), got "
                f"{len(fields)}; the line is {line[:120]!r}"
            )
        rows.append(fields)
    if len(set(names)) < len(names):
        raise InputError(f"{source.name}:1: two columns have one name: {' '.join(names)}")
    return pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")


def _of_json_lines(text: str, source: Source) -> pl.DataFrame:
    rows: list[dict[str, Any]] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise InputError(f"{source.name}:{number}: not valid JSON ({error})") from None
        if not isinstance(row, dict):
            raise InputError(f"{source.name}:{number}: expected an object a line")
        # BEIR keeps what it knows of a query in an object of its own.
        metadata = row.pop("metadata", None)
        rows.append(row | metadata if isinstance(metadata, dict) else row)
    names = list(dict.fromkeys(name for row in rows for name in row))
    columns = {name: [row.get(name) for row in rows] for name in names}
    return pl.DataFrame({name: _column(cells) for name, cells in columns.items()})


def _column(cells: list[Any]) -> pl.Series:
    if all(isinstance(cell, int) and not isinstance(cell, bool) for cell in cells):
        return pl.Series(cells, dtype=pl.Int64)
    if any(isinstance(cell, list) for cell in cells):
        parts = [cell if isinstance(cell, list) else [cell] for cell in cells]
        texts = [[_text(part) for part in row if part is not None] for row in parts]
        return pl.Series(texts, dtype=pl.List(pl.String))
    return pl.Series([None if cell is None else _text(cell) for cell in cells], dtype=pl.String)


def _text(cell: Any) -> str:
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    return f"{cell:g}" if isinstance(cell, float) else str(cell)
