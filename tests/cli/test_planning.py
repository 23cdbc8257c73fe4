from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import ndcg.samples
from ndcg.cli import main

SAMPLES = Path(next(iter(ndcg.samples.__path__)))


def call(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments))


@pytest.fixture
def saved(tmp_path: Path) -> list[str]:
    paths = []
    for name in ("bm25", "tfidf"):
        path = str(tmp_path / f"{name}.parquet")
        result = call(
            "eval", str(SAMPLES / "qrels.txt"), str(SAMPLES / f"{name}.run.gz"), "--save", path
        )
        assert result.exit_code == 0
        paths.append(path)
    return paths


def test_plan_prints_the_known_costs() -> None:
    page = call("plan", "--effect", "0.02", "--sd", "0.2", "-n", "300", "--depth", "10").stdout
    assert "787 queries" in page
    assert "    300     10         15       1    4500  31.25   1875  0.032" in page
    assert "more queries at shallow depth first" in page


def test_plan_takes_its_deviation_from_two_saved_runs(saved: list[str]) -> None:
    told = json.loads(call("plan", *saved, "--effect", "0.05", "--format", "json").stdout)
    assert told["origin"] == " and ".join(saved)
    assert 0.2 < told["sd"] < 0.25
    assert told["required"] > 100


@pytest.mark.parametrize("format_", ["csv", "md"])
def test_plan_in_other_formats(format_: str) -> None:
    assert (
        "4500"
        in call("plan", "--sd", "0.2", "-n", "300", "--depth", "10", "--format", format_).stdout
    )


def test_plan_refuses_what_it_cannot_use(saved: list[str]) -> None:
    both = call("plan", *saved, "--sd", "0.2")
    assert (both.exit_code, both.stdout) == (2, "")
    assert "not both" in both.stderr
    assert "takes two saved score files, got 1" in call("plan", saved[0]).stderr
    assert "do not differ on 135 shared queries" in call("plan", saved[0], saved[0]).stderr


def test_audit_says_what_a_figure_can_support() -> None:
    page = call("audit", "-n", "300", "--mean", "0.45", "--baseline", "0.43").stdout
    assert "mean 0.4500: [0.3733, 0.5284]" in page
    assert "valid whatever the scores" in page.replace("\n ", "")
    narrow = call("audit", "-n", "300", "--mean", "0.45", "--sd", "0.3").stdout
    assert "[0.4159, 0.4841]" in narrow
    exact = call("audit", "-n", "10", "--mean", "1", "--binary").stdout
    assert "exact: every score is 0 or 1" in exact


def test_audit_as_json_and_with_impossible_figures() -> None:
    told = json.loads(
        call("audit", "-n", "50", "--mean", "0.5", "--baseline", "0.4", "--format", "json").stdout
    )
    assert told["schema"] == 1
    assert told["comparison"]["difference"] == pytest.approx(0.1)
    wrong = call("audit", "-n", "50", "--mean", "45")
    assert (wrong.exit_code, wrong.stdout) == (2, "")


def test_reference_shows_published_values_as_approximate() -> None:
    page = call("reference", "scifact").stdout
    assert "0.665" in page
    assert "approximate, for a sanity check only" in page
    assert len(json.loads(call("reference", "--format", "json").stdout)["references"]) == 190
    assert call("reference", "quora", "--format", "csv").stdout.startswith("collection,BM25")


def test_an_unknown_collection_names_the_nearest() -> None:
    result = call("reference", "scifactt")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "did you mean 'SciFact'?" in result.stderr
