"""Measures of one run or many, with everything that the numbers rest on."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from ndcg.conventions import Convention, as_convention
from ndcg.data import FloatArray, Notice, Qrels, Run, counted, shown
from ndcg.errors import InputError, OptionError, near_miss
from ndcg.formats.reading import QrelsLike, RunLike, as_qrels, as_run
from ndcg.measures import Judged, Measure, R, nDCG, parse_measure, parse_measures
from ndcg.ranking import ORDERS, Ranking, rank

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["RunScores", "Scores", "TieRange", "evaluate", "load_scores", "tie_range"]

DEFAULT_MEASURES = (nDCG @ 10, R @ 100, Judged @ 10)
COVERAGE_FLOOR = 0.9
TIE_TOLERANCE = 0.001
_SCHEMA = 1


class MeasureValues(Mapping[Measure, float]):
    """Values by measure; a measure's spelling serves as its key.

    >>> MeasureValues({nDCG @ 10: 0.5})["ndcg_cut_10"]
    0.5
    """

    def __init__(self, values: Mapping[Measure, float]) -> None:
        self._values = dict(values)

    def __getitem__(self, measure: Measure | str) -> float:
        return self._values[parse_measure(measure)]

    def __iter__(self) -> Iterator[Measure]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return "{" + ", ".join(f"{m!r}: {value:.4f}" for m, value in self._values.items()) + "}"


@dataclass(frozen=True, eq=False, repr=False)
class RunScores:
    """One run's values: a row a query, a column a measure, NaN where a query does not count."""

    name: str
    values: FloatArray
    answered: int
    unjudged: int
    digest: str | None = None

    def __repr__(self) -> str:
        return f"RunScores({self.name!r}, {self.values.shape[0]} queries)"


