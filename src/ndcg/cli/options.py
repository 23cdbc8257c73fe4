"""Options that commands share, and how results leave."""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import click

from ndcg.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ndcg.cli.run_files import RunFiles
    from ndcg.data import Notice, Qrels
    from ndcg.slicing import Slices

_Command = Callable[..., None]


@dataclass(frozen=True)
class Reading:
    """How a command reads its files."""

    qrels_format: str | None
    run_format: str | None
    parent: str | None
    duplicates: str | None
    _piped: list[str] = field(default_factory=list)

    def claim(self, *paths: str) -> None:
        """Refuse standard input where another file was read from it already."""
        self._piped.extend(path for path in paths if path == "-")
        if len(self._piped) > 1:
            raise OptionError(
                "- is standard input, which can be read only once; name a file for the other"
            )

    def qrels(self, path: str) -> Qrels:
        """Read the judgments."""
        from ndcg.formats.reading import as_qrels

        self.claim(path)
        return as_qrels(path, format=self.qrels_format)

    def runs(self, paths: tuple[str, ...], policy: str = "error") -> RunFiles:
        """Return the runs, each to be read when it is asked for."""
        from ndcg.cli.run_files import RunFiles

        self.claim(*paths)
        return RunFiles(paths, self, self.duplicates or policy)


@dataclass(frozen=True)
class Output:
    """How a command writes its result."""

    format: str
    path: str | None

    def write(self, text: str) -> None:
        """Write to standard output, or to a file that appears whole or not at all."""
        if self.path is None or self.path == "-":
            # Bytes, because click drops escape sequences from text, ids among it.
            encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
            click.echo(text.encode(encoding, "backslashreplace"))
            return
        from ndcg.formats.writing import write_whole

        write_whole(self.path, f"{text}\n".encode())

    def write_json(self, told: dict[str, Any]) -> None:
        """Write plain values as JSON."""
        self.write(json.dumps(told, indent=2, ensure_ascii=False, allow_nan=False))


def as_option(command: _Command) -> _Command:
    """Add ``--as PROFILE``."""
    return click.option(
        "--as",
        "profile",
        metavar="PROFILE",
        help="Convention of another tool: trec_eval, trec_eval-9, pytrec_eval, ir_measures, "
        "sklearn, ranx, beir, gdeval, lightgbm.",
    )(command)


def bounds_options(*, default: bool = False) -> Callable[[_Command], _Command]:
    """Add the options of bounds; the command gets `bounds`: their keywords, or False.

    A command that shows bounds by `default` takes ``--bounds`` as well, and it changes nothing.
    """

    def add(command: _Command) -> _Command:
        @click.option(
            "--grades",
            metavar="G,G...",
            help="Bounds: every grade that a label could be. [default: 0,1,2,3]",
        )
        @click.option(
            "--open-world",
            is_flag=True,
            help="Bounds: documents that no run retrieved may be relevant as well.",
        )
        @functools.wraps(command)
        def gathered(*, grades: str | None, open_world: bool, bounds: bool, **others: Any) -> None:
            bounds = bounds or default
            if not bounds and (grades is not None or open_world):
                name = "--grades" if grades is not None else "--open-world"
                raise OptionError(f"{name} says what bounds assume; add --bounds")
            scale: dict[str, Any] = {} if grades is None else {"grades": read_grades(grades)}
            command(bounds={"open_world": open_world, **scale} if bounds else False, **others)

        return _BOUNDS(gathered)

    return add


_BOUNDS = click.option(
    "--bounds",
    is_flag=True,
    help="Exact lower and upper values, whatever the unjudged documents would be worth.",
)


def effort_options(command: _Command) -> _Command:
    """Add what judging costs; the command gets it as `effort`."""

    @click.option("--seconds", type=float, default=25.0, show_default=True, help="Seconds a label.")
    @click.option("--rate", type=float, default=60.0, show_default=True, help="Money an hour.")
    @click.option(
        "--raters", type=int, multiple=True, default=(1,), show_default=True, help="Repeatable."
    )
    @click.option(
        "--overlap",
        type=float,
        default=1.0,
        show_default=True,
        help="Share that all raters judge.",
    )
    @functools.wraps(command)
    def gathered(
        *, seconds: float, rate: float, raters: tuple[int, ...], overlap: float, **others: Any
    ) -> None:
        from ndcg.planning import Effort

        command(effort=Effort(seconds, rate, raters, overlap), **others)

    return gathered


def read_share(name: str, text: str) -> float:
    """Return a share from 0 to 1, which may be written as a percentage."""
    number, percent = text.strip().removesuffix("%"), text.strip().endswith("%")
    try:
        return float(number) / (100 if percent else 1)
    except ValueError:
        raise OptionError(f"{name} must be a share such as 0.9 or 90%, got {text!r}") from None


def read_grades(text: str) -> tuple[float, ...]:
    """Return a scale from its grades, parted by commas."""
    try:
        return tuple(float(grade) for grade in text.split(","))
    except ValueError:
        raise OptionError(
            f"--grades must be numbers parted by commas, such as 0,1,2,3, got {text!r}"
        ) from None


def input_options(command: _Command) -> _Command:
    """Add the options that say how files are read; the command gets them as `reading`."""

    @click.option(
        "--qrels-format",
        metavar="FORMAT",
        help="trec, beir, tsv, csv, msmarco, parquet, arrow, jsonl or json; sniffed unless given.",
    )
    @click.option("--run-format", metavar="FORMAT", help="The same for runs.")
    @click.option(
        "--parent",
        metavar="SEP|FILE",
        help="Runs hold chunks: a separator ('#' makes d7#2 the document d7) or a file of two "
        "columns, chunk_id doc_id.",
    )
    @click.option(
        "--duplicates",
        type=click.Choice(["error", "first", "last"]),
        help="A document retrieved twice for a query: refuse it (default), or count its first or "
        "last line.",
    )
    @functools.wraps(command)
    def gathered(
        *,
        qrels_format: str | None,
        run_format: str | None,
        parent: str | None,
        duplicates: str | None,
        **others: Any,
    ) -> None:
        reading = Reading(qrels_format, run_format, parent, duplicates)
        command(reading=reading, **others)

    return gathered


def output_options(*formats: str) -> Callable[[_Command], _Command]:
    """Add ``--format`` and ``-o``; the command gets them as `output`."""

    def add(command: _Command) -> _Command:
        @click.option(
            "--format",
            "format_",
            type=click.Choice(formats),
            default=formats[0],
            show_default=True,
            help="How the result is written.",
        )
        @click.option(
            "-o",
            "--output",
            "path",
            metavar="FILE",
            help="Write the result to a file, whole or not at all.",
        )
        @functools.wraps(command)
        def gathered(*, format_: str, path: str | None, **others: Any) -> None:
            command(output=Output(format_, path), **others)

        return gathered

    return add


def read_slices(path: str | None, names: tuple[str, ...]) -> Slices | None:
    """Return the slices that a command was given, all or only some; None without a file."""
    if path is None:
        if names:
            raise OptionError("--by names columns of a slice file; say which with --slices FILE")
        return None
    from ndcg.slicing import as_slices

    groups = as_slices(path)
    return groups.select(list(names)) if names else groups


def tell(lines: list[str]) -> None:
    """Write notices to standard error."""
    for line in lines:
        click.echo(f"note: {line}", err=True)


def tell_notices(*read: Iterable[Notice]) -> None:
    """Write what was counted in reading to standard error."""
    from ndcg.reporting.score_tables import notice_lines

    for notices in read:
        tell(notice_lines(notices))
