"""Scores of many runs brought together for a comparison; what cannot be compared is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ndcg.conventions import as_convention
from ndcg.errors import InputError
from ndcg.evaluation import Scores, evaluate, find_scores, named_runs
from ndcg.formats.reading import as_qrels, as_run
from ndcg.measures import Judged, Measure

if TYPE_CHECKING:
    from ndcg.conventions import Convention
    from ndcg.data import FloatArray, Qrels, Run
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
        source = named[name]
        saved = find_scores(source)
        if saved is not None:
            parts += [(f"saved scores {one!r}", part) for one, part in _split(saved, name)]
        elif judged is None:
            raise InputError(f"{name}: to evaluate a run the judgments are needed, got none")
        else:
            fresh = evaluate(judged, {name: source}, wanted, convention=convention)
            parts.append((f"run {name!r}", fresh))
    if not parts:
        raise InputError("no run to compare")
    if qrels is not None and judged is not None:
        _refuse_other_judgments(parts, judged.digest)
    if convention is not None:
        _refuse_other_convention(parts, as_convention(convention))
    return _join(parts, measures, wanted)


def read_all(
    qrels: QrelsLike | None, runs: Any, convention: Convention | str | None
) -> tuple[Qrels, dict[str, Run]]:
    """Return judgments and runs, all of them in memory, as bounds need them."""
    if qrels is None:
        raise InputError("bounds need the judgments, got none")
    named, policy = named_runs(runs), as_convention(convention).duplicates
    read = {}
    for name in named:
        source = named[name]
        if find_scores(source) is not None:
            raise InputError(
                f"{name}: bounds need the run itself, these are saved scores; name the run, or "
                "leave the bounds out"
            )
        read[name] = as_run(source, name=name, duplicates=policy, copy=False)
    return as_qrels(qrels), read


def _split(scores: Scores, name: str) -> list[tuple[str, Scores]]:
    """Return saved scores run by run; a single run takes the name that it is given here."""
    if len(scores.runs) == 1:
        return [(name, replace(scores, runs=(replace(scores.runs[0], name=name),)))]
    return [(run.name, replace(scores, runs=(run,))) for run in scores.runs]


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
