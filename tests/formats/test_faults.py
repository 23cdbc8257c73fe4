"""The second look at a block that could not be read."""

from __future__ import annotations

import pytest

from ndcg.formats import sources
from ndcg.formats.faults import find_fault, line_numbers
from ndcg.formats.layouts import TREC, Layout
from ndcg.formats.sources import Source

CSV = Layout("csv", "run", ",", 3, value=2, header=True)


def test_the_first_wrong_line_is_named() -> None:
    block = b"q 0 a 1\n\n# x\nq 0 b\nq 0 c x\n"
    error = find_fault(Source("FILE"), TREC["qrels"], block, 11, "")
    assert str(error) == (
        "FILE:14: expected 4 columns (query_id iteration doc_id relevance), got 3; the line is "
        "'q 0 b'"
    )


def test_the_hint_at_a_header_is_for_the_first_line_alone() -> None:
    block = b"user docs item stars\n"
    first = find_fault(Source("FILE"), TREC["qrels"], block, 1, "")
    assert "got 'stars' (if this is a header, name its columns query_id, doc_id and" in str(first)
    later = find_fault(Source("FILE"), TREC["qrels"], block, 2, "")
    assert str(later).startswith("FILE:2: the grade must be a number, got 'stars'; the line is ")


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        ("", "FILE: lines from 7 on cannot be read as csv; name the format with --run-format"),
        (
            "odd",
            "FILE: lines from 7 on cannot be read as csv: odd; name the format with --run-format",
        ),
    ],
)
def test_a_block_without_a_fault_still_gets_a_message(reason: str, told: str) -> None:
    assert str(find_fault(Source("FILE"), CSV, b"q,a,1\n", 7, reason)) == told


@pytest.mark.parametrize("size", [8, 16, 1000])
def test_rows_are_found_again(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(sources, "BLOCK_BYTES", size)
    content = b"\xef\xbb\xbf# note\n\nqid,docno,score\nq,a,1\n#\n\nq,b,2\n \nq,c,3"
    source = Source("FILE", content=content)
    assert line_numbers(source, CSV, [0, 1, 2]) == [4, 7, 9]
    assert line_numbers(source, CSV, [2, 0]) == [9, 4]
