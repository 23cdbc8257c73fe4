"""The settings that intervals and tests share, checked in one place."""

from __future__ import annotations

from typing import Literal, get_args

from ndcg.errors import OptionError, check_choice

__all__ = ["Alternative", "check_alternative", "check_n_resamples", "check_share", "tail_share"]

Alternative = Literal["two-sided", "less", "greater"]


def check_alternative(alternative: str) -> None:
    """Raise `OptionError` unless `alternative` names a side."""
    check_choice("alternative", alternative, get_args(Alternative))


def check_share(name: str, value: float) -> None:
    """Raise `OptionError` unless `value` lies strictly between 0 and 1."""
    if not 0.0 < value < 1.0:
        raise OptionError(f"{name} must lie between 0 and 1, such as 0.95, got {value!r}")


def check_n_resamples(n_resamples: int) -> None:
    """Raise `OptionError` unless at least one resample is asked for."""
    if n_resamples < 1:
        raise OptionError(f"n_resamples must be 1 or more, got {n_resamples!r}")


def tail_share(level: float, alternative: Alternative) -> float:
    """Return the probability left in one tail of an interval.

    >>> round(tail_share(0.95, "two-sided"), 3), round(tail_share(0.95, "less"), 3)
    (0.025, 0.05)
    """
    return (1.0 - level) / 2.0 if alternative == "two-sided" else 1.0 - level
