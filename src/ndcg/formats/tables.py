"""Tables with named columns: any frame, Parquet, Arrow IPC, JSON lines."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from ndcg.errors import InputError
from ndcg.formats.layouts import find_columns
from ndcg.formats.text import Part, parts_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ndcg.formats.layouts import Kind
    from ndcg.formats.sources import Source


def read_table(source: Source, kind: Kind, format: str) -> list[Part]:
    """Read a Parquet, Arrow IPC or JSON lines file; wrong content is an `InputError`."""
    if format == "jsonl":
        return list(parts_of(columns_of(_read_lines(source), kind, source.name)))
    with source.open() as stream:
        content: Any = source.path if _plain(source) else io.BytesIO(source.read(stream))
    read: Any = pl.scan_parquet if format == "parquet" else pl.scan_ipc
    try:
        lazy = read(content)
        names = lazy.collect_schema().names()
        found = named(names, kind, source.name)
        frame = lazy.select([names[place] for place in found.values()]).collect()
    except (pl.exceptions.PolarsError, OSError) as error:
        said = str(error).partition("\n")[0]
        raise InputError(f"{source.name}: not a whole {format} file ({said})") from None
    return list(parts_of(columns_of(frame, kind, source.name)))


def _plain(source: Source) -> bool:
    if source.path is None:
        return False
    with source.open_raw() as stream:
        return stream.read(4) in {b"PAR1", b"ARRO"}


def _read_lines(source: Source) -> pl.DataFrame:
    content = source.everything().removeprefix(b"\xef\xbb\xbf")
    try:
        return pl.read_ndjson(content, infer_schema_length=None)
    except pl.exceptions.PolarsError:
        pass
    rows = []
    for number, line in enumerate(content.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise InputError(f"{source.name}:{number}: not valid JSON ({error})") from None
        if not isinstance(row, dict):
            raise InputError(
                f"{source.name}:{number}: expected an object a line, got {type(row).__name__}"
            )
        rows.append(row)
    return pl.DataFrame(rows, infer_schema_length=None, strict=False)


def named(names: Sequence[str], kind: Kind, where: str) -> dict[str, int]:
    """Return the positions of the columns that a table needs; a missing one is an `InputError`."""
    found = find_columns(names, kind)
    if found is None:
        value = "relevance" if kind == "qrels" else "score"
        raise InputError(
            f"{where}: expected columns query_id, doc_id and {value} (or their usual other "
            f"names), got {', '.join(names)}"
        )
    return found


def columns_of(frame: pl.DataFrame, kind: Kind, where: str) -> pl.DataFrame:
    """Return a frame's rows as query_id, doc_id, value and perhaps rank, checked row by row."""
    names = frame.columns
    found = named(names, kind, where)
    value = "relevance" if kind == "qrels" else "score"
    if "value" not in found:
        ranks = _values(frame[names[found["rank"]]], "rank", where)
        columns = {"value": -ranks}
    else:
        columns = {"value": _values(frame[names[found["value"]]], value, where)}
        if "rank" in found:
            ranks = frame[names[found["rank"]]].cast(pl.Int32, strict=False)
            if not ranks.null_count():
                columns["rank"] = ranks
    ids = {f"{key}_id": _ids(frame[names[found[key]]], f"{key}_id", where) for key in ("query", "doc")}
    return pl.DataFrame({**ids, **columns})


def _ids(column: pl.Series, what: str, where: str) -> pl.Series:
    if column.null_count():
        row = column.is_null().arg_true()[0] + 1
        raise InputError(f"{where}: {what} is missing in row {row}")
    if column.dtype.is_integer():
        return column.cast(pl.String)
    if column.dtype in {pl.Categorical, pl.Enum}:
        return column.cast(pl.String)
    if column.dtype == pl.Binary:
        return column.cast(pl.String)
    if column.dtype != pl.String:
        raise InputError(
            f"{where}: {what} must be text or integers, got {column.dtype}; an id such as 7.0 "
            "would match nothing"
        )
    return column


def _values(column: pl.Series, what: str, where: str) -> pl.Series:
    if column.dtype == pl.String:
        numbers = column.str.strip_chars().cast(pl.Float64, strict=False)
    elif column.dtype.is_numeric() or column.dtype in {pl.Boolean, pl.Null}:
        numbers = column.cast(pl.Float64)
    else:
        raise InputError(f"{where}: {what} must be numbers, got {column.dtype}")
    good = numbers.is_not_null() & (numbers.is_not_nan() if what != "relevance" else numbers.is_finite())
    if not good.all():
        row = int(np.flatnonzero(~good.fill_null(value=False).to_numpy())[0])
        raise InputError(
            f"{where}: {what} must be a number, got {column[row]!r} in row {row + 1}"
        )
    return numbers
