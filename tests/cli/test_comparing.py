from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

import ndcg.samples
from ndcg.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable

SAMPLES = Path(next(iter(ndcg.samples.__path__)))
QRELS = str(SAMPLES / "qrels.txt")
BM25, TFIDF, MINILM = (str(SAMPLES / f"{name}.run.gz") for name in ("bm25", "tfidf", "minilm"))
FAST = ("--resamples", "199")


def call(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments))


def test_verdicts_come_first_then_the_numbers() -> None:
    result = call("compare", QRELS, BM25, TFIDF, MINILM, *FAST)
    assert result.exit_code == 3
    page = result.stdout
    assert page.index("minilm: CANNOT TELL") < page.index("w/t/l") < page.index("ndcg explain")
    assert "199 resamples, seed 0" in page.replace("\n ", "")
    assert max(map(len, page.splitlines())) <= 80


def test_the_exit_code_is_the_verdicts(tmp_path: Path) -> None:
    qrels, old, new = {}, {}, {}
    for i in range(40):
        query = f"q{i}"
        qrels[query] = {"a": 1, "b": 0}
        old[query] = {"a": 2.0, "b": 1.0}
        new[query] = {"a": 1.0, "b": 2.0} if i < 20 else {"a": 2.0, "b": 1.0}
    paths = {}
    for name, table in (("qrels", qrels), ("old", old), ("new", new)):
        paths[name] = str(tmp_path / f"{name}.json")
        Path(paths[name]).write_text(json.dumps(table), encoding="utf-8")
    codes = [
        call("compare", paths["qrels"], *pair, *FAST).exit_code
        for pair in (
            (paths["old"], paths["new"]),
            (paths["new"], paths["old"]),
        )
    ]
    assert codes == [1, 0]


def test_json_keeps_its_contract() -> None:
    result = call("compare", QRELS, BM25, TFIDF, *FAST, "--format", "json")
    told = json.loads(result.stdout)
    assert told["schema"] == 1
    assert told["baseline"] == "bm25"
    assert {
        "run", "measure", "n", "means", "difference", "interval", "p", "p_corrected",
        "effect_size", "wins", "ties", "losses", "mde", "judged", "bounds", "settled", "verdict",
        "reasons", "moved",
    } <= set(told["pairs"][0])  # fmt: skip
    assert told["pairs"][0]["verdict"] == "cannot tell"


def test_slices_are_chosen_by_name() -> None:
    slices = str(SAMPLES / "slices.tsv")
    page = call("compare", QRELS, BM25, TFIDF, *FAST, "--slices", slices, "--by", "n_terms").stdout
    assert "n_terms=2" in page
    assert "has_digit" not in page
    wrong = call("compare", QRELS, BM25, TFIDF, "--slices", slices, "--by", "terms")
    assert wrong.exit_code == 2
    assert "no slice named 'terms'; did you mean 'n_terms'?" in wrong.stderr


def test_by_without_slices_is_refused() -> None:
    result = call("compare", QRELS, BM25, TFIDF, "--by", "n_terms")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "say which with --slices FILE" in result.stderr


@pytest.mark.parametrize("format_", ["csv", "tsv", "md", "latex"])
def test_other_formats_hold_the_pairs_and_tell_the_rest_beside(format_: str) -> None:
    result = call("compare", QRELS, BM25, TFIDF, *FAST, "--format", format_)
    assert "tfidf" in result.stdout
    assert "qrels 06accd2cc85e" in result.stdout + result.stderr


def test_saved_scores_are_compared_like_runs(tmp_path: Path) -> None:
    saved = str(tmp_path / "bm25.parquet")
    assert call("eval", QRELS, BM25, "--save", saved).exit_code == 0
    fresh = call("compare", QRELS, BM25, TFIDF, *FAST, "--format", "json").stdout
    again = call("compare", QRELS, saved, TFIDF, *FAST, "--format", "json").stdout
    assert json.loads(again)["pairs"] == json.loads(fresh)["pairs"]


