"""Runs that a command was given, read one at a time."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ndcg.errors import InputError
from ndcg.evaluation import NamedRuns, distinct_names, find_scores
from ndcg.formats.reading import as_run, read_parents

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ndcg.cli.options import Reading
    from ndcg.data import Run
    from ndcg.evaluation import Scores

_SLOW_SECONDS = 1.0
_STANDARD_INPUT = "stdin"


class RunFiles(NamedRuns):
    """Runs by name, each read when it is asked for, so that one at a time is in memory."""

    def __init__(self, paths: tuple[str, ...], reading: Reading, duplicates: str) -> None:
        if len(set(paths)) < len(paths):
            twice = next(path for path in paths if paths.count(path) > 1)
            raise InputError(f"{twice}: given twice; name each run once")
        # A file name need not be UTF-8, the name of a run must.
        named = [
            _STANDARD_INPUT if path == "-" else os.fsencode(path).decode(errors="backslashreplace")
            for path in paths
        ]
        self._paths = dict(zip(distinct_names(named), paths, strict=True))
        self._reading = reading
        self._duplicates = duplicates
        self._started = time.monotonic()

    def __getitem__(self, name: str) -> Run | Scores:
        saved = find_scores(self._paths[name])
        return self._read(name) if saved is None else saved

    def read(self, name: str) -> Run:
        """Return a run; saved scores, which `ndcg compare` takes for one, are refused."""
        if find_scores(self._paths[name]) is not None:
            raise InputError(
                f"{self._paths[name]}: these are saved scores, not a run; name the run itself, or "
                "compare the scores with ndcg compare"
            )
        return self._read(name)

    def _read(self, name: str) -> Run:
        parent: Any = self._reading.parent
        if parent is not None and Path(parent).is_file():
            parent = read_parents(parent)
        self._show_progress(name)
        return as_run(
            self._paths[name],
            format=self._reading.run_format,
            name=name,
            duplicates=self._duplicates,
            parent=parent,
        )

    def only(self) -> Run:
        """Return the one run that there is."""
        return self.read(next(iter(self._paths)))

    def __iter__(self) -> Iterator[str]:
        yield from self._paths
        self._clear_progress()

    def __len__(self) -> int:
        return len(self._paths)

    def _is_slow(self) -> bool:
        return sys.stderr.isatty() and time.monotonic() - self._started > _SLOW_SECONDS

    def _show_progress(self, name: str) -> None:
        if self._is_slow():
            place = list(self._paths).index(name) + 1
            click.echo(f"\r\x1b[Kreading run {place} of {len(self)}: {name}", nl=False, err=True)

    def _clear_progress(self) -> None:
        if self._is_slow() and len(self) > 1:
            click.echo("\r\x1b[K", nl=False, err=True)