@dataclass(frozen=True, eq=False, repr=False)
class Scores:
    """What `evaluate` returns: per-query values of each run, and what they rest on.

    Attributes
    ----------
    measures
        The measures, in the order asked for; the first is the primary one.
    convention
        The rules behind the numbers.
    query_ids
        The judged queries, by id (bytewise).
    runs
        One `RunScores` a run.
    barren
        How many judged queries have no relevant document.
    judgments
        How many judgments there are.
    qrels_digest
        Sha256 of the judgments.
    notices
        What could mislead, counted.
    """

    measures: tuple[Measure, ...]
    convention: Convention
    query_ids: list[str]
    runs: tuple[RunScores, ...]
    barren: int
    judgments: int
    qrels_digest: str
    notices: tuple[Notice, ...]

    def __repr__(self) -> str:
        first = self.measures[0]
        means = ", ".join(f"{run.name} {self.mean(run.name)[first]:.4f}" for run in self.runs)
        return f"Scores({first!r}: {means}; {len(self.query_ids)} queries)"

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{measure!r}</th>" for measure in self.measures)
        rows = ""
        for run in self.runs:
            cells = "".join(f"<td>{mean:.4f}</td>" for mean in self.mean(run.name).values())
            rows += f"<tr><td>{_escape(run.name)}</td>{cells}</tr>"
        told = "".join(f"<li>{_escape(notice.text)}</li>" for notice in self.notices)
        return (
            f"<table><thead><tr><th>run</th>{head}</tr></thead><tbody>{rows}</tbody></table>"
            f"<p>{len(self.query_ids)} queries; {_escape(self.convention.describe())}; "
            f"qrels {self.qrels_digest[:12]}</p><ul>{told}</ul>"
        )

    def run(self, name: str | None = None) -> RunScores:
        """Return one run's scores; the name may be left out when there is one run."""
        if name is None:
            if len(self.runs) > 1:
                names = ", ".join(run.name for run in self.runs)
                raise OptionError(f"there are {len(self.runs)} runs ({names}); name one")
            return self.runs[0]
        for run in self.runs:
            if run.name == name:
                return run
        known = [run.name for run in self.runs]
        raise OptionError(
            f"no run named {name!r}{near_miss(name, known)} (runs: {', '.join(known)})"
        )

    def _column(self, measure: Measure | str) -> int:
        wanted = parse_measure(measure)
        if wanted not in self.measures:
            asked = ", ".join(repr(one) for one in self.measures)
            raise OptionError(f"{wanted!r} was not evaluated (evaluated: {asked})")
        return self.measures.index(wanted)

    def __getitem__(self, measure: Measure | str) -> dict[str, float]:
        """Return ``{query_id: value}`` of a measure; with many runs use ``per_query(m, run)``."""
        return self.per_query(measure)

    def per_query(self, measure: Measure | str, run: str | None = None) -> dict[str, float]:
        """Return ``{query_id: value}``, without queries that do not count."""
        column = self.run(run).values[:, self._column(measure)].tolist()
        pairs = zip(self.query_ids, column, strict=True)
        return {query: value for query, value in pairs if not math.isnan(value)}

    def mean(self, run: str | None = None) -> MeasureValues:
        """Return the mean of each measure over the queries that count, by exact summation."""
        values = self.run(run).values
        return MeasureValues(
            {measure: mean_of(values[:, i]) for i, measure in enumerate(self.measures)}
        )

    def count(self, measure: Measure | str, run: str | None = None) -> int:
        """Return over how many queries a mean goes."""
        values = self.run(run).values[:, self._column(measure)]
        return int((~np.isnan(values)).sum())

    def to_frame(self) -> pl.DataFrame:
        """Return a Polars frame: run, query_id, and a column a measure; null where undefined."""
        frames = [
            pl.DataFrame(
                {"run": [run.name] * len(self.query_ids), "query_id": self.query_ids}
                | {repr(m): run.values[:, i] for i, m in enumerate(self.measures)}
            )
            for run in self.runs
        ]
        return pl.concat(frames).with_columns(pl.selectors.float().fill_nan(None))

    def to_dict(self, run: str | None = None) -> dict[str, dict[str, float]]:
        """Return pytrec_eval's shape, ``{query_id: {"nDCG@10": value}}``."""
        names = [repr(measure) for measure in self.measures]
        rows = zip(self.query_ids, self.run(run).values.tolist(), strict=True)
        return {
            query: {m: v for m, v in zip(names, row, strict=True) if not math.isnan(v)}
            for query, row in rows
        }

    def save(self, path: str | Path) -> None:
        """Write the scores to a Parquet file that carries convention, digests and notices."""
        frames = self.to_frame()
        frames.write_parquet(path, metadata={"ndcg": json.dumps(self._metadata())})

    def _metadata(self) -> dict[str, Any]:
        return {
            "schema": _SCHEMA,
            "measures": [repr(measure) for measure in self.measures],
            "convention": self.convention.to_dict(),
            "queries": self.query_ids,
            "barren": self.barren,
            "judgments": self.judgments,
            "qrels_digest": self.qrels_digest,
            "runs": [
                {key: getattr(run, key) for key in ("name", "answered", "unjudged", "digest")}
                for run in self.runs
            ],
            "notices": [[notice.code, notice.text, notice.run] for notice in self.notices],
        }


def load_scores(path: str | Path) -> Scores:
    """Return the scores that `Scores.save` wrote."""
    try:
        metadata = pl.read_parquet_metadata(path)
        frame = pl.read_parquet(path)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise InputError(f"{path}: cannot be read as saved scores ({error})") from None
    if "ndcg" not in metadata:
        raise InputError(f"{path}: a Parquet file, but not scores saved by Scores.save")
    told = json.loads(metadata["ndcg"])
    if told["schema"] > _SCHEMA:
        raise InputError(
            f"{path}: saved in form {told['schema']} by a newer version of ndcg, this one reads "
            f"form {_SCHEMA}; update ndcg"
        )
    names = told["measures"]
    values = frame.select(names).fill_null(float("nan")).to_numpy()
    n = len(told["queries"])
    runs = tuple(
        RunScores(values=values[i * n : (i + 1) * n], **run) for i, run in enumerate(told["runs"])
    )
    return Scores(
        measures=tuple(parse_measure(name) for name in names),
        convention=Convention.from_dict(told["convention"]),
        query_ids=told["queries"],
        runs=runs,
        barren=told["barren"],
        judgments=told["judgments"],
        qrels_digest=told["qrels_digest"],
        notices=tuple(Notice(*notice) for notice in told["notices"]),
    )


