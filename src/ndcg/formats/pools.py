"""Pools to be rated: one line a document with its grade, null until somebody has given one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import polars as pl

from ndcg.data import as_id
from ndcg.errors import InputError
from ndcg.formats.layouts import Layout
from ndcg.formats.lines import BOM
from ndcg.formats.mappings import parse_json
from ndcg.formats.numbers import as_number
from ndcg.formats.text import Part, parts_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ndcg.formats.layouts import Kind
    from ndcg.formats.sources import Source

_KEYS = ("query_id", "doc_id", "relevance", "grades", "pool")


def is_pool(source: Source) -> bool:
    """Whether JSON lines are a pool, by the keys of the first one."""
    first = source.head().removeprefix(BOM).lstrip().partition(b"\n")[0]
    try:
        row = json.loads(first)
    except (ValueError, RecursionError):
        return False
    return isinstance(row, dict) and set(_KEYS) <= set(row)


def read_pool(source: Source, kind: Kind) -> tuple[Layout, list[Part]]:
    """Read the rated lines of a pool as judgments; the others are counted in the part.

    A grade that is not one of the line's `grades` is an `InputError`, and so is a pool without any.
    """
    if kind == "run":
        raise InputError(
            f"{source.name}: this is a pool to be rated, not a run; name it where the judgments "
            "belong, once somebody has rated it"
        )
    rows, unrated = [], 0
    for where, row in _rows(source):
        if row.get("relevance") is None:
            unrated += 1
            continue
        grade = as_number(row["relevance"], f"{where}: relevance")
        grades = row.get("grades")
        if isinstance(grades, list) and grade not in grades:
            raise InputError(
                f"{where}: relevance {row['relevance']!r} is outside the scale "
                f"{','.join(map(str, grades))} that this pool was made for"
            )
        ids = [as_id(row.get(key), f"{where}: {key}") for key in ("query_id", "doc_id")]
        rows.append((*ids, grade))
    if not rows:
        raise InputError(
            f"{source.name}: none of the {unrated} documents of this pool is rated yet; put a "
            "grade where relevance is null"
        )
    schema = {"query_id": pl.String, "doc_id": pl.String, "value": pl.Float64}
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    layout = Layout("pool", kind, None, len(_KEYS), value=2, header=True, graded=True)
    return layout, parts_of(frame, unrated=unrated)


def name_rated(source: Source, row: int) -> str:
    """Return ``file:line`` of the rated line that has this number, counted from 0."""
    rated = [where for where, line in _rows(source) if line.get("relevance") is not None]
    return rated[row]


def _rows(source: Source) -> Iterator[tuple[str, dict[str, Any]]]:
    content = source.everything().removeprefix(BOM)
    for number, line in enumerate(content.split(b"\n"), 1):
        if not line.strip():
            continue
        where = f"{source.name}:{number}"
        row = parse_json(line, where)
        if not isinstance(row, dict):
            raise InputError(f"{where}: expected an object a line, got {type(row).__name__}")
        yield where, row
