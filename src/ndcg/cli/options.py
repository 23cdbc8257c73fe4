"""Options that commands share, and how results leave."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ndcg.errors import InputError

if TYPE_CHECKING:
    from ndcg.data import Qrels, Run

_Command = TypeVar("_Command", bound=Callable[..., Any])
_SLOW_SECONDS = 1.0


def as_option(command: _Command) -> _Command:
    """Add ``--as PROFILE``."""
    return click.option(
        "--as",
        "profile",
        metavar="PROFILE",
        help="Convention of another tool: trec_eval, trec_eval-9, pytrec_eval, ir_measures, "
        "sklearn, ranx, beir, gdeval, lightgbm.",
    )(command)


def input_options(command: _Command) -> _Command:
    """Add the options that say how files are read."""
    for option in reversed(
        [
            click.option(
                "--qrels-format",
                metavar="FORMAT",
                help="trec, beir, tsv, csv, msmarco, parquet, arrow, jsonl or json; "
                "sniffed unless given.",
            ),
            click.option("--run-format", metavar="FORMAT", help="The same for runs."),
            click.option(
                "--parent",
                metavar="SEP|FILE",
                help="Runs hold chunks: a separator ('#' makes d7#2 the document d7) or a file of "
                "two columns, chunk_id doc_id.",
            ),
            click.option(
                "--duplicates",
                type=click.Choice(["error", "first", "last"]),
                help="A document retrieved twice for a query: refuse it (default), or count its "
                "first or last line.",
            ),
        ]
    ):
        command = option(command)
    return command


def output_options(*formats: str) -> Callable[[_Command], _Command]:
    """Add ``--format`` and ``-o``."""

    def add(command: _Command) -> _Command:
        command = click.option(
            "-o", "--output", metavar="FILE", help="Write the result to a file, whole or not at all."
        )(command)
        return click.option(
            "--format",
            "format_",
            type=click.Choice(formats),
            default=formats[0],
            show_default=True,
            help="How the result is written.",
        )(command)

    return add


def emit(text: str, output: str | None) -> None:
    """Write a result to standard output, or to a file that appears whole or not at all."""
    if output is None or output == "-":
        click.echo(text)
        return
    from ndcg.formats.writing import write_whole

    write_whole(Path(output), f"{text}\n".encode())


def tell(lines: list[str]) -> None:
    """Write notices to standard error."""
    for line in lines:
        click.echo(f"note: {line}", err=True)


def read_qrels(path: str, format: str | None) -> Qrels:
    """Read the judgments that a command was given."""
    from ndcg.formats.reading import as_qrels

    return as_qrels(path, format=format)


class RunFiles(Mapping[str, Any]):
    """Runs by name, each read when it is asked for, so that one at a time is in memory."""

    def __init__(
        self,
        paths: tuple[str, ...],
        *,
        format: str | None = None,
        parent: str | None = None,
        duplicates: str = "error",
    ) -> None:
        from ndcg.evaluation import distinct_names

        if len(set(paths)) < len(paths):
            twice = next(path for path in paths if paths.count(path) > 1)
            raise InputError(f"{twice}: given twice; name each run once")
        self._paths = dict(zip(distinct_names(list(paths)), paths, strict=True))
        self._options = {"format": format, "duplicates": duplicates}
        self._parent = parent
        self._started = time.monotonic()

    def __getitem__(self, name: str) -> Run:
        from ndcg.formats.reading import as_run, read_parents

        parent: Any = self._parent
        if parent is not None and Path(parent).is_file():
            parent = read_parents(parent)
        self._show_progress(name)
        return as_run(self._paths[name], name=name, parent=parent, **self._options)

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
