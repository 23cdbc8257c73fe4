"""Small hard inputs: the value or the error that we decided, and where other programs part.

golden/edge-cases.json.gz and golden/peers.json hold what each of them really returned.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from conformance.agreement import EXCEPTIONS, PEERS, agrees, measure_of
from conformance.cases import answer_of, edge_cases, inputs_of
from ndcg import Convention, InputError, as_run, evaluate

if TYPE_CHECKING:
    from pathlib import Path

CASES = edge_cases()


def dcg(*gains: float) -> float:
    """Return gains in order of rank, discounted."""
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))


SECOND = 1 / math.log2(3)  # nDCG when the only relevant document is second

# Under the default convention: trec_eval 10's with -c, but for fractional grades.
VALUES: dict[str, float] = {
    "basic_linear": dcg(2, 3, 0, 1) / dcg(3, 2, 1),
    # ir_measures has no value: gdeval takes numbers only as query ids.
    "basic_exponential": dcg(3, 7, 0, 1) / dcg(7, 3, 1),
    # scikit-learn, torchmetrics, XGBoost, LightGBM: 1, their ideal knows only what they see.
    "judged_relevant_not_retrieved": 1 / dcg(1, 1),
    # scikit-learn: 0.79, the document that was not retrieved fills the list up.
    "k_beyond_list": dcg(1, 2) / dcg(3, 2, 1),
    "no_cutoff": dcg(1, 2) / dcg(3, 2, 1),
    "cutoff_1_grades": 1 / 3,
    # trectools: NaN for the query, 0 for the mean.
    "cutoff_1_ndcg_1_of_perfect": 0.0,
    # scikit-learn has no value for one document.
    "single_document": 1.0,
    # gdeval, XGBoost, LightGBM refuse such grades; trectools: -1, an overflow.
    "huge_grade_exponential": dcg(1, 2**70 - 1) / dcg(2**70 - 1, 1),
    "negative_run_scores": 1.0,
    # ranx, trectools, XGBoost, LightGBM keep the order of the input: 1; scikit-learn averages.
    "tie_relevant_id_small": SECOND,
    # ranx, trectools, XGBoost, LightGBM: 0.6309.
    "tie_relevant_id_large": 1.0,
    # trectools: 1, sorted by id ascending.
    "tie_input_order_reversed": SECOND,
    # "9" stands above "10": ids are texts for all but those that keep the input's order.
    "tie_numeric_ids_lexical": SECOND,
    "tie_at_cutoff": 0.0,
    # ranx: 0 when it sorts once, 1 when it sorts twice (make_comparable).
    "tie_constant_scorer_20": 0.0,
    "tie_constant_scorer_20_relevant_last": 1.0,
    # trec_eval 9 and all that is built on it hold 32 bits: a tie, 0.6309.
    "near_tie_float32": 1.0,
    # torchmetrics, XGBoost: 0.19, the negative gain counts; scikit-learn, LightGBM refuse.
    "negative_grade_retrieved": SECOND,
    # trec_eval stops with an error; torchmetrics: 1.58.
    "negative_grade_only": 0.0,
    # pytrec_eval and all that is built on it crash.
    "negative_grade_minus2_only": 0.0,
    # trec_eval, ranx cut fractions off: 0.6309; pytrec_eval, LightGBM refuse them.
    "float_grades": dcg(0.5, 1.5) / dcg(1.5, 0.5),
    # pytrec_eval and all that is built on it refuse floats.
    "float_grades_integral": 1.0,
    "bool_grades": SECOND,
    # XGBoost, LightGBM: 1 for a query without a relevant document.
    "grade_zero_only": 0.0,
    "mean_with_no_relevant_query": 0.5,
    # trec_eval 9 without -c, pytrec_eval, BEIR, MTEB and the learners leave the query out: 1.
    "query_missing_from_run": 0.5,
    # trectools: 0.5; PyTerrier: NaN; MTEB: a KeyError.
    "query_missing_from_qrels": 1.0,
    # pytrec_eval, BEIR, XGBoost, LightGBM: 1, they leave the query out; PyTerrier: NaN.
    "query_empty_in_qrels": 0.5,
    "int_scores": 1.0,
    # pytrec_eval and all that is built on it refuse NumPy's integers.
    "numpy_float32_scores": 1.0,
    # pytrec_eval, ranx, PyTerrier refuse integers as ids.
    "int_ids": SECOND,
    "space_in_id_dict": 1.0,
    # BEIR drops a document with the id of the query: 1.
    "docid_equals_qid": SECOND,
    # ranx compiles for each length of an id and gave no answer in three minutes.
    "long_id": SECOND,
    "file_baseline": 1.0,
    "file_crlf": 1.0,
    "file_trailing_blanks": 1.0,
    # pytrec_eval, ranx: an error.
    "file_blank_line_run": 1.0,
    # trec_eval, pytrec_eval, ranx: an error.
    "file_blank_line_qrels": 1.0,
    # trec_eval, pytrec_eval, ir_measures, ranx: 0, the first query id begins with the mark.
    "file_bom_qrels": 1.0,
    # trec_eval takes the header for a judgment: 0.5 with -c; most others fail.
    "file_header_qrels": 1.0,
    # trectools: 0.5; most others fail.
    "file_header_run": 1.0,
    # trec_eval 9, pytrec_eval, ir_measures, ranx, PyTerrier, trectools: an error.
    "file_comment_run": 1.0,
    # trec_eval reads no gzip; 9 crashes on it.
    "file_gz": 1.0,
    "file_tabs": 1.0,
    "file_no_final_newline": 1.0,
    "file_rank_disagrees_with_score": 1.0,
    "file_scientific_scores": 1.0,
    # trec_eval cuts fractions off: 0.6309; pytrec_eval, ir_measures, ranx, PyTerrier refuse them.
    "file_float_grade": dcg(0.9, 1.5) / dcg(1.5, 0.9),
    # trec_eval, pytrec_eval: an error; trectools: 1.23.
    "file_duplicate_qrels_same": 1.0,
    "file_queries_interleaved": (SECOND + 1) / 2,
    "file_leading_zero_ids": SECOND,
    "file_unicode_ids": 1.0,
    "unjudged_above_relevant": SECOND,
    "unjudged_above_relevant_judged_only": 1.0,
    # trec_eval 10 (1 - unj), trectools, BEIR, MTEB: 0.8, places that hold nothing count as judged.
    "judged_at_5_short_list": 0.5,
    "judged_at_5_full_list": 0.4,
    # trec_eval 10, trectools: 0.5, a negative grade is no judgment there.
    "judged_at_2_negative": 1.0,
    # BEIR, MTEB: 0.75, a document judged for any query is no hole.
    "judged_at_2_other_query": 0.5,
    # ir_measures, through gdeval: 0.83545.
    "exp_numeric_qid": dcg(3, 7, 0, 1) / dcg(7, 3, 1),
    # gdeval refuses grades above 4.
    "exp_grade_5": dcg(1, 31) / dcg(31, 1),
    # trectools: 0.6309, sorted by id ascending.
    "exp_tie": 1.0,
    # XGBoost, LightGBM refuse.
    "exp_negative_grade": SECOND,
    # ranx, trectools, XGBoost, LightGBM: 1, the order of the input.
    "fifteen_way_tie": 0.0,
    "file_mixed_case_ids": 0.0,
}

ERRORS: dict[str, str] = {
    # ir_measures: 0; pytrec_eval: no query; the others fail.
    "run_empty": "run: no documents in it",
    # ir_measures: NaN; trectools: 0; pytrec_eval: no query; the others fail.
    "qrels_empty": "no judgments in it",
    # Sorts do as they like with NaN: 0.6309 in most programs, 1 in XGBoost; scikit-learn refuses.
    "nan_score_first": "query 'q1', document 'a': score must be a number, got nan",
    "nan_score_last": "query 'q1', document 'a': score must be a number, got nan",
    # trec_eval and all that is built on it: 0.43; ranx, torchmetrics, XGBoost, LightGBM: 1.
    "nan_in_longer_list": "query 'q1', document 'b': score must be a number, got nan",
    # PyTerrier, ranx, XGBoost, LightGBM make numbers of texts: 1; pytrec_eval refuses.
    "string_scores_in_dict": "query 'q1', document 'a': score must be a number, got '10'",
    # PyTerrier: 1; the others fail.
    "file_run_5_columns": "run:1: expected 6 columns (query_id Q0 doc_id rank score tag), got 5: "
    "is the run tag, the last column, missing?",
    # trec_eval, trectools take a word for 0: 0.6309.
    "file_score_not_a_number": "run:1: the score must be a number, got 'high'",
    # All that read files: 0.6309.
    "file_nan_score": "run:1: the score is 'nan'",
    # trec_eval takes a word for 0: nDCG 0.
    "file_grade_word": "qrels:1: the grade must be a number, got 'high'",
    # ir_measures, PyTerrier, ranx keep the last line: 1; trec_eval, pytrec_eval, trectools fail.
    "file_duplicate_run_line": "run:2: document 'a' is retrieved twice for query 'q1', first at ",
    # ir_measures, PyTerrier, ranx: 0.6309, the last line counts.
    "file_duplicate_run_line_score_changes_rank": "run:3: document 'a' is retrieved twice for "
    "query 'q1', first at ",
    # ir_measures, PyTerrier, ranx: 0, the last line counts; trectools: 1, the first.
    "file_duplicate_qrels_conflict": "qrels:2: query 'q1', document 'a' is judged 1 and 0 (first ",
    "file_empty_run": "run: the file is empty, expected a run (query_id Q0 doc_id rank score tag)",
    "file_empty_qrels": "qrels: the file is empty, expected judgments "
    "(query_id iteration doc_id relevance)",
}

# Everything read otherwise than it stands there, assumed or left out is said. Notices of lists
# that end before the cutoff and of unjudged documents come with nearly every case: left away.
USUAL = {"shallow", "coverage"}
NOTICES: dict[str, set[str]] = {
    "grade_zero_only": {"barren"},
    "negative_grade_only": {"barren"},
    "negative_grade_minus2_only": {"barren"},
    "mean_with_no_relevant_query": {"barren"},
    "query_empty_in_qrels": {"barren"},
    "query_missing_from_run": {"unanswered"},
    "query_missing_from_qrels": {"unjudged"},
    "file_comment_run": {"comments"},
    "file_rank_disagrees_with_score": {"rank-order"},
    "file_scientific_scores": {"rank-order"},
    "file_duplicate_qrels_same": {"duplicate-judgments"},
    **{name: {"ties"} for name, case in CASES.items() if "reference_tie_averaged" in case},
}


def test_every_case_is_decided() -> None:
    assert {*VALUES, *ERRORS} == set(CASES)
    assert len(VALUES) + len(ERRORS) == 81
    # The reference counts an empty run as 0, where we have an error.
    assert {name for name in ERRORS if "reference_docid_desc" in CASES[name]} == {"run_empty"}


@pytest.mark.parametrize("name", VALUES)
def test_value(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    scores = evaluate(*inputs_of(case, tmp_path), measure_of(case))
    assert scores.mean()[measure_of(case)] == pytest.approx(VALUES[name], rel=1e-14)
    assert {notice.code for notice in scores.notices} - USUAL == NOTICES.get(name, set())


@pytest.mark.parametrize("name", [n for n in VALUES if "reference_docid_desc" in CASES[n]])
def test_value_is_the_independent_reference(name: str) -> None:
    # Arithmetic by the author of the file, in trec_eval's order, rounded to six decimals.
    assert round(VALUES[name], 6) == CASES[name]["reference_docid_desc"]["mean"]


@pytest.mark.parametrize("name", ERRORS)
def test_error(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    with pytest.raises(InputError) as caught:
        evaluate(*inputs_of(case, tmp_path), measure_of(case))
    assert ERRORS[name] in str(caught.value).replace(f"{tmp_path}/", "")


@pytest.mark.parametrize("name", [n for n, c in CASES.items() if "reference_tie_averaged" in c])
def test_value_with_averaged_ties(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    scores = evaluate(
        *inputs_of(case, tmp_path), measure_of(case), convention=Convention(ties="average")
    )
    value = scores.mean()[measure_of(case)]
    assert round(value, 6) == case["reference_tie_averaged"]["mean"]


@pytest.mark.parametrize("peer", PEERS)
def test_profile_returns_what_its_program_returns(peer: str, tmp_path: Path) -> None:
    parted, compared = [], 0
    for name, case in CASES.items():
        theirs = answer_of(peer, case)
        if case["format"] != "dict" or theirs is None:
            continue
        compared += 1
        if not agrees(peer, case, theirs, tmp_path):
            parted.append(name)
    assert sorted(parted) == sorted(EXCEPTIONS[peer])
    assert compared >= 35


def test_the_first_or_the_last_of_two_lines_may_count(tmp_path: Path) -> None:
    case = CASES["file_duplicate_run_line_score_changes_rank"]
    qrels, run = inputs_of(case, tmp_path)
    first = evaluate(qrels, as_run(run, duplicates="first"), "nDCG@10")
    last = evaluate(qrels, run, "nDCG@10", convention="ir_measures")
    assert first.mean()["nDCG@10"] == 1.0
    assert last.mean()["nDCG@10"] == pytest.approx(SECOND, rel=1e-14)
    # As ir_measures, PyTerrier and ranx have it.
    assert {case["values"][peer]["mean"] for peer in ("ir_measures", "pyterrier", "ranx")} == {
        0.63093
    }
    assert [n.code for n in last.notices if n.code not in USUAL] == ["duplicate-documents"]
