"""Charts: every number drawn is a number of the comparison."""

from __future__ import annotations

import math
import re
from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from ndcg import OptionError
from ndcg.comparison import Comparison, compare
from ndcg.errors import MissingPackageError
from ndcg.reporting.chart_rows import BARS, SHOWN_PAIRS, chart_labels
from ndcg.reporting.drawing import CHART_FORMATS, write_charts
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
PLOTS = (plot_coverage, plot_differences, plot_queries, plot_scores, plot_slices)


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    slices = SAMPLES / "slices.tsv"
    return compare(SAMPLES / "qrels.txt", RUNS, ["nDCG@10", "AP"], slices=slices, n_resamples=199)


@pytest.fixture(scope="module")
def crowd() -> Comparison:
    """Return a comparison of every pair of twelve runs on 450 queries."""
    qrels = {f"q{i:03}": {"a": 1, "b": 0} for i in range(450)}
    runs = {}
    for n in range(12):
        others = [float((i * (n + 3)) % 7 > n % 5) for i in range(450)]
        runs[f"run{n:02}"] = {
            query: {"a": 0.5, "b": other} for query, other in zip(qrels, others, strict=True)
        }
    return compare(qrels, runs, "RR@2", n_resamples=99, all_pairs=True)


def rows_with(chart: Any, field: str) -> list[dict[str, Any]]:
    """Return the rows of the one set of data in a chart that has a field."""
    datasets = [rows for rows in chart.to_dict()["datasets"].values() if field in rows[0]]
    return [row for rows in datasets for row in rows]


@pytest.mark.parametrize("measure", ["nDCG@10", "AP"])
def test_the_forest_plot_has_each_pair_best_first(comparison: Comparison, measure: str) -> None:
    pairs = [pair for pair in comparison.pairs if repr(pair.measure) == measure]
    pairs.sort(key=lambda pair: -pair.numbers.difference)
    assert rows_with(plot_differences(comparison, measure), "low") == [
        {
            "pair": pair.run,
            "difference": pair.numbers.difference,
            "low": (pair.numbers.interval or (0, 0))[0],
            "high": (pair.numbers.interval or (0, 0))[1],
            "p": pair.numbers.pvalue_corrected,
            "verdict": pair.verdict.word,
        }
        for pair in pairs
    ]


def test_the_forest_plot_draws_the_margin(comparison: Comparison) -> None:
    qrels = {f"q{i}": {"a": 1} for i in range(20)}
    old = {query: {"a": 1.0} for query in qrels}
    new = old | {"q0": {"b": 2.0, "a": 1.0}}
    found = compare(qrels, {"old": old, "new": new}, margin=0.05, n_resamples=99)
    assert [row["value"] for row in rows_with(plot_differences(found), "value")] == [0.0, -0.05]
    assert [row["value"] for row in rows_with(plot_differences(comparison), "value")] == [0.0]


@pytest.mark.parametrize("run", ["tfidf", "minilm"])
def test_the_waterfall_has_the_difference_of_every_query(comparison: Comparison, run: str) -> None:
    frame = comparison.differences
    kept = frame.filter((frame["run"] == run) & (frame["measure"] == "nDCG@10"))
    expected = dict(zip(kept["query_id"], kept["difference"], strict=True))
    rows = rows_with(plot_queries(comparison, run), "query")
    assert {row["query"]: row["difference"] for row in rows} == pytest.approx(expected, abs=1e-12)
    drawn = [row["difference"] for row in rows]
    assert drawn == sorted(drawn, reverse=True)
    assert [row["first"] for row in rows] == list(range(1, 136))


def test_the_waterfall_of_many_queries_has_means_of_neighbours(crowd: Comparison) -> None:
    pair = crowd.pairs[3]
    rows = rows_with(plot_queries(crowd, pair.run, baseline=pair.baseline), "query")
    assert len(rows) == BARS
    assert (rows[0]["first"], rows[-1]["last"]) == (1, 450)
    sizes = [row["last"] - row["first"] + 1 for row in rows]
    assert set(sizes) <= {4, 5}
    total = math.fsum(row["difference"] * n for row, n in zip(rows, sizes, strict=True))
    assert total / 450 == pytest.approx(pair.numbers.difference, abs=1e-12)


