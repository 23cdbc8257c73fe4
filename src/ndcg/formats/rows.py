"""Rows on their way from a source to a table: parts, and where each row came from."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import polars as pl

from ndcg.data import Notice, Qrels, Run, counted, repeated_rows
from ndcg.errors import InputError
from ndcg.formats.faults import line_numbers
from ndcg.formats.tables import name_row

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ndcg.data import IntArray
    from ndcg.formats.layouts import Layout
    from ndcg.formats.sources import Source
    from ndcg.formats.text import Part

_T = TypeVar("_T", Qrels, Run)


@dataclass(frozen=True)
class Piece:
    """One source of rows, its layout, and how many rows it gave."""

    source: Source
    layout: Layout
    count: int

    def name(self, rows: list[int]) -> list[str]:
        """Return ``file:line`` of each row, or file and row number where there are no lines."""
        if not rows or self.layout.is_table:
            return [name_row(self.source, self.layout, row) for row in rows]
        lines = line_numbers(self.source, self.layout, rows)
        return [f"{self.source.name}:{line}" for line in lines]


@dataclass
class Rows:
    """Parts in order, with the pieces that they came from; `sniffed` if no format was named."""

    sniffed: bool = False
    parts: list[Part] = field(default_factory=list)
    pieces: list[Piece] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)

    def add(self, source: Source, layout: Layout, parts: list[Part]) -> None:
        """Add the parts of one source, with the notices that reading them calls for."""
        self.parts += parts
        self.pieces.append(Piece(source, layout, sum(len(part.doc_ids) for part in parts)))
        self.notices += _reading_notices(source, layout, parts)

    def name(self, rows: list[int]) -> list[str]:
        """Return where each row stands; rows are numbered from 0 through all pieces."""
        names: list[str] = []
        start = 0
        for piece in self.pieces:
            names += piece.name([row - start for row in rows if start <= row < start + piece.count])
            start += piece.count
        return names


@dataclass(frozen=True, eq=False)
class Assembled:
    """A table's rows as they were read: `order` tells where scattered rows stood."""

    rows: Rows
    order: IntArray | None
    ranks: NDArray[np.int32] | None

    def name(self, *rows: int) -> list[str]:
        """Return where rows of the table stood, in the order of the file."""
        places = list(rows) if self.order is None else [int(self.order[row]) for row in rows]
        return self.rows.name(sorted(places))


def assemble(cls: type[_T], rows: Rows, name: str) -> tuple[_T, Assembled]:
    """Return a table of all rows, and where they came from."""
    parts = [part for part in rows.parts if len(part.doc_ids)]
    docs = [part.doc_ids for part in parts]
    doc_ids = pl.concat(docs) if docs else pl.Series("doc_id", [], dtype=pl.String)
    values = np.concatenate([part.values for part in parts]) if parts else np.zeros(0)
    runs = [(part.query_ids, part.lengths) for part in parts]
    table, order = cls.of_groups(runs, doc_ids, values, name=name)
    basis = _basis_of(rows)
    if cls is Run and basis == "line":
        table = _ordered_by_line(table)
    ranks = [part.ranks for part in parts if part.ranks is not None]
    if not parts or len(ranks) < len(parts):
        return table, Assembled(rows, order, None)
    whole = np.concatenate(ranks)
    return table, Assembled(rows, order, whole if order is None else whole[order])


def _basis_of(rows: Rows) -> str | None:
    """Return what the rows' values rest on, which must be the same in all pieces."""
    found = {piece.layout.basis: piece.source.name for piece in rows.pieces}
    if len(found) > 1:
        (basis, name), (other, other_name) = list(found.items())[:2]
        raise InputError(
            f"{other_name}: its rows rest on a {other}, those of {name} on a {basis}; parts of "
            "one table need the same columns"
        )
    return next(iter(found), None)


def _ordered_by_line(table: _T) -> _T:
    position = np.arange(len(table)) - np.repeat(table.offsets[:-1], np.diff(table.offsets))
    return replace(table, values=(-1 - position).astype(np.float64))


