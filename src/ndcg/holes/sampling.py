"""What a random sample of judgments says about all of them: nDCG estimated, not counted."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from ndcg.conventions import Convention, as_convention
from ndcg.data import Notice, counted
from ndcg.errors import InputError
from ndcg.evaluation import evaluate, prepare_qrels, read_runs
from ndcg.formats.mappings import parse_json
from ndcg.formats.reading import QrelsLike, RunLike, as_qrels
from ndcg.formats.tables import frame_of
from ndcg.holes.labels import labels_for, refuse_unbounded
from ndcg.holes.tops import top_documents
from ndcg.measures import Measure, nDCG, parse_measure
from ndcg.measures.gains import discounts
from ndcg.stats.intervals import mean_intervals

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ndcg.data import FloatArray, Qrels, Run
    from ndcg.holes.labels import Labels
    from ndcg.stats.bounded import Interval

__all__ = ["Sampled", "SampledRun", "estimate_sampled"]

_PAIR = ["query_id", "doc_id"]


@dataclass(frozen=True, eq=False)
class SampledRun:
    """The estimate of one run, query by query.

    Attributes
    ----------
    name
        The run.
    estimates
        Estimated value of each judged query, NaN where the convention leaves it out; shape (n,).
        A single one may exceed 1: it is right on average over samples only.
    counted
        The value with every unjudged document as not relevant, shape (n,).
    interval
        Of the mean estimate, for new queries and other samples; None for one query.
    outside
        Unjudged documents of its top k, where the pool did not take this run to rank k: those that
        the pool did not hold had no chance of being drawn, and count as 0.
    """

    name: str
    estimates: FloatArray
    counted: FloatArray
    interval: Interval | None
    outside: int

    @property
    def mean(self) -> float:
        """The mean estimate."""
        return float(np.nanmean(self.estimates))

    def to_dict(self) -> dict[str, Any]:
        """Return name, n, mean, interval, the mean with holes as 0, and what had no chance."""
        return {
            "run": self.name,
            "n": int((~np.isnan(self.estimates)).sum()),
            "estimate": self.mean,
            "interval": None if self.interval is None else [self.interval.low, self.interval.high],
            "holes_as_0": float(np.nanmean(self.counted)),
            "outside": self.outside,
        }


@dataclass(frozen=True, eq=False, repr=False)
class Sampled:
    """What `estimate_sampled` returns.

    Attributes
    ----------
    measure, convention
        What is estimated, and the rules behind it.
    query_ids
        The judged queries, by id (bytewise).
    runs
        A `SampledRun` a run.
    drawn
        Judgments that were drawn with a chance below 1.
    notices
        What could mislead, counted.
    """

    measure: Measure
    convention: Convention
    query_ids: list[str]
    runs: tuple[SampledRun, ...]
    drawn: int
    notices: tuple[Notice, ...]

    def __repr__(self) -> str:
        told = ", ".join(f"{run.name} {run.mean:.4f}" for run in self.runs)
        return f"Sampled({self.measure!r} estimated: {told})"

    def to_frame(self) -> pl.DataFrame:
        """Return a row a run: run, n, estimate, low, high, holes_as_0, outside."""
        rows = []
        for run in self.runs:
            row = run.to_dict()
            low, high = row.pop("interval") or (None, None)
            rows.append(row | {"low": low, "high": high})
        order = ["run", "n", "estimate", "low", "high", "holes_as_0", "outside"]
        return pl.DataFrame(rows).select(order)

    def to_dict(self) -> dict[str, Any]:
        """Return the means as plain values."""
        return {
            "measure": repr(self.measure),
            "convention": self.convention.to_dict(),
            "drawn": self.drawn,
            "runs": [run.to_dict() for run in self.runs],
            "notices": [notice.to_dict() for notice in self.notices],
        }


def estimate_sampled(
    qrels: QrelsLike,
    runs: RunLike | Mapping[str, RunLike] | Sequence[RunLike],
    measure: str | Measure = nDCG @ 10,
    *,
    sample: Any,
    convention: Convention | str | None = None,
) -> Sampled:
    """Return the value that each run would have, estimated, had all of the pool been judged.

    A judged document that had the chance p of being drawn stands for 1 / p documents like it
    (Horvitz & Thompson, JASA 1952): in the sum of its run at its own rank, and in the ideal list
    as that many documents of its grade. The ratio of the two, for nDCG, follows Yilmaz, Kanoulas &
    Aslam (SIGIR 2008, infNDCG).

    Parameters
    ----------
    qrels
        Anything that `ndcg.as_qrels` takes: what was judged, the rated pool among it.
    runs
        Anything that `ndcg.as_run` takes; ``{name: run}`` or a list of paths for many runs.
    measure
        nDCG, DCG, CG or P.
    sample
        The ``.provenance.json`` that `ndcg pool --method sample` writes, or a frame with columns
        query_id, doc_id and probability. A judged document that it does not name counts for one.
    convention
        A `Convention` or a profile's name.

    Returns
    -------
    Sampled

    Raises
    ------
    InputError
        For a sample without probabilities, such as that of a pool by ``rrf``.
    MeasureError, OptionError
        As `ndcg.bounds` raises them.

    Examples
    --------
    One of two documents at rank 2 was drawn and found relevant; it stands for both:

    >>> run = {"q": {"a": 2.0, "b": 1.0}}
    >>> drawn = pl.DataFrame({"query_id": ["q"], "doc_id": ["b"], "probability": [0.5]})
    >>> estimate_sampled({"q": {"a": 0, "b": 1}}, run, "P@2", sample=drawn).runs[0].mean
    1.0
    """
    rules, wanted = as_convention(convention), parse_measure(measure)
    refuse_unbounded(wanted, rules, open_world=False)
    judged = as_qrels(qrels)
    ready = prepare_qrels(judged, rules)
    scale = np.unique(np.maximum(ready.values, 0.0))
    labels = labels_for(ready, wanted, rules, scale, open_world=False)
    drawn = _draw(ready, _read_sample(sample), labels)
    read = read_runs(runs, rules)
    scores = evaluate(judged, read, wanted, convention=rules)
    found = tuple(
        _estimate(held.name, ready, read[held.name], drawn, held.values[:, 0])
        for held in scores.runs
    )
    return Sampled(
        measure=wanted,
        convention=rules,
        query_ids=scores.query_ids,
        runs=found,
        drawn=int((drawn.chances["probability"] < 1).sum()),
        notices=tuple(_notices(found, drawn)),
    )


@dataclass(frozen=True, eq=False)
class _Sample:
    """Documents with their probability, and to which rank the pool took which run (by digest).

    `is_first` says that the pool was drawn as if nothing had been judged.
    """

    frame: pl.DataFrame
    depths: dict[str, int]
    is_first: bool


@dataclass(frozen=True, eq=False)
class _Drawn:
    """Judgments with their chances: query (position), doc_id, relevance, probability, drawn.

    `unrated` documents of the sample have no judgment.
    """

    chances: pl.DataFrame
    ideal: FloatArray | None
    labels: Labels
    sample: _Sample
    unrated: int


def _read_sample(sample: Any) -> _Sample:
    name = "the sample"
    told: dict[str, Any] = {}
    if isinstance(sample, (str, Path)):
        name = str(sample)
        told = _provenance(Path(sample))
        new = [row for row in told["documents"] if not row.get("rejudge")]
        frame = pl.DataFrame(new, infer_schema_length=None)
    else:
        frame = frame_of(sample)
    lacking = [column for column in (*_PAIR, "probability") if column not in frame.columns]
    if lacking:
        raise InputError(
            f"{name}: no column {lacking[0]!r}, only {', '.join(frame.columns)}; expected "
            "query_id, doc_id and probability"
        )
    frame = frame.select(*_PAIR, pl.col("probability").cast(pl.Float64))
    possible = frame["probability"].is_between(0, 1, closed="right").fill_null(value=False)
    without = int((~possible).sum())
    if without:
        raise InputError(
            f"{name}: {counted(without, 'document')} without a probability above 0 and up to 1; "
            "nothing can be inferred from a pool that was not drawn at random: use ndcg pool "
            "--method sample"
        )
    depths = dict.fromkeys(told.get("runs", {}).values(), told.get("depth", 0))
    return _Sample(frame, depths, bool(told) and told.get("qrels_digest") is None)


def _provenance(path: Path) -> dict[str, Any]:
    expected = "expected the .provenance.json that ndcg pool wrote"
    try:
        told = parse_json(path.read_bytes(), str(path))
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}; {expected}") from None
    if not isinstance(told, dict) or not told.get("documents"):
        raise InputError(f"{path}: no documents in it; {expected}")
    return told


def _draw(qrels: Qrels, sample: _Sample, labels: Labels) -> _Drawn:
    queries = qrels.query_ids.sort()
    order = pl.DataFrame({"query_id": queries, "query": np.arange(len(queries))})
    frame = qrels.frame.join(sample.frame, on=_PAIR, how="left", maintain_order="left")
    frame = frame.join(order, on="query_id", how="left", maintain_order="left")
    drawn = pl.col("probability").is_not_null()
    chances = frame.with_columns(drawn.alias("drawn"), pl.col("probability").fill_null(1.0))
    unrated = len(sample.frame) - int(chances["drawn"].sum())
    ideal = _ideal(chances, labels, len(queries)) if labels.measure.name == "nDCG" else None
    return _Drawn(chances, ideal, labels, sample, unrated)


def _ideal(chances: pl.DataFrame, labels: Labels, queries: int) -> FloatArray:
    """Return the ideal sum of each query when a document stands for 1 / p of its grade.

    The running sum of discounts is linear between whole ranks, as a share of a document is.
    """
    table = chances.with_columns(gain=pl.Series(labels.worth(chances["relevance"].to_numpy())))
    table = table.filter(pl.col("gain") > 0).sort("query", "gain", descending=[False, True])
    upto = (1 / pl.col("probability")).cum_sum().over("query")
    table = table.with_columns(upto=upto, size=1 / pl.col("probability"))
    most = int(np.ceil(table["upto"].max() or 0))  # type: ignore[arg-type]
    deepest = min(labels.measure.cutoff or most, most)
    discount = discounts(deepest, labels.measure.rules(labels.convention).discount)
    ranks, reached = np.arange(deepest + 1), np.append(0.0, np.cumsum(discount))
    ends = table["upto"].to_numpy()
    begins = ends - table["size"].to_numpy()
    weight = np.interp(ends, ranks, reached) - np.interp(begins, ranks, reached)
    sums = np.bincount(table["query"].to_numpy(), table["gain"].to_numpy() * weight, queries)
    return sums.astype(np.float64)


def _estimate(name: str, qrels: Qrels, run: Run, drawn: _Drawn, plain: FloatArray) -> SampledRun:
    """Return a run's estimate; `plain` is its value with holes as 0, by query."""
    labels, measure = drawn.labels, drawn.labels.measure
    rules = labels.convention
    ties = measure.ties_under(rules)
    top = top_documents(qrels, run, measure.cutoff, ties=ties, scores=rules.scores)
    table = pl.DataFrame({"query": top.query, "doc_id": top.doc_ids})
    table = table.join(drawn.chances, on=["query", "doc_id"], how="left", maintain_order="left")
    pooled = drawn.sample.depths.get(run.digest, 0) >= (measure.cutoff or np.inf)
    undrawn = int((~table["drawn"]).sum())
    if pooled and drawn.sample.is_first and undrawn:
        raise InputError(
            f"{counted(undrawn, 'judged document')} in the top of {name} outside the sample, "
            "which was drawn as if nothing had been judged; give the judgments of the sample alone"
            ", or draw it with ndcg pool --judged"
        )
    known = ~top.holes
    weight = labels.weights(top.rank)[known] / table["probability"].to_numpy()[known]
    earned = labels.worth(top.relevance[known]) * weight
    sums = np.bincount(top.query[known], earned, len(top)).astype(np.float64)
    if drawn.ideal is not None:
        sums = np.divide(sums, drawn.ideal, out=plain.copy(), where=drawn.ideal > 0)
    estimates = np.where(np.isnan(plain), np.nan, sums)
    (interval,) = mean_intervals(estimates, bounds=None, rng=0)
    return SampledRun(name, estimates, plain, interval, 0 if pooled else int(top.holes.sum()))


def _notices(found: tuple[SampledRun, ...], drawn: _Drawn) -> list[Notice]:
    told = []
    if not (drawn.chances["probability"] < 1).any():
        text = "no judged document was drawn with a chance below 1: the estimates are counts"
        told.append(Notice("no-sample", text))
    if drawn.ideal is not None and (drawn.ideal == 0).any():
        some = counted(int((drawn.ideal == 0).sum()), "query", "queries")
        text = f"{some} without a relevant document among those judged: as barren in the estimate"
        told.append(Notice("sample-barren", text))
    if drawn.unrated:
        some = counted(drawn.unrated, "document")
        text = (
            f"{some} of {len(drawn.sample.frame)} in the sample have no judgment, and count as 0 "
            "in the estimate: rate the pool, and ndcg merge it"
        )
        told.append(Notice("unrated", text))
    for run in found:
        if run.outside:
            some = counted(run.outside, "unjudged document")
            text = (
                f"the pool did not take this run to the cutoff: of {some} in its top, those that "
                "the pool did not hold count as 0 in the estimate"
            )
            told.append(Notice("not-pooled", text, run.name))
    return told