def test_the_distributions_count_every_query(comparison: Comparison) -> None:
    rows = rows_with(plot_scores(comparison), "share")
    counted: Counter[str] = Counter()
    for row in rows:
        counted[row["run"]] += row["count"]
    assert counted == {"bm25": 135, "tfidf": 135, "minilm": 135}
    for name in RUNS:
        values = comparison.scores.per_query("nDCG@10", name).values()
        mine = [row for row in rows if row["run"] == name]
        assert mine[0]["count"] == sum(value < 0.05 for value in values)
        assert mine[-1]["count"] == sum(value >= 0.95 for value in values)
        assert {row["mean"] for row in mine} == {comparison.scores.mean(name)["nDCG@10"]}


def test_the_heat_map_has_every_slice_and_run(comparison: Comparison) -> None:
    parts = [part for part in comparison.slices if repr(part.measure) == "AP"]
    rows = rows_with(plot_slices(comparison, "AP"), "group")
    assert [(row["group"], row["run"], row["n"], row["difference"]) for row in rows] == [
        (
            f"{part.slice} = {part.value} (n {part.numbers.n})",
            part.run,
            part.numbers.n,
            part.numbers.difference,
        )
        for part in parts
    ]
    assert [row["significant"] for row in rows] == [
        (part.numbers.pvalue_corrected or 1) <= 0.05 for part in parts
    ]
    assert {row["told"][0] for row in rows if row["difference"] < 0} == {"\N{MINUS SIGN}"}


def test_the_coverage_is_judged_at_the_cutoff(comparison: Comparison) -> None:
    rows = rows_with(plot_coverage(comparison), "judged")
    assert {row["run"]: row["judged"] for row in rows} == {
        name: comparison.scores.mean(name)["Judged@10"] for name in RUNS
    }
    assert [row["n"] for row in rows] == [131, 129, 135]


def test_a_chart_without_slices_is_refused(crowd: Comparison) -> None:
    with pytest.raises(OptionError, match="the comparison has no slices"):
        plot_slices(crowd)


def test_what_was_not_compared_is_refused(comparison: Comparison) -> None:
    with pytest.raises(OptionError, match=r"P@3 was not compared \(compared: nDCG@10, AP\)"):
        plot_differences(comparison, "P@3")
    with pytest.raises(OptionError, match=r"no pair of run 'minilmm'; did you mean 'minilm'\?"):
        plot_queries(comparison, "minilmm")
    with pytest.raises(OptionError, match="no pair of run 'tfidf' against 'minilm'"):
        plot_queries(comparison, "tfidf", baseline="minilm")


@pytest.mark.parametrize("plot", PLOTS)
def test_a_chart_needs_altair(
    monkeypatch: pytest.MonkeyPatch, comparison: Comparison, plot: Any
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "altair", None)
    message = 'altair is not installed; run: pip install "ndcg[report]"'
    with pytest.raises(MissingPackageError, match=re.escape(message)):
        plot(comparison)


def test_of_very_many_pairs_those_that_differ_most_are_drawn(crowd: Comparison) -> None:
    assert len(crowd.pairs) == 66 > SHOWN_PAIRS
    rows = rows_with(plot_differences(crowd), "low")
    assert len(rows) == SHOWN_PAIRS
    sizes = sorted((abs(pair.numbers.difference) for pair in crowd.pairs), reverse=True)
    assert sorted((abs(row["difference"]) for row in rows), reverse=True) == sizes[:SHOWN_PAIRS]
    figures = list(figures_of(crowd))
    assert sum(figure.kind == "queries" for figure in figures) == SHOWN_PAIRS
    assert "The 60 largest differences of 66" in figures[0].caption


def test_labels_are_short_and_no_two_alike() -> None:
    names = [f"{'x' * 50}{i}{'x' * 50}" for i in range(3)] + ["日本" * 40, "a\nb", ""]
    labels = list(chart_labels(names).values())
    assert len(set(labels)) == len(names)
    assert labels[4:] == ["a\\nb", "-"]
    assert max(map(len, labels)) <= len("x" * 24 + " (3)")


