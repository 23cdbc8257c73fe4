"""Tables with named columns: any frame, Parquet, Arrow IPC, JSON lines."""

from __future__ import annotations

import io
import json
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from ndcg.data import as_id
from ndcg.errors import InputError, MissingPackageError
from ndcg.formats.layouts import Layout, find_columns, refuse_other_kind
from ndcg.formats.lines import BOM
from ndcg.formats.mappings import parse_json
from ndcg.formats.numbers import as_number
from ndcg.formats.pools import is_pool, name_rated, read_pool
from ndcg.formats.text import Part, parts_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ndcg.formats.layouts import Kind
    from ndcg.formats.sources import Source

_BROKEN = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError)
_STREAM = b"\xff\xff\xff\xff"
_ID_KEYS = ("query", "doc")


def read_table(source: Source, kind: Kind, format: str) -> tuple[Layout, list[Part]]:
    """Read a Parquet, Arrow IPC or JSON lines file; wrong content is an `InputError`."""
    if format == "jsonl" and is_pool(source):
        return read_pool(source, kind)
    if format == "jsonl":
        frame = _read_lines(source, kind)
    else:
        try:
            frame = _read_columns(source, kind, format)
        except _BROKEN as error:
            said = str(error).partition("\n")[0]
            raise InputError(f"{source.name}: not a whole {format} file ({said})") from None
    layout = table_layout(frame.columns, kind, format, source.name)
    return layout, parts_of(columns_of(frame, layout, source))


def name_row(source: Source, layout: Layout, row: int) -> str:
    """Return how to name a row (counted from 0) in a message: by its line where it has one."""
    if layout.format == "pool":
        return name_rated(source, row)
    if layout.format != "jsonl":
        return f"{source.name}, row {row + 1}"
    lines = source.everything().split(b"\n")
    numbers = [number for number, line in enumerate(lines, 1) if line.strip()]
    return f"{source.name}:{numbers[row]}"


def frame_of(source: Any) -> pl.DataFrame:
    """Return any frame with the Arrow PyCapsule interface as a Polars frame."""
    if isinstance(source, pl.LazyFrame):
        return source.collect()
    if isinstance(source, pl.DataFrame):
        return source
    try:
        return pl.DataFrame(source)
    except ImportError as error:
        raise MissingPackageError(f"cannot read {type(source).__name__}: {error}") from None
    except Exception as error:  # noqa: BLE001 - whatever the frame's own library raises
        said = str(error).partition("\n")[0]
        raise InputError(
            f"the frame: cannot be read as columns ({said}); each column must hold one type"
        ) from None


def _read_columns(source: Source, kind: Kind, format: str) -> pl.DataFrame:
    with source.open_raw() as raw:
        magic = raw.read(4)
    # A file that lies there uncompressed is read without its other columns.
    plain = source.path is not None and magic in {b"PAR1", b"ARRO"}
    content: Any = source.path if plain else io.BytesIO(source.everything())
    if not plain and content.getvalue().startswith(_STREAM):
        return pl.read_ipc_stream(content)
    scan: Any = pl.scan_parquet if format == "parquet" else pl.scan_ipc
    lazy = scan(content)
    names = lazy.collect_schema().names()
    places = table_layout(names, kind, format, source.name).places.values()
    frame: pl.DataFrame = lazy.select([names[place] for place in places]).collect()
    return frame


def _read_lines(source: Source, kind: Kind) -> pl.DataFrame:
    content = source.everything().removeprefix(BOM)
    try:
        frame = pl.read_ndjson(content, infer_schema_length=None)
    except _BROKEN:
        return _read_each_line(source, kind, content)
    layout = table_layout(frame.columns, kind, "jsonl", source.name)
    needed = [frame.columns[place] for place in layout.places.values()]
    if all(_is_as_written(content, frame[name]) for name in needed):
        return frame.select(needed)
    return _read_each_line(source, kind, content)


def _is_as_written(content: bytes, column: pl.Series) -> bool:
    """Whether every value of a column is one that Polars did not turn into text, or drop."""
    key = json.dumps(column.name).encode() + b":"
    if column.dtype != pl.String:
        return content.count(key) == len(column)
    return content.count(key + b'"') + content.count(key + b' "') == len(column)


