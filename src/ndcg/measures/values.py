"""A measure as a frozen value: what is computed, its parameters, its cutoff."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from ndcg.conventions import Convention, Discount, Ties, as_gain, spell_gain, spell_number
from ndcg.errors import MeasureError, OptionError, check_choice, near_miss
from ndcg.measures.catalogue import CATALOGUE
from ndcg.measures.gains import LARGEST_EXPONENT, Rules, gain_of

if TYPE_CHECKING:
    from ndcg.data import FloatArray
    from ndcg.ranking import Ranking

__all__ = ["Measure"]

_COMMON = ("condensed", "ties")
_ORDER = ("gain", "discount", "rel", "p", "residual", "max_grade", "ties", "condensed")
_PERSISTENCE = 0.8
_DEFAULTS = {"rel": 1.0, "p": _PERSISTENCE, "condensed": False, "residual": False}
_LARGEST_CUTOFF = 10**9


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
        if checked.get("ties") == "average" and not definition.expected:
            raise MeasureError(_no_expectation(self.name))
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
        told = dict(self.parameters)
        if self.name == "RBP":
            # Nobody agrees on a default, so that it is always told.
            told.setdefault("p", _PERSISTENCE)
        inside = ", ".join(f"{name}={_spell(told[name])}" for name in _ORDER if name in told)
        at = "" if self.cutoff is None else f"@{self.cutoff}"
        return f"{self.name}{f'({inside})' if inside else ''}{at}"

    @property
    def is_count(self) -> bool:
        """Whether the measure counts documents, so that a total says more than a mean."""
        return CATALOGUE[self.name].counts

    @property
    def is_unbounded(self) -> bool:
        """Whether the measure is a sum of gains, which can exceed 1."""
        return self.name in {"DCG", "CG"}

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
            raise MeasureError(_no_expectation(repr(self)))
        shared = {"gain": convention.gain, "discount": convention.discount}
        return Rules(
            cutoff=self.cutoff,
            ties=ties,
            ideal=convention.ideal,
            barren=convention.barren,
            **(shared | own),
        )

    def worth(self, ranking: Ranking, convention: Convention) -> FloatArray:
        """Return what puts a document of a tie first: its gain, or its grade if it has none."""
        if "gain" not in CATALOGUE[self.name].parameters:
            return ranking.relevance
        return gain_of(ranking.relevance, self.rules(convention).gain)

    def compute(self, ranking: Ranking, convention: Convention) -> FloatArray:
        """Return the measure of each query of a ranking, NaN where it is not defined."""
        if dict(self.parameters).get("condensed"):
            ranking = ranking.condensed()
        return CATALOGUE[self.name].compute(ranking, self.rules(convention))


def _no_expectation(name: str) -> str:
    known = ", ".join(name for name, one in CATALOGUE.items() if one.expected)
    return f"{name} has no expected value over ties here; ties='average' goes with {known}"


def _checked_cutoff(name: str, cutoff: Any) -> int | None:
    if cutoff is None:
        return None
    if isinstance(cutoff, bool) or not isinstance(cutoff, (int, np.integer)) or cutoff < 1:
        raise MeasureError(f"cutoff of {name} must be an integer of 1 or more, got {cutoff!r}")
    if cutoff > _LARGEST_CUTOFF:
        raise MeasureError(f"cutoff of {name} must be at most {_LARGEST_CUTOFF}, got {cutoff!r}")
    return int(cutoff)


def _checked_parameter(measure: str, name: str, value: Any) -> Any:
    where = f"parameter {name} of {measure}"
    if name in {"condensed", "residual"}:
        if not isinstance(value, bool):
            raise MeasureError(f"{where} must be True or False, got {value!r}")
        return value
    if name == "gain":
        try:
            return as_gain(value)
        except OptionError as error:
            raise MeasureError(f"{where}: {error}") from None
    if name in {"ties", "discount"}:
        try:
            check_choice(where, value, get_args(Ties if name == "ties" else Discount))
        except OptionError as error:
            raise MeasureError(str(error)) from None
        return value
    return _checked_number(where, name, value)


def _checked_number(where: str, name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)):
        raise MeasureError(f"{where} must be a number, got {value!r}")
    upper = {"p": 1.0, "max_grade": LARGEST_EXPONENT}.get(name, math.inf)
    if not 0 < value < upper:
        below = "" if math.isinf(upper) else f" and below {upper:g}"
        raise MeasureError(f"{where} must be a number above 0{below}, got {value!r}")
    return float(value)


def _spell(value: Any) -> str:
    if isinstance(value, tuple):
        return spell_gain(value)
    return spell_number(value) if isinstance(value, float) else repr(value)
