"""An nDCG you can bet a release on: the number, how sure it is, and what was never judged.

    import ndcg
    from ndcg import nDCG, R, Judged

    scores = ndcg.evaluate("qrels.txt", "bm25.run", [nDCG @ 10, R @ 100, Judged @ 10])
    scores.mean()

Names load on first use, so that importing the package costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from ndcg.advice import Advice, advise
    from ndcg.comparison import (
        Comparison,
        Decomposition,
        Pair,
        SlicePair,
        Verdict,
        compare,
        decompose,
    )
    from ndcg.conventions import PROFILES, Convention
    from ndcg.data import Notice, Qrels, Run
    from ndcg.disagreement import Disagreement, why
    from ndcg.errors import InputError, MeasureError, MissingPackageError, NdcgError, OptionError
    from ndcg.evaluation import RunScores, Scores, TieRange, evaluate, load_scores, tie_range
    from ndcg.evaluation.grouping import grouped
    from ndcg.explanation import Explanation, Step, explain
    from ndcg.formats.reading import as_qrels, as_run
    from ndcg.formats.writing import write_qrels, write_run
    from ndcg.holes.bounding import Bounds, bounds
    from ndcg.holes.covering import Coverage, coverage
    from ndcg.holes.limits import Limits
    from ndcg.holes.merging import Merged, merge
    from ndcg.holes.pooling import Pool, pool
    from ndcg.holes.queue import Queue, next_labels
    from ndcg.holes.sampling import Sampled, estimate_sampled
    from ndcg.measures import (
        AP,
        CG,
        DCG,
        ERR,
        RBP,
        RR,
        Bpref,
        Judged,
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
        parse_measure,
    )
    from ndcg.planning import Effort, Plan, plan
    from ndcg.ranking import Ranking, rank
    from ndcg.references import Reference, find_references
    from ndcg.retrieval.collecting import Collected, collect
    from ndcg.retrieval.commands import CommandRetriever
    from ndcg.retrieval.urls import UrlRetriever
    from ndcg.slicing import Slices, as_slices

_HOMES = {
    "ndcg.advice": ("Advice", "advise"),
    "ndcg.comparison": (
        *("Comparison", "Decomposition", "Pair", "SlicePair", "Verdict", "compare", "decompose"),
    ),
    "ndcg.conventions": ("PROFILES", "Convention"),
    "ndcg.data": ("Notice", "Qrels", "Run"),
    "ndcg.disagreement": ("Disagreement", "why"),
    "ndcg.errors": (
        "InputError",
        "MeasureError",
        "MissingPackageError",
        "NdcgError",
        "OptionError",
    ),
    "ndcg.evaluation": (
        "RunScores",
        "Scores",
        "TieRange",
        "evaluate",
        "load_scores",
        "tie_range",
    ),
    "ndcg.evaluation.grouping": ("grouped",),
    "ndcg.explanation": ("Explanation", "Step", "explain"),
    "ndcg.formats.reading": ("as_qrels", "as_run"),
    "ndcg.formats.writing": ("write_qrels", "write_run"),
    "ndcg.holes.bounding": ("Bounds", "bounds"),
    "ndcg.holes.covering": ("Coverage", "coverage"),
    "ndcg.holes.limits": ("Limits",),
    "ndcg.holes.merging": ("Merged", "merge"),
    "ndcg.holes.pooling": ("Pool", "pool"),
    "ndcg.holes.queue": ("Queue", "next_labels"),
    "ndcg.holes.sampling": ("Sampled", "estimate_sampled"),
    "ndcg.measures": (
        *("AP", "CG", "DCG", "ERR", "RBP", "RR", "Bpref", "Judged", "Measure", "NumRel"),
        *("NumRelRet", "NumRet", "P", "R", "Rprec", "Success", "infAP", "nDCG", "parse_measure"),
    ),
    "ndcg.planning": ("Effort", "Plan", "plan"),
    "ndcg.ranking": ("Ranking", "rank"),
    "ndcg.references": ("Reference", "find_references"),
    "ndcg.retrieval.collecting": ("Collected", "collect"),
    "ndcg.retrieval.commands": ("CommandRetriever",),
    "ndcg.retrieval.urls": ("UrlRetriever",),
    "ndcg.slicing": ("Slices", "as_slices"),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "AP",
    "CG",
    "DCG",
    "ERR",
    "PROFILES",
    "RBP",
    "RR",
    "Advice",
    "Bounds",
    "Bpref",
    "Collected",
    "CommandRetriever",
    "Comparison",
    "Convention",
    "Coverage",
    "Decomposition",
    "Disagreement",
    "Effort",
    "Explanation",
    "InputError",
    "Judged",
    "Limits",
    "Measure",
    "MeasureError",
    "Merged",
    "MissingPackageError",
    "NdcgError",
    "Notice",
    "NumRel",
    "NumRelRet",
    "NumRet",
    "OptionError",
    "P",
    "Pair",
    "Plan",
    "Pool",
    "Qrels",
    "Queue",
    "R",
    "Ranking",
    "Reference",
    "Rprec",
    "Run",
    "RunScores",
    "Sampled",
    "Scores",
    "SlicePair",
    "Slices",
    "Step",
    "Success",
    "TieRange",
    "UrlRetriever",
    "Verdict",
    "__version__",
    "advise",
    "as_qrels",
    "as_run",
    "as_slices",
    "bounds",
    "collect",
    "compare",
    "coverage",
    "decompose",
    "estimate_sampled",
    "evaluate",
    "explain",
    "find_references",
    "grouped",
    "infAP",
    "load_scores",
    "merge",
    "nDCG",
    "next_labels",
    "parse_measure",
    "plan",
    "pool",
    "rank",
    "tie_range",
    "why",
    "write_qrels",
    "write_run",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'ndcg' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
