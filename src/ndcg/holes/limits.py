"""Least and greatest values of a run, or of a difference, query by query and on average."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from ndcg.errors import OptionError
from ndcg.evaluation import mean_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ndcg.data import FloatArray, IntArray
    from ndcg.ranking import BoolArray

__all__ = ["ROUNDING", "Limits", "settles"]

# Bounds are sums of rounded terms: a difference below this is none.
ROUNDING = 1e-12


@dataclass(frozen=True, eq=False, repr=False)
class Limits:
    """Bounds of one run, or of the difference of two; unpacks as ``lower, upper`` of the mean.

    Attributes
    ----------
    name
        The run, or ``"b - a"`` for a difference.
    query_ids
        The judged queries, by id (bytewise), shape (n,).
    lows, highs
        Least and greatest value of each query, NaN where a query does not count.
    values
        The value with unjudged documents worth nothing, which is neither bound.
    condensed
        The value with unjudged documents taken out of the list (nDCG', Sakai, SIGIR 2007), which
        is optimistic.
    holes
        Unjudged documents in the top k; of a difference, in either top k, each counted once.
    is_difference
        Whether these are bounds of a difference.
    """

    name: str
    query_ids: list[str]
    lows: FloatArray
    highs: FloatArray
    values: FloatArray
    condensed: FloatArray
    holes: IntArray
    is_difference: bool = False

    def __iter__(self) -> Iterator[float]:
        yield self.lower
        yield self.upper

    def __repr__(self) -> str:
        sign = "+" if self.is_difference else ""
        told = f", {self.word}" if self.is_difference else ""
        return (
            f"Limits({self.name}: {self.lower:{sign}.4f} to {self.upper:{sign}.4f}, "
            f"{self.n} queries, {self.n_holes} holes{told})"
        )

    @property
    def n(self) -> int:
        """How many queries count."""
        return len(self.lows) - int(sum(map(math.isnan, self.lows.tolist())))

    @property
    def n_holes(self) -> int:
        """How many unjudged documents there are in all."""
        return int(self.holes.sum())

    @property
    def lower(self) -> float:
        """Least mean; NaN where no query counts."""
        return mean_of(self.lows)

    @property
    def upper(self) -> float:
        """Greatest mean; NaN where no query counts."""
        return mean_of(self.highs)

    @property
    def is_settled(self) -> bool:
        """Whether no label can change the sign: 0 is outside the bounds, or nothing can move."""
        return bool(settles(self.lower, self.upper))

    @property
    def word(self) -> str:
        """``"settled"`` or ``"not settled"``."""
        return "settled" if self.is_settled else "not settled"

    def worse_by(self, margin: float) -> bool | None:
        """Return whether a difference is below ``-margin``; None where labels could decide it."""
        if not margin >= 0:
            raise OptionError(f"margin must be 0 or more, got {margin}")
        if self.upper < -margin:
            return True
        return False if self.lower > -margin else None

    def where(self, inside: BoolArray) -> Limits:
        """Return the bounds over some of the queries, such as a slice's; the others are NaN."""
        return replace(
            self,
            lows=np.where(inside, self.lows, np.nan),
            highs=np.where(inside, self.highs, np.nan),
            values=np.where(inside, self.values, np.nan),
            condensed=np.where(inside, self.condensed, np.nan),
            holes=np.where(inside, self.holes, 0),
        )

    def to_frame(self) -> pl.DataFrame:
        """Return a Polars frame: query_id, lower, value, upper, condensed, holes."""
        return pl.DataFrame(
            {
                "query_id": pl.Series(self.query_ids, dtype=pl.String),
                "lower": self.lows,
                "value": self.values,
                "upper": self.highs,
                "condensed": self.condensed,
                "holes": self.holes,
            }
        ).with_columns(pl.selectors.float().fill_nan(None))

    def to_dict(self) -> dict[str, Any]:
        """Return the means as plain values."""
        told: dict[str, Any] = {
            "name": self.name,
            "n": self.n,
            "holes": self.n_holes,
            "bounds": [self.lower, self.upper],
            "value": mean_of(self.values),
            "condensed": mean_of(self.condensed),
        }
        return told | ({"settled": self.is_settled} if self.is_difference else {})


def settles(lower: FloatArray | float, upper: FloatArray | float) -> BoolArray:
    """Return whether no label can change the sign: 0 is outside, or nothing can move."""
    lower, upper = np.asarray(lower), np.asarray(upper)
    done: BoolArray = (lower > ROUNDING) | (upper < -ROUNDING) | ~(upper - lower > ROUNDING)
    return done
