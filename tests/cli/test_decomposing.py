"""``ndcg decompose``, and the slices of ``ndcg eval``."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from click.testing import Result

if TYPE_CHECKING:
    from pathlib import Path

Ndcg = Callable[..., Result]
SLICES = ("--slices", "slices.tsv", "--by", "n_terms")


@pytest.fixture
def saved(ndcg: Ndcg, samples: Path, tmp_path: Path) -> list[Path]:
    assert (samples / "qrels.txt").exists()
    paths = []
    for name in ("bm25", "tfidf"):
        path = tmp_path / f"{name}.parquet"
        assert ndcg("eval", "qrels.txt", f"{name}.run.gz", "--save", path).exit_code == 0
        paths.append(path)
    return paths


def test_the_same_queries_have_no_mix(ndcg: Ndcg, saved: list[Path]) -> None:
    told = json.loads(ndcg("decompose", *saved, *SLICES, "--format", "json").stdout)
    assert told["mix"] == pytest.approx(0.0)
    assert told["change"] == pytest.approx(told["within"]) == pytest.approx(-0.0951, abs=1e-4)
    page = ndcg("decompose", *saved, *SLICES).stdout
    assert "nDCG@10 changed by -0.0951: -0.0951 within the kinds of queries" in page
    assert max(map(len, page.splitlines())) <= 80
    assert ndcg("decompose", *saved, *SLICES, "--format", "csv").stdout.startswith("n_terms,share")


def test_a_file_that_is_no_saved_scores_is_refused(ndcg: Ndcg, saved: list[Path]) -> None:
    result = ndcg("decompose", saved[0], "qrels.txt", *SLICES)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "cannot be read as saved scores" in result.stderr


@pytest.mark.usefixtures("samples")
def test_eval_shows_the_means_of_slices(ndcg: Ndcg) -> None:
    asked = ("eval", "qrels.txt", "bm25.run.gz", "minilm.run.gz", "-m", "nDCG@10", *SLICES)
    page = ndcg(*asked).stdout
    assert "n_terms=2   minilm  70  0.5219 [0.425, 0.610]" in page
    told = json.loads(ndcg(*asked, "--format", "json").stdout)
    parts = told["runs"][1]["slices"]
    assert [(part["value"], part["n"]) for part in parts] == [("1", 56), ("2", 70), ("3+", 9)]
    assert parts[1]["measures"]["nDCG@10"]["mean"] == pytest.approx(0.5219, abs=1e-4)
    plain = json.loads(ndcg(*asked, "--no-ci", "--format", "json").stdout)
    assert plain["runs"][0]["slices"][0]["measures"]["nDCG@10"]["interval"] is None
    rows = list(csv.DictReader(io.StringIO(ndcg(*asked, "--format", "csv").stdout)))
    assert len(rows) == 6
    assert float(rows[4]["nDCG@10"]) == parts[1]["measures"]["nDCG@10"]["mean"]


@pytest.mark.usefixtures("samples")
def test_slices_need_a_file_and_known_names(ndcg: Ndcg) -> None:
    asked = ("eval", "qrels.txt", "bm25.run.gz")
    assert "say which with --slices FILE" in ndcg(*asked, "--by", "n_terms").stderr
    wrong = ndcg(*asked, "--slices", "slices.tsv", "--by", "terms")
    assert (wrong.exit_code, wrong.stdout) == (2, "")
    assert "did you mean 'n_terms'?" in wrong.stderr


def test_a_slice_whose_lists_are_empty_has_no_judged_share(ndcg: Ndcg, worked: Path) -> None:
    (worked / "qrels.txt").write_text("q1 0 d2 3\nq2 0 d2 1\n")
    (worked / "s.tsv").write_text("qid\tkind\nq1\tfull\nq2\tempty\n")
    asked = ("eval", "qrels.txt", "a.run", "--slices", "s.tsv", "--format", "json")
    parts = json.loads(ndcg(*asked).stdout)["runs"][0]["slices"]
    judged = {part["value"]: part["measures"]["Judged@10"] for part in parts}
    assert judged["empty"] == {"mean": None, "interval": None, "n": 0, "bounds": None}
    assert judged["full"]["n"] == 1
