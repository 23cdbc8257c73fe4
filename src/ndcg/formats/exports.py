"""JSON that search and labelling programs write: Elasticsearch, OpenSearch, Label Studio."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ndcg.data import as_id
from ndcg.errors import InputError
from ndcg.formats.numbers import as_number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ndcg.formats.layouts import Kind

    Row = tuple[Any, Any, Any, str]

__all__ = ["is_export", "read_export"]

_CHOSEN = ("rating", "number", "choices", "text")


def is_export(content: Any) -> bool:
    """Whether a JSON document is one of those that `read_export` reads."""
    if isinstance(content, list):
        return bool(content) and all(isinstance(x, dict) and "annotations" in x for x in content)
    return isinstance(content, dict) and any(
        isinstance(content.get(key), kind)
        for key, kind in (("requests", list), ("details", dict), ("judgmentRatings", list))
    )


def read_export(content: Any, where: str, kind: Kind) -> dict[str, dict[str, Any]]:
    """Return ``{query_id: {doc_id: value}}`` of an export.

    Elasticsearch's ``_rank_eval``: the request has judgments (``ratings``), the response a run and
    the judgments of what was found. OpenSearch's Search Relevance: a judgment list
    (``judgmentRatings``). Label Studio: tasks whose ``data`` has a query_id and a doc_id, judged by
    a rating, a number, or a choice that is a number; annotators who part are an error.

    Raises
    ------
    InputError
        For a run asked of judgments, an entry without an id, a grade that is none, a document with
        two grades, nothing judged.
    """
    if kind == "run" and not (isinstance(content, dict) and "details" in content):
        raise InputError(f"{where}: these are judgments, not a run; name them where qrels belong")
    if isinstance(content, list):
        rows = _label_studio(content, where)
    elif "requests" in content:
        rows = _ratings(content["requests"], "id", "_id", f"{where}: requests")
    elif "judgmentRatings" in content:
        rows = _ratings(content["judgmentRatings"], "query", "docId", f"{where}: judgmentRatings")
    else:
        rows = _hits(content["details"], kind, f"{where}: details")
    return _as_mapping(rows, where, kind)


def _ratings(queries: list[Any], query: str, doc: str, where: str) -> Iterator[Row]:
    for number, one in enumerate(queries):
        place = f"{where}[{number}]"
        name = _field(one, query, place)
        ratings = _field(one, "ratings", place)
        for rank, rated in enumerate(ratings if isinstance(ratings, list) else []):
            at = f"{place}.ratings[{rank}]"
            yield name, _field(rated, doc, at), _field(rated, "rating", at), at


def _hits(details: dict[str, Any], kind: Kind, where: str) -> Iterator[Row]:
    for query, detail in details.items():
        hits = _field(detail, "hits", f"{where}[{query!r}]")
        for rank, one in enumerate(hits if isinstance(hits, list) else [], 1):
            at = f"{where}[{query!r}].hits[{rank - 1}]"
            hit = _field(one, "hit", at)
            if kind == "run":
                score = hit.get("_score") if isinstance(hit, dict) else None
                # A search that sorts by a field has no scores; its order is the ranking.
                yield query, _field(hit, "_id", at), -float(rank) if score is None else score, at
            elif one.get("rating") is not None:
                yield query, _field(hit, "_id", at), one["rating"], at


def _label_studio(tasks: list[Any], where: str) -> Iterator[Row]:
    for number, task in enumerate(tasks):
        place = f"{where}: task {task.get('id', number)}"
        data = _field(task, "data", place)
        query, doc = _field(data, "query_id", place), _field(data, "doc_id", place)
        for annotation in task["annotations"]:
            if annotation.get("was_cancelled"):
                continue
            for result in annotation.get("result", []):
                yield query, doc, _chosen(result.get("value") or {}, place), place


def _chosen(value: dict[str, Any], place: str) -> Any:
    for name in _CHOSEN:
        if name in value:
            found = value[name]
            return found[0] if isinstance(found, list) and len(found) == 1 else found
    raise InputError(f"{place}: no rating, number or choice in it, got {', '.join(value) or '{}'}")


def _field(entry: Any, name: str, place: str) -> Any:
    if not isinstance(entry, dict) or entry.get(name) is None:
        raise InputError(f"{place}: no {name!r} in it")
    return entry[name]


def _as_mapping(rows: Iterator[Row], where: str, kind: Kind) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    what = "score" if kind == "run" else "grade"
    for query, doc, given, place in rows:
        value = as_number(_number_of(given), f"{place}: {what}")
        query_id, doc_id = as_id(query, f"{place}: query id"), as_id(doc, f"{place}: document id")
        lists = found.setdefault(query_id, {})
        if doc_id in lists and (kind == "run" or lists[doc_id] != value):
            raise InputError(
                f"{place}: document {doc_id!r} stands twice for query {query_id!r}, with {what} "
                f"{lists[doc_id]:g} and {value:g}; keep one"
            )
        lists[doc_id] = value
    if not found:
        raise InputError(f"{where}: nothing {'found' if kind == 'run' else 'judged'} in it")
    return found


def _number_of(given: Any) -> Any:
    """Return a number that is written as text, as OpenSearch and choices have it."""
    if not isinstance(given, str):
        return given
    try:
        return float(given)
    except ValueError:
        return given
