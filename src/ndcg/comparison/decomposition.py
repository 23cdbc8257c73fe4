"""Where a change between two dates came from: better answers, or another mix of queries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ndcg.errors import InputError
from ndcg.evaluation import mean_of
from ndcg.measures import nDCG, parse_measure
from ndcg.slicing import as_slices

if TYPE_CHECKING:
    import polars as pl

    from ndcg.data import FloatArray
    from ndcg.evaluation import Scores
    from ndcg.measures import Measure

__all__ = ["Decomposition", "decompose"]


@dataclass(frozen=True)
class Part:
    """One slice value: its share of the queries and its mean, before and after."""

    value: str
    shares: tuple[float, float]
    means: tuple[float, float]
    within: float
    mix: float


@dataclass(frozen=True, repr=False)
class Decomposition:
    """A change of a mean split over a slice: ``change = within + mix``.

    Attributes
    ----------
    change
        Mean after less mean before.
    within
        What came from other values on the same kinds of queries.
    mix
        What came from other shares of the kinds.
    parts
        The same for each value of the slice.
    """

    measure: Measure
    slice: str
    change: float
    within: float
    mix: float
    parts: tuple[Part, ...]

    def __repr__(self) -> str:
        return (
            f"Decomposition({self.measure!r} by {self.slice}: change {self.change:+.4f} = within "
            f"{self.within:+.4f} + mix {self.mix:+.4f})"
        )

    def _repr_html_(self) -> str:
        table: str = self.to_frame()._repr_html_()
        return f"<p>{self!r}</p>{table}"

    def to_frame(self) -> pl.DataFrame:
        """Return one row a slice value."""
        import polars as pl

        return pl.DataFrame(
            {
                "value": [part.value for part in self.parts],
                "share_before": [part.shares[0] for part in self.parts],
                "share_after": [part.shares[1] for part in self.parts],
                "mean_before": [part.means[0] for part in self.parts],
                "mean_after": [part.means[1] for part in self.parts],
                "within": [part.within for part in self.parts],
                "mix": [part.mix for part in self.parts],
            }
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the decomposition as plain values."""
        return {
            "schema": 1,
            "measure": repr(self.measure),
            "slice": self.slice,
            "change": self.change,
            "within": self.within,
            "mix": self.mix,
            "parts": self.to_frame().to_dicts(),
        }


def decompose(
    before: Scores,
    after: Scores,
    slices: Any,
    name: str,
    measure: str | Measure = nDCG @ 10,
) -> Decomposition:
    """Split the change of a mean between two dates or query sets into within and mix.

    change = sum of w (m' - m) + sum of (w' - w) m', over the values of the slice, w the share of
    the queries and m the mean, before and after (Kitagawa, JASA 1955). A value that has queries on
    one side only is mix.

    Parameters
    ----------
    before, after
        Scores of one run each, as `ndcg.evaluate` or `ndcg.load_scores` return them.
    slices, name
        Anything that `ndcg.as_slices` takes, and the slice to split by; every query may have one
        value only.
    measure
        The measure whose mean changed.

    Raises
    ------
    InputError
        When a query is in two values of the slice.
    """
    wanted, groups = parse_measure(measure), as_slices(slices)
    sides = [_by_value(scores, groups, name, wanted) for scores in (before, after)]
    parts = []
    for value in dict.fromkeys([*sides[0], *sides[1]]):
        (w, m), (w2, m2) = (side.get(value, (0.0, 0.0)) for side in sides)
        if not w or not w2:
            parts.append(Part(value, (w, w2), (m, m2), 0.0, w2 * m2 - w * m))
        else:
            parts.append(Part(value, (w, w2), (m, m2), w * (m2 - m), (w2 - w) * m2))
    within, mix = sum(part.within for part in parts), sum(part.mix for part in parts)
    return Decomposition(wanted, name, within + mix, within, mix, tuple(parts))


def _by_value(
    scores: Scores, slices: Any, name: str, measure: Measure
) -> dict[str, tuple[float, float]]:
    """Return share and mean of each slice value among the queries that count."""
    values: FloatArray = scores.run().values[:, scores.measures.index(measure)]
    counted = ~np.isnan(values)
    groups = slices.groups(name, scores.query_ids)
    if sum(mask.astype(int) for mask in groups.values()).max() > 1:
        raise InputError(
            f"slice {name!r} has queries in several values; a change can only be split over a "
            "slice with one value a query"
        )
    return {
        value: ((mask & counted).sum() / counted.sum(), mean_of(values[mask & counted]))
        for value, mask in groups.items()
        if (mask & counted).any()
    }
