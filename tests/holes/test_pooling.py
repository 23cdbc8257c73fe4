"""Pools: what is in them, what a rater sees, and what a sample's chances are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ndcg import Effort, InputError, OptionError, as_qrels, as_run, pool

SAMPLES = Path(__file__).parents[2] / "src" / "ndcg" / "samples"
RUNS = {name: SAMPLES / f"{name}.run.gz" for name in ("bm25", "minilm", "tfidf")}
QRELS = SAMPLES / "qrels.txt"

lists = st.lists(st.sampled_from("abcdefghij"), unique=True, min_size=1)
many = st.dictionaries(st.sampled_from(["one", "two", "three"]), lists, min_size=1)


def runs_of(orders: dict[str, list[str]]) -> dict[str, Any]:
    return {
        name: {"q": {doc: float(-place) for place, doc in enumerate(order)}}
        for name, order in orders.items()
    }


@given(many, st.integers(1, 12), st.sets(st.sampled_from("abcdefghij")), st.integers(0, 5))
def test_a_depth_pool_is_the_union_less_what_is_judged(
    orders: dict[str, list[str]], depth: int, judged: set[str], seed: int
) -> None:
    union = {doc for order in orders.values() for doc in order[:depth]}
    known = {"q": dict.fromkeys(judged, 1)} if judged else None
    if not union - judged:
        with pytest.raises(OptionError, match="nothing to judge"):
            pool(runs_of(orders), judged=known, depth=depth, rejudge=0)
        return
    found = pool(runs_of(orders), judged=known, depth=depth, rejudge=0, seed=seed)
    assert set(found.frame["doc_id"]) == union - judged
    assert (found.candidates, found.already) == (len(union), len(union & judged))
    for one in found.contributions:
        others = [order[:depth] for name, order in orders.items() if name != one.run]
        mine = set(orders[one.run][:depth])
        assert one.documents == len(mine)
        assert one.own == len(mine - {doc for order in others for doc in order})
        assert one.judged == len(mine & judged)
    best = {doc: min(order.index(doc) + 1 for order in orders.values() if doc in order)
            for doc in union}  # fmt: skip
    ranks = dict(found.frame.select("doc_id", "best_rank").iter_rows())
    assert ranks == {doc: best[doc] for doc in union - judged}


def test_the_samples_pool_is_what_the_design_expects_of_three_systems() -> None:
    found = pool(RUNS, depth=10)
    assert 15 <= found.candidates / found.queries <= 20
    cost = found.costs(Effort(seconds=25, rate=60, raters=(1, 2)))
    assert cost[0]["hours"] == pytest.approx(len(found) * 25 / 3600)
    assert [row["labels"] for row in cost] == [len(found), 2 * len(found)]


def test_a_second_pool_takes_what_is_missing_and_a_few_to_judge_again() -> None:
    found = pool(RUNS, judged=QRELS)
    known = set(as_qrels(QRELS).frame.select("query_id", "doc_id").iter_rows())
    again = found.frame.filter("rejudge").select("query_id", "doc_id").iter_rows()
    new = found.frame.filter(~pl.col("rejudge")).select("query_id", "doc_id").iter_rows()
    assert {*again} <= known
    assert not {*new} & known
    assert found.rejudged == int(np.ceil(0.04 * found.already))
    assert len(found) == 1414 + found.rejudged
    assert found.provenance["qrels_digest"] == as_qrels(QRELS).digest


def test_a_rater_sees_no_run_and_no_rank(tmp_path: Path) -> None:
    found = pool(RUNS, judged=QRELS)
    beside = found.write(tmp_path / "pool.jsonl", {"c001": "laptop"}, {})
    lines = (tmp_path / "pool.jsonl").read_text().splitlines()
    keys = {"query_id", "doc_id", "query", "text", "relevance", "grades", "round", "pool"}
    assert {key for line in lines for key in json.loads(line)} == keys
    told = json.loads(beside.read_text())
    assert beside.name == "pool.provenance.json"
    assert told["pool"] == json.loads(lines[0])["pool"] == found.id
    assert told["runs"] == {name: as_run(path).digest for name, path in RUNS.items()}
    assert {"runs", "ranks", "probability", "rejudge"} <= set(told["documents"][0])
    text = "".join(lines)
    assert not any(name in text for name in RUNS)


def test_the_order_tells_nothing_and_the_seed_repeats_it() -> None:
    frames = [pool(RUNS, seed=seed).frame for seed in (1, 1, 2)]
    assert frames[0].equals(frames[1])
    assert frames[0]["doc_id"].to_list() != frames[2]["doc_id"].to_list()
    ranks = frames[0]["best_rank"].to_numpy()
    place = frames[0].select(pl.int_range(pl.len()).over("query_id")).to_series().to_numpy()
    assert abs(np.corrcoef(ranks, place)[0, 1]) < 0.1


@pytest.mark.parametrize("method", ["rrf", "rbp"])
def test_a_budget_goes_to_the_best_of_every_query_alike(method: str) -> None:
    found = pool(RUNS, method=method, budget=405)
    assert len(found) == 405
    assert found.frame.group_by("query_id").len()["len"].to_list() == [3] * 135
    whole = pool(RUNS).frame.sort(method, descending=True)
    best = whole.group_by("query_id", maintain_order=True).head(3)
    assert set(found.frame[method].round(12)) == set(best[method].round(12))


def test_fused_scores_are_the_published_formulas() -> None:
    runs = {"one": {"q": {"a": 2.0, "b": 1.0}}, "two": {"q": {"b": 2.0}}}
    row = pool(runs).frame.filter(pl.col("doc_id") == "b").row(0, named=True)
    assert row["rrf"] == pytest.approx(1 / 62 + 1 / 61)
    assert row["rbp"] == pytest.approx(0.2 * 0.8 + 0.2)


def test_a_sample_has_a_whole_part_and_known_chances() -> None:
    found = pool(RUNS, depth=50, method="sample", budget=1500, seed=3)
    candidates = pool(RUNS, depth=50).frame
    assert len(found) == 1500
    parts = found.frame.sort("stratum").partition_by("stratum", maintain_order=True)
    assert parts[0]["probability"].to_list() == [1.0] * len(parts[0])
    assert 750 / 2 < len(parts[0]) <= 750
    chances = [part["probability"][0] for part in parts]
    assert chances == sorted(chances, reverse=True)
    for part in parts:
        low, high = part["best_rank"].min(), part["best_rank"].max()
        inside = candidates.filter(pl.col("best_rank").is_between(low, high))
        assert len(inside) == pytest.approx(len(part) / part["probability"][0], rel=0.1)
    assert sum(len(part) / part["probability"][0] for part in parts) == pytest.approx(
        len(candidates)
    )


@given(st.integers(1, 40), st.integers(0, 9))
def test_a_sample_spends_its_budget_or_says_why_not(budget: int, seed: int) -> None:
    run = {"q": {f"d{i}": float(-i) for i in range(40)}}
    try:
        found = pool(run, depth=40, method="sample", budget=budget, seed=seed)
    except OptionError as error:
        assert "too small for a sample" in str(error)  # noqa: PT017 - only some budgets
        assert budget < 7
        return
    assert len(found) == budget
    assert found.frame["doc_id"].n_unique() == budget


def test_a_budget_that_covers_everything_is_a_depth_pool() -> None:
    found = pool(RUNS, method="sample", budget=10**6)
    assert found.frame["probability"].to_list() == [1.0] * len(found)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"depth": 0}, "depth must be 1 or more, got 0"),
        ({"budget": 0, "method": "rrf"}, "budget must be 1 label or more, got 0"),
        ({"budget": 5}, "a budget needs rrf, rbp or sample"),
        ({"rejudge": 2.0}, "rejudge must be a share from 0 to 1, got 2.0"),
        ({"method": "random"}, "method must be one of depth, rrf, rbp, sample, got 'random'"),
        ({"judged": {"q": {"a": 7}}}, "grade 7, which is outside the scale 0,1,2,3"),
    ],
)
def test_options_outside_their_range_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        pool({"q": {f"d{i}": float(i) for i in range(20)}}, **options)


def test_runs_without_a_common_query_are_refused() -> None:
    runs = {"one": {"q1": {"a": 1.0}}, "two": {"q2": {"a": 1.0}}}
    with pytest.raises(InputError, match=r"one and two have no query in common \(one has 'q1'"):
        pool(runs)


def test_judgments_of_other_queries_are_refused() -> None:
    with pytest.raises(InputError, match="none of the judged queries is in the runs"):
        pool({"q": {"a": 1.0}}, judged={"r": {"a": 1}})


def test_queries_that_only_some_runs_have_are_counted() -> None:
    runs = {"one": {"q": {"a": 1.0}, "r": {"a": 1.0}}, "two": {"q": {"a": 1.0}}}
    (notice,) = pool(runs).notices
    assert (notice.run, notice.code) == ("two", "lopsided")
    assert notice.text == "1 query of the other runs not in it: it adds nothing there"
