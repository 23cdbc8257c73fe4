"""What was never judged, and what it could change: coverage of runs by judgments."""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import polars as pl

from ndcg.conventions import Convention, as_convention
from ndcg.data import Notice
from ndcg.errors import NdcgError, OptionError
from ndcg.evaluation import evaluate, prepare_qrels, read_runs
from ndcg.evaluation.cautions import COVERAGE_FLOOR, COVERAGE_GAP
from ndcg.formats.reading import QrelsLike, RunLike, as_qrels
from ndcg.holes.bounding import Bounds, bounds
from ndcg.holes.completeness import Completeness, estimate_completeness
from ndcg.holes.labels import GRADES, refuse_unbounded
from ndcg.holes.pool_bias import PoolBias, found_documents, measure_pool_bias
from ndcg.holes.shares import RunCoverage, find_run, known_or_none, run_coverage
from ndcg.holes.tops import Top, top_documents
from ndcg.measures import Judged, Measure, nDCG
from ndcg.ranking import ORDERS
from ndcg.slicing import as_slices

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ndcg.data import Qrels, Run

__all__ = ["Coverage", "SliceCoverage", "coverage"]

_SCHEMA = 1


@dataclass(frozen=True, eq=False)
class SliceCoverage:
    """The coverage of one run on the queries of one slice value."""

    slice: str
    value: str
    run: RunCoverage

    def to_dict(self) -> dict[str, Any]:
        """Return the means as plain values."""
        return {"slice": self.slice, "value": self.value, "run": self.run.name} | (
            self.run.to_dict()
        )


