"""``ndcg collect``."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ndcg.cli.converting import tell_lost
from ndcg.cli.options import tell, tell_notices
from ndcg.errors import InputError, OptionError

if TYPE_CHECKING:
    from collections.abc import Callable

    from ndcg.retrieval.collecting import Collected

_INTERRUPTED = 130

_RETRIEVERS = (
    click.option(
        "--url",
        metavar="TEMPLATE",
        help="An address that answers with JSON; {query}, {query_id} and {k} are filled in.",
    ),
    click.option(
        "--command",
        metavar="LINE",
        help="A command that prints JSON, run once a query, without a shell. {query} is filled in; "
        "without it the text comes on standard input.",
    ),
    click.option(
        "--callable",
        "spec",
        metavar="MODULE:NAME",
        help="A Python function of the text, or a LangChain or LlamaIndex retriever.",
    ),
)
_ANSWERS = (
    click.option(
        "--results",
        metavar="PATH",
        help="Where an answer has its list, such as hits.hits. [default: the usual places]",
    ),
    click.option("--id", "doc_id", metavar="PATH", help="Where a document has its id."),
    click.option("--score", metavar="PATH", help="Where a document has its score."),
    click.option(
        "--by",
        type=click.Choice(["score", "order"]),
        help="What ranks: scores (default), or the order of the list, for distances.",
    ),
    click.option(
        "-k", type=int, default=100, show_default=True, help="Documents asked for and kept."
    ),
)
_REQUESTS = (
    click.option(
        "--body",
        metavar="JSON|@FILE",
        help='JSON to send by POST, with the same places: \'{"text": "{query}"}\'.',
    ),
    click.option(
        "--header",
        "headers",
        multiple=True,
        metavar="LINE|@FILE",
        help="NAME: VALUE to send, or a file of them; repeatable.",
    ),
    click.option(
        "--timeout",
        type=float,
        metavar="SECONDS",
        help="For one answer. [default: 30; 60 --command]",
    ),
)
_PACE = (
    click.option(
        "--workers", type=int, metavar="N", help="Queries at a time. [default: 4; 1 --callable]"
    ),
    click.option("--rate", type=float, metavar="N", help="At most so many requests a second."),
    click.option(
        "--retries", type=int, default=3, show_default=True, help="Further tries of a query."
    ),
    click.option(
        "--backoff",
        type=float,
        default=0.5,
        show_default=True,
        metavar="SECONDS",
        help="Before the first of them; then twice as long each time.",
    ),
    click.option(
        "--give-up",
        type=int,
        default=20,
        show_default=True,
        metavar="N",
        help="Stop when so many queries failed in a row; 0 never.",
    ),
)
_OUTPUT = (
    click.option(
        "-o", "--output", "target", required=True, metavar="RUN", help="The run to write."
    ),
    click.option("--to", metavar="FORMAT", help="Its format; from its ending unless given."),
    click.option(
        "--journal",
        metavar="FILE",
        help="Keep the answers here. [default: RUN.journal, removed when the run is written]",
    ),
    click.option("--partial", is_flag=True, help="Write the run though queries failed."),
)


def _collect_options(command: Callable[..., None]) -> Callable[..., None]:
    for option in reversed((*_RETRIEVERS, *_ANSWERS, *_REQUESTS, *_PACE, *_OUTPUT)):
        command = option(command)
    return command


@click.command("collect", short_help="Ask a retriever every query and write its run.")
@click.argument("queries")
@_collect_options
def collect_command(
    *, queries: str, target: str, to: str | None, journal: str | None, partial: bool, **asked: Any
) -> None:
    r"""Ask a retriever every query and write its run.

    Stopped and started again it asks only what is missing. Exit code 0: the run is written; 1:
    queries failed, and no run is written without --partial.

    \b
    ndcg collect queries.tsv --url 'http://localhost/search?q={query}' -o a.run
    ndcg collect queries.tsv --command './search.sh --top {k}' -o b.run
    ndcg collect queries.jsonl --callable search:retriever -k 10 -o c.run
    """
    from ndcg.formats.writing import format_of, write_run

    format_of(target, to)
    if target != "-" and not Path(target).resolve().parent.is_dir():
        raise OptionError(f"{target}: there is no folder {Path(target).parent}; make it first")
    retriever = _retriever(asked)
    place = journal or (None if target == "-" else f"{target}.journal")
    run = _ask(queries, retriever, place, target, asked)
    tell_notices(run.notices)
    if run.failures and not partial:
        _refuse_partial(run, place)
    write_run(run, target, format=to)
    tell_lost(run, target, to)
    if journal is None and place is not None and not run.failures:
        Path(place).unlink(missing_ok=True)


def _retriever(asked: dict[str, Any]) -> Any:
    url, command, spec = (asked.pop(name) for name in ("url", "command", "spec"))
    body, headers, timeout = (asked.pop(name) for name in ("body", "headers", "timeout"))
    if sum(one is not None for one in (url, command, spec)) != 1:
        raise OptionError("name one retriever: --url, --command or --callable")
    if url is None and (body is not None or headers):
        raise OptionError("--body and --header are for --url")
    limit = {} if timeout is None else {"timeout": timeout}
    if url is not None:
        from ndcg.retrieval.urls import UrlRetriever

        text = body if body is None or body[:1] != "@" else _content(body[1:])
        return UrlRetriever(url, text, _headers(headers), **limit)
    if command is not None:
        from ndcg.retrieval.commands import CommandRetriever

        return CommandRetriever(command, **limit)
    if timeout is not None:
        raise OptionError("--timeout is for --url and --command; a function has its own")
    from ndcg.retrieval.callables import load_callable

    return load_callable(spec)


def _content(path: str) -> str:
    from ndcg.formats.sources import open_source

    try:
        return open_source(path).everything().decode()
    except UnicodeDecodeError:
        raise InputError(f"{path}: not UTF-8; convert the file to UTF-8") from None


def _headers(given: tuple[str, ...]) -> dict[str, str]:
    lines: list[str] = []
    for line in given:
        lines += _content(line[1:]).splitlines() if line[:1] == "@" else [line]
    found = {}
    for number, line in enumerate(filter(str.strip, lines), 1):
        name, colon, value = line.partition(":")
        if not colon:
            # The line itself may be a secret.
            raise OptionError(f"header {number} has no colon in it; expected NAME: VALUE")
        found[name.strip()] = value.strip()
    return found


def _ask(
    queries: str, retriever: Any, journal: str | None, target: str, asked: dict[str, Any]
) -> Collected:
    from ndcg.formats.sources import stem
    from ndcg.retrieval.collecting import collect

    bar = _Bar()
    try:
        return collect(
            queries,
            retriever,
            journal=journal,
            name="run" if target == "-" else stem(target),
            progress=bar.draw,
            **asked,
        )
    except KeyboardInterrupt:
        bar.clear()
        kept = "nothing is kept" if journal is None else f"answers so far are in {journal}"
        tell([f"stopped; {kept}" + ("" if journal is None else _AGAIN)])
        click.get_current_context().exit(_INTERRUPTED)
    finally:
        bar.clear()


_AGAIN = "; the same command asks only what is missing"


def _refuse_partial(run: Collected, journal: str | None) -> None:
    kept = "" if journal is None else f"; answers are kept in {journal}{_AGAIN}"
    click.echo(
        f"ndcg: no run written: {len(run.failures)} of {run.asked} queries failed{kept}; or write "
        "it without them with --partial",
        err=True,
    )
    click.get_current_context().exit(1)


class _Bar:
    """One line on a terminal that says how far asking has come; nothing elsewhere."""

    def __init__(self) -> None:
        self._is_shown = sys.stderr.isatty()
        self._started = time.monotonic()
        self._first: int | None = None

    def draw(self, done: int, failed: int, total: int) -> None:
        if not self._is_shown:
            return
        self._first = done - 1 if self._first is None else self._first
        seconds = time.monotonic() - self._started
        speed = (done - self._first) / seconds if seconds else 0.0
        left = f", {_clock((total - done) / speed)} left" if speed and done < total else ""
        told = f"{done} of {total} queries, {failed} failed, {speed:.1f}/s{left}"
        click.echo(f"\r\x1b[K{told}", nl=False, err=True)

    def clear(self) -> None:
        if self._is_shown and self._first is not None:
            click.echo("\r\x1b[K", nl=False, err=True)


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02d}" if minutes else f"{rest} s"
