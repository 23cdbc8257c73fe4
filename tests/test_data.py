"""Qrels and Run: grouped columns, digests, and what they hand out."""

from __future__ import annotations

import itertools
from dataclasses import FrozenInstanceError
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ndcg import Notice, as_qrels, as_run
from ndcg import data as module
from ndcg.data import (
    counted,
    group_rows,
    number,
    queries_where,
    query_slices,
    repeated_rows,
    shown,
)

if TYPE_CHECKING:
    from pathlib import Path

    from ndcg import Qrels, Run

Table = dict[str, dict[str, float]]
Row = tuple[str, str, float]

NAMES = st.sampled_from(["a", "b", "c", "a b", "é", "a\nb"])
TABLES = st.dictionaries(
    NAMES, st.dictionaries(NAMES, st.integers(-2, 3).map(float), min_size=1), min_size=1
)


def rows_of(table: Table) -> list[Row]:
    return [(query, doc, value) for query, docs in table.items() for doc, value in docs.items()]


def grouped(*runs: tuple[list[str], list[int]]) -> module.Groups:
    return group_rows([(pl.Series(ids, dtype=pl.String), np.array(n)) for ids, n in runs])


def test_rows_that_lie_together_are_left_as_they_are() -> None:
    groups = grouped((["b", "a"], [2, 1]), (["c"], [3]))
    assert groups.query_ids.to_list() == ["b", "a", "c"]
    assert groups.offsets.tolist() == [0, 2, 3, 6]
    assert groups.order is None


def test_a_query_cut_by_a_block_is_one() -> None:
    groups = grouped((["a", "b"], [2, 1]), (["b", "c"], [2, 1]))
    assert groups.query_ids.to_list() == ["a", "b", "c"]
    assert groups.offsets.tolist() == [0, 2, 5, 6]
    assert groups.order is None


def test_scattered_rows_are_brought_together_in_their_order() -> None:
    groups = grouped((["b", "a", "b"], [2, 1, 1]), (["a"], [2]))
    assert groups.query_ids.to_list() == ["b", "a"]
    assert groups.offsets.tolist() == [0, 3, 6]
    assert groups.order is not None
    assert groups.order.tolist() == [0, 1, 3, 2, 4, 5]


def test_more_queries_than_16_bits_count_are_grouped() -> None:
    ids = [str(i) for i in range(2**16 + 1)]
    groups = grouped((ids, [1] * len(ids)), (["0"], [1]))
    assert groups.order is not None
    assert groups.order[:2].tolist() == [0, 2**16 + 1]


def test_no_rows_have_no_queries() -> None:
    groups = grouped()
    assert (len(groups.query_ids), groups.offsets.tolist()) == (0, [0])


def test_ids_are_numbered_by_their_place() -> None:
    found = number(pl.Series(["b", "x", "a", "b"]), pl.Series(["a", "b"]))
    assert found.tolist() == [1, -1, 0, 1]


@given(st.lists(st.integers(0, 4), max_size=8), st.data())
def test_flags_between_rows_of_a_query_mark_it(sizes: list[int], data: st.DataObject) -> None:
    offsets = np.cumsum([0, *sizes])
    rows = int(offsets[-1])
    flags = data.draw(st.lists(st.booleans(), min_size=max(rows - 1, 0), max_size=max(rows - 1, 0)))
    expected = [
        i
        for i, (start, end) in enumerate(itertools.pairwise(offsets.tolist()))
        if any(flags[row] for row in range(start, end - 1))
    ]
    assert queries_where(offsets, np.array(flags, np.bool_)).tolist() == expected


@given(st.lists(st.integers(0, 9), max_size=12), st.integers(1, 7))
def test_stretches_cover_every_query_once(sizes: list[int], rows: int) -> None:
    offsets = np.cumsum([0, *sizes])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_SLICE_ROWS", rows)
        cuts = query_slices(offsets)
    filled = [query for query in range(len(sizes)) if sizes[query]]
    covered = [query for start, stop in cuts for query in range(start, stop)]
    assert [query for query in covered if sizes[query]] == filled


