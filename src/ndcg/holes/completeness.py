"""How many relevant documents the runs have not found: capture-recapture, which is rough."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from ndcg.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Completeness", "chao_estimate", "estimate_completeness"]

_NORMAL_975 = 1.959964
_ASSUMED = (
    "rough: as if runs found documents independently of each other and every relevant document "
    "were as easy to find; runs alike, or documents hard for all, make it too high"
)


@dataclass(frozen=True)
class Completeness:
    """Relevant documents that the runs found, and an estimate of those that none of them did.

    Attributes
    ----------
    runs
        How many runs there are.
    found, once, twice
        Judged relevant documents in the top k of any run, of exactly one, of exactly two.
    total
        Estimated number of relevant documents that runs like these could find.
    interval
        95 % interval of `total`; None where it cannot be told.
    """

    runs: int
    found: int
    once: int
    twice: int
    total: float
    interval: tuple[float, float] | None

    @property
    def share(self) -> float:
        """Found documents over estimated ones, 0 to 1; NaN where none was found."""
        return self.found / self.total if self.total else math.nan

    def describe(self) -> str:
        """Return the estimate and what it assumes, as one line of words."""
        if not self.found:
            return f"none of the {self.runs} runs found a relevant document"
        ends = ""
        if self.interval is not None:
            low, high = (self.found / end for end in reversed(self.interval))
            ends = f" [{low:.0%}, {high:.0%}]"
        return (
            f"the {self.runs} runs found about {self.share:.0%}{ends} of the relevant documents "
            f"that runs like them could find ({self.found} of {self.total:.0f}; {self.once} by one "
            f"run only, {self.twice} by two); {_ASSUMED}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the estimate as plain values."""
        return asdict(self) | {
            "interval": None if self.interval is None else list(self.interval),
            "share": None if math.isnan(self.share) else self.share,
        }


def estimate_completeness(found: pl.DataFrame, runs: int) -> Completeness:
    """Return the estimate from who found what.

    Parameters
    ----------
    found
        One row a run and document of its top k: run, query, doc, relevance.
    runs
        How many runs there are, 2 or more.
    """
    relevant = found.filter(pl.col("relevance") > 0).group_by("query", "doc").len()["len"]
    counts = [int((relevant == times).sum()) for times in (1, 2)]
    total, interval = chao_estimate(len(relevant), counts, runs)
    return Completeness(runs, len(relevant), counts[0], counts[1], total, interval)


def chao_estimate(
    found: int, counts: Sequence[int], occasions: int
) -> tuple[float, tuple[float, float] | None]:
    """Return the bias-corrected Chao2 estimate of a total, and its 95 % interval.

    Chao, Biometrics 43(4), 1987, a lower bound when documents differ in how easily they are found;
    variance and the log-normal interval as in Colwell, EstimateS, appendix B.

    Parameters
    ----------
    found
        Distinct documents found.
    counts
        How many of them were found exactly once, and exactly twice.
    occasions
        How many times was looked: the number of runs, 2 or more.

    Examples
    --------
    Everything found twice leaves nothing to expect:

    >>> chao_estimate(10, (0, 10), 2)
    (10.0, (10.0, 10.0))
    """
    if occasions < 2:  # noqa: PLR2004 - nothing is recaptured from one
        raise OptionError(f"capture-recapture needs 2 runs or more, got {occasions}")
    once, twice = counts
    share = (occasions - 1) / occasions
    missing = share * once * (once - 1) / (2 * (twice + 1))
    total = found + missing
    if missing == 0:
        return total, ((total, total) if once == 0 else None)
    variance = missing + share**2 * once * (2 * once - 1) ** 2 / (4 * (twice + 1) ** 2)
    if twice:
        variance += share**2 * once**2 * twice * (once - 1) ** 2 / (4 * (twice + 1) ** 4)
    else:
        variance -= share**2 * once**4 / (4 * total)
    spread = math.exp(_NORMAL_975 * math.sqrt(math.log1p(max(variance, 0.0) / missing**2)))
    return total, (found + missing / spread, found + missing * spread)
