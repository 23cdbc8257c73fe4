"""The join of a run with the judgments: the ranks of the judged documents.

A query has few judged documents and many retrieved ones, and every measure needs only the ranks of
the judged ones. `rank` finds them; all that follows is arithmetic over the small table it returns.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ndcg.data import FloatArray, IntArray, Qrels, Run, number, queries_where
from ndcg.errors import check_choice

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Ranking", "rank"]

BoolArray = NDArray[np.bool_]
ORDERS = ("trec", "ascending", "input")


@dataclass(frozen=True, eq=False, repr=False)
class Ranking:
    """The judged documents of a run with their ranks, and what the ideal list needs.

    Queries are those of the qrels, by id (bytewise); rows are sorted by query, then rank.

    Attributes
    ----------
    query_ids
        The judged queries, shape (n,).
    answered
        Whether the run has each query, shape (n,).
    retrieved
        Number of documents retrieved for each query, shape (n,).
    query, doc_ids, relevance, rank, first, last
        One row for each judged document that was retrieved: position of its query, id, grade,
        rank from 1, and the first and last rank of the documents with its score.
    judged_query, judged_relevance
        One row for each judgment, retrieved or not.
    unjudged_queries
        How many queries of the run have no judgments; they are left out.
    """

    query_ids: list[str]
    answered: BoolArray
    retrieved: IntArray
    query: IntArray
    doc_ids: pl.Series
    relevance: FloatArray
    rank: IntArray
    first: IntArray
    last: IntArray
    judged_query: IntArray
    judged_relevance: FloatArray
    unjudged_queries: int

    def __len__(self) -> int:
        return len(self.query_ids)

    def __repr__(self) -> str:
        return f"Ranking({len(self)} queries, {len(self.rank)} judged documents retrieved)"

    @property
    def tied(self) -> BoolArray:
        """Whether each row shares its score with another document of its query."""
        return self.last > self.first

    @cached_property
    def has_ties(self) -> bool:
        """Whether any judged document shares its score with another."""
        return bool(self.tied.any())

    def condensed(self) -> Ranking:
        """Return the ranking with unjudged documents removed (Sakai, SIGIR 2007).

        Documents of a grade below 0 are removed too, as trec_eval's -J does.
        """
        kept = self.relevance >= 0
        query, ties = self.query[kept], self.first[kept]
        starts = np.searchsorted(query, np.arange(len(self)))
        position = np.arange(len(query)) - starts[query] + 1
        group, size = _tie_groups(query, ties)
        return replace(
            self,
            retrieved=np.bincount(query, minlength=len(self)).astype(np.int64),
            query=query,
            doc_ids=self.doc_ids.filter(kept),
            relevance=self.relevance[kept],
            rank=position,
            first=np.repeat(position[group], size),
            last=np.repeat(position[group] + size - 1, size),
        )

    def filled(self) -> Ranking:
        """Return the ranking with unretrieved judged documents after the last, as one tie."""
        found = np.bincount(self.query, minlength=len(self))
        missing = np.bincount(self.judged_query, minlength=len(self)) - found
        if not missing.any():
            return self
        grades = self._unretrieved()
        query = np.repeat(np.arange(len(self)), missing)
        first = self.retrieved[query] + 1
        position = np.arange(len(query)) - np.repeat(np.cumsum(missing) - missing, missing)
        order = np.lexsort((np.append(self.rank, first + position), np.append(self.query, query)))
        nameless = pl.Series([""] * len(query), dtype=pl.String)
        return replace(
            self,
            retrieved=self.retrieved + missing,
            query=np.append(self.query, query)[order],
            doc_ids=pl.concat([self.doc_ids, nameless]).gather(order),
            relevance=np.append(self.relevance, grades)[order],
            rank=np.append(self.rank, first + position)[order],
            first=np.append(self.first, first)[order],
            last=np.append(self.last, first + missing[query] - 1)[order],
        )

    def _unretrieved(self) -> FloatArray:
        """Return the grades of the unretrieved judgments, by query, best first."""
        judged = pl.DataFrame({"query": self.judged_query, "grade": self.judged_relevance})
        seen = pl.DataFrame({"query": self.query, "grade": self.relevance})
        keys, count = ["query", "grade"], pl.len().alias("n")
        found = seen.group_by(keys).agg(count)
        left = judged.group_by(keys).agg(count).join(found, on=keys, how="left")
        spare = left.with_columns(n=pl.col("n") - pl.col("n_right").fill_null(0))
        spare = spare.sort("query", "grade", descending=[False, True])
        return np.repeat(spare["grade"].to_numpy(), spare["n"].to_numpy())

    def reordered(self, *, best: bool, worth: FloatArray | None = None) -> Ranking:
        """Return the ranking with every tie resolved for the best or for the worst.

        Within a tie the judged documents come first with their worth (the grade, unless a gain is
        given) descending, or last with it ascending; no order of the tied documents gives a
        measure that rewards worth more, or less.
        """
        sign = -1.0 if best else 1.0
        worth = self.relevance if worth is None else worth
        order = np.lexsort((sign * worth, self.first, self.query))
        first, last = self.first[order], self.last[order]
        group, size = _tie_groups(self.query[order], first)
        position = np.arange(len(first)) - np.repeat(group, size)
        ranks = first + position if best else last - np.repeat(size, size) + 1 + position
        return replace(
            self,
            doc_ids=self.doc_ids.gather(order),
            relevance=self.relevance[order],
            rank=ranks,
            first=first,
            last=last,
        )


def _tie_groups(query: IntArray, first: IntArray) -> tuple[IntArray, IntArray]:
    """Return where each tie begins, and its size, in rows sorted by query and rank."""
    new = np.ones(len(query), np.bool_)
    new[1:] = (np.diff(query) != 0) | (np.diff(first) != 0)
    group = np.flatnonzero(new)
    return group, np.diff(np.append(group, len(query)))


def _rounded(scores: FloatArray) -> FloatArray:
    """Return scores as a 32-bit float holds them; the largest become infinite."""
    with np.errstate(over="ignore"):
        return scores.astype(np.float32).astype(np.float64)


def ordered_scores(run: Run, precision: str) -> FloatArray:
    """Return the scores that decide the order: as given, or as a 32-bit float holds them."""
    return run.values if precision == "float64" else _rounded(run.values)


def rank(qrels: Qrels, run: Run, *, ties: str = "trec", scores: str = "float64") -> Ranking:
    """Return the ranks of the judged documents in a run.

    Parameters
    ----------
    qrels, run
        Judgments and run, as `ndcg.as_qrels` and `ndcg.as_run` return them.
    ties
        Order of equal scores: ``"trec"`` (document id descending, bytewise), ``"ascending"``, or
        ``"input"`` (the order in which the run was given).
    scores
        ``"float32"`` rounds scores to 32 bits first, as trec_eval 9 holds them.

    Examples
    --------
    The relevant document loses the tie, because its id is smaller:

    >>> from ndcg import as_qrels, as_run
    >>> rank(as_qrels({"q": {"a": 1}}), as_run({"q": {"a": 1.0, "b": 1.0}})).rank.tolist()
    [2]
    """
    check_choice("ties", ties, ORDERS)
    check_choice("scores", scores, ("float64", "float32"))
    values = ordered_scores(run, scores)
    order = qrels.query_ids.arg_sort().to_numpy()
    query_ids = qrels.query_ids.gather(order)
    position = np.empty(len(order), np.int64)
    position[order] = np.arange(len(order))
    to_run = number(query_ids, run.query_ids)
    to_qrels = np.full(len(run.query_ids), -1, np.int64)
    to_qrels[to_run[to_run >= 0]] = np.flatnonzero(to_run >= 0)

    match = _match_mapping if run.is_mapping else _match_columns
    found = match(qrels, run, values)
    first, last = _tie_span(run.offsets, values, found)
    ranks = first.copy()
    tied = np.flatnonzero(last > first)
    if len(tied):
        ranks[tied] += _place_in_tie(run, values, found, tied, ties)
    query = to_qrels[found.group]
    rows = np.lexsort((ranks, query))
    counts = np.diff(run.offsets)
    return Ranking(
        query_ids=query_ids.to_list(),
        answered=to_run >= 0,
        retrieved=np.where(to_run >= 0, counts[to_run] if len(counts) else 0, 0),
        query=query[rows],
        doc_ids=found.doc_ids.gather(rows),
        relevance=found.relevance[rows],
        rank=ranks[rows],
        first=first[rows],
        last=last[rows],
        judged_query=position[qrels.row_queries],
        judged_relevance=qrels.values,
        unjudged_queries=int((to_qrels < 0).sum()),
    )


def order_documents(
    scores: Mapping[str, float], ties: str = "trec", precision: str = "float64"
) -> list[str]:
    """Return one query's documents in the order that `rank` gives them.

    >>> order_documents({"a": 1.0, "b": 1.0, "c": 2.0})
    ['c', 'b', 'a']
    """
    check_choice("ties", ties, ORDERS)
    if precision == "float32":
        rounded = _rounded(np.fromiter(scores.values(), dtype=np.float64))
        scores = dict(zip(scores, rounded.tolist(), strict=True))
    docs = list(scores)
    if ties != "input":
        # Python compares text by code point, which is the order of its UTF-8 bytes.
        docs.sort(reverse=ties == "trec")
    return sorted(docs, key=lambda doc: -scores[doc])


@dataclass(frozen=True, eq=False)
class _Found:
    """Judged documents of a run: query (position in the run), id, grade, score."""

    group: IntArray
    doc_ids: pl.Series
    relevance: FloatArray
    score: FloatArray


def _match_mapping(qrels: Qrels, run: Run, values: FloatArray) -> _Found:
    judgments, lists = qrels.lookup, run.lookup
    groups: list[tuple[int, int]] = []
    docs: list[str] = []
    grades: list[float] = []
    scores: list[float] = []
    for group, (query_id, retrieved) in enumerate(lists.items()):
        judged = judgments.get(query_id)
        if judged:
            common = judged.keys() & retrieved.keys()
            groups.append((group, len(common)))
            docs += common
            grades += [judged[doc] for doc in common]
            scores += [retrieved[doc] for doc in common]
    score = np.array(scores, dtype=np.float64) + 0.0
    if values is not run.values:
        score = _rounded(score)
    pairs = np.array(groups, dtype=np.int64).reshape(-1, 2)
    return _Found(
        np.repeat(pairs[:, 0], pairs[:, 1]),
        pl.Series("doc_id", docs, dtype=pl.String),
        np.array(grades, dtype=np.float64),
        score,
    )


def _match_columns(qrels: Qrels, run: Run, values: FloatArray) -> _Found:
    # Most rows hold no judged document at all; sifting them out first spares the join.
    judged = qrels.doc_ids.unique().implode()
    rows = np.flatnonzero(run.doc_ids.is_in(judged).to_numpy())
    group = np.searchsorted(run.offsets, rows, side="right") - 1
    to_qrels = number(run.query_ids, qrels.query_ids)
    left = pl.DataFrame({"query": to_qrels[group], "doc": run.doc_ids.gather(rows), "row": rows})
    right = pl.DataFrame(
        {"query": qrels.row_queries, "doc": qrels.doc_ids, "relevance": qrels.values}
    )
    joined = left.join(right, on=["query", "doc"], how="inner", maintain_order="left")
    row = joined["row"].to_numpy()
    return _Found(
        np.searchsorted(run.offsets, row, side="right") - 1,
        joined["doc"].alias("doc_id"),
        joined["relevance"].to_numpy(),
        values[row],
    )


def _tie_span(offsets: IntArray, values: FloatArray, found: _Found) -> tuple[IntArray, IntArray]:
    """Return the first and last rank of the documents with each score: counts of greater scores."""
    ascending = _ascending(offsets, values)
    start, end = offsets[found.group], offsets[found.group + 1]
    greater = end - _search(ascending, -found.score, start, end, right=False)
    at_least = end - _search(ascending, -found.score, start, end, right=True)
    return end - start - greater + 1, end - start - at_least


def _ascending(offsets: IntArray, values: FloatArray) -> FloatArray:
    """Return the negated scores, ascending within each query."""
    keys = -values
    queries = queries_where(offsets, keys[1:] < keys[:-1])
    for start, end in zip(offsets[queries].tolist(), offsets[queries + 1].tolist(), strict=True):
        keys[start:end].sort()
    return keys


def _search(
    keys: FloatArray, wanted: FloatArray, start: IntArray, end: IntArray, *, right: bool
) -> IntArray:
    """Return for each wanted key where it belongs within ``keys[start:end]``: a bisection."""
    low, high = start.copy(), end.copy()
    while (open_ := low < high).any():
        middle = (low + high) // 2
        probe = keys[np.minimum(middle, len(keys) - 1)]
        above = open_ & ((probe <= wanted) if right else (probe < wanted))
        low = np.where(above, middle + 1, low)
        high = np.where(open_ & ~above, middle, high)
    return low


def _place_in_tie(
    run: Run, values: FloatArray, found: _Found, tied: IntArray, ties: str
) -> IntArray:
    """Return how many documents of its tie stand before each tied row."""
    groups = np.unique(found.group[tied])
    counts = np.diff(run.offsets)[groups]
    rows = np.repeat(run.offsets[groups] - (np.cumsum(counts) - counts), counts) + np.arange(
        counts.sum()
    )
    members = pl.DataFrame({"query": np.repeat(groups, counts), "score": values[rows], "row": rows})
    wanted = pl.DataFrame(
        {"query": found.group[tied], "score": found.score[tied], "doc": found.doc_ids.gather(tied)}
    )
    members = members.join(
        wanted.select("query", "score").unique(), on=["query", "score"], how="semi"
    )
    members = members.with_columns(doc=run.doc_ids_at(members["row"].to_numpy()))
    key, down = ("row", False) if ties == "input" else ("doc", ties == "trec")
    members = members.sort("query", "score", key, descending=[False, False, down]).with_columns(
        place=pl.int_range(pl.len(), dtype=pl.Int64).over("query", "score")
    )
    placed = wanted.join(
        members.select("query", "doc", "place"),
        on=["query", "doc"],
        how="left",
        maintain_order="left",
    )
    return placed["place"].to_numpy()
