"""How one query's number comes about, rank by rank; and what would change it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from html import escape
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from ndcg.conventions import Convention, as_convention
from ndcg.data import Qrels, Run, shown
from ndcg.errors import InputError, MeasureError, OptionError, near_miss
from ndcg.evaluation import compute, prepare_qrels, prepare_run, ranking_for
from ndcg.formats.reading import QrelsLike, RunLike, as_qrels, as_run
from ndcg.measures import DCG, Measure, nDCG, parse_measure
from ndcg.measures.gains import discounts, gain_of, ideal_sum
from ndcg.ranking import order_documents

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Explanation", "Step", "explain"]

_FAMILIES = ("nDCG", "DCG", "CG")
_SHOWN_WITHOUT_CUTOFF = 10
_STEP_COLUMNS = {
    "rank": pl.Int64,
    "doc_id": pl.String,
    "grade": pl.Float64,
    "gain": pl.Float64,
    "discount": pl.Float64,
    "value": pl.Float64,
    "tied": pl.Boolean,
    "retrieved": pl.Boolean,
}
_CAUSE_COLUMNS = {
    "doc_id": pl.String,
    "grade": pl.Float64,
    "rank": pl.Int64,
    "other_rank": pl.Int64,
    "difference": pl.Float64,
}


@dataclass(frozen=True)
class Step:
    """One rank: a document, its grade (None for a hole), its gain, and what it adds to the sum.

    `tied` documents share their score with others. Those that were not `retrieved` stand there
    because the convention fills lists up.
    """

    rank: int
    doc_id: str
    grade: float | None
    gain: float
    discount: float
    value: float
    tied: bool = False
    retrieved: bool = True


@dataclass(frozen=True, eq=False, repr=False)
class Explanation:
    """One query's value, step by step.

    Attributes
    ----------
    measure, query_id, run
        What is explained.
    convention
        The rules in force, the measure's own parameters among them.
    steps
        The documents in order, as deep as the cutoff, or to the last judged document. With
        expected values over ties, judged documents that share the score at the cutoff follow.
    ideal
        The best order of the judged documents.
    dcg, idcg, value
        Sum over `steps`, sum over `ideal`, and the measure; NaN when the convention leaves the
        query out.
    answered
        Whether the run has the query.
    moves
        The what-if moves that led here: (doc_id, rank) pairs.
    """

    measure: Measure
    query_id: str
    run: str
    convention: Convention
    steps: tuple[Step, ...]
    ideal: tuple[Step, ...]
    dcg: float
    idcg: float
    value: float
    answered: bool
    moves: tuple[tuple[str, int], ...]
    _grades: Mapping[str, float]
    _scores: Mapping[str, float] | None

    def __repr__(self) -> str:
        moved = "".join(f", {doc} at {rank}" for doc, rank in self.moves)
        return f"Explanation({self.measure!r} of {self.query_id!r}: {self.value:.4f}{moved})"

    def _repr_html_(self) -> str:
        table: str = self.to_frame()._repr_html_()
        return f"<p>{escape(repr(self))}</p>{table}"

    @property
    def holes(self) -> tuple[Step, ...]:
        """The steps without a judgment."""
        return tuple(step for step in self.steps if step.grade is None)

    def move(self, doc_id: str, rank: int) -> Explanation:
        """Return the explanation with one document at another rank, the others closing up.

        A judged document that was not retrieved may be moved in; a rank beyond the end is the end.
        Documents that shared a score still do, unless the moved one now stands between them.

        >>> qrels, run = {"q": {"a": 3, "b": 1}}, {"q": {"b": 2.0, "a": 1.0}}
        >>> explain(qrels, run, "q").move("a", 1)
        Explanation(nDCG@10 of 'q': 1.0000, a at 1)
        """
        if isinstance(rank, bool) or not isinstance(rank, int) or rank < 1:
            raise OptionError(f"rank of {doc_id!r} must be an integer of 1 or more, got {rank!r}")
        scores = self._scores or {}
        known = {*scores, *self._grades}
        if doc_id not in known:
            raise OptionError(
                f"document {doc_id!r} is neither retrieved nor judged for query "
                f"{self.query_id!r}{near_miss(doc_id, known)}"
            )
        order = [doc for doc in _order(scores, self.convention) if doc != doc_id]
        place = min(rank, len(order) + 1)
        order.insert(place - 1, doc_id)
        moved_scores, score = {order[0]: 0.0}, 0.0
        for before, doc in pairwise(order):
            apart = doc_id in {before, doc} or scores[before] != scores[doc]
            score -= apart
            moved_scores[doc] = score
        moved = _explain(
            self.query_id,
            self._grades,
            moved_scores,
            self.run,
            measure=self.measure,
            rules=self.convention,
        )
        return replace(moved, moves=(*self.moves, (doc_id, place)))

    def against(self, other: Explanation) -> pl.DataFrame:
        """Return which documents make the difference between two runs on this query.

        Returns a frame of doc_id, grade, rank, other_rank (null where the document is not among the
        steps) and difference (what the document gives here minus what it gives there; they add up
        to the difference of the values), the largest first.
        """
        if (self.measure, self.query_id) != (other.measure, other.query_id):
            raise OptionError(
                f"cannot set {self!r} against {other!r}: another measure or another query"
            )
        mine = {step.doc_id: step for step in self.steps}
        theirs = {step.doc_id: step for step in other.steps}
        rows = []
        for doc, step in {**theirs, **mine}.items():
            here, there = mine.get(doc), theirs.get(doc)
            rows.append(
                (
                    doc,
                    step.grade,
                    here.rank if here else None,
                    there.rank if there else None,
                    self._share(here) - other._share(there),
                )
            )
        rows.sort(key=lambda row: (-abs(row[4]), row[2] or math.inf, row[3] or math.inf))
        return pl.DataFrame(rows, schema=_CAUSE_COLUMNS, orient="row")

    def _share(self, step: Step | None) -> float:
        """Return what a step gives to the value."""
        if step is None:
            return 0.0
        return step.value / self.idcg if self.measure.name == "nDCG" and self.idcg else step.value

    def to_frame(self) -> pl.DataFrame:
        """Return the steps as a Polars frame."""
        return pl.DataFrame([vars(step) for step in self.steps], schema=_STEP_COLUMNS)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values; None for the value of a query that is left out."""
        return {
            "measure": repr(self.measure),
            "query_id": self.query_id,
            "run": self.run,
            "convention": self.convention.to_dict(),
            "value": None if math.isnan(self.value) else self.value,
            "dcg": self.dcg,
            "idcg": self.idcg,
            "answered": self.answered,
            "moves": [list(move) for move in self.moves],
            "steps": [vars(step) for step in self.steps],
            "ideal": [vars(step) for step in self.ideal],
        }


