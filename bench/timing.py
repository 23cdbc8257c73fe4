"""Whole processes measured by the system that ran them: wall time, processor time, peak memory."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

Command = Sequence[str]
Quantity = Literal["wall", "cpu", "peak"]

# Linux counts in KiB, macOS in bytes.
PEAK_UNIT = 1 if sys.platform == "darwin" else 1024


class CommandError(Exception):
    """A measured command failed; the message is the last line it wrote."""


@dataclass(frozen=True)
class Usage:
    """What one process cost, and what it printed."""

    wall: float
    cpu: float
    peak: float
    output: str


def environment() -> dict[str, str]:
    """Return what measured processes see: nothing that keeps Python from its caches."""
    hidden = {"PYTHONDONTWRITEBYTECODE", "PYTHONPATH"}
    kept = {name: value for name, value in os.environ.items() if name not in hidden}
    return kept | {"NO_COLOR": "1"}


def run_once(command: Command) -> Usage:
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as messages:
        start = time.perf_counter()
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=messages,
            env=environment(),
        )
        # wait4 tells this child's peak; getrusage would tell the largest of all children so far.
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        texts = []
        for file in (output, messages):
            file.seek(0)
            texts.append(file.read().decode(errors="replace"))
    if process.returncode:
        last = (texts[1].strip() or texts[0].strip() or "no message").splitlines()[-1]
        raise CommandError(f"exit {process.returncode}: {last}")
    cpu = usage.ru_utime + usage.ru_stime
    return Usage(wall, cpu, usage.ru_maxrss * PEAK_UNIT, texts[0])


def interleave(commands: Mapping[str, Command], rounds: int) -> dict[str, list[Usage]]:
    """Run every command once a round, so that a slow minute of the machine falls on all of them."""
    usages: dict[str, list[Usage]] = {name: [] for name in commands}
    for number in range(1, rounds + 1):
        for name, command in commands.items():
            usages[name].append(run_once(command))
            print(f"round {number}/{rounds}: {usages[name][-1].wall:7.3f} s  {name}", flush=True)
    return usages


def is_noisy(usages: Sequence[Usage]) -> bool:
    """Say whether the slowest of several runs took half as long again as the fastest."""
    walls = [usage.wall for usage in usages]
    return max(walls) > 1.5 * min(walls)


def typical(usages: Sequence[Usage], quantity: Quantity) -> float:
    return float(median(getattr(usage, quantity) for usage in usages))
