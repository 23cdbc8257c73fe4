"""Which candidates are judged: all of a depth, the most promising, or a sample of known chances."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from ndcg.errors import OptionError

if TYPE_CHECKING:
    from ndcg.data import IntArray

__all__ = ["METHODS", "select"]

METHODS = ("depth", "rrf", "rbp", "sample")


def select(new: pl.DataFrame, method: str, budget: int | None, seed: int) -> pl.DataFrame:
    """Return the rows to judge, with columns `stratum` and `probability` of having been chosen.

    Parameters
    ----------
    new
        Candidates without a judgment, as `find_candidates` returns them.
    method
        ``depth`` takes all of them. ``rrf`` and ``rbp`` take the `budget` most promising, as many
        of each query as of any other while there are any. ``sample`` spends half of the budget on
        the best ranks, whole, and the other half on a random sample of the deeper ones, in strata
        of twice the depth each, drawn half as densely from one to the next.
    budget
        Labels in all; None for all candidates.
    seed
        Same seed, same sample.
    """
    whole = budget is None or budget >= len(new)
    if method == "depth" or whole:
        if method == "depth" and budget is not None:
            raise OptionError("method depth judges everything; a budget needs rrf, rbp or sample")
        return new.with_columns(stratum=pl.lit(1), probability=pl.lit(1.0))
    assert budget is not None  # noqa: S101 - for the type checker
    if method == "sample":
        return _sampled(new, budget, seed)
    turn = pl.col(method).rank("ordinal", descending=True).over("query_id")
    ordered = new.with_columns(turn=turn).sort(
        ["turn", method, "query_id", "doc_id"], descending=[False, True, False, False]
    )
    # A document beyond the budget had no chance at all: nothing can be inferred for it.
    chosen = ordered.head(budget).drop("turn")
    return chosen.with_columns(stratum=pl.lit(1), probability=pl.lit(None, pl.Float64))


def _sampled(new: pl.DataFrame, budget: int, seed: int) -> pl.DataFrame:
    ranks = new["best_rank"].to_numpy()
    upto = np.cumsum(np.bincount(ranks))
    whole = int(np.searchsorted(upto, budget / 2, side="right")) - 1
    stratum = np.ones(len(ranks), np.int64)
    below = ranks > whole
    stratum[below] = (2 if whole else 1) + np.floor(
        np.log2(np.maximum(1, (ranks[below] - 1) // max(whole, 1)))
    )
    sizes = np.bincount(stratum)[1:]
    taken = _allotted(sizes, budget, whole_first=whole >= 1)
    draw = np.random.default_rng(seed)
    parts = []
    for number, (size, count) in enumerate(zip(sizes.tolist(), taken.tolist(), strict=True), 1):
        rows = np.sort(draw.choice(np.flatnonzero(stratum == number), count, replace=False))
        parts.append(
            new[rows].with_columns(
                stratum=pl.lit(number), probability=pl.lit(count / size if size else 1.0)
            )
        )
    return pl.concat(parts)


def _allotted(sizes: IntArray, budget: int, *, whole_first: bool) -> IntArray:
    """Return how many rows each stratum gives: the first whole, each further one half as densely.

    Every stratum gives one at the least, or nothing could be said of it.
    """
    taken = np.minimum(sizes, 1)
    fixed = int(whole_first)
    taken[:fixed] = sizes[:fixed]
    left = budget - int(taken.sum())
    if left < 0:
        raise OptionError(
            f"a budget of {budget} is too small for a sample of {len(sizes)} strata; give "
            f"{int(taken.sum())} or more"
        )
    while left > 0 and (taken < sizes).any():
        weight = np.where(taken < sizes, sizes * 0.5 ** np.arange(len(sizes)), 0.0)
        more = np.minimum(np.floor(left * weight / weight.sum()).astype(np.int64), sizes - taken)
        if not more.any():
            more[int(weight.argmax())] = 1
        taken = taken + more
        left -= int(more.sum())
    return taken