@given(st.lists(st.lists(st.sampled_from("abcd"), max_size=5), max_size=6), st.integers(1, 9))
def test_repeated_documents_are_found_as_by_hand(queries: list[list[str]], size: int) -> None:
    expected, row = [], 0
    for docs in queries:
        expected += [row + i for i, doc in enumerate(docs) if doc in docs[:i]]
        row += len(docs)
    offsets = np.cumsum([0, *(len(docs) for docs in queries)])
    ids = pl.Series([doc for docs in queries for doc in docs], dtype=pl.String)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_SLICE_ROWS", size)
        assert repeated_rows(offsets, ids).tolist() == expected


def test_columns_and_lookup_hold_the_same() -> None:
    table = {"q2": {"b": 1.0, "a": 0.0}, "q1": {"a": 2.5}}
    for qrels in (as_qrels(table), as_qrels(rows_of(table))):
        assert qrels.query_ids.to_list() == ["q2", "q1"]
        assert qrels.doc_ids.to_list() == ["b", "a", "a"]
        assert qrels.relevance.tolist() == qrels.values.tolist() == [1.0, 0.0, 2.5]
        assert qrels.offsets.tolist() == [0, 2, 3]
        assert qrels.row_queries.tolist() == [0, 0, 1]
        assert qrels.lookup == table
        assert len(qrels) == 3
    assert as_qrels(table).is_mapping
    assert not as_qrels(rows_of(table)).is_mapping


def test_frames() -> None:
    table = {"q": {"a": 1.0}}
    assert as_qrels(table).frame.to_dict(as_series=False) == {
        "query_id": ["q"],
        "doc_id": ["a"],
        "relevance": [1.0],
    }
    assert as_run(table).frame.columns == ["query_id", "doc_id", "score"]
    assert as_run(table).scores.tolist() == [1.0]


def test_reprs() -> None:
    table = {"q": {"a": 1.0, "b": 0.0}, "r": {"a": 1.0}}
    assert repr(as_qrels(table)) == "Qrels(2 queries, 3 judgments)"
    assert repr(as_run(table, name="bm25")) == "Run('bm25', 2 queries, 3 documents)"


def test_tables_are_frozen() -> None:
    qrels = as_qrels({"q": {"a": 1}})
    with pytest.raises(FrozenInstanceError):
        qrels.name = "x"  # type: ignore[misc]


@pytest.mark.parametrize("source", [{"q": {"a": 3.0, "b": 2.0}, "r": {"c": 1.0}}, None])
def test_some_rows_are_kept_and_every_query(source: Table | None) -> None:
    table = {"q": {"a": 3.0, "b": 2.0}, "r": {"c": 1.0}}
    run = as_run(source or rows_of(table), name="bm25").with_notices([Notice("x", "y")])
    for rows in (np.array([False, True, False]), np.array([1])):
        kept = run.keep(rows)
        assert kept.lookup == {"q": {"b": 2.0}, "r": {}}
        assert kept.query_ids.to_list() == ["q", "r"]
        assert (kept.name, kept.notices) == ("bm25", run.notices)
        assert not kept.is_mapping
    assert run.lookup == table


def test_nothing_may_be_kept() -> None:
    run = as_run({"q": {"a": 3.0}}).keep(np.array([False]))
    assert (len(run), run.offsets.tolist()) == (0, [0, 0])


def test_notices_are_added() -> None:
    first, second = Notice("a", "one"), Notice("b", "two", "bm25")
    run = as_run({"q": {"a": 1}})
    assert run.with_notices([]) is run
    assert run.with_notices([first]).with_notices([second]).notices == (first, second)
    assert run.notices == ()


