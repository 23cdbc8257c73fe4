"""Real runs against the values that other programs gave for them.

golden/README.md says where the runs come from and which version of each program gave the numbers.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import math
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl
import pytest
from backports import zstd
from sklearn.metrics import ndcg_score

from ndcg import PROFILES, Qrels, Run, Scores, as_qrels, as_run, evaluate, tie_range

if TYPE_CHECKING:
    from collections.abc import Mapping

Unanswered = Literal["zero", "skip"]

GOLDEN = Path(__file__).parent / "golden"
PAIRS = sorted(path.name.removesuffix(".json.gz") for path in (GOLDEN / "values").iterdir())
ROUNDED_TO_TEN_DECIMALS = 1e-9

SPELLINGS = {
    **{f"ndcg@{k}": f"nDCG@{k}" for k in (5, 10, 20, 100)},
    **{f"ndcg_exp@{k}": f"nDCG(gain='exp')@{k}" for k in (5, 10, 20, 100)},
    "map": "AP",
    "p@10": "P@10",
    "recall@100": "R@100",
    "mrr@10": "RR@10",
    "judged@10": "Judged@10",
    "map(rel=2)": "AP(rel=2)",
    "p(rel=2)@10": "P(rel=2)@10",
    "recall(rel=2)@100": "R(rel=2)@100",
    "mrr(rel=2)@10": "RR(rel=2)@10",
}

PUBLISHED_NAMES = {
    "trec-covid-r1": {
        "map": "AP",
        "MAP": "AP",
        "P_5": "P@5",
        "p@5": "P@5",
        "bpref": "Bpref",
        # What NIST's page calls ndcg is ndcg@10.
        "ndcg": "nDCG@10",
        "ndcg@10": "nDCG@10",
    },
    "robust03": {
        "map": "AP",
        "Rprec": "Rprec",
        "P_100": "P@100",
        "P_1000": "P@1000",
        # What NIST's page calls P_10 is P_15, for all of its runs.
        "P_15 (the page labels it P_10)": "P@15",
    },
}


def stored(path: str) -> Path:
    """Return a data file by its plain name; it may lie here compressed."""
    plain = GOLDEN / path.removesuffix(".gz")
    choices = [plain, Path(f"{plain}.gz"), Path(f"{plain}.zst")]
    return next(choice for choice in choices if choice.exists())


def unpacked(path: Path) -> bytes:
    content = path.read_bytes()
    if path.suffix == ".gz":
        return gzip.decompress(content)
    return zstd.decompress(content) if path.suffix == ".zst" else content


@dataclass(frozen=True)
class Pair:
    """One run with its judgments and what the programs said of it."""

    name: str
    told: dict[str, Any]

    @cached_property
    def qrels(self) -> Qrels:
        return as_qrels(stored(self.told["qrels"]))

    @cached_property
    def run(self) -> Run:
        return as_run(stored(self.told["run"]))

    @cached_property
    def pytrec_eval(self) -> dict[str, dict[str, float]]:
        return self.per_query("pytrec_eval")

    def per_query(self, tool: str) -> dict[str, dict[str, float]]:
        """Return ``{measure: {query_id: value}}``, without the queries that have no value."""
        queries = self.told["per_query"]["queries"]
        return {
            measure: {
                query: value
                for query, value in zip(queries, values, strict=True)
                if value is not None
            }
            for measure, values in self.told["per_query"][tool].items()
        }


@pytest.fixture(scope="module", params=PAIRS)
def pair(request: pytest.FixtureRequest) -> Pair:
    return load(request.param)


def load(name: str) -> Pair:
    return Pair(name, json.loads(unpacked(GOLDEN / "values" / f"{name}.json.gz")))


def check_values(scores: Scores, expected: dict[str, dict[str, float]]) -> None:
    for measure, values in expected.items():
        ours = scores[SPELLINGS[measure]]
        assert ours == pytest.approx(values, rel=0, abs=ROUNDED_TO_TEN_DECIMALS), measure


def check_means(
    pair: Pair, run: Qrels | Run | dict[str, dict[str, float]], tool: str, profile: str
) -> None:
    told = pair.told["mean"][tool]
    spellings = [SPELLINGS[measure] for measure in told if not printed_by_gdeval(tool, measure)]
    kinds: tuple[tuple[Unanswered, str], ...] = (
        ("skip", "over_queries_in_both"),
        ("zero", "over_all_qrels_queries"),
    )
    for unanswered, over in kinds:
        rules = replace(PROFILES[profile], unanswered=unanswered)
        means = evaluate(pair.qrels, run, spellings, convention=rules).mean()
        for measure, value in told.items():
            if printed_by_gdeval(tool, measure):
                continue
            ours = means[SPELLINGS[measure]]
            assert ours == pytest.approx(value[over], rel=0, abs=ROUNDED_TO_TEN_DECIMALS), measure


def printed_by_gdeval(tool: str, measure: str) -> bool:
    return tool == "ir_measures" and measure.startswith("ndcg_exp")


def test_the_data_is_what_the_values_were_made_from() -> None:
    manifest = json.loads((GOLDEN / "MANIFEST.json").read_text())
    found = {
        row["file"]: hashlib.sha256(unpacked(GOLDEN / row["file"])).hexdigest() for row in manifest
    }
    assert found == {row["file"]: row["content_sha256"] for row in manifest}
    ours = {
        "README.md",
        "MANIFEST.json",
        "sklearn-order.json",
        "edge-cases.json.gz",
        "peers.json",
        ".gitattributes",
    }
    files = {str(path.relative_to(GOLDEN)) for path in GOLDEN.rglob("*") if path.is_file()}
    assert {name for name in files if not name.startswith("values/")} == {*found, *ours}
    assert len(PAIRS) == 54


def test_queries_are_counted_as_the_other_programs_count_them(pair: Pair) -> None:
    scores = evaluate(pair.qrels, pair.run, "nDCG@10")
    run, told = scores.run(), pair.told["n"]
    assert scores.query_ids == sorted(pair.told["per_query"]["queries"])
    assert (len(scores.query_ids), run.answered) == (told["qrels_queries"], told["both"])
    assert run.unjudged == told["run_queries_without_qrels"]
    assert scores.barren == told["queries_without_a_positive_grade"]


def test_values_of_pytrec_eval(pair: Pair) -> None:
    spellings = [SPELLINGS[measure] for measure in pair.pytrec_eval]
    scores = evaluate(pair.qrels, pair.run, spellings, convention="pytrec_eval")
    check_values(scores, pair.pytrec_eval)
    check_means(pair, pair.run, "pytrec_eval", "pytrec_eval")
    # No pair depends on float32, so the default gives these values too, and 0 for the rest.
    default = evaluate(pair.qrels, pair.run, spellings)
    for spelling in spellings:
        rest = dict.fromkeys(set(default.query_ids) - set(scores[spelling]), 0.0)
        assert default[spelling] == scores[spelling] | rest


def test_values_of_ir_measures(pair: Pair) -> None:
    expected = pair.per_query("ir_measures")
    for measure in pair.told["ir_measures_same_as_pytrec_eval"]:
        missing = dict.fromkeys(
            set(pair.told["per_query"]["queries"]) - pair.pytrec_eval["map"].keys(), 0.0
        )
        expected[measure] = pair.pytrec_eval[measure] | missing
    expected = {m: v for m, v in expected.items() if not printed_by_gdeval("ir_measures", m)}
    spellings = [SPELLINGS[measure] for measure in expected]
    scores = evaluate(pair.qrels, pair.run, spellings, convention="ir_measures")
    check_values(scores, expected)
    check_means(pair, pair.run, "ir_measures", "ir_measures")


def test_values_of_gdeval(pair: Pair) -> None:
    told = pair.per_query("ir_measures")
    expected = {m: v for m, v in told.items() if printed_by_gdeval("ir_measures", m)}
    # gdeval refuses grades above 4, which one file has.
    assert len(expected) == (0 if pair.name == "ir_measures__ir_measures-compat" else 2)
    if not expected:
        return
    own = evaluate(pair.qrels, pair.run, ["nDCG@10", "nDCG@20"], convention="gdeval")
    spellings = [SPELLINGS[measure] for measure in expected]
    within = evaluate(pair.qrels, pair.run, spellings, convention="ir_measures")
    for measure, values in expected.items():
        ours = within[SPELLINGS[measure]]
        printed = {query: f"{value:.5f}" for query, value in values.items()}
        assert {query: f"{value:.5f}" for query, value in ours.items()} == printed
        plain = SPELLINGS[measure].replace("(gain='exp')", "")
        assert own[plain] == {query: ours[query] for query in own[plain]}
        mean = pair.told["mean"]["ir_measures"][measure]
        # A mean of values with five decimals each.
        assert within.mean()[SPELLINGS[measure]] == pytest.approx(
            mean["over_all_qrels_queries"], rel=0, abs=5e-6
        )
        assert own.mean()[plain] == pytest.approx(mean["over_queries_in_both"], rel=0, abs=5e-6)


def test_means_of_trec_eval(pair: Pair) -> None:
    told = pair.told["mean"]["trec_eval_10.0-rc3"]
    checked = 0
    kinds: tuple[tuple[Unanswered, str], ...] = (
        ("zero", "over_all_qrels_queries(-c)"),
        # Without -c it stops where the run lacks a judged query, and there is no value.
        ("skip", "over_queries_in_both"),
    )
    for unanswered, over in kinds:
        if told[over] is None:
            continue
        rules = replace(PROFILES["trec_eval"], unanswered=unanswered)
        spellings = [SPELLINGS[measure] for measure in told[over]]
        means = evaluate(pair.qrels, pair.run, spellings, convention=rules).mean()
        printed = {measure: f"{value:.4f}" for measure, value in told[over].items()}
        assert {measure: f"{means[SPELLINGS[measure]]:.4f}" for measure in printed} == printed
        checked += 1
    assert checked == (1 if pair.told["n"]["qrels_queries_missing_from_run"] else 2)


def test_values_of_ranx_in_the_order_that_its_sort_leaves(pair: Pair) -> None:
    expected = pair.per_query("ranx")
    spellings = [SPELLINGS[measure] for measure in expected]
    run = {
        # ranx sorts a run when it makes it, and once more to make it comparable.
        query: sorted_as_numba_sorts(sorted_as_numba_sorts(docs))
        for query, docs in pair.run.lookup.items()
        if query in pair.qrels.lookup
    }
    scores = evaluate(pair.qrels, run, spellings, convention="ranx")
    check_values(scores, expected)
    check_means(pair, run, "ranx", "ranx")


def sorted_as_numba_sorts(docs: Mapping[str, float]) -> dict[str, float]:
    """Return a list of documents as ``numba``'s argsort of the negated scores orders it.

    A quicksort that leaves stretches of fifteen or fewer to an insertion sort, which is stable;
    so short lists keep their order within a tie, and long ones do not.
    """
    ids, keys = list(docs), [-score for score in docs.values()]
    order = list(range(len(ids)))
    if len(set(keys)) == len(keys):
        # Without a tie there is one order.
        order.sort(key=keys.__getitem__)
    stretches = [(0, len(order) - 1)]
    while stretches:
        low, high = stretches.pop()
        if high - low < 15:
            order[low : high + 1] = sorted(order[low : high + 1], key=keys.__getitem__)
            continue
        place = parted(order, keys, low, high)
        stretches += [(low, place - 1), (place + 1, high)]
    return {ids[i]: docs[ids[i]] for i in order}


def parted(order: list[int], keys: list[float], low: int, high: int) -> int:
    """Part a stretch at the median of its first, middle and last key; return the median's place."""

    def swap(a: int, b: int) -> None:
        order[a], order[b] = order[b], order[a]

    middle = (low + high) // 2
    for left, right in ((low, middle), (middle, high), (low, middle)):
        if keys[order[right]] < keys[order[left]]:
            swap(left, right)
    pivot = keys[order[middle]]
    swap(middle, high)
    left, right = low, high - 1
    while True:
        while left < high and keys[order[left]] < pivot:
            left += 1
        while right >= low and keys[order[right]] > pivot:
            right -= 1
        if left >= right:
            break
        swap(left, right)
        left, right = left + 1, right - 1
    swap(left, high)
    return left


