"""Corrections of p-values for the number of tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ndcg.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ndcg.stats.arrays import FloatArray

__all__ = ["benjamini_hochberg", "holm"]


def holm(pvalues: ArrayLike) -> FloatArray:
    """Return p-values whose use at a level keeps the chance of any false alarm below it.

    Holm (1979), Scandinavian Journal of Statistics 6: the smallest of k counts k times, the next
    k - 1 times, and none less than the one before. Valid under any dependence.

    Parameters
    ----------
    pvalues : array_like, shape (n_tests,)
        One p-value a test of the family.

    Returns
    -------
    array, shape (n_tests,)
        In the order given, 1 at most.

    Raises
    ------
    InputError
        Unless all are numbers from 0 to 1 in one row.

    Examples
    --------
    The second 0.04 is not below 0.05 any more, as the first is not:

    >>> holm([0.04, 0.04, 0.01]).tolist()
    [0.08, 0.08, 0.03]
    """
    given = _checked(pvalues)
    order = np.argsort(given, kind="stable")
    corrected = np.empty_like(given)
    weights = np.arange(len(given), 0, -1)
    # None less than the one before: a larger p-value is not significant where a smaller is not.
    corrected[order] = np.minimum(np.maximum.accumulate(given[order] * weights), 1.0)
    return corrected


def benjamini_hochberg(pvalues: ArrayLike) -> FloatArray:
    """Return p-values whose use at a level keeps the expected share of false alarms below it.

    Benjamini & Hochberg (1995), JRSS B 57: the i-th smallest of k counts k / i times, and none more
    than the one after. For exploration: at 10 %, one flag in ten is expected to be false. Valid for
    independent or positively dependent tests.

    Parameters
    ----------
    pvalues : array_like, shape (n_tests,)
        One p-value a test of the family.

    Returns
    -------
    array, shape (n_tests,)
        In the order given, 1 at most.

    Raises
    ------
    InputError
        Unless all are numbers from 0 to 1 in one row.

    Examples
    --------
    >>> benjamini_hochberg([0.04, 0.04, 0.01]).tolist()
    [0.04, 0.04, 0.03]
    """
    given = _checked(pvalues)
    order = np.argsort(given, kind="stable")[::-1]
    corrected = np.empty_like(given)
    weights = len(given) / np.arange(len(given), 0, -1)
    corrected[order] = np.minimum(np.minimum.accumulate(given[order] * weights), 1.0)
    return corrected


def _checked(pvalues: ArrayLike) -> FloatArray:
    given = np.asarray(pvalues, dtype=np.float64)
    if given.ndim != 1:
        raise InputError(f"pvalues must be one row, got {given.ndim} axes")
    wrong = np.flatnonzero(~((given >= 0.0) & (given <= 1.0)))
    if wrong.size:
        place = int(wrong[0])
        raise InputError(
            f"pvalues[{place}] is {float(given[place])!r}; a p-value lies from 0 to 1, "
            "and a comparison that was not tested is left out"
        )
    return given