@dataclass(frozen=True, eq=False, repr=False)
class Coverage:
    """What `coverage` returns.

    Attributes
    ----------
    measure, convention
        The measure whose bounds are given, nDCG@k, and the rules behind it.
    floor
        The judged@k that a run needs, 0 to 1.
    query_ids
        The judged queries, by id (bytewise).
    qrels_digest
        Sha256 of the judgments.
    runs, slices
        Coverage of each run, and of each slice value and run.
    holes
        Distinct unjudged documents in the top k of any run: labels that would fill them all.
    bounds
        What the holes could change; None where the convention has no bounds.
    bias, completeness
        Leave-one-run-out test and capture-recapture estimate; None for one run.
    notices
        What could mislead, counted.
    """

    measure: Measure
    convention: Convention
    floor: float
    query_ids: list[str]
    qrels_digest: str
    runs: tuple[RunCoverage, ...]
    slices: tuple[SliceCoverage, ...]
    holes: int
    bounds: Bounds | None
    bias: PoolBias | None
    completeness: Completeness | None
    notices: tuple[Notice, ...]

    def __repr__(self) -> str:
        told = ", ".join(f"{run.name} {run.mean:.4f}" for run in self.runs)
        return f"Coverage({Judged @ self.k!r}: {told}; {self.holes} holes)"

    def _repr_html_(self) -> str:
        frame: str = self.to_frame()._repr_html_()
        return f"<p>{escape(repr(self))}</p>{frame}"

    @property
    def k(self) -> int:
        """The depth that was looked at."""
        return self.measure.cutoff or 0

    @property
    def below(self) -> tuple[str, ...]:
        """The runs whose mean judged@k is below the floor, or has no value."""
        return tuple(run.name for run in self.runs if not run.mean >= self.floor)

    @property
    def exit_code(self) -> int:
        """1 where a run is below the floor, else 0."""
        return 1 if self.below else 0

    def of(self, name: str | None = None) -> RunCoverage:
        """Return a run's coverage; its name may be left out where there is one run."""
        return find_run(self.runs, name)

    def to_frame(self) -> pl.DataFrame:
        """Return a row a run: run, n, judged, weighted, minimum, incomplete, holes."""
        return pl.DataFrame([{"run": run.name} | run.to_dict() for run in self.runs])

    def to_queries(self) -> pl.DataFrame:
        """Return a row a run and query: run, query_id, judged, weighted, holes, and its bounds."""
        return pl.concat(self._query_frame(run) for run in self.runs)

    def _query_frame(self, run: RunCoverage) -> pl.DataFrame:
        columns: dict[str, Any] = {
            "run": [run.name] * len(self.query_ids),
            "query_id": pl.Series(self.query_ids, dtype=pl.String),
            "judged": run.judged,
            "weighted": run.weighted,
            "holes": run.holes,
        }
        if self.bounds is not None:
            limits = self.bounds.of(run.name)
            columns |= {"lower": limits.lows, "value": limits.values, "upper": limits.highs}
        return pl.DataFrame(columns).with_columns(pl.selectors.float().fill_nan(None))

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the single queries as plain values."""
        rows = []
        for run in self.runs:
            row = {"name": run.name} | run.to_dict()
            if self.bounds is not None:
                told = self.bounds.of(run.name).to_dict()
                row |= {name: told[name] for name in ("value", "bounds", "condensed")}
            rows.append(row)
        found = self.bounds
        return {
            "schema": _SCHEMA,
            "k": self.k,
            "floor": self.floor,
            "below": list(self.below),
            "measure": repr(self.measure),
            "convention": self.convention.to_dict(),
            "qrels_digest": self.qrels_digest,
            "holes": self.holes,
            "runs": rows,
            "slices": [part.to_dict() for part in self.slices],
            "unjudged": found and {"grades": list(found.grades), "open_world": found.open_world},
            "pool_bias": self.bias and self.bias.to_dict(),
            "completeness": self.completeness and self.completeness.to_dict(),
            "notices": [notice.to_dict() for notice in self.notices],
        }


def coverage(
    qrels: QrelsLike,
    runs: RunLike | Mapping[str, RunLike] | Sequence[RunLike],
    k: int = 10,
    *,
    floor: float = COVERAGE_FLOOR,
    grades: Sequence[float] = GRADES,
    open_world: bool = False,
    slices: Any = None,
    convention: Convention | str | None = None,
) -> Coverage:
    """Return how much of each run's top k was judged, and what the rest could change.

    Parameters
    ----------
    qrels
        Anything that `ndcg.as_qrels` takes.
    runs
        Anything that `ndcg.as_run` takes; ``{name: run}`` or a list of paths for many runs.
    k
        Depth, 1 or more.
    floor
        The mean judged@k that a run needs, 0 to 1.
    grades, open_world
        What an unjudged document could be worth, as `ndcg.bounds` takes them.
    slices
        Anything that `ndcg.as_slices` takes, for coverage slice by slice.
    convention
        A `Convention` or a profile's name. One that has no bounds leaves them out, with a notice.

    Returns
    -------
    Coverage

    Raises
    ------
    OptionError
        For a depth below 1, a floor outside 0 to 1, or a scale that the judgments exceed.

    Examples
    --------
    A grade of 0 is a judgment; only the document that nobody looked at is a hole:

    >>> run = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
    >>> coverage({"q": {"a": 1, "b": 0}}, run, 3)
    Coverage(Judged@3: run 0.6667; 1 holes)
    """
    if not 0 <= floor <= 1:
        raise OptionError(f"floor must be a share from 0 to 1, got {floor}")
    rules, measure = as_convention(convention), nDCG @ k
    judged = as_qrels(qrels)
    ready = prepare_qrels(judged, rules)
    read = read_runs(runs, rules)
    tops = {name: _top(ready, run, measure, rules) for name, run in read.items()}
    scores = evaluate(judged, read, measure, convention=rules)
    notices = [notice for notice in scores.notices if notice.code != "coverage"]
    limits = None
    try:
        refuse_unbounded(measure, rules, open_world=open_world)
    except NdcgError as error:
        notices.append(Notice("no-bounds", f"no bounds: {error}"))
    else:
        options: dict[str, Any] = {"grades": grades, "open_world": open_world}
        limits = bounds(judged, read, measure, convention=rules, **options)
        notices += [notice for notice in limits.notices if notice.run is None]
    discount = measure.rules(rules).discount
    rows = tuple(run_coverage(name, top, discount) for name, top in tops.items())
    found = found_documents(tops)
    bias = measure_pool_bias(ready, read, found, measure, rules) if len(read) > 1 else None
    notices += _floor_notices(rows, k, floor) + _gap_notices(rows, k)
    notices += bias.notices(measure) if bias else []
    return Coverage(
        measure=measure,
        convention=rules,
        floor=floor,
        query_ids=scores.query_ids,
        qrels_digest=ready.digest,
        runs=rows,
        slices=_slice_coverage(rows, scores.query_ids, slices),
        holes=found.filter(pl.col("relevance").is_null()).n_unique(["query", "doc"]),
        bounds=limits,
        bias=bias,
        completeness=estimate_completeness(found, len(read)) if len(read) > 1 else None,
        notices=tuple(dict.fromkeys(notices)),
    )


def _top(qrels: Qrels, run: Run, measure: Measure, rules: Convention) -> Top:
    ties = measure.ties_under(rules)
    order = ties if ties in ORDERS else "trec"
    return top_documents(qrels, run, measure.cutoff, ties=order, scores=rules.scores)


def _floor_notices(rows: tuple[RunCoverage, ...], k: int, floor: float) -> list[Notice]:
    return [
        Notice(
            "coverage",
            f"judged@{k} is {row.mean:.1%}, below the floor of {floor:.0%}: "
            f"{row.n_holes} documents of its top {k} were never judged",
            row.name,
        )
        for row in rows
        if not row.mean >= floor
    ]


def _gap_notices(rows: tuple[RunCoverage, ...], k: int) -> list[Notice]:
    """Return the notice of runs that the judgments treat unequally."""
    known = [row for row in rows if known_or_none(row.mean) is not None]
    most, least = (pick(known, key=lambda row: row.mean, default=None) for pick in (max, min))
    if most is None or least is None or math.isclose(most.mean, least.mean):
        return []
    if most.mean - least.mean <= COVERAGE_GAP:
        return []
    text = (
        f"the judgments favour {most.name}: its judged@{k} is {most.mean:.1%}, that of "
        f"{least.name} {least.mean:.1%}; a hole counts as not relevant"
    )
    return [Notice("favoured", text)]


def _slice_coverage(
    rows: tuple[RunCoverage, ...], query_ids: list[str], slices: Any
) -> tuple[SliceCoverage, ...]:
    if slices is None:
        return ()
    groups = as_slices(slices)
    return tuple(
        SliceCoverage(name, value, row.within(inside))
        for name in groups.names
        for value, inside in groups.groups(name, query_ids).items()
        for row in rows
    )
