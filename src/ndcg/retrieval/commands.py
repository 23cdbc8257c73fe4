"""A retriever that is a command which prints JSON."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import signal
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from ndcg.errors import InputError, OptionError
from ndcg.formats.mappings import parse_json
from ndcg.retrieval.failures import AnswerError, PassingError
from ndcg.retrieval.templates import fill, has_query, refuse_unknown

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["CommandRetriever"]

_SHOWN = 200


@dataclass(frozen=True)
class CommandRetriever:
    """A retriever that is a command, run once a query, for `ndcg.collect`.

    Parameters
    ----------
    command
        Program and arguments, a list or one line that is split as a shell splits it; no shell runs.
        ``{query}``, ``{query_id}`` and ``{k}`` are filled in, each within its argument. Without
        ``{query}`` and ``{query_id}`` the text comes on standard input. A text may begin with a
        dash: put ``--`` before it, or take standard input.
    timeout
        Seconds until the command and what it started are ended.

    Examples
    --------
    >>> CommandRetriever("search --top {k} -- {query}").arguments("q1", "red; rm -rf /", 5)
    ['search', '--top', '5', '--', 'red; rm -rf /']
    """

    command: str | Sequence[str]
    timeout: float = 60.0
    workers: ClassVar[int] = 4

    def __post_init__(self) -> None:
        words = self._words()
        if not words or not words[0]:
            raise OptionError("the command is empty")
        if has_query(words[0]):
            raise OptionError("the program of a command must not depend on the query")
        for word in words:
            refuse_unknown(word, f"the command {shlex.join(words)!r}")
        if not 0 < self.timeout < float("inf"):
            raise OptionError(f"timeout must be above 0, got {self.timeout}")

    def _words(self) -> list[str]:
        if not isinstance(self.command, str):
            return list(self.command)
        try:
            return shlex.split(self.command)
        except ValueError as error:
            told = str(error).lower()
            raise OptionError(f"the command {self.command!r} cannot be split: {told}") from None

    @property
    def label(self) -> str:
        """The program alone, since arguments may be secret."""
        return self._words()[0]

    @property
    def settings(self) -> str:
        """What decides the answers."""
        return json.dumps(self._words())

    def arguments(self, query_id: str, text: str, k: int) -> list[str]:
        """Return the program and arguments that a query is asked with."""
        values = {"query": text, "query_id": query_id, "k": str(k)}
        return [fill(word, values) for word in self._words()]

    def ask(self, query_id: str, text: str, k: int) -> Any:
        """Return what the command printed."""
        content = self._run(self.arguments(query_id, text, k), text)
        try:
            return parse_json(content, "its output")
        except InputError as error:
            start = content[:_SHOWN].decode("utf-8", "replace")
            raise AnswerError(f"{error}; it begins with {start!r}") from None

    def _run(self, arguments: list[str], text: str) -> bytes:
        piped = not any(map(has_query, self._words()))
        try:
            process = subprocess.Popen(  # noqa: S603 - the command that was asked for, no shell
                arguments,
                stdin=subprocess.PIPE if piped else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except ValueError as error:
            raise AnswerError(str(error)) from None
        except OSError as error:
            raise AnswerError(f"{arguments[0]!r} cannot be run ({error.strerror})") from None
        try:
            given = text.encode() if piped else None
            content, messages = process.communicate(given, timeout=self.timeout)
        except subprocess.TimeoutExpired:
            raise PassingError(f"no answer within {self.timeout:g} s") from None
        finally:
            _end(process)
        if process.returncode:
            last = messages.decode("utf-8", "replace").strip()[-_SHOWN:]
            told = f": {last!r}" if last else ""
            raise PassingError(f"exit status {process.returncode}{told}")
        return content


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a command that still runs, and what it started."""
    if process.poll() is None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
        process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()