def test_an_order_of_ties_is_kept_by_short_lists_and_lost_by_long_ones_in_ranx() -> None:
    # edge-cases.json: ranx gives a constant scorer 1.0 for 15 documents, 0.0 for 20, and 1.0 again
    # when it sorts the 20 twice (make_comparable).
    fifteen = {f"d{i:02}": 0.5 for i in range(15)}
    twenty = {f"d{i:02}": 0.5 for i in range(20)}
    once = sorted_as_numba_sorts(twenty)
    assert list(sorted_as_numba_sorts(fifteen)) == list(fifteen)
    assert list(once).index("d00") >= 10
    assert next(iter(sorted_as_numba_sorts(once))) == "d00"


SKLEARN_PAIRS = [
    "chorus__tfidf",
    "cranfield__bm25",
    "cranfield__minilm",
    "dl19-passage__bm25-default",
    "dl19-passage__bm25-quantised",
    "dl19-passage__llama3.3-70b-setwise-r100",
    "trec-covid-r1__UB_NLP_RUN_1",
]
# scikit-learn has no value for a query with one document in all.
LONELY = {"chorus__tfidf": {"c089", "c131"}}


@pytest.mark.parametrize("name", SKLEARN_PAIRS)
def test_values_of_scikit_learn(name: str) -> None:
    pair = load(name)
    expected = {"ndcg@10": pair.per_query("sklearn")["ndcg@10"]}
    lonely = LONELY.get(name, set())
    known = {q: d for q, d in pair.qrels.lookup.items() if q not in lonely}
    scores = evaluate(known, pair.run, "nDCG@10", convention="sklearn")
    check_values(scores, expected)
    mean = pair.told["mean"]["sklearn"]["ndcg@10"]["over_queries_in_both"]
    assert scores.mean()["nDCG@10"] == pytest.approx(mean, rel=0, abs=ROUNDED_TO_TEN_DECIMALS)
    all_queries = evaluate(pair.qrels, pair.run, "nDCG@10", convention="sklearn")
    assert all_queries["nDCG@10"].keys() - expected["ndcg@10"].keys() == lonely


