"""The documents that a pool draws on: the union of the runs' first documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from ndcg.data import Notice, counted, shown
from ndcg.errors import InputError
from ndcg.holes.tops import first_documents

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ndcg.data import Qrels, Run

__all__ = ["find_candidates", "mark_judged", "uneven_notices"]

_RRF = 60
_PERSISTENCE = 0.8


def find_candidates(runs: Mapping[str, Run], depth: int) -> pl.DataFrame:
    """Return one row a query and document in the first `depth` ranks of any run.

    Columns: query_id, doc_id, runs and ranks (a list each, by run as given), best_rank, rrf
    (reciprocal rank fusion, Cormack, Clarke & Buettcher, SIGIR 2009: the sum of 1 / (60 + rank)),
    rbp (the sum of 0.2 · 0.8^(rank - 1), Moffat, Webber & Zobel, SIGIR 2007).

    Raises
    ------
    InputError
        Where no query is in every run.
    """
    _refuse_disjoint(runs)
    parts = []
    for place, (name, run) in enumerate(runs.items()):
        head = first_documents(run, depth)
        parts.append(
            pl.DataFrame(
                {
                    "query_id": head.query_ids.gather(head.query),
                    "doc_id": head.doc_ids,
                    "run": pl.repeat(name, len(head.rank), eager=True),
                    "place": pl.repeat(place, len(head.rank), eager=True),
                    "rank": head.rank,
                }
            )
        )
    rank = pl.col("rank")
    return (
        pl.concat(parts)
        .sort("query_id", "doc_id", "place")
        .group_by("query_id", "doc_id", maintain_order=True)
        .agg(
            runs=pl.col("run"),
            ranks=rank,
            best_rank=rank.min(),
            rrf=(1 / (_RRF + rank)).sum(),
            rbp=((1 - _PERSISTENCE) * _PERSISTENCE ** (rank.cast(pl.Float64) - 1)).sum(),
        )
    )


def _refuse_disjoint(runs: Mapping[str, Run]) -> None:
    asked = {name: set(run.query_ids.to_list()) for name, run in runs.items()}
    if set.intersection(*asked.values()):
        return
    (first, one), (second, other) = min(
        ((a, b) for i, a in enumerate(asked.items()) for b in list(asked.items())[i + 1 :]),
        key=lambda pair: len(pair[0][1] & pair[1][1]),
        default=((next(iter(asked)), set()), ("", set())),
    )
    if not second:
        raise InputError(f"{first}: no query in it, so there is nothing to pool")
    raise InputError(
        f"{first} and {second} have no query in common ({first} has {shown(sorted(one))}, {second} "
        f"{shown(sorted(other))}); a pool needs runs over the same queries"
    )


def uneven_notices(runs: Mapping[str, Run]) -> list[Notice]:
    """Return the notices of queries that some runs have and others do not."""
    asked = {query for run in runs.values() for query in run.query_ids.to_list()}
    told = []
    for name, run in runs.items():
        missing = len(asked - set(run.query_ids.to_list()))
        if missing:
            some = counted(missing, "query", "queries")
            text = f"{some} of the other runs not in it: it adds nothing there"
            told.append(Notice("lopsided", text, name))
    return told


def mark_judged(candidates: pl.DataFrame, judged: Qrels | None) -> pl.DataFrame:
    """Return the candidates with a column `judged`: whether there is a judgment already.

    Judgments of which no query is in the runs are an `InputError`.
    """
    if judged is None:
        return candidates.with_columns(judged=pl.lit(value=False))
    queries = candidates["query_id"].unique()
    if not judged.query_ids.is_in(queries.implode()).any():
        known, asked = judged.query_ids.sort().to_list(), queries.sort().to_list()
        raise InputError(
            f"none of the judged queries is in the runs; the judgments have {shown(known)}, the "
            f"runs {shown(asked)}"
        )
    known_pairs = judged.frame.select("query_id", "doc_id", judged=pl.lit(value=True))
    joined = candidates.join(
        known_pairs, on=["query_id", "doc_id"], how="left", maintain_order="left"
    )
    return joined.with_columns(pl.col("judged").fill_null(value=False))
