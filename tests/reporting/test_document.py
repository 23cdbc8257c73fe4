"""The page and its charts: what they show is what was compared, and nothing leaves the page."""

from __future__ import annotations

import builtins
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from ndcg.comparison import Comparison, compare
from ndcg.errors import MissingPackageError, OptionError, require
from ndcg.reporting.document import render_report, write_report
from ndcg.reporting.drawing import write_charts
from ndcg.reporting.figures import figures_of
from ndcg.reporting.plots import (
    plot_coverage,
    plot_differences,
    plot_queries,
    plot_scores,
    plot_slices,
)

SAMPLES = Path(__file__).parents[2] / "src" / "ndcg" / "samples"
RUNS = {name: SAMPLES / f"{name}.run.gz" for name in ("bm25", "tfidf", "minilm")}


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    slices = SAMPLES / "slices.tsv"
    return compare(SAMPLES / "qrels.txt", RUNS, ["nDCG@10", "AP"], slices=slices, n_resamples=199)


@pytest.fixture(scope="module")
def page(comparison: Comparison) -> str:
    return render_report(comparison, command="ndcg report 'a b' c")


class Elements(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def elements(page: str, tag: str) -> list[dict[str, str | None]]:
    parser = Elements()
    parser.feed(page)
    return [attributes for name, attributes in parser.found if name == tag]


def test_the_page_needs_nothing_but_itself(page: str) -> None:
    assert elements(page, "script") == []
    assert [one.get("href") for one in elements(page, "link")] == ["data:,"]
    addresses = re.findall(r'(?:href|src|url\()\s*=?\s*["\']?(https?:[^"\')\s]+)', page)
    assert addresses == []


def test_every_figure_has_a_title_a_text_alternative_and_its_numbers(
    page: str, comparison: Comparison
) -> None:
    figures = list(figures_of(comparison))
    drawings = elements(page, "svg")
    assert len(drawings) == len(figures) > 5
    assert all(one.get("role") == "img" for one in drawings)
    assert page.count("<desc") == len(figures)
    assert len({figure.title for figure in figures}) == len(figures)
    assert len(elements(page, "details")) >= len(figures)


def test_verdicts_come_first_in_words(page: str) -> None:
    assert page.count("cannot tell") >= 4
    assert page.index("coverage is unequal") < page.index("<svg")


def test_the_page_tells_how_it_was_made(page: str, comparison: Comparison) -> None:
    assert comparison.scores.qrels_digest in page
    assert "ndcg report &#39;a b&#39; c" in page
    assert "-0.0951" in page.replace("\N{MINUS SIGN}", "-")
    assert "19 of 135 judged queries have no relevant document" in page


def test_hostile_names_stay_text() -> None:
    evil = "<script>alert(1)</script>"
    qrels = {f"{evil}{i}": {f"{evil}&{i}": 1, "b": 0} for i in range(12)}
    good = {query: dict.fromkeys(docs, 1.0) for query, docs in qrels.items()}
    bad = {query: {"b": 2.0, **dict.fromkeys(docs, 1.0)} for query, docs in qrels.items()}
    slices = {query: {evil: evil} for query in qrels}
    found = compare(qrels, {"base": good, evil: bad}, slices=slices, n_resamples=99)
    text = render_report(found, command=evil)
    assert elements(text, "script") == []
    assert "<script" not in text.lower()


def test_the_page_appears_whole(comparison: Comparison, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    write_report(comparison, path)
    assert path.read_text(encoding="utf-8").rstrip().endswith("</html>")
    assert len(path.read_bytes()) < 500_000
    with pytest.raises(OptionError):
        write_report(comparison, tmp_path / "missing" / "report.html")


def values_of(chart: Any) -> list[dict[str, Any]]:
    """Return every row of data in a chart."""
    rows: list[dict[str, Any]] = []

    def walk(part: Any) -> None:
        if isinstance(part, dict):
            rows.extend(part.get("data", {}).get("values", []))
            for value in part.values():
                walk(value)
        elif isinstance(part, list):
            for value in part:
                walk(value)

    told = chart.to_dict()
    walk(told)
    for dataset in told.get("datasets", {}).values():
        rows.extend(dataset)
    return rows


def test_the_forest_plot_shows_the_differences(comparison: Comparison) -> None:
    shown = [
        row["difference"] for row in values_of(plot_differences(comparison)) if "difference" in row
    ]
    expected = {pair.numbers.difference for pair in comparison.pairs[:2]}
    assert expected <= set(shown)


def test_the_waterfall_shows_every_query(comparison: Comparison) -> None:
    rows = [row for row in values_of(plot_queries(comparison, "tfidf")) if "difference" in row]
    assert len(rows) == 135
    assert min(row["difference"] for row in rows) == pytest.approx(-1.0)


def test_the_other_charts_have_data(comparison: Comparison) -> None:
    for plot in (plot_scores, plot_slices, plot_coverage):
        assert values_of(plot(comparison))


def test_a_measure_or_run_that_was_not_compared_is_refused(comparison: Comparison) -> None:
    with pytest.raises(OptionError):
        plot_differences(comparison, "P@3")
    with pytest.raises(OptionError):
        plot_queries(comparison, "nobody")


@pytest.mark.parametrize("form", ["svg", "png", "pdf", "html"])
def test_charts_are_written_as_files(comparison: Comparison, tmp_path: Path, form: str) -> None:
    paths = write_charts(comparison, tmp_path / "charts", format=form)
    assert len(paths) == len(list(figures_of(comparison)))
    heads = {"svg": b"<svg", "png": b"\x89PNG", "pdf": b"%PDF", "html": b"<"}
    assert all(heads[form] in path.read_bytes()[:400] for path in paths)


def test_without_the_packages_the_message_says_how_to_install(
    monkeypatch: pytest.MonkeyPatch, comparison: Comparison
) -> None:
    real = builtins.__import__

    def absent(name: str, *rest: Any) -> Any:
        if name.partition(".")[0] == "nowhere_to_be_found":
            raise ModuleNotFoundError(name=name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(MissingPackageError, match=r'pip install "ndcg\[report\]"'):
        require("nowhere_to_be_found", extra="report")
    monkeypatch.setattr("ndcg.reporting.document._PACKAGES", ("nowhere_to_be_found",))
    with pytest.raises(MissingPackageError, match="nowhere_to_be_found is not installed"):
        render_report(comparison)
