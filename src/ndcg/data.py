"""Judgments and runs: frozen columns grouped by query, with a digest each.

Rows of one query lie together. ``offsets[i]:offsets[i + 1]`` are the rows of ``query_ids[i]``, in
the order in which they were given; queries stand in order of first appearance.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, pairwise
from struct import error as StructError  # noqa: N812 - struct calls it plain error
from struct import pack
from typing import Any, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ndcg.errors import InputError

__all__ = ["Notice", "Qrels", "Run"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
IdRuns = list[tuple[pl.Series, IntArray]]

_SLICE_ROWS = 500_000
_SHOWN = 5


@dataclass(frozen=True)
class Notice:
    """Something read or assumed that could mislead: a code to match on, and a sentence."""

    code: str
    text: str
    run: str | None = None

    def to_dict(self) -> dict[str, str | None]:
        """Return code, run and text as plain values."""
        return {"code": self.code, "run": self.run, "text": self.text}


@dataclass(frozen=True)
class Groups:
    """Distinct query ids and the rows of each; `order` brings scattered rows together."""

    query_ids: pl.Series
    offsets: IntArray
    order: IntArray | None


def group_rows(runs: IdRuns) -> Groups:
    """Group rows by query from run-length encoded query ids, keeping the order within a query."""
    ids = pl.concat([values for values, _ in runs]) if runs else pl.Series([], dtype=pl.String)
    lengths = np.concatenate([n for _, n in runs]) if runs else np.zeros(0, np.int64)
    query_ids = ids.unique(maintain_order=True)
    if len(query_ids) == len(ids):
        return Groups(query_ids, _offsets(lengths), None)
    codes = number(ids, query_ids)
    row_codes = np.repeat(codes, lengths)
    counts = np.bincount(row_codes, minlength=len(query_ids)).astype(np.int64)
    if (codes[1:] >= codes[:-1]).all():
        return Groups(query_ids, _offsets(counts), None)
    # NumPy sorts 16-bit integers by radix, several times faster than wider ones.
    narrow = row_codes.astype(np.uint16) if len(query_ids) < 2**16 else row_codes
    return Groups(query_ids, _offsets(counts), np.argsort(narrow, kind="stable"))


def number(ids: pl.Series, among: pl.Series) -> IntArray:
    """Return the position of each id in `among`, -1 where it is not there."""
    table = pl.DataFrame({"id": among, "code": np.arange(len(among))})
    found = pl.DataFrame({"id": ids}).join(table, on="id", how="left", maintain_order="left")
    return found["code"].fill_null(-1).to_numpy().astype(np.int64, copy=False)


def _offsets(lengths: IntArray) -> IntArray:
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)))


def query_slices(offsets: IntArray) -> list[tuple[int, int]]:
    """Cut queries into stretches of about half a million rows, for work in parallel."""
    marks = np.searchsorted(offsets, np.arange(0, offsets[-1] + _SLICE_ROWS, _SLICE_ROWS))
    cuts = np.unique(np.minimum(np.append(marks, len(offsets) - 1), len(offsets) - 1)).tolist()
    return list(pairwise(cuts))


def queries_where(offsets: IntArray, between: NDArray[np.bool_]) -> IntArray:
    """Return the queries in which a flag is set between two neighbouring rows.

    `between` has a flag for each row but the first; flags where a query begins do not count.
    """
    starts = offsets[(offsets > 0) & (offsets < offsets[-1])]
    inside = between.copy()
    inside[starts - 1] = False
    marked = np.zeros(max(len(offsets) - 1, 0), np.bool_)
    marked[np.searchsorted(offsets, np.flatnonzero(inside), side="right") - 1] = True
    return np.flatnonzero(marked)


def repeated_rows(offsets: IntArray, doc_ids: pl.Series) -> IntArray:
    """Return the rows whose document already stands in an earlier row of the same query."""

    def check(cut: tuple[int, int]) -> IntArray | None:
        start, stop = int(offsets[cut[0]]), int(offsets[cut[1]])
        ids = doc_ids.slice(start, stop - start)
        query = np.repeat(
            np.arange(cut[0], cut[1], dtype=np.uint64), np.diff(offsets[cut[0] : cut[1] + 1])
        )
        # Distinct hashes prove distinct rows; only a repeated hash needs the rows themselves.
        mixed = ids.hash(17).to_numpy() ^ (query * np.uint64(0x9E3779B97F4A7C15))
        if pl.Series(mixed).n_unique() == len(mixed):
            return None
        first = pl.DataFrame({"query": query, "doc": ids}).select(
            pl.struct("query", "doc").is_first_distinct()
        )
        return start + np.flatnonzero(~first.to_series().to_numpy())

    with ThreadPoolExecutor(2) as pool:
        found = [rows for rows in pool.map(check, query_slices(offsets)) if rows is not None]
    return np.concatenate(found) if found else np.zeros(0, np.int64)


@dataclass(frozen=True, eq=False, repr=False)
class _Table:
    """Rows of (query_id, doc_id, value) grouped by query; the common part of Qrels and Run."""

    query_ids: pl.Series
    offsets: IntArray
    values: FloatArray
    name: str = ""
    notices: tuple[Notice, ...] = ()
    _doc_ids: pl.Series | None = None
    _mapping: Mapping[str, Mapping[str, float]] | None = field(default=None)

    @classmethod
    def of_groups(
        cls, runs: IdRuns, doc_ids: pl.Series, values: FloatArray, *, name: str
    ) -> tuple[Self, IntArray | None]:
        groups = group_rows(runs)
        if groups.order is not None:
            doc_ids, values = doc_ids.gather(groups.order), values[groups.order]
        # Adding zero turns -0.0 into 0.0, so that equal values have equal bits.
        table = cls(groups.query_ids, groups.offsets, values + 0.0, name, (), doc_ids)
        return table, groups.order

    @classmethod
    def of_mapping(
        cls, mapping: Mapping[Any, Mapping[Any, Any]], *, name: str, value: str, copy: bool = True
    ) -> Self:
        values = bytearray()
        lengths, cleaned = [], {}
        for key, given in mapping.items():
            query_id = as_id(key, "query_id")
            if query_id in cleaned:
                raise InputError(f"query_id {query_id!r} is given twice, as text and as integer")
            if not isinstance(given, Mapping):
                raise InputError(
                    f"query {query_id!r}: expected a mapping from doc_id to {value}, "
                    f"got {type(given).__name__}"
                )
            docs = _with_text_ids(query_id, given, encodable=copy)
            try:
                # struct packs numbers of any type, faster than NumPy, and refuses text.
                values += pack(f"{len(docs)}d", *docs.values())
            except (StructError, OverflowError, TypeError):
                raise _not_a_number(query_id, docs, value) from None
            cleaned[query_id] = dict(docs) if copy else docs
            lengths.append(len(docs))
        ids = pl.Series(list(cleaned), dtype=pl.String)
        offsets = _offsets(np.array(lengths, dtype=np.int64))
        numbers = np.frombuffer(values, dtype=np.float64) + 0.0
        return cls(ids, offsets, numbers, name, (), None, cleaned)

    @cached_property
    def doc_ids(self) -> pl.Series:
        """Document ids, one a row."""
        if self._doc_ids is not None:
            return self._doc_ids
        mapping = self._mapping or {}
        return _series(list(chain.from_iterable(mapping.values())))

    def doc_ids_at(self, rows: IntArray) -> pl.Series:
        """Return the document ids of some rows, without laying out all of a mapping for them."""
        if self._mapping is None or self._doc_ids is not None:
            return self.doc_ids.gather(rows)
        lists = list(self._mapping.values())
        groups = np.searchsorted(self.offsets, rows, side="right") - 1
        keys = {group: list(lists[group]) for group in set(groups.tolist())}
        places = (rows - self.offsets[groups]).tolist()
        ids = [keys[group][place] for group, place in zip(groups.tolist(), places, strict=True)]
        return _series(ids)

    @cached_property
    def lookup(self) -> Mapping[str, Mapping[str, float]]:
        """The same rows as ``{query_id: {doc_id: value}}``."""
        if self._mapping is not None:
            return self._mapping
        docs, values, ends = self.doc_ids.to_list(), self.values.tolist(), self.offsets.tolist()
        return {
            query: dict(zip(docs[a:b], values[a:b], strict=True))
            for query, (a, b) in zip(self.query_ids.to_list(), pairwise(ends), strict=True)
        }

    @property
    def is_mapping(self) -> bool:
        """Whether the rows came as a mapping and have not been laid out as columns."""
        return self._mapping is not None

    @cached_property
    def row_queries(self) -> IntArray:
        """The position in `query_ids` of each row's query."""
        return np.repeat(np.arange(len(self.query_ids)), np.diff(self.offsets))

    def __len__(self) -> int:
        return len(self.values)

    def keep(self, rows: NDArray[np.bool_] | IntArray) -> Self:
        """Return the same queries with some of the rows: a mask, or row numbers, ascending."""
        index = np.flatnonzero(rows) if rows.dtype == np.bool_ else rows
        return self.with_rows(
            self.row_queries[index], self.doc_ids.gather(index), self.values[index]
        )

    def with_rows(self, row_queries: IntArray, doc_ids: pl.Series, values: FloatArray) -> Self:
        """Return the same queries with other rows, in order of query."""
        counts = np.bincount(row_queries, minlength=len(self.query_ids)).astype(np.int64)
        offsets = _offsets(counts)
        return replace(self, offsets=offsets, values=values, _doc_ids=doc_ids, _mapping=None)

    def with_notices(self, notices: Sequence[Notice]) -> Self:
        """Return the same rows with notices of how they were read added."""
        return replace(self, notices=(*self.notices, *notices)) if notices else self

    def _digest(self, kind: str, order: IntArray) -> str:
        queries = self.query_ids.arg_sort().to_numpy()
        digest = hashlib.sha256(f"ndcg {kind} 1\n".encode())
        digest.update(_joined(self.query_ids.gather(queries)))
        digest.update(np.diff(self.offsets)[queries].astype("<i8").tobytes())
        digest.update(_joined(self.doc_ids.gather(order)))
        digest.update(self.values[order].astype("<f8").tobytes())
        return digest.hexdigest()


