"""``ndcg pool`` and ``ndcg merge``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Ndcg = Callable[..., Result]
RUNS = ("bm25.run.gz", "tfidf.run.gz", "minilm.run.gz")


@pytest.mark.usefixtures("samples")
def test_the_summary_says_what_there_is_to_judge(ndcg: Ndcg, tmp_path: Path) -> None:
    result = ndcg("pool", *RUNS, "--judged", "qrels.txt", "-o", tmp_path / "pool.jsonl")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[:3] == [
        "2575 unique documents in the top 10 of 3 runs, 19.1 a query over 135 queries;",
        "  34% found by two runs or more; 1161 judged already",
        "to judge: 1461 documents (method depth, seed 0, 47 of them once more); pool",
    ]
    assert lines[5:13] == [
        "run     documents  only in it  judged",
        "bm25         1222         392     879",
        "tfidf        1194         396     725",
        "minilm       1350         902     528",
        "",
        "raters  labels  hours  money",
        "     1    1461  10.15    609",
        "",
    ]
    assert max(map(len, lines)) <= 80
    assert "keep it from them" in result.stderr
    assert (tmp_path / "pool.provenance.json").exists()


@pytest.mark.usefixtures("samples")
def test_nothing_is_written_without_a_path(ndcg: Ndcg) -> None:
    before = sorted(Path().iterdir())
    result = ndcg("pool", *RUNS, "--format", "json", "--raters", "2", "--overlap", "0.1")
    told = json.loads(result.stdout)
    assert told["documents"] == told["candidates"] == 2575
    assert told["costs"][0]["labels"] == round(2575 * 1.1)
    assert sorted(Path().iterdir()) == before


@pytest.mark.usefixtures("samples")
def test_a_sample_shows_its_strata(ndcg: Ndcg) -> None:
    result = ndcg("pool", *RUNS, "--depth", "50", "--method", "sample", "--budget", "1500")
    assert "stratum  ranks  labels  chance" in result.stdout
    assert "1        1-2       565  1.0000" in result.stdout


def test_rated_and_merged_the_pool_fills_the_holes(ndcg: Ndcg, worked: Path) -> None:
    (worked / "docs.tsv").write_text("d7\tseven\n")
    made = ndcg("pool", "a.run", "--judged", "qrels.txt", "--rejudge", "0", "-o", "pool.jsonl",
                "--corpus", "docs.tsv")  # fmt: skip
    assert "note: docs.tsv: no text for 1 of 2 documents" in made.stderr
    text = (worked / "pool.jsonl").read_text()
    (worked / "pool.jsonl").write_text(text.replace('"relevance": null', '"relevance": 0'))
    result = ndcg("merge", "qrels.txt", "pool.jsonl", "-o", "qrels-2.txt")
    assert result.exit_code == 0
    assert result.stdout.startswith("2 judgments added; 5 judgments, qrels ")
    assert ndcg("coverage", "qrels-2.txt", "a.run").exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("pool", "a.run", "--depth", "0"), "depth must be 1 or more, got 0"),
        (("pool", "a.run", "b.run"), "a and b have no query in common"),
        (("pool", "a.run", "--judged", "qrels.txt", "--grades", "0,1"), "outside the scale 0,1"),
        (("pool", "a.run", "--grades", "x"), "--grades must be numbers parted by commas"),
        (("pool", "a.run", "-o", "none/pool.jsonl"), "there is no folder"),
        (("pool", "a.run", "--seconds", "0"), "effort needs seconds above 0"),
        (("merge", "qrels.txt", "a.run", "-o", "out.txt"), "a.run"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_written(
    ndcg: Ndcg, worked: Path, arguments: tuple[str, ...], message: str
) -> None:
    (worked / "b.run").write_text("other Q0 d1 1 1.0 b\n")
    before = sorted(worked.iterdir())
    result = ndcg(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr
    assert sorted(worked.iterdir()) == before
