"""ranx's calls: ``from ndcg.compat.ranx import compare, evaluate``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from ndcg.comparison import compare as compare_runs
from ndcg.errors import OptionError, check_choice
from ndcg.evaluation import evaluate as evaluate_runs
from ndcg.formats.reading import as_qrels, as_run
from ndcg.measures import Measure, parse_measure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ndcg.comparison import Comparison
    from ndcg.data import FloatArray, Qrels, Run

__all__ = ["compare", "evaluate"]

_TESTS = {"student": "t", "fisher": "permutation", "tukey": "tukey"}


def evaluate(
    qrels: Any,
    run: Any,
    metrics: str | Sequence[str],
    return_mean: bool = True,  # noqa: FBT001, FBT002 - ranx's signature
    make_comparable: bool = False,  # noqa: FBT001, FBT002
) -> float | FloatArray | dict[str, float] | dict[str, FloatArray]:
    """Return means by metric, or the values of each query: ranx's function of the same name.

    Parameters
    ----------
    qrels, run
        ranx's Qrels and Run, or anything that `ndcg.as_qrels` and `ndcg.as_run` take.
    metrics
        One name or several: ``ndcg@10``, ``ndcg_burges@5``, ``mrr``, ``precision-l2@10``.
    return_mean
        False for an array of values, in the order of the judged queries by id.
    make_comparable
        A judged query that the run lacks counts 0 and others are dropped; else both are an error.

    Raises
    ------
    AssertionError
        Where run and judgments have not the same queries, as there.
    MeasureError
        For a metric that ranx has and ndcg has not: ``hits``, ``f1``.

    Examples
    --------
    Equal scores keep the order in which the run has them, as in ranx:

    >>> evaluate({"q": {"a": 1}}, {"q": {"a": 0.5, "b": 0.5}}, ["ndcg@10", "mrr"])
    {'ndcg@10': 1.0, 'mrr': 1.0}
    """
    names = [metrics] if isinstance(metrics, str) else list(metrics)
    judged, ranked = as_qrels(_plain(qrels)), as_run(_plain(run), duplicates="last")
    if not make_comparable:
        _refuse_other_queries(judged, ranked)
    measures = [_measure(name) for name in names]
    scores = evaluate_runs(judged, ranked, list(dict.fromkeys(measures)), convention="ranx")
    columns = dict(zip(scores.measures, scores.runs[0].values.T, strict=True))
    found = {name: columns[one] for name, one in zip(names, measures, strict=True)}
    if return_mean:
        means = {name: float(np.mean(values)) for name, values in found.items()}
        return means[names[0]] if isinstance(metrics, str) else means
    return found[names[0]] if isinstance(metrics, str) else found


def compare(
    qrels: Any,
    runs: Sequence[Any],
    metrics: str | Sequence[str],
    stat_test: str = "student",
    n_permutations: int = 1000,
    max_p: float = 0.01,
    random_seed: int = 42,
    make_comparable: bool = False,  # noqa: FBT001, FBT002
) -> Comparison:
    """Compare every run with every other under ranx's convention.

    What comes back is a `ndcg.Comparison`, which has verdicts and corrected p-values; ranx's has
    neither. ``stat_test="tukey"`` is the randomised Tukey HSD test over all runs; ``student`` and
    ``fisher`` (sign flips) are corrected by Holm and go against the first run.
    """
    check_choice("stat_test", stat_test, tuple(_TESTS))
    if len(runs) < 2:  # noqa: PLR2004 - a comparison
        raise OptionError(f"a comparison takes two runs or more, got {len(runs)}")
    judged = as_qrels(_plain(qrels))
    named = {
        name: as_run(_plain(run), name=name, duplicates="last")
        for name, run in zip(_names(runs), runs, strict=True)
    }
    if not make_comparable:
        for run in named.values():
            _refuse_other_queries(judged, run)
    wanted = [_measure(name) for name in ([metrics] if isinstance(metrics, str) else metrics)]
    options: dict[str, Any] = {"all_pairs": True} if stat_test == "tukey" else {}
    if stat_test != "tukey":
        options["test"] = _TESTS[stat_test]
    return compare_runs(
        judged,
        named,
        wanted,
        convention="ranx",
        level=1 - max_p,
        n_resamples=n_permutations,
        seed=random_seed,
        **options,
    )


def _names(runs: Sequence[Any]) -> list[str]:
    """Return the names that the runs have; numbers where one has none, or two have the same."""
    names = [str(getattr(run, "name", None) or "") for run in runs]
    unnamed = "" in names or len(set(names)) < len(names)
    return [f"run_{i}" for i in range(1, len(runs) + 1)] if unnamed else names


def _plain(source: Any) -> Any:
    """Return a Qrels or Run of ranx as a mapping, everything else as it is."""
    if type(source).__module__.partition(".")[0] == "ranx":
        return source.to_dict()
    return source


def _measure(name: str) -> Measure:
    """Return the measure of a metric such as ``precision-l2@10``."""
    level = re.search(r"-l(\d+)", name)
    measure = parse_measure(name.replace(level[0], "") if level else name)
    return measure(rel=int(level[1])) if level else measure


def _refuse_other_queries(qrels: Qrels, run: Run) -> None:
    if set(qrels.query_ids) != set(run.query_ids):
        raise AssertionError("Qrels and Run query ids do not match")
