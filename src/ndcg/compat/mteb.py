"""MTEB's files: predictions in, its main score out, and the scores of its result files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from ndcg.compat.beir import EvaluateRetrieval
from ndcg.errors import InputError
from ndcg.formats.mappings import parse_json

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["main_score", "read_predictions", "read_result"]

_EXPECTED = "expected {query_id: {doc_id: score}}, alone or under a subset and a split"


def read_predictions(
    path: str | Path, *, subset: str | None = None, split: str | None = None
) -> dict[str, dict[str, float]]:
    """Return the lists of an MTEB prediction file, ``{query_id: {doc_id: score}}``.

    Parameters
    ----------
    path
        A file that MTEB wrote with ``prediction_folder``: lists by subset and split, with the
        model beside them; or lists alone, as older versions wrote them.
    subset, split
        Which of them; may be left out where there is one.

    Raises
    ------
    InputError
        For a file that holds no lists, and a subset or split that it has not.
    """
    told = _read_json(path)
    if _is_lists(told):
        return told
    told = {name: part for name, part in told.items() if name != "mteb_model_meta"}
    found = _pick(_pick(told, subset, "subset", path), split, "split", path)
    if not _is_lists(found):
        raise InputError(f"{path}: no lists in it; {_EXPECTED}")
    lists: dict[str, dict[str, float]] = found
    return lists


def main_score(
    qrels: Mapping[str, Mapping[str, int]],
    predictions: Mapping[str, Mapping[str, float]],
    measure: str = "ndcg_at_10",
    *,
    ignore_identical_ids: bool = False,
) -> float:
    """Return the main score that MTEB gives predictions, to its five digits.

    Parameters
    ----------
    qrels, predictions
        ``{query_id: {doc_id: value}}``; the mean is over the queries that both have, as there.
    measure
        ``ndcg_at_k``, ``map_at_k``, ``recall_at_k`` or ``precision_at_k``.
    ignore_identical_ids
        Leave documents with the id of the query out, as tasks such as ArguAna do.

    Examples
    --------
    >>> main_score({"q1": {"d1": 1}}, {"q1": {"d2": 2.0, "d1": 1.0}})
    0.63093
    """
    families = ("ndcg", "map", "recall", "precision")
    family, _, cutoff = measure.partition("_at_")
    if family not in families or not cutoff.isdecimal() or int(cutoff) < 1:
        raise InputError(
            f"measure must be one of {', '.join(families)} and a cutoff, such as ndcg_at_10; "
            f"got {measure!r}"
        )
    if not qrels.keys() & predictions.keys():
        raise InputError("no query of the predictions is in the judgments; are the ids the same?")
    means = EvaluateRetrieval.evaluate(qrels, predictions, [int(cutoff)], ignore_identical_ids)
    (value,) = means[families.index(family)].values()
    return value


def read_result(path: str | Path) -> pl.DataFrame:
    """Return a row a split and subset of an MTEB result file.

    Columns: task, split, subset, main_score, and each measure of it that is a number.

    Raises
    ------
    InputError
        For a file without ``scores``.
    """
    told = _read_json(path)
    rows = []
    scores = told.get("scores")
    for split, parts in (scores if isinstance(scores, dict) else {}).items():
        for part in parts:
            numbers = {k: float(v) for k, v in part.items() if isinstance(v, (int, float))}
            row = {"task": told.get("task_name"), "split": split, "subset": part.get("hf_subset")}
            rows.append(row | numbers)
    if not rows:
        raise InputError(f"{path}: no scores in it; expected the result file of an MTEB task")
    return pl.DataFrame(rows, infer_schema_length=None)


def _read_json(path: str | Path) -> dict[str, Any]:
    try:
        told = parse_json(Path(path).read_bytes(), str(path))
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None
    if not isinstance(told, dict) or not told:
        raise InputError(f"{path}: an empty file or a list; {_EXPECTED}")
    return told


def _is_lists(told: Any) -> bool:
    """Whether this is ``{query_id: {doc_id: score}}``."""
    return isinstance(told, dict) and all(
        isinstance(docs, dict)
        and all(isinstance(s, (int, float)) and not isinstance(s, bool) for s in docs.values())
        for docs in told.values()
    )


def _pick(told: Any, name: str | None, what: str, path: str | Path) -> Any:
    if not isinstance(told, dict):
        raise InputError(f"{path}: no {what} in it; {_EXPECTED}")
    if name is None and len(told) == 1:
        return next(iter(told.values()))
    if name is None or name not in told:
        wanted = f"no {what} {name!r} in it" if name is not None else f"name a {what}"
        raise InputError(f"{path}: {wanted}; there are {', '.join(map(str, told)) or 'none'}")
    return told[name]
