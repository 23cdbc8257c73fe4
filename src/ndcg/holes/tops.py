"""The top of a run: which document stands at each rank, judged or not.

Measures need only the ranks of the judged documents; what was never judged needs the others.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from ndcg.data import FloatArray, IntArray, Qrels, Run, number, queries_where
from ndcg.errors import OptionError, check_choice
from ndcg.ranking import ORDERS, BoolArray, ordered_scores

__all__ = ["Head", "Top", "first_documents", "top_documents"]


@dataclass(frozen=True, eq=False, repr=False)
class Head:
    """The first documents of every list of a run, by query as the run has them, then rank.

    Attributes
    ----------
    query_ids
        The queries of the run.
    query, doc_ids, rank
        One row a document: position of its query, id, rank from 1.
    """

    query_ids: pl.Series
    query: IntArray
    doc_ids: pl.Series
    rank: IntArray

    def __repr__(self) -> str:
        return f"Head({len(self.query_ids)} queries, {len(self.rank)} documents)"


@dataclass(frozen=True, eq=False, repr=False)
class Top:
    """The first documents of every judged query, with what is known of each.

    Attributes
    ----------
    query_ids
        The judged queries, by id (bytewise), as a `Ranking` has them; shape (n,).
    retrieved
        Number of documents retrieved for each query, whatever the depth; shape (n,).
    query, doc_ids, rank
        One row a document, by query, then rank: position of its query, id, rank from 1.
    relevance
        Its grade, NaN where it was never judged.
    """

    query_ids: list[str]
    retrieved: IntArray
    query: IntArray
    doc_ids: pl.Series
    rank: IntArray
    relevance: FloatArray

    def __len__(self) -> int:
        return len(self.query_ids)

    def __repr__(self) -> str:
        return f"Top({len(self)} queries, {len(self.rank)} documents, {self.holes.sum()} holes)"

    @property
    def holes(self) -> BoolArray:
        """Whether each document was never judged."""
        return np.isnan(self.relevance)


def first_documents(
    run: Run, depth: int | None, *, ties: str = "trec", scores: str = "float64"
) -> Head:
    """Return the first `depth` documents of each list, or all of them, in the order of `rank`.

    Parameters
    ----------
    run
        A run, as `ndcg.as_run` returns it.
    depth
        Ranks to return, 1 or more; None for whole lists.
    ties, scores
        As `ndcg.rank` takes them.

    Examples
    --------
    Of two equal scores the higher document id stands first:

    >>> from ndcg import as_run
    >>> first_documents(as_run({"q": {"a": 1.0, "b": 1.0}}), 1).doc_ids.to_list()
    ['b']
    """
    check_choice("ties", ties, ORDERS)
    check_choice("scores", scores, ("float64", "float32"))
    if depth is not None and depth < 1:
        raise OptionError(f"depth must be 1 or more, got {depth}")
    values = ordered_scores(run, scores)
    counts = np.diff(run.offsets)
    kept = counts if depth is None else np.minimum(counts, depth)
    query = np.repeat(np.arange(len(kept)), kept)
    place = np.arange(len(query)) - np.repeat(np.cumsum(kept) - kept, kept)
    rows = run.offsets[query] + place
    # A list whose scores fall from row to row is in order already; the others are put in order.
    disordered = values[1:] > values[:-1] if ties == "input" else values[1:] >= values[:-1]
    lists = queries_where(run.offsets, disordered)
    if len(lists):
        mine = np.isin(query, lists)
        starts = np.cumsum(counts[lists]) - counts[lists]
        ordered = _rows_in_order(run, values, lists, ties)
        rows[mine] = ordered[starts[np.searchsorted(lists, query[mine])] + place[mine]]
    return Head(run.query_ids, query, run.doc_ids_at(rows), place + 1)


def _rows_in_order(run: Run, values: FloatArray, lists: IntArray, ties: str) -> IntArray:
    """Return the rows of some lists, one list after another, each in the order of its ranks."""
    counts = np.diff(run.offsets)[lists]
    query = np.repeat(lists, counts)
    starts = np.repeat(np.cumsum(counts) - counts, counts)
    rows: IntArray = run.offsets[query] + np.arange(len(query)) - starts
    if ties == "input":
        return rows[np.lexsort((rows, -values[rows], query))]
    table = pl.DataFrame(
        {"query": query, "score": values[rows], "doc": run.doc_ids_at(rows), "row": rows}
    )
    down = [False, True, ties == "trec"]
    ordered: IntArray = table.sort("query", "score", "doc", descending=down)["row"].to_numpy()
    return ordered


def top_documents(
    qrels: Qrels, run: Run, depth: int | None, *, ties: str = "trec", scores: str = "float64"
) -> Top:
    """Return the first `depth` documents of each judged query, with their grades.

    Parameters
    ----------
    qrels, run
        Judgments and run, as `ndcg.as_qrels` and `ndcg.as_run` return them.
    depth, ties, scores
        As `first_documents` takes them.

    Examples
    --------
    >>> from ndcg import as_qrels, as_run
    >>> run = as_run({"q": {"a": 2.0, "b": 1.0}, "unjudged": {"a": 1.0}})
    >>> top_documents(as_qrels({"q": {"b": 0}}), run, 10)
    Top(1 queries, 2 documents, 1 holes)
    """
    head = first_documents(run, depth, ties=ties, scores=scores)
    query_ids = qrels.query_ids.sort()
    to_top = number(run.query_ids, query_ids)
    mine = to_top[head.query] >= 0
    query = to_top[head.query[mine]]
    table = pl.DataFrame(
        {"query": query, "doc": head.doc_ids.filter(pl.Series(mine)), "rank": head.rank[mine]}
    )
    grades = pl.DataFrame(
        {
            "query": number(qrels.query_ids, query_ids)[qrels.row_queries],
            "doc": qrels.doc_ids,
            "relevance": qrels.values,
        }
    )
    known = table.join(grades, on=["query", "doc"], how="left").sort("query", "rank")
    to_run = number(query_ids, run.query_ids)
    counts = np.append(np.diff(run.offsets), 0)
    return Top(
        query_ids.to_list(),
        counts[to_run],
        known["query"].to_numpy(),
        known["doc"],
        known["rank"].to_numpy(),
        known["relevance"].fill_null(np.nan).to_numpy(),
    )
