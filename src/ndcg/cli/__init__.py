"""The command: where errors become one message and an exit code.

Exit codes: 0 fine; 1 a check failed; 2 wrong usage or input, nothing written; 3 cannot tell.
"""

from __future__ import annotations

import io
import os
import sys
from importlib import import_module
from typing import Any

import click

from ndcg import __version__
from ndcg.errors import NdcgError, near_miss

# Command modules load when they are called, so that --version and --help stay instant.
_COMMANDS = {
    "eval": ("ndcg.cli.evaluating", "Evaluate runs against judgments."),
    "compare": ("ndcg.cli.comparing", "Compare runs with a baseline, ending in a verdict."),
    "decompose": ("ndcg.cli.decomposing", "Split a change into better answers and other queries."),
    "report": ("ndcg.cli.reporting", "Write a comparison as a page, or for a paper."),
    "plan": ("ndcg.cli.planning", "Say how many queries a difference needs, and their cost."),
    "audit": ("ndcg.cli.planning", "Say what a printed figure can support."),
    "reference": ("ndcg.cli.planning", "Show published values, for a sanity check."),
    "explain": ("ndcg.cli.explaining", "Explain one query's number, rank by rank."),
    "why": ("ndcg.cli.explaining", "Say where two conventions part, and through which rule."),
    "advise": ("ndcg.cli.advising", "Say which measure fits the judgments, and why."),
    "coverage": ("ndcg.cli.covering", "Say what was never judged, and what it could change."),
    "pool": ("ndcg.cli.pooling", "Choose the documents to judge, and say what they cost."),
    "merge": ("ndcg.cli.pooling", "Put judgments and rated pools together."),
    "next": ("ndcg.cli.queueing", "Say which labels would settle two runs soonest."),
    "collect": ("ndcg.cli.collecting", "Ask a retriever every query and write its run."),
    "convert": ("ndcg.cli.converting", "Rewrite judgments or a run in another format."),
    "demo": ("ndcg.cli.demo", "Evaluate real data that ships with the package."),
}


class _Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:  # noqa: ARG002
        if name not in _COMMANDS:
            return None
        command: click.Command = getattr(import_module(_COMMANDS[name][0]), f"{name}_command")
        # A raw docstring spells click's mark for lines that stay as they are with two characters.
        command.help = (command.help or "").replace("\\b\n", "\b\n")
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in _COMMANDS and not args[0].startswith("-"):
            hint = near_miss(args[0], _COMMANDS)
            ctx.fail(f"no command named {args[0]!r}{hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl([(name, told) for name, (_, told) in _COMMANDS.items()])

    def invoke(self, ctx: click.Context) -> Any:
        if isinstance(sys.stdout, io.TextIOWrapper):
            # An id that the terminal's encoding lacks is spelled out.
            sys.stdout.reconfigure(errors="backslashreplace")
        try:
            result = super().invoke(ctx)
            if sys.stdout is not None:
                sys.stdout.flush()
        except NdcgError as error:
            click.echo(f"ndcg: {error}", err=True)
            ctx.exit(2)
        except BrokenPipeError:
            # The reader, such as head, has seen enough.
            _close_output()
            ctx.exit(0)
        except OSError as error:
            _close_output()
            where = error.filename or "standard output"
            click.echo(f"ndcg: {where}: {(error.strerror or str(error)).lower()}", err=True)
            ctx.exit(2)
        else:
            return result


def _close_output() -> None:
    """Send the rest nowhere; Python would try to write it at exit, and complain."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="ndcg", message="%(prog)s %(version)s")
def main() -> None:
    """Evaluate ranked lists: the number, its convention, and what could mislead.

    Judgments (QRELS) come first, then runs. Start with: ndcg eval QRELS RUN
    """