def _read_each_line(source: Source, kind: Kind, content: bytes) -> pl.DataFrame:
    """Read JSON lines one by one, to name the wrong one, or to take ids of mixed types."""
    rows: list[tuple[str, dict[str, Any]]] = []
    for number, line in enumerate(content.split(b"\n"), 1):
        where = f"{source.name}:{number}"
        if not line.strip():
            continue
        row = parse_json(line, where)
        if not isinstance(row, dict):
            raise InputError(f"{where}: expected an object a line, got {type(row).__name__}")
        rows.append((where, row))
    names = list(dict.fromkeys(chain.from_iterable(row for _, row in rows)))
    layout = table_layout(names, kind, "jsonl", source.name)
    columns = {}
    for key, place in layout.places.items():
        cells = [(f"{where}: {names[place]}", row.get(names[place])) for where, row in rows]
        read, type_ = (as_id, pl.String) if key in _ID_KEYS else (as_number, pl.Float64)
        found = [None if cell is None else read(cell, where) for where, cell in cells]
        columns[names[place]] = pl.Series(found, dtype=type_)
    return pl.DataFrame(columns)


def table_layout(names: Sequence[str], kind: Kind, format: str, where: str) -> Layout:
    """Return where a table has its columns; a missing one is an `InputError`."""
    refuse_other_kind(names, kind, where)
    found = find_columns(names, kind)
    if found is None:
        value = "relevance" if kind == "qrels" else "score or rank"
        raise InputError(
            f"{where}: expected columns query_id, doc_id and {value} (or their usual other "
            f"names), got {', '.join(names)}"
        )
    return Layout.of_names(format, kind, None, names)


def columns_of(frame: pl.DataFrame, layout: Layout, source: Source) -> pl.DataFrame:
    """Return a frame's rows as query_id, doc_id, value and perhaps rank, checked row by row."""
    found = {key: frame[frame.columns[place]] for key, place in layout.places.items()}
    if "value" not in found:
        columns = {"value": -_values(found["rank"], "rank", source, layout)}
    else:
        value = "relevance" if layout.kind == "qrels" else "score"
        columns = {"value": _values(found["value"], value, source, layout)}
        ranks = _ranks(found["rank"]) if "rank" in found else None
        if ranks is not None:
            columns["rank"] = ranks
    for key in _ID_KEYS:
        columns[f"{key}_id"] = _ids(found[key], f"{key}_id", source, layout)
    return pl.DataFrame(columns)


def _ranks(column: pl.Series) -> pl.Series | None:
    """Return ranks as integers, None where one is no integer: it does no harm, scores decide."""
    if not (column.dtype.is_numeric() or column.dtype == pl.String):
        return None
    ranks = column.cast(pl.Int32, strict=False)
    cut = column.dtype.is_float() and (ranks != column).any()
    return None if cut or ranks.null_count() else ranks


def _ids(column: pl.Series, what: str, source: Source, layout: Layout) -> pl.Series:
    texts = column
    if column.dtype == pl.Binary:
        texts = _decoded(column)
    elif column.dtype.is_integer() or isinstance(column.dtype, (pl.Categorical, pl.Enum)):
        texts = column.cast(pl.String)
    if texts.dtype not in {pl.String, pl.Null}:
        raise InputError(
            f"{source.name}: {what} must be text or integers, got {column.dtype}; an id such as "
            "7.0 would match nothing"
        )
    wrong = texts.is_null() if texts.null_count() else texts == ""
    if wrong.any():
        row = int(wrong.arg_true()[0])
        fault = "is missing" if column[row] is None else "is empty"
        if column.dtype == pl.Binary and column[row]:
            fault = f"{column[row]!r} is not UTF-8"
        raise InputError(f"{name_row(source, layout, row)}: {what} {fault}")
    return texts


def _decoded(column: pl.Series) -> pl.Series:
    """Return bytes as text, null where they are not UTF-8."""
    try:
        return column.cast(pl.String)
    except pl.exceptions.PolarsError:
        return pl.Series(column.name, [_decode(value) for value in column], dtype=pl.String)


def _decode(value: bytes | None) -> str | None:
    try:
        return None if value is None else value.decode()
    except UnicodeDecodeError:
        return None


def _values(column: pl.Series, what: str, source: Source, layout: Layout) -> pl.Series:
    if column.dtype == pl.String:
        numbers = column.str.strip_chars().cast(pl.Float64, strict=False)
    elif column.dtype.is_numeric() or column.dtype in {pl.Boolean, pl.Null}:
        numbers = column.cast(pl.Float64)
    else:
        raise InputError(f"{source.name}: {what} must be numbers, got {column.dtype}")
    sound = numbers.is_finite() if what == "relevance" else numbers.is_not_nan()
    good = sound.fill_null(value=False)
    if not good.all():
        row = int(np.flatnonzero(~good.to_numpy())[0])
        raise InputError(
            f"{name_row(source, layout, row)}: {what} must be a number, got {column[row]!r}"
        )
    return numbers
