"""Runs against a baseline on the same queries and judgments, ending in a verdict."""

from ndcg.comparison.decomposition import Decomposition, decompose
from ndcg.comparison.pairs import Pair, Procedure
from ndcg.comparison.results import Comparison, compare
from ndcg.comparison.slice_pairs import SlicePair
from ndcg.comparison.verdicts import Verdict

__all__ = [
    "Comparison",
    "Decomposition",
    "Pair",
    "Procedure",
    "SlicePair",
    "Verdict",
    "compare",
    "decompose",
]
