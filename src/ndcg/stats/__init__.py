"""Statistics of per-query values: arrays only, nothing about judgments or runs.

Intervals of means (`mean_intervals`), paired tests (`paired_bootstrap`, `paired_t`,
`paired_randomisation`), corrections for many (`holm`, `benjamini_hochberg`, `max_t`, `tukey_hsd`),
effect sizes (`summarise_differences`), power (`required_queries`, `detectable_effect`) and what a
printed figure can support (`audit_figure`). SciPy is imported when a distribution is first needed.
"""

from ndcg.stats.arrays import paired_differences
from ndcg.stats.bounded import Interval, chernoff_interval, clopper_pearson
from ndcg.stats.corrections import benjamini_hochberg, holm
from ndcg.stats.effects import DifferenceSummary, summarise_differences
from ndcg.stats.families import AllPairsResult, MaxTResult, max_t, tukey_hsd
from ndcg.stats.figures import FigureAudit, FigureComparison, audit_figure
from ndcg.stats.intervals import mean_intervals
from ndcg.stats.paired import PairedTestResult, smallest_pvalue
from ndcg.stats.permutations import paired_randomisation
from ndcg.stats.power import (
    detectable_effect,
    difference_sd_bound,
    paired_power,
    required_queries,
    score_sd_bound,
)
from ndcg.stats.significance import paired_bootstrap, paired_t

__all__ = [
    "AllPairsResult",
    "DifferenceSummary",
    "FigureAudit",
    "FigureComparison",
    "Interval",
    "MaxTResult",
    "PairedTestResult",
    "audit_figure",
    "benjamini_hochberg",
    "chernoff_interval",
    "clopper_pearson",
    "detectable_effect",
    "difference_sd_bound",
    "holm",
    "max_t",
    "mean_intervals",
    "paired_bootstrap",
    "paired_differences",
    "paired_power",
    "paired_randomisation",
    "paired_t",
    "required_queries",
    "score_sd_bound",
    "smallest_pvalue",
    "summarise_differences",
    "tukey_hsd",
]