def with_everything_judged(pair: Pair) -> dict[str, dict[str, float]]:
    """Return the run as scikit-learn saw it: by document id, the unretrieved below the last."""
    run = {}
    for query, docs in pair.run.lookup.items():
        judged = pair.qrels.lookup.get(query, {})
        below = min(docs.values()) - 1
        run[query] = {doc: docs.get(doc, below) for doc in sorted({*docs, *judged})}
    return {query: docs for query, docs in run.items() if query in pair.qrels.lookup}


@pytest.mark.parametrize("name", SKLEARN_PAIRS)
def test_values_of_scikit_learn_without_ties_in_the_order_that_its_sort_left(name: str) -> None:
    pair = load(name)
    expected = pair.per_query("sklearn")["ndcg@10(ignore_ties)"]
    # NumPy's argsort orders ties differently on different processors; these are the first ten
    # documents of its order (2.4.6, AVX2) where a tie reaches into them.
    recorded = json.loads((GOLDEN / "sklearn-order.json").read_text()).get(name, {})
    run = {
        query: {doc: docs[doc] for doc in (*recorded.get(query, ()), *docs)}
        for query, docs in with_everything_judged(pair).items()
    }
    ours = evaluate(
        pair.qrels, run, "nDCG@10", convention=replace(PROFILES["sklearn"], ties="input")
    )
    values = {query: ours["nDCG@10"][query] for query in expected}
    assert values == pytest.approx(expected, rel=0, abs=ROUNDED_TO_TEN_DECIMALS)
    # Whatever the order, the value lies between the extremes over all orders.
    extremes = tie_range(pair.qrels, pair.run, "nDCG@10", convention="sklearn").to_frame()
    checked = 0
    for query, lower, _, upper in extremes.iter_rows():
        if query in expected:
            value = expected[query]
            assert lower - ROUNDED_TO_TEN_DECIMALS <= value <= upper + ROUNDED_TO_TEN_DECIMALS
            checked += 1
    assert checked == len(expected)


