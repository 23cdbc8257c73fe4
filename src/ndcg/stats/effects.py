"""The size of a paired difference, beside its p-value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ndcg.stats.arrays import as_columns

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["DifferenceSummary", "summarise_differences"]


@dataclass(frozen=True)
class DifferenceSummary:
    """One column of paired differences in numbers.

    Parameters
    ----------
    n_queries : int
        Queries of the column.
    difference : float
        Their mean.
    sd : float or None
        Standard deviation of the differences; None for a single query.
    effect_size : float or None
        d_z, the mean over the standard deviation; None where there is no spread to divide by.
    wins, ties, losses : int
        Queries with a difference above 0, of 0, and below 0.
    """

    n_queries: int
    difference: float
    sd: float | None
    effect_size: float | None
    wins: int
    ties: int
    losses: int


def summarise_differences(differences: ArrayLike) -> tuple[DifferenceSummary, ...]:
    """Mean, spread, effect size d_z and wins/ties/losses of each column of differences.

    d_z is the effect size of paired samples of Cohen (1988, Statistical Power Analysis); Sakai
    (SIGIR Forum 2014) asks to report it beside a p-value.

    Parameters
    ----------
    differences : array_like, shape (n_queries,) or (n_queries, n_columns)
        System less baseline (`paired_differences`, which turns rounding into ties); NaN marks a
        query outside a column.

    Returns
    -------
    tuple of DifferenceSummary, one per column
        In the order of the columns.

    Raises
    ------
    InputError
        For differences that are no columns; see `as_columns`.

    Examples
    --------
    Identical systems have an effect of 0, not 0 / 0:

    >>> (summary,) = summarise_differences([0.0, 0.0, 0.0])
    >>> summary.effect_size, summary.ties
    (0.0, 3)
    """
    columns = as_columns(differences, "differences")
    summaries = []
    for i in range(columns.n_columns):
        column = columns.column(i)
        mean, spread = float(columns.mean[i]), float(columns.sd[i])
        wins, losses = int(np.count_nonzero(column > 0.0)), int(np.count_nonzero(column < 0.0))
        effect = mean / spread if spread > 0.0 else None
        summaries.append(
            DifferenceSummary(
                n_queries=len(column),
                difference=mean,
                sd=spread if len(column) > 1 else None,
                effect_size=0.0 if mean == 0.0 else effect,
                wins=wins,
                ties=len(column) - wins - losses,
                losses=losses,
            )
        )
    return tuple(summaries)
