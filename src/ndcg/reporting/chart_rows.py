"""The numbers behind every chart, as rows: charts draw them and the page prints them."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from ndcg.comparison.gathering import judged_measure
from ndcg.comparison.pairs import difference_column
from ndcg.evaluation import mean_of
from ndcg.reporting.comparison_text import is_significant
from ndcg.reporting.grids import printable, shorten

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ndcg.comparison import Comparison, Pair
    from ndcg.comparison.slice_pairs import SlicePair
    from ndcg.data import FloatArray
    from ndcg.measures import Measure

Row = dict[str, Any]

SHOWN_QUERIES = 200
BARS = 100
BINS = 20
SHOWN_PAIRS = 60
SHOWN_SLICE_ROWS = 40
SHOWN_SLICE_RUNS = 24
_LABEL_WIDTH = 24
_HALF_WIDTH = 15
_GROUP_WIDTH = 36


def chart_labels(names: Iterable[str], width: int = _LABEL_WIDTH) -> dict[str, str]:
    """Return a label for each name: fit for one line of a chart, and no two alike.

    >>> chart_labels(["a" * 40 + "1" + "a" * 40, "a" * 40 + "2" + "a" * 40], 9).values()
    dict_values(['aaaa…aaaa', 'aaaa…aaaa (2)'])
    """
    labels: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        base = label = shorten(printable(name), width) or "-"
        copy = 1
        while label in taken:
            copy += 1
            label = f"{base} ({copy})"
        taken.add(label)
        labels[name] = label
    return labels


def run_labels(comparison: Comparison, width: int = _LABEL_WIDTH) -> dict[str, str]:
    """Return the label of each run."""
    return chart_labels((run.name for run in comparison.scores.runs), width)


def pairs_under(comparison: Comparison, measure: Measure) -> list[Pair]:
    """Return the pairs of a measure."""
    return [pair for pair in comparison.pairs if pair.measure == measure]


def pair_labels(comparison: Comparison, measure: Measure) -> dict[tuple[str, str], str]:
    """Return the label of each pair, by baseline and run."""
    every = comparison.procedure.all_pairs
    runs = run_labels(comparison, _HALF_WIDTH if every else _LABEL_WIDTH)
    return {
        (pair.baseline, pair.run): (
            f"{runs[pair.run]} - {runs[pair.baseline]}" if every else runs[pair.run]
        )
        for pair in pairs_under(comparison, measure)
    }


def difference_rows(comparison: Comparison, measure: Measure) -> list[Row]:
    """Return one row a pair, best first; of very many pairs those with the largest differences."""
    labels = pair_labels(comparison, measure)
    pairs = sorted(pairs_under(comparison, measure), key=lambda pair: -abs(pair.numbers.difference))
    shown = sorted(pairs[:SHOWN_PAIRS], key=lambda pair: -pair.numbers.difference)
    rows = []
    for pair in shown:
        low, high = pair.numbers.interval or (None, None)
        rows.append(
            {
                "pair": labels[pair.baseline, pair.run],
                "difference": pair.numbers.difference,
                "low": low,
                "high": high,
                "p": pair.numbers.pvalue_corrected,
                "verdict": pair.verdict.word,
            }
        )
    return rows


def pair_column(comparison: Comparison, pair: Pair) -> FloatArray:
    """Return the difference of each query, NaN where the pair's numbers leave a query out."""
    scores = comparison.scores
    column = difference_column(scores, pair.baseline, pair.run, pair.measure)
    if comparison.procedure.all_pairs:
        place = scores.measures.index(pair.measure)
        whole = np.column_stack([run.values[:, place] for run in scores.runs])
        column[np.isnan(whole).any(axis=1)] = np.nan
    return column


def query_rows(comparison: Comparison, pair: Pair) -> list[Row]:
    """Return the differences of a pair by query, largest rise first.

    With more than `SHOWN_QUERIES` queries neighbours share one of `BARS` rows: the mean of their
    differences.
    """
    column = pair_column(comparison, pair)
    kept = np.flatnonzero(~np.isnan(column))
    order = kept[np.argsort(-column[kept], kind="stable")]
    bars = len(order) if len(order) <= SHOWN_QUERIES else BARS
    edges = np.linspace(0, len(order), bars + 1).round().astype(int).tolist()
    rows = []
    for start, stop in pairwise(edges):
        members = order[start:stop]
        alone = comparison.scores.query_ids[members[0]] if stop - start == 1 else None
        rows.append(
            {
                "first": start + 1,
                "last": stop,
                "query": alone,
                "difference": mean_of(column[members]),
            }
        )
    return rows


