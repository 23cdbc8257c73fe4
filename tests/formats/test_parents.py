"""Runs over chunks, and the files that map chunks to documents."""

from __future__ import annotations

import gzip
import re
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ndcg import InputError, OptionError, as_run, evaluate
from ndcg.formats.parents import read_parents

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

CHUNKS = {"q1": {"d1#0": 3.0, "d2#1": 2.5, "d1#1": 2.0, "d3": 1.0}, "q2": {"d2#0": 1.0}}


def write(folder: Path, content: str | bytes, name: str = "parents.txt") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_a_document_takes_the_place_of_its_best_chunk() -> None:
    run = as_run(CHUNKS, parent="#")
    assert run.lookup == {"q1": {"d1": 3.0, "d2": 2.5, "d3": 1.0}, "q2": {"d2": 1.0}}
    assert [(notice.code, notice.text) for notice in run.notices] == [
        (
            "chunks",
            (
                "4 chunks stand for their documents; 1 left out below a better chunk of the same "
                "document"
            ),
        )
    ]


def test_one_chunk_is_told_as_one() -> None:
    run = as_run({"q": {"d1#0": 3.0, "d2": 1.0}}, parent="#")
    assert [notice.text for notice in run.notices] == [
        "1 chunk stands for its document; 0 left out below a better chunk of the same document"
    ]


def test_the_best_chunk_need_not_come_first() -> None:
    run = as_run([("q", "a#0", 1.0), ("q", "b#0", 2.0), ("q", "a#1", 3.0)], parent="#")
    assert run.frame.rows() == [("q", "a", 3.0), ("q", "b", 2.0)]


def test_a_chunk_and_its_document_are_one() -> None:
    assert as_run({"q": {"a": 1.0, "a#0": 2.0}}, parent="#").lookup == {"q": {"a": 2.0}}


@pytest.mark.parametrize(
    ("chunk", "separator", "document"),
    [
        ("a#b#2", "#", "a#b"),
        ("a_p2", "_p", "a"),
        ("a.b.2", ".", "a.b"),
        ("a[0]", "[", "a"),
        ("a##2", "##", "a"),
        ("a\\1", "\\", "a"),
        ("a#", "#", "a"),
        ("日本#2", "#", "日本"),
    ],
)
def test_the_last_separator_counts(chunk: str, separator: str, document: str) -> None:
    assert as_run({"q": {chunk: 1.0}}, parent=separator).lookup == {"q": {document: 1.0}}


@pytest.mark.parametrize(
    "parent",
    [{"d1#0": "d1", "d1#1": "d1", "d2#1": "d2", "d2#0": "d2"}, {"d2#1": "d2", "d1#0": "d1"}],
)
def test_a_mapping_names_the_documents(parent: Mapping[str, str]) -> None:
    run = as_run(CHUNKS, parent=parent)
    assert run.lookup["q1"]["d1"] == 3.0
    assert set(run.lookup["q1"]) == {parent.get(chunk, chunk) for chunk in CHUNKS["q1"]}


def test_a_mapping_may_hold_integers() -> None:
    parent: Any = {10: 1, 11: 1}
    assert as_run({"q": {10: 2.0, 11: 1.0, 12: 0.5}}, parent=parent).lookup == {
        "q": {"1": 2.0, "12": 0.5}
    }


def test_queries_without_documents_are_kept() -> None:
    run = as_run({"q0": {}, "q1": {"a#0": 1.0}, "q2": {}}, parent="#")
    assert run.query_ids.to_list() == ["q0", "q1", "q2"]
    assert run.offsets.tolist() == [0, 0, 1, 1]


def test_a_run_already_read_can_be_mapped() -> None:
    assert as_run(as_run(CHUNKS), parent="#").lookup == as_run(CHUNKS, parent="#").lookup


@pytest.mark.parametrize(
    ("parent", "told"),
    [
        (
            "/",
            (
                "run: no document id is a chunk under parent '/', such as 'd1#0'; check the "
                "separator or the file"
            ),
        ),
        (
            {"x": "y"},
            (
                "run: no document id is a chunk under parent mapping of 1 chunks, such as 'd1#0'; "
                "check "
                "the separator or the file"
            ),
        ),
        (
            {},
            (
                "run: no document id is a chunk under parent mapping of 0 chunks, such as 'd1#0'; "
                "check "
                "the separator or the file"
            ),
        ),
        (
            "d",
            "run: chunk 'd1#0' has no document under parent 'd'; check the separator or the file",
        ),
    ],
)
def test_parents_that_do_not_fit_are_told(parent: Any, told: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(told)}$"):
        as_run(CHUNKS, parent=parent)


def test_an_empty_separator_is_refused() -> None:
    told = "parent separator must not be empty; give the text before the suffix"
    with pytest.raises(OptionError, match=f"^{re.escape(told)}$"):
        as_run(CHUNKS, parent="")


