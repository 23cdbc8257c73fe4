"""Nested mappings: ``{query_id: {doc_id: value}}`` in memory and as JSON files."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import polars as pl

from ndcg.data import as_id
from ndcg.errors import InputError
from ndcg.formats.exports import is_export, read_export
from ndcg.formats.numbers import as_number

if TYPE_CHECKING:
    from ndcg.formats.layouts import Kind
    from ndcg.formats.sources import Source

_TRIPLE = 3


def parse_json(text: bytes, where: str) -> Any:
    """Return what JSON holds; a key that stands twice in one object is an `InputError`."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            twice = Counter(name for name, _ in pairs).most_common(1)[0][0]
            raise InputError(f"{where}: the key {twice!r} stands twice in one object")
        return found

    try:
        return json.loads(text, object_pairs_hook=unique)
    except InputError:
        raise
    except UnicodeDecodeError as error:
        raise InputError(f"{where}: not UTF-8 ({error.reason} at byte {error.start})") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where}: not valid JSON ({error})") from None


def read_json(source: Source, kind: Kind) -> dict[str, dict[str, Any]]:
    """Read a JSON object of objects, as pytrec_eval, ranx and MTEB write them, or an export."""
    content = parse_json(source.everything(), source.name)
    if is_export(content):
        return read_export(content, source.name, kind)
    return _innermost(content, source.name, kind)


def _innermost(content: Any, where: str, kind: Kind) -> dict[str, dict[str, Any]]:
    value = "grade" if kind == "qrels" else "score"
    told = f"{where}: expected an object {{query_id: {{doc_id: {value}}}}}"
    if not isinstance(content, dict):
        raise InputError(f"{told}, got {type(content).__name__}")
    # MTEB wraps predictions in subset and split, beside an object about the model.
    inner = {key: part for key, part in content.items() if key != "mteb_model_meta"}
    while inner and all(_is_nested(part) for part in inner.values()):
        if len(inner) > 1:
            raise InputError(f"{told}, got {len(inner)} groups of them: {', '.join(sorted(inner))}")
        inner = next(iter(inner.values()))
    for key, part in inner.items():
        if not isinstance(part, dict):
            raise InputError(f"{told}, but {key!r} holds {type(part).__name__}")
    return inner


def _is_nested(part: Any) -> bool:
    return isinstance(part, dict) and bool(part) and all(isinstance(x, dict) for x in part.values())


def frame_of_triples(rows: Iterable[Any], kind: Kind) -> pl.DataFrame:
    """Return an iterable of (query_id, doc_id, value) as a frame; anything else is an error."""
    value = "relevance" if kind == "qrels" else "score"
    queries, docs, values = [], [], []
    for number, row in enumerate(rows, 1):
        if isinstance(row, (str, Mapping)) or not isinstance(row, Iterable):
            raise InputError(f"row {number}: expected (query_id, doc_id, {value}), got {row!r}")
        fields = tuple(row)
        if len(fields) > _TRIPLE and isinstance(row, tuple) and hasattr(row, value):
            # What ir_datasets and ir_measures yield: the same names, and an iteration beside them.
            fields = tuple(getattr(row, name) for name in ("query_id", "doc_id", value))
        if len(fields) != _TRIPLE:
            raise InputError(
                f"row {number}: expected (query_id, doc_id, {value}), got {len(fields)} values"
            )
        queries.append(as_id(fields[0], f"query_id of row {number}"))
        docs.append(as_id(fields[1], f"doc_id of row {number}"))
        values.append(as_number(fields[2], f"{value} of row {number}"))
    return pl.DataFrame(
        {"query_id": queries, "doc_id": docs, value: values},
        schema={"query_id": pl.String, "doc_id": pl.String, value: pl.Float64},
    )
