"""Whom the pool favours: each run scored without the judgments that only it brought in."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from ndcg.data import Notice, counted
from ndcg.evaluation import evaluate

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ndcg.conventions import Convention
    from ndcg.data import FloatArray, Qrels, Run
    from ndcg.holes.tops import Top
    from ndcg.measures import Measure

__all__ = ["LeftOut", "PoolBias", "found_documents", "kendall_tau", "measure_pool_bias"]

_TAU_FLOOR = 0.9


@dataclass(frozen=True)
class LeftOut:
    """One run, with the documents that only it has in its top k, and without their judgments.

    Attributes
    ----------
    run
        The run.
    own
        Documents of its top k that are in no other run's top k.
    judged, relevant
        How many of them were judged, and how many are relevant.
    value, without
        Its mean with all judgments, and without those of its own documents.
    """

    run: str
    own: int
    judged: int
    relevant: int
    value: float
    without: float

    @property
    def change(self) -> float:
        """The mean without its own judged documents less the mean with them."""
        return self.without - self.value


@dataclass(frozen=True)
class PoolBias:
    """What `measure_pool_bias` returns: a `LeftOut` a run, and whether the order of runs stays.

    `tau` is Kendall's tau-b of the runs by their means with and without; None where it is not
    defined (all means alike).
    """

    rows: tuple[LeftOut, ...]
    tau: float | None

    def notices(self, measure: Measure) -> list[Notice]:
        """Return what says that the order of the runs rests on who built the pool."""
        told = []
        for row in self.rows:
            gap, other = min(
                (abs(row.value - one.value), one.run) for one in self.rows if one is not row
            )
            if abs(row.change) > gap / 2:
                text = (
                    f"without the judgments of the {counted(row.judged, 'document')} that only "
                    f"this run found, its {measure!r} is {row.without:.4f} instead of "
                    f"{row.value:.4f}: more than half its distance to {other} ({gap:.4f})"
                )
                told.append(Notice("pool-bias", text, row.run))
        if self.tau is not None and self.tau < _TAU_FLOOR:
            text = (
                "the order of the runs rests on who built the pool: each without the judgments "
                f"of its own documents, Kendall's tau with the present order is {self.tau:.2f}"
            )
            told.append(Notice("pool-order", text))
        return told

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return {
            "runs": [asdict(row) | {"change": row.change} for row in self.rows],
            "tau": self.tau,
        }


def found_documents(tops: Mapping[str, Top]) -> pl.DataFrame:
    """Return one row a run and document of its top: run, query, doc, rank, relevance.

    `relevance` is null where nobody judged the document.
    """
    return pl.concat(
        pl.DataFrame(
            {
                "run": pl.repeat(name, len(top.rank), eager=True),
                "query": top.query,
                "doc": top.doc_ids,
                "rank": top.rank,
                "relevance": pl.Series(top.relevance).fill_nan(None),
            }
        )
        for name, top in tops.items()
    )


def measure_pool_bias(
    qrels: Qrels,
    runs: Mapping[str, Run],
    found: pl.DataFrame,
    measure: Measure,
    convention: Convention,
) -> PoolBias:
    """Score each run without the judgments of documents that it alone has in its top.

    Zobel, SIGIR 1998: a run that helped to build the pool brought its own documents in, and one
    that did not had none of its own judged; the change is what that is worth.

    Parameters
    ----------
    qrels, runs
        Judgments and runs, 2 or more.
    found
        What `found_documents` returned for them; its queries are those of `qrels`, by id.
    measure, convention
        What the runs are scored by.
    """
    alone = found.filter(pl.struct("query", "doc").is_unique())
    query_ids = qrels.query_ids.sort()
    values, rows = evaluate(qrels, runs, measure, convention=convention), []
    for name in runs:
        own = alone.filter(pl.col("run") == name)
        judged = own.drop_nulls("relevance")
        value = values.mean(name)[measure]
        without = value
        if len(judged):
            left = _without(qrels, query_ids.gather(judged["query"]), judged["doc"])
            alone_scores = evaluate(left, {name: runs[name]}, measure, convention=convention)
            without = alone_scores.mean()[measure]
        relevant = int((judged["relevance"] > 0).sum())
        rows.append(LeftOut(name, len(own), len(judged), relevant, value, without))
    tau = kendall_tau([row.value for row in rows], [row.without for row in rows])
    return PoolBias(tuple(rows), tau)


def _without(qrels: Qrels, query_ids: pl.Series, doc_ids: pl.Series) -> Qrels:
    dropped = pl.DataFrame({"query_id": query_ids, "doc_id": doc_ids})
    kept = qrels.frame.with_row_index().join(dropped, on=["query_id", "doc_id"], how="anti")
    return qrels.keep(kept["index"].sort().to_numpy().astype(np.int64))


def kendall_tau(first: Any, second: Any) -> float | None:
    """Return Kendall's tau-b of two lists of numbers; None where one of them is all alike.

    >>> kendall_tau([1, 2, 3], [1, 3, 2])
    0.3333333333333333
    """
    one, other = _signs(first), _signs(second)
    norm = float(np.sqrt((one**2).sum() * (other**2).sum()))
    return float((one * other).sum() / norm) if norm else None


def _signs(values: Any) -> FloatArray:
    numbers = np.asarray(values, np.float64)
    signs: FloatArray = np.sign(numbers[:, None] - numbers[None, :])
    return signs
