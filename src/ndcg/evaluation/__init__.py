"""Measures of one run or many, with everything that the numbers rest on."""

from ndcg.evaluation.computing import compute, prepare_qrels, prepare_run, ranking_for
from ndcg.evaluation.evaluating import DEFAULT_MEASURES, count_barren, evaluate
from ndcg.evaluation.naming import NamedRuns, distinct_names, named_runs, read_runs
from ndcg.evaluation.parts import SliceScores, slice_scores
from ndcg.evaluation.scores import (
    MeasureValues,
    RunScores,
    Scores,
    find_scores,
    load_scores,
    mean_of,
)
from ndcg.evaluation.ties import TieRange, tie_bounds, tie_range

__all__ = [
    "DEFAULT_MEASURES",
    "MeasureValues",
    "NamedRuns",
    "RunScores",
    "Scores",
    "SliceScores",
    "TieRange",
    "compute",
    "count_barren",
    "distinct_names",
    "evaluate",
    "find_scores",
    "load_scores",
    "mean_of",
    "named_runs",
    "prepare_qrels",
    "prepare_run",
    "ranking_for",
    "read_runs",
    "slice_scores",
    "tie_bounds",
    "tie_range",
]
