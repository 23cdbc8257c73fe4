"""Coverage: what was judged, checked against the worked example, the samples and plain counting."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ndcg
from ndcg import OptionError, coverage

SAMPLES = Path(__file__).parents[2] / "src" / "ndcg" / "samples"
QRELS = SAMPLES / "qrels.txt"
RUNS = {name: SAMPLES / f"{name}.run.gz" for name in ("bm25", "minilm", "tfidf")}


def test_the_samples_have_the_coverage_that_the_measure_judged_gives() -> None:
    found = coverage(QRELS, RUNS)
    scores = ndcg.evaluate(QRELS, RUNS, "Judged@10")
    for name in RUNS:
        assert found.of(name).mean == pytest.approx(scores.mean(name)["Judged@10"], abs=1e-12)
    assert found.below == ("bm25", "minilm", "tfidf")
    assert found.exit_code == 1
    assert [run.n_holes for run in found.runs] == [343, 822, 469]
    assert found.holes == 1414
    assert found.bounds is not None
    assert found.bounds.of("bm25").to_dict() == ndcg.bounds(QRELS, RUNS).of("bm25").to_dict()


DOCS = list("abcdefgh")


@given(
    st.dictionaries(st.sampled_from(DOCS), st.integers(-1, 3), min_size=1),
    st.lists(st.sampled_from(DOCS), unique=True, min_size=1),
    st.integers(1, 9),
)
def test_shares_are_what_counting_gives(judged: dict[str, int], order: list[str], k: int) -> None:
    run = {"q": {doc: float(-place) for place, doc in enumerate(order)}}
    found = coverage({"q": judged}, {"a": run}, k, grades=(0, 1, 2, 3)).of()
    top = order[:k]
    weight = {doc: 1 / math.log2(place + 2) for place, doc in enumerate(top)}
    known = [doc for doc in top if doc in judged]
    assert found.mean == pytest.approx(len(known) / len(top))
    expected = sum(weight[doc] for doc in known) / sum(weight.values())
    assert found.weighted[0] == pytest.approx(expected)
    assert found.n_holes == len(top) - len(known)
    assert found.incomplete == float(len(known) < len(top))


def test_a_list_shorter_than_k_is_judged_over_its_own_length() -> None:
    found = coverage({"q": {"a": 1}}, {"q": {"a": 1.0}}, 10)
    assert (found.of().mean, found.below, found.exit_code) == (1.0, (), 0)


def test_an_unanswered_query_has_no_coverage_and_is_told() -> None:
    found = coverage({"q": {"a": 1}, "r": {"a": 1}}, {"q": {"a": 1.0}})
    assert found.of().n == 1
    assert math.isnan(found.of().judged[1])
    assert [notice.code for notice in found.notices] == ["unanswered", "shallow", "scale"]
    assert found.to_queries()["judged"].to_list() == [1.0, None]


def test_a_run_without_any_list_is_below_the_floor() -> None:
    run = {"q": {"a": 1.0}, "r": {}}
    qrels = {"r": {"a": 1}}
    found = coverage(qrels, {"empty": run, "full": {"r": {"a": 1.0}}})
    assert found.below == ("empty",)
    assert found.of("empty").to_dict()["judged"] is None
    assert found.to_dict()["runs"][0]["minimum"] is None


def test_unequal_coverage_names_whom_the_judgments_favour() -> None:
    found = coverage({"q": {"a": 1, "b": 0}}, {"old": {"q": {"a": 2.0, "b": 1.0}},
                                               "new": {"q": {"x": 2.0, "b": 1.0}}}, 2)  # fmt: skip
    told = next(notice.text for notice in found.notices if notice.code == "favoured")
    assert told == (
        "the judgments favour old: its judged@2 is 100.0%, that of new 50.0%; a hole counts as "
        "not relevant"
    )


def test_slices_have_coverage_of_their_own() -> None:
    run = {"q": {"a": 1.0}, "r": {"x": 1.0}}
    slices = {"q": {"kind": "old"}, "r": {"kind": "new"}}
    found = coverage({"q": {"a": 1}, "r": {"a": 1}}, run, slices=slices)
    told = {part.value: (part.run.mean, part.run.n_holes) for part in found.slices}
    assert told == {"new": (0.0, 1), "old": (1.0, 0)}
    assert found.to_dict()["slices"][0]["slice"] == "kind"


@pytest.mark.parametrize("profile", ["sklearn", "lightgbm"])
def test_a_convention_without_bounds_leaves_them_out_and_says_so(profile: str) -> None:
    found = coverage({"q": {"a": 1, "b": 0}}, {"q": {"a": 2.0, "b": 1.0}}, 2, convention=profile)
    assert (found.bounds is None) == ("no-bounds" in [notice.code for notice in found.notices])
    assert found.of().mean == 1.0


def test_the_scale_and_the_world_reach_the_bounds() -> None:
    found = coverage({"q": {"a": 1}}, {"q": {"x": 1.0}}, 1, grades=(0, 1), open_world=True)
    assert found.bounds is not None
    assert found.to_dict()["unjudged"] == {"grades": [0.0, 1.0], "open_world": True}
    assert tuple(found.bounds.of()) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"floor": 1.5}, "floor must be a share from 0 to 1, got 1.5"),
        ({"grades": (0,)}, "the judgments have grade 1, which is outside the scale 0"),
    ],
)
def test_options_outside_their_range_are_refused(options: dict, message: str) -> None:  # type: ignore[type-arg]
    with pytest.raises(OptionError, match=message):
        coverage({"q": {"a": 1}}, {"q": {"a": 1.0}}, **options)


def test_a_depth_of_0_is_refused() -> None:
    with pytest.raises(ndcg.MeasureError, match="1 or more, got 0"):
        coverage({"q": {"a": 1}}, {"q": {"a": 1.0}}, 0)


def test_a_run_that_is_not_there_is_refused() -> None:
    found = coverage(QRELS, RUNS)
    with pytest.raises(OptionError, match=r"no run named 'bm26'; did you mean 'bm25'\?"):
        found.of("bm26")
    with pytest.raises(OptionError, match=r"there are 3 runs .* name one"):
        found.of()
