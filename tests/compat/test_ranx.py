"""ranx's calls: the values that ranx gave for real runs, its names, its refusals."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ndcg import MeasureError, OptionError, as_qrels, as_run
from ndcg.compat.ranx import compare, evaluate

GOLDEN = Path(__file__).parents[1] / "golden"
NAMES = {
    "ndcg@10": "ndcg@10",
    "ndcg_exp@10": "ndcg_burges@10",
    "map": "map",
    "p@10": "precision@10",
    "recall@100": "recall@100",
    "mrr@10": "mrr@10",
}
QRELS = {"q1": {"a": 2, "b": 1}, "q2": {"c": 1}}
RUN = {"q1": {"b": 2.0, "a": 1.0}, "q2": {"d": 2.0, "c": 1.0}}


# Not vaswani's bm25: it has ties below rank 20, which ranx's sort of a long list does not keep.
@pytest.mark.parametrize(
    ("collection", "system"),
    [
        ("vaswani", "minilm"),
        ("cranfield", "bm25"),
        ("cranfield", "minilm"),
        ("cacm", "bm25"),
        ("cacm", "minilm"),
    ],
)
def test_real_runs_have_ranxs_values(collection: str, system: str) -> None:
    packed = (GOLDEN / "values" / f"{collection}__{system}.json.gz").read_bytes()
    told = json.loads(gzip.decompress(packed))
    found = evaluate(
        GOLDEN / collection / "qrels.txt",
        GOLDEN / collection / "runs" / f"{system}.run.gz",
        list(NAMES.values()),
        make_comparable=True,
    )
    assert isinstance(found, dict)
    for theirs, name in NAMES.items():
        expected = told["mean"]["ranx"][theirs]["over_all_qrels_queries"]
        assert found[name] == pytest.approx(expected, abs=1e-9), name


def test_one_metric_is_a_number_and_values_are_arrays() -> None:
    mean = evaluate(QRELS, RUN, "mrr")
    values = evaluate(QRELS, RUN, "mrr", return_mean=False)
    assert mean == 0.75
    assert isinstance(values, np.ndarray)
    assert values.tolist() == [1.0, 0.5]
    many: Any = evaluate(QRELS, RUN, ["mrr", "precision-l2@1"], return_mean=False)
    assert many["precision-l2@1"].tolist() == [0.0, 0.0]


def of_ranx(kind: str, name: str, content: dict[str, Any]) -> Any:
    """Return an object as ranx's own: of its module, with a name and to_dict."""
    body = {"__module__": "ranx.data_structures", "name": name, "to_dict": lambda _: content}
    return type(kind, (), body)()


def test_ranxs_objects_are_read_and_keep_their_names() -> None:
    qrels = of_ranx("Qrels", "j", QRELS)
    better = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"c": 1.0}}
    runs = [of_ranx("Run", "one", RUN), of_ranx("Run", "two", better)]
    assert evaluate(qrels, runs[0], "ndcg@10") == evaluate(QRELS, RUN, "ndcg@10")
    found = compare(qrels, runs, ["ndcg@10", "mrr"], max_p=0.05)
    assert [(pair.baseline, pair.run) for pair in found.pairs] == [("one", "two")] * 2
    assert found.procedure.test == "t"
    assert found.procedure.level == 0.95


def test_the_tests_of_ranx_are_taken_and_unnamed_runs_numbered() -> None:
    runs = [RUN, {"q1": {"a": 1.0}, "q2": {"c": 1.0}}, RUN]
    assert compare(QRELS, runs, "ndcg@10", "tukey").procedure.all_pairs
    found = compare(QRELS, runs, "ndcg@10", "fisher")
    assert found.procedure.test == "permutation"
    assert len(found.pairs) == 2
    with pytest.raises(OptionError, match="stat_test"):
        compare(QRELS, runs, "ndcg@10", "wilcoxon")
    with pytest.raises(OptionError, match="two runs or more, got 1"):
        compare(QRELS, runs[:1], "ndcg@10")


def test_other_queries_are_an_error_unless_made_comparable() -> None:
    part = {"q1": {"a": 1.0}}
    with pytest.raises(AssertionError, match="query ids do not match"):
        evaluate(QRELS, part, "mrr")
    with pytest.raises(AssertionError, match="query ids do not match"):
        compare(QRELS, [RUN, part], "mrr")
    assert evaluate(QRELS, part, "mrr", make_comparable=True) == 0.5
    assert evaluate(as_qrels(QRELS), as_run(RUN), "mrr") == 0.75


@pytest.mark.parametrize("metric", ["hits@5", "f1"])
def test_metrics_that_are_missing_are_errors(metric: str) -> None:
    with pytest.raises(MeasureError, match="no measure named"):
        evaluate(QRELS, RUN, metric)
