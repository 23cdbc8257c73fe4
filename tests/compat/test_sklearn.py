"""scikit-learn's interface: values and messages are those of the program itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sklearn.metrics as theirs
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as shapes
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV

from ndcg.compat import sklearn as ours

SHAPE = st.shared(st.tuples(st.integers(1, 5), st.integers(2, 8)), key="shape")
GRADES = SHAPE.flatmap(
    lambda shape: st.one_of(
        shapes.arrays(np.int64, shape, elements=st.integers(0, 4)),
        shapes.arrays(np.float64, shape, elements=st.sampled_from([0.0, 0.5, 1.0, 2.5])),
    )
)
SCORES = SHAPE.flatmap(
    lambda shape: st.one_of(
        shapes.arrays(np.float64, shape, elements=st.sampled_from([-1.0, 0.0, 0.25, 0.5, 1e9])),
        shapes.arrays(np.float32, shape, elements=st.floats(-1, 1, width=32)),
        shapes.arrays(np.int64, shape, elements=st.integers(-3, 3)),
    )
)


@settings(max_examples=400, deadline=None)
@given(
    grades=GRADES,
    scores=SCORES,
    k=st.one_of(st.none(), st.integers(1, 10)),
    ignore_ties=st.booleans(),
    base=st.sampled_from([2, 10, 1.5]),
    data=st.data(),
)
def test_any_matrices_give_its_values(
    grades: Any, scores: Any, k: Any, *, ignore_ties: bool, base: float, data: Any
) -> None:
    weights = data.draw(st.one_of(st.none(), st.just(np.arange(1, len(grades) + 1))))
    options = {"k": k, "ignore_ties": ignore_ties, "sample_weight": weights}
    expected = theirs.ndcg_score(grades, scores, **options)
    assert ours.ndcg_score(grades, scores, **options) == pytest.approx(expected, abs=1e-12)
    expected = theirs.dcg_score(grades, scores, log_base=base, **options)
    assert ours.dcg_score(grades, scores, log_base=base, **options) == pytest.approx(
        expected, rel=1e-12, abs=1e-12
    )


def test_its_documented_examples() -> None:
    relevance = [[10, 0, 0, 1, 5]]
    first, ties = [[0.1, 0.2, 0.3, 4, 70]], [[1, 0, 0, 0, 1]]
    assert ours.ndcg_score(relevance, first) == pytest.approx(0.69, abs=0.01)
    other = [[0.05, 1.1, 1.0, 0.5, 0.0]]
    assert ours.ndcg_score(relevance, other) == pytest.approx(0.49, abs=0.01)
    assert ours.ndcg_score(relevance, other, k=4) == pytest.approx(0.35, abs=0.01)
    assert ours.ndcg_score(relevance, relevance, k=4) == 1.0
    assert ours.ndcg_score(relevance, ties, k=1) == pytest.approx(0.75)
    assert ours.ndcg_score(relevance, ties, k=1, ignore_ties=True) == pytest.approx(0.5)
    assert ours.dcg_score(relevance, first) == pytest.approx(9.49, abs=0.01)
    assert isinstance(ours.ndcg_score(relevance, first), float)


@pytest.mark.parametrize("function", ["ndcg_score", "dcg_score"])
@pytest.mark.parametrize(
    ("y_true", "y_score", "options"),
    [
        ([[-1, 1]], [[1, 2]], {}),
        ([[1], [2]], [[1], [2]], {}),
        ([0, 1, 1], [1, 2, 3], {}),
        ([0, 1, 2], [1, 2, 3], {}),
        ([0.5, 1, 2], [1, 2, 3], {}),
        ([[1, 2]], [[1, 2], [3, 4]], {}),
        ([[1, 2]], [[1, 2]], {"sample_weight": [1, 2]}),
        ([[1, float("nan")]], [[1, 2]], {}),
        ([[1, float("inf")]], [[1, 2]], {}),
        ([[1, 2]], [[1, 2]], {"k": 0}),
        ([[1, 2]], [[1, 2]], {"k": 1.5}),
        ([[1, 2]], [[1, 2]], {"ignore_ties": "no"}),
        (np.empty((0, 3)), np.empty((0, 3)), {}),
    ],
)
def test_errors_have_its_messages(function: str, y_true: Any, y_score: Any, options: Any) -> None:
    expected = ""
    try:
        value = getattr(theirs, function)(y_true, y_score, **options)
    except ValueError as error:
        expected = str(error).splitlines()[0]
    if not expected:
        assert getattr(ours, function)(y_true, y_score, **options) == pytest.approx(value)
        return
    with pytest.raises(ValueError) as found:  # noqa: PT011 - the message is compared below
        getattr(ours, function)(y_true, y_score, **options)
    assert str(found.value) == expected


def test_an_unequal_width_and_a_bad_base_are_refused() -> None:
    with pytest.raises(ValueError, match=r"one shape, got \(1, 3\) and \(1, 2\)"):
        ours.ndcg_score([[1, 2, 0]], [[1, 2]])
    with pytest.raises(ValueError, match="'log_base' parameter of dcg_score"):
        ours.dcg_score([[1, 2]], [[1, 2]], log_base=0)
    with pytest.raises(ValueError, match="one dimension or more"):
        ours.dcg_score(1, 2)


def test_unsigned_and_boolean_input_is_ordered_by_size() -> None:
    scores = np.array([[0, 1, 2]], np.uint8)
    assert ours.ndcg_score([[0, 1, 2]], scores) == 1.0
    assert ours.ndcg_score(np.array([[True, False]]), np.array([[True, False]])) == 1.0


class Capsule:
    """An array that only DLPack can read, as those of other array libraries."""

    def __init__(self, values: Any) -> None:
        self.values = np.asarray(values, dtype=np.float64)

    def __dlpack__(self, **options: Any) -> Any:
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self.values.__dlpack_device__()


class Tensor(Capsule):
    """An array that must be detached first, as PyTorch's with a gradient."""

    def __array__(self, *_: Any) -> Any:
        raise RuntimeError("call detach first")

    def detach(self) -> Tensor:
        return self

    def cpu(self) -> Any:
        return self.values


@pytest.mark.parametrize("kind", [Capsule, Tensor, list, tuple])
def test_other_libraries_arrays_are_read(kind: Any) -> None:
    grades, scores = [[3.0, 0.0, 1.0]], [[0.1, 0.5, 0.3]]
    assert ours.ndcg_score(kind(grades), kind(scores)) == ours.ndcg_score(grades, scores)


def test_a_scorer_inside_a_grid_search() -> None:
    draw = np.random.default_rng(0)
    x = draw.normal(size=(60, 5))
    y = np.maximum(0, np.round(x @ draw.normal(size=(5, 12))))
    found = []
    for function in (ours.ndcg_score, theirs.ndcg_score):
        scorer = theirs.make_scorer(function, k=5)
        search = GridSearchCV(Ridge(), {"alpha": [0.1, 10.0, 1000.0]}, scoring=scorer, cv=3)
        found.append(search.fit(x, y).cv_results_["mean_test_score"])
    assert found[0] == pytest.approx(found[1], abs=1e-12)
    assert 0 < found[0][0] < 1
