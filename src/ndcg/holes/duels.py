"""Two runs and the holes between them: what each label would do to the bounds of the difference."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ndcg.holes.limits import ROUNDING, settles

if TYPE_CHECKING:
    from ndcg.data import FloatArray, IntArray
    from ndcg.holes.labels import Labels
    from ndcg.ranking import BoolArray

__all__ = ["Duel"]

_MANY = 60


@dataclass(eq=False)
class Duel:
    """The difference b less a over n queries, with h holes; labels change it as they come in.

    Attributes
    ----------
    labels
        The possible gains, and the judged documents that the ideal draws on.
    base
        The judged part of the difference of each query, shape (n,).
    query, weight
        Query of each hole and the factor of its gain in the difference, shape (h,).
    chance
        Chance of each grade of the scale for each hole, shape (h, grades).
    inside
        Which queries count, shape (n,).
    is_open
        Which holes have no label yet, shape (h,).
    """

    labels: Labels
    base: FloatArray
    query: IntArray
    weight: FloatArray
    chance: FloatArray
    inside: BoolArray
    is_open: BoolArray

    def __post_init__(self) -> None:
        self.gains = self.labels.worth(self.labels.grades)
        self.lows, self.highs = self._ends(self.base, self.query, self.weight, self.labels)
        # What a label raises the lower bound of its query by, and lowers the upper, as expected.
        self.lift, self.drop = np.zeros(len(self.query)), np.zeros(len(self.query))
        self._expect(np.unique(self.query))

    @staticmethod
    def _ends(
        base: FloatArray, query: IntArray, weight: FloatArray, labels: Labels
    ) -> tuple[FloatArray, FloatArray]:
        return replace(labels, queries=len(base)).extremes(base, query, weight, empty=0.0)

    @property
    def bounds(self) -> tuple[float, float]:
        """Least and greatest mean difference."""
        return float(self.lows[self.inside].mean()), float(self.highs[self.inside].mean())

    @property
    def is_settled(self) -> bool:
        """Whether no label can change the sign of the difference."""
        return bool(settles(*self.bounds))

    def values(self, belief: float) -> FloatArray:
        """Return what each open hole's label is worth for settling, 0 for the others.

        `belief` is the chance that b is ahead: the more likely, the more the lower bound matters.
        """
        worth = belief * self.lift + (1 - belief) * self.drop
        return np.where(self.is_open, worth, 0.0)

    def reveal(self, hole: int, grade: float) -> None:
        """Take the label of a hole into account."""
        gain = float(self.labels.worth(np.array([grade]))[0])
        query = self.query[hole]
        self.base[query] += self.weight[hole] * gain
        if gain > 0:
            self.labels = replace(
                self.labels,
                judged_query=np.append(self.labels.judged_query, query),
                judged_gain=np.append(self.labels.judged_gain, gain),
            )
        self.is_open[hole] = False
        self._expect(np.array([query]))

    def _expect(self, queries: IntArray) -> None:
        """Compute bounds, and what each label is expected to do to them, for some queries."""
        for query in queries.tolist():
            holes = np.flatnonzero((self.query == query) & self.is_open)
            judged = self.labels.judged_gain[self.labels.judged_query == query]
            if len(holes) > _MANY:
                self._expect_cheaply(query, holes, judged)
                continue
            lows, highs = self._after_each(query, holes, judged)
            self.lows[query], self.highs[query] = lows[-1], highs[-1]
            cells = (len(holes), len(self.gains))
            chance = self.chance[holes]
            self.lift[holes] = (chance * (lows[:-1].reshape(cells) - lows[-1])).sum(axis=1)
            self.drop[holes] = (chance * (highs[-1] - highs[:-1].reshape(cells))).sum(axis=1)

    def _after_each(
        self, query: int, holes: IntArray, judged: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return a query's bounds after each grade of each hole, and last as they are now."""
        m, grades = len(holes), len(self.gains)
        cases = m * grades
        fixed = np.repeat(np.arange(m), grades)
        gain = np.tile(self.gains, m)
        base = np.full(cases + 1, self.base[query])
        base[:cases] += self.weight[holes[fixed]] * gain
        left = np.ones((cases + 1, m), np.bool_)
        left[np.arange(cases), fixed] = False
        case, hole = np.nonzero(left)
        counts = np.flatnonzero(gain > 0)
        labels = replace(
            self.labels,
            judged_query=np.append(np.repeat(np.arange(cases + 1), len(judged)), counts),
            judged_gain=np.append(np.tile(judged, cases + 1), gain[counts]),
        )
        return self._ends(base, case, self.weight[holes[hole]], labels)

    def _expect_cheaply(self, query: int, holes: IntArray, judged: FloatArray) -> None:
        """Take the size of a hole's factor for what its label does, as Carterette et al. (2006)."""
        labels = replace(
            self.labels, judged_query=np.zeros(len(judged), np.int64), judged_gain=judged
        )
        place = np.zeros(len(holes), np.int64)
        low, high = self._ends(self.base[[query]], place, self.weight[holes], labels)
        share = np.abs(self.weight[holes])
        share = share / max(share.sum(), ROUNDING)
        self.lift[holes] = self.drop[holes] = (high[0] - low[0]) / 2 * share
        self.lows[query], self.highs[query] = low[0], high[0]

    def draw(self, worlds: int, rng: np.random.Generator) -> FloatArray:
        """Return gains of all holes in some worlds drawn from the chances, shape (worlds, h)."""
        steps = np.cumsum(self.chance, axis=1)
        steps[:, -1] = 1.0
        drawn = rng.random((worlds, len(self.query), 1))
        gains: FloatArray = self.gains[(drawn > steps[None]).sum(axis=2)]
        return gains

    def belief(self, worlds: int, rng: np.random.Generator) -> float:
        """Return the share of drawn worlds in which b is ahead; equal counts half."""
        gains = self.draw(worlds, rng)
        revealed = np.broadcast_to(self.is_open, gains.shape)
        lows, highs = self.bounds_after(gains, revealed)
        middle = (lows + highs) / 2
        ahead = np.where(np.abs(middle) <= ROUNDING, 0.5, middle > 0)
        return float(ahead.mean())

    def bounds_after(self, gains: FloatArray, revealed: BoolArray) -> tuple[FloatArray, FloatArray]:
        """Return the bounds of the mean difference in worlds where some open holes have labels.

        Both arguments have shape (worlds, h), the results (worlds,).
        """
        worlds, n = len(gains), len(self.base)
        revealed = revealed & self.is_open
        at = self.query[None, :] + n * np.arange(worlds)[:, None]
        earned = np.where(revealed, gains * self.weight, 0.0)
        base = np.tile(self.base, worlds) + np.bincount(
            at.ravel(), earned.ravel(), minlength=n * worlds
        )
        left = ~revealed & self.is_open
        counts = revealed & (gains > 0)
        shift = n * np.repeat(np.arange(worlds), len(self.labels.judged_query))
        labels = replace(
            self.labels,
            judged_query=np.append(np.tile(self.labels.judged_query, worlds) + shift, at[counts]),
            judged_gain=np.append(np.tile(self.labels.judged_gain, worlds), gains[counts]),
        )
        weight = np.broadcast_to(self.weight, gains.shape)
        lows, highs = self._ends(base, at[left], weight[left], labels)
        shape = (worlds, n)
        return (
            lows.reshape(shape)[:, self.inside].mean(axis=1),
            highs.reshape(shape)[:, self.inside].mean(axis=1),
        )

    def labels_until_settled(self, order: IntArray, gains: FloatArray) -> IntArray:
        """Return how many labels, taken in an order, settle each world, by bisection."""
        place = np.full(len(self.query), len(order))
        place[order] = np.arange(len(order))
        least, most = np.zeros(len(gains), np.int64), np.full(len(gains), len(order))
        while (least < most).any():
            middle = (least + most) // 2
            done = settles(*self.bounds_after(gains, place[None, :] < middle[:, None]))
            most = np.where(done, middle, most)
            least = np.where(done, least, np.minimum(middle + 1, most))
        return most
