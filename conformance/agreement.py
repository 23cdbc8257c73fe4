"""Where a profile returns what its program returned, and why it does not where it does not."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from conformance.cases import Answer, Case, inputs_of
from ndcg import PROFILES, InputError, evaluate

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["DECIMALS", "EXCEPTIONS", "PEERS", "agrees", "measure_of", "value_of"]

MEASURES = {
    "nDCG(exp)": "nDCG(gain='exp')",
    "nDCG(judged_only)": "nDCG(condensed=True)",
    "judged": "Judged",
}

# Each program, and the profile that stands for it. LightGBM and scikit-learn saw matrices.
PEERS = {
    "trec_eval_10": "trec_eval",
    "trec_eval_9": "trec_eval-9",
    "pytrec_eval-terrier": "pytrec_eval",
    "ir_measures": "ir_measures",
    "sklearn_union": "sklearn",
    "ranx_make_comparable": "ranx",
    "lightgbm": "lightgbm",
    "beir": "beir",
    "mteb": "pytrec_eval",
}
# What the programs print; the others return all that they have.
DECIMALS = {"trec_eval_10": 4, "trec_eval_9": 4, "beir": 5, "mteb": 5}
GDEVAL_DECIMALS = 5

_NOT_A_NUMBER = dict.fromkeys(
    ("nan_score_first", "nan_score_last", "nan_in_longer_list"), "NaN has no place in an order"
)
_NOTHING = dict.fromkeys(("run_empty", "qrels_empty"), "no query is no result")
_TYPES = {
    "float_grades_integral": "refuses the type float; we look at the value",
    "numpy_float32_scores": "refuses NumPy's integers",
    "int_ids": "refuses integers as ids",
    "negative_grade_minus2_only": "crashes",
}
_MATRIX = dict.fromkeys(
    ("negative_grade_retrieved", "negative_grade_only", "negative_grade_minus2_only"),
    "refuses grades below 0",
)
# Where the profile does not return what the program does, and why.
EXCEPTIONS: dict[str, dict[str, str]] = {
    "trec_eval_10": {
        **_NOT_A_NUMBER,
        "negative_grade_only": "stops with an error",
        "negative_grade_minus2_only": "stops with an error",
        "judged_at_5_short_list": "its unj@k divides by k",
        "judged_at_2_negative": "its unj@k takes a negative grade for no judgment",
    },
    "trec_eval_9": {
        **_NOT_A_NUMBER,
        "negative_grade_only": "stops with an error",
        "negative_grade_minus2_only": "stops with an error",
    },
    "pytrec_eval-terrier": {
        **_NOT_A_NUMBER,
        **_NOTHING,
        **_TYPES,
        "query_empty_in_qrels": "forgets a query without a judgment",
    },
    "ir_measures": {
        **_NOT_A_NUMBER,
        **_NOTHING,
        **_TYPES,
        "basic_exponential": "gdeval takes numbers only as query ids",
        "huge_grade_exponential": "gdeval takes numbers only as query ids, and grades up to 4",
        "exp_grade_5": "gdeval takes grades up to 4",
    },
    "sklearn_union": {
        **_NOTHING,
        **_MATRIX,
        "single_document": "refuses a list of one",
        "query_empty_in_qrels": "refuses a list of one",
    },
    "ranx_make_comparable": {
        **_NOT_A_NUMBER,
        "string_scores_in_dict": "makes numbers of texts",
        "int_ids": "refuses integers as ids",
        "long_id": "gave no answer in three minutes",
    },
    "lightgbm": {
        **_NOT_A_NUMBER,
        **_NOTHING,
        **_MATRIX,
        "string_scores_in_dict": "makes numbers of texts",
        "huge_grade_exponential": "knows grades up to 30",
        "exp_negative_grade": "refuses grades below 0",
    },
    "beir": {
        **_NOT_A_NUMBER,
        **_TYPES,
        "query_empty_in_qrels": "forgets a query without a judgment",
        "judged_at_5_short_list": "its hole@k divides by k",
        "judged_at_2_other_query": "a document judged for any query is no hole",
    },
    "mteb": {
        **_NOT_A_NUMBER,
        **_TYPES,
        "query_missing_from_qrels": "stops with a KeyError",
        "query_empty_in_qrels": "stops with an IndexError",
        "judged_at_5_short_list": "its hole@k divides by k",
        "judged_at_2_other_query": "a document judged for any query is no hole",
    },
}


def measure_of(case: Case) -> str:
    name, at, cutoff = case["metric"].partition("@")
    return f"{MEASURES.get(name, name)}{at}{cutoff}"


def value_of(profile: str, case: Case, folder: Path) -> float:
    """Return our mean under a profile; an InputError where we refuse the case."""
    rules, measure = PROFILES[profile], measure_of(case)
    if profile == "lightgbm":
        # It was run with the gain that the case asks for.
        rules = replace(rules, gain=case["gain"])
    return evaluate(*inputs_of(case, folder), measure, convention=rules).mean()[measure]


def agrees(peer: str, case: Case, theirs: Answer, folder: Path) -> bool:
    """Whether both give the same mean to the decimals that the program has, or both an error."""
    try:
        value = value_of(PEERS[peer], case, folder)
    except InputError:
        return "error" in theirs
    mean = theirs.get("mean")
    if not isinstance(mean, float):
        return False
    decimals = DECIMALS.get(peer)
    if peer == "ir_measures" and case["gain"] == "exp":
        decimals = GDEVAL_DECIMALS
    if decimals is not None:
        return round(value, decimals) == mean
    return math.isclose(value, mean, rel_tol=1e-12)
