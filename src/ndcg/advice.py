"""Which measure fits the judgments at hand, and why."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from ndcg.errors import InputError
from ndcg.evaluation import Scores, mean_of, named_runs
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
_GRADES_LISTED = 10
_HIGHEST_EXPONENT = 10


@dataclass(frozen=True, repr=False)
class Advice:
    """Measures that fit, the first as the primary one, with a sentence of reason each.

    Attributes
    ----------
    facts
        What the judgments (and runs) are like, counted.
    measures
        (measure, reason) pairs.
    cautions
        What the numbers will not be able to say, and what was counted in reading.
    """

    facts: tuple[str, ...]
    measures: tuple[tuple[Measure, str], ...]
    cautions: tuple[str, ...]

    def __repr__(self) -> str:
        names = ", ".join(repr(measure) for measure, _ in self.measures)
        return f"Advice({names}; {_count(len(self.cautions), 'caution')})"

    def _repr_html_(self) -> str:
        table: str = self.to_frame()._repr_html_()
        return f"<p>{'<br>'.join(map(escape, self.facts + self.cautions))}</p>{table}"

    def to_frame(self) -> pl.DataFrame:
        """Return the measures as a Polars frame: measure, reason."""
        rows = [(repr(measure), reason) for measure, reason in self.measures]
        return pl.DataFrame(rows, schema={"measure": pl.String, "reason": pl.String}, orient="row")

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
    cautions = [*_cautions(shape), *(notice.text for notice in judged.notices)]
    named = {} if runs is None else named_runs(runs)
    for name in named:
        source = named[name]
        if isinstance(source, Scores):
            raise InputError(f"{name}: these are saved scores, not a run; name the run itself")
        run = as_run(source, name=name)
        facts.append(_run_fact(run))
        cautions += _run_cautions(judged, run, shape)
        cautions += [f"{run.name}: {notice.text}" for notice in run.notices]
    if len(named) > 1:
        cautions.append(
            "compare runs query by query on the same judgments (ndcg compare): means alone hide "
            "which queries moved"
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


def _count(number: int, noun: str) -> str:
    if number == 1:
        return f"1 {noun}"
    return f"{number} {noun[:-1]}ies" if noun.endswith("y") else f"{number} {noun}s"


def _facts(shape: _Shape) -> list[str]:
    counts = [count for count in shape.relevant if count]
    middle = float(np.median(counts)) if counts else 0.0
    size = f"{_count(shape.queries, 'query')}, {_count(shape.judgments, 'judgment')}"
    barren = f"{_count(shape.barren, 'query')} {'has' if shape.barren == 1 else 'have'} none"
    return [
        f"{size}, {shape.judgments / shape.queries:.1f} a query; {_grades(shape.grades)}",
        f"{middle:g} relevant documents a query (median); {barren}",
    ]


def _grades(grades: tuple[float, ...]) -> str:
    if len(grades) > _GRADES_LISTED:
        return f"{len(grades)} grades from {grades[0]:g} to {grades[-1]:g}"
    return f"grades {', '.join(f'{grade:g}' for grade in grades)}"


def _measures(shape: _Shape) -> list[tuple[Measure, str]]:
    counts = [count for count in shape.relevant if count]
    if not counts:
        reason = "no relevant document is known: how much of the top was judged is all there is"
        return [(Judged @ 10, reason)]
    single = sum(count == 1 for count in counts) / len(counts)
    positive = [grade for grade in shape.grades if grade > 0]
    recall = (
        R @ _FIRST_STAGE_DEPTH,
        "for a first stage: what it does not retrieve, no reranker can put on top",
    )
    if single >= _ONE_ANSWER_SHARE:
        share = f"{single:.0%} of the queries that have a relevant document have exactly one"
        return [
            (RR @ 10, f"{share}: its rank is all there is to measure"),
            (Success @ 1, "how often the answer stands first; Success@5 for a short list"),
            recall,
        ]
    if len(positive) == 1:
        reason = "several relevant documents of one grade: rewards each, the top ones most"
        return [(nDCG @ 10, reason), recall]
    low, high = positive[0], positive[-1]
    reason = (
        "several relevant documents of different usefulness; linear gain: grade "
        f"{high:g} counts {high / low:.3g} times grade {low:g}"
    )
    if high > _HIGHEST_EXPONENT:
        return [(nDCG @ 10, reason), recall]
    exponential = (
        f"only if grade {high:g} is worth much more than the rest: here "
        f"{(2**high - 1) / (2**low - 1):.3g} times grade {low:g}"
    )
    return [(nDCG @ 10, reason), (nDCG(gain="exp") @ 10, exponential), recall]


def _cautions(shape: _Shape) -> list[str]:
    told = []
    if shape.grades[0] > 0:
        told.append(
            "only relevant documents are in the judgments: judged@k is small by design, and a "
            "document without a judgment may be good or bad"
        )
    if shape.barren:
        have, them = ("has", "it") if shape.barren == 1 else ("have", "them")
        told.append(
            f"{_count(shape.barren, 'query')} {have} no relevant document: every run scores 0 on "
            f"{them}, which lowers all means alike"
        )
    if shape.queries < _FEW_QUERIES:
        verb = "is" if shape.queries == 1 else "are"
        told.append(
            f"{_count(shape.queries, 'query')} {verb} few: expect differences below about "
            f"{2.8 * 0.2 / shape.queries**0.5:.2f} to stay within chance (deviation of the "
            "per-query difference taken as 0.2)"
        )
    return told


def _run_fact(run: Run) -> str:
    lengths = np.diff(run.offsets)
    queries = _count(len(lengths), "query")
    return f"{run.name}: {queries}, {np.median(lengths):g} documents a query (median)"


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
