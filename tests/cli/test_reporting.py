"""``ndcg report``."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from click.testing import Result

if TYPE_CHECKING:
    from pathlib import Path

Ndcg = Callable[..., Result]
RUNS = ("qrels.txt", "bm25.run.gz", "tfidf.run.gz", "minilm.run.gz")
FAST = ("--resamples", "99")


@pytest.mark.usefixtures("samples")
def test_a_page_is_written_to_the_file_named(ndcg: Ndcg, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    result = ndcg("report", *RUNS, *FAST, "-o", page, "--charts", tmp_path / "charts")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "<!doctype html>" in page.read_text(encoding="utf-8").lower()
    assert [path.suffix for path in sorted((tmp_path / "charts").iterdir())] == [".svg"] * 5


@pytest.mark.usefixtures("samples")
def test_a_page_without_a_file_is_refused(ndcg: Ndcg) -> None:
    result = ndcg("report", *RUNS, *FAST)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "-o report.html" in result.stderr


@pytest.mark.usefixtures("samples")
def test_markdown_holds_verdicts_table_and_legend(ndcg: Ndcg) -> None:
    text = ndcg("report", *RUNS, *FAST, "--format", "md").stdout
    assert "cannot tell" in text
    assert "**0.6315**" in text
    assert "0.5364†" in text or "0.5364 †" in text
    assert "Holm" in text


@pytest.mark.usefixtures("samples")
def test_latex_is_a_booktabs_table(ndcg: Ndcg) -> None:
    text = ndcg("report", *RUNS, *FAST, "--format", "latex").stdout
    assert r"\toprule" in text
    assert r"\textbf{0.6315}" in text
    close = ("qrels.txt", "tfidf.run.gz", "minilm.run.gz")
    plain = ndcg("report", *close, *FAST, "--format", "latex").stdout
    sure = ndcg("report", *close, *FAST, "--format", "latex", "--bold-significant").stdout
    assert (r"\textbf{0.5364}" in plain, r"\textbf{0.5364}" in sure) == (True, False)


@pytest.mark.usefixtures("samples")
def test_json_is_the_comparison_and_where_it_came_from(ndcg: Ndcg) -> None:
    told = json.loads(ndcg("report", *RUNS, *FAST, "--format", "json").stdout)
    assert [pair["run"] for pair in told["pairs"]] == ["tfidf", "minilm"]
    assert told["schema"] == 1


@pytest.mark.usefixtures("samples")
def test_slices_reach_the_page(ndcg: Ndcg, tmp_path: Path) -> None:
    page = tmp_path / "r.html"
    ndcg("report", *RUNS, *FAST, "-o", page, "--slices", "slices.tsv", "--by", "n_terms")
    assert "n_terms = 2" in page.read_text(encoding="utf-8")
