"""What to judge next: the labels that would settle one run against another soonest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from ndcg.conventions import Convention, as_convention
from ndcg.errors import OptionError
from ndcg.evaluation import distinct_names
from ndcg.formats.reading import QrelsLike, RunLike, as_qrels, as_run
from ndcg.holes.bounding import bounds
from ndcg.holes.duels import Duel
from ndcg.holes.labels import GRADES
from ndcg.holes.priors import grade_prior
from ndcg.measures import Measure, nDCG, parse_measure
from ndcg.planning import Effort

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ndcg.data import IntArray, Notice, Qrels
    from ndcg.holes.limits import Limits
    from ndcg.holes.tops import Top

__all__ = ["Queue", "next_labels", "prepare_duel"]

BELIEF_STOP = 0.99
BELIEF_WORLDS = 400
_WORLDS = 20


@dataclass(frozen=True, eq=False, repr=False)
class Queue:
    """What `next_labels` returns: documents in the order in which to judge them.

    Attributes
    ----------
    frame
        One row a label: query_id, doc_id, rank_a, rank_b (null below the cutoff), value: by how
        much it is expected to move the bound of the mean difference that decides.
    a, b, measure
        What is compared; the difference is b less a.
    limits
        Bounds of the difference now.
    belief
        The chance that b is ahead when grades are drawn as judged documents at like ranks have
        them, 0 to 1. A belief, never a settled result.
    expected
        Labels until settled in worlds so drawn: the 10th, 50th and 90th percentile; None when
        settled.
    notices
        What could mislead, counted.
    """

    frame: pl.DataFrame
    a: str
    b: str
    measure: Measure
    limits: Limits
    belief: float
    expected: tuple[float, float, float] | None
    notices: tuple[Notice, ...]

    def __repr__(self) -> str:
        return f"Queue({self.b} - {self.a}: {self.limits.word}, {len(self.frame)} labels)"

    @property
    def is_settled(self) -> bool:
        """Whether no label can change the sign."""
        return self.limits.is_settled

    def to_dict(self, effort: Effort | None = None) -> dict[str, Any]:
        """Return everything as plain values."""
        spend = effort or Effort()
        hours = None if self.expected is None else spend.hours(round(self.expected[1]))
        return {
            "schema": 1,
            "a": self.a,
            "b": self.b,
            "measure": repr(self.measure),
            "difference": self.limits.to_dict(),
            "belief": self.belief,
            "expected_labels": None if self.expected is None else list(self.expected),
            "expected_hours": hours,
            "expected_money": None if hours is None else hours * spend.rate,
            "next": self.frame.to_dicts(),
            "notices": [notice.to_dict() for notice in self.notices],
        }


def next_labels(
    qrels: QrelsLike,
    a: RunLike,
    b: RunLike,
    measure: str | Measure = nDCG @ 10,
    *,
    n: int = 50,
    grades: Sequence[float] = GRADES,
    seed: int = 0,
    convention: Convention | str | None = None,
) -> Queue:
    """Return the labels that would settle run `a` against run `b` soonest.

    For each unjudged document and each grade it could have, the bounds of its query are computed
    anew; what they are expected to move towards the likelier outcome is the label's value. The
    grades expected are those of judged documents at like ranks. Labels so chosen settle a
    comparison; they are no sample, and would bias an estimate of the level.

    Parameters
    ----------
    qrels, a, b
        Anything that `ndcg.as_qrels` and `ndcg.as_run` take.
    measure
        nDCG, DCG, CG or P.
    n
        How many labels to return, 1 or more.
    grades
        The scale: every grade that a label could be.
    seed
        Same seed, same queue.
    convention
        A `Convention` or a profile's name.

    Returns
    -------
    Queue

    Raises
    ------
    OptionError, MeasureError, InputError
        As `ndcg.bounds` raises them.

    Examples
    --------
    A document that both runs rank alike moves neither ahead, so the other comes first:

    >>> a = {"q": {"x": 3.0, "y": 2.0}}
    >>> b = {"q": {"x": 3.0, "z": 2.0}}
    >>> next_labels({"q": {"z": 1}}, a, b).frame["doc_id"].to_list()
    ['y', 'x']
    """
    if n < 1:
        raise OptionError(f"n must be 1 label or more, got {n}")
    rules, wanted = as_convention(convention), parse_measure(measure)
    names = _names(a, b)
    named = {
        name: as_run(run, name=name, duplicates=rules.duplicates)
        for name, run in zip(names, (a, b), strict=True)
    }
    judged = as_qrels(qrels)
    duel, holes, limits, notices = prepare_duel(
        judged, named, wanted, grades=grades, convention=rules
    )
    rng = np.random.default_rng(seed)
    belief = duel.belief(BELIEF_WORLDS, rng)
    order, expected = _in_order(duel, belief), None
    if not limits.is_settled:
        counts = duel.labels_until_settled(order, duel.draw(_WORLDS, rng))
        low, middle, high = np.quantile(counts, (0.1, 0.5, 0.9)).tolist()
        expected = (low, middle, high)
    value = duel.values(belief) / max(int(duel.inside.sum()), 1)
    frame = holes.with_columns(value=pl.Series(value))[order[: 0 if limits.is_settled else n]]
    return Queue(
        frame=frame,
        a=names[0],
        b=names[1],
        measure=wanted,
        limits=limits,
        belief=belief,
        expected=expected,
        notices=notices,
    )


def _names(a: Any, b: Any) -> tuple[str, str]:
    first, second = distinct_names([a, b])
    return ("a", "b") if first == "run" else (first, second)


def _in_order(duel: Duel, belief: float) -> IntArray:
    """Return the open holes by value; of equal ones the larger factor first."""
    value = np.round(duel.values(belief), 12)
    order: IntArray = np.lexsort((-np.abs(duel.weight), -value))
    return order[duel.is_open[order]]


def prepare_duel(
    qrels: Qrels,
    runs: dict[str, Any],
    measure: Measure,
    *,
    grades: Sequence[float],
    convention: Convention,
) -> tuple[Duel, pl.DataFrame, Limits, tuple[Notice, ...]]:
    """Return the duel of the second of two runs with the first, a row a hole, the bounds now."""
    found = bounds(qrels, runs, measure, grades=grades, convention=convention)
    limits = found.difference(*runs)
    base, union = found.unknowns(*runs)
    tables = [_rank_table(found.top(name)) for name in runs]
    for key, table in zip("ab", tables, strict=True):
        ranks = table.select("query", "doc", pl.col("rank").alias(f"rank_{key}"))
        union = union.join(ranks, on=["query", "doc"], how="left", maintain_order="left")
    judged = pl.concat(tables).filter(pl.col("relevance").is_not_nan())
    scale = np.array(found.grades)
    best = union.select(pl.min_horizontal("rank_a", "rank_b")).to_series().to_numpy()
    chance = grade_prior(judged["rank"].to_numpy(), judged["relevance"].to_numpy(), scale, best)
    duel = Duel(
        found.labels,
        base.copy(),
        union["query"].to_numpy(),
        union["weight"].to_numpy(),
        chance,
        ~np.isnan(limits.values),
        np.ones(len(union), np.bool_),
    )
    queries = pl.Series("query_id", found.query_ids, dtype=pl.String).gather(union["query"])
    holes = union.select("rank_a", "rank_b").insert_column(0, queries)
    return duel, holes.insert_column(1, union["doc"].alias("doc_id")), limits, found.notices


def _rank_table(top: Top) -> pl.DataFrame:
    """Return query, doc, rank and relevance of the top documents."""
    columns = {"query": top.query, "doc": top.doc_ids, "rank": top.rank}
    return pl.DataFrame(columns | {"relevance": top.relevance})
