"""Names for runs: one run, a mapping of named ones, or a list of paths."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain, count
from os import PathLike
from typing import TYPE_CHECKING, Any

from ndcg.data import Run
from ndcg.evaluation.computing import prepare_run
from ndcg.evaluation.scores import Scores
from ndcg.formats.reading import as_run

if TYPE_CHECKING:
    from ndcg.conventions import Convention


class NamedRuns(Mapping[str, Any]):
    """Runs by name that are read when they are asked for; subclasses read them."""


def named_runs(runs: Any) -> Mapping[str, Any]:
    """Return runs by name from one run, a mapping of named runs, or a list of paths and runs."""
    if isinstance(runs, NamedRuns):
        return runs
    if isinstance(runs, Mapping) and not hasattr(runs, "__arrow_c_stream__"):
        inner = next(iter(runs.values()), None)
        many = not isinstance(inner, Mapping) or isinstance(
            next(iter(inner.values()), None), Mapping
        )
        return dict(runs) if runs and many else {"run": runs}
    if isinstance(runs, (list, tuple)) and runs and all(_is_run_like(one) for one in runs):
        return dict(zip(distinct_names(list(runs)), runs, strict=True))
    return {distinct_names([runs])[0]: runs}


def read_runs(runs: Any, rules: Convention) -> dict[str, Run]:
    """Return every run in memory, without what a convention leaves out."""
    named = named_runs(runs)
    return {
        name: prepare_run(as_run(named[name], name=name, duplicates=rules.duplicates), rules)
        for name in named
    }


def _is_run_like(one: object) -> bool:
    """Whether a member of a list is a run of its own rather than a row of one."""
    return isinstance(one, (str, PathLike, Run, Scores, Mapping)) or hasattr(
        one, "__arrow_c_stream__"
    )


def distinct_names(runs: list[Any]) -> list[str]:
    """Return a name for each run; equal file names are told apart by their folders."""
    from ndcg.formats.sources import stem

    names = []
    for run in runs:
        if isinstance(run, Run):
            names.append(run.name or "run")
        elif isinstance(run, Scores):
            names.append(run.runs[0].name)
        else:
            names.append(stem(run) if isinstance(run, (str, PathLike)) else "run")
    shared = {name for name in names if names.count(name) > 1}
    for i, run in enumerate(runs):
        if names[i] in shared and isinstance(run, (str, PathLike)):
            names[i] = str(run)
    distinct: list[str] = []
    for name in names:
        copies = (f"{name} ({number})" for number in count(2))
        distinct.append(next(one for one in chain([name], copies) if one not in distinct))
    return distinct
