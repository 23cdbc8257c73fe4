"""pytrec_eval's interface: ``import ndcg.compat.pytrec_eval as pytrec_eval``."""

from __future__ import annotations

import collections
import math
import numbers
import re
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ndcg.conventions import PROFILES
from ndcg.errors import InputError
from ndcg.evaluation import ranking_for
from ndcg.formats.reading import as_qrels, as_run
from ndcg.measures import (
    AP,
    RR,
    Bpref,
    Measure,
    NumRel,
    NumRelRet,
    NumRet,
    P,
    R,
    Rprec,
    Success,
    infAP,
    nDCG,
)
from ndcg.measures.catalogue import CATALOGUE
from ndcg.measures.interpolation import RECALL_POINTS, interpolated_precision

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from ndcg.data import FloatArray, Qrels
    from ndcg.ranking import Ranking

    # The measures whose values are taken, and what is made of them.
    Recipe = tuple[tuple[Measure, ...], Callable[..., Any]]

__all__ = [
    "RelevanceEvaluator",
    "compute_aggregated_measure",
    "missing_measures",
    "parse_qrel",
    "parse_run",
    "supported_measures",
    "supported_nicknames",
]

_CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
_LEAST = 0.00001

_WHOLE: dict[str, Measure] = {
    "map": AP,
    "ndcg": nDCG,
    "recip_rank": RR,
    "Rprec": Rprec,
    "bpref": Bpref,
    "infAP": infAP,
    "num_ret": NumRet,
    "num_rel": NumRel,
    "num_rel_ret": NumRelRet,
    "set_P": P,
    "set_recall": R,
}
_CUT: dict[str, tuple[Measure, tuple[int, ...]]] = {
    "P": (P, _CUTOFFS),
    "recall": (R, _CUTOFFS),
    "ndcg_cut": (nDCG, _CUTOFFS),
    "map_cut": (AP, _CUTOFFS),
    "success": (Success, (1, 5, 10)),
    "relative_P": (P, _CUTOFFS),
}
_MADE: dict[str, Recipe] = {
    "gm_map": ((AP,), lambda ap: np.log(np.maximum(ap, _LEAST))),
    "gm_bpref": ((Bpref,), lambda bpref: np.log(np.maximum(bpref, _LEAST))),
    "set_map": ((P, R), lambda precision, recall: precision * recall),
    "set_F": (
        (P, R),
        lambda precision, recall: np.divide(
            2 * precision * recall,
            precision + recall,
            out=np.zeros_like(precision),
            where=precision + recall > 0,
        ),
    ),
    "num_q": ((NumRet,), np.ones_like),
    # No values there either: the texts of a run and of its judgments, as numbers.
    "runid": ((NumRet,), np.zeros_like),
    "relstring": ((NumRet,), np.zeros_like),
    "utility": ((NumRelRet, NumRet), lambda found, retrieved: 2 * found - retrieved),
    "set_relative_P": (
        (NumRelRet, NumRet, NumRel),
        lambda found, retrieved, relevant: found / np.maximum(np.minimum(retrieved, relevant), 1),
    ),
}
_POINTS: dict[str, tuple[float, ...]] = {
    f"iprec_at_recall_{point:.2f}": (point,) for point in RECALL_POINTS
}
_INTERPOLATED: dict[str, dict[str, tuple[float, ...]]] = {
    "iprec_at_recall": _POINTS,
    "11pt_avg": {"11pt_avg": RECALL_POINTS},
}

supported_measures = frozenset({*_WHOLE, *_CUT, *_MADE, *_INTERPOLATED})
missing_measures = frozenset(
    {"G", "Rndcg", "Rprec_mult", "binG", "ndcg_rel", "num_nonrel_judged_ret"}
)
supported_nicknames: dict[str, frozenset[str]] = {
    "all_trec": supported_measures | missing_measures,
    "official": frozenset(
        {
            *("map", "gm_map", "P", "runid", "bpref", "recip_rank", "num_rel", "num_q"),
            *("iprec_at_recall", "Rprec", "num_rel_ret", "num_ret"),
        }
    ),
    "set": frozenset(
        {
            *("set_F", "runid", "set_P", "set_relative_P", "num_rel", "set_map", "num_q"),
            *("utility", "num_rel_ret", "num_ret", "set_recall"),
        }
    ),
}