def evaluate(
    qrels: QrelsLike,
    runs: RunLike | Mapping[str, RunLike] | Sequence[RunLike],
    measures: str | Measure | Sequence[str | Measure] = DEFAULT_MEASURES,
    *,
    convention: Convention | str | None = None,
    run_digests: bool = False,
) -> Scores:
    """Evaluate one run or many against judgments.

    Parameters
    ----------
    qrels
        Anything that `ndcg.as_qrels` takes.
    runs
        Anything that `ndcg.as_run` takes; ``{name: run}`` or a list of paths for many runs.
    measures
        Measures or their spellings; the first is the primary one, which notices speak of.
    convention
        A `Convention` or a profile's name (``"trec_eval"``, ``"pytrec_eval"``, ``"sklearn"``...).
    run_digests
        Also compute the digest of each run, which takes a sort of its lines.

    Returns
    -------
    Scores

    Raises
    ------
    InputError
        For bad data, an empty run, or a run that answers no judged query.
    MeasureError
        For an unknown measure or parameter.

    Examples
    --------
    A judged query that the run lacks counts 0, and a notice says so:

    >>> scores = evaluate({"q1": {"a": 1}, "q2": {"b": 1}}, {"q1": {"a": 1.0}}, "nDCG@10")
    >>> scores.mean()
    {nDCG@10: 0.5000}
    >>> scores.notices[0].text
    '1 of 2 judged queries is not in the run: counted as 0'
    """
    rules = as_convention(convention)
    wanted = parse_measures(measures)
    judged = prepare_qrels(as_qrels(qrels), rules)
    barren = len(judged.query_ids) - _fertile(judged)
    notices = list(judged.notices)
    if barren:
        notices.append(_barren_notice(barren, len(judged.query_ids), rules))
    scored: list[RunScores] = []
    named = named_runs(runs)
    for name in named:
        evaluated, told = _evaluate_named(judged, named, name, wanted, rules, digest=run_digests)
        scored.append(evaluated)
        notices += told
    return Scores(
        measures=wanted,
        convention=rules,
        query_ids=sorted_queries(judged),
        runs=tuple(scored),
        barren=barren,
        judgments=len(judged),
        qrels_digest=judged.digest,
        notices=tuple(notices),
    )


def _evaluate_named(
    qrels: Qrels,
    named: Mapping[str, Any],
    name: str,
    measures: tuple[Measure, ...],
    rules: Convention,
    *,
    digest: bool,
) -> tuple[RunScores, list[Notice]]:
    # In a function of its own, a large run is freed before the next one is read.
    read = as_run(named[name], name=name, duplicates=rules.duplicates, copy=False)
    run = prepare_run(read, rules)
    scores, notices = _evaluate_one(qrels, run, measures, rules)
    return (replace(scores, digest=run.digest) if digest else scores), notices


class NamedRuns(Mapping[str, Any]):
    """Runs by name that are read when they are asked for; subclasses read them."""


def sorted_queries(qrels: Qrels) -> list[str]:
    """Return the judged queries by id, the order of every per-query array."""
    return qrels.query_ids.sort().to_list()


def named_runs(runs: Any) -> Mapping[str, Any]:
    """Return runs by name from one run, a mapping of named runs, or a list of paths and runs."""
    if isinstance(runs, NamedRuns):
        return runs
    if isinstance(runs, Mapping) and not hasattr(runs, "__arrow_c_stream__"):
        inner = next(iter(runs.values()), None)
        many = not isinstance(inner, Mapping) or isinstance(
            next(iter(inner.values()), None), Mapping
        )
        return dict(runs) if runs and many else {"run": runs}
    if isinstance(runs, (list, tuple)) and runs and all(_is_run_like(one) for one in runs):
        return dict(zip(distinct_names(list(runs)), runs, strict=True))
    return {distinct_names([runs])[0]: runs}


