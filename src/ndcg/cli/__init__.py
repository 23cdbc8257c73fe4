"""The command: where errors become one message and an exit code.

Exit codes: 0 fine; 1 a check failed; 2 wrong usage or input, nothing written; 3 cannot tell.
"""

from __future__ import annotations

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
    "explain": ("ndcg.cli.explaining", "Explain one query's number, rank by rank."),
    "why": ("ndcg.cli.explaining", "Say where two conventions part, and through which rule."),
    "advise": ("ndcg.cli.advising", "Say which measure fits the judgments, and why."),
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
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
        except NdcgError as error:
            click.echo(f"ndcg: {error}", err=True)
            ctx.exit(2)
        except BrokenPipeError:
            # The reader, such as head, has seen enough; Python would complain at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            ctx.exit(0)
        else:
            return result


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="ndcg", message="%(prog)s %(version)s")
def main() -> None:
    """Evaluate ranked lists: the number, its convention, and what could mislead.

    Judgments (QRELS) come first, then runs. Start with: ndcg eval QRELS RUN
    """
