"""A measure of each query of a run under a convention."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ndcg.data import FloatArray, Notice, Qrels, Run, counted
from ndcg.errors import InputError
from ndcg.ranking import ORDERS, Ranking, rank

if TYPE_CHECKING:
    from ndcg.conventions import Convention
    from ndcg.measures import Measure


def sorted_queries(qrels: Qrels) -> list[str]:
    """Return the judged queries by id, the order of every per-query array."""
    return qrels.query_ids.sort().to_list()


def prepare_qrels(qrels: Qrels, rules: Convention) -> Qrels:
    """Return judgments with grades as a convention takes them."""
    if rules.grades == "exact":
        return qrels
    whole = np.trunc(qrels.values)
    changed = int((whole != qrels.values).sum())
    if not changed:
        return qrels
    if rules.grades == "integer":
        grade = qrels.values[whole != qrels.values][0]
        raise InputError(
            f"profile {rules.profile!r} takes integer grades only, got {grade:g} "
            f"({counted(changed, 'such judgment')}); the default convention takes fractions"
        )
    text = f"{counted(changed, 'fractional grade')} cut to integers, as {rules.profile} does"
    cut = qrels.with_rows(qrels.row_queries, qrels.doc_ids, whole + 0.0)
    return cut.with_notices([Notice("grades-cut", text)])


def prepare_run(run: Run, rules: Convention) -> Run:
    """Return a run without what a convention leaves out."""
    if rules.same_ids == "keep":
        return run
    same = run.doc_ids == run.query_ids.gather(run.row_queries)
    dropped = int(same.sum())
    if not dropped:
        return run
    text = (
        f"{counted(dropped, 'document')} with the id of the query left out, as {rules.profile} does"
    )
    return run.keep(~same.to_numpy()).with_notices([Notice("same-ids", text, run.name)])


def ranking_for(qrels: Qrels, run: Run, ties: str, rules: Convention) -> Ranking:
    """Return the ranking under a convention; expected values over ties start from trec order."""
    ranking = rank(qrels, run, ties=ties if ties in ORDERS else "trec", scores=rules.scores)
    return ranking.filled() if rules.short_lists == "fill" else ranking


def compute(measure: Measure, ranking: Ranking, rules: Convention) -> FloatArray:
    """Return a measure of each query, NaN for the queries that a convention leaves out."""
    values = measure.compute(ranking, rules)
    if rules.undefined == "zero":
        values = np.where(np.isnan(values), 0.0, values)
    if rules.unanswered == "skip":
        values = np.where(ranking.answered, values, np.nan)
    if rules.barren == "skip":
        values = np.where(_has_relevant(ranking), values, np.nan)
    return values


def _has_relevant(ranking: Ranking) -> Any:
    relevant = (ranking.judged_relevance > 0).astype(np.float64)
    return np.bincount(ranking.judged_query, weights=relevant, minlength=len(ranking)) > 0