@dataclass(frozen=True, eq=False, repr=False)
class Qrels(_Table):
    """Relevance judgments: one grade for each judged (query, document).

    Made by `ndcg.as_qrels`; `values` are the grades. A document judged twice with one grade is
    kept once and counted in `notices`; two grades are an error.
    """

    @property
    def relevance(self) -> FloatArray:
        """The grades, one a row."""
        return self.values

    @property
    def frame(self) -> pl.DataFrame:
        """The judgments as a Polars frame: query_id, doc_id, relevance."""
        return _frame(self, "relevance")

    @cached_property
    def digest(self) -> str:
        """Sha256 over the judgments in order of query and document id, however they were given."""
        order = pl.DataFrame(
            {"query": self.query_ids.gather(self.row_queries), "doc": self.doc_ids}
        ).select(pl.arg_sort_by("query", "doc"))
        return self._digest("qrels", order.to_series().to_numpy().astype(np.int64))

    def __repr__(self) -> str:
        return f"Qrels({len(self.query_ids)} queries, {len(self)} judgments)"


@dataclass(frozen=True, eq=False, repr=False)
class Run(_Table):
    """One system's ranked lists: a score for each retrieved (query, document).

    Made by `ndcg.as_run`; `values` are the scores. Ranks follow from scores alone.
    """

    @property
    def scores(self) -> FloatArray:
        """The scores, one a row."""
        return self.values

    @property
    def frame(self) -> pl.DataFrame:
        """The run as a Polars frame: query_id, doc_id, score."""
        return _frame(self, "score")

    @cached_property
    def digest(self) -> str:
        """Sha256 over the run, by query id, then score and document id descending."""
        rank = self.query_ids.rank("ordinal").to_numpy()
        keys = pl.DataFrame(
            {"query": rank[self.row_queries], "score": self.values, "doc": self.doc_ids}
        )
        order = keys.select(pl.arg_sort_by("query", "score", "doc", descending=[False, True, True]))
        return self._digest("run", order.to_series().to_numpy().astype(np.int64))

    def __repr__(self) -> str:
        return f"Run({self.name!r}, {len(self.query_ids)} queries, {len(self)} documents)"


