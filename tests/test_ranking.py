"""The join: ranks of the judged documents, their ties, and the rankings derived from it."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ndcg import OptionError, as_qrels, as_run, rank
from ndcg.ranking import order_documents

if TYPE_CHECKING:
    from ndcg import Ranking

Table = dict[str, dict[str, float]]
# query, document, grade, rank, first and last rank of its tie
Row = tuple[str, str, float, int, int, int]

DOCS = st.sampled_from(["a", "b", "c", "d", "e", "é", "10", "9"])
SCORES = st.integers(-2, 2).map(float) | st.sampled_from([float("inf"), float("-inf"), 1 + 1e-9])
QRELS = st.dictionaries(
    st.sampled_from(["q1", "q2", "q3"]),
    st.dictionaries(DOCS, st.integers(-1, 3).map(float), min_size=1),
    min_size=1,
)
RUNS = st.dictionaries(
    st.sampled_from(["q1", "q2", "q4"]), st.dictionaries(DOCS, SCORES, min_size=1), min_size=1
)


def columns_of(table: Table) -> list[tuple[str, str, float]]:
    return [(query, doc, value) for query, docs in table.items() for doc, value in docs.items()]


def rows_of(ranking: Ranking) -> list[Row]:
    return [
        (ranking.query_ids[query], str(doc), grade, rank_, first, last)
        for query, doc, grade, rank_, first, last in zip(
            ranking.query.tolist(),
            ranking.doc_ids,
            ranking.relevance.tolist(),
            ranking.rank.tolist(),
            ranking.first.tolist(),
            ranking.last.tolist(),
            strict=True,
        )
    ]


def rank_slowly(qrels: Table, run: Table, ties: str = "trec") -> list[Row]:
    """Rank by sorting each list, as anyone would."""
    rows: list[Row] = []
    for query in sorted(qrels, key=str.encode):
        scores = run.get(query, {})
        docs = list(scores)
        if ties != "input":
            docs.sort(key=str.encode, reverse=ties == "trec")
        docs.sort(key=lambda doc: -scores[doc])
        for place, doc in enumerate(docs, 1):
            if doc in qrels[query]:
                above = sum(score > scores[doc] for score in scores.values())
                equal = sum(score == scores[doc] for score in scores.values())
                rows.append((query, doc, qrels[query][doc], place, above + 1, above + equal))
    return rows


@pytest.mark.parametrize("columns", [False, True], ids=["mapping", "columns"])
@pytest.mark.parametrize("ties", ["trec", "ascending", "input"])
@given(data=st.data())
def test_ranks_are_those_of_a_sorted_list(data: st.DataObject, ties: str, *, columns: bool) -> None:
    qrels, run = data.draw(QRELS), data.draw(RUNS)
    read: Any = columns_of if columns else dict
    ranking = rank(as_qrels(read(qrels)), as_run(read(run)), ties=ties)
    assert rows_of(ranking) == rank_slowly(qrels, run, ties)
    assert ranking.query_ids == sorted(qrels, key=str.encode)
    assert ranking.answered.tolist() == [query in run for query in ranking.query_ids]
    assert ranking.retrieved.tolist() == [len(run.get(query, {})) for query in ranking.query_ids]
    assert ranking.unjudged_queries == len(run.keys() - qrels.keys())
    judged = zip(ranking.judged_query.tolist(), ranking.judged_relevance.tolist(), strict=True)
    assert sorted(judged) == sorted(
        (ranking.query_ids.index(query), grade)
        for query, docs in qrels.items()
        for grade in docs.values()
    )
    for query, docs in run.items():
        ordered = order_documents(docs, ties)
        found = [doc for doc in ordered if doc in qrels.get(query, {})]
        assert found == [row[1] for row in rows_of(ranking) if row[0] == query]


def test_a_ranking_tells_what_it_is() -> None:
    ranking = rank(as_qrels({"q": {"a": 1}, "r": {"b": 1}}), as_run({"q": {"a": 1.0, "b": 1.0}}))
    assert repr(ranking) == "Ranking(2 queries, 1 judged documents retrieved)"
    assert len(ranking) == 2
    assert ranking.tied.tolist() == [True]
    assert ranking.has_ties


def test_equal_scores_rank_the_higher_id_first_bytewise() -> None:
    qrels = as_qrels({"q": dict.fromkeys(["10", "9", "é", "z"], 1)})
    run = as_run({"q": {"10": 1.0, "9": 1.0, "é": 1.0, "z": 1.0}})
    ranking = rank(qrels, run)
    assert ranking.doc_ids.to_list() == ["é", "z", "9", "10"]
    assert rank(qrels, run, ties="input").doc_ids.to_list() == ["10", "9", "é", "z"]
    assert rank(qrels, run, ties="ascending").doc_ids.to_list() == ["10", "9", "z", "é"]


def test_scores_of_32_bits_tie_where_64_do_not() -> None:
    qrels = as_qrels({"q": {"a": 1, "b": 0}})
    table: Table = {"q": {"a": 1.0 + 1e-9, "b": 1.0}}
    for run in (as_run(table), as_run(columns_of(table))):
        assert rank(qrels, run).rank.tolist() == [1, 2]
        assert rank(qrels, run, scores="float32").doc_ids.to_list() == ["b", "a"]
    assert order_documents(table["q"]) == ["a", "b"]
    assert order_documents(table["q"], precision="float32") == ["b", "a"]


def test_scores_beyond_32_bits_are_infinite_there() -> None:
    qrels = as_qrels({"q": {"a": 1, "b": 0}})
    table: Table = {"q": {"a": 1e300, "b": 1e301}}
    for run in (as_run(table), as_run(columns_of(table))):
        assert rank(qrels, run, scores="float32").last.tolist() == [2, 2]
    assert order_documents(table["q"], precision="float32") == ["b", "a"]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"ties": "average"}, "ties must be one of trec, ascending, input, got 'average'"),
        (
            {"ties": "tre"},
            "ties must be one of trec, ascending, input, got 'tre'; did you mean 'trec'?",
        ),
        (
            {"scores": "float16"},
            "scores must be one of float64, float32, got 'float16'; did you mean 'float64'?",
        ),
    ],
)
def test_unknown_options_are_refused(options: dict[str, str], told: str) -> None:
    with pytest.raises(OptionError, match=f"^{re.escape(told)}"):
        rank(as_qrels({"q": {"a": 1}}), as_run({"q": {"a": 1}}), **options)
    with pytest.raises(OptionError, match=r"^ties must be one of"):
        order_documents({"a": 1.0}, "average")


def test_nothing_in_common_is_an_empty_ranking() -> None:
    qrels = as_qrels({"q": {"a": 1}})
    for run in (as_run({"q": {"b": 1.0}}), as_run([("q", "b", 1.0)]), as_run({"r": {"a": 1.0}})):
        ranking = rank(qrels, run)
        assert rows_of(ranking) == []
        assert not ranking.has_ties
        assert rows_of(ranking.condensed()) == []
        assert rows_of(ranking.reordered(best=True)) == []


def test_a_run_without_any_rows_left() -> None:
    run = as_run({"q": {"a": 1.0}}).keep(np.array([False]))
    ranking = rank(as_qrels({"q": {"a": 1}, "r": {"a": 1}}), run)
    assert (ranking.answered.tolist(), ranking.retrieved.tolist()) == ([True, False], [0, 0])


@given(QRELS, RUNS)
def test_a_condensed_ranking_is_one_without_unjudged_documents(qrels: Table, run: Table) -> None:
    condensed = rank(as_qrels(qrels), as_run(run)).condensed()
    judged = {
        query: {doc: score for doc, score in docs.items() if qrels.get(query, {}).get(doc, -1) >= 0}
        for query, docs in run.items()
    }
    assert rows_of(condensed) == rank_slowly(qrels, judged)
    assert condensed.retrieved.tolist() == [
        len(judged.get(query, {})) for query in condensed.query_ids
    ]


@given(QRELS, RUNS)
def test_a_filled_ranking_has_every_judged_document(qrels: Table, run: Table) -> None:
    filled = rank(as_qrels(qrels), as_run(run)).filled()
    for place, query in enumerate(filled.query_ids):
        rows = [row for row in rows_of(filled) if row[0] == query]
        assert sorted(row[2] for row in rows) == sorted(qrels[query].values())
        missing = [row for row in rows if not row[1]]
        retrieved = len(run.get(query, {}))
        assert filled.retrieved[place] == retrieved + len(missing)
        assert {row[4:] for row in missing} <= {(retrieved + 1, retrieved + len(missing))}
        assert [row[3] for row in missing] == [retrieved + 1 + i for i in range(len(missing))]


def test_a_ranking_that_lacks_nothing_is_left_as_it_is() -> None:
    ranking = rank(as_qrels({"q": {"a": 1}}), as_run({"q": {"a": 1.0, "b": 2.0}}))
    assert ranking.filled() is ranking


@pytest.mark.parametrize("best", [True, False])
def test_ties_resolve_for_the_best_and_for_the_worst(*, best: bool) -> None:
    qrels = as_qrels({"q": {"a": 1, "b": 3, "c": 2}})
    run = as_run({"q": {"a": 1.0, "b": 1.0, "x": 1.0, "c": 0.0, "y": 0.0, "z": 5.0}})
    ranking = rank(qrels, run).reordered(best=best)
    ranks = {doc: place for _, doc, _, place, _, _ in rows_of(ranking)}
    assert ranks == ({"b": 2, "a": 3, "c": 5} if best else {"a": 3, "b": 4, "c": 6})


def test_ties_resolve_by_worth_where_one_is_given() -> None:
    ranking = rank(as_qrels({"q": {"a": 1, "b": 2}}), as_run({"q": {"a": 1.0, "b": 1.0}}))
    worth = np.where(ranking.relevance == 1, 10.0, 1.0)
    ranks = {
        doc: place for _, doc, _, place, _, _ in rows_of(ranking.reordered(best=True, worth=worth))
    }
    assert ranks == {"a": 1, "b": 2}


@given(QRELS, RUNS)
def test_reordered_ranks_are_those_of_some_order_of_the_ties(qrels: Table, run: Table) -> None:
    ranking = rank(as_qrels(qrels), as_run(run))
    for best in (True, False):
        rows = rows_of(ranking.reordered(best=best))
        assert sorted(row[1:3] for row in rows) == sorted(row[1:3] for row in rows_of(ranking))
        assert all(first <= place <= last for _, _, _, place, first, last in rows)
        for _, group in itertools.groupby(rows, key=lambda row: row[0]):
            places = [row[3] for row in group]
            assert places == sorted(set(places))
