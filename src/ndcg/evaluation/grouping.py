"""Learning to rank: labels and predictions in one array each, cut into queries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from ndcg.errors import InputError
from ndcg.evaluation.evaluating import evaluate
from ndcg.formats.reading import as_qrels, as_run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ndcg.conventions import Convention
    from ndcg.data import FloatArray, IntArray
    from ndcg.evaluation.scores import Scores
    from ndcg.measures import Measure

__all__ = ["grouped"]


def grouped(
    y_true: Any,
    y_score: Any,
    group: Any,
    measures: str | Measure | Sequence[str | Measure] = "nDCG@10",
    *,
    convention: Convention | str | None = "lightgbm",
) -> Scores:
    """Evaluate predictions of a ranker: rows of one query stand together.

    Parameters
    ----------
    y_true, y_score
        Label and prediction of each row, shape (n,).
    group
        How many rows each query has, in order, as LightGBM and XGBoost take it; sums to n.
    measures
        Measures or their spellings.
    convention
        LightGBM's unless given: gain 2^label - 1, equal predictions in row order, a query
        without a relevant row counts 1.

    Returns
    -------
    Scores
        Queries are numbered from 0 with leading zeros, documents by row.

    Raises
    ------
    InputError
        For arrays of unequal length, or groups that do not sum to it.

    Examples
    --------
    The second query has nothing to find, and LightGBM counts it as perfect:

    >>> scores = grouped([3, 2, 0, 0, 0], [0.1, 0.9, 0.5, 0.3, 0.2], [3, 2])
    >>> scores.mean()
    {nDCG@10: 0.8655}
    """
    labels, predictions = _column(y_true, "y_true"), _column(y_score, "y_score")
    sizes = _sizes(group, len(labels), len(predictions))
    width = len(str(max(len(sizes) - 1, 0)))
    names = pl.Series([f"{i:0{width}}" for i in range(len(sizes))])
    query = names.gather(np.repeat(np.arange(len(sizes)), sizes))
    docs = pl.Series(np.arange(len(labels))).cast(pl.String)
    pairs = {"query_id": query, "doc_id": docs}
    qrels = as_qrels(pl.DataFrame(pairs | {"relevance": labels}))
    run = as_run(pl.DataFrame(pairs | {"score": predictions}))
    return evaluate(qrels, run, measures, convention=convention)


def _column(values: Any, name: str) -> FloatArray:
    try:
        column: FloatArray = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} must hold numbers ({error})") from None
    if column.ndim != 1:
        raise InputError(f"{name} must have one dimension, a row a document; got {column.shape}")
    return column


def _sizes(group: Any, labels: int, predictions: int) -> IntArray:
    sizes = _column(group, "group")
    if labels != predictions:
        raise InputError(f"y_true has {labels} rows and y_score {predictions}; give one of each")
    if not len(sizes) or (sizes != np.trunc(sizes)).any() or (sizes < 1).any():
        raise InputError("group must hold the number of rows of each query, 1 or more")
    if sizes.sum() != labels:
        hint = "; group takes sizes, not a query id a row" if len(sizes) == labels else ""
        raise InputError(f"group sums to {sizes.sum():g}, and there are {labels} rows{hint}")
    return sizes.astype(np.int64)
