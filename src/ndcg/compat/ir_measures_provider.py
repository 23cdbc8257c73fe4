"""ndcg inside ir_measures: ``from ndcg.compat.ir_measures_provider import register``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import ir_measures
from ir_measures import Evaluator, Metric, Provider

from ndcg.compat.ir_measures import iter_calc, measure_of
from ndcg.errors import MeasureError
from ndcg.formats.reading import as_qrels, as_run

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["NdcgProvider", "register"]


class NdcgEvaluator(Evaluator):
    """Judgments and measures, ready for many runs."""

    def __init__(self, measures: Iterable[Any], qrels: Any) -> None:
        self.qrels = as_qrels(qrels)
        super().__init__(list(measures), set(self.qrels.query_ids))

    def _iter_calc(self, run: Any) -> Iterator[Metric]:
        """Yield values of answered queries; ir_measures itself fills in the others."""
        ranked = as_run(run, duplicates="last")
        answered = set(ranked.query_ids)
        for query, measure, value in iter_calc(self.measures, self.qrels, ranked):
            if query in answered:
                yield Metric(query_id=query, measure=measure, value=value)


class NdcgProvider(Provider):
    """Every measure of ir_measures that ndcg has."""

    NAME = "ndcg"

    def supports(self, measure: Any) -> bool:
        """Whether ndcg has the measure with these parameters."""
        measure.validate_params()
        if "gains" in measure.params:
            # There, a grade without a gain keeps its own worth; ours refuses it.
            return False
        try:
            measure_of(measure)
        except MeasureError:
            return False
        return True

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> NdcgEvaluator:
        return NdcgEvaluator(measures, qrels)


def register(*, first: bool = True) -> Any:
    """Make ndcg a provider inside ir_measures, and return it.

    From then on `ir_measures.calc_aggregate`, `iter_calc` and `evaluator`, and PyTerrier's
    `Experiment` above them, take from ndcg every measure that it has, and the rest from the
    providers that they had.

    Parameters
    ----------
    first
        False to have it by its name alone: ``ir_measures.providers.registry["ndcg"]``.

    Examples
    --------
    Exponential gain, for which ir_measures alone needs Perl and numbers as query ids:

    >>> from ir_measures import nDCG
    >>> provider = register(first=False)
    >>> measure = nDCG(dcg="exp-log2") @ 10
    >>> provider.calc_aggregate([measure], {"q1": {"a": 3, "b": 1}}, {"q1": {"b": 2, "a": 1}})
    {nDCG(dcg='exp-log2')@10: 0.7098097413968655}
    """
    # The package says that it is typed, and its functions are not.
    providers, make = cast("Any", ir_measures.providers), cast("Any", NdcgProvider)
    provider = providers.registry.get(NdcgProvider.NAME) or providers.register(make())
    if first and provider not in ir_measures.DefaultPipeline.providers:
        ir_measures.DefaultPipeline.providers.insert(0, provider)
    return provider
