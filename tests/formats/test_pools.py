"""Rated pools are read as judgments; what is not rated is counted."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from ndcg import InputError, as_qrels, as_run, pool

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def rated(tmp_path: Path) -> Path:
    """Return a pool of four documents of which two are rated."""
    run = {"q": {doc: float(place) for place, doc in enumerate("abcd")}}
    path = tmp_path / "pool.jsonl"
    pool(run).write(path)
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    rows[1]["relevance"], rows[3]["relevance"] = 2, 0
    write(path, rows)
    return path


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("\n\n".join(json.dumps(row) for row in rows))


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines() if line]


def test_only_what_is_rated_counts_and_the_rest_is_told(rated: Path) -> None:
    qrels = as_qrels(rated)
    rows = rows_of(rated)
    assert qrels.lookup == {"q": {rows[1]["doc_id"]: 2, rows[3]["doc_id"]: 0}}
    assert [(notice.code, notice.text) for notice in qrels.notices] == [
        ("unrated", f"{rated}: 2 documents of the pool not rated yet: left out")
    ]


def test_a_grade_outside_the_scale_is_named_with_its_line(rated: Path) -> None:
    rows = rows_of(rated)
    rows[3]["relevance"] = 7
    write(rated, rows)
    with pytest.raises(InputError, match=r"pool.jsonl:7: relevance 7 is outside the scale 0,1,2,3"):
        as_qrels(rated)


def test_a_grade_that_is_no_number_is_named_with_its_line(rated: Path) -> None:
    rows = rows_of(rated)
    rows[1]["relevance"] = "good"
    write(rated, rows)
    with pytest.raises(InputError, match=r"pool.jsonl:3: relevance must be a number, got 'good'"):
        as_qrels(rated)


def test_a_document_rated_twice_differently_is_named_with_its_lines(rated: Path) -> None:
    rows = rows_of(rated)
    rows[2] = rows[1] | {"relevance": 3}
    write(rated, rows)
    with pytest.raises(InputError, match=r"pool.jsonl:5.*first at .*pool.jsonl:3"):
        as_qrels(rated)


def test_a_pool_that_nobody_rated_gives_no_number(rated: Path) -> None:
    write(rated, [row | {"relevance": None} for row in rows_of(rated)])
    with pytest.raises(InputError, match="none of the 4 documents of this pool is rated yet"):
        as_qrels(rated)


def test_a_pool_is_no_run(rated: Path) -> None:
    with pytest.raises(InputError, match="this is a pool to be rated, not a run"):
        as_run(rated)


def test_null_grades_elsewhere_stay_an_error(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_text('{"query_id": "q", "doc_id": "a", "relevance": null}\n')
    with pytest.raises(InputError, match="relevance must be a number"):
        as_qrels(path)
