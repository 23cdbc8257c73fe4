"""``ndcg next``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

OTHER = "q1 Q0 d4 1 5 other\nq1 Q0 d8 2 4 other\nq1 Q0 d9 3 3 other\n"


@pytest.mark.usefixtures("samples")
def test_next_names_the_documents_the_labels_and_the_money(ndcg: Any) -> None:
    result = ndcg("next", "qrels.txt", "bm25.run.gz", "minilm.run.gz", "-n", "3", "--rate", "60")
    assert result.exit_code == 0, result.output
    assert "minilm less bm25, nDCG@10: not settled" in result.output
    assert "enough to stop, if a belief is enough" in result.output
    assert "expected until settled: " in result.output
    table = result.output.split("rank in minilm")[1].split("\n\n")[0].splitlines()
    assert len(table) == 4
    assert max(map(len, result.output.splitlines())) <= 80


def test_next_writes_the_labels_alone_as_csv_and_all_as_json(ndcg: Any, worked: Path) -> None:
    (worked / "b.run").write_text(OTHER)
    result = ndcg("next", "qrels.txt", "a.run", "b.run", "--format", "csv")
    assert result.stdout.splitlines()[0] == "next,query_id,doc_id,rank in a,rank in b,value"
    assert len(result.stdout.splitlines()) == 4
    assert "not settled" in result.stderr
    words = ("next", "qrels.txt", "a.run", "b.run", "--rate", "40", "--format", "json")
    found = json.loads(ndcg(*words).stdout)
    assert {row["doc_id"] for row in found["next"]} == {"d1", "d7", "d8"}
    assert found["expected_money"] == found["expected_hours"] * 40


def test_next_of_a_settled_pair_says_so(ndcg: Any, worked: Path) -> None:
    (worked / "b.run").write_text("q1 Q0 d9 1 1 b\n")
    (worked / "c.run").write_text("q1 Q0 d2 1 1 c\n")
    result = ndcg("next", "qrels.txt", "b.run", "c.run")
    assert result.exit_code == 0
    assert "no label can change who is ahead" in result.output


def test_next_refuses_what_it_cannot_do(ndcg: Any, worked: Path) -> None:
    (worked / "b.run").write_text(OTHER)
    none = ndcg("next", "qrels.txt", "a.run", "b.run", "-n", "0")
    assert none.exit_code == 2
    assert "n must be 1 label or more, got 0" in none.stderr
    outside = ndcg("next", "qrels.txt", "a.run", "b.run", "--grades", "0,1")
    assert outside.exit_code == 2
    assert "scale" in outside.stderr
    assert none.stdout == outside.stdout == ""