def _is_run_like(one: object) -> bool:
    """Whether a member of a list is a run of its own rather than a row of one."""
    return isinstance(one, (str, PathLike, Run, Mapping)) or hasattr(one, "__arrow_c_stream__")


def distinct_names(runs: list[Any]) -> list[str]:
    """Return a name for each run; equal file names are told apart by their folders."""
    from ndcg.formats.sources import stem

    names = []
    for run in runs:
        if isinstance(run, Run):
            names.append(run.name or "run")
        else:
            names.append(stem(run) if isinstance(run, (str, PathLike)) else "run")
    for i, run in enumerate(runs):
        if names.count(names[i]) > 1 and isinstance(run, (str, PathLike)):
            names[i] = str(run)
    distinct: list[str] = []
    for name in names:
        copies = (f"{name} ({number})" for number in count(2))
        distinct.append(next(one for one in chain([name], copies) if one not in distinct))
    return distinct


def prepare_qrels(qrels: Qrels, rules: Convention) -> Qrels:
    """Return judgments with grades as a convention takes them."""
    if rules.grades == "exact":
        return qrels
    whole = np.trunc(qrels.values)
    changed = int((whole != qrels.values).sum())
    if not changed:
        return qrels
    if rules.grades == "integer":
        grade = qrels.values[whole != qrels.values][0]
        raise InputError(
            f"profile {rules.profile!r} takes integer grades only, got {grade:g} "
            f"({counted(changed, 'such judgment')}); the default convention takes fractions"
        )
    text = f"{counted(changed, 'fractional grade')} cut to integers, as {rules.profile} does"
    cut = qrels.with_rows(qrels.row_queries, qrels.doc_ids, whole + 0.0)
    return cut.with_notices([Notice("grades-cut", text)])


def prepare_run(run: Run, rules: Convention) -> Run:
    """Return a run without what a convention leaves out."""
    if rules.same_ids == "keep":
        return run
    same = run.doc_ids == run.query_ids.gather(run.row_queries)
    dropped = int(same.sum())
    if not dropped:
        return run
    text = (
        f"{counted(dropped, 'document')} with the id of the query left out, as {rules.profile} does"
    )
    return run.keep(~same.to_numpy()).with_notices([Notice("same-ids", text, run.name)])


def ranking_for(qrels: Qrels, run: Run, ties: str, rules: Convention) -> Ranking:
    """Return the ranking under a convention; expected values over ties start from trec order."""
    ranking = rank(qrels, run, ties=ties if ties in ORDERS else "trec", scores=rules.scores)
    return ranking.filled() if rules.short_lists == "fill" else ranking


def compute(measure: Measure, ranking: Ranking, rules: Convention) -> FloatArray:
    """Return a measure of each query, NaN for the queries that a convention leaves out."""
    values = measure.compute(ranking, rules)
    if rules.undefined == "zero":
        values = np.where(np.isnan(values), 0.0, values)
    if rules.unanswered == "skip":
        values = np.where(ranking.answered, values, np.nan)
    if rules.barren == "skip":
        values = np.where(_has_relevant(ranking), values, np.nan)
    return values


def _has_relevant(ranking: Ranking) -> Any:
    relevant = (ranking.judged_relevance > 0).astype(np.float64)
    return np.bincount(ranking.judged_query, weights=relevant, minlength=len(ranking)) > 0


def _fertile(qrels: Qrels) -> int:
    return len(np.unique(qrels.row_queries[qrels.values > 0]))