def test_scikit_learn_without_ties_on_this_processor() -> None:
    pair = load("dl19-passage__bm25-quantised")
    run, theirs = {}, {}
    for query, docs in with_everything_judged(pair).items():
        scores = np.array([list(docs.values())])
        grades = np.array([[pair.qrels.lookup[query].get(doc, 0.0) for doc in docs]])
        theirs[query] = float(ndcg_score(grades, scores, k=10, ignore_ties=True))
        ids = list(docs)
        run[query] = {ids[i]: docs[ids[i]] for i in np.argsort(scores)[0, ::-1].tolist()}
    rules = replace(PROFILES["sklearn"], ties="input")
    ours = evaluate(pair.qrels, run, "nDCG@10", convention=rules)["nDCG@10"]
    assert ours == pytest.approx(theirs, rel=0, abs=1e-12)


@pytest.mark.parametrize("collection", ["dl19-passage", "dl20-passage"])
def test_published_scores_of_rerankers(collection: str) -> None:
    _, *lines = (GOLDEN / collection / "published.tsv").read_text().splitlines()
    published = {line.split("\t")[0]: float(line.split("\t")[1]) for line in lines}
    assert len(published) == {"dl19-passage": 3, "dl20-passage": 1}[collection]
    for system, value in published.items():
        pair = load(f"{collection}__{system}")
        mean = evaluate(pair.qrels, pair.run, "nDCG@10").mean()["nDCG@10"]
        # Published with fifteen digits, from a sum in another order.
        assert mean == pytest.approx(value, rel=1e-14)


