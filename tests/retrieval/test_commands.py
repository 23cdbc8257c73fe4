"""Commands that print JSON, as real processes."""

from __future__ import annotations

import shlex
import sys
import time
from typing import TYPE_CHECKING

import pytest

from ndcg import CommandRetriever, InputError, OptionError, collect

if TYPE_CHECKING:
    from pathlib import Path


def python(script: str, *arguments: str) -> list[str]:
    return [sys.executable, "-c", f"import json, sys, time\n{script}", *arguments]


def reason(command: list[str] | str, timeout: float = 20.0, **queries: str) -> str:
    """Return why the only query failed."""
    with pytest.raises(InputError, match="no query got a document") as told:
        collect(queries or {"q": "a"}, CommandRetriever(command, timeout), retries=0)
    return str(told.value)


def test_the_text_is_one_argument_whatever_is_in_it(tmp_path: Path) -> None:
    script = "print(json.dumps([[sys.argv[1], 1.0], [sys.argv[2], 0.5]]))"
    text = f"$(touch {tmp_path}/x); 'q\" | * ü"
    run = collect({"q": text}, CommandRetriever(python(script, "{query}", "{query_id}-{k}")), k=2)
    assert run.lookup == {"q": {text: 1.0, "q-2": 0.5}}
    assert list(tmp_path.iterdir()) == []


def test_without_a_place_for_it_the_text_is_standard_input() -> None:
    line = shlex.join(python("print(json.dumps({sys.stdin.read(): 3}))"))
    run = collect({"q1": "-rf ü", "q2": "b"}, CommandRetriever(line))
    assert run.lookup == {"q1": {"-rf ü": 3.0}, "q2": {"b": 3.0}}


def test_an_exit_status_is_a_failure_with_the_last_words() -> None:
    told = reason(python("sys.exit('no \\x1b index')"))
    assert "exit status 1: 'no \\x1b index'" in told


def test_what_is_printed_must_be_json() -> None:
    assert "its output: not valid JSON" in reason(python("print('d1 d2')"))
    assert "it begins with 'd1 d2\\n'" in reason(python("print('d1 d2')"))


def test_a_slow_command_is_ended_with_what_it_started(tmp_path: Path) -> None:
    child = f"time.sleep(1.5); open({str(tmp_path / 'late')!r}, 'w')"
    script = (
        f"import subprocess\nsubprocess.run([sys.executable, '-c', {f'import time; {child}'!r}])"
    )
    started = time.monotonic()
    assert "no answer within 0.3 s" in reason(python(script), 0.3)
    assert time.monotonic() - started < 1.4
    time.sleep(1.6)
    assert list(tmp_path.iterdir()) == []


def test_a_command_that_is_not_there_is_told() -> None:
    told = reason("no-such-program {query}")
    assert "'no-such-program' cannot be run (No such file or directory)" in told


def test_a_text_that_no_argument_can_hold_is_a_failure() -> None:
    assert "null byte" in reason(python("pass", "{query}"), q="a\0b")


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("", "the command is empty"),
        ("a 'b", "cannot be split: no closing quotation"),
        ("{query} x", "program of a command must not depend on the query"),
        ("a {text}", "has {text} in it"),
    ],
)
def test_a_wrong_command_is_refused_where_it_is_made(command: str, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        CommandRetriever(command)
