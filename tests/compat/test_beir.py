"""BEIR's interface: the digits that BEIR itself returned, its keys and its rounding."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

import ndcg
from ndcg.compat.beir import EvaluateRetrieval
from ndcg.compat.mteb import main_score

CASES = json.loads(
    gzip.decompress((Path(__file__).parents[1] / "golden" / "edge-cases.json.gz").read_bytes())
)["cases"]
PLAIN = [
    case
    for case in CASES
    if case["format"] == "dict"
    and case["gain"] == "linear"
    and not case["name"].startswith("nan_")  # refused here, ranked somewhere there
    and case["metric"].startswith("nDCG@")
    and isinstance(case["values"].get("beir", {}).get("mean"), float)
]


def test_there_are_enough_cases() -> None:
    assert len(PLAIN) > 15


@pytest.mark.parametrize("case", PLAIN, ids=[case["name"] for case in PLAIN])
def test_edge_cases_have_the_values_of_beir_and_mteb(case: Any) -> None:
    qrels, run, k = case["qrels"], case["run"], case["k"]
    found, _, _, _ = EvaluateRetrieval.evaluate(qrels, run, [k])
    assert found == {f"NDCG@{k}": case["values"]["beir"]["mean"]}
    theirs = case["values"].get("mteb", {}).get("mean")
    if isinstance(theirs, float):
        assert main_score(qrels, run, f"ndcg_at_{k}") == theirs


def test_a_run_of_many_queries_has_its_four_mappings() -> None:
    folder = Path(__file__).parents[1] / "golden" / "beir-trec-covid"
    qrels = ndcg.as_qrels(next(folder.glob("qrels*"))).lookup
    judged = {q: {d: int(g) for d, g in docs.items()} for q, docs in qrels.items()}
    run = ndcg.as_run(next((folder / "runs").iterdir())).lookup
    given = {query: dict(docs) for query, docs in run.items()}
    k_values = [1, 10, 100]
    retrieval = EvaluateRetrieval(k_values=k_values)
    means = retrieval.evaluate(judged, given, retrieval.k_values)
    assert [list(one) for one in means] == [
        [f"{name}@{k}" for k in k_values] for name in ("NDCG", "MAP", "Recall", "P")
    ]
    exact = ndcg.evaluate(judged, run, "ndcg_cut_10 map_cut_10 recall_10 P_10", convention="beir")
    for one, value in zip(means, exact.mean().values(), strict=True):
        shown = next(v for name, v in one.items() if name.endswith("@10"))
        assert shown == round(value, 5)
    assert given == run


def test_documents_with_the_querys_id_are_left_out_unless_asked_for() -> None:
    qrels, run = {"q": {"d": 1}}, {"q": {"q": 2.0, "d": 1.0}}
    assert EvaluateRetrieval.evaluate(qrels, run, [1])[0] == {"NDCG@1": 1.0}
    assert EvaluateRetrieval.evaluate(qrels, run, [1], ignore_identical_ids=False)[0] == {
        "NDCG@1": 0.0
    }
    with pytest.raises(ZeroDivisionError):
        EvaluateRetrieval.evaluate(qrels, {"other": {"d": 1.0}}, [1])


# What BEIR 2.2.0 returned for the runs of chorus, scores rounded to one decimal so that there are
# ties, judgments without the queries that have nothing to find.
CUSTOM = {
    "bm25": {
        "mrr": {"MRR@1": 0.77586, "MRR@10": 0.82759, "MRR@100": 0.82978},
        "recall_cap": {"R_cap@1": 0.77586, "R_cap@10": 0.76047, "R_cap@100": 0.89184},
        "hole": {"Hole@1": 0.0431, "Hole@10": 0.10948, "Hole@100": 0.38862},
        "accuracy": {"Accuracy@1": 0.77586, "Accuracy@10": 0.92241, "Accuracy@100": 0.98276},
    },
    "minilm": {
        "mrr": {"MRR@1": 0.64655, "MRR@10": 0.71827, "MRR@100": 0.72234},
        "r_cap": {"R_cap@1": 0.64655, "R_cap@10": 0.58596, "R_cap@100": 0.79902},
        "Hole@k": {"Hole@1": 0.18966, "Hole@10": 0.33879, "Hole@100": 0.58517},
        "top_k_acc": {"Accuracy@1": 0.64655, "Accuracy@10": 0.85345, "Accuracy@100": 0.96552},
    },
}


@pytest.mark.parametrize("system", CUSTOM)
def test_custom_metrics_have_its_values(system: str) -> None:
    folder = Path(__file__).parents[1] / "golden" / "chorus"
    qrels = {
        query: {doc: int(grade) for doc, grade in docs.items()}
        for query, docs in ndcg.as_qrels(folder / "qrels.txt.gz").lookup.items()
        if any(grade > 0 for grade in docs.values())
    }
    run = {
        query: {doc: round(score, 1) for doc, score in docs.items()}
        for query, docs in ndcg.as_run(folder / "runs" / f"{system}.run.gz").lookup.items()
        if query in qrels
    }
    for metric, told in CUSTOM[system].items():
        assert EvaluateRetrieval.evaluate_custom(qrels, run, [1, 10, 100], metric) == told


def test_custom_metrics_fail_where_its_own_fail() -> None:
    qrels, run = {"q1": {"d1": 0}}, {"q1": {"d1": 1.0}}
    with pytest.raises(ValueError, match=r"metric must be one of mrr, .*; got 'ndcg'"):
        EvaluateRetrieval.evaluate_custom(qrels, run, [1], "ndcg")
    with pytest.raises(KeyError, match="q2"):
        EvaluateRetrieval.evaluate_custom(qrels, {"q2": {"d1": 1.0}}, [1], "mrr")
    with pytest.raises(ZeroDivisionError):
        EvaluateRetrieval.evaluate_custom(qrels, run, [1], "recall_cap")
    with pytest.raises(ndcg.InputError, match="query 'q1': a score is NaN"):
        EvaluateRetrieval.evaluate_custom(qrels, {"q1": {"d1": float("nan")}}, [1], "hole")
    assert EvaluateRetrieval.evaluate_custom(qrels, {}, [1], "hole") == {"Hole@1": 0.0}