def score_rows(comparison: Comparison, measure: Measure) -> list[Row]:
    """Return one row a run and bin of per-query scores: its edges, count and share."""
    labels, place = run_labels(comparison), comparison.scores.measures.index(measure)
    columns = {run.name: run.values[:, place] for run in comparison.scores.runs}
    edges = _bin_edges(np.concatenate(list(columns.values())))
    rows = []
    for name, column in columns.items():
        kept = column[~np.isnan(column)]
        counts = np.histogram(kept, edges)[0]
        for low, high, count in zip(edges[:-1], edges[1:], counts.tolist(), strict=True):
            rows.append(
                {
                    "run": labels[name],
                    "low": round(float(low), 9),
                    "high": round(float(high), 9),
                    "count": count,
                    "share": count / len(kept),
                    "mean": mean_of(column),
                }
            )
    return rows


def _bin_edges(values: FloatArray) -> FloatArray:
    kept = values[np.isfinite(values)]
    low, high = float(kept.min()), float(kept.max())
    if low >= 0 and high <= 1:
        low, high = 0.0, 1.0
    return np.linspace(low, high if high > low else low + 1, BINS + 1)


def slices_under(comparison: Comparison, measure: Measure) -> list[SlicePair]:
    """Return the slice pairs of a measure; with all pairs those against the first run."""
    return [
        part
        for part in comparison.slices
        if part.measure == measure and part.baseline == comparison.baseline
    ]


def shown_slices(comparison: Comparison, measure: Measure) -> list[SlicePair]:
    """Return the parts of the slice chart: of very many the largest groups, the first runs."""
    parts = slices_under(comparison, measure)
    keys = dict.fromkeys((part.slice, part.value) for part in parts)
    size = {(part.slice, part.value): part.numbers.n for part in parts}
    groups = set(sorted(keys, key=lambda key: -size[key])[:SHOWN_SLICE_ROWS])
    runs = list(dict.fromkeys(part.run for part in parts))[:SHOWN_SLICE_RUNS]
    return [part for part in parts if (part.slice, part.value) in groups and part.run in runs]


def slice_rows(comparison: Comparison, measure: Measure) -> list[Row]:
    """Return one row a slice value and run: the difference, its queries and significance."""
    parts = shown_slices(comparison, measure)
    labels = run_labels(comparison)
    sizes: dict[tuple[str, str], list[int]] = {}
    for part in parts:
        sizes.setdefault((part.slice, part.value), []).append(part.numbers.n)
    groups = chart_labels((f"{name} = {value}" for name, value in sizes), _GROUP_WIDTH)
    rows = []
    for part in parts:
        counts = sizes[part.slice, part.value]
        low, high = min(counts), max(counts)
        n = f"{low}" if low == high else f"{low}-{high}"
        rows.append(
            {
                "group": f"{groups[f'{part.slice} = {part.value}']} (n {n})",
                "run": labels[part.run],
                "n": part.numbers.n,
                "difference": part.numbers.difference,
                "p": part.numbers.pvalue_corrected,
                "significant": is_significant(comparison, part.numbers),
            }
        )
    return rows


def coverage_rows(comparison: Comparison, measure: Measure) -> list[Row]:
    """Return one row a run: the mean share of its top k that was judged; none if not known."""
    labels, scores = run_labels(comparison), comparison.scores
    place = scores.measures.index(judged_measure(measure))
    means = {run.name: mean_of(run.values[:, place]) for run in scores.runs}
    counts = {run.name: int((~np.isnan(run.values[:, place])).sum()) for run in scores.runs}
    return [
        {"run": labels[name], "judged": mean, "n": counts[name]}
        for name, mean in means.items()
        if not math.isnan(mean)
    ]
