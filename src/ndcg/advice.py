"""Which measure fits the judgments at hand, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ndcg.evaluation import mean_of, named_runs
from ndcg.formats.reading import QrelsLike, RunLike, as_qrels, as_run
from ndcg.measures import RR, Judged, Measure, R, Success, nDCG
from ndcg.measures.catalogue import judged_share
from ndcg.measures.gains import Rules
from ndcg.ranking import rank

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ndcg.data import Qrels, Run

__all__ = ["Advice", "advise"]

_ONE_ANSWER_SHARE = 0.9
_FEW_QUERIES = 50
_LOW_COVERAGE = 0.9
_FIRST_STAGE_DEPTH = 100


@dataclass(frozen=True)
class Advice:
    """Measures that fit, the first as the primary one, with a sentence of reason each.

    Attributes
    ----------
    facts
        What the judgments (and runs) are like, counted.
    measures
        (measure, reason) pairs.
    cautions
        What the numbers will not be able to say.
    """

    facts: tuple[str, ...]
    measures: tuple[tuple[Measure, str], ...]
    cautions: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the advice as plain values."""
        return {
            "facts": list(self.facts),
            "measures": [{"measure": repr(m), "reason": reason} for m, reason in self.measures],
            "cautions": list(self.cautions),
        }


@dataclass(frozen=True)
class _Shape:
    """What the advice is drawn from."""

    queries: int
    judgments: int
    grades: tuple[float, ...]
    relevant: tuple[int, ...]
    barren: int


def advise(
    qrels: QrelsLike, runs: RunLike | Mapping[str, RunLike] | Sequence[RunLike] | None = None
) -> Advice:
    """Say which measure fits the judgments and why; with runs, also what to watch in them.

    Parameters
    ----------
    qrels
        Anything that `ndcg.as_qrels` takes.
    runs
        None, one run, a mapping of named runs, or a list of them.

    Examples
    --------
    >>> advise({"q1": {"a": 1}, "q2": {"b": 1}}).measures[0][0]
    RR@10
    """
    judged = as_qrels(qrels)
    shape = _shape(judged)
    facts, measures = [*_facts(shape)], [*_measures(shape)]
    cautions = [*_cautions(shape)]
    named = {} if runs is None else named_runs(runs)
    for name in named:
        run = as_run(named[name], name=name)
        facts.append(_run_fact(run))
        cautions += _run_cautions(judged, run, shape)
    if len(named) > 1:
        cautions.append(
            "compare runs query by query on the same judgments (paired): means alone hide which "
            "queries moved"
        )
    return Advice(tuple(facts), tuple(measures), tuple(cautions))


def _shape(qrels: Qrels) -> _Shape:
    n = len(qrels.query_ids)
    relevant = np.bincount(qrels.row_queries[qrels.values > 0], minlength=n)
    return _Shape(
        queries=n,
        judgments=len(qrels),
        grades=tuple(np.unique(qrels.values).tolist()),
        relevant=tuple(relevant.tolist()),
        barren=int((relevant == 0).sum()),
    )


def _facts(shape: _Shape) -> list[str]:
    counts = [count for count in shape.relevant if count]
    middle = float(np.median(counts)) if counts else 0.0
    grades = ", ".join(f"{grade:g}" for grade in shape.grades)
    size = f"{shape.queries} queries, {shape.judgments} judgments"
    return [
        f"{size}, {shape.judgments / shape.queries:.1f} a query; grades {grades}",
        f"{middle:g} relevant documents a query (median); {shape.barren} queries have none",
    ]


def _measures(shape: _Shape) -> list[tuple[Measure, str]]:
    counts = [count for count in shape.relevant if count]
    single = sum(count == 1 for count in counts) / len(counts) if counts else 0.0
    positive = [grade for grade in shape.grades if grade > 0]
    recall = (
        R @ _FIRST_STAGE_DEPTH,
        "for a first stage: what it does not retrieve, no reranker can put on top",
    )
    if single >= _ONE_ANSWER_SHARE:
        share = f"{single:.0%} of the queries have exactly one relevant document"
        return [
            (RR @ 10, f"{share}: its rank is all there is to measure"),
            (Success @ 1, "how often the answer stands first; Success@5 for a short list"),
            recall,
        ]
    if len(positive) > 1:
        low, high = positive[0], positive[-1]
        linear = (
            "several relevant documents of different usefulness; linear gain: grade "
            f"{high:g} counts {high / low:g} times grade {low:g}"
        )
        exponential = (
            f"only if grade {high:g} is worth much more than the rest: here "
            f"{(2**high - 1) / (2**low - 1):g} times grade {low:g}"
        )
        return [(nDCG @ 10, linear), (nDCG(gain="exp") @ 10, exponential), recall]
    return [
        (nDCG @ 10, "several relevant documents of one grade: rewards each, the top ones most"),
        recall,
    ]


def _cautions(shape: _Shape) -> list[str]:
    told = []
    if shape.grades and shape.grades[0] > 0:
        told.append(
            "only relevant documents are in the judgments: judged@k is small by design, and a "
            "document without a judgment may be good or bad"
        )
    if shape.barren:
        told.append(
            f"{shape.barren} queries have no relevant document: every run scores 0 on them, which "
            "lowers all means alike"
        )
    if shape.queries < _FEW_QUERIES:
        told.append(
            f"{shape.queries} queries are few: expect differences below about "
            f"{2.8 * 0.2 / shape.queries**0.5:.2f} to stay within chance (deviation of the "
            "per-query difference taken as 0.2)"
        )
    return told


def _run_fact(run: Run) -> str:
    lengths = np.diff(run.offsets)
    return f"{run.name}: {len(lengths)} queries, {np.median(lengths):g} documents a query (median)"


def _run_cautions(qrels: Qrels, run: Run, shape: _Shape) -> list[str]:
    ranking = rank(qrels, run)
    told = []
    if not ranking.answered.any():
        return [f"{run.name}: none of its queries is judged; check the query ids"]
    share = mean_of(judged_share(ranking, Rules(cutoff=10)))
    if share < _LOW_COVERAGE:
        told.append(
            f"{run.name}: {Judged @ 10!r} is {share:.0%}; what was never judged counts as not "
            "relevant, so a low value may only mean that nobody looked"
        )
    depth = int(np.diff(run.offsets).max())
    if depth < _FIRST_STAGE_DEPTH:
        told.append(
            f"{run.name}: no list is deeper than {depth}; R@{_FIRST_STAGE_DEPTH} is R@{depth}"
        )
    tied = int(np.unique(ranking.query[ranking.tied]).size)
    if tied:
        told.append(
            f"{run.name}: judged documents share scores with others in {tied} of {shape.queries} "
            "queries; see the notice on ties in ndcg eval"
        )
    return told
