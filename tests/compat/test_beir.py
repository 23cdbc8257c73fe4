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
