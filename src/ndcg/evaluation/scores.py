"""Values of each query and run, and what they rest on."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from ndcg.conventions import Convention
from ndcg.data import FloatArray, Notice
from ndcg.errors import InputError, MissingPackageError, OptionError, near_miss
from ndcg.measures import Measure, parse_measure

if TYPE_CHECKING:
    from pathlib import Path


_SCHEMA = 1


class MeasureValues(Mapping[Measure, float]):
    """Values by measure; a measure's spelling serves as its key.

    >>> from ndcg import nDCG
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

    def intervals(
        self, run: str | None = None, *, level: float = 0.95, seed: int = 0
    ) -> dict[Measure, tuple[float, float] | None]:
        """Return a confidence interval of each mean, by resampling queries 10,000 times.

        Bias-corrected and accelerated with Student's quantiles, exact for 0/1 values: see
        `ndcg.stats.mean_intervals`. None for counts, and where one query supports none.
        """
        from ndcg.stats import mean_intervals

        values = self.run(run).values
        shares = [not (m.is_count or m.is_unbounded) for m in self.measures]
        told: dict[Measure, tuple[float, float] | None] = dict.fromkeys(self.measures)
        for bounded, bounds in ((True, (0.0, 1.0)), (False, None)):
            chosen = [
                i
                for i, measure in enumerate(self.measures)
                if shares[i] is bounded
                and not measure.is_count
                and not np.isnan(values[:, i]).all()
            ]
            if chosen:
                found = mean_intervals(values[:, chosen], bounds=bounds, level=level, rng=seed)
                ends = [None if one is None else (one.low, one.high) for one in found]
                told |= {self.measures[i]: pair for i, pair in zip(chosen, ends, strict=True)}
        return told

    def interval(
        self,
        measure: Measure | str,
        run: str | None = None,
        *,
        level: float = 0.95,
        seed: int = 0,
    ) -> tuple[float, float] | None:
        """Return the confidence interval of one mean; see `intervals`.

        Ten queries that are all perfect do not make the mean certain:

        >>> from ndcg import evaluate
        >>> perfect = {f"q{i}": {"a": 1} for i in range(10)}
        >>> low, high = evaluate(perfect, perfect, "P@1").interval("P@1")
        >>> round(low, 3), high
        (0.692, 1.0)
        """
        self._column(measure)
        return self.intervals(run, level=level, seed=seed)[parse_measure(measure)]

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

    def to_pandas(self) -> Any:
        """Return the same as `to_frame` as a DataFrame of pandas; NaN where undefined.

        Raises
        ------
        MissingPackageError
            Without pandas.
        """
        try:
            pandas = import_module("pandas")
        except ImportError:
            raise MissingPackageError("to_pandas needs pandas: pip install pandas") from None
        return pandas.DataFrame(self.to_frame().fill_null(math.nan).to_dict(as_series=False))

    def to_json(self) -> str:
        """Return ``{run: {query_id: {"nDCG@10": value}}}`` as JSON; undefined values are left out.

        ``ndcg eval --format json`` has means, intervals and notices.
        """
        told = {run.name: self.to_dict(run.name) for run in self.runs}
        return json.dumps(told, ensure_ascii=False)

    def save(self, path: str | Path) -> None:
        """Write the scores to a Parquet file that carries convention, digests and notices.

        The file appears whole or not at all.
        """
        from ndcg.formats.writing import whole_file

        with whole_file(path) as place:
            self.to_frame().write_parquet(place, metadata={"ndcg": json.dumps(self._metadata())})

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


def find_scores(source: Any) -> Scores | None:
    """Return saved scores from themselves or their path; None for anything else."""
    if isinstance(source, Scores):
        return source
    if not isinstance(source, (str, PathLike)) or not str(source).endswith(".parquet"):
        return None
    try:
        metadata = pl.read_parquet_metadata(source)  # type: ignore[arg-type]
    except (pl.exceptions.PolarsError, OSError):
        return None
    return load_scores(source) if "ndcg" in metadata else None  # type: ignore[arg-type]


def mean_of(values: FloatArray) -> float:
    """Return the exactly rounded mean of the values that are not NaN, whatever their order."""
    kept = values[~np.isnan(values)]
    return math.fsum(kept.tolist()) / len(kept) if len(kept) else math.nan


def _escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
