"""How fast a retriever is asked: at once, in a second, and again after a failure."""

from __future__ import annotations

import random
import threading
import time
from dataclasses import dataclass

from ndcg.errors import OptionError

_LONGEST_BACKOFF = 30.0
_LONGEST_WAIT = 300.0


@dataclass(frozen=True)
class Pace:
    """How a retriever is asked.

    Parameters
    ----------
    workers
        Queries asked at a time; None is 1 for Python objects, which need not be safe in threads,
        and 4 for addresses and commands.
    rate
        The most requests a second, tries included; None for no limit.
    retries
        How often a query is asked again after a failure that may pass.
    backoff
        Seconds before the first of these; each further wait is up to twice as long, 30 at most.
    give_up
        Stop after this many queries have failed in a row; 0 for never.
    """

    workers: int | None = None
    rate: float | None = None
    retries: int = 3
    backoff: float = 0.5
    give_up: int = 20

    def __post_init__(self) -> None:
        if self.workers is not None and not 1 <= self.workers <= 256:  # noqa: PLR2004
            raise OptionError(f"workers must be from 1 to 256, got {self.workers}")
        if self.rate is not None and not 0 < self.rate < float("inf"):
            raise OptionError(f"rate must be above 0, got {self.rate}")
        for name in ("retries", "backoff", "give_up"):
            value = getattr(self, name)
            if not 0 <= value < float("inf"):
                raise OptionError(f"{name} must be 0 or more, got {value}")

    def wait_after(self, tries: int, asked: float | None = None) -> float:
        """Return the seconds to wait after so many tries: what was asked for, or the back-off.

        Half of a back-off is drawn, so that workers that failed together do not return together.
        """
        if asked is not None:
            return min(max(asked, 0.0), _LONGEST_WAIT)
        longest = min(self.backoff * 2.0 ** min(tries - 1, 30), _LONGEST_BACKOFF)
        return longest * (0.5 + random.random() / 2)  # noqa: S311 - no secret


class Gate:
    """Where workers wait for their turn, so that all together keep the rate."""

    def __init__(self, rate: float | None) -> None:
        self._step = 0.0 if rate is None else 1 / rate
        self._next = 0.0
        self._lock = threading.Lock()
        self.stopped = threading.Event()

    def enter(self) -> bool:
        """Wait for the next turn; False when asking has stopped meanwhile."""
        with self._lock:
            now = time.monotonic()
            turn = max(now, self._next)
            self._next = turn + self._step
        return self.rest(turn - now)

    def rest(self, seconds: float) -> bool:
        """Wait; False when asking has stopped meanwhile."""
        if seconds > 0:
            return not self.stopped.wait(seconds)
        return not self.stopped.is_set()

    def hold(self, seconds: float) -> None:
        """Let nobody in for some seconds, as a server asked."""
        with self._lock:
            self._next = max(self._next, time.monotonic() + seconds)
