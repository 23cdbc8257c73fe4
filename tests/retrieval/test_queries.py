"""Queries from whatever people have."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ndcg import InputError
from ndcg.retrieval.queries import as_queries

SAMPLES = Path(__file__).parents[2] / "src" / "ndcg" / "samples"
EXPECTED = {"q1": "red shoes", "2": 'say "hi", you'}


def test_the_sample_queries_are_read() -> None:
    queries = as_queries(SAMPLES / "queries.tsv")
    assert len(queries) == 135
    assert queries["c002"] == "bluetooth speaker"


@pytest.mark.parametrize(
    "content",
    [
        'q1\tred shoes\n2\tsay "hi", you\n',
        '\ufeffq1\tred shoes\r\n\r\n2\tsay "hi", you',
        'query_id\ttext\nq1\tred shoes\n2\tsay "hi", you\n',
        'text,note,qid\nred shoes,x,q1\n"say ""hi"", you",y,2\n',
        '{"_id": "q1", "text": "red shoes"}\n{"_id": "2", "text": "say \\"hi\\", you"}\n',
        '{"q1": "red shoes",\n "2": "say \\"hi\\", you"}\n',
        '{"q1": "red shoes", "2": "say \\"hi\\", you"}',
    ],
)
def test_a_file_of_queries_is_read(tmp_path: Path, content: str) -> None:
    (tmp_path / "queries").write_text(content, "utf-8")
    assert as_queries(tmp_path / "queries") == EXPECTED
    assert as_queries(str(tmp_path / "queries")) == EXPECTED


@pytest.mark.parametrize(
    "source", [EXPECTED, {"q1": "red shoes", 2: EXPECTED["2"]}, EXPECTED.items()]
)
def test_queries_in_memory_are_read(source: Any) -> None:
    assert as_queries(list(source) if source is EXPECTED.items() else source) == EXPECTED


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "queries: no queries in it"),
        ("red shoes\n", "queries:1: expected id TAB text"),
        ("q1\ta\nq2\tb\nq1\tc\n", "queries:3: query 'q1' has two texts, 'a' and 'c'"),
        ('{"q1": 3, "q2": "a"}', "the text of query 'q1' is 3"),
        ('{"q1": "a", \n"q1": "b"}', "the key 'q1' stands twice"),
        ('{"text": "a"}\n{"text": "b"}\n', "not valid JSON"),
        ("PK\x03\x04xx", "this is a zip archive"),
    ],
)
def test_what_are_no_queries_is_said(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "queries").write_text(content, "utf-8")
    with pytest.raises(InputError, match=message):
        as_queries(tmp_path / "queries")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (3, "cannot read queries from int"),
        (["red shoes"], "query 1: expected"),
        ({"q1": None}, "the text of query 'q1' is None"),
        ({}, "no queries in it"),
    ],
)
def test_what_are_no_queries_in_memory_is_said(source: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        as_queries(source)
