"""The top of a run: order, depth, and what is known of each document."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ndcg import OptionError, as_qrels, as_run, rank
from ndcg.holes.tops import first_documents, top_documents
from ndcg.ranking import order_documents

if TYPE_CHECKING:
    from ndcg.holes.tops import Top

Table = dict[str, dict[str, float]]

DOCS = st.sampled_from(["a", "b", "c", "d", "e", "é", "10", "9"])
SCORES = st.integers(-2, 2).map(float) | st.sampled_from([math.inf, -math.inf, 1 + 1e-9])
LISTS = st.dictionaries(DOCS, SCORES, min_size=1)
RUNS = st.dictionaries(st.sampled_from(["q1", "q2", "q4"]), LISTS, min_size=1)
GRADES = st.dictionaries(DOCS, st.integers(-1, 3).map(float), min_size=1)
QRELS = st.dictionaries(st.sampled_from(["q1", "q2", "q3"]), GRADES, min_size=1)
TRIPLES = [("q", "b", 1.0), ("p", "x", 1.0), ("q", "c", 3.0), ("q", "a", 1.0), ("p", "y", 2.0)]


def lists_of(run: Table, depth: int | None, ties: str, scores: str) -> dict[str, list[str]]:
    """Order every list by itself."""
    return {query: order_documents(docs, ties, scores)[:depth] for query, docs in run.items()}


@given(
    RUNS,
    st.none() | st.integers(1, 9),
    st.sampled_from(["trec", "ascending", "input"]),
    st.sampled_from(["float64", "float32"]),
)
def test_the_first_documents_are_those_of_each_list_by_itself(
    run: Table, depth: int | None, ties: str, scores: str
) -> None:
    wanted = lists_of(run, depth, ties, scores)
    triples = [(query, doc, score) for query, docs in run.items() for doc, score in docs.items()]
    for given_run in (as_run(run), as_run(triples)):
        head = first_documents(given_run, depth, ties=ties, scores=scores)
        ids = head.query_ids.to_list()
        found: dict[str, list[str]] = {}
        for query, doc, place in zip(
            head.query.tolist(), head.doc_ids, head.rank.tolist(), strict=True
        ):
            found.setdefault(ids[query], []).append(doc)
            assert place == len(found[ids[query]])
        assert found == wanted


def rows_of(top: Top) -> list[tuple[str, str, int, float | None]]:
    grades = [None if math.isnan(grade) else grade for grade in top.relevance.tolist()]
    queries = [top.query_ids[query] for query in top.query.tolist()]
    return list(zip(queries, top.doc_ids, top.rank.tolist(), grades, strict=True))


@given(QRELS, RUNS, st.none() | st.integers(1, 9))
def test_the_top_names_every_document_of_a_judged_query_with_its_grade(
    qrels: Table, run: Table, depth: int | None
) -> None:
    top = top_documents(as_qrels(qrels), as_run(run), depth)
    wanted = [
        (query, doc, place, qrels[query].get(doc))
        for query, docs in sorted(lists_of(run, depth, "trec", "float64").items())
        if query in qrels
        for place, doc in enumerate(docs, 1)
    ]
    assert rows_of(top) == wanted
    assert top.query_ids == sorted(qrels)
    assert top.retrieved.tolist() == [len(run.get(query, {})) for query in sorted(qrels)]
    assert top.holes.tolist() == [grade is None for *_, grade in wanted]


@given(QRELS, RUNS)
def test_judged_documents_stand_where_the_ranking_has_them(qrels: Table, run: Table) -> None:
    judged, retrieved = as_qrels(qrels), as_run(run)
    ranking, top = rank(judged, retrieved), top_documents(judged, retrieved, None)
    known = ~top.holes
    assert np.array_equal(top.rank[known], ranking.rank)
    assert np.array_equal(top.query[known], ranking.query)
    assert np.array_equal(top.relevance[known], ranking.relevance)


def test_lists_scattered_over_the_lines_come_together() -> None:
    head = first_documents(as_run(TRIPLES), 2)
    assert head.query_ids.to_list() == ["q", "p"]
    assert head.doc_ids.to_list() == ["c", "b", "y", "x"]
    assert head.rank.tolist() == [1, 2, 1, 2]
    assert repr(head) == "Head(2 queries, 4 documents)"


@pytest.mark.parametrize("depth", [0, -3])
def test_a_depth_below_one_is_refused(depth: int) -> None:
    with pytest.raises(OptionError, match=rf"^depth must be 1 or more, got {depth}$"):
        first_documents(as_run(TRIPLES), depth)


def test_an_order_that_does_not_exist_is_refused() -> None:
    with pytest.raises(OptionError, match="ties"):
        first_documents(as_run(TRIPLES), 1, ties="average")
