"""The queries to ask: their ids and texts from a file, a mapping or pairs."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any

from ndcg.data import as_id
from ndcg.errors import InputError
from ndcg.formats.attributes import read_attributes
from ndcg.formats.beir import each_text
from ndcg.formats.layouts import QUERY_NAMES, fold
from ndcg.formats.mappings import parse_json
from ndcg.formats.sources import open_source, refuse_binary

if TYPE_CHECKING:
    from pathlib import Path

_TEXT_NAMES = ("text", "query_text", "querytext", "title", "question", "query")
_ID_NAMES = ("_id", "id", *QUERY_NAMES)
_PAIR = 2


def as_queries(source: Any) -> dict[str, str]:
    """Return ``{query_id: text}``, in the order given.

    Takes a path (``id TAB text``, a table with named columns, JSON lines as in BEIR, or one JSON
    object), a mapping, or an iterable of (query_id, text).
    """
    if isinstance(source, (str, PathLike)):
        place = str(source)
        found = _unique(_of_file(source))  # type: ignore[arg-type]
    elif isinstance(source, Mapping):
        place = "the queries"
        found = _unique(("the queries", key, text) for key, text in source.items())
    elif isinstance(source, Iterable) and not isinstance(source, (bytes, bytearray)):
        place = "the queries"
        found = _unique(_of_pairs(source))
    else:
        raise InputError(
            f"cannot read queries from {type(source).__name__}: expected a path, a mapping "
            "{query_id: text} or pairs (query_id, text)"
        )
    if not found:
        raise InputError(f"{place}: no queries in it, expected id TAB text a line")
    return found


def _unique(rows: Iterable[tuple[str, Any, Any]]) -> dict[str, str]:
    found: dict[str, str] = {}
    for where, key, text in rows:
        query_id = as_id(key, f"{where}: query_id")
        if not isinstance(text, str):
            raise InputError(f"{where}: the text of query {query_id!r} is {text!r}, expected text")
        if found.setdefault(query_id, text) != text:
            raise InputError(
                f"{where}: query {query_id!r} has two texts, {found[query_id]!r} and {text!r}; "
                "give every query an id of its own"
            )
    return found


def _of_pairs(pairs: Iterable[Any]) -> Iterable[tuple[str, Any, Any]]:
    for number, pair in enumerate(pairs, 1):
        if not isinstance(pair, (tuple, list)) or len(pair) != _PAIR:
            raise InputError(f"query {number}: expected (query_id, text), got {pair!r}")
        yield (f"query {number}", *pair)


def _of_file(path: str | Path) -> Iterable[tuple[str, Any, Any]]:
    source = open_source(path)
    head = source.head()
    refuse_binary(source, head)
    first = head.decode("utf-8-sig", "replace").partition("\n")[0].rstrip("\r")
    if first.lstrip().startswith("{") and not _is_object(first):
        content = parse_json(source.everything(), source.name)
        return [(source.name, key, text) for key, text in content.items()]
    for separator in ("\t", ","):
        names = [fold(name) for name in next(csv.reader([first], delimiter=separator), [])]
        if set(names) & set(_ID_NAMES) and set(names) & set(_TEXT_NAMES) and len(names) > 1:
            return _of_table(path, source.name)
    return each_text(path)


def _is_object(line: str) -> bool:
    """Whether a line is a JSON object of its own, as in JSON lines, with an id beside a text."""
    try:
        row = parse_json(line.encode(), "")
    except InputError:
        return False
    return isinstance(row, dict) and any(name in row for name in _ID_NAMES)


def _of_table(path: str | Path, name: str) -> Iterable[tuple[str, Any, Any]]:
    frame = read_attributes(path)
    columns = {fold(column): column for column in frame.columns[1:]}
    text = next((columns[one] for one in _TEXT_NAMES if one in columns), None)
    if text is None:
        raise InputError(
            f"{name}: no column with the text of a query (text, query, title) among "
            f"{', '.join(frame.columns)}"
        )
    for number, (key, value) in enumerate(frame.select("query_id", text).iter_rows(), 1):
        yield f"{name}, row {number}", key, value