class RelevanceEvaluator:
    """Judgments, and the measures wanted of runs: pytrec_eval's class of the same name.

    Values, keys, types and errors are pytrec_eval-terrier 0.5's, with two differences: a measure
    of `missing_measures` is a ValueError that says so, and a NaN score is an `InputError`.

    Parameters
    ----------
    query_relevance
        ``{query_id: {doc_id: relevance}}``, relevance an integer.
    measures
        Names such as ``map``, ``P``, ``ndcg_cut_10``, ``ndcg_cut.5,10``, or a nickname.
    relevance_level
        The grade from which on a document is relevant to measures that know only that.
    judged_docs_only_flag
        Leave unjudged documents out of the lists.

    Raises
    ------
    ValueError
        For a measure that is unknown or missing.
    TypeError
        For a relevance that is no integer.

    Examples
    --------
    Queries without judgments are left out in silence, as pytrec_eval does:

    >>> evaluator = RelevanceEvaluator({"q1": {"d1": 1}}, {"map", "ndcg"})
    >>> evaluator.evaluate({"q1": {"d2": 2.0, "d1": 1.0}, "q2": {"d1": 1.0}})
    {'q1': {'map': 0.5, 'ndcg': 0.6309297535714575}}
    """

    def __init__(
        self,
        query_relevance: Mapping[str, Mapping[str, int]],
        measures: Iterable[str],
        relevance_level: int = 1,
        judged_docs_only_flag: bool = False,  # noqa: FBT001, FBT002 - pytrec_eval's signature
    ) -> None:
        self._wanted = _named_measures(measures)
        self._level = relevance_level
        self._condensed = judged_docs_only_flag
        judged = {query: docs for query, docs in query_relevance.items() if len(docs)}
        _check_grades(judged)
        self._qrels: Qrels | None = as_qrels(judged) if judged else None

    def evaluate(self, scores: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
        """Return ``{query_id: {measure: value}}`` of the queries in both run and judgments."""
        if not scores or self._qrels is None:
            return {}
        judged = set(self._qrels.query_ids)
        answered = [query for query in scores if query in judged]
        if not answered:
            return {}
        ranking = self._ranking(scores)
        columns = [
            self._column(measures, make, ranking) for measures, make in self._wanted.values()
        ]
        rows = np.column_stack(columns).tolist() if columns else [[] for _ in ranking.query_ids]
        place = dict(zip(ranking.query_ids, rows, strict=True))
        return {query: dict(zip(self._wanted, place[query], strict=True)) for query in answered}

    def _ranking(self, scores: Mapping[str, Mapping[str, float]]) -> Ranking:
        assert self._qrels is not None  # noqa: S101 - for the type checker
        try:
            filled = {query: docs for query, docs in scores.items() if len(docs)}
        except TypeError as error:
            raise TypeError("Unable to extract query/object scores.") from error
        if not filled:
            # Lists without documents are answers too; a run needs a document, here of no query.
            filled = {"\x00": {"\x00": 0.0}}
        rules = PROFILES["pytrec_eval"]
        try:
            run = as_run(filled, copy=False)
        except InputError as error:
            if "got nan" in str(error):
                raise
            raise TypeError("Unable to extract query/object scores.") from error
        ranking = ranking_for(self._qrels, run, "trec", rules)
        return ranking.condensed() if self._condensed else ranking

    def _column(
        self, measures: tuple[Measure, ...], make: Callable[..., Any], ranking: Ranking
    ) -> FloatArray:
        rules = PROFILES["pytrec_eval"]
        if not measures:
            points: FloatArray = make(ranking, self._level)
            return points
        values = [np.nan_to_num(self._at_level(one).compute(ranking, rules)) for one in measures]
        column: FloatArray = make(*values)
        return column

    def _at_level(self, measure: Measure) -> Measure:
        if self._level == 1 or "rel" not in CATALOGUE[measure.name].parameters:
            return measure
        return measure(rel=self._level)


def parse_run(f_run: Iterable[str]) -> dict[str, dict[str, float]]:
    """Return a run from the lines of a TREC file; a document twice is an AssertionError."""
    run: dict[str, dict[str, float]] = collections.defaultdict(dict)
    for line in f_run:
        query_id, _, doc_id, _, score, _ = line.strip().split()
        _refuse_twice(run, query_id, doc_id)
        run[query_id][doc_id] = float(score)
    return run


def parse_qrel(f_qrel: Iterable[str]) -> dict[str, dict[str, int]]:
    """Return judgments from the lines of a TREC file; a document twice is an AssertionError."""
    qrels: dict[str, dict[str, int]] = collections.defaultdict(dict)
    for line in f_qrel:
        query_id, _, doc_id, relevance = line.strip().split()
        _refuse_twice(qrels, query_id, doc_id)
        qrels[query_id][doc_id] = int(relevance)
    return qrels


def _refuse_twice(seen: Mapping[str, Mapping[str, Any]], query_id: str, doc_id: str) -> None:
    if doc_id in seen[query_id]:
        raise AssertionError(f"document {doc_id!r} twice for query {query_id!r}")


def compute_aggregated_measure(measure: str, values: list[float]) -> float:
    """Return the sum of counts (``num_``), the geometric mean of logs (``gm_``), or the mean."""
    if measure.startswith("num_"):
        return float(np.sum(values))
    if measure.startswith("gm_"):
        return math.exp(float(np.sum(values)) / len(values))
    return float(np.mean(values))


def _check_grades(judged: Mapping[str, Mapping[str, int]]) -> None:
    for docs in judged.values():
        for doc, grade in docs.items():
            if not isinstance(doc, str):
                raise TypeError(
                    "Expected mapping of document id to query relevance or matching score."
                )
            # The abstract class is slow to ask.
            if type(grade) is not int and not isinstance(grade, numbers.Integral):
                raise TypeError("Expected relevance to be integer.")


def _named_measures(
    names: Iterable[str],
) -> dict[str, Recipe]:
    """Return what is computed under each key of the result."""
    found: dict[str, Recipe] = {}
    cutoffs: dict[str, set[int]] = {}
    for name in sorted(set(names)):
        for one in sorted(supported_nicknames.get(name, (name,))):
            _add_measure(one, found, cutoffs)
    for family, given in cutoffs.items():
        measure, usual = _CUT[family]
        for cutoff in sorted(given) or usual:
            key = f"{family}_{cutoff}"
            found[key] = ((measure @ cutoff,), _same)
            if family == "relative_P":
                found[key] = ((measure @ cutoff, NumRel), partial(_relative, cutoff))
    return found


def _add_measure(
    name: str,
    found: dict[str, Recipe],
    cutoffs: dict[str, set[int]],
) -> None:
    if name in _WHOLE:
        found[name] = ((_WHOLE[name],), _same)
    elif name in _MADE:
        found[name] = _MADE[name]
    elif name in _INTERPOLATED:
        for key, points in _INTERPOLATED[name].items():
            found[key] = ((), partial(_interpolated, points))
    elif name in _CUT:
        cutoffs.setdefault(name, set())
    else:
        family, given = _parted(name)
        cutoffs.setdefault(family, set()).update(given)


def _parted(name: str) -> tuple[str, list[int]]:
    """Return the family and the cutoffs of a name such as ``ndcg_cut.5,10``."""
    parts = re.match(r"(\w+?)[._](\d+(?:,\d+)*)$", name)
    family = parts[1] if parts else name
    if parts and family in _CUT:
        return family, [int(cutoff) for cutoff in parts[2].split(",")]
    if family in missing_measures:
        raise ValueError(
            f"unsupported measure {name}: pytrec_eval has it, ndcg has not (missing are "
            f"{', '.join(sorted(missing_measures))})"
        )
    raise ValueError(f"unsupported measure {name}")


def _relative(cutoff: int, precision: FloatArray, relevant: FloatArray) -> FloatArray:
    return precision * cutoff / np.maximum(np.minimum(cutoff, relevant), 1)


def _interpolated(points: tuple[float, ...], ranking: Ranking, level: int) -> FloatArray:
    means: FloatArray = interpolated_precision(ranking, level, points).mean(axis=1)
    return means


def _same(values: FloatArray) -> FloatArray:
    return values
