"""``ndcg coverage``: the page, its options and its exit code."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from click.testing import Result

if TYPE_CHECKING:
    from pathlib import Path

Ndcg = Callable[..., Result]
RUNS = ("bm25.run.gz", "minilm.run.gz", "tfidf.run.gz")


@pytest.mark.usefixtures("worked")
def test_one_run_has_a_page_and_an_exit_code(ndcg: Ndcg) -> None:
    result = ndcg("coverage", "qrels.txt", "a.run")
    assert result.exit_code == 1
    assert result.stdout.splitlines()[1:] == [
        "",
        "run  judged@10  weighted  minimum  with holes  holes  n",
        "a       0.6000    0.5296   0.6000      1.0000      2  1",
        "",
        "bounds of nDCG@10: unjudged grades 0,1,2,3, closed pool",
        "",
        "run  holes as 0  at least  at most  condensed  unjudged",
        "a        0.6834    0.6834   0.9897     0.9725         2",
        "",
        "holes by query:",
        "",
        "query_id  a",
        "q1        2",
        "",
        "note: a: no list reaches rank 10 (deepest 5)",
        "note: a: judged@10 is 60.0%, below the floor of 90%: 2 documents of its top 10",
        "  were never judged",
        "note: 2 documents to label would fill every hole: ndcg pool RUN... --judged",
        "  QRELS -o pool.jsonl",
    ]


@pytest.mark.parametrize("floor", ["0.6", "60%", "0"])
@pytest.mark.usefixtures("worked")
def test_the_floor_decides_the_exit_code(ndcg: Ndcg, floor: str) -> None:
    assert ndcg("coverage", "qrels.txt", "a.run", "--floor", floor).exit_code == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--floor", "high"), "--floor must be a share such as 0.9 or 90%, got 'high'"),
        (("--floor", "90"), "floor must be a share from 0 to 1, got 90.0"),
        (("-k", "0"), "cutoff of nDCG must be an integer of 1 or more, got 0"),
        (("--grades", "0,1"), "the judgments have grade 3, which is outside the scale 0,1"),
        (("--by", "kind"), "--by names columns of a slice file"),
    ],
)
@pytest.mark.usefixtures("worked")
def test_what_is_wrong_is_said(ndcg: Ndcg, options: tuple[str, ...], message: str) -> None:
    result = ndcg("coverage", "qrels.txt", "a.run", *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr


@pytest.mark.usefixtures("samples")
def test_everything_on_the_page_fits_80_columns(ndcg: Ndcg) -> None:
    result = ndcg("coverage", "qrels.txt", *RUNS, "--slices", "slices.tsv", "-q")
    assert max(map(len, result.stdout.splitlines())) <= 80
    assert "bm25    392     207       122   0.6315   0.5612  -0.0703" in result.stdout
    assert "has_digit=yes" in result.stdout


@pytest.mark.usefixtures("samples")
def test_json_has_every_part(ndcg: Ndcg) -> None:
    result = ndcg("coverage", "qrels.txt", *RUNS, "--format", "json", "-q")
    told = json.loads(result.stdout)
    assert [round(run["judged"], 4) for run in told["runs"]] == [0.7359, 0.3911, 0.6364]
    assert told["below"] == ["bm25", "minilm", "tfidf"]
    assert told["pool_bias"]["tau"] == 1.0
    assert told["completeness"]["found"] == 864
    assert len(told["per_query"]) == 3 * 135
    assert set(told["runs"][0]) >= {"bounds", "condensed", "value", "weighted", "incomplete"}


@pytest.mark.usefixtures("samples")
def test_csv_is_one_table_and_the_rest_is_told(ndcg: Ndcg) -> None:
    result = ndcg("coverage", "qrels.txt", "bm25.run.gz", "--format", "csv")
    assert len(result.stdout.splitlines()) == 2
    assert "note: bm25: judged@10 is 73.6%, below the floor of 90%" in result.stderr
    queries = ndcg("coverage", "qrels.txt", "bm25.run.gz", "--format", "csv", "-q").stdout
    assert len(queries.splitlines()) == 136


def test_saved_scores_are_refused(ndcg: Ndcg, worked: Path) -> None:
    ndcg("eval", "qrels.txt", "a.run", "--save", "s.parquet")
    assert (worked / "s.parquet").exists()
    result = ndcg("coverage", "qrels.txt", "s.parquet")
    assert result.exit_code == 2
    assert "these are saved scores, not a run" in result.stderr


@pytest.mark.usefixtures("samples")
def test_a_sampled_pool_is_estimated_and_other_pools_are_refused(
    ndcg: Ndcg, tmp_path: Path
) -> None:
    runs = ("bm25.run.gz", "minilm.run.gz")
    drawn = ("--judged", "qrels.txt", "--rejudge", "0", "--budget", "300")
    pool = tmp_path / "p.jsonl"
    assert ndcg("pool", *runs, "--method", "sample", *drawn, "-o", pool).exit_code == 0
    lines = [json.loads(line) for line in pool.read_text().splitlines()]
    rated = [json.dumps(row | {"relevance": 1}) for row in lines[:-10]]
    pool.write_text("\n".join(rated))
    merged = tmp_path / "merged.txt"
    assert ndcg("merge", "qrels.txt", pool, "-o", merged).exit_code == 0
    words = ("coverage", str(merged), *runs, "--sample", str(tmp_path / "p.provenance.json"))
    page = ndcg(*words).output
    assert "nDCG@10 estimated from a sample of " in page
    assert "10 documents of 300 in the sample have no judgment" in page
    assert max(map(len, page.splitlines())) <= 80
    told = json.loads(ndcg(*words, "--format", "json").stdout)["sampled"]
    assert [run["run"] for run in told["runs"]] == ["bm25", "minilm"]
    refused = ndcg(*words, "--format", "csv")
    assert refused.exit_code == 2
    assert "--sample is shown by --format table and json" in refused.stderr
    ndcg("pool", *runs, "--method", "rrf", "--budget", "600", "-o", tmp_path / "r.jsonl")
    other = ndcg("coverage", "qrels.txt", *runs, "--sample", tmp_path / "r.provenance.json")
    assert other.exit_code == 2
    assert "nothing can be inferred" in other.stderr
    ndcg("pool", *runs, "--method", "sample", "--budget", "600", "-o", tmp_path / "f.jsonl")
    other = ndcg("coverage", "qrels.txt", *runs, "--sample", tmp_path / "f.provenance.json")
    assert other.exit_code == 2
    assert "drawn as if nothing had been judged" in other.stderr


@pytest.mark.usefixtures("worked")
def test_bounds_may_be_asked_for_and_are_there_anyway(ndcg: Ndcg) -> None:
    words = ("coverage", "qrels.txt", "a.run", "--open-world")
    asked = ndcg(*words, "--bounds")
    assert asked.exit_code == 1
    assert "bounds of nDCG@10" in asked.stdout
    assert asked.stdout == ndcg(*words).stdout
