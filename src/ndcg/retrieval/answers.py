"""What a retriever answered: lists of documents in any of the usual shapes, read without trust."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from ndcg.data import as_id
from ndcg.errors import InputError
from ndcg.formats.numbers import as_number
from ndcg.retrieval.failures import AnswerError

# Elasticsearch and OpenSearch, Solr, and the usual names of everybody else.
RESULT_PATHS = (
    *("hits.hits", "response.docs", "hits", "results", "result", "matches", "documents", "docs"),
    *("items", "data"),
)
ID_NAMES = (
    *("doc_id", "docno", "docid", "document_id", "corpus_id", "_id", "id", "pid", "product_id"),
    *("passage_id", "item_id", "id_"),
)
SCORE_NAMES = ("score", "_score", "relevance_score", "similarity", "@search.score")
# What would part columns, end a line or speak to a terminal.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_MISSING = object()
_SHOWN = 160
_PAIR = 2


@dataclass(frozen=True)
class Fields:
    """Where an answer has its list, and each document its id and score; None for the usual names.

    A path is keys parted by dots (``hits.hits``, ``_source.sku``, ``0.docs``), or a JSON pointer
    (``/a.b/c``, RFC 6901) for keys that have dots in them.
    """

    results: str | None = None
    doc_id: str | None = None
    score: str | None = None


@dataclass(frozen=True)
class Answer:
    """One list in the order in which it came; `scores` is None where documents had none."""

    doc_ids: tuple[str, ...]
    scores: tuple[float, ...] | None
    id_names: Counter[str] = field(default_factory=Counter)

    @property
    def slope(self) -> int:
        """-1 where scores fall along the list, 1 where they rise, 0 where they do both or none."""
        if self.scores is None:
            return -1
        pairs = list(zip(self.scores, self.scores[1:], strict=False))
        if all(a >= b for a, b in pairs):
            return -1
        return 1 if all(a <= b for a, b in pairs) else 0


def read_answer(value: Any, fields: Fields) -> Answer:
    """Return the documents of an answer; what is no list of documents is an `AnswerError`."""
    items = find_list(_rows(value), fields.results)
    if isinstance(items, Mapping):
        items = sorted(items.items(), key=lambda pair: -_number(pair[1], "a score"))
    read = [_item(item, place, fields) for place, item in enumerate(items, 1)]
    given = sum(score is not None for _, _, score in read)
    if 0 < given < len(read):
        raise AnswerError(f"{given} of {len(read)} documents have a score, expected all or none")
    scores = tuple(score for _, _, score in read if score is not None)
    ids = tuple(doc_id for _, doc_id, _ in read)
    return Answer(ids, scores or None, Counter(name for name, _, _ in read))


def _rows(value: Any) -> Any:
    """Return a frame as its rows, and two parallel lists as an error."""
    if hasattr(value, "__arrow_c_stream__"):
        return pl.DataFrame(value).to_dicts()
    if isinstance(value, tuple) and len(value) == _PAIR and all(map(_is_column, value)):
        raise AnswerError("expected one list of documents, got two lists; return zip(ids, scores)")
    return value


def _is_column(value: Any) -> bool:
    return isinstance(value, list) or hasattr(value, "__array__")


def find_list(value: Any, path: str | None) -> Any:
    """Return the list of documents, or the mapping ``{doc_id: score}``, in an answer."""
    if path is not None:
        found = follow(value, path)
        if found is _MISSING:
            raise AnswerError(f"nothing at {path!r} in {_sketch(value)}")
        if not _is_list(found) and not _is_scores(found):
            raise AnswerError(f"expected a list at {path!r}, got {_sketch(found)}")
        _refuse_partial(value)
        return found
    if _is_list(value) or (_is_scores(value) and value):
        return value
    for usual in RESULT_PATHS:
        found = follow(value, usual)
        if _is_list(found):
            _refuse_partial(value)
            return found
    raise AnswerError(
        f"expected a list of documents, got {_sketch(value)}; say where it is with a results path "
        "such as hits.hits"
    )


def _refuse_partial(value: Any) -> None:
    """Refuse what Elasticsearch and OpenSearch return when some shards did not answer."""
    if not isinstance(value, Mapping):
        return
    failed = follow(value, "_shards.failed")
    if value.get("timed_out") is True or (isinstance(failed, int) and failed > 0):
        raise PartialError("the engine answered from a part of its shards only")


class PartialError(AnswerError):
    """An answer that says of itself that it is incomplete; another try may be whole."""


def _is_list(value: Any) -> bool:
    no_list = (str, bytes, bytearray, Mapping)
    return isinstance(value, Iterable) and not isinstance(value, no_list)


def _is_scores(value: Any) -> bool:
    return isinstance(value, Mapping) and all(
        isinstance(key, (str, int)) and _is_number(score) for key, score in value.items()
    )


def _is_number(value: Any) -> bool:
    if isinstance(value, (str, bool)):
        return False
    try:
        as_number(value, "")
    except InputError:
        return False
    return True


def follow(value: Any, path: str) -> Any:
    """Return what stands at a path, through keys, positions and attributes."""
    for key in _keys(path):
        value = _part(value, key)
        if value is _MISSING:
            return _MISSING
    return value


def _keys(path: str) -> list[str]:
    if path.startswith("/"):
        return [key.replace("~1", "/").replace("~0", "~") for key in path[1:].split("/")]
    plain = path.removeprefix("$").removeprefix(".")
    return plain.split(".") if plain else []


def _part(value: Any, key: str) -> Any:
    if isinstance(value, Mapping):
        return value.get(key, _MISSING)
    if isinstance(value, (list, tuple)):
        place = int(key) if re.fullmatch("[0-9]{1,9}", key) else len(value)
        return value[place] if place < len(value) else _MISSING
    return _MISSING if key.startswith("__") else getattr(value, key, _MISSING)


def _item(item: Any, place: int, fields: Fields) -> tuple[str, str, float | None]:
    """Return how the id was found, the id and the score of one document of a list."""
    where = f"document {place}"
    pair = tuple(item) if isinstance(item, (tuple, list)) and len(item) == _PAIR else None
    if pair is not None and _is_number(pair[1]):
        item, beside = pair
    else:
        beside = _MISSING
    name, doc_id = _find_id(item, where, fields.doc_id)
    found = _find_score(item, where, fields.score) if beside is _MISSING else beside
    score = None if found is _MISSING or found is None else _number(found, f"{where}: score")
    return name, _clean(doc_id, where), score


def _find_id(item: Any, where: str, path: str | None) -> tuple[str, Any]:
    if path is not None:
        found = follow(item, path)
        if found is _MISSING or found is None:
            raise AnswerError(f"{where}: no id at {path!r} in {_sketch(item)}")
        return path, found
    if isinstance(item, (str, int)) or _is_number(item):
        return "the item itself", item
    # LangChain's Document has metadata, LlamaIndex's NodeWithScore a node that has it.
    node = _part(item, "node")
    holder = item if node is _MISSING else node
    metadata = _part(holder, "metadata")
    for source, label in ((metadata, "metadata."), (holder, "")):
        for name in ID_NAMES:
            found = _part(source, name)
            if isinstance(found, str) or _is_number(found):
                return label + name, found
    known = f", and metadata of {_sketch(metadata)}" if isinstance(metadata, Mapping) else ""
    raise AnswerError(f"{where}: no id in {_sketch(item)}{known}; say where it is (doc_id)")


def _find_score(item: Any, where: str, path: str | None) -> Any:
    if path is not None:
        found = follow(item, path)
        if found is _MISSING:
            raise AnswerError(f"{where}: no score at {path!r} in {_sketch(item)}")
        return found
    if isinstance(item, (str, int)):
        return _MISSING
    found = (_part(item, name) for name in SCORE_NAMES)
    return next((score for score in found if score is not _MISSING), _MISSING)


def _clean(value: Any, where: str) -> str:
    try:
        doc_id = as_id(value, f"{where}: doc_id")
    except InputError as error:
        raise AnswerError(str(error)) from None
    control = _CONTROL.search(doc_id)
    if control:
        raise AnswerError(
            f"{where}: doc_id {doc_id[:_SHOWN]!r} has the control character {control[0]!r} in it"
        )
    return doc_id


def _number(value: Any, what: str) -> float:
    if isinstance(value, bool):
        raise AnswerError(f"{what} must be a number, got {value!r}")
    try:
        number = as_number(value, what)
    except InputError as error:
        raise AnswerError(str(error)[:_SHOWN]) from None
    if math.isnan(number):
        raise AnswerError(f"{what} is NaN, which has no place in an order")
    return number


def _sketch(value: Any) -> str:
    """Return what an unexpected value is, short and safe to print."""
    if isinstance(value, Mapping):
        keys = ", ".join(repr(key)[:40] for key in list(value)[:8])
        return f"an object with the keys {keys}" if keys else "an empty object"
    if isinstance(value, (str, int, float, bool, type(None))):
        return repr(value)[:_SHOWN]
    return type(value).__name__