def _evaluate_one(
    qrels: Qrels, run: Run, measures: tuple[Measure, ...], rules: Convention
) -> tuple[RunScores, list[Notice]]:
    rankings: dict[str, Ranking] = {}
    columns = []
    for measure in measures:
        ties = measure.ties_under(rules)
        order = ties if ties in ORDERS else "trec"
        if order not in rankings:
            rankings[order] = ranking_for(qrels, run, order, rules)
            _refuse_disjoint(qrels, run, rankings[order], rules)
        columns.append(compute(measure, rankings[order], rules))
    ranking = next(iter(rankings.values()))
    scores = RunScores(
        run.name, np.column_stack(columns), int(ranking.answered.sum()), ranking.unjudged_queries
    )
    for measure, column in zip(measures, columns, strict=True):
        if np.isnan(column).all():
            raise InputError(
                f"{run.name}: {measure!r} is defined for no query under this convention"
            )
    notices = [replace(notice, run=run.name) for notice in run.notices]
    notices += _run_notices(run, ranking, measures, columns, rules)
    return scores, notices


def _refuse_disjoint(qrels: Qrels, run: Run, ranking: Ranking, rules: Convention) -> None:
    missing = len(ranking) - int(ranking.answered.sum())
    if missing == len(ranking):
        asked, known = shown(run.query_ids.sort().to_list()), shown(sorted_queries(qrels))
        raise InputError(
            f"{run.name}: none of its queries is judged; the run has {asked}, the qrels {known}"
        )
    if missing and rules.unanswered == "error":
        lost = [
            q for q, there in zip(ranking.query_ids, ranking.answered, strict=True) if not there
        ]
        verb = "is" if missing == 1 else "are"
        raise InputError(
            f"{run.name}: {missing} of {len(ranking)} judged queries {verb} not in the run "
            f"({shown(lost)}) and the convention refuses that; add them, or let them count 0"
        )


def _barren_notice(barren: int, queries: int, rules: Convention) -> Notice:
    fate = {"zero": "counted as 0", "one": "counted as 1", "skip": "left out"}[rules.barren]
    have = "has" if barren == 1 else "have"
    text = f"{barren} of {queries} judged queries {have} no relevant document: {fate}"
    return Notice("barren", text)


def _run_notices(
    run: Run,
    ranking: Ranking,
    measures: tuple[Measure, ...],
    columns: list[FloatArray],
    rules: Convention,
) -> list[Notice]:
    told: list[tuple[str, str]] = []
    missing = len(ranking) - int(ranking.answered.sum())
    if missing:
        fate = "counted as 0" if rules.unanswered == "zero" else "left out of the mean"
        verb = "is" if missing == 1 else "are"
        told.append(
            (
                "unanswered",
                f"{missing} of {len(ranking)} judged queries {verb} not in the run: {fate}",
            )
        )
    if ranking.unjudged_queries:
        count = ranking.unjudged_queries
        some = "1 query of the run has" if count == 1 else f"{count} queries of the run have"
        told.append(("unjudged", f"{some} no judgments: left out"))
    told += _undefined_notice(measures, columns)
    told += _coverage_notice(ranking, measures[0], rules)
    told += _tie_notice(ranking, measures[0], columns[0], rules)
    told += _depth_notice(ranking, measures)
    return [Notice(code, text, run.name) for code, text in told]


def _undefined_notice(
    measures: tuple[Measure, ...], columns: list[FloatArray]
) -> list[tuple[str, str]]:
    first = np.isnan(columns[0])
    told = []
    for measure, column in zip(measures[1:], columns[1:], strict=True):
        left = int((np.isnan(column) & ~first).sum())
        if left:
            text = (
                f"{measure!r} is the mean over {int((~np.isnan(column)).sum())} queries: nothing "
                f"was retrieved for {left}, so it is not defined there"
            )
            told.append(("undefined", text))
    return told


def _coverage_notice(
    ranking: Ranking, primary: Measure, rules: Convention
) -> list[tuple[str, str]]:
    k = primary.cutoff or 10
    judged = mean_of((Judged @ k).compute(ranking, replace(rules, tie_exceptions=(), ties="trec")))
    if not judged < COVERAGE_FLOOR:
        return []
    condensed = dict(primary.parameters).get("condensed", False)
    fate = "is left out of the list" if condensed else "counts as not relevant"
    text = (
        f"judged@{k} is {judged:.1%}: {1 - judged:.1%} of the top {k} was never judged and {fate}"
    )
    return [("coverage", text)]


