"""BEIR's interface: ``from ndcg.compat.beir import EvaluateRetrieval``."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ndcg.compat.pytrec_eval import RelevanceEvaluator
from ndcg.errors import InputError
from ndcg.ranking import order_documents

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Judgments = Mapping[str, Mapping[str, int]]
    Lists = Mapping[str, Mapping[str, float]]

__all__ = ["EvaluateRetrieval"]

_K_VALUES = (1, 3, 5, 10, 100, 1000)
_FAMILIES = {"NDCG": "ndcg_cut", "MAP": "map_cut", "Recall": "recall", "P": "P"}
_DIGITS = 5
_CUSTOM = {
    **dict.fromkeys(("mrr", "mrr@k", "mrr_cut"), "MRR"),
    **dict.fromkeys(("recall_cap", "r_cap", "r_cap@k"), "R_cap"),
    **dict.fromkeys(("hole", "hole@k"), "Hole"),
    **dict.fromkeys(("acc", "top_k_acc", "accuracy", "accuracy@k", "top_k_accuracy"), "Accuracy"),
}


class EvaluateRetrieval:
    """BEIR's class of the same name, for results that are there already.

    `evaluate` gives BEIR 2.2's four mappings with its rounding to five digits. Its mean is over the
    queries that both results and judgments have: one that was not answered does not count, where
    `ndcg.evaluate` counts it 0.

    Parameters
    ----------
    retriever, k_values, score_function
        As BEIR takes them; nothing is retrieved here.

    Examples
    --------
    The document with the id of the query is left out, as some of BEIR's tasks need:

    >>> ndcg, _, _, _ = EvaluateRetrieval.evaluate(
    ...     {"q1": {"d1": 1}}, {"q1": {"q1": 2.0, "d1": 1.0}}, [1, 10]
    ... )
    >>> ndcg
    {'NDCG@1': 1.0, 'NDCG@10': 1.0}
    """

    def __init__(
        self,
        retriever: Any = None,
        k_values: Sequence[int] = _K_VALUES,
        score_function: str = "cos_sim",
    ) -> None:
        self.retriever = retriever
        self.k_values = list(k_values)
        self.top_k = max(k_values)
        self.score_function = score_function

    @staticmethod
    def evaluate(
        qrels: Judgments,
        results: Lists,
        k_values: Sequence[int],
        ignore_identical_ids: bool = True,  # noqa: FBT001, FBT002 - BEIR's signature
    ) -> tuple[dict[str, float], dict[str, float], dict[str, float], dict[str, float]]:
        """Return NDCG, MAP, Recall and P at each cutoff, means over queries in both.

        Unlike there, `results` is left as it was. No query in both is a ZeroDivisionError, as
        there.
        """
        if ignore_identical_ids:
            results = {
                query: {doc: score for doc, score in docs.items() if doc != query}
                for query, docs in results.items()
            }
        names = {f"{family}.{','.join(map(str, k_values))}" for family in _FAMILIES.values()}
        values = RelevanceEvaluator(qrels, names).evaluate(results).values()
        ndcg, average, recall, precision = (
            {f"{shown}@{k}": _mean([one[f"{name}_{k}"] for one in values]) for k in k_values}
            for shown, name in _FAMILIES.items()
        )
        return ndcg, average, recall, precision

    @staticmethod
    def evaluate_custom(
        qrels: Judgments, results: Lists, k_values: Sequence[int], metric: str
    ) -> dict[str, float]:
        """Return ``mrr``, ``recall_cap``, ``hole`` or ``accuracy`` at each cutoff.

        Unlike those of `evaluate`, these means are over all judged queries, and equal scores stay
        in the order given: as there. A hole is a document that no query judges, over k.

        Raises
        ------
        ValueError
            For another metric; there it is None.
        InputError
            For a NaN score.
        KeyError
            For a query of the results that is not judged, as there.
        ZeroDivisionError
            For ``recall_cap`` of a query without a relevant document, as there.
        """
        name = _CUSTOM.get(metric.lower())
        if name is None:
            known = ", ".join(dict.fromkeys(_CUSTOM))
            raise ValueError(f"metric must be one of {known}; got {metric!r}")
        annotated = {doc: 0 for docs in qrels.values() for doc in docs}
        totals = dict.fromkeys(k_values, 0.0)
        for query, docs in results.items():
            judged = annotated if name == "Hole" else qrels[query]
            if any(math.isnan(score) for score in docs.values()):
                raise InputError(f"query {query!r}: a score is NaN, which has no place in an order")
            ranked = order_documents(docs, "input")
            for k in totals:
                totals[k] += _custom(name, [judged.get(doc) for doc in ranked[:k]], judged, k)
        return {f"{name}@{k}": round(total / len(qrels), _DIGITS) for k, total in totals.items()}


def _custom(name: str, grades: list[int | None], judged: Mapping[str, int], k: int) -> float:
    """Return a metric of one query from the grades of its top k, None for an unjudged document."""
    hits = [rank for rank, grade in enumerate(grades, 1) if (grade or 0) > 0]
    if name == "MRR":
        return 1.0 / hits[0] if hits else 0.0
    if name == "Hole":
        return grades.count(None) / k
    if name == "Accuracy":
        return float(bool(hits))
    return len(hits) / min(sum(grade > 0 for grade in judged.values()), k)


def _mean(values: list[float]) -> float:
    return round(sum(values) / len(values), _DIGITS)
