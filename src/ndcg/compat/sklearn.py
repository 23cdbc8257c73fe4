"""scikit-learn's interface: ``from ndcg.compat.sklearn import ndcg_score``."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np

from ndcg.measures.dense import dense_dcg, dense_ideal

__all__ = ["dcg_score", "ndcg_score"]

_FORMATS = ("multilabel-indicator", "continuous-multioutput", "multiclass-multioutput")


def ndcg_score(
    y_true: Any,
    y_score: Any,
    *,
    k: int | None = None,
    sample_weight: Any = None,
    ignore_ties: bool = False,
) -> float:
    """Return the mean nDCG of the rows of two matrices, as scikit-learn's function of this name.

    Parameters
    ----------
    y_true, y_score
        Grades and scores, shape (n_queries, n_documents): anything that NumPy or DLPack reads.
    k
        Ranks that count, 1 or more; None for all.
    sample_weight
        The weight of each row.
    ignore_ties
        False averages over the orders of equal scores; True takes them as NumPy sorts them.

    Raises
    ------
    ValueError
        With scikit-learn's messages: negative grades, one document, NaN, unequal lengths.

    Examples
    --------
    Documents of equal score share their gain, so that a constant score is not rewarded by luck:

    >>> round(ndcg_score([[3, 0]], [[1, 1]]), 4)
    0.8155
    """
    _check_options("ndcg_score", k, ignore_ties)
    grades, scores, weights = _matrices(y_true, y_score, sample_weight)
    if grades.min() < 0:
        raise ValueError("ndcg_score should not be used on negative y_true values.")
    if grades.ndim > 1 and grades.shape[1] <= 1:
        raise ValueError(
            "Computing NDCG is only meaningful when there is more than 1 document. "
            f"Got {grades.shape[1]} instead."
        )
    _check_shape(grades, scores)
    discount = _discount(grades.shape[1], k, 2.0)
    gained = dense_dcg(grades, scores, discount, ties="sort" if ignore_ties else "average")
    ideal = dense_ideal(grades, discount)
    values = np.divide(gained, ideal, out=np.zeros_like(gained), where=ideal != 0)
    return float(np.average(values, weights=weights))


def dcg_score(
    y_true: Any,
    y_score: Any,
    *,
    k: int | None = None,
    log_base: float = 2,
    sample_weight: Any = None,
    ignore_ties: bool = False,
) -> float:
    """Return the mean DCG of the rows of two matrices, as scikit-learn's function of this name.

    Parameters are those of `ndcg_score`, and the base of the discount's logarithm.

    Examples
    --------
    >>> round(dcg_score([[3, 2, 0]], [[0.1, 0.2, 0.3]], log_base=10), 4)
    9.1747
    """
    _check_options("dcg_score", k, ignore_ties)
    if not isinstance(log_base, Real) or not log_base > 0:
        raise ValueError(
            "The 'log_base' parameter of dcg_score must be a float in the range (0.0, inf). "
            f"Got {log_base!r} instead."
        )
    grades, scores, weights = _matrices(y_true, y_score, sample_weight)
    _check_shape(grades, scores)
    discount = _discount(grades.shape[1], k, log_base)
    values = dense_dcg(grades, scores, discount, ties="sort" if ignore_ties else "average")
    return float(np.average(values, weights=weights))


def _discount(documents: int, k: int | None, log_base: float) -> Any:
    discount = 1 / (np.log(np.arange(documents) + 2) / np.log(log_base))
    if k is not None:
        discount[k:] = 0
    return discount


def _check_options(function: str, k: object, ignore_ties: object) -> None:
    if k is not None and (not isinstance(k, Integral) or isinstance(k, bool) or k < 1):
        raise ValueError(
            f"The 'k' parameter of {function} must be an int in the range [1, inf) or None. "
            f"Got {k!r} instead."
        )
    if not isinstance(ignore_ties, (bool, np.bool_)):
        raise ValueError(  # noqa: TRY004 - scikit-learn's InvalidParameterError is a ValueError
            f"The 'ignore_ties' parameter of {function} must be an instance of 'bool' or an "
            f"instance of 'numpy.bool'. Got {ignore_ties!r} instead."
        )


def _matrices(y_true: Any, y_score: Any, sample_weight: Any) -> tuple[Any, Any, Any]:
    grades, scores = _as_numbers(y_true), _as_numbers(y_score)
    weights = None if sample_weight is None else _as_numbers(sample_weight)
    lengths = [len(one) for one in (grades, scores, weights) if one is not None]
    if len(set(lengths)) > 1:
        raise ValueError(f"Found input variables with inconsistent numbers of samples: {lengths}")
    return grades, scores, weights


def _as_numbers(given: Any) -> Any:
    """Return an array of numbers without NaN; from DLPack where NumPy cannot read it itself."""
    if hasattr(given, "detach"):
        given = given.detach().cpu()
    if hasattr(given, "__dlpack__") and not hasattr(given, "__array__"):
        given = np.from_dlpack(given)
    array = np.asarray(given)
    if array.dtype.kind not in "biuf":
        array = array.astype(np.float64)
    if array.ndim == 0:
        raise ValueError(f"Expected an array with one dimension or more, got {array!r} instead.")
    if not array.shape[0] or not array.size:
        raise ValueError(
            f"Found array with {array.shape[0]} sample(s) (shape={array.shape}) while a minimum "
            "of 1 is required."
        )
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        if np.isnan(array).any():
            raise ValueError("Input contains NaN.")
        raise ValueError(f"Input contains infinity or a value too large for {array.dtype!r}.")
    return array.astype(np.int8) if array.dtype.kind == "b" else array


def _check_shape(grades: Any, scores: Any) -> None:
    if grades.ndim != 2 or grades.shape[1] < 2:  # noqa: PLR2004 - a matrix, a choice
        kind = "binary" if len(np.unique(grades)) <= 2 else "multiclass"  # noqa: PLR2004
        if grades.dtype.kind == "f" and (grades != np.trunc(grades)).any():
            kind = "continuous"
        raise ValueError(f"Only {_FORMATS} formats are supported. Got {kind} instead")
    if scores.shape != grades.shape:
        raise ValueError(
            f"y_true and y_score must have one shape, got {grades.shape} and {scores.shape}."
        )
