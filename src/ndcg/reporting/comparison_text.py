"""How a comparison was made, and what it found, in words that every output shares."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ndcg.comparison.verdicts import spell_pvalue
from ndcg.reporting.grids import printable
from ndcg.reporting.score_tables import notice_lines

if TYPE_CHECKING:
    from ndcg.comparison import Comparison
    from ndcg.comparison.pairs import Numbers, Pair
    from ndcg.measures import Measure

_TESTS = {
    "bootstrap": "paired bootstrap test",
    "t": "paired t test",
    "permutation": "permutation test",
}
_CORRECTIONS = {
    "holm": "Holm over the runs",
    "maxt": "MaxT over the runs",
    "bh": "Benjamini-Hochberg over the runs",
    "none": "nothing",
}
_NAMED_RUNS = 3


def measures_of(comparison: Comparison) -> tuple[Measure, ...]:
    """Return the measures compared, in the order asked for."""
    return tuple(dict.fromkeys(pair.measure for pair in comparison.pairs))


def comparison_notes(comparison: Comparison) -> list[str]:
    """Return every notice as a line that begins with its run."""
    return notice_lines(comparison.notices)


def procedure_line(comparison: Comparison) -> str:
    """Return test, correction and draws: ``paired t test, corrected by Holm over the runs``."""
    procedure = comparison.procedure
    if procedure.all_pairs:
        how = "all pairs by randomised Tukey HSD"
    else:
        how = f"{_TESTS[procedure.test]}, corrected by {_CORRECTIONS[procedure.correction]}"
    is_drawn = procedure.all_pairs or procedure.test != "t" or procedure.correction == "maxt"
    return how + (f", {procedure.n_resamples} resamples, seed {procedure.seed}" if is_drawn else "")


def settings_line(comparison: Comparison) -> str:
    """Return how differences were tested, with everything that it takes to repeat it."""
    procedure = comparison.procedure
    margin = "" if procedure.margin is None else f", margin {procedure.margin:g}"
    bounds = next(iter(comparison.bounds.values()), None)
    assumed = "" if bounds is None else f"; bounds: {bounds.describe()}"
    return f"{procedure_line(comparison)}, level {procedure.level:g}{margin}{assumed}"


def bounds_text(numbers: Numbers) -> str:
    """Return the bounds of a difference: ``[-0.357, +0.471]``, or ``-``."""
    if numbers.limits is None:
        return "-"
    return f"[{numbers.limits.lower:+.3f}, {numbers.limits.upper:+.3f}]"


def report_title(comparison: Comparison) -> str:
    """Return what was compared with what: ``tfidf, minilm against bm25 on nDCG@10``."""
    measures = ", ".join(map(repr, measures_of(comparison)))
    names = [run.name for run in comparison.scores.runs]
    if comparison.procedure.all_pairs:
        listed = ", ".join(names) if len(names) <= _NAMED_RUNS else f"{len(names)} runs"
        return printable(f"{listed}, every one against every other, on {measures}")
    others = [name for name in names if name != comparison.baseline]
    listed = ", ".join(others) if len(others) <= _NAMED_RUNS else f"{len(others)} runs"
    return printable(f"{listed} against {comparison.baseline} on {measures}")


def pair_title(comparison: Comparison, pair: Pair) -> str:
    """Return the name of a pair, no longer than it takes to tell it from the other pairs."""
    against = f" against {pair.baseline}" if comparison.procedure.all_pairs else ""
    measure = f", {pair.measure!r}" if len(measures_of(comparison)) > 1 else ""
    return printable(f"{pair.run}{against}{measure}")


def interval_text(numbers: Numbers) -> str:
    """Return the ends of an interval: ``[-0.178, -0.077]``, or ``-``."""
    if numbers.interval is None:
        return "-"
    return f"[{numbers.interval[0]:+.3f}, {numbers.interval[1]:+.3f}]"


def pvalue_text(value: float | None) -> str:
    """Return a p-value as it is printed, or ``-``."""
    return "-" if value is None else spell_pvalue(value)


def judged_text(numbers: Numbers) -> str:
    """Return judged@k of baseline and run: ``74%/39%``, or ``-``."""
    if numbers.judged is None:
        return "-"
    return f"{numbers.judged[0]:.0%}/{numbers.judged[1]:.0%}"


def is_significant(comparison: Comparison, numbers: Numbers) -> bool:
    """Whether a corrected p-value is within the level."""
    p = numbers.pvalue_corrected
    return p is not None and p <= 1 - comparison.procedure.level