@pytest.mark.parametrize("name", [n for n in PAIRS if n.split("__")[0] in PUBLISHED_NAMES])
def test_published_scores_of_submitted_runs(name: str) -> None:
    collection, system = name.split("__")
    pair, names = load(name), PUBLISHED_NAMES[collection]
    published = json.loads((GOLDEN / collection / "published.json").read_text())[system]
    checked = 0
    for page in published.values():
        known = {names[key]: float(value) for key, value in page.items() if key in names}
        means = evaluate(pair.qrels, pair.run, list(known)).mean()
        assert {repr(m): round(value, 4) for m, value in means.items()} == known
        checked += len(known)
    assert checked == {"trec-covid-r1": 8, "robust03": 5}[collection]


@pytest.mark.parametrize("name", [n for n in PAIRS if n.startswith("trec-covid-r1__")])
def test_published_rbp_is_the_mean_over_both_grades(name: str) -> None:
    # The leaderboard gives grade 1 of 2 half a gain, which is what two binary values add up to.
    system = name.split("__")[1]
    published = json.loads((GOLDEN / "trec-covid-r1" / "published.json").read_text())[system]
    pair = load(name)
    means = evaluate(pair.qrels, pair.run, ["RBP(p=0.5)", "RBP(p=0.5, rel=2)"]).mean()
    assert f"{sum(means.values()) / 2:.4f}" == published["castorini_leaderboard"]["RBP(p=.5)"]


def test_line_ends_change_nothing() -> None:
    plain, crlf = load("dl19-passage__bm25-default"), load("dl19-passage__bm25-default-crlf")
    assert crlf.run.digest == plain.run.digest
    assert math.isclose(
        evaluate(crlf.qrels, crlf.run, "nDCG@10").mean()["nDCG@10"], 0.5058, abs_tol=5e-5
    )


def test_comments_change_nothing_and_a_hash_inside_an_id_begins_none() -> None:
    plain = as_qrels(stored("trec_eval/qrels.test"))
    commented = as_qrels(stored("trec_eval/qrels.test.with-comments"))
    assert [notice.text.split(": ")[1] for notice in commented.notices] == [
        "3 lines beginning with # left out as comments"
    ]
    # trec_eval's own file with comments also has this id in place of CR93E-1860.
    renamed = commented.frame.with_columns(pl.col("doc_id").replace({"CR#93E-1860": "CR93E-1860"}))
    assert as_qrels(renamed).digest == plain.digest
