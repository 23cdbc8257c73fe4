"""What a label for an unjudged document could be worth to a measure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ndcg.conventions import Convention, spell_number
from ndcg.data import Notice, Qrels, counted, number
from ndcg.errors import MeasureError, OptionError
from ndcg.holes.extremes import Unknowns, ratio_extremes, sum_extremes
from ndcg.measures.gains import discounts, gain_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ndcg.data import FloatArray, IntArray
    from ndcg.measures import Measure

__all__ = ["GRADES", "Labels", "checked_scale", "labels_for", "refuse_unbounded"]

FAMILIES = ("nDCG", "DCG", "CG", "P")
GRADES = (0, 1, 2, 3)


@dataclass(frozen=True, eq=False)
class Labels:
    """What the holes of every run share: their possible gains, and the judged documents."""

    measure: Measure
    convention: Convention
    grades: FloatArray
    judged_query: IntArray
    judged_gain: FloatArray
    queries: int
    open_world: bool

    def worth(self, grades: FloatArray) -> FloatArray:
        """Return what grades add to the sum, before the weight of their rank."""
        rules = self.measure.rules(self.convention)
        if self.measure.name == "P":
            return (grades >= rules.rel).astype(np.float64)
        return gain_of(grades, rules.gain)

    def weights(self, rank: IntArray) -> FloatArray:
        """Return the factor of the gain at each rank."""
        if self.measure.name == "CG":
            return np.ones(len(rank))
        if self.measure.name == "P":
            return np.full(len(rank), 1.0 / (self.measure.cutoff or 1))
        deepest = int(rank.max(initial=0))
        discount = discounts(deepest, self.measure.rules(self.convention).discount)
        return discount[rank - 1]

    def extremes(
        self, base: FloatArray, query: IntArray, weight: FloatArray, *, empty: float
    ) -> tuple[FloatArray, FloatArray]:
        """Return the least and the greatest value of each query."""
        gains = np.unique(self.worth(self.grades))
        if self.measure.name == "nDCG" and self.open_world:
            unseen = np.repeat(np.arange(self.queries), self.measure.cutoff or 0)
            query, weight = np.append(query, unseen), np.append(weight, np.zeros(len(unseen)))
        documents = np.bincount(query, minlength=self.queries)
        documents += np.bincount(self.judged_query, minlength=self.queries)
        ranks = min(self.measure.cutoff or 10**9, int(documents.max(initial=0)))
        unknowns = Unknowns(
            base, query, weight, self.judged_query, self.judged_gain, gains,
            discounts(ranks, self.measure.rules(self.convention).discount),
        )  # fmt: skip
        if self.measure.name != "nDCG":
            return sum_extremes(unknowns)
        lower, upper = ratio_extremes(unknowns, empty=empty)
        return np.maximum(lower, -1.0), np.minimum(upper, 1.0)

    def limits(
        self, found: tuple[FloatArray, FloatArray], values: FloatArray, holes: IntArray
    ) -> dict[str, Any]:
        """Return the ends for `Limits`: what was computed where nothing is unknown, NaN as there.

        The value with 0 for every hole is among the possible ones, to the last bit.
        """
        known = (holes == 0) & (not self.open_world)
        lows, highs = found
        if self.worth(self.grades).min() == 0:
            lows, highs = np.minimum(lows, values), np.maximum(highs, values)
        nowhere = np.isnan(values)
        return {
            "lows": np.where(known | nowhere, values, lows),
            "highs": np.where(known | nowhere, values, highs),
            "values": values,
            "holes": np.where(nowhere, 0, holes),
        }

    def notices(self, qrels: Qrels) -> list[Notice]:
        """Return what could mislead in the scale, or is left out of the bounds."""
        told = []
        highest = float(qrels.values.max())
        if highest < self.grades[-1]:
            told.append(
                Notice(
                    "scale",
                    f"no judgment is above grade {spell_number(highest)}, the scale of unjudged "
                    f"documents goes to {spell_number(float(self.grades[-1]))}: the bounds are the "
                    "wider for it",
                )
            )
        if self.convention.barren == "skip":
            fertile = np.bincount(self.judged_query, minlength=self.queries) > 0
            barren = self.queries - int(fertile.sum())
            if barren:
                some = counted(barren, "query", "queries")
                text = f"{some} without a relevant document: left out of the bounds as well"
                told.append(Notice("barren", f"{text}, though a label could bring one in"))
        return told


def refuse_unbounded(measure: Measure, rules: Convention, *, open_world: bool) -> None:
    """Raise an error for a measure or a convention under which bounds are not known."""
    own = dict(measure.parameters)
    if measure.name not in FAMILIES:
        hint = "; RBP(residual=True) is its own bound" if measure.name == "RBP" else ""
        raise MeasureError(f"bounds are known for {', '.join(FAMILIES)}, not {measure!r}{hint}")
    if measure.name == "P" and measure.cutoff is None:
        raise MeasureError("bounds of P need a cutoff, such as P@10")
    if own.get("condensed"):
        raise MeasureError(f"{measure!r} leaves unjudged documents out; leave out condensed")
    if measure.ties_under(rules) == "average":
        raise OptionError(
            "bounds need an order of equal scores, got ties='average'; name one, such as "
            f"{measure.name}(ties='trec')"
        )
    if rules.short_lists == "fill":
        raise OptionError(
            f"bounds are not known for short_lists='fill' (profile {rules.profile!r}); use "
            "short_lists='end'"
        )
    if measure.name == "nDCG" and rules.ideal == "retrieved":
        raise OptionError(
            f"bounds are not known for ideal='retrieved' (profile {rules.profile!r}); use "
            "ideal='judged'"
        )
    if open_world and measure.cutoff is None:
        raise OptionError(f"an open world needs a cutoff, such as {measure.name}@10")


def checked_scale(grades: Sequence[float], qrels: Qrels) -> FloatArray:
    """Return the grades of a scale in order; one that the judgments exceed is refused."""
    try:
        scale = np.unique(np.array(list(grades), dtype=np.float64))
    except (TypeError, ValueError):
        raise OptionError(f"grades must be numbers such as (0, 1, 2, 3), got {grades!r}") from None
    told = ",".join(spell_number(grade) for grade in scale.tolist())
    if not len(scale) or not np.isfinite(scale).all():
        raise OptionError(f"grades must be one finite number or more, got {told or 'none'}")
    for grade in (float(qrels.values.max()), max(0.0, float(qrels.values.min()))):
        if not max(0.0, scale[0]) <= max(0.0, grade) <= scale[-1]:
            raise OptionError(
                f"the judgments have grade {spell_number(grade)}, which is outside the scale "
                f"{told}; name every grade that a label can be"
            )
    return scale


def labels_for(
    qrels: Qrels, measure: Measure, rules: Convention, scale: FloatArray, *, open_world: bool
) -> Labels:
    """Return what labels on a scale could be worth under a measure and a convention."""
    labels = Labels(
        measure, rules, scale, np.array([], np.int64), np.array([]), len(qrels.query_ids),
        open_world,
    )  # fmt: skip
    _refuse_nameless_gain(labels, scale)
    gain = labels.worth(qrels.values)
    query = number(qrels.query_ids, qrels.query_ids.sort())[qrels.row_queries]
    return replace(labels, judged_query=query[gain > 0], judged_gain=gain[gain > 0])


def _refuse_nameless_gain(labels: Labels, scale: FloatArray) -> None:
    gain = labels.measure.rules(labels.convention).gain
    if labels.measure.name == "P" or not isinstance(gain, tuple):
        return
    for grade in scale.tolist():
        if grade > 0 and grade not in dict(gain):
            raise OptionError(
                f"the gain mapping has no grade {spell_number(grade)}, which the scale has; name "
                "a gain for it, or leave it out of grades"
            )
