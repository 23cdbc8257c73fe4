"""Why a query got no answer: for now, or for good."""

from __future__ import annotations

from dataclasses import dataclass


class PassingError(Exception):
    """What may be gone at the next try; `wait` is how many seconds the other side asks for."""

    def __init__(self, reason: str, wait: float | None = None) -> None:
        super().__init__(reason)
        self.wait = wait


class AnswerError(Exception):
    """An answer that another try would not change."""


@dataclass(frozen=True)
class Failure:
    """A query without an answer: why, and how often it was asked; 0 when it was left unasked."""

    query_id: str
    reason: str
    tries: int