def _tie_notice(
    ranking: Ranking, primary: Measure, column: FloatArray, rules: Convention
) -> list[tuple[str, str]]:
    if not ranking.has_ties:
        return []
    lower, upper = tie_bounds(primary, ranking, rules)
    low, high, value = mean_of(lower), mean_of(upper), mean_of(column)
    if max(value - low, high - value) <= TIE_TOLERANCE:
        return []
    moved = int((upper - lower > TIE_TOLERANCE).sum())
    text = (
        f"ties move {primary!r} in {moved} of {len(ranking)} queries: by their order the mean is "
        f"{low:.4f} to {high:.4f}"
    )
    return [("ties", text)]


def _depth_notice(ranking: Ranking, measures: tuple[Measure, ...]) -> list[tuple[str, str]]:
    cutoff = max((m.cutoff or 0 for m in measures), default=0)
    lists = ranking.retrieved[ranking.answered]
    short, deepest = int((lists < cutoff).sum()), int(lists.max())
    if not short:
        return []
    reach = f"no list reaches rank {cutoff} (deepest {deepest})"
    some = f"{short} of {len(lists)} lists end before rank {cutoff}"
    return [("shallow", reach if deepest < cutoff else some)]


def tie_bounds(
    measure: Measure, ranking: Ranking, rules: Convention
) -> tuple[FloatArray, FloatArray]:
    """Return the lowest and the highest value of a measure over all orders of tied documents."""
    plain = replace(measure, parameters=tuple((k, v) for k, v in measure.parameters if k != "ties"))
    fixed = replace(rules, ties="trec", tie_exceptions=())
    worth = measure.worth(ranking, fixed)
    worst = compute(plain, ranking.reordered(best=False, worth=worth), fixed)
    best = compute(plain, ranking.reordered(best=True, worth=worth), fixed)
    # A residual falls where a judged document moves up.
    return np.minimum(worst, best), np.maximum(worst, best)


@dataclass(frozen=True, eq=False, repr=False)
class TieRange:
    """A measure's value and its extremes over all orders of tied documents, one a query."""

    query_ids: list[str]
    lower: FloatArray
    value: FloatArray
    upper: FloatArray

    def __repr__(self) -> str:
        low, value, high = (mean_of(column) for column in (self.lower, self.value, self.upper))
        return f"TieRange({low:.4f} <= {value:.4f} <= {high:.4f}, {len(self.query_ids)} queries)"

    def to_frame(self) -> pl.DataFrame:
        """Return a Polars frame: query_id, lower, value, upper."""
        return pl.DataFrame(
            {
                "query_id": self.query_ids,
                "lower": self.lower,
                "value": self.value,
                "upper": self.upper,
            }
        )


def tie_range(
    qrels: QrelsLike,
    run: RunLike,
    measure: str | Measure = nDCG @ 10,
    *,
    convention: Convention | str | None = None,
) -> TieRange:
    """Return how far the order of equal scores could move a measure, query by query.

    Holds for every measure that never falls when a better document moves up.

    Examples
    --------
    >>> tie_range({"q": {"a": 1}}, {"q": {"a": 1.0, "b": 1.0}})
    TieRange(0.6309 <= 0.6309 <= 1.0000, 1 queries)
    """
    rules, wanted = as_convention(convention), parse_measure(measure)
    judged = prepare_qrels(as_qrels(qrels), rules)
    ready = prepare_run(as_run(run, duplicates=rules.duplicates), rules)
    ranking = ranking_for(judged, ready, wanted.ties_under(rules), rules)
    lower, upper = tie_bounds(wanted, ranking, rules)
    return TieRange(ranking.query_ids, lower, compute(wanted, ranking, rules), upper)


def mean_of(values: FloatArray) -> float:
    """Return the exactly rounded mean of the values that are not NaN, whatever their order."""
    kept = values[~np.isnan(values)]
    return math.fsum(kept.tolist()) / len(kept) if len(kept) else math.nan


def _escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
