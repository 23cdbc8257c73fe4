"""Labels that come in one by one: bounds, values and counts are those of judging anew."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ndcg
from ndcg import Convention, as_qrels, as_run, nDCG
from ndcg.holes import duels
from ndcg.holes.queue import prepare_duel

if TYPE_CHECKING:
    import polars as pl

    from ndcg.holes.duels import Duel

SAMPLES = Path(ndcg.__file__).parent / "samples"
GRADES = (0, 1, 2)
DOCS = st.sampled_from("abcdef")
LISTS = st.lists(DOCS, unique=True, min_size=1, max_size=5)
QUERIES = st.fixed_dictionaries({"q1": LISTS, "q2": LISTS})
JUDGED = st.fixed_dictionaries(
    dict.fromkeys(("q1", "q2"), st.dictionaries(DOCS, st.sampled_from(GRADES), min_size=1))
)


def listed(lists: dict[str, list[str]]) -> dict[str, dict[str, float]]:
    return {query: {doc: -float(i) for i, doc in enumerate(docs)} for query, docs in lists.items()}


def started(judged: Any, one: Any, other: Any) -> tuple[Duel, pl.DataFrame]:
    runs = {"one": as_run(one), "other": as_run(other)}
    duel, holes, _, _ = prepare_duel(
        as_qrels(judged), runs, nDCG @ 3, grades=GRADES, convention=Convention()
    )
    return duel, holes


def bounds_of(judged: Any, one: Any, other: Any) -> tuple[float, float]:
    found = ndcg.bounds(judged, {"one": one, "other": other}, nDCG @ 3, grades=GRADES)
    limits = found.difference("one", "other")
    return limits.lower, limits.upper


@settings(max_examples=100, deadline=None)
@given(judged=JUDGED, one=QUERIES, other=QUERIES, data=st.data())
def test_a_revealed_label_gives_the_bounds_of_the_judgments_with_it(
    judged: Any, one: Any, other: Any, data: Any
) -> None:
    one, other = listed(one), listed(other)
    duel, holes = started(judged, one, other)
    assert duel.bounds == pytest.approx(bounds_of(judged, one, other), abs=1e-12)
    for hole in data.draw(st.permutations(range(len(holes)))):
        query, doc = holes.row(hole)[:2]
        grade = data.draw(st.sampled_from(GRADES))
        duel.reveal(hole, float(grade))
        judged = judged | {query: judged[query] | {doc: grade}}
        assert duel.bounds == pytest.approx(bounds_of(judged, one, other), abs=1e-12)
    assert duel.values(0.5).sum() == 0.0


@settings(max_examples=60, deadline=None)
@given(judged=JUDGED, one=QUERIES, other=QUERIES)
def test_a_label_is_worth_what_it_moves_the_bounds_by_on_average(
    judged: Any, one: Any, other: Any
) -> None:
    one, other = listed(one), listed(other)
    duel, holes = started(judged, one, other)
    now = duel.bounds
    for hole, (query, doc) in enumerate(holes.select("query_id", "doc_id").iter_rows()):
        worlds = [judged | {query: judged[query] | {doc: grade}} for grade in GRADES]
        after = np.array([bounds_of(world, one, other) for world in worlds])
        lift, drop = duel.chance[hole] @ (after - now) * (1, -1)
        n = len(duel.base)
        assert duel.lift[hole] / n == pytest.approx(lift, abs=1e-12)
        assert duel.drop[hole] / n == pytest.approx(drop, abs=1e-12)


def samples() -> Duel:
    runs = {name: as_run(SAMPLES / f"{name}.run.gz") for name in ("bm25", "tfidf")}
    qrels = as_qrels(SAMPLES / "qrels.txt")
    scale = (0, 1, 2, 3)
    return prepare_duel(qrels, runs, nDCG @ 10, grades=scale, convention=Convention())[0]


def test_labels_until_settled_is_the_first_count_that_settles() -> None:
    judged = {"q": {"z": 2}}
    one, other = {"q": {"a": 3.0, "b": 2.0}}, {"q": {"c": 3.0, "d": 2.0}}
    duel, holes = started(judged, one, other)
    rng = np.random.default_rng(0)
    order = rng.permutation(len(holes))
    gains = duel.draw(20, rng)
    counts = duel.labels_until_settled(order, gains)
    for world, count in zip(gains, counts.tolist(), strict=True):
        again, _ = started(judged, one, other)
        taken = 0
        while not again.is_settled:
            again.reveal(order[taken], world[order[taken]])
            taken += 1
        assert taken == count


def test_belief_is_the_share_of_worlds_and_equal_runs_share_it() -> None:
    same = {"q": {"a": 2.0, "b": 1.0}}
    assert started({"q": {"z": 1}}, same, same)[0].belief(50, np.random.default_rng(0)) == 0.5
    ahead = started({"q": {"z": 2}}, {"q": {"a": 1.0}}, {"q": {"z": 1.0}})[0]
    # A document of grade 2 against an unknown one: equal in a third of the worlds, never behind.
    belief = ahead.belief(4000, np.random.default_rng(0))
    assert belief == pytest.approx(1 - ahead.chance[0, 2] / 2, abs=0.03)


def test_many_holes_of_a_query_are_valued_by_their_factor(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = samples()
    monkeypatch.setattr(duels, "_MANY", 0)
    cheap = samples()
    assert cheap.bounds == pytest.approx(exact.bounds, abs=1e-12)
    assert (cheap.values(0.5) >= 0).all()
    query = np.bincount(cheap.query).argmax()
    here = np.flatnonzero(cheap.query == query)
    assert cheap.values(0.5)[here].argmax() == np.abs(cheap.weight[here]).argmax()
