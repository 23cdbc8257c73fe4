"""What a report was made from and with, and the command that makes it again."""

from __future__ import annotations

import os
import platform
import shlex
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from ndcg import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ndcg.comparison import Comparison

__all__ = ["report_to_json", "shell_line", "versions"]


def versions() -> dict[str, str]:
    """Return the versions that the numbers depend on."""
    return {
        "ndcg": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "polars": pl.__version__,
    }


def shell_line(words: Sequence[str]) -> str:
    r"""Return a command as a shell reads it back, in printable characters alone.

    >>> print(shell_line(["ndcg", "report", "it's.txt", "a\nb.run"]))
    ndcg report 'it'"'"'s.txt' $'a\x0ab.run'
    """
    return " ".join(shlex.quote(word) if word.isprintable() else _escaped(word) for word in words)


def _escaped(word: str) -> str:
    plain = (
        chr(byte) if 32 <= byte < 127 and byte not in b"'\\" else f"\\x{byte:02x}"  # noqa: PLR2004
        for byte in os.fsencode(word)
    )
    return f"$'{''.join(plain)}'"


def report_to_json(comparison: Comparison, command: str | None) -> dict[str, Any]:
    """Return a comparison as plain values with what it takes to repeat it."""
    return {
        **comparison.to_dict(),
        "runs": [{"name": run.name, "digest": run.digest} for run in comparison.scores.runs],
        "versions": versions(),
        "command": command,
    }