def _joined(ids: pl.Series) -> bytes:
    """Return ids a line each; their lengths follow where a line end within an id blurs them."""
    text: bytes = (ids.str.join("\n").item() or "").encode()
    lengths = ids.str.len_bytes().to_numpy().astype("<i8").tobytes()
    return text if text.count(b"\n") < max(len(ids), 1) else text + lengths


def _frame(table: _Table, value: str) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "query_id": table.query_ids.gather(table.row_queries),
            "doc_id": table.doc_ids,
            value: table.values,
        }
    )


def as_id(value: object, what: str) -> str:
    """Return an id as text: itself, or the decimal digits of an integer."""
    if isinstance(value, str):
        if not value:
            raise InputError(f"{what} must not be empty")
        if not _is_utf8(value):
            raise InputError(f"{what} must be text that UTF-8 can hold, got {value!r}")
        return value
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        return str(int(value))
    raise InputError(f"{what} must be a string or an integer, got {value!r}")


def _series(doc_ids: list[str]) -> pl.Series:
    """Return document ids as a column; a run that was not copied has not been looked at."""
    try:
        return pl.Series("doc_id", doc_ids, dtype=pl.String)
    except UnicodeEncodeError:
        for doc in doc_ids:
            as_id(doc, "doc_id")
        raise


