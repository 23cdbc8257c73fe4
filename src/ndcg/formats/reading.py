"""Judgments and runs from whatever people have: paths, mappings, frames, triples."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import polars as pl

from ndcg.data import Notice, Qrels, Run, counted
from ndcg.errors import InputError, check_choice
from ndcg.formats.beir import find_qrels
from ndcg.formats.layouts import sniff
from ndcg.formats.mappings import frame_of_triples, read_json
from ndcg.formats.parents import read_parents, to_parents
from ndcg.formats.plausibility import rank_notices, refuse_judgments, refuse_scores
from ndcg.formats.rows import Rows, assemble, without_duplicates, without_repeats
from ndcg.formats.sources import Source, checked_path, expand, open_source, stem
from ndcg.formats.tables import columns_of, frame_of, read_table, table_layout
from ndcg.formats.text import parts_of, read_text

if TYPE_CHECKING:
    from pathlib import Path

    from ndcg.formats.layouts import Kind

__all__ = ["as_qrels", "as_run", "read_parents"]

QrelsLike = Any
RunLike = Any
_T = TypeVar("_T", Qrels, Run)


@dataclass(frozen=True, eq=False)
class _Content:
    """What a source holds: rows, or a mapping where it is one, and a name for messages."""

    place: str
    rows: Rows
    mapping: Mapping[Any, Any] | None = None


def as_qrels(source: QrelsLike, *, format: str | None = None, name: str = "") -> Qrels:
    """Return relevance judgments from a path, a mapping, a frame or an iterable of triples.

    Parameters
    ----------
    source
        A path (a file in any format, compressed or not, a BEIR folder, ``-`` for standard input),
        ``{query_id: {doc_id: grade}}``, any frame with the Arrow PyCapsule interface, an iterable
        of (query_id, doc_id, grade), or `Qrels`, which is returned as it is.
    format
        One of trec, beir, tsv, csv, msmarco, parquet, arrow, jsonl, json; sniffed when not given.
    name
        Name for messages; the path when not given.

    Raises
    ------
    InputError
        For anything that is no clean set of judgments; the message names file and line.

    Examples
    --------
    A document judged twice with one grade is kept once, and said so:

    >>> qrels = as_qrels([("q1", "a", 1), ("q1", "a", 1), ("q1", "b", 0)])
    >>> qrels, qrels.notices[0].text
    (Qrels(1 queries, 2 judgments), '1 judgment given twice with the same grade: kept once')
    """
    if isinstance(source, Qrels):
        return source
    content = _read(source, "qrels", format)
    name = name or content.place or "qrels"
    if content.mapping is not None:
        return _of_mapping(Qrels, content, name).with_notices(content.rows.notices)
    qrels, read = assemble(Qrels, content.rows, name)
    if not len(qrels):
        raise InputError(
            f"{content.place}: no judgments in it, expected (query_id, doc_id, relevance)"
        )
    refuse_scores(qrels, read)
    return without_repeats(qrels, read).with_notices(content.rows.notices)


def as_run(
    source: RunLike,
    *,
    format: str | None = None,
    name: str = "",
    duplicates: str = "error",
    parent: str | Mapping[str, str] | None = None,
    copy: bool = True,
) -> Run:
    """Return a run from a path, a mapping, a frame or an iterable of triples.

    Parameters
    ----------
    source
        As for `as_qrels`, with a score in place of the grade; a pattern or a folder of parts is
        one run.
    format
        One of trec, beir, tsv, csv, msmarco, parquet, arrow, jsonl, json; sniffed when not given.
    name
        The system's name; from the path when not given.
    duplicates
        ``"error"``, or the ``"first"`` or ``"last"`` line of a document retrieved twice counts.
    parent
        For runs over chunks: the separator before a chunk's suffix (``"#"`` makes ``d7#2`` the
        document ``d7``) or a mapping from chunk id to document id. A document takes the place of
        its best chunk.
    copy
        Whether a mapping is copied, so that changing it later does not change the run. One that is
        not copied is not searched for ids that UTF-8 cannot hold before they are written or sorted.

    Raises
    ------
    InputError
        For anything that is no clean run; the message names file and line.

    Examples
    --------
    >>> as_run({"q1": {"d7#0": 0.9, "d7#2": 0.8}}, parent="#").frame["doc_id"].to_list()
    ['d7']
    """
    check_choice("duplicates", duplicates, ("error", "first", "last"))
    run = _named(source, name) if isinstance(source, Run) else None
    if run is None:
        content = _read(source, "run", format)
        is_path = isinstance(source, (str, PathLike))
        name = name or (stem(content.place) if is_path else "run")
        if content.mapping is not None:
            run = _of_mapping(Run, content, name, copy=copy or is_path)
        else:
            run = _of_rows(content, name, duplicates, chunks=parent is not None)
        run = run.with_notices(content.rows.notices)
    return run if parent is None else to_parents(run, parent)


def _named(run: Run, name: str) -> Run:
    return replace(run, name=name) if name and name != run.name else run


def _of_rows(content: _Content, name: str, duplicates: str, *, chunks: bool) -> Run:
    run, read = assemble(Run, content.rows, name)
    if not len(run):
        raise InputError(f"{content.place}: no documents in it, expected (query_id, doc_id, score)")
    refuse_judgments(run, read)
    notices = rank_notices(run, read.ranks)
    return without_duplicates(run, read, duplicates, chunks=chunks).with_notices(notices)


def _of_mapping(cls: type[_T], content: _Content, name: str, *, copy: bool = True) -> _T:
    value = "relevance" if cls is Qrels else "score"
    try:
        table = cls.of_mapping(content.mapping or {}, name=name, value=value, copy=copy)
        _check_values(table, value)
    except InputError as error:
        raise InputError(f"{content.place or name}: {error}") from None
    return table


def _check_values(table: Qrels | Run, what: str) -> None:
    if not len(table):
        things = "judgments" if what == "relevance" else "documents"
        raise InputError(f"no {things} in it, expected {{query_id: {{doc_id: {what}}}}}")
    good = np.isfinite(table.values) if what == "relevance" else ~np.isnan(table.values)
    if not good.all():
        row = int(np.flatnonzero(~good)[0])
        query = table.query_ids[int(table.row_queries[row])]
        raise InputError(
            f"query {query!r}, document {table.doc_ids[row]!r}: {what} must be a number, got "
            f"{table.values[row]}"
        )


def _read(source: Any, kind: Kind, format: str | None) -> _Content:
    if isinstance(source, (str, PathLike)):
        return _read_paths(checked_path(source), kind, format)
    if isinstance(source, Mapping) and not hasattr(source, "__arrow_c_stream__"):
        return _Content("", Rows(), source)
    if hasattr(source, "__arrow_c_stream__") or isinstance(source, pl.LazyFrame):
        frame, place = frame_of(source), "the frame"
    elif hasattr(source, "to_polars"):
        # A dataset of Hugging Face: rows to iterate over as well, but slowly, and each a mapping.
        frame, place = frame_of(source.to_polars()), "the dataset"
    elif isinstance(source, Iterable) and not isinstance(source, (bytes, bytearray)):
        frame, place = frame_of_triples(source, kind), "the rows"
    else:
        what = "qrels" if kind == "qrels" else "a run"
        raise InputError(
            f"cannot read {what} from {type(source).__name__}: expected a path, a mapping "
            "{query_id: {doc_id: value}}, a frame, or an iterable of triples"
        )
    memory, rows = Source(place, content=b""), Rows()
    layout = table_layout(frame.columns, kind, "frame", place)
    rows.add(memory, layout, parts_of(columns_of(frame, layout, memory)))
    return _Content(place, rows)


def _read_paths(path: str, kind: Kind, format: str | None) -> _Content:
    beir = find_qrels(path) if kind == "qrels" and path != "-" else None
    paths: list[Path | str] = [beir] if beir else ([path] if path == "-" else [*expand(path)])
    place = str(beir or path)
    rows = Rows(sniffed=format is None)
    empty = 0
    for one in paths:
        source = open_source(one)
        # Systems that write in parts leave some of them empty.
        if len(paths) > 1 and not source.head(1):
            empty += 1
            continue
        layout = sniff(source, kind, format)
        if layout == "json":
            if len(paths) > 1:
                raise InputError(f"{one}: JSON objects cannot be parts of one {kind}; join them")
            return _Content(place, rows, read_json(source, kind))
        if isinstance(layout, str):
            rows.add(source, *read_table(source, kind, layout))
        else:
            rows.add(source, layout, read_text(source, layout))
    if empty:
        have = "is" if empty == 1 else "are"
        text = f"{place}: {empty} of {counted(len(paths), 'file')} {have} empty"
        rows.notices.append(Notice("empty-parts", text))
    return _Content(place, rows)
