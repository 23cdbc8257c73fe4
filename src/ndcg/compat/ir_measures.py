"""ir_measures' calls: ``from ndcg.compat.ir_measures import calc_aggregate, iter_calc``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ndcg.errors import InputError, MeasureError
from ndcg.evaluation import evaluate
from ndcg.formats.reading import as_qrels, as_run
from ndcg.measures import Measure, parse_measure

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ndcg.evaluation import Scores

__all__ = ["Metric", "calc_aggregate", "iter_calc", "measure_of"]


class Metric(NamedTuple):
    """The value of one measure for one query."""

    query_id: str
    measure: Any
    value: float


def calc_aggregate(measures: Iterable[Any], qrels: Any, run: Any) -> dict[Any, float]:
    """Return ``{measure: mean}`` over the judged queries, an unanswered one as 0.

    Parameters
    ----------
    measures
        Objects of ir_measures, their spellings, or measures of ndcg; they are the keys again.
    qrels, run
        What ir_measures takes: mappings, rows of its named tuples, frames, paths; a document twice
        counts with its last line.

    Raises
    ------
    MeasureError
        For a measure that ndcg has not.

    Examples
    --------
    >>> calc_aggregate(["nDCG@10", "RR"], {"q1": {"a": 1}}, {"q1": {"b": 2.0, "a": 1.0}})
    {'nDCG@10': 0.6309297535714575, 'RR': 0.5}
    """
    wanted = list(measures)
    scores = _scores(wanted, qrels, run)
    if scores is None:
        return dict.fromkeys(wanted, 0.0)
    means = scores.mean()
    return {one: means[measure_of(one)] for one in wanted}


def iter_calc(measures: Iterable[Any], qrels: Any, run: Any) -> Iterator[Metric]:
    """Yield a `Metric` a judged query and measure."""
    wanted = list(measures)
    scores = _scores(wanted, qrels, run)
    if scores is None:
        return
    values = dict(zip(scores.measures, scores.runs[0].values.T, strict=True))
    for place, query in enumerate(scores.query_ids):
        for one in wanted:
            yield Metric(query, one, float(values[measure_of(one)][place]))


def _scores(measures: list[Any], qrels: Any, run: Any) -> Scores | None:
    """Return the scores; None where the run answers no judged query, which is no error there."""
    judged, ranked = as_qrels(qrels), as_run(run, duplicates="last")
    wanted = list(dict.fromkeys(measure_of(one) for one in measures))
    if not set(judged.query_ids) & set(ranked.query_ids):
        if not wanted:
            raise InputError("no measure given; the usual one is nDCG@10")
        return None
    return evaluate(judged, ranked, wanted, convention="ir_measures")


def measure_of(given: Any) -> Measure:
    """Return the measure of ndcg that an object of ir_measures spells; a MeasureError without."""
    if isinstance(given, Measure):
        return given
    spelling = str(given)
    if spelling.startswith("Accuracy"):
        # Elsewhere accuracy@k is Success@k.
        raise MeasureError("ndcg has not the Accuracy of ir_measures, a share of ordered pairs")
    # Its NumRelRet is a NumRet of relevant documents.
    return parse_measure(spelling.replace("NumRet(rel", "NumRelRet(rel"))
