"""A pool to judge: what it holds, what it costs, and where each document came from."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from ndcg.conventions import Convention
from ndcg.data import Notice, counted
from ndcg.errors import OptionError, check_choice
from ndcg.evaluation import read_runs
from ndcg.formats.reading import QrelsLike, RunLike, as_qrels
from ndcg.formats.writing import write_whole
from ndcg.holes.candidates import find_candidates, mark_judged, uneven_notices
from ndcg.holes.labels import GRADES, checked_scale
from ndcg.holes.selection import METHODS, select
from ndcg.planning import Effort

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from ndcg.data import Run

__all__ = ["Contribution", "Pool", "pool"]

_SCHEMA = 1
_ID_SHOWN = 12


@dataclass(frozen=True)
class Contribution:
    """What one run brings: its candidates, those that only it has, those judged already."""

    run: str
    documents: int
    own: int
    judged: int


@dataclass(frozen=True, eq=False, repr=False)
class Pool:
    """What `pool` returns: documents to judge, in the order in which a rater sees them.

    Attributes
    ----------
    frame
        One row a label: query_id, doc_id, runs, ranks, best_rank, stratum, probability (of having
        been chosen; null where the choice left nothing to chance), rejudge.
    candidates, overlap
        Documents in the top of any run, and the share of them that two runs or more have.
    queries
        How many queries the runs have.
    contributions
        A `Contribution` a run.
    already
        Candidates with a judgment already.
    provenance
        Runs with their digests, depth, method, seed, round, scale.
    notices
        What could mislead, counted.
    """

    frame: pl.DataFrame
    candidates: int
    overlap: float
    queries: int
    contributions: tuple[Contribution, ...]
    already: int
    provenance: dict[str, Any]
    notices: tuple[Notice, ...]

    def __repr__(self) -> str:
        return f"Pool({len(self)} documents to judge, {self.queries} queries, id {self.id})"

    def __len__(self) -> int:
        return len(self.frame)

    @property
    def id(self) -> str:
        """Twelve hexadecimal digits that tell this pool from any other."""
        told = json.dumps(self.provenance, sort_keys=True) + self.frame.select(
            "query_id", "doc_id"
        ).write_csv(include_header=False)
        return hashlib.sha256(told.encode()).hexdigest()[:_ID_SHOWN]

    @property
    def rejudged(self) -> int:
        """How many rows were judged before and are to be judged again."""
        return int(self.frame["rejudge"].sum())

    def costs(self, effort: Effort | None = None) -> list[dict[str, float]]:
        """Return raters, labels, hours and money, a row for each number of raters.

        25 s a label at 60 an hour by one rater where no effort is given.
        """
        spend, rows = effort or Effort(), []
        for raters in spend.crews:
            labels = spend.labels(1, len(self), raters)
            hours = spend.hours(labels)
            rows.append(
                {
                    "raters": raters,
                    "labels": labels,
                    "hours": hours,
                    "money": hours * spend.rate,
                }
            )
        return rows

    def to_dict(self, effort: Effort | None = None) -> dict[str, Any]:
        """Return what there is to judge and what it costs, without the documents."""
        return {
            "schema": _SCHEMA,
            "id": self.id,
            "queries": self.queries,
            "candidates": self.candidates,
            "overlap": self.overlap,
            "already_judged": self.already,
            "documents": len(self),
            "rejudged": self.rejudged,
            "runs": [asdict(one) for one in self.contributions],
            "costs": self.costs(effort),
            "provenance": self.provenance,
            "notices": [notice.to_dict() for notice in self.notices],
        }

    def to_rows(
        self,
        queries: Mapping[str, str] | None = None,
        corpus: Mapping[str, str] | None = None,
    ) -> list[dict[str, Any]]:
        """Return what a rater sees: ids, texts where there are some, no run and no rank."""
        shared = {
            "relevance": None,
            "grades": self.provenance["grades"],
            "round": self.provenance["round"],
            "pool": self.id,
        }
        rows: list[dict[str, Any]] = []
        for query, doc in self.frame.select("query_id", "doc_id").iter_rows():
            row: dict[str, Any] = {"query_id": query, "doc_id": doc}
            row |= {"query": queries.get(query)} if queries is not None else {}
            row |= {"text": corpus.get(doc)} if corpus is not None else {}
            rows.append(row | shared)
        return rows

    def write(
        self,
        path: str | Path,
        queries: Mapping[str, str] | None = None,
        corpus: Mapping[str, str] | None = None,
    ) -> Path:
        """Write the pool for raters, and beside it where each document came from.

        The pool is JSON lines with ``"relevance": null``; a rater puts a grade there, and the file
        is then read as judgments. The other file, whose path is returned, names runs and ranks:
        keep it from raters.
        """
        from pathlib import Path

        place = Path(path)
        beside = place.with_name(f"{place.name.removesuffix('.jsonl')}.provenance.json")
        kept = ["query_id", "doc_id", "runs", "ranks", "stratum", "probability", "rejudge"]
        documents = self.frame.select(kept).to_dicts()
        told = {"schema": _SCHEMA, "pool": self.id} | self.provenance | {"documents": documents}
        lines = [json.dumps(row, ensure_ascii=False) for row in self.to_rows(queries, corpus)]
        write_whole(beside, f"{json.dumps(told, ensure_ascii=False)}\n".encode())
        write_whole(place, "".join(f"{line}\n" for line in lines).encode())
        return beside


def pool(
    runs: RunLike | Mapping[str, RunLike] | Sequence[RunLike],
    *,
    judged: QrelsLike | None = None,
    depth: int = 10,
    method: str = "depth",
    budget: int | None = None,
    rejudge: float = 0.04,
    grades: Sequence[float] = GRADES,
    seed: int = 0,
) -> Pool:
    """Return the documents of the runs' top that are to be judged, and what that costs.

    Parameters
    ----------
    runs
        Anything that `ndcg.as_run` takes; ``{name: run}`` or a list of paths for many runs.
    judged
        Judgments that there are: only what is missing is taken, and a few of them once more.
    depth
        Ranks of each run that are candidates, 1 or more; ties as trec_eval breaks them.
    method, budget
        ``"depth"`` takes every candidate; ``"rrf"`` and ``"rbp"`` the `budget` most promising ones;
        ``"sample"`` some at random with known probabilities, for `ndcg.estimate_sampled`.
    rejudge
        Share of the judged candidates, 0 to 1, that are judged again unseen: drift and agreement.
    grades
        The scale for the rater; a judgment above it is an error.
    seed
        Same seed, same sample and same order.

    Returns
    -------
    Pool

    Raises
    ------
    InputError
        For runs without a common query, or judgments of other queries.
    OptionError
        For a depth, budget or share outside its range.

    Examples
    --------
    Two runs share a document; one was judged already:

    >>> runs = {"one": {"q": {"a": 2.0, "b": 1.0}}, "two": {"q": {"b": 2.0, "c": 1.0}}}
    >>> pool(runs, judged={"q": {"a": 1}}, rejudge=0).frame["doc_id"].sort().to_list()
    ['b', 'c']
    """
    check_choice("method", method, METHODS)
    _check_numbers(depth, budget, rejudge)
    read = read_runs(runs, Convention())
    known = None if judged is None else as_qrels(judged)
    scale = sorted(set(grades)) if known is None else checked_scale(grades, known).tolist()
    found = mark_judged(find_candidates(read, depth), known)
    new = select(found.filter(~pl.col("judged")), method, budget, seed)
    again = _drawn_again(found.filter("judged"), rejudge, seed)
    chosen = pl.concat([new.with_columns(rejudge=pl.lit(value=False)), again])
    if not len(chosen):
        raise OptionError(
            f"nothing to judge: all {counted(len(found), 'document')} in the top {depth} of the "
            "runs have a judgment; go deeper, or name other runs"
        )
    return Pool(
        frame=_in_rating_order(chosen, seed),
        candidates=len(found),
        overlap=int((found["runs"].list.len() > 1).sum()) / len(found),
        queries=found["query_id"].n_unique(),
        contributions=_contributions(found, read),
        already=int(found["judged"].sum()),
        provenance={
            "round": 1 if known is None else 2,
            "depth": depth,
            "method": method,
            "budget": budget,
            "seed": seed,
            "grades": [int(grade) if grade == int(grade) else grade for grade in scale],
            "qrels_digest": None if known is None else known.digest,
            "runs": {name: run.digest for name, run in read.items()},
        },
        notices=tuple(uneven_notices(read)),
    )


def _check_numbers(depth: int, budget: int | None, rejudge: float) -> None:
    if depth < 1:
        raise OptionError(f"depth must be 1 or more, got {depth}")
    if budget is not None and budget < 1:
        raise OptionError(f"budget must be 1 label or more, got {budget}")
    if not 0 <= rejudge <= 1:
        raise OptionError(f"rejudge must be a share from 0 to 1, got {rejudge}")


def _drawn_again(judged: pl.DataFrame, share: float, seed: int) -> pl.DataFrame:
    """Return a few judged candidates at random; one at the least where any is asked for."""
    count = min(len(judged), int(np.ceil(share * len(judged))))
    rows = np.random.default_rng([seed, 1]).choice(len(judged), count, replace=False)
    return judged[np.sort(rows)].with_columns(
        stratum=pl.lit(1), probability=pl.lit(None, pl.Float64), rejudge=pl.lit(value=True)
    )


def _in_rating_order(chosen: pl.DataFrame, seed: int) -> pl.DataFrame:
    """Return the rows query by query, the documents of each shuffled by a seeded hash."""
    mixed = [
        hashlib.sha256(f"{seed}\n{query}\n{doc}".encode()).hexdigest()
        for query, doc in chosen.select("query_id", "doc_id").iter_rows()
    ]
    return chosen.with_columns(mixed=pl.Series(mixed)).sort("query_id", "mixed").drop("mixed")


def _contributions(found: pl.DataFrame, runs: Mapping[str, Run]) -> tuple[Contribution, ...]:
    rows = []
    for name in runs:
        mine = found.filter(pl.col("runs").list.contains(name))
        own = int((mine["runs"].list.len() == 1).sum())
        rows.append(Contribution(name, len(mine), own, int(mine["judged"].sum())))
    return tuple(rows)
