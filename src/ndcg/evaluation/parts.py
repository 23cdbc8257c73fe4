"""Scores of groups of queries: the same means and intervals, slice by slice."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ndcg.slicing import as_slices

if TYPE_CHECKING:
    from ndcg.evaluation.scores import Scores
    from ndcg.measures import Measure
    from ndcg.ranking import BoolArray

__all__ = ["SliceScores", "slice_scores"]


@dataclass(frozen=True)
class SliceScores:
    """One run on the queries of one slice value.

    `n` is the number of its queries; a mean over none of them is None, and so is an interval that
    nothing supports. `inside` says of each judged query whether it is one of them.
    """

    run: str
    slice: str
    value: str
    n: int
    means: dict[Measure, float | None]
    counts: dict[Measure, int]
    intervals: dict[Measure, tuple[float, float] | None]
    inside: BoolArray = field(compare=False, repr=False)


def slice_scores(scores: Scores, slices: Any, *, intervals: bool = True) -> tuple[SliceScores, ...]:
    """Return the means of each run on each value of each slice.

    Parameters
    ----------
    scores
        What `ndcg.evaluate` returned.
    slices
        Anything that `ndcg.as_slices` takes; queries without a value are a group of their own.
    intervals
        Whether to compute the intervals of the means; None without.

    Examples
    --------
    >>> from ndcg import evaluate
    >>> scores = evaluate({"q1": {"a": 1}, "q2": {"a": 1}}, {"q1": {"a": 1.0}}, "P@1")
    >>> [(part.value, part.n) for part in slice_scores(scores, {"q1": {"kind": "short"}})]
    [('short', 1), ('(no value)', 1)]
    """
    groups = as_slices(slices)
    found = []
    for run in scores.runs:
        for name in groups.names:
            for value, mask in groups.groups(name, scores.query_ids).items():
                queries = [q for q, inside in zip(scores.query_ids, mask, strict=True) if inside]
                only = replace(run, values=run.values[mask])
                part = replace(scores, query_ids=queries, runs=(only,))
                means = {m: None if math.isnan(v) else v for m, v in part.mean().items()}
                ends = part.intervals() if intervals else dict.fromkeys(scores.measures)
                counts = {measure: part.count(measure) for measure in scores.measures}
                found.append(
                    SliceScores(run.name, name, value, len(queries), means, counts, ends, mask)
                )
    return tuple(found)
