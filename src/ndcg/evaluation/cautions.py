"""What could mislead in a run's numbers, counted: the notices."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ndcg.data import FloatArray, Notice, Run, counted
from ndcg.evaluation.scores import mean_of
from ndcg.evaluation.ties import tie_bounds
from ndcg.measures import Judged, Measure

if TYPE_CHECKING:
    from ndcg.conventions import Convention
    from ndcg.ranking import Ranking

COVERAGE_FLOOR = 0.9
COVERAGE_GAP = 0.05
TIE_TOLERANCE = 0.001
_DIGITS = 12


def barren_notice(barren: int, queries: int, rules: Convention) -> Notice:
    """Return the notice of judged queries without a relevant document."""
    fate = {"zero": "counted as 0", "one": "counted as 1", "skip": "left out"}[rules.barren]
    have = "has" if barren == 1 else "have"
    text = f"{barren} of {queries} judged queries {have} no relevant document: {fate}"
    return Notice("barren", text)


def run_notices(
    run: Run,
    ranking: Ranking,
    measures: tuple[Measure, ...],
    columns: list[FloatArray],
    rules: Convention,
) -> list[Notice]:
    """Return everything that could mislead in the numbers of one run."""
    told: list[tuple[str, str]] = []
    missing = len(ranking) - int(ranking.answered.sum())
    if missing:
        fate = "counted as 0" if rules.unanswered == "zero" else "left out of the mean"
        verb = "is" if missing == 1 else "are"
        told.append(
            (
                "unanswered",
                f"{missing} of {len(ranking)} judged queries {verb} not in the run: {fate}",
            )
        )
    if ranking.unjudged_queries:
        count = ranking.unjudged_queries
        some = "1 query of the run has" if count == 1 else f"{count} queries of the run have"
        told.append(("unjudged", f"{some} no judgments: left out"))
    told += _undefined_notice(measures, columns)
    told += _coverage_notice(ranking, measures[0], rules)
    told += _tie_notice(ranking, measures[0], columns[0], rules)
    told += _depth_notice(ranking, measures)
    return [Notice(code, text, run.name) for code, text in told]


def _undefined_notice(
    measures: tuple[Measure, ...], columns: list[FloatArray]
) -> list[tuple[str, str]]:
    first = np.isnan(columns[0])
    told = []
    for measure, column in zip(measures[1:], columns[1:], strict=True):
        left = int((np.isnan(column) & ~first).sum())
        if left:
            over = counted(int((~np.isnan(column)).sum()), "query", "queries")
            text = (
                f"{measure!r} is the mean over {over}: nothing was retrieved for {left}, so it is "
                "not defined there"
            )
            told.append(("undefined", text))
    return told


def _coverage_notice(
    ranking: Ranking, primary: Measure, rules: Convention
) -> list[tuple[str, str]]:
    k = primary.cutoff or 10
    judged = mean_of((Judged @ k).compute(ranking, replace(rules, tie_exceptions=(), ties="trec")))
    if not judged < COVERAGE_FLOOR:
        return []
    condensed = dict(primary.parameters).get("condensed", False)
    fate = "is left out of the list" if condensed else "counts as not relevant"
    text = (
        f"judged@{k} is {judged:.1%}: {1 - judged:.1%} of the top {k} was never judged and {fate}"
    )
    return [("coverage", text)]


def _tie_notice(
    ranking: Ranking, primary: Measure, column: FloatArray, rules: Convention
) -> list[tuple[str, str]]:
    if not ranking.has_ties:
        return []
    lower, upper = tie_bounds(primary, ranking, rules)
    low, high, value = mean_of(lower), mean_of(upper), mean_of(column)
    if round(max(value - low, high - value), _DIGITS) <= TIE_TOLERANCE:
        return []
    moved = int((upper - lower > TIE_TOLERANCE).sum())
    text = (
        f"ties move {primary!r} in {moved} of {len(ranking)} queries: by their order the mean is "
        f"{low:.4f} to {high:.4f}"
    )
    return [("ties", text)]


def _depth_notice(ranking: Ranking, measures: tuple[Measure, ...]) -> list[tuple[str, str]]:
    cutoff = max((m.cutoff or 0 for m in measures), default=0)
    lists = ranking.retrieved[ranking.answered]
    short, deepest = int((lists < cutoff).sum()), int(lists.max())
    if not short:
        return []
    reach = f"no list reaches rank {cutoff} (deepest {deepest})"
    some = f"{short} of {len(lists)} lists {'ends' if short == 1 else 'end'} before rank {cutoff}"
    return [("shallow", reach if deepest < cutoff else some)]
