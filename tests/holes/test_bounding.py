"""Bounds of measures and differences: real runs, then every labelling of small ones."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ndcg
from ndcg import AP, CG, DCG, RBP, Convention, InputError, MeasureError, OptionError, P, nDCG
from ndcg.holes.bounding import bounds
from ndcg.holes.tops import top_documents

SAMPLES = Path(ndcg.__file__).parent / "samples"
QRELS = SAMPLES / "qrels.txt"
RUNS = {name: SAMPLES / f"{name}.run.gz" for name in ("bm25", "minilm", "tfidf")}

DOCS = st.sampled_from("abcdefg")
LISTS = st.lists(DOCS, unique=True, max_size=5)


def listed(docs: list[str]) -> dict[str, float]:
    return {doc: float(-i) for i, doc in enumerate(docs)}


def labelled(
    judged: dict[str, int], lists: list[list[str]], depth: int, grades: tuple[int, ...]
) -> list[dict[str, int]]:
    """Return the judgments under every labelling of the holes in the tops of the lists."""
    holes = sorted({doc for docs in lists for doc in docs[:depth]} - set(judged))
    return [
        judged | dict(zip(holes, labels, strict=True))
        for labels in itertools.product(grades, repeat=len(holes))
    ]


def every_value(
    worlds: list[dict[str, int]], docs: list[str], measure: Any, convention: Any
) -> Any:
    """Return the measure under every labelling: each is a query of its own."""
    qrels = {f"{i:06}": dict(world) for i, world in enumerate(worlds)}
    if not docs:
        return np.zeros(len(worlds))
    scores = ndcg.evaluate(
        qrels, dict.fromkeys(qrels, listed(docs)), measure, convention=convention
    )
    return scores.runs[0].values[:, 0]


@settings(max_examples=400, deadline=None)
@given(
    judged=st.dictionaries(DOCS, st.sampled_from([-1, 0, 1, 2]), min_size=1, max_size=4),
    one=LISTS.filter(bool),
    other=LISTS.filter(bool),
    measure=st.sampled_from([nDCG @ 3, nDCG, nDCG @ 5, DCG @ 3, CG @ 2, P @ 3]),
    convention=st.sampled_from(
        [
            Convention(),
            Convention(gain="exp", discount="jarvelin"),
            Convention(gain=((1, 3), (2, 1)), barren="one"),
        ]
    ),
)
def test_bounds_are_those_of_every_labelling(
    judged: Any, one: Any, other: Any, measure: Any, convention: Any
) -> None:
    depth, grades = measure.cutoff or 9, (0, 1, 2)
    runs = {"a": {"q": listed(one)}, "b": {"q": listed(other)}}
    found = bounds({"q": judged}, runs, measure, grades=grades, convention=convention)
    for name, docs in (("a", one), ("b", other)):
        values = every_value(labelled(judged, [docs], depth, grades), docs, measure, convention)
        assert tuple(found.of(name)) == pytest.approx((values.min(), values.max()), abs=1e-12)
    worlds = labelled(judged, [one, other], depth, grades)
    change = every_value(worlds, other, measure, convention) - every_value(
        worlds, one, measure, convention
    )
    limits = found.difference("a", "b")
    assert tuple(limits) == pytest.approx((change.min(), change.max()), abs=1e-12)
    assert limits.is_settled == (
        change.min() > 1e-12 or change.max() < -1e-12 or np.ptp(change) <= 1e-12
    )


@settings(max_examples=60, deadline=None)
@given(
    judged=st.dictionaries(DOCS, st.sampled_from([0, 1]), min_size=1, max_size=4),
    docs=LISTS.filter(bool),
)
def test_an_open_world_adds_documents_that_nobody_retrieved(judged: Any, docs: Any) -> None:
    found = bounds({"q": judged}, {"q": listed(docs)}, nDCG @ 2, grades=(0, 1), open_world=True)
    worlds = labelled(judged | {}, [docs], 2, (0, 1))
    unseen = [world | {"x": x, "y": y} for world in worlds for x in (0, 1) for y in (0, 1)]
    values = every_value(unseen, docs, nDCG @ 2, None)
    assert tuple(found.of()) == pytest.approx((values.min(), values.max()), abs=1e-12)


@pytest.mark.parametrize("measure", [nDCG @ 10, DCG @ 10, P @ 5, nDCG(gain="exp") @ 10])
def test_real_runs_lie_within_their_bounds_and_keep_their_value(measure: Any) -> None:
    found = bounds(QRELS, RUNS, measure)
    scores = ndcg.evaluate(QRELS, RUNS, measure)
    for name in RUNS:
        limits = found.of(name)
        assert np.array_equal(limits.values, scores.run(name).values[:, 0])
        assert (limits.lows <= limits.values).all()
        assert (limits.values <= limits.highs).all()
        complete = limits.holes == 0
        assert complete.any()
        assert np.array_equal(limits.lows[complete], limits.highs[complete])
        lower, upper = limits
        assert lower <= scores.mean(name)[measure] < upper


def test_random_labels_of_real_runs_stay_within_the_bounds_of_the_difference() -> None:
    found, rng = bounds(QRELS, RUNS), np.random.default_rng(0)
    limits = found.difference("bm25", "minilm")
    judged = ndcg.as_qrels(QRELS)
    known = {q: dict(docs) for q, docs in judged.lookup.items()}
    for _ in range(5):
        filled = {q: dict(docs) for q, docs in known.items()}
        for name in ("bm25", "minilm"):
            top = top_documents(judged, ndcg.as_run(RUNS[name]), 10)
            for query, doc in zip(top.query[top.holes], top.doc_ids.filter(top.holes), strict=True):
                filled[top.query_ids[query]].setdefault(doc, int(rng.integers(0, 4)))
        scores = ndcg.evaluate(filled, RUNS, nDCG @ 10)
        change = scores.run("minilm").values[:, 0] - scores.run("bm25").values[:, 0]
        assert (limits.lows - 1e-12 <= change).all()
        assert (change <= limits.highs + 1e-12).all()


def test_a_difference_is_bounded_more_narrowly_than_two_runs() -> None:
    found = bounds(QRELS, RUNS)
    (low_a, high_a), (low_b, high_b) = found.of("bm25"), found.of("tfidf")
    lower, upper = found.difference("bm25", "tfidf")
    assert low_b - high_a < lower
    assert upper < high_b - low_a
    swapped = found.difference("tfidf", "bm25")
    assert tuple(swapped) == pytest.approx((-upper, -lower))


def test_complete_judgments_settle_every_difference() -> None:
    qrels = {"q": {"a": 1, "b": 0}}
    found = bounds(qrels, {"x": {"q": {"a": 1.0}}, "y": {"q": {"b": 1.0}}})
    limits = found.difference("x", "y")
    assert tuple(limits) == (-1.0, -1.0)
    assert limits.is_settled
    assert limits.word == "settled"
    assert found.difference("x", "x").is_settled


def test_a_margin_is_undecided_while_labels_could_move_it_across() -> None:
    runs = {"x": {"q": {"a": 1.0}}, "y": {"q": {"b": 1.0}}}
    limits = bounds({"q": {"a": 1}}, runs, grades=(0, 1)).difference("x", "y")
    assert tuple(limits) == pytest.approx((-1.0, 0.0))
    assert not limits.is_settled
    assert limits.worse_by(0.1) is None
    assert limits.worse_by(1.5) is False
    known = bounds({"q": {"a": 1, "b": 0}}, runs).difference("x", "y")
    assert known.worse_by(0.1) is True
    with pytest.raises(OptionError, match="margin must be 0 or more, got -1"):
        known.worse_by(-1)


def test_queries_that_do_not_count_have_no_bounds() -> None:
    rules = Convention(unanswered="skip", barren="skip")
    qrels = {"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"a": 0}}
    found = bounds(qrels, {"q1": {"b": 1.0}, "q3": {"b": 1.0}}, convention=rules)
    limits = found.of()
    assert limits.n == 1
    assert np.isnan(limits.lows).tolist() == [False, True, True]
    assert limits.holes.tolist() == [1, 0, 0]
    assert [n.code for n in found.notices if "label could bring" in n.text] == ["barren"]


def test_results_leave_as_frames_and_plain_values() -> None:
    found = bounds(QRELS, RUNS)
    assert found.to_frame().columns == ["run", "n", "holes", "lower", "value", "upper", "condensed"]
    told = found.to_dict()
    assert told["grades"] == [0, 1, 2, 3]
    assert told["runs"][1]["bounds"] == list(found.of("minilm"))
    assert found.difference("bm25", "minilm").to_dict()["settled"] is False
    frame = found.of("bm25").to_frame()
    assert frame.columns == ["query_id", "lower", "value", "upper", "condensed", "holes"]
    assert frame["holes"].sum() == found.of("bm25").n_holes
    assert "closed pool" in found._repr_html_()
    inside = np.arange(135) < 10
    assert found.of("bm25").where(inside).n == 10


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"grades": ()}, "one finite number or more, got none"),
        ({"grades": (0, float("nan"))}, "one finite number or more, got 0,nan"),
        ({"grades": "abc"}, "grades must be numbers such as"),
        ({"grades": (0, 1)}, r"have grade 2, which is outside the scale 0,1; name every grade"),
        ({"grades": (1, 2)}, r"have grade 0, which is outside the scale 1,2"),
        ({"convention": "sklearn"}, "bounds need an order of equal scores"),
        ({"convention": "lightgbm"}, "not known for ideal='retrieved'"),
        ({"convention": Convention(short_lists="fill")}, "not known for short_lists='fill'"),
        ({"convention": Convention(gain=((1, 1), (2, 3)))}, "the gain mapping has no grade 3"),
        ({"measure": nDCG, "open_world": True}, "an open world needs a cutoff, such as nDCG@10"),
    ],
)
def test_a_bad_option_is_told(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        bounds({"q": {"a": 2, "b": 0}}, {"q": {"a": 1.0, "c": 0.5}}, **options)


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        (AP, "bounds are known for nDCG, DCG, CG, P, not AP"),
        (RBP, r"RBP\(residual=True\) is its own bound"),
        (P, "bounds of P need a cutoff"),
        (nDCG(condensed=True) @ 10, "leave out condensed"),
    ],
)
def test_other_measures_are_refused(measure: Any, message: str) -> None:
    with pytest.raises(MeasureError, match=message):
        bounds({"q": {"a": 2}}, {"q": {"a": 1.0}}, measure)


def test_runs_are_named_and_bad_ones_told() -> None:
    found = bounds(QRELS, RUNS)
    with pytest.raises(OptionError, match=r"there are 3 runs \(bm25, minilm, tfidf\); name one"):
        found.of()
    with pytest.raises(OptionError, match="no run named 'minilmm'; did you mean 'minilm'"):
        found.difference("bm25", "minilmm")
    with pytest.raises(InputError, match="none of its queries is judged"):
        bounds(QRELS, {"other": {"a": 1.0}})


def test_a_scale_above_the_judgments_is_noticed() -> None:
    found = bounds({"q": {"a": 1}}, {"q": {"a": 1.0}})
    assert "no judgment is above grade 1" in found.notices[-1].text
