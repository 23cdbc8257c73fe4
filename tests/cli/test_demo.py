"""``ndcg demo``: what it shows is what the commands in it print."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from typing import TYPE_CHECKING

from click.testing import Result

if TYPE_CHECKING:
    from pathlib import Path

Ndcg = Callable[..., Result]


def test_the_demo_shows_what_its_commands_print(ndcg: Ndcg, samples: Path) -> None:
    shown = ndcg("demo")
    assert (shown.exit_code, shown.stderr) == (0, "")
    commands = [line[2:] for line in shown.stdout.splitlines() if line.startswith("$ ndcg ")]
    assert {shlex.split(command)[1] for command in commands} >= {"eval", "compare", "explain"}
    for command in commands:
        printed = ndcg(*shlex.split(command)[1:]).stdout
        told = shown.stdout.partition(f"$ {command}\n\n")[2]
        assert told.startswith(printed) or printed.startswith(told.partition("\n...\n")[0])
    assert f"The files of this demo are in {samples}\n" in shown.stdout


def test_the_demo_ends_with_what_to_try_next(ndcg: Ndcg) -> None:
    ending = ndcg("demo").stdout.partition("On your own files:\n")[2].splitlines()
    assert [line.split()[:2] for line in ending[:3]] == [
        ["ndcg", "eval"],
        ["ndcg", "compare"],
        ["ndcg", "explain"],
    ]


def test_the_demo_fits_80_columns(ndcg: Ndcg) -> None:
    lines = ndcg("demo").stdout.splitlines()
    assert max(len(line) for line in lines if "files of this demo" not in line) <= 80