def explain(
    qrels: QrelsLike,
    run: RunLike,
    query_id: str,
    measure: str | Measure = nDCG @ 10,
    *,
    convention: Convention | str | None = None,
) -> Explanation:
    """Explain one query's nDCG, DCG or CG: every rank with its grade, gain and discount.

    Parameters
    ----------
    qrels, run
        Anything that `ndcg.as_qrels` and `ndcg.as_run` take.
    query_id
        A judged query.
    measure
        nDCG, DCG or CG with any parameters.
    convention
        A `Convention` or a profile's name.

    Examples
    --------
    >>> grades = {"q": {"d2": 3, "d4": 2, "d9": 1}}
    >>> run = {"q": {"d7": 5.0, "d2": 4.0, "d9": 3.0, "d4": 2.0, "d1": 1.0}}
    >>> why = explain(grades, run, "q", "nDCG@5")
    >>> why, round(why.move("d2", 1).value, 4)
    (Explanation(nDCG@5 of 'q': 0.6834), 0.9159)
    """
    wanted, rules = parse_measure(measure), as_convention(convention)
    if wanted.name not in _FAMILIES:
        raise MeasureError(f"explain shows {', '.join(_FAMILIES)}, got {wanted!r}")
    if dict(wanted.parameters).get("condensed"):
        raise MeasureError("explain shows the list as it was retrieved; leave out condensed=True")
    judged = prepare_qrels(as_qrels(qrels), rules)
    ready = prepare_run(as_run(run, duplicates=rules.duplicates), rules)
    query = str(query_id)
    grades, scores = _documents(judged, query), _documents(ready, query)
    if grades is None:
        raise InputError(_not_judged(query, judged, retrieved=scores is not None))
    return _explain(query, grades, scores, ready.name, measure=wanted, rules=rules)


def can_explain(measure: Measure) -> bool:
    """Whether `explain` shows a measure: nDCG, DCG and CG, on the list as it was retrieved."""
    return measure.name in _FAMILIES and not dict(measure.parameters).get("condensed")


def _documents(table: Qrels | Run, query: str) -> dict[str, float] | None:
    """Return one query's documents with their values, None when the table lacks the query."""
    place = table.query_ids.index_of(query)
    if place is None:
        return None
    start, end = table.offsets[place : place + 2].tolist()
    docs = table.doc_ids.slice(start, end - start).to_list()
    return dict(zip(docs, table.values[start:end].tolist(), strict=True))


def _not_judged(query: str, qrels: Qrels, *, retrieved: bool) -> str:
    queries = qrels.query_ids.sort().to_list()
    where = ", though the run has it" if retrieved else ""
    hint = near_miss(query, queries)
    return f"query {query!r} is not judged{where} (the qrels have {shown(queries)}){hint}"


