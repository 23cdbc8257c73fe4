"""Extremes of sums and ratios with unknown gains, against every assignment tried in turn."""

from __future__ import annotations

import itertools
import math
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ndcg.holes.extremes import Unknowns, ratio_extremes, sum_extremes

GAINS = st.sampled_from(
    [[0, 1], [0, 1, 2, 3], [0, 1, 3, 7], [1, 2, 3], [0, 0.5, 10], [0], [2], [0, 1, 31, 1023]]
)


@st.composite
def queries(draw: Any, gains: list[float]) -> dict[str, Any]:
    signed = draw(st.booleans())
    weights = st.floats(-1 if signed else 0, 1, allow_subnormal=False)
    known = [*gains, 0.25, 5.0]
    return {
        "base": draw(st.floats(-3, 3)) if signed else draw(st.floats(0, 3)),
        "weights": draw(st.lists(weights, max_size=6)),
        "judged": [g for g in draw(st.lists(st.sampled_from(known), max_size=6)) if g > 0],
    }


@st.composite
def cases(draw: Any) -> tuple[list[dict[str, Any]], list[float], list[float]]:
    gains = draw(GAINS)
    found = draw(st.lists(queries(gains), min_size=1, max_size=4))
    for query in found:
        if not query["judged"]:
            query["base"] = 0.0
    depth = draw(st.integers(1, 12))
    return found, gains, [1 / math.log2(rank + 1) for rank in range(1, depth + 1)]


def unknowns(found: list[dict[str, Any]], gains: list[float], discount: list[float]) -> Unknowns:
    def rows(key: str) -> Any:
        return (
            np.repeat(np.arange(len(found)), [len(query[key]) for query in found]),
            np.array([value for query in found for value in query[key]], np.float64),
        )

    return Unknowns(
        base=np.array([query["base"] for query in found], np.float64),
        **dict(zip(("hole_query", "weight"), rows("weights"), strict=True)),
        **dict(zip(("judged_query", "judged_gain"), rows("judged"), strict=True)),
        gains=np.array(gains, np.float64),
        discount=np.array(discount),
    )


@cache
def assignments(gains: tuple[float, ...], holes: int) -> Any:
    every = list(itertools.product(gains, repeat=holes))
    return np.array(every, np.float64).reshape(len(every), holes)


def tried(query: dict[str, Any], gains: list[float], discount: list[float], empty: float) -> Any:
    """Return the least and greatest ratio and sum over every assignment."""
    gained = assignments(tuple(gains), len(query["weights"]))
    sums = query["base"] + gained @ np.array(query["weights"])
    judged = np.tile(np.array(query["judged"], np.float64), (len(gained), 1))
    best = -np.sort(-np.hstack([judged, gained]), axis=1)[:, : len(discount)]
    under = best @ np.array(discount)[: best.shape[1]]
    ratios = np.divide(sums, under, out=np.full(len(sums), empty), where=under > 0)
    return (ratios.min(), ratios.max()), (sums.min(), sums.max())


@settings(max_examples=3000, deadline=None)
@given(cases(), st.sampled_from([0.0, 1.0]))
def test_extremes_are_those_of_every_assignment(case: Any, empty: float) -> None:
    found, gains, discount = case
    lower, upper = ratio_extremes(unknowns(found, gains, discount), empty=empty)
    least, greatest = sum_extremes(unknowns(found, gains, discount))
    for i, query in enumerate(found):
        ratios, sums = tried(query, gains, discount, empty)
        assert (lower[i], upper[i]) == pytest.approx(ratios, rel=1e-9, abs=1e-9)
        assert (least[i], greatest[i]) == pytest.approx(sums, rel=1e-9, abs=1e-9)


def test_filling_with_the_least_or_the_greatest_gain_is_no_bound_of_a_ratio() -> None:
    discount = [1.0, 1 / math.log2(3)]
    one = unknowns([{"base": 1.0, "weights": [discount[1]], "judged": [1.0]}], [0, 1, 3], discount)
    lower, upper = ratio_extremes(one)
    ideal = 3 + discount[1]
    assert lower[0] == pytest.approx((1 + 3 * discount[1]) / ideal)
    assert upper[0] == pytest.approx(1.0)


@pytest.mark.parametrize(("queries_", "holes"), [(1000, 20), (50, 200), (4, 2000)])
def test_many_holes_stay_quick_and_enclose_random_assignments(queries_: int, holes: int) -> None:
    rng = np.random.default_rng(0)
    discount = 1 / np.log2(np.arange(2, holes + 2))
    gains = np.array([0.0, 1, 2, 3])
    judged = rng.choice(gains[1:], (queries_, 15))
    weight = np.tile(rng.choice(discount, (queries_, 1)) - discount, 1)
    many = Unknowns(
        np.zeros(queries_),
        np.repeat(np.arange(queries_), holes),
        weight.ravel(),
        np.repeat(np.arange(queries_), 15),
        judged.ravel(),
        gains,
        discount,
    )
    lower, upper = ratio_extremes(many)
    for _ in range(20):
        gained = rng.choice(gains, (queries_, holes), p=rng.dirichlet(np.ones(4)))
        best = -np.sort(-np.concatenate([judged, gained], axis=1), axis=1)[:, :holes]
        ratio = (weight * gained).sum(axis=1) / (best * discount).sum(axis=1)
        assert (ratio >= lower - 1e-12).all()
        assert (ratio <= upper + 1e-12).all()
