"""A value that has to be a number."""

from __future__ import annotations

from struct import error as StructError  # noqa: N812 - struct calls it plain error
from struct import pack
from typing import Any

from ndcg.errors import InputError

__all__ = ["as_number"]


def as_number(value: Any, what: str) -> float:
    """Return a number of any type as a float; text and what is none is an `InputError`."""
    try:
        # float() would also read text; struct takes numbers alone.
        pack("d", value)
        return float(value)
    except (TypeError, ValueError, OverflowError, StructError):
        raise InputError(f"{what} must be a number, got {value!r}") from None
