"""How much of the top of a run was judged, query by query and on average."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ndcg.errors import OptionError, near_miss
from ndcg.evaluation import mean_of
from ndcg.measures.gains import discounts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ndcg.data import FloatArray, IntArray
    from ndcg.holes.tops import Top
    from ndcg.ranking import BoolArray

__all__ = ["RunCoverage", "find_run", "known_or_none", "run_coverage"]


@dataclass(frozen=True, eq=False, repr=False)
class RunCoverage:
    """What of one run's top k was judged.

    Attributes
    ----------
    name
        The run.
    judged
        Judged documents over documents in the top k, by query, 0 to 1; NaN where nothing was
        retrieved, so that nothing can be judged. Shape (n,).
    weighted
        The same with every document counted by the discount of its rank.
    holes
        Documents of the top k that nobody judged, shape (n,).
    """

    name: str
    judged: FloatArray
    weighted: FloatArray
    holes: IntArray

    def __repr__(self) -> str:
        return f"RunCoverage({self.name!r}: judged {self.mean:.4f}, {self.n_holes} holes)"

    @property
    def n(self) -> int:
        """How many judged queries have a list."""
        return int((~np.isnan(self.judged)).sum())

    @property
    def n_holes(self) -> int:
        """Unjudged documents in all lists."""
        return int(self.holes.sum())

    @property
    def mean(self) -> float:
        """Mean judged@k; NaN where no query has a list."""
        return mean_of(self.judged)

    @property
    def minimum(self) -> float:
        """The smallest judged@k of a query; NaN where no query has a list."""
        return float(np.nanmin(self.judged)) if self.n else math.nan

    @property
    def incomplete(self) -> float:
        """Share of the lists with a hole in them, 0 to 1; NaN where there is no list."""
        return float((self.holes > 0).sum() / self.n) if self.n else math.nan

    def within(self, inside: BoolArray) -> RunCoverage:
        """Return the coverage of some of the queries, such as a slice's."""
        return RunCoverage(
            self.name, self.judged[inside], self.weighted[inside], self.holes[inside]
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the means as plain values, None where nothing was retrieved."""
        return {
            "n": self.n,
            "judged": known_or_none(self.mean),
            "weighted": known_or_none(mean_of(self.weighted)),
            "minimum": known_or_none(self.minimum),
            "incomplete": known_or_none(self.incomplete),
            "holes": self.n_holes,
        }


def run_coverage(name: str, top: Top, discount: str) -> RunCoverage:
    """Return what of a run's top was judged; `discount` weights the ranks."""
    n = len(top)
    weight = discounts(int(top.rank.max(initial=0)), discount)[top.rank - 1]
    judged = (~top.holes).astype(np.float64)
    return RunCoverage(
        name,
        _share(np.bincount(top.query, judged, n), np.bincount(top.query, minlength=n)),
        _share(np.bincount(top.query, judged * weight, n), np.bincount(top.query, weight, n)),
        np.bincount(top.query[top.holes], minlength=n),
    )


def _share(part: Any, whole: Any) -> FloatArray:
    nothing = np.full(len(part), np.nan)
    share: FloatArray = np.divide(part, whole, out=nothing, where=whole > 0)
    return share


def find_run(runs: Sequence[RunCoverage], name: str | None) -> RunCoverage:
    """Return a run's coverage; the name may be left out where there is one run."""
    named = {run.name: run for run in runs}
    if name is None:
        if len(named) > 1:
            raise OptionError(f"there are {len(named)} runs ({', '.join(named)}); name one")
        return runs[0]
    if name not in named:
        raise OptionError(
            f"no run named {name!r}{near_miss(name, named)} (runs: {', '.join(named)})"
        )
    return named[name]


def known_or_none(value: float) -> float | None:
    """Return a number, None where it is not defined."""
    return None if math.isnan(value) else value
