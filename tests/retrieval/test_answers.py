"""Answers in every usual shape, and what is no answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl
import pytest

from ndcg.retrieval.answers import Answer, Fields, read_answer
from ndcg.retrieval.failures import AnswerError


@dataclass
class Document:
    """The shape of LangChain's: text, metadata, and an id that is often a chunk's."""

    page_content: str
    metadata: dict[str, Any] = field(default_factory=dict)
    id: str | None = None


@dataclass
class Node:
    """The shape of LlamaIndex's."""

    node_id: str
    metadata: dict[str, Any] = field(default_factory=dict)

    @property
    def id_(self) -> str:
        return self.node_id


@dataclass
class NodeWithScore:
    node: Node
    score: float | None


class Hit(dict[str, Any]):
    """A mapping of its own kind, as client libraries have them."""


def pairs(answer: Answer) -> list[tuple[str, float | None]]:
    scores = answer.scores or (None,) * len(answer.doc_ids)
    return list(zip(answer.doc_ids, scores, strict=True))


TWO = [("a", 2.0), ("b", 1.0)]
BARE = [("a", None), ("b", None)]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (["a", "b"], BARE),
        ([7, np.int64(8)], [("7", None), ("8", None)]),
        (np.array(["a", "b"]), BARE),
        (iter(["a", "b"]), BARE),
        ([("a", 2.0), ("b", 1.0)], TWO),
        ([["a", 2], ["b", np.float32(1)]], TWO),
        ({"b": 1.0, "a": 2.0}, TWO),
        ([], []),
        ([{"doc_id": "a", "score": 2}, {"doc_id": "b", "score": 1}], TWO),
        ([{"_id": "a", "_score": 2, "id": "x"}, {"_id": "b", "_score": 1}], TWO),
        ([{"_id": "a", "_score": None}, {"_id": "b", "_score": None}], BARE),
        ({"hits": {"hits": [{"_id": "a", "_score": 2.0}, {"_id": "b", "_score": 1.0}]}}, TWO),
        ({"response": {"docs": [{"id": "a", "score": 2}, {"id": "b", "score": 1}]}}, TWO),
        ({"matches": [Hit(id="a", score=2.0), Hit(id="b", score=1.0)]}, TWO),
        (pl.DataFrame({"docno": ["a", "b"], "score": [2.0, 1.0]}), TWO),
        ([Document("", {"doc_id": "a"}, "chunk-1"), Document("", {"doc_id": "b"})], BARE),
        ([Document("", {"source": "x.pdf"}, "a"), Document("", {}, "b")], BARE),
        ([(Document("", {}, "a"), 2.0), (Document("", {}, "b"), 1.0)], TWO),
        ([NodeWithScore(Node("n", {"doc_id": "a"}), 2.0), NodeWithScore(Node("b"), 1.0)], TWO),
        ([NodeWithScore(Node("a"), None), NodeWithScore(Node("b"), None)], BARE),
    ],
)
def test_an_answer_is_read(value: Any, expected: list[tuple[str, float | None]]) -> None:
    assert pairs(read_answer(value, Fields())) == expected


@pytest.mark.parametrize(
    ("value", "fields", "expected"),
    [
        ([Document("", {"source": "a"}, "x")], Fields(doc_id="metadata.source"), [("a", None)]),
        ({"a": {"b": [{"x": {"y": 5}, "z": 2}]}}, Fields("a.b", "x.y", "z"), [("5", 2.0)]),
        ({"a": [[], [["d", 1]]]}, Fields("a.1"), [("d", 1.0)]),
        ({"x.y": {"/": [["d", 1]]}}, Fields("/x.y/~1"), [("d", 1.0)]),
        ([["d", 1]], Fields("$"), [("d", 1.0)]),
        ({"scores": {"d": 1}}, Fields("scores"), [("d", 1.0)]),
    ],
)
def test_paths_say_where_things_are(
    value: Any, fields: Fields, expected: list[tuple[str, float | None]]
) -> None:
    assert pairs(read_answer(value, fields)) == expected


@pytest.mark.parametrize(
    ("value", "fields", "message"),
    [
        (None, Fields(), "expected a list of documents, got None"),
        ("abc", Fields(), "got 'abc'"),
        ({}, Fields(), "got an empty object"),
        ({"hits": 3, "took": "x"}, Fields(), "keys 'hits', 'took'; say where it is"),
        ({"a": 3}, Fields("a"), "expected a list at 'a', got 3"),
        ({"a": []}, Fields("a.b"), "nothing at 'a.b' in an object with the keys 'a'"),
        ([{"title": "x"}], Fields(), "document 1: no id in an object with the keys 'title'"),
        ([Document("", {"source": "x"})], Fields(), "metadata of an object with the keys 'source'"),
        ([{"a": 1}], Fields(doc_id="b"), "document 1: no id at 'b'"),
        ([{"id": "a"}], Fields(score="s"), "document 1: no score at 's'"),
        ([""], Fields(), "document 1: doc_id must not be empty"),
        ([1.5], Fields(), "document 1: doc_id must be a string or an integer"),
        (["a\u202eb"], Fields(), "control character"),
        (["a\x1b[2Jb"], Fields(), r"doc_id 'a\\x1b\[2Jb' has the control character '\\x1b'"),
        ([{"id": "a", "score": True}], Fields(), "score must be a number, got True"),
        ((["a", "b"], [2.0, 1.0]), Fields(), r"got two lists; return zip\(ids, scores\)"),
        ([{"id": "a", "score": 1}, {"id": "b", "score": None}], Fields(), "1 of 2 documents have"),
        ({"timed_out": True, "hits": {"hits": []}}, Fields(), "a part of its shards only"),
    ],
)
def test_what_is_no_answer_is_said(value: Any, fields: Fields, message: str) -> None:
    with pytest.raises(AnswerError, match=message):
        read_answer(value, fields)


def test_a_path_does_not_lead_into_the_inside_of_python() -> None:
    with pytest.raises(AnswerError, match=r"no id at '__class__\.__name__'"):
        read_answer([Document("")], Fields(doc_id="__class__.__name__"))


@pytest.mark.parametrize(
    ("scores", "slope"),
    [
        (None, -1),
        ((), -1),
        ((1.0, 1.0), -1),
        ((2.0, 1.0), -1),
        ((1.0, 2.0), 1),
        ((1.0, 2.0, 0.0), 0),
    ],
)
def test_the_slope_of_scores(scores: tuple[float, ...] | None, slope: int) -> None:
    assert Answer(("a",) * len(scores or ()), scores).slope == slope