def test_saved_scores_under_other_rules_are_refused(tmp_path: Path) -> None:
    saved = str(tmp_path / "old.parquet")
    call("eval", QRELS, BM25, "--save", saved, "--as", "pytrec_eval")
    result = call("compare", QRELS, saved, TFIDF, *FAST)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "has another convention" in result.stderr


def test_all_pairs_and_margins() -> None:
    page = call("compare", QRELS, BM25, TFIDF, MINILM, *FAST, "--all-pairs").stdout
    assert "minilm against tfidf" in page
    assert "randomised Tukey HSD" in page
    assert "margin 0.02" in call("compare", QRELS, BM25, TFIDF, *FAST, "--margin", "0.02").stdout
    both = call("compare", QRELS, BM25, TFIDF, "--all-pairs", "--margin", "0.02")
    assert both.exit_code == 2


def test_one_run_is_no_comparison() -> None:
    assert call("compare", QRELS, BM25).exit_code == 2


def test_bounds_end_the_verdict_and_fill_the_contract() -> None:
    page = call("compare", QRELS, BM25, MINILM, *FAST, "--bounds").stdout
    assert "not settled: labels for 1121" in page.replace("\n ", "")
    assert "bounds: unjudged grades 0,1,2,3, closed pool" in page.replace("\n ", "")
    assert "[-0.357, +0.471]" in page
    assert max(map(len, page.splitlines())) <= 80
    asked = ("--bounds", "--open-world", "--grades", "0,1,2,3,4", "--format", "json")
    told = json.loads(call("compare", QRELS, BM25, MINILM, *FAST, *asked).stdout)
    assert told["unjudged"] == {"grades": [0, 1, 2, 3, 4], "open_world": True}
    assert told["pairs"][0]["bounds"][0] < -0.357
    assert told["pairs"][0]["settled"] is False
    rows = call("compare", QRELS, BM25, MINILM, *FAST, "--bounds", "--format", "csv").stdout
    assert ",false,cannot tell" in rows


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--grades", "0,1"), "--grades says what bounds assume; add --bounds"),
        (("--open-world",), "--open-world says what bounds assume; add --bounds"),
        (("--bounds", "--grades", "0,x"), "--grades must be numbers parted by commas"),
        (("--bounds", "--grades", "0,1"), "have grade 3, which is outside the scale 0,1"),
        (("--bounds", "-m", "AP"), "bounds are known for nDCG, DCG, CG, P, not AP"),
    ],
)
def test_bad_options_of_bounds_are_told(options: tuple[str, ...], message: str) -> None:
    result = call("compare", QRELS, BM25, MINILM, *FAST, *options)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stdout == ""


def test_a_comment_is_one_file_and_the_code_is_the_gate(
    ndcg: Callable[..., Result], samples: Path, tmp_path: Path
) -> None:
    assert samples.is_dir()
    out = tmp_path / "comment.md"
    arguments = ("compare", "qrels.txt", "bm25.run.gz", "minilm.run.gz", "--format", "comment")
    done = ndcg(*arguments, "--key", "pr", "-o", out)
    assert done.exit_code == 3
    assert out.read_text("utf-8").startswith("<!-- ndcg compare: pr -->\n")
    assert done.stdout == ""
    assert "minilm: cannot tell: coverage is unequal" in done.stderr


def test_a_key_without_a_comment_is_refused(
    ndcg: Callable[..., Result], samples: Path, tmp_path: Path
) -> None:
    assert samples.is_dir()
    files = ("compare", "qrels.txt", "bm25.run.gz", "minilm.run.gz")
    done = ndcg(*files, "--key", "pr")
    assert (done.exit_code, done.stderr) == (
        2,
        "ndcg: --key names a comment; add --format comment\n",
    )
    done = ndcg(*files, "--key", "a b", "--format", "comment", "-o", tmp_path / "comment.md")
    assert done.exit_code == 2
    assert "key must be letters" in done.stderr
    assert list(tmp_path.iterdir()) == []
