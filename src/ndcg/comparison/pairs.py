"""A run against a baseline in numbers: means, difference, interval, p-values, wins and losses."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypedDict, get_args

import numpy as np

from ndcg.comparison.gathering import judged_measure
from ndcg.comparison.verdicts import Evidence, Verdict, decide
from ndcg.errors import InputError, OptionError, check_choice
from ndcg.evaluation import mean_of
from ndcg.stats import (
    benjamini_hochberg,
    detectable_effect,
    holm,
    max_t,
    paired_bootstrap,
    paired_differences,
    paired_randomisation,
    paired_t,
    smallest_pvalue,
    summarise_differences,
    tukey_hsd,
)

if TYPE_CHECKING:
    from ndcg.data import FloatArray
    from ndcg.evaluation import Scores
    from ndcg.holes.bounding import Bounds
    from ndcg.holes.limits import Limits
    from ndcg.measures import Measure

__all__ = ["Numbers", "Pair", "Procedure", "ProcedureOptions"]

Test = Literal["bootstrap", "t", "permutation"]
Correction = Literal["holm", "maxt", "bh", "none"]
_FALL = 0.3
_SHOWN_MOVES = 5


class ProcedureOptions(TypedDict, total=False):
    """The keywords of `Procedure`."""

    test: Test
    correction: Correction
    level: float
    n_resamples: int
    margin: float | None
    all_pairs: bool
    seed: int


@dataclass(frozen=True)
class Procedure:
    """How differences are tested.

    Parameters
    ----------
    test
        ``"bootstrap"`` (Sakai, SIGIR 2006), ``"t"`` (Student) or ``"permutation"`` (sign flips).
    correction
        Over the runs of one measure: ``"holm"``, ``"maxt"`` (shared sign flips), ``"bh"``
        (Benjamini-Hochberg, for exploring) or ``"none"``. Over the slices: Holm, or
        Benjamini-Hochberg with ``"bh"``.
    level
        Confidence level; differences count when p <= 1 - level.
    n_resamples
        How often the queries are drawn.
    margin
        A run is only worse when it is worse by more than this (non-inferiority).
    all_pairs
        Every run with every other, by the randomised Tukey HSD test.
    seed
        Same seed, same digits.
    """

    test: Test = "bootstrap"
    correction: Correction = "holm"
    level: float = 0.95
    n_resamples: int = 10_000
    margin: float | None = None
    all_pairs: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        check_choice("test", self.test, get_args(Test))
        check_choice("correction", self.correction, get_args(Correction))
        if not 0 < self.level < 1:
            raise OptionError(f"level must be above 0 and below 1, got {self.level}")
        if self.n_resamples < 1:
            raise OptionError(f"n_resamples must be 1 or more, got {self.n_resamples}")
        if self.margin is not None and not 0 < self.margin < 1:
            raise OptionError(f"margin must be above 0 and below 1, got {self.margin}")
        if self.margin is not None and self.all_pairs:
            raise OptionError("a margin goes with a baseline; leave out all_pairs")


@dataclass(frozen=True)
class Numbers:
    """A paired difference in numbers, over all queries or over those of a slice.

    `interval`, `pvalue` and what follows from a test are None where nothing was tested; `limits`
    are None where bounds were not asked for.
    """

    n: int
    means: tuple[float, float]
    difference: float
    interval: tuple[float, float] | None
    pvalue: float | None
    pvalue_corrected: float | None
    effect_size: float | None
    wins: int
    ties: int
    losses: int
    detectable: float | None
    judged: tuple[float, float] | None
    limits: Limits | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as plain values."""
        return {
            "n": self.n,
            "means": list(self.means),
            "difference": self.difference,
            "interval": None if self.interval is None else list(self.interval),
            "p": self.pvalue,
            "p_corrected": self.pvalue_corrected,
            "effect_size": self.effect_size,
            "wins": self.wins,
            "ties": self.ties,
            "losses": self.losses,
            "mde": self.detectable,
            "judged": None if self.judged is None else list(self.judged),
            "bounds": None if self.limits is None else list(self.limits),
            "settled": None if self.limits is None else self.limits.is_settled,
            "holes": None if self.limits is None else self.limits.n_holes,
        }


