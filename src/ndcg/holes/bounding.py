"""Exact bounds of measures and of differences, whatever the unjudged documents would be worth."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np
import polars as pl

from ndcg.conventions import Convention, as_convention, spell_number
from ndcg.errors import OptionError, near_miss
from ndcg.evaluation import Scores, evaluate, named_runs, prepare_qrels, prepare_run
from ndcg.formats.reading import QrelsLike, RunLike, as_qrels, as_run
from ndcg.holes.labels import GRADES, Labels, checked_scale, labels_for, refuse_unbounded
from ndcg.holes.limits import Limits
from ndcg.holes.tops import Top, top_documents
from ndcg.measures import Measure, nDCG, parse_measure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ndcg.data import FloatArray, IntArray, Notice, Qrels

__all__ = ["Bounds", "bounds"]


class BoundsOptions(TypedDict, total=False):
    """What bounds assume of unjudged documents; the keywords of `bounds`."""

    grades: Sequence[float]
    open_world: bool


@dataclass(frozen=True, eq=False)
class _Held:
    """One run: its limits, its top, the judged part of each sum, and a row a hole."""

    limits: Limits
    top: Top
    base: FloatArray
    query: IntArray
    doc_ids: pl.Series
    weight: FloatArray


@dataclass(frozen=True, eq=False, repr=False)
class Bounds:
    """What `bounds` returns: limits of every run, and of the difference of any two.

    Attributes
    ----------
    measure, convention
        What is bounded, and the rules behind it.
    grades
        What an unjudged document may be worth.
    open_world
        Whether documents that nobody retrieved or judged may be relevant as well.
    query_ids
        The judged queries, by id (bytewise).
    qrels_digest
        Sha256 of the judgments.
    notices
        What could mislead, counted.
    labels
        What a label could be worth, and the judged documents.
    """

    measure: Measure
    convention: Convention
    grades: tuple[float, ...]
    open_world: bool
    query_ids: list[str]
    qrels_digest: str
    notices: tuple[Notice, ...]
    _held: dict[str, _Held]
    labels: Labels

    def __repr__(self) -> str:
        told = ", ".join(
            f"{name} {held.limits.lower:.4f} to {held.limits.upper:.4f}"
            for name, held in self._held.items()
        )
        return f"Bounds({self.measure!r}: {told}; {self.describe()})"

    def _repr_html_(self) -> str:
        frame: pl.DataFrame = self.to_frame()
        return f"<p>{escape(repr(self.measure))}, {escape(self.describe())}</p>" + (
            frame._repr_html_()
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The runs, in the order given."""
        return tuple(self._held)

    def describe(self) -> str:
        """Return what the bounds assume, as one line of words."""
        scale = ",".join(spell_number(grade) for grade in self.grades)
        return f"unjudged grades {scale}, {'open world' if self.open_world else 'closed pool'}"

    def of(self, name: str | None = None) -> Limits:
        """Return the limits of a run; its name may be left out where there is one run."""
        return self._find(name).limits

    def _find(self, name: str | None) -> _Held:
        if name is None:
            if len(self._held) > 1:
                raise OptionError(
                    f"there are {len(self._held)} runs ({', '.join(self._held)}); name one"
                )
            return next(iter(self._held.values()))
        if name not in self._held:
            hint = near_miss(name, self._held)
            raise OptionError(f"no run named {name!r}{hint} (runs: {', '.join(self._held)})")
        return self._held[name]

    def difference(self, a: str, b: str) -> Limits:
        """Return the limits of `b` less `a`.

        A document that both retrieved is worth the same to both, so that these are narrower than
        the limits of `b` less those of `a`.
        """
        one, other = self._find(a), self._find(b)
        base, union = self.unknowns(a, b)
        query, weight = union["query"].to_numpy(), union["weight"].to_numpy()
        found = self.labels.extremes(base, query, weight, empty=0.0)
        holes = np.bincount(query, minlength=len(self.query_ids))
        values = other.limits.values - one.limits.values
        return Limits(
            name=f"{b} - {a}",
            query_ids=self.query_ids,
            condensed=other.limits.condensed - one.limits.condensed,
            is_difference=True,
            **self.labels.limits(found, values, holes),
        )

    def unknowns(self, a: str, b: str) -> tuple[FloatArray, pl.DataFrame]:
        """Return the judged part of `b` less `a` by query, and the holes of either.

        A row a hole: query (its position), doc, weight (the factor of its gain in the difference).
        """
        one, other = self._find(a), self._find(b)
        union = pl.concat([_hole_table(one, -1.0), _hole_table(other, 1.0)])
        union = union.group_by("query", "doc").agg(pl.col("weight").sum()).sort("query", "doc")
        return other.base - one.base, union

    def top(self, name: str) -> Top:
        """Return the first documents of a run, judged or not."""
        return self._find(name).top

    def to_frame(self) -> pl.DataFrame:
        """Return a row a run: run, n, holes, lower, value, upper, condensed (means)."""
        rows = [held.limits.to_dict() for held in self._held.values()]
        return pl.DataFrame(
            {
                "run": [row["name"] for row in rows],
                "n": [row["n"] for row in rows],
                "holes": [row["holes"] for row in rows],
                "lower": [row["bounds"][0] for row in rows],
                "value": [row["value"] for row in rows],
                "upper": [row["bounds"][1] for row in rows],
                "condensed": [row["condensed"] for row in rows],
            }
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return {
            "measure": repr(self.measure),
            "convention": self.convention.to_dict(),
            "grades": list(self.grades),
            "open_world": self.open_world,
            "qrels_digest": self.qrels_digest,
            "runs": [held.limits.to_dict() for held in self._held.values()],
            "notices": [notice.to_dict() for notice in self.notices],
        }


def _hole_table(held: _Held, sign: float) -> pl.DataFrame:
    return pl.DataFrame({"query": held.query, "doc": held.doc_ids, "weight": sign * held.weight})


def bounds(
    qrels: QrelsLike,
    runs: RunLike | Mapping[str, RunLike] | Sequence[RunLike],
    measure: str | Measure = nDCG @ 10,
    *,
    grades: Sequence[float] = GRADES,
    open_world: bool = False,
    convention: Convention | str | None = None,
) -> Bounds:
    """Return the least and the greatest value that each run could have, were all of it judged.

    Every unjudged document in a top k may have any grade of the scale. Its gain moves the run's
    sum and the ideal at once, so that neither 0 nor the top grade everywhere gives a bound of
    nDCG; the bounds are exact all the same, in time that grows with the number of holes.

    Parameters
    ----------
    qrels
        Anything that `ndcg.as_qrels` takes.
    runs
        Anything that `ndcg.as_run` takes; ``{name: run}`` or a list of paths for many runs.
    measure
        nDCG, DCG, CG or P, with a cutoff or without.
    grades
        The scale: every grade that a label could be.
    open_world
        False: only the documents of a top k are unknown (closed pool). True: as many others as the
        cutoff, which no run retrieved, may be relevant too and raise the ideal.
    convention
        A `Convention` or a profile's name.

    Returns
    -------
    Bounds

    Raises
    ------
    MeasureError
        For a measure whose bounds are not known here.
    OptionError
        For a scale that the judgments exceed, and rules under which holes have no rank.

    Examples
    --------
    The second document was never judged. With 0 for it the run is perfect, yet that is the most:
    if it is relevant the ideal list would have begun with it.

    >>> run = {"q": {"a": 2.0, "b": 1.0}}
    >>> lower, upper = bounds({"q": {"a": 1}}, run).of()
    >>> round(lower, 4), upper
    (0.7967, 1.0)
    """
    rules, wanted = as_convention(convention), parse_measure(measure)
    refuse_unbounded(wanted, rules, open_world=open_world)
    judged = as_qrels(qrels)
    ready = prepare_qrels(judged, rules)
    scale = checked_scale(grades, ready)
    labels = labels_for(ready, wanted, rules, scale, open_world=open_world)
    named = named_runs(runs)
    held: dict[str, _Held] = {}
    notices: list[Notice] = []
    for name in named:
        held[name], told = _held(judged, ready, (name, named[name]), labels)
        notices += told
    notices += labels.notices(ready)
    return Bounds(
        measure=wanted,
        convention=rules,
        grades=tuple(scale.tolist()),
        open_world=open_world,
        query_ids=ready.query_ids.sort().to_list(),
        qrels_digest=ready.digest,
        notices=tuple(dict.fromkeys(notices)),
        _held=held,
        labels=labels,
    )


def _held(
    qrels: Qrels, ready: Qrels, named: tuple[str, Any], labels: Labels
) -> tuple[_Held, tuple[Notice, ...]]:
    (name, source), rules, measure = named, labels.convention, labels.measure
    run = source
    if not isinstance(source, Scores):
        run = as_run(source, name=name, duplicates=rules.duplicates, copy=False)
    both = (measure, measure(condensed=True))
    scores = evaluate(qrels, {name: run}, both, convention=rules)
    top = top_documents(
        ready, prepare_run(run, rules), measure.cutoff, ties=measure.ties_under(rules),
        scores=rules.scores,
    )  # fmt: skip
    values, condensed = scores.runs[0].values.T
    weight = labels.weights(top.rank)
    base, query = _judged_sums(top, labels, weight), top.query[top.holes]
    ends = labels.extremes(
        base, query, weight[top.holes], empty=1.0 if rules.barren == "one" else 0.0
    )
    holes = np.bincount(query, minlength=len(top))
    limits = Limits(name, top.query_ids, condensed=condensed,
                    **labels.limits(ends, values, holes))  # fmt: skip
    doc_ids = top.doc_ids.filter(pl.Series(top.holes))
    return _Held(limits, top, base, query, doc_ids, weight[top.holes]), scores.notices


def _judged_sums(top: Top, labels: Labels, weight: FloatArray) -> FloatArray:
    known = ~top.holes
    earned = labels.worth(top.relevance[known]) * weight[known]
    return np.bincount(top.query[known], weights=earned, minlength=len(top)).astype(np.float64)
