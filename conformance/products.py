"""Products that are no program to run: their formulas, anew from their public sources."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sklearn.metrics import ndcg_score

from conformance.cases import QRELS
from ndcg import Convention, evaluate

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Product:
    """A program that was not run: its formula from its source, and our spelling of it."""

    name: str
    source: str
    formula: Callable[[list[str]], float]
    measure: str
    convention: Convention
    differs: str


def dcg(gains: list[float]) -> float:
    """Return gains in order of rank, discounted by log2(rank + 1)."""
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))


def exp_gains(docs: list[str]) -> list[float]:
    return [2.0 ** QRELS.get(doc, 0) - 1 for doc in docs]


BEST = sorted(QRELS, key=lambda doc: -QRELS[doc])


def quepid_ndcg(order: list[str]) -> float:
    """`ndcg@10.js` of the stored commit: linear, the ideal is the retrieved ones sorted."""
    gains = [float(QRELS.get(doc, 0)) for doc in order[:10]]
    ideal = dcg(sorted(gains, reverse=True))
    return dcg(gains) / ideal if ideal else 0.0


def quepid_ndcg_cut(order: list[str]) -> float:
    """`ndcg_cut@10.js`: exponential, the ideal is the top rated documents."""
    return dcg(exp_gains(order[:10])) / dcg(exp_gains(BEST[:10]))


def opensearch(order: list[str]) -> float:
    """`calculateNDCGAtK`: exponential, rounded to two decimals."""
    return math.floor(dcg(exp_gains(order[:10])) / dcg(exp_gains(BEST[:10])) * 100 + 0.5) / 100


def elasticsearch(order: list[str]) -> float:
    """`DiscountedCumulativeGain`, normalize: the ideal is cut at the number of hits."""
    hits = order[:10]
    return dcg(exp_gains(hits)) / dcg(exp_gains(BEST[: len(hits)]))


def rre(order: list[str]) -> float:
    """`NDCGAtK`: linear, every quotient cut down to two decimals."""

    def floored(gains: list[float]) -> float:
        return sum(math.floor(g / math.log2(i + 1) * 100) / 100 for i, g in enumerate(gains, 1))

    reached = floored([float(QRELS.get(doc, 0)) for doc in order[:10]])
    return math.floor(reached / floored([float(QRELS[doc]) for doc in BEST[:10]]) * 100) / 100


def spark(order: list[str]) -> float:
    """`RankingMetrics.ndcgAt`: the ideal takes the labels in the order given."""
    given = list(reversed(BEST))
    n = min(max(len(order), len(given)), 10)
    return dcg(exp_gains(order[:n])) / dcg(exp_gains(given[:n]))


def mlflow(order: list[str]) -> float:
    """`ndcg_at_k`: scikit-learn's function on binary relevance, unretrieved targets last."""
    docs = sorted({*order[:10], *QRELS})
    scores = [float(-order.index(doc)) if doc in order else -1e3 for doc in docs]
    return float(ndcg_score([[int(doc in QRELS) for doc in docs]], [scores], k=10))


EXP = Convention(gain="exp")
PRODUCTS = (
    Product("Quepid `ndcg@10`", "o19s/quepid `db/scorers/ndcg@10.js`, 01cdc73", quepid_ndcg,
            "nDCG@10", Convention(ideal="retrieved"),
            "a missed document lowers nothing (quepid#836, #78)"),
    Product("Quepid `ndcg_cut@10`", "`db/scorers/ndcg_cut@10.js`, 6cc95d6", quepid_ndcg_cut,
            "nDCG@10", EXP, ""),
    Product("OpenSearch Search Relevance", "`EvaluationMetrics`, `calculateNDCGAtK`", opensearch,
            "nDCG@10", EXP, "every query rounded to two decimals, so means inherit it"),
    Product("Elasticsearch `_rank_eval`", "`DiscountedCumulativeGain.java`, `normalize: true`",
            elasticsearch, "nDCG@10", EXP,
            "the ideal is cut at the hits: a short list is not held to what it lacks"
            " (elasticsearch#154362)"),
    Product("Rated Ranking Evaluator", "`NDCGAtK.java`, 0e289c9", rre, "nDCG@10", Convention(),
            "every quotient cut down to two decimals; a missing grade is a middling one (#71)"),
    Product("Spark `RankingMetrics.ndcgAt`", "`RankingMetrics.scala`, 075aa42", spark, "nDCG@10",
            EXP, "the ideal keeps the labels in the order given: above 1 for unsorted ones"
            " (SPARK-39446); shown for the worst order"),
    Product("MLflow `ndcg_at_k`", "`_prepare_row_for_ndcg`, over scikit-learn", mlflow, "nDCG@10",
            Convention(gain=((1, 1), (2, 1), (3, 1))),
            "binary; a target that was not retrieved still collects its discount"),
)  # fmt: skip


def ours(product: Product, order: list[str]) -> float:
    run = {"q": {doc: -float(place) for place, doc in enumerate(order)}}
    scores = evaluate({"q": QRELS}, run, product.measure, convention=product.convention)
    return float(scores.runs[0].values[0, 0])