def _reading_notices(source: Source, layout: Layout, parts: list[Part]) -> list[Notice]:
    notices = []
    comments, extra = sum(part.comments for part in parts), sum(part.extra for part in parts)
    if comments:
        text = f"{source.name}: {counted(comments, 'line')} beginning with # left out as comments"
        notices.append(Notice("comments", text))
    if extra:
        have = "has" if extra == 1 else "have"
        text = (
            f"{counted(extra, 'line')} {have} blanks in the run tag, the last column; it is ignored"
        )
        notices.append(Notice("long-lines", f"{source.name}: {text}"))
    unrated = sum(part.unrated for part in parts)
    if unrated:
        text = f"{source.name}: {counted(unrated, 'document')} of the pool not rated yet: left out"
        notices.append(Notice("unrated", text))
    if layout.basis != "value":
        meaning = "no scores; the order of the lines is taken as the ranking"
        if layout.kind == "qrels":
            meaning = "no grades; every line is taken as grade 1"
        elif layout.rank is not None:
            meaning = f"no scores; column {layout.rank + 1} is taken as the rank"
        notices.append(Notice("no-scores", f"{source.name}: {meaning}"))
    return notices


def without_repeats(qrels: Qrels, read: Assembled) -> Qrels:
    """Return judgments with those given twice kept once; two grades are an `InputError`."""
    repeated = repeated_rows(qrels.offsets, qrels.doc_ids)
    if not len(repeated):
        return qrels
    for row in repeated.tolist():
        first = _first_of_pair(qrels, row)
        if qrels.values[row] != qrels.values[first]:
            earlier, later = read.name(first, row)
            query = qrels.query_ids[int(qrels.row_queries[row])]
            raise InputError(
                f"{later}: query {query!r}, document {qrels.doc_ids[row]!r} is judged "
                f"{qrels.values[first]:g} and {qrels.values[row]:g} (first at {earlier}); "
                "keep one grade"
            )
    mask = np.ones(len(qrels), np.bool_)
    mask[repeated] = False
    text = f"{counted(len(repeated), 'judgment')} given twice with the same grade: kept once"
    return qrels.keep(mask).with_notices([Notice("duplicate-judgments", text)])


def without_duplicates(run: Run, read: Assembled, policy: str, *, chunks: bool) -> Run:
    """Return a run in which a document stands once for a query, by a policy."""
    repeated = repeated_rows(run.offsets, run.doc_ids)
    if not len(repeated):
        return run
    if policy == "error":
        row = int(repeated[0])
        earlier, later = read.name(_first_of_pair(run, row), row)
        query = run.query_ids[int(run.row_queries[row])]
        more = f" ({len(repeated)} such lines in all)" if len(repeated) > 1 else ""
        hint = "" if chunks else ", or if these are chunks, map them to documents (--parent)"
        raise InputError(
            f"{later}: document {run.doc_ids[row]!r} is retrieved twice for query {query!r}, "
            f"first at {earlier}{more}; remove one (duplicates='first' keeps the first line){hint}"
        )
    keys = pl.DataFrame({"query": run.row_queries, "doc": run.doc_ids})
    pair = pl.struct("query", "doc")
    kept = keys.select(pair.is_first_distinct() if policy == "first" else pair.is_last_distinct())
    text = f"{counted(len(repeated), 'line')} for a document retrieved already: the {policy} counts"
    notice = Notice("duplicate-documents", text, run.name)
    return run.keep(kept.to_series().to_numpy()).with_notices([notice])


def _first_of_pair(table: Qrels | Run, row: int) -> int:
    """Return the row of the same query that first holds the document of `row`."""
    group = int(np.searchsorted(table.offsets, row, side="right")) - 1
    start = int(table.offsets[group])
    same = table.doc_ids.slice(start, row - start) == table.doc_ids[row]
    return start + int(same.arg_true()[0])