def _is_utf8(text: str) -> bool:
    """Whether a text can be written as UTF-8, which half of a surrogate pair cannot."""
    try:
        return text.isascii() or bool(text.encode())
    except UnicodeEncodeError:
        return False


def _with_text_ids(query_id: str, docs: Mapping[Any, Any], *, encodable: bool) -> Mapping[str, Any]:
    """Return the same mapping where every id is sound text already, else one with ids as text."""
    try:
        # Keywords must be text, and of a dictionary `update` knows that without a look at each.
        sound = _is_utf8("".join(docs)) if encodable else dict[str, Any]().update(**docs) is None
        if sound and "" not in docs:
            return docs
    except TypeError:
        pass
    texts = {as_id(doc, f"doc_id of query {query_id!r}"): value for doc, value in docs.items()}
    if len(texts) < len(docs):
        raise InputError(f"query {query_id!r} has one doc_id twice, as text and as integer")
    return texts


def _not_a_number(query_id: str, docs: Mapping[str, Any], what: str) -> InputError:
    doc, value = next(pair for pair in docs.items() if not _is_number(pair[1]))
    return InputError(
        f"query {query_id!r}, document {doc!r}: {what} must be a number, got {value!r}"
    )


def _is_number(value: object) -> bool:
    try:
        return bool(pack("d", value))
    except (StructError, OverflowError, TypeError):
        return False


def counted(number: int, noun: str, many: str | None = None) -> str:
    """Return a number with its noun: ``1 line``, ``2 lines``, ``3 queries``."""
    return f"{number} {noun}" if number == 1 else f"{number} {many or noun + 's'}"


def shown(ids: Sequence[str]) -> str:
    """Return the first few ids, quoted, for a message."""
    more = f" and {len(ids) - _SHOWN} more" if len(ids) > _SHOWN else ""
    return ", ".join(repr(one) for one in ids[:_SHOWN]) + more
