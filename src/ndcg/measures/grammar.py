"""Reading a measure from its spelling, ours or another tool's."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from typing import Any

from ndcg.errors import MeasureError, near_miss
from ndcg.measures.catalogue import CATALOGUE
from ndcg.measures.values import Measure

_SPELLING = re.compile(
    r"(?P<name>[A-Za-z]\w*)(?:\((?P<inside>.*)\))?(?:@(?P<cutoff>.*))?", re.DOTALL
)
_TREC = re.compile(
    r"(?P<name>[a-z][a-z_-]*?)(?:[_.](?P<number>\d+(?:\.\d+)?|\.\d+))?", re.IGNORECASE
)
_EXP = {"gain": "exp"}

# Names as trec_eval, pytrec_eval, ranx, ir_measures, BEIR and MTEB spell them, in lower case.
_ALIASES: dict[str, tuple[str, dict[str, Any]]] = {
    **{name.lower(): (name, {}) for name in CATALOGUE},
    "ndcg_cut": ("nDCG", {}),
    "ndcg_at": ("nDCG", {}),
    "ndcg_burges": ("nDCG", _EXP),
    "dcg_burges": ("DCG", _EXP),
    "map": ("AP", {}),
    "map_cut": ("AP", {}),
    "map_at": ("AP", {}),
    "average_precision": ("AP", {}),
    "recip_rank": ("RR", {}),
    "mrr": ("RR", {}),
    "mrr_at": ("RR", {}),
    "reciprocal_rank": ("RR", {}),
    "recall": ("R", {}),
    "recall_at": ("R", {}),
    "set_recall": ("R", {}),
    "precision": ("P", {}),
    "precision_at": ("P", {}),
    "set_p": ("P", {}),
    "hit_rate": ("Success", {}),
    "hit_rate_at": ("Success", {}),
    "accuracy": ("Success", {}),
    "r-precision": ("Rprec", {}),
    "r_precision": ("Rprec", {}),
    "num_ret": ("NumRet", {}),
    "num_rel": ("NumRel", {}),
    "num_rel_ret": ("NumRelRet", {}),
}
_PARAMETERS = {"gains": "gain", "judged_only": "condensed", "max": "max_grade"}
_SHOWN = 80
_DCG_FORMS = {"log2": "linear", "exp-log2": "exp"}


def parse_measure(text: str | Measure) -> Measure:
    """Return the measure that a text names; an unknown name suggests the nearest.

    Parameters
    ----------
    text
        A spelling such as ``nDCG(gain='exp')@10``, or another tool's name: ``ndcg_cut_10``,
        ``recip_rank``, ``map``, ``recall_100``, ``P_5``, ``mrr@10``, ``ndcg_burges@10``,
        ``nDCG(dcg='exp-log2')@10``. A `Measure` is returned as it is.

    Examples
    --------
    >>> [parse_measure(name) for name in ("ndcg_cut_10", "mrr@10", "ndcg_burges@5", "P_5")]
    [nDCG@10, RR@10, nDCG(gain='exp')@5, P@5]
    """
    if isinstance(text, Measure):
        return text
    if not isinstance(text, str):
        raise MeasureError(f"a measure is a text or a Measure, got {text!r}")
    plain = _tightened(text)
    spelled = _SPELLING.fullmatch(plain)
    if spelled and spelled["name"].lower() in _ALIASES:
        name, preset = _ALIASES[spelled["name"].lower()]
        return _build(name, preset, spelled["inside"], spelled["cutoff"], plain)
    other = _TREC.fullmatch(plain)
    if other and other["number"] and other["name"].lower() in {*_ALIASES, "rbp"}:
        return _of_trec_name(other["name"].lower(), other["number"], plain)
    if plain.lower() in _ALIASES:
        name, preset = _ALIASES[plain.lower()]
        return _build(name, preset, None, None, plain)
    wanted = re.split(r"[@(.]|_\d", plain)[0]
    hint = near_miss(wanted, [*_ALIASES, *CATALOGUE]) or f" (known: {', '.join(CATALOGUE)})"
    raise MeasureError(f"no measure named {plain[:_SHOWN]!r}{hint}")


def _tightened(text: str) -> str:
    """Return a spelling without blanks at its ends and around the mark of a cutoff."""
    return re.sub(r"\s*@\s*", "@", text.strip())


def parse_measures(texts: str | Measure | Iterable[str | Measure]) -> tuple[Measure, ...]:
    """Return measures from spellings, each of which may name several, as ``ndcg_cut.5,10`` does.

    >>> parse_measures("ndcg_cut.5,10 map")
    (nDCG@5, nDCG@10, AP)
    """
    if not isinstance(texts, (str, Measure, Iterable)):
        raise MeasureError(f"a measure is a text or a Measure, got {texts!r}")
    found: dict[Measure, None] = {}
    for text in [texts] if isinstance(texts, (str, Measure)) else texts:
        if not isinstance(text, str):
            found[parse_measure(text)] = None
            continue
        before = ""
        for piece in re.split(r"[,\s]+(?![^(]*\))", _tightened(text)):
            # A lone number is another cutoff of the measure before it.
            again = re.fullmatch(r"[0-9]+", piece) and re.search(r"[0-9]$", before)
            name = re.sub(r"[0-9]+$", piece, before) if again else piece
            if name:
                found[parse_measure(name)] = None
                before = name
    if not found:
        raise MeasureError("no measure given; the usual one is nDCG@10")
    return tuple(found)


def _of_trec_name(name: str, number: str, text: str) -> Measure:
    if name == "rbp":
        return Measure("RBP", None, (("p", float(number if "." in number else f"0.{number}")),))
    if "." in number:
        raise MeasureError(f"cutoff of {text!r} must be an integer of 1 or more, got {number}")
    family, preset = _ALIASES[name]
    return Measure(family, int(number), tuple(preset.items()))


def _build(
    name: str, preset: dict[str, Any], inside: str | None, cutoff: str | None, text: str
) -> Measure:
    parameters = [*preset.items(), *_parse_parameters(inside or "", text)]
    at: int | None = None
    if cutoff is not None:
        if not re.fullmatch(r"\s*[+-]?\d+\s*", cutoff):
            raise MeasureError(
                f"cutoff of {text!r} must be an integer of 1 or more, got {cutoff.strip()!r}"
            )
        at = int(cutoff)
    for i, (key, value) in enumerate(parameters):
        if key == "cutoff" and at is None:
            at = value
            del parameters[i]
            break
    return Measure(name, at, tuple(parameters))


def _parse_parameters(inside: str, text: str) -> list[tuple[str, Any]]:
    if not inside.strip():
        return []
    try:
        call = ast.parse(f"f({inside})", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        said = error.msg if isinstance(error, SyntaxError) else str(error) or "too deep"
        raise MeasureError(
            f"cannot read the parameters of {text[:_SHOWN]!r} ({said}); write name=value"
        ) from None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
        raise MeasureError(f"the parameters of {text!r} need names, such as rel=2")
    return [_parse_one(keyword, text) for keyword in call.keywords]


def _parse_one(keyword: ast.keyword, text: str) -> tuple[str, Any]:
    try:
        value = ast.literal_eval(keyword.value)
    except (ValueError, TypeError, RecursionError, MemoryError):
        raise MeasureError(
            f"parameter {keyword.arg} of {text[:_SHOWN]!r} must be a number, True or False, a "
            "quoted text, or a mapping such as {1: 1, 2: 3}"
        ) from None
    if keyword.arg == "dcg":
        if value not in _DCG_FORMS:
            raise MeasureError(
                f"parameter dcg of {text!r} must be 'log2' or 'exp-log2', got {value!r}"
            )
        return "gain", _DCG_FORMS[value]
    name = str(keyword.arg)
    return _PARAMETERS.get(name, name), value
