"""docs/conformance.md: what other programs give, and how it is spelled here.

Run as a script (``make conformance``) this writes the page; as a test it compares it. The values of
the programs were stored when they were run (golden/README.md); the products' formulas are written
here anew from their public sources.
"""

from __future__ import annotations

import importlib.util
import math
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import pytrec_eval
from sklearn.metrics import ndcg_score

from ndcg import Convention, evaluate

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "conformance.md"

QRELS = {"d2": 3, "d4": 2, "d9": 1}
ORDER = ["d7", "d2", "d9", "d4", "d1"]
SHORT = ["d7", "d2"]


def load_edge_cases() -> Any:
    """Return the module of the tests on edge cases, which holds what each profile stands for."""
    place = Path(__file__).with_name("test_edge_cases.py")
    spec = importlib.util.spec_from_file_location("edge_cases", place)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


EDGE = load_edge_cases()


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


def spelled(convention: Convention) -> str:
    changed = [f"{name}={value!r}" for name, value in convention.to_dict().items()
               if name != "profile" and value != Convention().to_dict()[name]]  # fmt: skip
    return f"`Convention({', '.join(changed)})`" if changed else "the default"


def profile_rows() -> list[str]:
    """Return a row a profile: the edge cases in which it gives what its program gives."""
    rows = []
    peers = EDGE.CASES["basic_linear"]["values"]
    for profile, peer in EDGE.PEERS.items():
        alike, apart = 0, dict[str, list[str]]()
        for name, case in EDGE.CASES.items():
            theirs = case["values"][peer]
            if case["format"] != "dict" or "not_applicable" in theirs:
                continue
            with tempfile.TemporaryDirectory() as folder:
                same = EDGE.agrees(profile, case, theirs, Path(folder))
            alike += same
            if not same:
                apart.setdefault(EDGE.EXCEPTIONS[profile][name], []).append(f"`{name}`")
        value = peers[peer]["mean"]
        rows.append(
            f"| {peer} | `--as {profile}` | {value} | {alike} of "
            f"{alike + sum(map(len, apart.values()))} | "
            f"{reasons(apart)} |"
        )
    return rows


def reasons(apart: dict[str, list[str]]) -> str:
    return "; ".join(f"{why} ({', '.join(names)})" for why, names in apart.items())


def product_rows() -> list[str]:
    rows = []
    for product in PRODUCTS:
        values = " | ".join(
            f"{product.formula(order):.4f} | {ours(product, order):.4f}" for order in (ORDER, SHORT)
        )
        rows.append(
            f"| {product.name} | {product.source} | {spelled(product.convention)} | {values} | "
            f"{product.differs} |"
        )
    return rows


TEMPLATE = """\
# Conformance

What other programs give, and how it is spelled here. `make conformance` writes this page, and a
test compares it. Every convention is described under [conventions](conventions.md).

## Programs that were run

Versions: trec_eval 10.0-rc3 and 9.0.8, pytrec_eval-terrier 0.5.11, ir_measures 0.4.3, ranx 0.3.21,
scikit-learn 1.9.1, BEIR 2.2.0, LightGBM 4.7.0, on small hard inputs; what each returned is stored,
so that they need not be installed. `value` is nDCG@10 of the plain case (order b a x c, grades a=3
b=2 c=1), in the program's own decimals; ours is the same. MTEB at a905523 gives what BEIR gives,
and `ndcg.compat.mteb` that. On 54 pairs of real judgments and runs (`tests/golden`) the values that
they gave are ours, each under its profile, but for ties in long lists in ranx, which its sort does
not keep.

| program | ours | value | edge cases alike | apart, and why |
|---|---|---:|---:|---|
{profiles}

## Products, by their formula

These were not run: their formulas are written anew in `tests/test_conformance.py` from the sources
named. Grades d2=3, d4=2, d9=1; the order d7 d2 d9 d4 d1, and the short list d7 d2; nDCG@10.

| product | source | spelled | theirs | ours | theirs, short | ours, short | differs |
|---|---|---|---:|---:|---:|---:|---|
{products}
"""


def page() -> str:
    """Return the page."""
    return TEMPLATE.format(profiles="\n".join(profile_rows()), products="\n".join(product_rows()))


def test_the_page_is_what_the_programs_and_formulas_give() -> None:
    assert PAGE.read_text() == page(), "make conformance writes it anew"


def test_installed_programs_give_the_stored_values() -> None:
    case = EDGE.CASES["basic_linear"]
    found = pytrec_eval.RelevanceEvaluator(case["qrels"], {"ndcg_cut.10"}).evaluate(case["run"])
    assert round(found["q1"]["ndcg_cut_10"], 6) == case["values"]["pytrec_eval-terrier"]["mean"]


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


if __name__ == "__main__":
    PAGE.write_text(page())