def test_a_chunk_retrieved_twice_is_refused_all_the_same(tmp_path: Path) -> None:
    path = write(tmp_path, "q Q0 a#0 1 3 t\nq Q0 a#1 2 2 t\nq Q0 a#0 3 1 t\n", "run.txt")
    told = (
        f"{path}:3: document 'a#0' is retrieved twice for query 'q', first at {path}:1; remove one "
        "(duplicates='first' keeps the first line)"
    )
    with pytest.raises(InputError, match=f"^{re.escape(told)}$"):
        as_run(path, parent="#")
    run = as_run(path, parent="#", duplicates="last")
    assert run.lookup == {"q": {"a": 2.0}}
    assert [notice.code for notice in run.notices] == ["duplicate-documents", "chunks"]


def test_documents_that_stand_twice_hint_at_chunks(tmp_path: Path) -> None:
    path = write(tmp_path, "q Q0 a 1 3 t\nq Q0 a 2 2 t\n", "run.txt")
    with pytest.raises(
        InputError, match=r", or if these are chunks, map them to documents \(--parent\)$"
    ):
        as_run(path)


@given(
    st.dictionaries(
        st.sampled_from(["q1", "q2"]),
        st.dictionaries(
            st.tuples(st.sampled_from("abc"), st.integers(0, 3)),
            st.integers(-3, 3).map(float),
            min_size=1,
        ),
        min_size=1,
    )
)
def test_chunks_are_merged_as_by_hand(chunks: dict[str, dict[tuple[str, int], float]]) -> None:
    run = as_run(
        {
            q: {f"{doc}#{i}": score for (doc, i), score in docs.items()}
            for q, docs in chunks.items()
        },
        parent="#",
    )
    expected: dict[str, dict[str, float]] = {}
    for query, docs in chunks.items():
        for (doc, _), score in docs.items():
            best = expected.setdefault(query, {})
            best[doc] = max(best.get(doc, score), score)
    assert run.lookup == expected
    assert [list(docs) for docs in run.lookup.values()] == [
        list(docs) for docs in expected.values()
    ]
    total, left = sum(map(len, chunks.values())), sum(map(len, expected.values()))
    assert f"; {total - left} left out" in run.notices[0].text


def test_chunks_are_evaluated_as_their_documents() -> None:
    scores = evaluate({"q1": {"d2": 1}, "q2": {"d2": 1}}, as_run(CHUNKS, parent="#"), "RR")
    assert scores["RR"] == {"q1": 0.5, "q2": 1.0}
    assert scores.notices[0].code == "chunks"


@pytest.mark.parametrize(
    "text",
    [
        "c1 d1\nc2 d 2\n".replace("d 2", "d2"),
        "c1\td1\nc2\td2\n",
        "c1,d1\nc2,d2",
        "\ufeffc1 d1\r\n\n  c2   d2  \r\n",
        "c1 d1\nc2 d2\nc1 d1\n",
    ],
)
@pytest.mark.parametrize("compress", [bytes, gzip.compress])
def test_a_file_of_two_columns_is_a_mapping(
    tmp_path: Path, text: str, compress: type[bytes]
) -> None:
    path = write(tmp_path, compress(text.encode()))
    assert read_parents(path) == {"c1": "d1", "c2": "d2"}


def test_tabs_part_ids_with_blanks(tmp_path: Path) -> None:
    assert read_parents(write(tmp_path, "c 1\td 1\n#2\td,2\n")) == {"c 1": "d 1", "#2": "d,2"}


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("c2", "expected 2 columns (chunk_id doc_id), got 1; the line is 'c2'"),
        ("c2 d2 x", "expected 2 columns (chunk_id doc_id), got 3; the line is 'c2 d2 x'"),
        ("c2\t", "expected 2 columns (chunk_id doc_id), got 2; the line is 'c2\\t'"),
        ("c1 d2", "chunk 'c1' belongs to 'd1' and to 'd2'; keep one"),
    ],
)
def test_a_wrong_line_of_parents_is_named(tmp_path: Path, line: str, told: str) -> None:
    path = write(tmp_path, f"c1 d1\n\n{line}\n")
    with pytest.raises(InputError, match=f"^{re.escape(f'{path}:3: {told}')}$"):
        read_parents(path)


def test_parents_must_be_text(tmp_path: Path) -> None:
    path = write(tmp_path, b"c1 d1\nc2 \xe9\n")
    with pytest.raises(InputError, match=r":2: not UTF-8; convert the file to UTF-8$"):
        read_parents(path)


@pytest.mark.parametrize("text", ["", "\n \n"])
def test_an_empty_file_of_parents_is_told(tmp_path: Path, text: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(InputError, match=r": no line of a mapping in it \(chunk_id doc_id\)$"):
        read_parents(path)
