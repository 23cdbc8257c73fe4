"""The pull-request comment: what is seen first, what is folded, what no reader may break."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from ndcg import OptionError, as_qrels, as_run
from ndcg.reporting import comment
from ndcg.reporting.comment import marker, render_comment
from ndcg.reporting.moved_queries import Compared, compare_in_memory

SAMPLES = Path(__file__).parents[2] / "src" / "ndcg" / "samples"
QRELS = SAMPLES / "qrels.txt"
RUNS = {name: SAMPLES / f"{name}.run.gz" for name in ("bm25", "tfidf", "minilm")}
UP, DOWN = {"good": 2.0, "poor": 1.0}, {"poor": 2.0, "good": 1.0}


def made(names: tuple[str, str] = ("main", "change"), **options: Any) -> Compared:
    """Return thirty queries, all of which fall from rank 1 to 2."""
    qrels = {f"q{i:02}": {"good": 3, "poor": 0} for i in range(30)}
    runs = {names[0]: dict.fromkeys(qrels, UP), names[1]: dict.fromkeys(qrels, DOWN)}
    return compare_in_memory(qrels, runs, "nDCG@10", n_resamples=199, **options)


@pytest.fixture(scope="module")
def sample() -> Compared:
    few = {name: RUNS[name] for name in ("bm25", "minilm")}
    slices = SAMPLES / "slices.tsv"
    return compare_in_memory(QRELS, few, "nDCG@10", slices=slices, n_resamples=199)


def test_the_verdict_comes_first(sample: Compared) -> None:
    lines = render_comment(sample).splitlines()
    assert lines[0] == "<!-- ndcg compare: default -->"
    assert lines[2] == "### ◆ cannot tell: `minilm` against `bm25` on nDCG@10"
    assert lines[4].startswith("- ◆ `minilm`, nDCG@10: **cannot tell**, coverage is unequal: ")


def test_the_table_has_every_number(sample: Compared) -> None:
    rows = [line for line in render_comment(sample).splitlines() if line.startswith("| `minilm`")]
    numbers = sample.comparison.pairs[0].numbers
    assert numbers.interval is not None
    low, high = numbers.interval
    assert rows[0].split(" | ")[1:8] == [
        *("nDCG@10", "135", "0.6315", "0.5042", "-0.1273"),
        *(f"[{low:+.3f}, {high:+.3f}]", f"{numbers.pvalue_corrected:.3f}"),
    ]


def test_details_are_folded(sample: Compared) -> None:
    text = render_comment(sample)
    found = re.findall(r"<details><summary>(.*?)</summary>\n\n(.*?)\n\n</details>", text, re.DOTALL)
    parts = dict(found)
    assert list(parts) == ["queries that moved most", "slices", "notices", "how it was made"]
    for query, _ in sample.comparison.pairs[0].moved:
        assert f"| `{query}` |" in parts["queries that moved most"]
    assert len(parts["notices"].splitlines()) == len(sample.comparison.notices)
    assert f"- qrels: digest {as_qrels(QRELS).digest[:12]}, 135" in parts["how it was made"]
    assert f"- run minilm: digest {as_run(RUNS['minilm']).digest[:12]}" in parts["how it was made"]


def test_many_runs_are_counted_the_worst_first() -> None:
    found = compare_in_memory(QRELS, RUNS, ["nDCG@10", "AP"], n_resamples=199)
    lines = render_comment(found).splitlines()
    assert lines[2] == "### ◆ 4 cannot tell, against `bm25`"
    assert [line[:17] for line in lines[4:8]] == [
        *("- ◆ `tfidf`, nDCG", "- ◆ `minilm`, nDC"),
        *("- ◆ `tfidf`, AP: ", "- ◆ `minilm`, AP:"),
    ]


def test_a_document_that_fell_is_named() -> None:
    text = render_comment(made())
    assert "### ▼ worse: `change` against `main` on nDCG@10" in text
    row = "| `q00` | 1.0000 | 0.6309 | -0.3691 | `good` grade 3: rank 1 -> 2 (-0.3691) |"
    assert row in text.splitlines()


def test_a_slice_that_lost_is_said_before_the_details() -> None:
    slices = {f"q{i:02}": {"kind": "head" if i < 15 else "tail"} for i in range(30)}
    text = render_comment(made(slices=slices))
    head = text.partition("<details>")[0]
    assert (
        "**Slices that lost beyond noise:** `kind=head` (`change`, nDCG@10: -0.3691, n 15)" in head
    )


def test_names_cannot_break_the_page() -> None:
    names = ("ma`in", "@octo|cat <b>")
    text = render_comment(made(names))
    assert "`` ma`in ``" not in text
    assert "against ``ma`in`` on" in text
    (row,) = [line for line in text.splitlines() if line.startswith("| `@octo")]
    assert row.startswith("| `@octo\\|cat <b>` | nDCG@10 |")
    assert "- run @\u200bocto\\|cat \\<b>: digest" in text


def test_bounds_have_a_column() -> None:
    text = render_comment(made(bounds=True))
    assert "| MDE | bounds |" in text
    assert "settled: every document in the top 10 is judged" in text


def test_what_is_too_long_is_left_out_and_said(
    monkeypatch: pytest.MonkeyPatch, sample: Compared
) -> None:
    monkeypatch.setattr(comment, "_LIMIT", 3000)
    text = render_comment(sample)
    assert len(text) <= 3000
    assert re.search(r"^Left out, too long for a comment: \w", text, re.MULTILINE)


def test_a_key_names_the_comment() -> None:
    assert render_comment(made(), key="nightly").startswith("<!-- ndcg compare: nightly -->\n")
    with pytest.raises(OptionError, match="key must be letters"):
        marker("a --> b")
