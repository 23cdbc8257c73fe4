"""docs/conformance.md: what other programs give, and how it is spelled here."""

from __future__ import annotations

import math

import pytest

from conformance.cases import ORDER, SHORT, edge_cases, run_cases, stored_peers
from conformance.page import PAGE, compose
from conformance.peers import PEERS, ask
from conformance.products import PRODUCTS, ours


def test_the_page_is_what_the_programs_and_formulas_give() -> None:
    assert PAGE.read_text() == compose(), "make conformance writes it anew"


def test_an_installed_program_gives_the_stored_values() -> None:
    stored = stored_peers()["pytrec_eval-terrier"]["answers"]
    names = ["worked", "tie_relevant_id_small", "float_grades", "judged_at_5_full_list"]
    asked = ask("pytrec_eval-terrier", {name: run_cases()[name] for name in names})
    assert asked == {name: stored[name] for name in names if name in stored}
    assert "error" in asked["float_grades"]


def test_programs_gave_the_same_twice() -> None:
    """The columns of edge-cases.json.gz were made by other hands in another environment."""
    compared = 0
    for peer in PEERS.keys() & next(iter(edge_cases().values()))["values"].keys():
        for name, answer in stored_peers()[peer]["answers"].items():
            first = run_cases()[name]["values"].get(peer)
            if first is None or "not_applicable" in first:
                continue
            compared += 1
            if not isinstance(answer.get("mean"), float):
                assert answer.get("mean") == first.get("mean")
                assert ("error" in answer) == ("error" in first)
            else:
                assert answer["mean"] == pytest.approx(first["mean"], abs=6e-7), (peer, name)
    assert compared > 250


@pytest.mark.parametrize(
    ("name", "alike"),
    [
        ("Quepid `ndcg@10`", (True, True)),
        ("Quepid `ndcg_cut@10`", (True, True)),
        ("OpenSearch Search Relevance", (False, False)),
        ("Elasticsearch `_rank_eval`", (True, False)),
        ("Rated Ranking Evaluator", (False, False)),
        ("Spark `RankingMetrics.ndcgAt`", (False, False)),
        ("MLflow `ndcg_at_k`", (True, False)),
    ],
)
def test_a_product_agrees_where_the_page_says_so(name: str, alike: tuple[bool, bool]) -> None:
    (product,) = [one for one in PRODUCTS if one.name == name]
    pairs = [(product.formula(order), ours(product, order)) for order in (ORDER, SHORT)]
    assert tuple(math.isclose(a, b, rel_tol=1e-12) for a, b in pairs) == alike
    assert bool(product.differs) or all(alike)
