"""The measures: one small function each, over the ranks of the judged documents.

Every function takes a `Ranking` and `Rules` and returns one value a query, shape (n,), all in
[0, 1] but for CG, DCG and the counts. A query in which the measure is not defined gets NaN, which
`ndcg.evaluation` leaves out and counts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ndcg.errors import MeasureError
from ndcg.measures.gains import (
    Rules,
    depth_of,
    discounts,
    gain_of,
    ideal_sum,
    rank_weights,
    sum_by_query,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from ndcg.data import FloatArray, IntArray
    from ndcg.ranking import Ranking

_INFAP_SMOOTHING = 1e-5


@dataclass(frozen=True)
class Definition:
    """A family of measures: its function, what may be set, and its meaning in a sentence."""

    compute: Callable[[Ranking, Rules], FloatArray]
    meaning: str
    parameters: tuple[str, ...] = ()
    cutoff: Literal["optional", "never"] = "optional"
    expected: bool = False
    counts: bool = False


def _ratio(numerator: FloatArray, denominator: NDArray[Any]) -> FloatArray:
    """Divide, with 0 where the denominator is 0."""
    ratio = np.zeros(len(numerator))
    np.divide(numerator, denominator, out=ratio, where=denominator > 0)
    return ratio


def _relevant(ranking: Ranking, rules: Rules) -> FloatArray:
    return (ranking.relevance >= rules.rel).astype(np.float64)


def _count_relevant(ranking: Ranking, rules: Rules) -> FloatArray:
    relevant = (ranking.judged_relevance >= rules.rel).astype(np.float64)
    return sum_by_query(ranking, ranking.judged_query, relevant)


def _within(ranking: Ranking, rules: Rules) -> FloatArray:
    """Return 1 for rows at or above the cutoff; the expected share of them with average ties."""
    return rank_weights(ranking, np.ones(depth_of(ranking, rules.cutoff)), rules.ties)


def _hits(ranking: Ranking, rules: Rules) -> FloatArray:
    values = _relevant(ranking, rules) * _within(ranking, rules)
    return sum_by_query(ranking, ranking.query, values)


def _running_count(ranking: Ranking, flags: FloatArray) -> IntArray:
    """Return how many rows are flagged up to and including each row of its query."""
    total = np.concatenate(([0], np.cumsum(flags.astype(np.int64))))
    starts = np.searchsorted(ranking.query, np.arange(len(ranking)))
    return total[1:] - total[starts[ranking.query]]


def cumulated_gain(ranking: Ranking, rules: Rules) -> FloatArray:
    """CG: the sum of gains down to the cutoff (Järvelin & Kekäläinen, TOIS 2002)."""
    values = gain_of(ranking.relevance, rules.gain) * _within(ranking, rules)
    return sum_by_query(ranking, ranking.query, values)


def discounted_gain(ranking: Ranking, rules: Rules) -> FloatArray:
    """DCG: the sum of gain times discount (Järvelin & Kekäläinen, 2002; Burges et al., 2005)."""
    discount = discounts(depth_of(ranking, rules.cutoff), rules.discount)
    weights = rank_weights(ranking, discount, rules.ties)
    return sum_by_query(ranking, ranking.query, gain_of(ranking.relevance, rules.gain) * weights)


def normalised_gain(ranking: Ranking, rules: Rules) -> FloatArray:
    """Return nDCG: DCG over the DCG of the ideal order; a barren query follows its policy."""
    ideal = ideal_sum(ranking, rules)
    values = _ratio(discounted_gain(ranking, rules), ideal)
    if rules.ties == "average":
        # Expected discounts are differences of running sums and may round up by a bit.
        values = np.minimum(values, 1.0)
    if rules.barren == "one":
        values[ideal == 0] = 1.0
    return values


def precision(ranking: Ranking, rules: Rules) -> FloatArray:
    """P: the share of the top k that is relevant; short lists are divided by k all the same."""
    if rules.cutoff is None:
        return _ratio(_hits(ranking, rules), ranking.retrieved)
    return _hits(ranking, rules) / rules.cutoff


def recall(ranking: Ranking, rules: Rules) -> FloatArray:
    """R: the share of the relevant documents that is in the top k."""
    return _ratio(_hits(ranking, rules), _count_relevant(ranking, rules))


def average_precision(ranking: Ranking, rules: Rules) -> FloatArray:
    """AP: the mean over all relevant documents of the precision at their ranks."""
    relevant = _relevant(ranking, rules)
    values = relevant * _running_count(ranking, relevant) / ranking.rank * _within(ranking, rules)
    return _ratio(sum_by_query(ranking, ranking.query, values), _count_relevant(ranking, rules))


def reciprocal_rank(ranking: Ranking, rules: Rules) -> FloatArray:
    """RR: one over the rank of the first relevant document, 0 when there is none."""
    relevant = _relevant(ranking, rules) * _within(ranking, rules)
    first = (relevant > 0) & (_running_count(ranking, relevant) == 1)
    return sum_by_query(ranking, ranking.query, first / ranking.rank)


def success(ranking: Ranking, rules: Rules) -> FloatArray:
    """Return Success: 1 when the top k holds a relevant document."""
    return (_hits(ranking, rules) > 0).astype(np.float64)


def r_precision(ranking: Ranking, rules: Rules) -> FloatArray:
    """Rprec: precision at R, the number of relevant documents of the query."""
    total = _count_relevant(ranking, rules)
    inside = _relevant(ranking, rules) * (ranking.rank <= total[ranking.query])
    return _ratio(sum_by_query(ranking, ranking.query, inside), total)


def expected_reciprocal_rank(ranking: Ranking, rules: Rules) -> FloatArray:
    """ERR: the expected 1/rank at which a user who reads down stops (Chapelle et al., CIKM 2009).

    A grade g stops the user with probability (2^g - 1) / 2^max_grade; `max_grade` is the highest
    grade of the judgments unless given.
    """
    grades = np.maximum(ranking.judged_relevance, 0.0)
    highest = float(grades.max()) if len(grades) else 0.0
    top = highest if rules.max_grade is None else rules.max_grade
    if highest > top:
        raise MeasureError(f"ERR has max_grade {top:g}, but the judgments go up to {highest:g}")
    stop = gain_of(ranking.relevance, "exp") / math.exp2(top)
    rows = np.flatnonzero((stop > 0) & (ranking.rank <= depth_of(ranking, rules.cutoff)))
    place = np.zeros(len(ranking.rank))
    place[rows] = 1.0
    step = _running_count(ranking, place)[rows]
    values, reading = np.zeros(len(ranking)), np.ones(len(ranking))
    for i in range(1, int(step.max()) + 1 if len(step) else 0):
        at = rows[step == i]
        query = ranking.query[at]
        values[query] += reading[query] * stop[at] / ranking.rank[at]
        reading[query] *= 1.0 - stop[at]
    return values


def rank_biased_precision(ranking: Ranking, rules: Rules) -> FloatArray:
    """RBP: the expected gain of a user who reads on with probability p (Moffat & Zobel, TOIS 2008).

    With ``residual=True``: how much higher it could be if everything unjudged were relevant.
    """
    depth = depth_of(ranking, rules.cutoff)
    discount = (1.0 - rules.p) * np.power(rules.p, np.arange(depth, dtype=np.float64))
    weights = rank_weights(ranking, discount, rules.ties)
    if rules.residual:
        return 1.0 - sum_by_query(ranking, ranking.query, weights)
    return sum_by_query(ranking, ranking.query, _relevant(ranking, rules) * weights)


def _judged_nonrelevant(grades: FloatArray, rules: Rules) -> FloatArray:
    # trec_eval counts a negative grade neither as relevant nor as judged non-relevant.
    return ((grades >= 0) & (grades < rules.rel)).astype(np.float64)


def binary_preference(ranking: Ranking, rules: Rules) -> FloatArray:
    """Bpref: how seldom judged non-relevant documents stand above relevant ones.

    Buckley & Voorhees, SIGIR 2004, as trec_eval computes it.
    """
    total = _count_relevant(ranking, rules)
    against = sum_by_query(
        ranking, ranking.judged_query, _judged_nonrelevant(ranking.judged_relevance, rules)
    )
    above = _running_count(ranking, _judged_nonrelevant(ranking.relevance, rules))
    size = total[ranking.query]
    bound = np.minimum(size, against[ranking.query])
    share = 1.0 - _ratio(np.minimum(above, size), bound)
    values = _relevant(ranking, rules) * share
    return _ratio(sum_by_query(ranking, ranking.query, values), total)


def inferred_average_precision(ranking: Ranking, rules: Rules) -> FloatArray:
    """Return infAP: average precision estimated from a sampled pool (Yilmaz & Aslam, CIKM 2006).

    As trec_eval computes it: a negative grade marks a document of the pool that nobody judged,
    and documents outside the judgments are outside the pool.
    """
    relevant = _relevant(ranking, rules)
    known = relevant + _judged_nonrelevant(ranking.relevance, rules)
    unjudged = (ranking.relevance < 0).astype(np.float64)
    above_relevant = _running_count(ranking, relevant) - relevant
    above_known = _running_count(ranking, known) - known
    before = ranking.rank - 1.0
    precision_above = (above_relevant + _INFAP_SMOOTHING) / (above_known + 2 * _INFAP_SMOOTHING)
    in_pool = _ratio(above_known + _running_count(ranking, unjudged), before)
    values = 1.0 / ranking.rank + before / ranking.rank * in_pool * precision_above
    total = _count_relevant(ranking, rules)
    return _ratio(sum_by_query(ranking, ranking.query, relevant * values), total)


def judged_share(ranking: Ranking, rules: Rules) -> FloatArray:
    """Return Judged: the share of the top k that has any judgment, negative grades included.

    The denominator is min(k, documents retrieved); NaN where nothing was retrieved.
    """
    found = sum_by_query(ranking, ranking.query, _within(ranking, rules))
    listed = ranking.retrieved
    if rules.cutoff is not None:
        listed = np.minimum(listed, rules.cutoff)
    share = np.full(len(found), np.nan)
    np.divide(found, listed, out=share, where=listed > 0)
    return share


def count_retrieved(ranking: Ranking, rules: Rules) -> FloatArray:
    """NumRet: documents retrieved, down to the cutoff."""
    listed = ranking.retrieved.astype(np.float64)
    return listed if rules.cutoff is None else np.minimum(listed, rules.cutoff)


_GAINS = ("gain", "discount")
CATALOGUE: dict[str, Definition] = {
    "nDCG": Definition(
        normalised_gain, "gain against the ideal order, discounted by rank", _GAINS, expected=True
    ),
    "DCG": Definition(discounted_gain, "gain discounted by rank", _GAINS, expected=True),
    "CG": Definition(cumulated_gain, "gain summed", ("gain",), expected=True),
    "P": Definition(precision, "share of the top k that is relevant", ("rel",), expected=True),
    "R": Definition(recall, "share of the relevant that is retrieved", ("rel",), expected=True),
    "AP": Definition(average_precision, "precision averaged over the relevant", ("rel",)),
    "RR": Definition(reciprocal_rank, "one over the rank of the first relevant", ("rel",)),
    "Success": Definition(success, "whether the top k holds a relevant document", ("rel",)),
    "Rprec": Definition(r_precision, "precision at the number of relevant", ("rel",), "never"),
    "ERR": Definition(expected_reciprocal_rank, "expected 1/rank of stopping", ("max_grade",)),
    "RBP": Definition(
        rank_biased_precision,
        "relevance met by a user who reads on with probability p",
        ("p", "rel", "residual"),
        expected=True,
    ),
    "Bpref": Definition(binary_preference, "relevant above judged non-relevant", ("rel",), "never"),
    "infAP": Definition(
        inferred_average_precision, "AP inferred from a sampled pool", ("rel",), "never"
    ),
    "Judged": Definition(judged_share, "share of the top k that was judged", expected=True),
    "NumRet": Definition(count_retrieved, "documents retrieved", expected=True, counts=True),
    "NumRel": Definition(
        _count_relevant, "relevant judged", ("rel",), "never", expected=True, counts=True
    ),
    "NumRelRet": Definition(_hits, "relevant retrieved", ("rel",), expected=True, counts=True),
}
