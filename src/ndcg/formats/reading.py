"""Judgments and runs from whatever people have: paths, mappings, frames, triples."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import polars as pl

from ndcg.data import FloatArray, IntArray, Notice, Qrels, Run, queries_where, repeated_rows
from ndcg.errors import InputError, OptionError, check_choice
from ndcg.formats.beir import find_qrels
from ndcg.formats.faults import line_numbers
from ndcg.formats.layouts import Layout, sniff
from ndcg.formats.mappings import frame_of_triples, read_json
from ndcg.formats.parents import to_parents
from ndcg.formats.sources import Source, expand, open_source, stem
from ndcg.formats.tables import columns_of, read_table
from ndcg.formats.text import Part, parts_of, read_text

if TYPE_CHECKING:
    from ndcg.formats.layouts import Kind

__all__ = ["as_qrels", "as_run"]

QrelsLike = Any
RunLike = Any
_T = TypeVar("_T", Qrels, Run)
_LOWEST_GRADE, _HIGHEST_GRADE = -2, 6


@dataclass
class _Rows:
    """Parts with the sources that they came from, to name a row in a message."""

    parts: list[Part]
    places: list[tuple[Source, Layout | None, int]]

    def name(self, rows: list[int]) -> list[str]:
        """Return ``file:line`` of each row, or file and row number where there are no lines."""
        names, start = {}, 0
        for source, layout, count in self.places:
            inside = [row - start for row in rows if start <= row < start + count]
            if layout is None:
                names.update({row + start: f"{source.name}, row {row + 1}" for row in inside})
            elif inside:
                lines = line_numbers(source, layout, inside)
                found = zip(inside, lines, strict=True)
                names.update({row + start: f"{source.name}:{line}" for row, line in found})
            start += count
        return [names[row] for row in rows]


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
    if _is_mapping(source):
        qrels = Qrels.of_mapping(source, name=name or "qrels", value="relevance")
        return _checked_mapping(qrels, "relevance")
    rows, place, notices = _read(source, "qrels", format)
    if isinstance(rows, dict):
        qrels = Qrels.of_mapping(rows, name=name or place, value="relevance")
        return _checked_mapping(qrels, "relevance").with_notices(notices)
    qrels, order, _ = _assemble(Qrels, rows, name or place)
    if not len(qrels):
        raise InputError(f"{place}: no judgments in it, expected (query_id, doc_id, relevance)")
    return _without_repeats(qrels, rows, order).with_notices(notices)


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
        Whether a mapping is copied, so that changing it later does not change the run.

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
    if isinstance(source, Run):
        run, rows, order = source, None, None
    elif _is_mapping(source):
        run = Run.of_mapping(source, name=name or "run", value="score", copy=copy)
        run = _checked_mapping(run, "score")
        rows, order = None, None
    else:
        read, place, notices = _read(source, "run", format)
        name = name or (stem(place) if isinstance(source, (str, PathLike)) else "run")
        if isinstance(read, dict):
            run = _checked_mapping(Run.of_mapping(read, name=name, value="score"), "score")
            rows, order = None, None
        else:
            rows = read
            run, order, ranks = _assemble(Run, rows, name)
            notices += _rank_notices(run, ranks)
            _refuse_judgments(run, rows, format)
        run = run.with_notices(notices)
    if parent is not None:
        return to_parents(run, parent)
    if rows is not None:
        if not len(run):
            raise InputError(f"{rows.places[0][0].name}: no line of a run in it")
        run = _without_duplicates(run, rows, order, duplicates)
    return run


def _is_mapping(source: Any) -> bool:
    return isinstance(source, Mapping) and not hasattr(source, "__arrow_c_stream__")


def _read(
    source: Any, kind: Kind, format: str | None
) -> tuple[_Rows | dict[str, dict[str, Any]], str, list[Notice]]:
    if isinstance(source, (str, PathLike)):
        return _read_paths(fspath(source), kind, format)
    frame = _frame_of(source, kind)
    where = "the frame" if hasattr(source, "__arrow_c_stream__") else "the rows"
    parts = list(parts_of(columns_of(frame, kind, where)))
    return _Rows(parts, [(Source(where, content=b""), None, frame.height)]), where, []


def _frame_of(source: Any, kind: Kind) -> pl.DataFrame:
    if isinstance(source, pl.LazyFrame):
        return source.collect()
    if isinstance(source, pl.DataFrame):
        return source
    if hasattr(source, "__arrow_c_stream__"):
        return pl.DataFrame(source)
    if isinstance(source, Iterable) and not isinstance(source, (bytes, bytearray)):
        return frame_of_triples(source, kind)
    what = "qrels" if kind == "qrels" else "a run"
    raise InputError(
        f"cannot read {what} from {type(source).__name__}: expected a path, a mapping "
        "{query_id: {doc_id: value}}, a frame, or an iterable of triples"
    )


def _read_paths(
    path: str, kind: Kind, format: str | None
) -> tuple[_Rows | dict[str, dict[str, Any]], str, list[Notice]]:
    beir = find_qrels(path) if kind == "qrels" and path != "-" else None
    paths = [beir] if beir else ([path] if path == "-" else expand(path))
    rows, notices = _Rows([], []), []
    for one in paths:
        source = open_source(one)
        layout = sniff(source, kind, format)
        if layout == "json":
            if len(paths) > 1:
                raise InputError(f"{one}: JSON objects cannot be parts of one {kind}; join them")
            return read_json(source, kind), source.name, []
        parts = (
            read_table(source, kind, layout)
            if isinstance(layout, str)
            else read_text(source, layout)
        )
        rows.parts += parts
        shape = None if isinstance(layout, str) else layout
        rows.places.append((source, shape, sum(len(part.doc_ids) for part in parts)))
        notices += _reading_notices(source, shape, parts)
    return rows, str(beir or path), notices


def _reading_notices(source: Source, layout: Layout | None, parts: list[Part]) -> list[Notice]:
    notices = []
    comments, extra = sum(part.comments for part in parts), sum(part.extra for part in parts)
    if comments:
        lines = "line" if comments == 1 else "lines"
        text = f"{source.name}: {comments} {lines} beginning with # left out as comments"
        notices.append(Notice("comments", text))
    if extra:
        text = f"{source.name}: {extra} lines have blanks in the run tag; the tag is ignored"
        notices.append(Notice("long-lines", text))
    if layout is not None and layout.value is None:
        meaning = "grade 1 for every line" if layout.kind == "qrels" else "the order of the lines"
        if layout.rank is not None:
            meaning = f"column {layout.rank + 1} taken as the rank"
        notices.append(Notice("no-scores", f"{source.name}: no {_value_name(layout)}; {meaning}"))
    return notices


def _value_name(layout: Layout) -> str:
    return "grades" if layout.kind == "qrels" else "scores"


def _assemble(
    cls: type[_T], rows: _Rows, name: str
) -> tuple[_T, IntArray | None, IntArray | None]:
    parts = [part for part in rows.parts if len(part.doc_ids)]
    docs = [part.doc_ids for part in parts]
    doc_ids = pl.concat(docs) if docs else pl.Series("doc_id", [], dtype=pl.String)
    values = np.concatenate([part.values for part in parts]) if parts else np.zeros(0)
    runs = [(part.query_ids, part.lengths) for part in parts]
    table, order = cls.of_groups(runs, doc_ids, values, name=name)
    if cls is Run and rows.places and _has_no_order(rows):
        table = _ordered_by_line(table)
    if not parts or any(part.ranks is None for part in parts):
        return table, order, None
    ranks = np.concatenate([part.ranks for part in parts if part.ranks is not None])
    return table, order, ranks if order is None else ranks[order]


def _has_no_order(rows: _Rows) -> bool:
    layout = rows.places[0][1]
    return layout is not None and layout.value is None and layout.rank is None


def _ordered_by_line(table: _T) -> _T:
    from dataclasses import replace

    position = np.arange(len(table)) - np.repeat(table.offsets[:-1], np.diff(table.offsets))
    return replace(table, values=-1.0 - position)


def _checked_mapping(table: _T, what: str) -> _T:
    if not len(table):
        raise InputError(f"{table.name}: no {'judgments' if what == 'relevance' else 'documents'} in it")
    good = np.isfinite(table.values) if what == "relevance" else ~np.isnan(table.values)
    if not good.all():
        row = int(np.flatnonzero(~good)[0])
        query = table.query_ids[int(np.searchsorted(table.offsets, row, side="right")) - 1]
        value = table.values[row]
        raise InputError(
            f"query {query!r}, document {table.doc_ids[row]!r}: {what} must be a number, got {value}"
        )
    return table


def _original(rows: IntArray, order: IntArray | None) -> list[int]:
    return (rows if order is None else order[rows]).tolist()


def _first_of_pair(table: Qrels | Run, row: int) -> int:
    """Return the row of the same query that first holds the document of `row`."""
    group = int(np.searchsorted(table.offsets, row, side="right")) - 1
    start = int(table.offsets[group])
    same = table.doc_ids.slice(start, row - start) == table.doc_ids[row]
    return start + int(same.arg_true()[0])


def _without_repeats(qrels: Qrels, rows: _Rows, order: IntArray | None) -> Qrels:
    repeated = repeated_rows(qrels.offsets, qrels.doc_ids)
    if not len(repeated):
        return qrels
    for row in repeated.tolist():
        first = _first_of_pair(qrels, row)
        if qrels.values[row] != qrels.values[first]:
            lines = rows.name(sorted(_original(np.array([first, row]), order)))
            query = qrels.query_ids[int(qrels.row_queries[row])]
            raise InputError(
                f"{lines[1]}: query {query!r}, document {qrels.doc_ids[row]!r} is judged "
                f"{qrels.values[first]:g} and {qrels.values[row]:g} (first at {lines[0]}); "
                "keep one grade"
            )
    mask = np.ones(len(qrels), np.bool_)
    mask[repeated] = False
    count = len(repeated)
    text = f"{count} judgment{'s' * (count > 1)} given twice with the same grade: kept once"
    return qrels.keep(mask).with_notices([Notice("duplicate-judgments", text)])


def _without_duplicates(run: Run, rows: _Rows, order: IntArray | None, policy: str) -> Run:
    repeated = repeated_rows(run.offsets, run.doc_ids)
    if not len(repeated):
        return run
    if policy == "error":
        row = int(repeated[0])
        lines = rows.name(sorted(_original(np.array([_first_of_pair(run, row), row]), order)))
        query = run.query_ids[int(run.row_queries[row])]
        more = f" ({len(repeated)} such lines in all)" if len(repeated) > 1 else ""
        raise InputError(
            f"{lines[1]}: document {run.doc_ids[row]!r} is retrieved twice for query {query!r}, "
            f"first at {lines[0]}{more}; remove one (duplicates='first' keeps the first line), or "
            "if these are chunks, map them to documents (--parent)"
        )
    keys = pl.DataFrame({"query": run.row_queries, "doc": run.doc_ids})
    pair = pl.struct("query", "doc")
    kept = keys.select(pair.is_first_distinct() if policy == "first" else pair.is_last_distinct())
    text = f"{len(repeated)} documents retrieved twice for a query: the {policy} line counts"
    notice = Notice("duplicate-documents", text, run.name)
    return run.keep(kept.to_series().to_numpy()).with_notices([notice])


def _rank_notices(run: Run, ranks: IntArray | None) -> list[Notice]:
    count = 0 if ranks is None else count_rank_conflicts(run.offsets, run.values, ranks)
    if not count:
        return []
    text = (
        f"the rank column contradicts the scores in {count} of {len(run.query_ids)} queries; "
        "scores decide"
    )
    return [Notice("rank-order", text, run.name)]


def count_rank_conflicts(offsets: IntArray, scores: FloatArray, ranks: IntArray) -> int:
    """Return in how many queries a document with a higher score has a higher rank number."""
    doubtful = ~((scores[1:] <= scores[:-1]) & (ranks[1:] > ranks[:-1]))
    queries = queries_where(offsets, doubtful)
    return sum(
        _contradicts(scores[a:b], ranks[a:b])
        for a, b in zip(offsets[queries].tolist(), offsets[queries + 1].tolist(), strict=True)
    )


def _contradicts(scores: FloatArray, ranks: IntArray) -> bool:
    order = np.argsort(ranks, kind="stable")
    if (np.diff(scores[order]) <= 0).all():
        return False
    order = np.lexsort((ranks, -scores))
    scores, ranks = scores[order], ranks[order]
    starts = np.flatnonzero(np.concatenate(([True], scores[1:] != scores[:-1])))
    highest = np.maximum.accumulate(np.maximum.reduceat(ranks, starts))
    return bool((ranks[starts][1:] < highest[:-1]).any())


def _refuse_judgments(run: Run, rows: _Rows, format: str | None) -> None:
    """Refuse a BEIR qrels file as a run: its header calls the grade a score."""
    layout = rows.places[0][1] if rows.places else None
    if format is not None or layout is None or not layout.header or layout.rank is not None:
        return
    low, high = run.values.min(initial=0.0), run.values.max(initial=0.0)
    if not (low >= _LOWEST_GRADE and high <= _HIGHEST_GRADE):
        return
    if (run.values == np.trunc(run.values)).all():
        raise InputError(
            f"{rows.places[0][0].name}: this looks like judgments: every score is an integer from "
            f"{low:g} to {high:g}; the qrels come first, then the runs (--run-format "
            f"{layout.format} if these really are scores)"
        )


def read_parents(path: str | Path) -> dict[str, str]:
    """Read a two-column file (chunk_id, doc_id) that maps chunks to their documents."""
    source = open_source(path)
    parents: dict[str, str] = {}
    for number, line in enumerate(source.everything().decode("utf-8").splitlines(), 1):
        fields = line.split("\t") if "\t" in line else line.replace(",", " ").split()
        if not line.strip():
            continue
        if len(fields) != 2:  # noqa: PLR2004
            raise OptionError(
                f"{source.name}:{number}: expected 2 columns (chunk_id doc_id), got {len(fields)}"
            )
        parents[fields[0]] = fields[1]
    return parents
