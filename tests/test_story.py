"""The tutorial, run: judgments of one system's pool mislead, and judging the rest puts it right."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner

import ndcg
from ndcg import as_qrels, as_run, nDCG
from ndcg.cli import main

ROOT = Path(__file__).parents[1]
GOLDEN = ROOT / "tests" / "golden"
TUTORIAL = (ROOT / "docs" / "tutorial.md").read_text()


def steps() -> list[tuple[str, list[str]]]:
    """Return each command of the tutorial, and the lines that it shows."""
    prose = re.sub(r"```.*?```", "", TUTORIAL, flags=re.DOTALL)
    blocks = re.findall(r"(?:^ {4}.*\n)+", prose, re.MULTILINE)
    found: list[tuple[str, list[str]]] = []
    for block in blocks:
        lines = [line[4:] for line in block.splitlines()]
        if lines[0].startswith("ndcg "):
            assert len(lines) == 1
            found.append((lines[0], []))
        else:
            found[-1][1].extend(lines)
    return found


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in a folder with what the tutorial has copied, and its script."""
    folder = GOLDEN / "vaswani"
    for name in ("tfidf.run.gz", "minilm.run.gz"):
        shutil.copy(folder / "runs" / name, tmp_path)
    shutil.copy(folder / "qrels.txt", tmp_path / "truth.txt")
    (code,) = re.findall(r"```python\n(.*?)```", TUTORIAL, re.DOTALL)
    (tmp_path / "rate.py").write_text(code)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_step_of_the_tutorial_prints_what_the_page_shows(desk: Path) -> None:
    told = steps()
    assert len(told) == 7
    for command, shown in told:
        words = shlex.split(command)
        result = CliRunner().invoke(main, words[1:], catch_exceptions=False)
        # Below the floor of judged@10 or undecided: said by the exit code, no failure.
        assert result.exit_code in {0, 1, 3}, result.output
        printed = result.output.splitlines()
        assert shown
        for line in shown:
            assert any(one.startswith(line) for one in printed), line
        if words[1] == "pool":
            rated = subprocess.run([sys.executable, "rate.py", words[-1]], check=True, cwd=desk)
            assert rated.returncode == 0


@pytest.mark.parametrize(
    ("collection", "first", "second", "then"),
    [
        ("vaswani", "tfidf", "minilm", "better"),
        ("cranfield", "bm25", "minilm", "no difference"),
        ("dl19-passage", "bm25-quantised", "llama3.3-70b-setwise-r100", "better"),
    ],
)
def test_a_pool_of_one_system_misleads_and_the_rest_of_it_does_not(
    collection: str, first: str, second: str, then: str
) -> None:
    folder = GOLDEN / collection
    truth = as_qrels(next(folder.glob("qrels.txt*"))).frame
    runs = {name: as_run(next((folder / "runs").glob(f"{name}.*"))) for name in (first, second)}
    queries = truth.select("query_id").unique()

    def rate(pool: ndcg.Pool) -> pl.DataFrame:
        pairs = pool.frame.select("query_id", "doc_id").join(queries, on="query_id", how="semi")
        rated = pairs.join(truth, on=["query_id", "doc_id"], how="left")
        return rated.with_columns(pl.col("relevance").fill_null(0.0))

    scale = tuple(range(5))
    judged = rate(ndcg.pool({first: runs[first]}, grades=scale))

    def compare(qrels: pl.DataFrame) -> ndcg.Pair:
        return ndcg.compare(qrels, runs, nDCG @ 10, bounds={"grades": scale}, seed=0).pairs[0]

    wrong = compare(judged)
    rest = rate(ndcg.pool(runs, judged=judged, rejudge=0, grades=scale))
    right = compare(pl.concat([judged, rest]))
    assert wrong.numbers.difference < -0.1
    assert wrong.numbers.pvalue is not None
    assert wrong.numbers.pvalue < 0.01
    assert wrong.verdict.word == "cannot tell"
    assert "coverage is unequal" in str(wrong.verdict)
    assert "not settled" in str(wrong.verdict)
    assert right.numbers.difference > 0.01
    assert right.verdict.word == then
    assert "not settled" not in str(right.verdict)
