from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING

from click.testing import Result

if TYPE_CHECKING:
    from pathlib import Path

Ndcg = Callable[..., Result]


def beir_folder(root: Path) -> Path:
    folder = root / "beir"
    (folder / "qrels").mkdir(parents=True)
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td2\t3\nq1\td4\t2\n")
    query = {"_id": "q1", "text": "a short question"}
    (folder / "queries.jsonl").write_text(json.dumps(query) + "\n")
    rows = [
        {"_id": "d2", "title": "Second", "text": "what the second document says at some length"},
        {"_id": "d4", "title": "", "text": "fourth"},
        {"_id": "other", "text": "never shown"},
    ]
    (folder / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


def test_a_beir_folder_brings_its_texts_along(ndcg: Ndcg, worked: Path) -> None:
    page = ndcg("explain", beir_folder(worked), "a.run", "q1").stdout
    assert "query q1: a short question" in page
    assert "Second. what the second…" in page
    assert "fourth" in page
    assert "never shown" not in page


def test_texts_may_be_named(ndcg: Ndcg, worked: Path) -> None:
    (worked / "docs.tsv").write_text("d2\tthe second\nd7\tthe hole\n")
    page = ndcg("explain", "qrels.txt", "a.run", "q1", "--corpus", "docs.tsv").stdout
    assert "the second" in page
    assert "the hole" in page
    assert max(map(len, page.splitlines())) <= 80


def test_a_wrong_corpus_is_refused_with_its_line(ndcg: Ndcg, worked: Path) -> None:
    (worked / "docs.tsv").write_text("d2\tthe second\nno tab\n")
    result = ndcg("explain", "qrels.txt", "a.run", "q1", "--corpus", "docs.tsv")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "docs.tsv:2: expected id TAB text" in result.stderr
