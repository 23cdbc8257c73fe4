"""What a number means: gain, discount, ties, and which queries the mean covers.

Two values compare only under one convention. A profile is a whole convention by the name of the
program that uses it.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from ndcg.errors import OptionError, check_choice, near_miss

__all__ = ["PROFILES", "Convention", "as_convention"]

Discount = Literal["log2", "jarvelin", "none"]
Ties = Literal["trec", "ascending", "input", "average"]
Ideal = Literal["judged", "retrieved"]
Precision = Literal["float64", "float32"]
Grades = Literal["exact", "truncated", "integer"]
Unanswered = Literal["zero", "skip", "error"]
Barren = Literal["zero", "skip", "one"]
Undefined = Literal["skip", "zero"]
Duplicates = Literal["error", "first", "last"]
ShortLists = Literal["end", "fill"]
SameIds = Literal["keep", "drop"]

GainMap = tuple[tuple[float, float], ...]
Gain = str | GainMap

_CHOICES: dict[str, tuple[str, ...]] = {
    "discount": get_args(Discount),
    "ties": get_args(Ties),
    "ideal": get_args(Ideal),
    "scores": get_args(Precision),
    "grades": get_args(Grades),
    "unanswered": get_args(Unanswered),
    "barren": get_args(Barren),
    "undefined": get_args(Undefined),
    "duplicates": get_args(Duplicates),
    "short_lists": get_args(ShortLists),
    "same_ids": get_args(SameIds),
}

# Rules that only some programs have: named in a description when they are not the default's.
_UNUSUAL = ("ideal", "scores", "grades", "undefined", "duplicates", "short_lists", "same_ids")


def as_gain(gain: str | Mapping[float, float] | GainMap) -> Gain:
    """Return a gain as a hashable value: ``"linear"``, ``"exp"`` or sorted (grade, gain) pairs.

    >>> as_gain({3: 10, 1: 1})
    ((1.0, 1.0), (3.0, 10.0))
    """
    if isinstance(gain, str):
        check_choice("gain", gain, ("linear", "exp"))
        return gain
    pairs = gain.items() if isinstance(gain, Mapping) else gain
    try:
        mapped = tuple(sorted((float(grade), float(value)) for grade, value in pairs))
    except (TypeError, ValueError):
        raise OptionError(
            f"gain must be 'linear', 'exp' or a mapping from grade to gain, got {gain!r}"
        ) from None
    if not mapped:
        raise OptionError("a gain mapping needs at least one grade, such as {1: 1, 2: 3}")
    for grade, value in mapped:
        if not (math.isfinite(grade) and math.isfinite(value) and value >= 0):
            raise OptionError(f"gain of grade {grade:g} must be a number of 0 or more, got {value}")
        if grade <= 0 < value:
            raise OptionError(f"a grade of 0 or below gains nothing, got {value:g} for {grade:g}")
    if len(dict(mapped)) < len(mapped):
        raise OptionError(f"a gain mapping names each grade once, got {spell_gain(mapped)}")
    return mapped


@dataclass(frozen=True)
class Convention:
    """The rules behind a number; the defaults are trec_eval 10's with ``-c``, grades exact.

    Parameters
    ----------
    gain
        What a grade is worth: ``"linear"`` (the grade), ``"exp"`` (2^grade - 1, Burges et al.,
        ICML 2005) or a mapping from grade to gain. Grades of 0 and below are worth 0.
    discount
        ``"log2"``: 1/log2(rank + 1); ``"jarvelin"``: none up to rank 2, 1/log2(rank) after it
        (Järvelin & Kekäläinen, TOIS 2002, b = 2); ``"none"``.
    ties
        Order of equal scores: ``"trec"`` (document id descending, bytewise), ``"ascending"``,
        ``"input"`` (as given), ``"average"`` (expected value over all orders, McSherry & Najork,
        ECIR 2008).
    ideal
        The ideal list draws on every judged document, or only on the retrieved ones.
    scores
        ``"float32"`` rounds scores first, as trec_eval 9 does.
    grades
        ``"exact"``; ``"truncated"`` cuts fractions (trec_eval, ranx); ``"integer"`` refuses them.
    unanswered
        A judged query that the run lacks counts ``"zero"``, is left out (``"skip"``), or is an
        ``"error"``.
    barren
        A judged query without a relevant document counts ``"zero"`` or ``"one"``, or is left out.
    undefined
        A query in which a measure has no value, such as judged@k of an empty list, is left out
        (``"skip"``) or counts ``"zero"``.
    duplicates
        A document retrieved twice for a query is an error, or its ``"first"`` or ``"last"`` line
        counts.
    short_lists
        ``"end"``: a list ends with its last document; ``"fill"``: judged documents that were not
        retrieved follow as one tie (what scikit-learn sees when it is given both).
    same_ids
        ``"drop"`` leaves out documents whose id is the query's id (BEIR).
    tie_exceptions
        Measures whose ties are broken otherwise, as (family, ties) pairs.

    Examples
    --------
    >>> Convention(gain="exp").describe()
    'gain exp, log2, ties trec, unanswered 0, barren 0'
    """

    gain: Gain = "linear"
    discount: Discount = "log2"
    ties: Ties = "trec"
    ideal: Ideal = "judged"
    scores: Precision = "float64"
    grades: Grades = "exact"
    unanswered: Unanswered = "zero"
    barren: Barren = "zero"
    undefined: Undefined = "skip"
    duplicates: Duplicates = "error"
    short_lists: ShortLists = "end"
    same_ids: SameIds = "keep"
    tie_exceptions: tuple[tuple[str, Ties], ...] = ()
    profile: str = "default"

    def __post_init__(self) -> None:
        object.__setattr__(self, "gain", as_gain(self.gain))
        for name, choices in _CHOICES.items():
            check_choice(name, getattr(self, name), choices)
        for _, ties in self.tie_exceptions:
            check_choice("tie_exceptions", ties, get_args(Ties))

    def describe(self) -> str:
        """Return the convention as one line of words."""
        gain = self.gain if isinstance(self.gain, str) else spell_gain(self.gain)
        words = [f"gain {gain}", self._discount_word(), f"ties {self.ties}"]
        policy = {"zero": "0", "one": "1", "skip": "left out", "error": "refused"}
        words += [f"unanswered {policy[self.unanswered]}", f"barren {policy[self.barren]}"]
        plain = Convention()
        for name in _UNUSUAL:
            if getattr(self, name) != getattr(plain, name):
                words.append(f"{name.replace('_', ' ')} {getattr(self, name)}")
        words += [f"{family} ties {ties}" for family, ties in self.tie_exceptions]
        return ", ".join(words)

    def _discount_word(self) -> str:
        return self.discount if self.discount == "log2" else f"discount {self.discount}"

    def to_dict(self) -> dict[str, object]:
        """Return the convention as plain values for JSON."""
        fields: dict[str, object] = dataclasses.asdict(self)
        if not isinstance(self.gain, str):
            fields["gain"] = {spell_number(grade): value for grade, value in self.gain}
        fields["tie_exceptions"] = dict(self.tie_exceptions)
        return fields

    @classmethod
    def from_dict(cls, fields: Mapping[str, object]) -> Convention:
        """Return the convention that `to_dict` described."""
        values = dict(fields)
        known = [field.name for field in dataclasses.fields(cls)]
        for name in values:
            if name not in known:
                raise OptionError(f"a convention has no rule {name!r}{near_miss(name, known)}")
        gain = values.get("gain", "linear")
        if isinstance(gain, Mapping):
            values["gain"] = tuple((float(grade), float(value)) for grade, value in gain.items())
        exceptions = values.get("tie_exceptions", {})
        if isinstance(exceptions, Mapping):
            values["tie_exceptions"] = tuple(exceptions.items())
        return cls(**values)  # type: ignore[arg-type]


def spell_gain(gain: GainMap) -> str:
    """Return a gain mapping as it is written: ``{1: 1, 3: 10}``."""
    return "{" + ", ".join(f"{spell_number(g)}: {spell_number(value)}" for g, value in gain) + "}"


def spell_number(value: float) -> str:
    """Return the shortest text that reads as the same number, without a needless ``.0``."""
    short = f"{value:g}"
    return short if float(short) == value else repr(value)


def _profile(name: str, base: Convention | None = None, **rules: object) -> Convention:
    return dataclasses.replace(base or Convention(), profile=name, **rules)  # type: ignore[arg-type]


_TREC_9 = _profile("trec_eval-9", scores="float32", grades="truncated", unanswered="skip")
_PYTREC = _profile("pytrec_eval", _TREC_9, grades="integer")

# What each program does was read and run for the versions that docs/conventions.md names.
PROFILES: dict[str, Convention] = {
    convention.profile: convention
    for convention in (
        Convention(),
        _profile("trec_eval", grades="truncated"),
        _TREC_9,
        _PYTREC,
        _profile(
            "ir_measures",
            _PYTREC,
            unanswered="zero",
            undefined="zero",
            duplicates="last",
            tie_exceptions=(("RR@", "ascending"), ("Judged", "ascending")),
        ),
        _profile("sklearn", ties="average", short_lists="fill", unanswered="skip"),
        _profile("ranx", ties="input", grades="truncated", duplicates="last"),
        _profile("beir", _PYTREC, same_ids="drop"),
        _profile("gdeval", gain="exp", grades="integer", unanswered="skip"),
        _profile(
            "lightgbm",
            gain="exp",
            ties="input",
            ideal="retrieved",
            barren="one",
            unanswered="skip",
            grades="integer",
        ),
    )
}


def as_convention(convention: Convention | str | None) -> Convention:
    """Return a convention from itself, a profile's name, or None for the default.

    >>> as_convention("trec_eval-9").scores
    'float32'
    """
    if convention is None:
        return PROFILES["default"]
    if isinstance(convention, Convention):
        return convention
    if not isinstance(convention, str):
        raise OptionError(f"expected a Convention or the name of a profile, got {convention!r}")
    if convention not in PROFILES:
        hint = near_miss(convention, PROFILES)
        raise OptionError(f"no profile named {convention!r}{hint} (known: {', '.join(PROFILES)})")
    return PROFILES[convention]
