"""What can go wrong, and the words for it.

::

    NdcgError
    ├── InputError           a file, mapping or frame that cannot be evaluated   (also ValueError)
    ├── MeasureError         the name or a parameter of a measure                (also ValueError)
    ├── OptionError          the value of an argument                            (also ValueError)
    └── MissingPackageError  an optional package that a feature needs            (also ImportError)
"""

from __future__ import annotations

import difflib
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["InputError", "MeasureError", "MissingPackageError", "NdcgError", "OptionError"]


class NdcgError(Exception):
    """Every error this package raises on purpose."""


class InputError(NdcgError, ValueError):
    """Judgments or a run that cannot be evaluated; the message names file, line and remedy."""


class MeasureError(NdcgError, ValueError):
    """A measure that does not exist, or a parameter outside its range."""


class OptionError(NdcgError, ValueError):
    """An argument whose value is not one of its choices or outside its range."""


class MissingPackageError(NdcgError, ImportError):
    """A feature whose optional package is not installed."""


def near_miss(name: str, known: Iterable[str]) -> str:
    """Return ``"; did you mean 'x'?"`` for the closest known name, or an empty string."""
    folded = {candidate.lower(): candidate for candidate in known}
    near = difflib.get_close_matches(name.lower(), folded, n=1, cutoff=0.6)
    return f"; did you mean {folded[near[0]]!r}?" if near else ""


def check_choice(name: str, value: object, choices: Iterable[str]) -> None:
    """Raise `OptionError` unless `value` is one of `choices`."""
    allowed = tuple(choices)
    if value not in allowed:
        hint = near_miss(str(value), allowed)
        raise OptionError(f"{name} must be one of {', '.join(allowed)}, got {value!r}{hint}")


def require(module: str, *, extra: str) -> Any:
    """Return an optional package's module; without the package, say how to install it."""
    package = module.partition(".")[0]
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name != package:
            raise
        raise MissingPackageError(
            f'{package} is not installed; run: pip install "ndcg[{extra}]"'
        ) from None
