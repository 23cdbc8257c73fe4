"""How far the order of equal scores can move a measure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from ndcg.conventions import Convention, as_convention
from ndcg.evaluation.computing import compute, prepare_qrels, prepare_run, ranking_for
from ndcg.evaluation.scores import mean_of
from ndcg.formats.reading import QrelsLike, RunLike, as_qrels, as_run
from ndcg.measures import Measure, nDCG, parse_measure

if TYPE_CHECKING:
    from ndcg.data import FloatArray
    from ndcg.ranking import Ranking


def tie_bounds(
    measure: Measure, ranking: Ranking, rules: Convention
) -> tuple[FloatArray, FloatArray]:
    """Return the lowest and the highest value of a measure over all orders of tied documents."""
    plain = replace(measure, parameters=tuple((k, v) for k, v in measure.parameters if k != "ties"))
    fixed = replace(rules, ties="trec", tie_exceptions=())
    worth = measure.worth(ranking, fixed)
    worst = compute(plain, ranking.reordered(best=False, worth=worth), fixed)
    best = compute(plain, ranking.reordered(best=True, worth=worth), fixed)
    # A residual falls where a judged document moves up.
    return np.minimum(worst, best), np.maximum(worst, best)


@dataclass(frozen=True, eq=False, repr=False)
class TieRange:
    """A measure's value and its extremes over all orders of tied documents, one a query."""

    query_ids: list[str]
    lower: FloatArray
    value: FloatArray
    upper: FloatArray

    def __repr__(self) -> str:
        low, value, high = (mean_of(column) for column in (self.lower, self.value, self.upper))
        return f"TieRange({low:.4f} <= {value:.4f} <= {high:.4f}, {len(self.query_ids)} queries)"

    def to_frame(self) -> pl.DataFrame:
        """Return a Polars frame: query_id, lower, value, upper."""
        return pl.DataFrame(
            {
                "query_id": self.query_ids,
                "lower": self.lower,
                "value": self.value,
                "upper": self.upper,
            }
        )


def tie_range(
    qrels: QrelsLike,
    run: RunLike,
    measure: str | Measure = nDCG @ 10,
    *,
    convention: Convention | str | None = None,
) -> TieRange:
    """Return how far the order of equal scores could move a measure, query by query.

    Holds for every measure that never falls when a better document moves up.

    Examples
    --------
    >>> tie_range({"q": {"a": 1}}, {"q": {"a": 1.0, "b": 1.0}})
    TieRange(0.6309 <= 0.6309 <= 1.0000, 1 queries)
    """
    rules, wanted = as_convention(convention), parse_measure(measure)
    judged = prepare_qrels(as_qrels(qrels), rules)
    ready = prepare_run(as_run(run, duplicates=rules.duplicates), rules)
    ranking = ranking_for(judged, ready, wanted.ties_under(rules), rules)
    lower, upper = tie_bounds(wanted, ranking, rules)
    return TieRange(ranking.query_ids, lower, compute(wanted, ranking, rules), upper)