def test_figures_have_titles_that_say_what_was_found(comparison: Comparison) -> None:
    titles = {figure.key: figure.title for figure in figures_of(comparison)}
    assert titles == {
        "differences-nDCG@10": "nDCG@10 against bm25, 2 runs: 2 cannot tell",
        "differences-AP": "AP against bm25, 2 runs: 2 cannot tell",
        "coverage-nDCG@10": "Judged@10: no run has 90% of its top 10 judged, 39.1% (minilm) to "
        "73.6% (bm25)",
        "scores-nDCG@10": "nDCG@10 of single queries: 0 on 28 (bm25), 35 (tfidf), 36 (minilm) of "
        "135 queries",
        "scores-AP": "AP of single queries: 0 on 21 (bm25), 27 (tfidf), 23 (minilm) of 135 queries",
        "slices-nDCG@10": "Largest difference by slice: minilm -0.188 nDCG@10 where has_digit = "
        "yes (n 10)",
        "slices-AP": "Largest difference by slice: minilm -0.194 AP where n_terms = 1 (n 56)",
        "queries-tfidf-nDCG@10": "tfidf: 19 queries up, 53 down, 63 unchanged (nDCG@10)",
        "queries-minilm-nDCG@10": "minilm: 22 queries up, 76 down, 37 unchanged (nDCG@10)",
        "queries-tfidf-AP": "tfidf: 16 queries up, 77 down, 42 unchanged (AP)",
        "queries-minilm-AP": "minilm: 22 queries up, 85 down, 28 unchanged (AP)",
    }


@pytest.mark.parametrize("form", CHART_FORMATS)
def test_each_chart_becomes_a_file(comparison: Comparison, tmp_path: Path, form: str) -> None:
    paths = write_charts(comparison, tmp_path / "new" / "charts", format=form)
    assert [path.name for path in paths] == [
        f"{figure.key}.{form}" for figure in figures_of(comparison)
    ]
    assert sorted(paths) == sorted((tmp_path / "new" / "charts").iterdir())
    heads = {"svg": b"<svg", "png": b"\x89PNG", "pdf": b"%PDF", "html": b"<!DOCTYPE html>"}
    assert all(path.read_bytes().lstrip().startswith(heads[form]) for path in paths)


def test_a_chart_file_carries_its_title(comparison: Comparison, tmp_path: Path) -> None:
    path = write_charts(comparison, tmp_path)[0]
    texts = [text for text in ET.parse(path).getroot().itertext() if text.strip()]  # noqa: S314
    assert "AP against bm25, 2 runs: 2 cannot tell" not in texts
    assert "nDCG@10 against bm25, 2 runs: 2 cannot tell" in texts


def test_an_unknown_chart_format_is_refused(comparison: Comparison, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="format must be one of svg, png, pdf, html, got 'gif'"):
        write_charts(comparison, tmp_path, format="gif")


def test_a_folder_that_cannot_be_made_is_refused(comparison: Comparison, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OptionError, match="file: cannot make this folder"):
        write_charts(comparison, tmp_path / "file")


def test_files_stay_in_their_folder_whatever_a_run_is_called(tmp_path: Path) -> None:
    qrels = {f"q{i}": {"a": 1} for i in range(12)}
    names = ["base", "../../etc/passwd", "a/b", "a b", "a:b", "x" * 300]
    runs = {name: {query: {"a": 1.0} for query in qrels} for name in names}
    found = compare(qrels, runs, n_resamples=9)
    paths = write_charts(found, tmp_path / "charts")
    assert {path.parent for path in paths} == {tmp_path / "charts"}
    assert len({path.name for path in paths}) == len(paths)
    assert [path.name for path in paths[3:7]] == [
        "queries-..-..-etc-passwd.svg", "queries-a-b.svg", "queries-a-b-2.svg", "queries-a-b-3.svg",
    ]  # fmt: skip