def _explain(
    query: str,
    grades: Mapping[str, float],
    scores: Mapping[str, float] | None,
    run: str,
    *,
    measure: Measure,
    rules: Convention,
) -> Explanation:
    applied = measure.rules(rules)
    ties = measure.ties_under(rules)
    # What the measure sets itself holds for the explanation as a whole.
    in_force: dict[str, Any] = {"gain": applied.gain, "discount": applied.discount, "ties": ties}
    rules = replace(rules, **in_force)
    if scores is not None and rules.scores == "float32":
        scores = {doc: float(np.float32(score)) for doc, score in scores.items()}
    judged = Qrels.of_mapping({query: grades}, name="qrels", value="relevance")
    lists = {} if scores is None else {query: scores}
    ranking = ranking_for(judged, Run.of_mapping(lists, name=run, value="score"), ties, rules)
    discount_kind = "none" if measure.name == "CG" else applied.discount
    whole = applied.ideal == "judged" or rules.short_lists == "fill"
    ideal_docs = {doc: grade for doc, grade in grades.items() if whole or doc in (scores or {})}
    sum_measure = (
        measure
        if measure.name != "nDCG"
        else replace(DCG, parameters=measure.parameters, cutoff=measure.cutoff)
    )
    # What the convention leaves out has a sum all the same.
    summed = replace(rules, unanswered="zero", barren="zero")
    return Explanation(
        measure=measure,
        query_id=query,
        run=run,
        convention=rules,
        steps=_steps(grades, scores or {}, rules, discount_kind, measure.cutoff),
        ideal=_ideal(ideal_docs, rules, discount_kind, measure.cutoff),
        dcg=float(compute(sum_measure, ranking, summed)[0]),
        idcg=float(ideal_sum(ranking, replace(applied, discount=discount_kind))[0]),
        value=float(compute(measure, ranking, rules)[0]),
        answered=scores is not None,
        moves=(),
        _grades=grades,
        _scores=scores,
    )


def _order(scores: Mapping[str, float], rules: Convention) -> list[str]:
    return order_documents(scores, "trec" if rules.ties == "average" else rules.ties)


def _steps(
    grades: Mapping[str, float],
    scores: Mapping[str, float],
    rules: Convention,
    discount_kind: str,
    cutoff: int | None,
) -> tuple[Step, ...]:
    ties = [list(tie) for _, tie in groupby(_order(scores, rules), key=lambda doc: scores[doc])]
    if rules.short_lists == "fill":
        missing = [doc for doc in grades if doc not in scores]
        ties.append(sorted(missing, key=lambda doc: (-grades[doc], doc)))
    judged = [doc in grades for tie in ties for doc in tie]
    deepest = max((rank for rank, known in enumerate(judged, 1) if known), default=0)
    depth = cutoff or deepest or min(len(judged), _SHOWN_WITHOUT_CUTOFF)
    reach = cutoff or len(judged)
    discount = discounts(max(len(judged), 1), discount_kind)
    steps: list[Step] = []
    first = 0
    for tie in ties:
        last = first + len(tie)
        expected = float(discount[first : min(last, reach)].sum()) / max(len(tie), 1)
        for rank, doc in enumerate(tie, first + 1):
            # Beyond the cutoff stands only what an expected value still draws on.
            if rank > depth and not (rules.ties == "average" and first < depth and doc in grades):
                continue
            averaged = rules.ties == "average" and len(tie) > 1
            weight = expected if averaged else float(discount[rank - 1])
            grade = grades.get(doc)
            worth = 0.0 if grade is None else _worth([grade], rules.gain)[0]
            steps.append(
                Step(rank, doc, grade, worth, weight, worth * weight, len(tie) > 1, doc in scores)
            )
        first = last
    return tuple(steps)


def _worth(grades: Sequence[float], gain: Any) -> list[float]:
    worth: list[float] = gain_of(np.array(grades, dtype=np.float64), gain).tolist()
    return worth


def _ideal(
    grades: Mapping[str, float], rules: Convention, discount_kind: str, cutoff: int | None
) -> tuple[Step, ...]:
    worth = dict(zip(grades, _worth(list(grades.values()), rules.gain), strict=True))
    order = sorted((doc for doc in grades if worth[doc] > 0), key=lambda doc: (-worth[doc], doc))
    discount = discounts(max(len(order), 1), discount_kind)
    return tuple(
        Step(rank, doc, grades[doc], worth[doc], weight, worth[doc] * weight)
        for rank, (doc, weight) in enumerate(
            zip(order[:cutoff], discount.tolist(), strict=False), 1
        )
    )
