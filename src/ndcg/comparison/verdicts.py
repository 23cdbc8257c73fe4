"""From numbers to a verdict: the one place that says better, worse, no difference, cannot tell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ndcg.evaluation.cautions import COVERAGE_FLOOR, COVERAGE_GAP

if TYPE_CHECKING:
    from ndcg.holes.limits import Limits

__all__ = ["Evidence", "Verdict", "decide"]

Word = Literal["better", "worse", "no difference", "cannot tell"]

SMALL_DIFFERENCE = 0.02


@dataclass(frozen=True)
class Evidence:
    """What a verdict on one pair of runs rests on.

    Parameters
    ----------
    n, n_differing
        Queries compared, and those on which the two differ.
    difference
        Mean of the run less mean of the baseline.
    low
        Lower end of the one-sided interval of the difference, for a margin; None without one.
    pvalue
        The corrected p-value of the difference.
    smallest_pvalue
        The least p-value that this many differing queries can reach.
    detectable
        The difference found with 80 % power (MDE); None where it is not known.
    judged
        Judged@k of baseline and run; None where it was not evaluated.
    cutoff
        The k of judged@k.
    limits
        Bounds of the difference under every labelling of the unjudged documents; None where they
        were not asked for.
    """

    n: int
    n_differing: int
    difference: float
    low: float | None
    pvalue: float
    smallest_pvalue: float
    detectable: float | None
    judged: tuple[float, float] | None
    cutoff: int
    limits: Limits | None = None


@dataclass(frozen=True)
class Verdict:
    """The decision on a pair: a word, and the reasons in the order of their weight."""

    word: Word
    reasons: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.word}: {'; '.join(self.reasons)}"


def decide(evidence: Evidence, *, alpha: float = 0.05, margin: float | None = None) -> Verdict:
    """Return the verdict that evidence supports.

    A difference is called better or worse only when its corrected p-value is at most `alpha` and
    unequal coverage cannot be the cause: the loser must not have a judged@k below 90 % and 5 points
    below the winner's, since what was never judged counts against a run. With a `margin` the
    question is whether the run is worse by more than the margin. With `limits` the verdict ends in
    whether labels could change the sign; where they cannot, unequal coverage is no objection.

    Examples
    --------
    >>> few = Evidence(300, 4, 0.013, None, 0.13, 0.125, 0.03, (1.0, 1.0), 10)
    >>> print(decide(few))
    cannot tell: only 4 of 300 queries differ, no outcome could reach p <= 0.05 (best 0.125)
    """
    verdict = _without_a_test(evidence, alpha, margin)
    if verdict is None and margin is not None:
        verdict = _within_margin(evidence, alpha, margin)
    if verdict is None:
        verdict = _tested(evidence, alpha)
    return Verdict(verdict.word, (*verdict.reasons, *_settlement(evidence, margin)))


def _tested(evidence: Evidence, alpha: float) -> Verdict:
    uneven = _uneven_coverage(evidence)
    if evidence.pvalue > alpha:
        reasons = (_unseen(evidence),) if uneven is None else (uneven, _unseen(evidence))
        return Verdict("no difference" if uneven is None else "cannot tell", reasons)
    word: Word = "better" if evidence.difference > 0 else "worse"
    if uneven is not None and _loser_is_less_judged(evidence):
        return Verdict("cannot tell", (uneven, f"{word} as judged so far, {_strength(evidence)}"))
    reasons = (_strength(evidence),)
    if abs(evidence.difference) < SMALL_DIFFERENCE:
        reasons += (f"a difference below {SMALL_DIFFERENCE} is small, however sure",)
    return Verdict(word, reasons)


def _settlement(evidence: Evidence, margin: float | None) -> tuple[str, ...]:
    """Return whether labels could change the sign, in words; nothing where it was not asked."""
    limits = evidence.limits
    if limits is None:
        return ()
    if not limits.n_holes and limits.lower == limits.upper:
        return (f"settled: every document in the top {evidence.cutoff} is judged",)
    ends = f"{limits.lower:+.4f} to {limits.upper:+.4f}"
    one = limits.n_holes == 1
    holes = f"{limits.n_holes} unjudged {'document' if one else 'documents'}"
    told = f"not settled: labels for {holes} could make the difference {ends}"
    if limits.is_settled:
        worth = "is worth" if one else "are worth"
        told = f"settled: the difference is {ends} whatever the {holes} {worth}"
    known = None if margin is None else limits.worse_by(margin)
    if known is None:
        return (told,)
    return (told, f"worse by more than {margin:g} " + ("in any case" if known else "in no case"))


def _without_a_test(evidence: Evidence, alpha: float, margin: float | None) -> Verdict | None:
    if evidence.n < 2:  # noqa: PLR2004
        return Verdict("cannot tell", (f"{evidence.n} query in common is no sample",))
    if evidence.n_differing == 0:
        return Verdict("no difference", (f"the same value on all {evidence.n} queries",))
    if margin is None and evidence.smallest_pvalue > alpha:
        few = (
            f"only {evidence.n_differing} of {evidence.n} queries differ, no outcome could reach "
            f"p <= {alpha:g} (best {evidence.smallest_pvalue:.3g})"
        )
        return Verdict("cannot tell", (few,))
    return None


def _strength(evidence: Evidence) -> str:
    return f"difference {evidence.difference:+.4f}, p {spell_pvalue(evidence.pvalue)}"


def _unseen(evidence: Evidence) -> str:
    if evidence.detectable is None:
        return "how small a difference could be seen is not known"
    return (
        f"no difference that {evidence.n} queries could show (MDE {evidence.detectable:.3f}, "
        f"p {spell_pvalue(evidence.pvalue)})"
    )


def _uneven_coverage(evidence: Evidence) -> str | None:
    is_settled = evidence.limits is not None and evidence.limits.is_settled
    if evidence.judged is None or is_settled:
        return None
    low, high = sorted(evidence.judged)
    if high - low < COVERAGE_GAP or low >= COVERAGE_FLOOR:
        return None
    base, run = evidence.judged
    return (
        f"coverage is unequal: judged@{evidence.cutoff} is {base:.1%} for the baseline and "
        f"{run:.1%} for the run, and what was never judged counts as not relevant"
    )


def _loser_is_less_judged(evidence: Evidence) -> bool:
    base, run = evidence.judged or (1.0, 1.0)
    return (run < base) == (evidence.difference < 0)


def _within_margin(evidence: Evidence, alpha: float, margin: float) -> Verdict:
    uneven = _uneven_coverage(evidence)
    if evidence.low is None:
        return Verdict("cannot tell", ("the lower end of the difference is not known",))
    told = f"the difference is at least {evidence.low:+.4f} at {1 - alpha:.0%} confidence"
    if evidence.low > -margin:
        if evidence.pvalue <= alpha and evidence.difference > 0:
            return Verdict("better", (_strength(evidence), told))
        return Verdict("no difference", (f"not worse by more than {margin:g}: {told}",))
    if uneven is not None:
        return Verdict("cannot tell", (uneven, told))
    if evidence.pvalue <= alpha and evidence.difference < -margin:
        return Verdict("worse", (_strength(evidence), f"beyond the margin of {margin:g}"))
    return Verdict(
        "cannot tell",
        (f"it may be worse by more than {margin:g}: {told}; more queries are needed",),
    )


def spell_pvalue(pvalue: float) -> str:
    """Return a p-value as it is printed: ``0.013``, ``<0.001``."""
    return "<0.001" if pvalue < 0.001 else f"{pvalue:.3f}"  # noqa: PLR2004
