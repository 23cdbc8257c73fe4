"""PyTerrier's results: ``from ndcg.compat.pyterrier import read_experiment``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from ndcg.conventions import as_convention
from ndcg.data import Notice, counted, shown
from ndcg.errors import InputError
from ndcg.evaluation import RunScores, Scores, count_barren
from ndcg.formats.reading import as_qrels
from ndcg.formats.tables import frame_of
from ndcg.measures import parse_measure

if TYPE_CHECKING:
    from ndcg.conventions import Convention
__all__ = ["read_experiment"]

_COLUMNS = ("name", "qid", "measure", "value")


def read_experiment(
    results: Any, qrels: Any, *, convention: Convention | str | None = "ir_measures"
) -> Scores:
    """Return the results of PyTerrier's `Experiment` as `Scores`, to compare, save or tabulate.

    Parameters
    ----------
    results
        What ``pt.Experiment(..., perquery=True)`` or ``perquery="both"`` returned: rows of name,
        qid, measure, value.
    qrels
        The judgments of the experiment: anything that `ndcg.as_qrels` takes.
    convention
        The rules that the values were made under; PyTerrier's are those of ir_measures.

    Returns
    -------
    Scores
        The values as they were given, a run a system; NaN for a judged query that the experiment
        left out.

    Raises
    ------
    InputError
        For a table of means, a query that is not judged, or two values of one cell.
    MeasureError
        For a measure that ndcg has not.

    Examples
    --------
    >>> import polars as pl
    >>> rows = [("bm25", "q1", "nDCG@10", 0.5), ("bm25", "q2", "nDCG@10", 1.0)]
    >>> table = pl.DataFrame(rows, ["name", "qid", "measure", "value"], orient="row")
    >>> read_experiment(table, {"q1": {"a": 1}, "q2": {"b": 1}}).mean()
    {nDCG@10: 0.7500}
    """
    table = _read(results)
    judged = as_qrels(qrels)
    queries = judged.query_ids.sort()
    _refuse_unjudged(table, queries)
    twice = table.filter(table.select("name", "qid", "measure").is_duplicated())
    if len(twice):
        name, query, measure, _ = twice.row(0)
        raise InputError(
            f"experiment: two values of {measure} for {name!r}, query {query!r}; give the systems "
            "different names"
        )
    names = table["measure"].unique(maintain_order=True).to_list()
    runs = tuple(
        _run_of(part, queries, names) for part in table.partition_by("name", maintain_order=True)
    )
    return Scores(
        measures=tuple(parse_measure(name) for name in names),
        convention=as_convention(convention),
        query_ids=queries.to_list(),
        runs=runs,
        barren=count_barren(judged),
        judgments=len(judged),
        qrels_digest=judged.digest,
        notices=(*judged.notices, *_notices(runs, len(queries))),
    )


def _read(results: Any) -> pl.DataFrame:
    """Return the per-query rows, ids and names as text, values as numbers."""
    table = frame_of(getattr(results, "perquery", results))
    lacking = [name for name in _COLUMNS if name not in table.columns]
    if lacking:
        raise InputError(
            f"experiment: no column {lacking[0]!r} in it (columns: {', '.join(table.columns)}); "
            "means cannot be compared, run pt.Experiment(..., perquery=True)"
        )
    if not len(table):
        raise InputError("experiment: no rows in it")
    texts = pl.col("name", "qid", "measure").cast(pl.String)
    read = table.select(*_COLUMNS).with_columns(texts, pl.col("value").cast(pl.Float64))
    if read.null_count().sum_horizontal().item() or read["value"].is_nan().any():
        raise InputError("experiment: empty cells in it; every row needs a number")
    return read


def _refuse_unjudged(table: pl.DataFrame, queries: pl.Series) -> None:
    strange = table.filter(~pl.col("qid").is_in(queries.implode()))["qid"].unique().sort()
    if len(strange):
        raise InputError(
            f"experiment: {counted(len(strange), 'query', 'queries')} not judged "
            f"here ({shown(strange.to_list())}); give the experiment's own judgments"
        )


def _run_of(part: pl.DataFrame, queries: pl.Series, measures: list[str]) -> RunScores:
    values = np.full((len(queries), len(measures)), np.nan)
    rows = queries.search_sorted(part["qid"]).to_numpy()
    places = {name: place for place, name in enumerate(measures)}
    values[rows, [places[name] for name in part["measure"]]] = part["value"].to_numpy()
    return RunScores(part["name"][0], values, part["qid"].n_unique(), 0)


def _notices(runs: tuple[RunScores, ...], judged: int) -> list[Notice]:
    return [
        Notice(
            "unanswered",
            f"{judged - run.answered} of {judged} judged queries not in the experiment: left out",
            run.name,
        )
        for run in runs
        if run.answered < judged
    ]
