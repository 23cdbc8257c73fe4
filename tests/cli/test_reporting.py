"""``ndcg report``: a page, a table to paste, charts as files, and the command that repeats them."""

from __future__ import annotations

import html
import json
import re
import shlex
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from click.testing import Result

if TYPE_CHECKING:
    from pathlib import Path

Ndcg = Callable[..., Result]
RUNS = ("qrels.txt", "bm25.run.gz", "tfidf.run.gz", "minilm.run.gz")
FAST = ("--resamples", "99")
MARKDOWN = """\
### minilm against bm25 on RR@10

- **minilm: cannot tell**: coverage is unequal: judged@10 is 73.6% for the baseline and 39.1% for \
the run, and what was never judged counts as not relevant; worse as judged so far, difference \
-0.0939, p 0.010

| run    |      RR@10 |
| ------ | ---------: |
| bm25   | **0.7111** |
| minilm |    0.6172† |

† differs significantly from bm25 at the 0.05 level (paired bootstrap test, corrected by Holm over \
the runs, 99 resamples, seed 7). Significance does not cover what was never judged. Bold: the best \
mean.
"""


def printed_command(page: str) -> list[str]:
    """Return the words of the command that a page or a Markdown answer ends with."""
    found = re.search(r'<pre id="command">(.*?)</pre>|```sh\n(.*?)\n```', page, re.DOTALL)
    assert found is not None
    return shlex.split(html.unescape(found[1] or found[2]))


@pytest.mark.usefixtures("samples")
def test_a_page_is_written_to_the_file_named(ndcg: Ndcg, tmp_path: Path) -> None:
    result = ndcg("report", *RUNS, *FAST, "-o", tmp_path / "report.html")
    assert (result.exit_code, result.output) == (0, "")
    assert (tmp_path / "report.html").read_bytes().startswith(b"<!doctype html>\n")
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.usefixtures("samples")
def test_a_page_without_a_file_is_refused(ndcg: Ndcg) -> None:
    result = ndcg("report", *RUNS, *FAST)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "ndcg: a page needs a file to go to, such as -o report.html\n"


@pytest.mark.usefixtures("samples")
@pytest.mark.parametrize("name", ["report.html", "report.md", "report.tex", "report.json"])
def test_the_command_in_a_result_makes_it_again(ndcg: Ndcg, tmp_path: Path, name: str) -> None:
    path = tmp_path / "a folder; 'quoted'" / name
    path.parent.mkdir()
    how = ("-m", "nDCG@10", "-m", "AP", "--test", "permutation", "--correction", "maxt")
    slices = ("--slices", "slices.tsv", "--by", "n_terms")
    given = ["report", *RUNS, *FAST, *how, *slices, "--seed", "5", "-o", str(path)]
    assert ndcg(*given).exit_code == 0
    first = path.read_bytes()
    text = first.decode()
    if name.endswith("tex"):
        words = shlex.split(text.splitlines()[-1].removeprefix("% "))
    elif name.endswith("json"):
        words = shlex.split(json.loads(text)["command"])
    else:
        words = printed_command(text)
    assert words == ["ndcg", *given]
    path.unlink()
    assert ndcg(*words[1:]).exit_code == 0
    assert path.read_bytes() == first


@pytest.mark.usefixtures("samples")
def test_the_options_of_compare_reach_the_page(ndcg: Ndcg, tmp_path: Path) -> None:
    page = tmp_path / "r.html"
    options = ("--test", "t", "--correction", "none", "--margin", "0.02", "--level", "0.9")
    slices = ("--slices", "slices.tsv", "--by", "n_terms", "--as", "pytrec_eval", "-m", "map")
    ndcg("report", *RUNS, *options, *slices, "-o", page)
    text = page.read_text("utf-8")
    assert "paired t test, corrected by nothing, level 0.9, margin 0.02." in text
    assert "as pytrec_eval: " in text
    assert "Slices, AP" in text
    assert "n_terms = 2" in text
    assert "has_digit" not in text


@pytest.mark.usefixtures("samples")
def test_markdown_holds_verdicts_table_legend_and_notes(ndcg: Ndcg) -> None:
    options = ("-m", "RR@10", "--seed", "7", *FAST, "--format", "md")
    result = ndcg("report", "qrels.txt", "bm25.run.gz", "minilm.run.gz", *options)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith(MARKDOWN)
    assert "| minilm |    -0.0939 | " in result.stdout
    assert "\n- 19 of 135 judged queries have no relevant document: counted as 0\n" in result.stdout
    assert result.stdout.endswith(f"```sh\nndcg report qrels.txt bm25.run.gz minilm.run.gz "
                                  f"{shlex.join(options)}\n```\n")  # fmt: skip


@pytest.mark.usefixtures("samples")
def test_the_best_is_bold_only_where_it_is_sure(ndcg: Ndcg) -> None:
    close = ("report", "qrels.txt", "tfidf.run.gz", "minilm.run.gz", *FAST, "--format", "latex")
    assert r"\textbf{0.5364}" in ndcg(*close).stdout
    assert r"\textbf" not in ndcg(*close, "--bold-significant").stdout


@pytest.mark.usefixtures("samples")
def test_a_named_form_goes_before_the_ending(ndcg: Ndcg, tmp_path: Path) -> None:
    ndcg("report", *RUNS, *FAST, "--format", "md", "-o", tmp_path / "answer.json")
    assert (tmp_path / "answer.json").read_text("utf-8").startswith("### tfidf, minilm against")


@pytest.mark.usefixtures("samples")
def test_json_has_the_comparison_its_versions_and_runs(ndcg: Ndcg) -> None:
    compared = json.loads(ndcg("compare", *RUNS, *FAST, "--format", "json").stdout)
    told = json.loads(ndcg("report", *RUNS, *FAST, "--format", "json").stdout)
    assert told.keys() - compared.keys() == {"runs", "versions", "command"}
    assert {key: told[key] for key in compared} == compared
    assert [run["name"] for run in told["runs"]] == ["bm25", "tfidf", "minilm"]


@pytest.mark.usefixtures("samples")
def test_charts_are_written_beside_any_form(ndcg: Ndcg, tmp_path: Path) -> None:
    options = ("--format", "md", "--charts", tmp_path / "charts", "--chart-format", "pdf")
    assert ndcg("report", *RUNS, *FAST, *options, "--slices", "slices.tsv").exit_code == 0
    assert [path.name for path in sorted((tmp_path / "charts").iterdir())] == [
        "coverage.pdf", "differences.pdf", "queries-minilm.pdf", "queries-tfidf.pdf", "scores.pdf",
        "slices.pdf",
    ]  # fmt: skip


@pytest.mark.parametrize("arguments", [("-o", "r.html"), ("--format", "md", "--charts", "charts")])
@pytest.mark.usefixtures("samples")
def test_a_missing_package_is_told_before_anything_is_read(
    ndcg: Ndcg, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    result = ndcg("report", "no-such-file", "x", "y", *arguments)
    assert result.exit_code == 2
    assert result.stderr == ('ndcg: vl_convert is not installed; run: pip install "ndcg[report]"\n')


@pytest.mark.parametrize("form", ["md", "latex", "json"])
@pytest.mark.usefixtures("samples")
def test_text_needs_no_package(ndcg: Ndcg, monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    for package in ("altair", "vl_convert", "jinja2"):
        monkeypatch.setitem(sys.modules, package, None)
    assert ndcg("report", *RUNS, *FAST, "--format", form).exit_code == 0