@dataclass(frozen=True)
class Pair:
    """A run against the baseline under one measure; `verdict` is the decision all output shows."""

    run: str
    baseline: str
    measure: Measure
    numbers: Numbers
    verdict: Verdict
    moved: tuple[tuple[str, float], ...]
    fallen: tuple[tuple[str, float], ...]

    def __repr__(self) -> str:
        return (
            f"Pair({self.run!r} against {self.baseline!r}, {self.measure!r}: {self.verdict.word})"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the pair as plain values."""
        return {
            "run": self.run,
            "baseline": self.baseline,
            "measure": repr(self.measure),
            **self.numbers.to_dict(),
            "verdict": self.verdict.word,
            "reasons": list(self.verdict.reasons),
            "moved": [{"query_id": q, "difference": d} for q, d in self.moved],
            "fallen": [{"query_id": q, "difference": d} for q, d in self.fallen],
        }


def _values(scores: Scores, run: str, measure: Measure) -> FloatArray:
    return scores.run(run).values[:, scores.measures.index(measure)]


def difference_column(scores: Scores, base: str, run: str, measure: Measure) -> FloatArray:
    """Return run less baseline of each query, NaN where one of them does not count."""
    before, after = _values(scores, base, measure), _values(scores, run, measure)
    both = ~np.isnan(before) & ~np.isnan(after)
    if not both.any():
        raise InputError(
            f"{base} and {run} have no query in common under this convention; nothing can be "
            "compared (the default convention counts unanswered queries 0)"
        )
    result = np.full(len(before), np.nan)
    result[both] = paired_differences(before[both], after[both])
    return result


def _judged(scores: Scores, base: str, run: str, measure: Measure, inside: Any) -> Any:
    column = judged_measure(measure)
    pair = [mean_of(_values(scores, name, column)[inside]) for name in (base, run)]
    return None if any(math.isnan(share) for share in pair) else tuple(pair)


def run_test(columns: FloatArray, procedure: Procedure, alternative: str = "two-sided") -> Any:
    keywords: dict[str, Any] = {"level": procedure.level, "alternative": alternative}
    if procedure.test == "t":
        return paired_t(columns, **keywords)
    keywords |= {"n_resamples": procedure.n_resamples, "rng": procedure.seed}
    chosen = paired_bootstrap if procedure.test == "bootstrap" else paired_randomisation
    return chosen(columns, **keywords)


def _correct(pvalues: Any, columns: FloatArray, procedure: Procedure) -> Any:
    if procedure.correction == "none":
        return pvalues
    if procedure.correction == "bh":
        return benjamini_hochberg(pvalues)
    if procedure.correction == "maxt":
        return max_t(columns, n_resamples=procedure.n_resamples, rng=procedure.seed).pvalue
    return holm(pvalues)


def pairs_against(
    scores: Scores,
    measure: Measure,
    base: str,
    others: list[str],
    procedure: Procedure,
    bounds: Bounds | None = None,
) -> list[Pair]:
    columns = np.column_stack([difference_column(scores, base, run, measure) for run in others])
    result = run_test(columns, procedure)
    corrected = _correct(result.pvalue, columns, procedure)
    lows = one_sided_lows(columns, procedure)
    return [
        _pair(
            scores,
            (base, run),
            measure,
            columns[:, i],
            procedure,
            Outcome(result.intervals[i], float(result.pvalue[i]), float(corrected[i]), lows[i]),
            limits=None if bounds is None else bounds.difference(base, run),
        )
        for i, run in enumerate(others)
    ]


def pairs_of_all(
    scores: Scores, measure: Measure, procedure: Procedure, bounds: Bounds | None = None
) -> list[Pair]:
    names = [run.name for run in scores.runs]
    table = np.column_stack([_values(scores, name, measure) for name in names])
    whole = table[~np.isnan(table).any(axis=1)]
    result = tukey_hsd(
        whole, level=procedure.level, n_resamples=procedure.n_resamples, rng=procedure.seed
    )
    pairs = []
    for i, base in enumerate(names):
        for j in range(i + 1, len(names)):
            column = difference_column(scores, base, names[j], measure)
            column[np.isnan(table).any(axis=1)] = np.nan
            limits = None if bounds is None else bounds.difference(base, names[j])
            centre, p = float(result.difference[j, i]), float(result.pvalue[i, j])
            ends = (centre - result.half_width, centre + result.half_width)
            outcome = Outcome(ends, None, p, None)
            pair = (base, names[j])
            pairs.append(_pair(scores, pair, measure, column, procedure, outcome, limits))
    return pairs


class Outcome(NamedTuple):
    """What a test said of one difference; `low` is the one-sided end that a margin asks for."""

    interval: Any
    pvalue: float | None
    corrected: float | None
    low: float | None


def _pair(
    scores: Scores,
    names: tuple[str, str],
    measure: Measure,
    column: FloatArray,
    procedure: Procedure,
    outcome: Outcome,
    limits: Limits | None,
) -> Pair:
    pvalues = (outcome.pvalue, outcome.corrected)
    numbers = numbers_of(
        scores, names, measure, column, procedure, outcome.interval, pvalues, limits
    )
    order = np.lexsort((np.arange(len(column)), np.nan_to_num(column)))
    ranked = [(scores.query_ids[i], float(column[i])) for i in order if not np.isnan(column[i])]
    down = [move for move in ranked[:_SHOWN_MOVES] if move[1] < 0]
    up = [move for move in ranked[::-1][:_SHOWN_MOVES] if move[1] > 0]
    return Pair(
        run=names[1],
        baseline=names[0],
        measure=measure,
        numbers=numbers,
        verdict=verdict_on(numbers, measure, procedure, outcome.low),
        moved=(*down, *up),
        fallen=tuple(move for move in ranked if move[1] < -_FALL),
    )


def verdict_on(
    numbers: Numbers, measure: Measure, procedure: Procedure, low: float | None
) -> Verdict:
    """Return the decision on a difference that was tested."""
    differing = numbers.wins + numbers.losses
    evidence = Evidence(
        n=numbers.n,
        n_differing=differing,
        difference=numbers.difference,
        low=low,
        pvalue=1.0 if numbers.pvalue_corrected is None else numbers.pvalue_corrected,
        smallest_pvalue=float(smallest_pvalue([differing])[0]),
        detectable=numbers.detectable,
        judged=numbers.judged,
        cutoff=judged_measure(measure).cutoff or 0,
        limits=numbers.limits,
    )
    return decide(evidence, alpha=1 - procedure.level, margin=procedure.margin)


def one_sided_lows(columns: FloatArray, procedure: Procedure) -> list[float | None]:
    """Return the lower end of each column's one-sided interval; None without a margin."""
    if procedure.margin is None:
        return [None] * columns.shape[1]
    intervals = run_test(columns, procedure, "greater").intervals
    return [None if ends is None else ends.low for ends in intervals]


def numbers_of(
    scores: Scores,
    names: tuple[str, str],
    measure: Measure,
    column: FloatArray,
    procedure: Procedure,
    interval: Any,
    pvalues: tuple[float | None, float | None],
    limits: Limits | None = None,
) -> Numbers:
    inside = ~np.isnan(column)
    summary = summarise_differences(column)[0]
    seen = None
    if summary.sd:
        seen = detectable_effect(summary.n_queries, summary.sd, alpha=1 - procedure.level)
    ends = (interval.low, interval.high) if hasattr(interval, "low") else interval
    if ends is not None and not (measure.is_unbounded or measure.is_count):
        # Two values from 0 to 1 differ by 1 at the most, which a test of ten queries cannot know.
        ends = (max(ends[0], -1.0), min(ends[1], 1.0))
    return Numbers(
        n=summary.n_queries,
        means=(
            mean_of(_values(scores, names[0], measure)[inside]),
            mean_of(_values(scores, names[1], measure)[inside]),
        ),
        difference=summary.difference,
        interval=ends,
        pvalue=pvalues[0],
        pvalue_corrected=pvalues[1],
        effect_size=summary.effect_size,
        wins=summary.wins,
        ties=summary.ties,
        losses=summary.losses,
        detectable=seen,
        judged=_judged(scores, *names, measure, inside),
        limits=None if limits is None else limits.where(inside),
    )
