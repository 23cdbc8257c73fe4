"""A measure as a frozen value: what is computed, its parameters, its cutoff."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from ndcg.conventions import Convention, Discount, Ties, as_gain, spell_gain
from ndcg.errors import MeasureError, NdcgError, check_choice, near_miss
from ndcg.measures.catalogue import CATALOGUE
from ndcg.measures.gains import Rules

if TYPE_CHECKING:
    from ndcg.data import FloatArray
    from ndcg.ranking import Ranking

__all__ = ["Measure"]

_COMMON = ("condensed", "ties")
_ORDER = ("gain", "discount", "rel", "p", "residual", "max_grade", "ties", "condensed")
_DEFAULTS: dict[str, object] = {"rel": 1.0, "condensed": False, "residual": False, "max_grade": None}


@dataclass(frozen=True)
class Measure:
    """A measure such as ``nDCG @ 10``; its repr is its spelling.

    Parameters
    ----------
    name
        A family: nDCG, DCG, CG, P, R, AP, RR, Success, Rprec, ERR, RBP, Bpref, infAP, Judged,
        NumRet, NumRel, NumRelRet.
    cutoff
        Ranks that count, 1 or more; None for all.
    parameters
        (name, value) pairs; what is not set follows the convention.

    Examples
    --------
    >>> from ndcg import nDCG, P
    >>> nDCG(gain="exp") @ 10, P(rel=2) @ 5
    (nDCG(gain='exp')@10, P(rel=2)@5)
    """

    name: str
    cutoff: int | None = None
    parameters: tuple[tuple[str, Any], ...] = ()

    def __post_init__(self) -> None:
        if self.name not in CATALOGUE:
            raise MeasureError(f"no measure named {self.name!r}{near_miss(self.name, CATALOGUE)}")
        definition = CATALOGUE[self.name]
        object.__setattr__(self, "cutoff", _checked_cutoff(self.name, self.cutoff))
        if self.cutoff is not None and definition.cutoff == "never":
            raise MeasureError(f"{self.name} has no cutoff, got @{self.cutoff}")
        names = [name for name, _ in self.parameters]
        for name in names:
            if names.count(name) > 1:
                raise MeasureError(f"{self.name} is given parameter {name} twice")
        allowed = (*definition.parameters, *_COMMON)
        checked = {}
        for name, value in self.parameters:
            if name not in allowed:
                hint = near_miss(name, allowed)
                raise MeasureError(
                    f"{self.name} has no parameter {name!r}{hint} (it has {', '.join(allowed)})"
                )
            checked[name] = _checked_parameter(self.name, name, value)
        if self.name == "RBP":
            checked.setdefault("p", 0.8)
        kept = tuple(
            (name, checked[name])
            for name in _ORDER
            if name in checked and not (name in _DEFAULTS and checked[name] == _DEFAULTS[name])
        )
        object.__setattr__(self, "parameters", kept)

    def __matmul__(self, cutoff: int) -> Measure:
        if self.cutoff is not None:
            raise MeasureError(f"{self!r} has a cutoff already, got another: @{cutoff}")
        return dataclasses.replace(self, cutoff=_checked_cutoff(self.name, cutoff))

    def __call__(self, **parameters: Any) -> Measure:
        """Return the measure with parameters set."""
        return dataclasses.replace(self, parameters=(*self.parameters, *parameters.items()))

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={_spell(value)}" for name, value in self.parameters)
        at = "" if self.cutoff is None else f"@{self.cutoff}"
        return f"{self.name}{f'({inside})' if inside else ''}{at}"

    @property
    def is_count(self) -> bool:
        """Whether the measure counts documents, so that a total says more than a mean."""
        return CATALOGUE[self.name].counts

    def ties_under(self, convention: Convention) -> str:
        """Return how this measure breaks ties under a convention."""
        own = dict(self.parameters).get("ties")
        if own is not None:
            return str(own)
        family = f"{self.name}@" if self.cutoff is not None else self.name
        exceptions = dict(convention.tie_exceptions)
        return exceptions.get(family, exceptions.get(self.name, convention.ties))

    def rules(self, convention: Convention) -> Rules:
        """Return every rule the computation needs, the convention's where the measure is silent."""
        own = {name: value for name, value in self.parameters if name not in _COMMON}
        ties = self.ties_under(convention)
        if ties == "average" and not CATALOGUE[self.name].expected:
            known = ", ".join(name for name, one in CATALOGUE.items() if one.expected)
            raise MeasureError(
                f"{self!r} has no expected value over ties here; ties='average' goes with {known}"
            )
        shared = {"gain": convention.gain, "discount": convention.discount}
        return Rules(
            cutoff=self.cutoff,
            ties=ties,
            ideal=convention.ideal,
            barren=convention.barren,
            **(shared | own),
        )

    def compute(self, ranking: Ranking, convention: Convention) -> FloatArray:
        """Return the measure of each query of a ranking, NaN where it is not defined."""
        if dict(self.parameters).get("condensed"):
            ranking = ranking.condensed()
        return CATALOGUE[self.name].compute(ranking, self.rules(convention))


def _checked_cutoff(name: str, cutoff: Any) -> int | None:
    if cutoff is None:
        return None
    if isinstance(cutoff, bool) or not isinstance(cutoff, (int, np.integer)) or cutoff < 1:
        raise MeasureError(f"cutoff of {name} must be an integer of 1 or more, got {cutoff!r}")
    return int(cutoff)


def _checked_parameter(measure: str, name: str, value: Any) -> Any:
    where = f"parameter {name} of {measure}"
    if name in {"condensed", "residual"}:
        if not isinstance(value, bool):
            raise MeasureError(f"{where} must be True or False, got {value!r}")
        return value
    try:
        if name == "gain":
            if not isinstance(value, (str, Mapping, tuple)):
                raise MeasureError(f"{where} must be 'linear', 'exp' or a mapping, got {value!r}")
            return as_gain(value)
        if name in {"ties", "discount"}:
            check_choice(where, value, get_args(Ties if name == "ties" else Discount))
            return value
    except MeasureError:
        raise
    except (NdcgError, TypeError, ValueError) as error:
        raise MeasureError(f"{where}: {error}") from None
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)):
        raise MeasureError(f"{where} must be a number, got {value!r}")
    number = float(value)
    if not math.isfinite(number) or number <= 0 or (name == "p" and number >= 1):
        wanted = "above 0 and below 1" if name == "p" else "above 0"
        raise MeasureError(f"{where} must be a number {wanted}, got {value!r}")
    return number


def _spell(value: Any) -> str:
    if isinstance(value, tuple):
        return spell_gain(value)
    if isinstance(value, float):
        return f"{value:.17g}" if float(f"{value:g}") != value else f"{value:g}"
    return repr(value)
