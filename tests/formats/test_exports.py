"""Exports of other programs: judgments and runs out of their JSON, and what is refused."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from ndcg import InputError, as_qrels, as_run, evaluate

if TYPE_CHECKING:
    from pathlib import Path

REQUEST = {
    "requests": [
        {"id": "q1", "ratings": [{"_index": "i", "_id": "d1", "rating": 3}]},
        {"id": "q2", "ratings": [{"_index": "i", "_id": "d1", "rating": 0}]},
    ],
    "metric": {"dcg": {"k": 10}},
}
RESPONSE = {
    "metric_score": 0.5,
    "details": {
        "q1": {
            "metric_score": 0.5,
            "hits": [
                {"hit": {"_index": "i", "_id": "d2", "_score": 2.5}, "rating": None},
                {"hit": {"_index": "i", "_id": "d1", "_score": 1.5}, "rating": 3},
            ],
        },
        "q2": {"hits": [{"hit": {"_id": "d7", "_score": None}, "rating": 1}]},
    },
}
OPENSEARCH = {
    "name": "list",
    "judgmentRatings": [
        {"query": "red shoes", "ratings": [{"docId": "d1", "rating": "2.0"}]},
        {"query": "lamp", "ratings": [{"docId": "d1", "rating": 0.5}]},
    ],
}


def task(query: str, doc: str, *values: Any, **more: Any) -> dict[str, Any]:
    results = [{"result": [{"value": value}]} | more for value in values]
    return {"id": 7, "data": {"query_id": query, "doc_id": doc}, "annotations": results}


@pytest.fixture(params=[None, 2])
def write(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    """Return a function that writes JSON, on one line and on many."""

    def written(content: Any) -> Path:
        path = tmp_path / "export.json"
        path.write_text(json.dumps(content, indent=request.param))
        return path

    return written


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (REQUEST, {"q1": {"d1": 3}, "q2": {"d1": 0}}),
        (RESPONSE, {"q1": {"d1": 3}, "q2": {"d7": 1}}),
        (OPENSEARCH, {"red shoes": {"d1": 2}, "lamp": {"d1": 0.5}}),
        (
            [
                task("q1", "d1", {"rating": 3}, {"rating": 3}),
                task("q1", "d2", {"choices": ["1"]}),
                task("q2", "d2", {"number": 0.5}),
                task("q3", "d2", {"rating": 1}, was_cancelled=True),
            ],
            {"q1": {"d1": 3, "d2": 1}, "q2": {"d2": 0.5}},
        ),
    ],
    ids=["request", "response", "opensearch", "label studio"],
)
def test_judgments_of_an_export(write: Any, content: Any, expected: Any) -> None:
    assert as_qrels(write(content)).lookup == expected


def test_a_run_of_a_rank_eval_response(write: Any) -> None:
    path = write(RESPONSE)
    assert as_run(path).lookup == {"q1": {"d2": 2.5, "d1": 1.5}, "q2": {"d7": -1.0}}
    assert evaluate(path, path, "RR").mean()["RR"] == 0.75


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"requests": [{"id": "q", "ratings": [{"_id": "d"}]}]}, r"ratings\[0\]: no 'rating'"),
        ({"requests": [{"ratings": []}]}, r"requests\[0\]: no 'id' in it"),
        ({"requests": []}, "nothing judged in it"),
        (
            {"judgmentRatings": [{"query": "q", "ratings": [{"docId": "d", "rating": "high"}]}]},
            "grade must be a number, got 'high'",
        ),
        ([task("q", "d", {"rating": 1}, {"rating": 2})], "task 7: document 'd' stands twice"),
        ([task("q", "d", {"taxonomy": []})], "task 7: no rating, number or choice"),
        ([{"annotations": [], "data": {"text": "x"}}], "task 0: no 'query_id' in it"),
    ],
)
def test_entries_that_are_no_judgments_are_refused(write: Any, content: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        as_qrels(write(content))


@pytest.mark.parametrize("content", [REQUEST, OPENSEARCH, [task("q", "d", {"rating": 1})]])
def test_judgments_where_a_run_belongs_are_refused(write: Any, content: Any) -> None:
    with pytest.raises(InputError, match="these are judgments, not a run"):
        as_run(write(content))


def test_quepids_csv_has_columns_that_are_known(tmp_path: Path) -> None:
    (tmp_path / "ratings.csv").write_text("query,docid,rating\nred shoes,d1,3\nlamp,d2,0\n")
    assert as_qrels(tmp_path / "ratings.csv").lookup == {"red shoes": {"d1": 3}, "lamp": {"d2": 0}}