def doors(folder: Path, table: Table) -> list[tuple[Qrels, Run]]:
    rows = rows_of(table)
    lines = [(q, d, str(v)) for q, d, v in rows]
    (folder / "qrels").write_text("".join(f"{q} 0 {d} {v}\n" for q, d, v in lines))
    (folder / "run").write_text("".join(f"{q} Q0 {d} 1 {v} t\n" for q, d, v in lines))
    frame = pl.DataFrame(rows, schema=["query_id", "doc_id", "value"], orient="row")
    backwards = {q: dict(reversed(docs.items())) for q, docs in reversed(table.items())}
    return [
        (as_qrels(table), as_run(table)),
        (as_qrels(backwards), as_run(backwards)),
        (as_qrels(rows), as_run(rows)),
        (as_qrels(rows[::-1]), as_run(rows[::-1])),
        (as_qrels(frame.rename({"value": "rel"})), as_run(frame.rename({"value": "sim"}))),
        (as_qrels(folder / "qrels"), as_run(folder / "run")),
    ]


def test_a_digest_is_that_of_the_content_whatever_door_and_order(tmp_path: Path) -> None:
    table = {"q2": {"b": 1.0, "a": -0.0, "é": 2.5}, "q10": {"a": 1.0, "c": 1.0}}
    read = doors(tmp_path, table)
    assert len({qrels.digest for qrels, _ in read}) == 1
    assert len({run.digest for _, run in read}) == 1
    assert read[0][0].digest != read[0][1].digest


def test_digests_are_these() -> None:
    """Digests are stored beside numbers, so that they must not change from version to version."""
    table = {"q1": {"a": 1, "b": 0}, "q2": {"é": 2}}
    assert as_qrels(table).digest == QRELS_DIGEST
    assert as_run(table).digest == RUN_DIGEST


# Sha256 of: "ndcg qrels 1\n", the query ids a line each, how many rows each has (64 bits), the
# document ids a line each, the values (64 bits).
QRELS_DIGEST = "3b5780a27f254749fcd3e3d7f1fabbac95d62cfec5913c3f757091bd29d0a338"
RUN_DIGEST = "2168b5e52345f6d132091b7e0e3f7fb17f6a8221362f0213eb4a9fd9a7e91ba2"


@pytest.mark.parametrize(
    "other",
    [
        {"q1": {"a": 1, "b": 0}, "q2": {"a": 3}},
        {"q1": {"a": 1, "b": 0}, "q2": {"b": 2}},
        {"q1": {"a": 1, "b": 0}, "q3": {"a": 2}},
        {"q1": {"a": 0, "b": 1}, "q2": {"a": 2}},
        {"q1": {"a": 1, "b": 0}, "q2": {"a": 2}, "q3": {}},
        {"q1": {"a": 1}, "q2": {"a": 2}},
        {"q1": {"a": 1}, "q2": {"a": 2, "b": 0}},
        {"q1": {"a": 1, "b": 0.5}, "q2": {"a": 2}},
        {"q1\nq2": {"a": 1, "b": 0}, "q2": {"a": 2}},
    ],
)
def test_any_other_content_has_another_digest(other: Table) -> None:
    table: Table = {"q1": {"a": 1, "b": 0}, "q2": {"a": 2}}
    assert as_qrels(table).digest != as_qrels(other).digest
    assert as_run(table).digest != as_run(other).digest


def test_line_ends_within_ids_do_not_blur_a_digest() -> None:
    one, other = {"q": {"a": 1, "b\nc": 1}}, {"q": {"a\nb": 1, "c": 1}}
    assert as_qrels(one).digest != as_qrels(other).digest
    assert as_run(one).digest != as_run(other).digest


@given(TABLES, TABLES)
def test_digests_are_equal_where_contents_are(one: Table, other: Table) -> None:
    assert (as_qrels(one).digest == as_qrels(other).digest) == (one == other)
    assert (as_run(one).digest == as_run(other).digest) == (one == other)


@given(TABLES)
def test_through_rows_and_back(table: Table) -> None:
    run = as_run(rows_of(table))
    assert run.lookup == table
    assert list(run.lookup) == list(table)
    assert as_run(run.lookup).digest == run.digest


def test_words_for_numbers_and_ids() -> None:
    assert (counted(0, "line"), counted(1, "line"), counted(2, "line")) == (
        "0 lines",
        "1 line",
        "2 lines",
    )
    assert shown(["a", "b"]) == "'a', 'b'"
    assert shown(list("abcdefg")) == "'a', 'b', 'c', 'd', 'e' and 2 more"
