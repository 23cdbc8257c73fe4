"""A comparison slice by slice: the same pair on each group of queries."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ndcg.comparison.pairs import (
    Numbers,
    Outcome,
    Pair,
    Procedure,
    difference_column,
    numbers_of,
    one_sided_lows,
    run_test,
    verdict_on,
)
from ndcg.data import Notice
from ndcg.stats import benjamini_hochberg, holm

if TYPE_CHECKING:
    from ndcg.comparison.verdicts import Verdict
    from ndcg.data import FloatArray
    from ndcg.evaluation import Scores
    from ndcg.measures import Measure
    from ndcg.slicing import Slices

__all__ = ["SlicePair", "compare_slices"]

_SMALLEST_SLICE = 10
_SPREAD = 0.15
_UNTESTED = Outcome(None, None, None, None)


@dataclass(frozen=True)
class SlicePair:
    """A run against the baseline on the queries of one slice value.

    Values of few queries are not tested, and their `verdict` is None.
    """

    run: str
    baseline: str
    slice: str
    value: str
    measure: Measure
    numbers: Numbers
    verdict: Verdict | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the pair as plain values."""
        return {
            "slice": self.slice,
            "value": self.value,
            "run": self.run,
            "baseline": self.baseline,
            "measure": repr(self.measure),
            **self.numbers.to_dict(),
            "verdict": None if self.verdict is None else self.verdict.word,
            "reasons": [] if self.verdict is None else list(self.verdict.reasons),
        }


def compare_slices(
    scores: Scores, pair: Pair, slices: Slices, procedure: Procedure
) -> list[SlicePair]:
    """Return the pair on every slice value; p is corrected over all values that are tested."""
    whole = difference_column(scores, pair.baseline, pair.run, pair.measure)
    keys, columns = [], []
    for name in slices.names:
        for value, mask in slices.groups(name, scores.query_ids).items():
            column = np.where(mask, whole, np.nan)
            if not np.isnan(column).all():
                keys.append((name, value))
                columns.append(column)
    outcomes = _outcomes(columns, procedure)
    found = []
    for i, (name, value) in enumerate(keys):
        outcome = outcomes.get(i, _UNTESTED)
        numbers = numbers_of(
            scores, (pair.baseline, pair.run), pair.measure, columns[i], procedure,
            outcome.interval, (outcome.pvalue, outcome.corrected), pair.numbers.limits,
        )  # fmt: skip
        part = SlicePair(pair.run, pair.baseline, name, value, pair.measure, numbers)
        if i in outcomes:
            verdict = verdict_on(numbers, pair.measure, procedure, outcome.low)
            part = replace(part, verdict=verdict)
        found.append(part)
    return found


def _outcomes(columns: list[FloatArray], procedure: Procedure) -> dict[int, Outcome]:
    """Return what the tests say of the columns that are large enough, by their places."""
    sizes = [int((~np.isnan(column)).sum()) for column in columns]
    tested = [i for i, size in enumerate(sizes) if size >= _SMALLEST_SLICE]
    if not tested:
        return {}
    table = np.column_stack([columns[i] for i in tested])
    result = run_test(table, procedure)
    correct = benjamini_hochberg if procedure.correction == "bh" else holm
    corrected, lows = correct(result.pvalue), one_sided_lows(table, procedure)
    return {
        i: Outcome(result.intervals[at], float(result.pvalue[at]), float(corrected[at]), lows[at])
        for at, i in enumerate(tested)
    }


def slice_notices(pair: Pair, parts: list[SlicePair]) -> list[Notice]:
    notices = []
    for name in dict.fromkeys(part.slice for part in parts):
        group = [part.numbers for part in parts if part.slice == name]
        means = [numbers.means[1] for numbers in group if numbers.n >= _SMALLEST_SLICE]
        if means and max(means) - min(means) > _SPREAD:
            text = (
                f"{pair.measure!r} spreads over {max(means) - min(means):.2f} between the values "
                f"of slice {name!r} ({min(means):.2f} to {max(means):.2f})"
            )
            notices.append(Notice("slice-spread", text, pair.run))
        total = pair.numbers.difference
        signs = [numbers.difference * total < 0 for numbers in group if numbers.difference]
        if total and signs and all(signs):
            text = (
                f"the difference of {total:+.4f} overall has the other sign in every value of "
                f"slice {name!r} (Simpson's reversal): the mix of queries decides"
            )
            notices.append(Notice("simpson", text, pair.run))
    return notices
