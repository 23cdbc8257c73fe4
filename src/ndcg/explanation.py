"""How one query's number comes about, rank by rank; and what would change it."""

from __future__ import annotations

from dataclasses import dataclass, replace
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

    from ndcg.data import FloatArray

__all__ = ["Explanation", "Step", "explain"]

_FAMILIES = ("nDCG", "DCG", "CG")


@dataclass(frozen=True)
class Step:
    """One rank: a document, its grade (None for a hole), its gain, and what it adds to the sum."""

    rank: int
    doc_id: str
    grade: float | None
    gain: float
    discount: float
    value: float
    tied: bool = False


@dataclass(frozen=True, eq=False, repr=False)
class Explanation:
    """One query's value, step by step.

    Attributes
    ----------
    measure, query_id, run
        What is explained.
    steps
        The retrieved documents in order, as deep as the cutoff, or to the last judged document.
    ideal
        The best order of the judged documents.
    dcg, idcg, value
        Sum over `steps`, sum over `ideal`, and the measure.
    moves
        The what-if moves that led here: (doc_id, rank) pairs.
    """

    measure: Measure
    query_id: str
    run: str
    steps: tuple[Step, ...]
    ideal: tuple[Step, ...]
    dcg: float
    idcg: float
    value: float
    moves: tuple[tuple[str, int], ...]
    _order: tuple[str, ...]
    _grades: Mapping[str, float]
    _convention: Convention

    def __repr__(self) -> str:
        moved = "".join(f", {doc} at {rank}" for doc, rank in self.moves)
        return f"Explanation({self.measure!r} of {self.query_id!r}: {self.value:.4f}{moved})"

    def _repr_html_(self) -> str:
        table: str = self.to_frame()._repr_html_()
        return f"<p>{self!r}</p>{table}"

    @property
    def holes(self) -> tuple[Step, ...]:
        """The steps without a judgment."""
        return tuple(step for step in self.steps if step.grade is None)

    def move(self, doc_id: str, rank: int) -> Explanation:
        """Return the explanation with one document at another rank, the others closing up.

        A judged document that was not retrieved may be moved in.

        >>> qrels, run = {"q": {"a": 3, "b": 1}}, {"q": {"b": 2.0, "a": 1.0}}
        >>> explain(qrels, run, "q").move("a", 1)
        Explanation(nDCG@10 of 'q': 1.0000, a at 1)
        """
        if isinstance(rank, bool) or not isinstance(rank, int) or rank < 1:
            raise OptionError(f"rank of {doc_id!r} must be an integer of 1 or more, got {rank!r}")
        known = {*self._order, *self._grades}
        if doc_id not in known:
            raise OptionError(
                f"document {doc_id!r} is neither retrieved nor judged for query "
                f"{self.query_id!r}{near_miss(doc_id, known)}"
            )
        order = [doc for doc in self._order if doc != doc_id]
        order.insert(rank - 1, doc_id)
        scores = {doc: float(len(order) - i) for i, doc in enumerate(order)}
        # The moved order is explicit, so nothing is tied any more.
        rules = replace(self._convention, ties="trec", short_lists="end")
        moved = _explain(
            self.query_id, self._grades, scores, self.run, measure=self.measure, rules=rules
        )
        return replace(moved, moves=(*self.moves, (doc_id, rank)))

    def against(self, other: Explanation) -> pl.DataFrame:
        """Return which documents make the difference between two runs on this query.

        Returns a frame of doc_id, grade, rank, other_rank (null where not within the cutoff) and
        difference (what the document gives here minus what it gives there; they add up to the
        difference of the values), the largest first.
        """
        if (self.measure, self.query_id) != (other.measure, other.query_id):
            raise OptionError(
                f"cannot set {self!r} against {other!r}: another measure or another query"
            )
        mine = {step.doc_id: step for step in self.steps}
        theirs = {step.doc_id: step for step in other.steps}
        scale = self.idcg if self.measure.name == "nDCG" and self.idcg else 1.0
        rows = []
        for doc in dict.fromkeys([*mine, *theirs]):
            here, there = mine.get(doc), theirs.get(doc)
            step = here or there
            gained = (here.value if here else 0.0) - (there.value if there else 0.0)
            if step is not None:
                rows.append(
                    (
                        doc,
                        step.grade,
                        here.rank if here else None,
                        there.rank if there else None,
                        gained / scale,
                    )
                )
        rows.sort(key=lambda row: (-abs(row[4]), row[2] or np.inf, row[0]))
        schema = {
            "doc_id": pl.String,
            "grade": pl.Float64,
            "rank": pl.Int64,
            "other_rank": pl.Int64,
            "difference": pl.Float64,
        }
        return pl.DataFrame(rows, schema=schema, orient="row")

    def to_frame(self) -> pl.DataFrame:
        """Return the steps as a Polars frame."""
        return pl.DataFrame([vars(step) for step in self.steps], infer_schema_length=None)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return {
            "measure": repr(self.measure),
            "query_id": self.query_id,
            "run": self.run,
            "value": self.value,
            "dcg": self.dcg,
            "idcg": self.idcg,
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
    >>> why, why.move("d2", 1).value
    (Explanation(nDCG@5 of 'q': 0.6834), 0.9159...)
    """
    wanted, rules = parse_measure(measure), as_convention(convention)
    if wanted.name not in _FAMILIES:
        raise MeasureError(f"explain shows {', '.join(_FAMILIES)}, got {wanted!r}")
    if dict(wanted.parameters).get("condensed"):
        raise MeasureError("explain shows the list as it was retrieved; leave out condensed=True")
    judged = prepare_qrels(as_qrels(qrels), rules)
    ready = prepare_run(as_run(run, duplicates=rules.duplicates), rules)
    query = str(query_id)
    if query not in judged.lookup:
        some = shown(judged.query_ids.sort().to_list())
        hint = near_miss(query, judged.lookup)
        raise InputError(f"query {query!r} is not judged{hint}; the qrels have {some}")
    grades = {doc: float(grade) for doc, grade in judged.lookup[query].items()}
    scores = ready.lookup.get(query, {})
    return _explain(query, grades, scores, ready.name, measure=wanted, rules=rules)


def _explain(
    query: str,
    grades: Mapping[str, float],
    scores: Mapping[str, float],
    run: str,
    *,
    measure: Measure,
    rules: Convention,
) -> Explanation:
    judged = Qrels.of_mapping({query: grades}, name="qrels", value="relevance")
    single = Run.of_mapping({query: scores}, name=run, value="score")
    ties = measure.ties_under(rules)
    ranking = ranking_for(judged, single, ties, rules)
    applied = measure.rules(rules)
    order = order_documents(scores, "trec" if ties == "average" else ties, rules.scores)
    depth = measure.cutoff or max([int(r) for r in ranking.rank], default=min(len(order), 10))
    shown_docs = order[:depth]
    kind = "none" if measure.name == "CG" else applied.discount
    discount = discounts(max(depth, len(grades), 1), kind)
    spans = dict(
        zip(ranking.doc_ids.to_list(), zip(ranking.first, ranking.last, strict=True), strict=True)
    )
    steps = [
        _step(
            i, doc, grades.get(doc), spans.get(doc), discount, applied.gain, ties=ties, depth=depth
        )
        for i, doc in enumerate(shown_docs, 1)
    ]
    sum_measure = (
        measure
        if measure.name != "nDCG"
        else replace(DCG, parameters=measure.parameters, cutoff=measure.cutoff)
    )
    return Explanation(
        measure=measure,
        query_id=query,
        run=run,
        steps=tuple(steps),
        ideal=_ideal(grades, applied.gain, discount, measure.cutoff),
        dcg=float(compute(sum_measure, ranking, rules)[0]) if scores else 0.0,
        idcg=float(ideal_sum(ranking, replace(applied, discount=kind))[0]),
        value=float(np.nan_to_num(compute(measure, ranking, rules)[0])),
        moves=(),
        _order=tuple(order),
        _grades=grades,
        _convention=rules,
    )


def _step(
    rank: int,
    doc: str,
    grade: float | None,
    span: tuple[int, int] | None,
    discount: FloatArray,
    gain: Any,
    *,
    ties: str,
    depth: int,
) -> Step:
    weight = float(discount[rank - 1])
    tied = span is not None and bool(span[1] > span[0])
    if tied and span is not None and ties == "average":
        inside = discount[span[0] - 1 : min(span[1], depth)]
        weight = float(inside.sum()) / int(span[1] - span[0] + 1)
    worth = 0.0 if grade is None else float(gain_of(np.array([grade], dtype=np.float64), gain)[0])
    return Step(rank, doc, grade, worth, weight, worth * weight, tied)


def _ideal(
    grades: Mapping[str, float], gain: Any, discount: FloatArray, cutoff: int | None
) -> tuple[Step, ...]:
    docs: Sequence[str] = list(grades)
    worth = gain_of(np.array([grades[doc] for doc in docs], dtype=np.float64), gain)
    order = sorted(range(len(docs)), key=lambda i: (-worth[i], docs[i]))[:cutoff]
    return tuple(
        Step(
            rank,
            docs[i],
            grades[docs[i]],
            float(worth[i]),
            float(discount[rank - 1]),
            float(worth[i] * discount[rank - 1]),
        )
        for rank, i in enumerate(order, 1)
        if worth[i] > 0
    )
