"""The provider inside ir_measures: what the others give, from one place."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import ir_measures
import pytest

from ndcg import MeasureError
from ndcg.compat.ir_measures import calc_aggregate
from ndcg.compat.ir_measures_provider import register

if TYPE_CHECKING:
    from collections.abc import Iterator

BOTH = (
    *("nDCG", "nDCG@5", "nDCG(judged_only=True)@5", "AP", "AP(rel=2)@5", "AP(judged_only=True)"),
    *("P@5", "P(rel=2)@5", "R@5", "R(rel=3)@10", "RR", "RR@5", "RR(rel=2)", "RR(judged_only=True)"),
    *("Rprec", "Rprec(rel=2)", "Success@5", "Judged@5", "Judged", "Bpref", "Bpref(rel=2)"),
    *("infAP", "NumRel", "NumRet", "NumRelRet", "NumRelRet(rel=2)"),
)  # fmt: skip
OTHERS = ("SetP", "SetF", "NumQ", "IPrec@0.1", "Accuracy", "Compat(p=0.8)")


@pytest.fixture
def provider() -> Iterator[Any]:
    entered = register()
    yield entered
    ir_measures.DefaultPipeline.providers.remove(entered)


def data() -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    draw = random.Random(1)  # noqa: S311 - test data
    qrels = {
        str(q): {f"d{d}": draw.choice([-1, 0, 0, 1, 2, 3]) for d in draw.sample(range(30), 12)}
        for q in range(40)
    }
    run = {
        str(q): {f"d{d}": draw.choice([0.5, 1.0, 2.0, 3.0]) for d in draw.sample(range(40), 20)}
        for q in range(3, 45)
    }
    return qrels, run


@pytest.mark.parametrize("name", BOTH)
def test_it_gives_what_the_other_providers_give(name: str) -> None:
    qrels, run = data()
    measure = ir_measures.parse_measure(name)
    told = ir_measures.calc([measure], qrels, run)
    found = register(first=False).calc([measure], qrels, run)
    assert found.aggregated == pytest.approx(told.aggregated, abs=1e-9)
    assert by_query(found.per_query) == pytest.approx(by_query(told.per_query), abs=1e-9)


def by_query(rows: list[Any]) -> dict[str, float]:
    return {row.query_id: row.value for row in rows}


def test_calc_aggregate_uses_it_and_leaves_the_rest_to_others(provider: Any) -> None:
    qrels, run = data()
    exp = ir_measures.nDCG(dcg="exp-log2") @ 10
    rest = [ir_measures.parse_measure(name) for name in OTHERS]
    assert provider.supports(exp)
    assert not any(provider.supports(measure) for measure in rest)
    assert not provider.supports(ir_measures.nDCG(gains={1: 5, 2: 7}) @ 5)
    found = ir_measures.calc_aggregate([exp, *rest], qrels, run)
    assert found.keys() == {exp, *rest}
    # Query ids that are no numbers, which gdeval refuses.
    named = {f"q{query}": docs for query, docs in qrels.items()}
    answers = {f"q{query}": docs for query, docs in run.items()}
    again = ir_measures.calc_aggregate([exp], named, answers)
    assert again[exp] == pytest.approx(found[exp], abs=1e-12)


def test_an_evaluator_serves_many_runs(provider: Any) -> None:
    qrels, run = data()
    evaluator = ir_measures.evaluator([ir_measures.nDCG @ 10], qrels)
    half = {query: docs for query, docs in run.items() if int(query) % 2}
    whole, part = evaluator.calc_aggregate(run), evaluator.calc_aggregate(half)
    assert whole.values() != part.values()
    assert provider.calc_aggregate([ir_measures.nDCG @ 10], qrels, half) == part
    rows = [ir_measures.ScoredDoc(q, d, s) for q, docs in half.items() for d, s in docs.items()]
    judged = (ir_measures.Qrel(q, d, g) for q, docs in qrels.items() for d, g in docs.items())
    assert provider.calc_aggregate([ir_measures.nDCG @ 10], judged, rows) == part


def test_it_is_entered_once(provider: Any) -> None:
    assert register() is provider
    assert ir_measures.DefaultPipeline.providers.count(provider) == 1
    assert ir_measures.providers.registry["ndcg"] is provider


def test_accuracy_is_another_measure_there() -> None:
    qrels, run = data()
    with pytest.raises(MeasureError, match="Accuracy of ir_measures"):
        calc_aggregate([ir_measures.Accuracy], qrels, run)
