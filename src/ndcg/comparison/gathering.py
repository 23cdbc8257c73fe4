"""Scores of many runs brought together for a comparison; what cannot be compared is refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from ndcg.conventions import as_convention
from ndcg.errors import InputError
from ndcg.evaluation import Scores, evaluate, load_scores, named_runs
from ndcg.formats.reading import as_qrels
from ndcg.measures import Judged, Measure

if TYPE_CHECKING:
    from ndcg.conventions import Convention
    from ndcg.data import FloatArray
    from ndcg.formats.reading import QrelsLike

DEFAULT_DEPTH = 10
_SHOWN = 12


def judged_measure(measure: Measure) -> Measure:
    """Return the judged@k that goes with a measure: at its cutoff, or at 10."""
    return Judged @ (measure.cutoff or DEFAULT_DEPTH)


def gather_scores(
    qrels: QrelsLike | None,
    runs: Any,
    measures: tuple[Measure, ...],
    convention: Convention | str | None,
) -> Scores:
    """Return the scores of all runs, judged@k included; a run may be saved `Scores` or their path.

    Raises
    ------
    InputError
        When saved scores rest on other judgments, another convention or another query set, or lack
        a measure.
    """
    wanted = tuple(dict.fromkeys([*measures, *map(judged_measure, measures)]))
    named = named_runs(runs)
    parts: list[tuple[str, Scores]] = []
    judged = None if qrels is None else as_qrels(qrels)
    for name in named:
        saved = saved_scores(named[name])
        if saved is not None:
            parts += [(f"saved scores {one.name!r}", _only(saved, one.name)) for one in saved.runs]
        elif judged is None:
            raise InputError(f"{name}: to evaluate a run the judgments are needed, got none")
        else:
            one = _Single(name, named)
            fresh = evaluate(judged, one, wanted, convention=convention)
            parts.append((f"run {name!r}", fresh))
    if not parts:
        raise InputError("no run to compare")
    if qrels is not None and judged is not None:
        _refuse_other_judgments(parts, judged.digest)
    if convention is not None:
        _refuse_other_convention(parts, as_convention(convention))
    return _join(parts, measures, wanted)


class _Single(Mapping[str, Any]):
    """One named run, read when it is asked for."""

    def __init__(self, name: str, runs: Mapping[str, Any]) -> None:
        self._name, self._runs = name, runs

    def __getitem__(self, name: str) -> Any:
        return self._runs[name]

    def __iter__(self) -> Any:
        yield self._name

    def __len__(self) -> int:
        return 1


def saved_scores(source: Any) -> Scores | None:
    """Return saved scores from themselves or their path; None for anything else."""
    if isinstance(source, Scores):
        return source
    if not isinstance(source, (str, PathLike)) or not str(source).endswith(".parquet"):
        return None
    try:
        metadata = pl.read_parquet_metadata(source)  # type: ignore[arg-type]
    except (pl.exceptions.PolarsError, OSError):
        return None
    return load_scores(source) if "ndcg" in metadata else None  # type: ignore[arg-type]


def _only(scores: Scores, name: str) -> Scores:
    return replace(scores, runs=(scores.run(name),))


def _refuse_other_judgments(parts: list[tuple[str, Scores]], digest: str) -> None:
    for what, scores in parts:
        if scores.qrels_digest != digest:
            raise InputError(
                f"{what} rests on other judgments (qrels {scores.qrels_digest[:_SHOWN]}, here "
                f"{digest[:_SHOWN]}); evaluate that run again on these judgments"
            )


def _refuse_other_convention(parts: list[tuple[str, Scores]], convention: Convention) -> None:
    for what, scores in parts:
        if replace(scores.convention, profile="") != replace(convention, profile=""):
            raise InputError(
                f"{what} has another convention ({scores.convention.describe()}) than asked for "
                f"({convention.describe()}); evaluate it again under this one"
            )


def _join(
    parts: list[tuple[str, Scores]], measures: tuple[Measure, ...], wanted: tuple[Measure, ...]
) -> Scores:
    first_name, first = parts[0]
    _refuse_other_judgments(parts, first.qrels_digest)
    _refuse_other_convention(parts, first.convention)
    for what, scores in parts:
        if scores.query_ids != first.query_ids:
            raise InputError(
                f"{what} covers {len(scores.query_ids)} queries, {first_name} "
                f"{len(first.query_ids)}; evaluate both on the same query set"
            )
        lacking = [measure for measure in measures if measure not in scores.measures]
        if lacking:
            have = ", ".join(repr(measure) for measure in scores.measures)
            raise InputError(
                f"{what} lacks {lacking[0]!r} (it has {have}); evaluate it again with "
                f"-m '{lacking[0]!r}'"
            )
    names = [scores.runs[0].name for _, scores in parts]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"two runs are called {twice!r}; give them different names")
    runs = tuple(replace(scores.runs[0], values=_columns(scores, wanted)) for _, scores in parts)
    notices = dict.fromkeys(notice for _, scores in parts for notice in scores.notices)
    return replace(first, measures=wanted, runs=runs, notices=tuple(notices))


def _columns(scores: Scores, wanted: tuple[Measure, ...]) -> FloatArray:
    values = scores.runs[0].values
    missing = np.full(len(scores.query_ids), np.nan)
    return np.column_stack(
        [
            values[:, scores.measures.index(measure)] if measure in scores.measures else missing
            for measure in wanted
        ]
    )
