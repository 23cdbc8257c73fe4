"""Measures of one run or many, with everything that the numbers rest on."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ndcg.conventions import Convention, as_convention
from ndcg.data import Notice, Qrels, Run, shown
from ndcg.errors import InputError
from ndcg.evaluation.cautions import barren_notice, run_notices
from ndcg.evaluation.computing import (
    compute,
    prepare_qrels,
    prepare_run,
    ranking_for,
    sorted_queries,
)
from ndcg.evaluation.naming import named_runs
from ndcg.evaluation.scores import RunScores, Scores
from ndcg.formats.reading import QrelsLike, RunLike, as_qrels, as_run
from ndcg.measures import Judged, Measure, R, nDCG, parse_measures
from ndcg.ranking import ORDERS, Ranking

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

DEFAULT_MEASURES = (nDCG @ 10, R @ 100, Judged @ 10)


def evaluate(
    qrels: QrelsLike,
    runs: RunLike | Mapping[str, RunLike] | Sequence[RunLike],
    measures: str | Measure | Sequence[str | Measure] = DEFAULT_MEASURES,
    *,
    convention: Convention | str | None = None,
    run_digests: bool = False,
) -> Scores:
    """Evaluate one run or many against judgments.

    Parameters
    ----------
    qrels
        Anything that `ndcg.as_qrels` takes.
    runs
        Anything that `ndcg.as_run` takes; ``{name: run}`` or a list of paths for many runs.
    measures
        Measures or their spellings; the first is the primary one, which notices speak of.
    convention
        A `Convention` or a profile's name (``"trec_eval"``, ``"pytrec_eval"``, ``"sklearn"``...).
    run_digests
        Also compute the digest of each run, which takes a sort of its lines.

    Returns
    -------
    Scores

    Raises
    ------
    InputError
        For bad data, an empty run, or a run that answers no judged query.
    MeasureError
        For an unknown measure or parameter.

    Examples
    --------
    A judged query that the run lacks counts 0, and a notice says so:

    >>> scores = evaluate({"q1": {"a": 1}, "q2": {"b": 1}}, {"q1": {"a": 1.0}}, "nDCG@10")
    >>> scores.mean()
    {nDCG@10: 0.5000}
    >>> scores.notices[0].text
    '1 of 2 judged queries is not in the run: counted as 0'
    """
    rules = as_convention(convention)
    wanted = parse_measures(measures)
    judged = prepare_qrels(as_qrels(qrels), rules)
    barren = count_barren(judged)
    notices = list(judged.notices)
    if barren:
        notices.append(barren_notice(barren, len(judged.query_ids), rules))
    scored: list[RunScores] = []
    named = named_runs(runs)
    for name in named:
        evaluated, told = _evaluate_named(judged, named, name, wanted, rules, digest=run_digests)
        scored.append(evaluated)
        notices += told
    return Scores(
        measures=wanted,
        convention=rules,
        query_ids=sorted_queries(judged),
        runs=tuple(scored),
        barren=barren,
        judgments=len(judged),
        qrels_digest=judged.digest,
        notices=tuple(notices),
    )


def _evaluate_named(
    qrels: Qrels,
    named: Mapping[str, Any],
    name: str,
    measures: tuple[Measure, ...],
    rules: Convention,
    *,
    digest: bool,
) -> tuple[RunScores, list[Notice]]:
    # In a function of its own, a large run is freed before the next one is read.
    source = named[name]
    if isinstance(source, Scores):
        raise InputError(
            f"{name}: these are saved scores, not a run; evaluate the run itself, or compare the "
            "scores with ndcg compare"
        )
    read = as_run(source, name=name, duplicates=rules.duplicates, copy=False)
    run = prepare_run(read, rules)
    scores, notices = _evaluate_one(qrels, run, measures, rules)
    return (replace(scores, digest=run.digest) if digest else scores), notices


def count_barren(qrels: Qrels) -> int:
    """Return how many judged queries have no relevant document."""
    return len(qrels.query_ids) - len(np.unique(qrels.row_queries[qrels.values > 0]))


def _evaluate_one(
    qrels: Qrels, run: Run, measures: tuple[Measure, ...], rules: Convention
) -> tuple[RunScores, list[Notice]]:
    rankings: dict[str, Ranking] = {}
    columns = []
    for measure in measures:
        ties = measure.ties_under(rules)
        order = ties if ties in ORDERS else "trec"
        if order not in rankings:
            rankings[order] = ranking_for(qrels, run, order, rules)
            _refuse_disjoint(qrels, run, rankings[order], rules)
        columns.append(compute(measure, rankings[order], rules))
    ranking = next(iter(rankings.values()))
    scores = RunScores(
        run.name, np.column_stack(columns), int(ranking.answered.sum()), ranking.unjudged_queries
    )
    for measure, column in zip(measures, columns, strict=True):
        if np.isnan(column).all():
            raise InputError(
                f"{run.name}: {measure!r} is defined for no query under this convention"
            )
    notices = [replace(notice, run=run.name) for notice in run.notices]
    notices += run_notices(run, ranking, measures, columns, rules)
    return scores, notices


def _refuse_disjoint(qrels: Qrels, run: Run, ranking: Ranking, rules: Convention) -> None:
    missing = len(ranking) - int(ranking.answered.sum())
    if missing == len(ranking):
        asked, known = shown(run.query_ids.sort().to_list()), shown(sorted_queries(qrels))
        raise InputError(
            f"{run.name}: none of its queries is judged; the run has {asked}, the qrels {known}"
        )
    if missing and rules.unanswered == "error":
        lost = [
            q for q, there in zip(ranking.query_ids, ranking.answered, strict=True) if not there
        ]
        verb = "is" if missing == 1 else "are"
        raise InputError(
            f"{run.name}: {missing} of {len(ranking)} judged queries {verb} not in the run "
            f"({shown(lost)}) and the convention refuses that; add them, or let them count 0"
        )
