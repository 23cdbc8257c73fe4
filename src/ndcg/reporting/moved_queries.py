"""The queries that moved most between two runs, and the documents that moved them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ndcg.comparison import compare
from ndcg.conventions import as_convention
from ndcg.data import Run
from ndcg.evaluation import find_scores
from ndcg.explanation import can_explain, explain
from ndcg.formats.reading import as_qrels, as_run

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ndcg.comparison import Comparison, Pair
    from ndcg.data import Qrels
    from ndcg.evaluation import Scores
    from ndcg.formats.reading import QrelsLike
    from ndcg.measures import Measure

__all__ = ["Compared", "MovedDocument", "MovedQuery", "compare_in_memory"]

_DOCUMENTS = 3
_VISIBLE = 5e-5


@dataclass(frozen=True)
class MovedDocument:
    """What one document adds to a difference; a rank is None beyond the measure's cutoff."""

    doc_id: str
    grade: float | None
    rank_before: int | None
    rank: int | None
    difference: float


@dataclass(frozen=True)
class MovedQuery:
    """A query's value before and after, and the documents behind the largest part of the change.

    `documents` is empty for measures that `ndcg.explain` does not show, and for saved scores.
    """

    query_id: str
    before: float
    after: float
    difference: float
    documents: tuple[MovedDocument, ...]


@dataclass(frozen=True, eq=False)
class Compared:
    """A comparison with the judgments and runs that it was made from, kept in memory."""

    comparison: Comparison
    qrels: Qrels
    runs: Mapping[str, Run | Scores]

    def digest(self, name: str) -> str | None:
        """Return the digest of a run; None for saved scores that do not know it."""
        source = self.runs[name]
        return source.digest if isinstance(source, Run) else source.run().digest

    def moved(self, pair: Pair) -> list[MovedQuery]:
        """Return the queries of ``pair.moved``, the largest fall first, then the largest rise."""
        before = self.comparison.scores.per_query(pair.measure, pair.baseline)
        after = self.comparison.scores.per_query(pair.measure, pair.run)
        return [
            MovedQuery(query, before[query], after[query], change, self._documents(pair, query))
            for query, change in pair.moved
        ]

    def _documents(self, pair: Pair, query: str) -> tuple[MovedDocument, ...]:
        old, new = self.runs[pair.baseline], self.runs[pair.run]
        if not (can_explain(pair.measure) and isinstance(old, Run) and isinstance(new, Run)):
            return ()
        rules = self.comparison.scores.convention
        shown = [
            explain(self.qrels, run, query, pair.measure, convention=rules) for run in (new, old)
        ]
        causes = shown[0].against(shown[1]).head(_DOCUMENTS)
        return tuple(
            MovedDocument(doc, grade, rank_before, rank, change)
            for doc, grade, rank, rank_before, change in causes.iter_rows()
            if abs(change) >= _VISIBLE
        )


def compare_in_memory(
    qrels: QrelsLike,
    runs: Mapping[str, Any],
    measures: str | Measure | Sequence[str | Measure],
    **options: Any,
) -> Compared:
    """Return what `ndcg.compare` returns, with judgments and runs beside it for their documents.

    >>> found = compare_in_memory(
    ...     {"q": {"a": 3, "b": 1}},
    ...     {"old": {"q": {"a": 2.0, "b": 1.0}}, "new": {"q": {"a": 1.0, "b": 2.0}}},
    ...     "nDCG@1",
    ... )
    >>> found.moved(found.comparison.pairs[0])[0].documents[0]
    MovedDocument(doc_id='a', grade=3.0, rank_before=1, rank=None, difference=-1.0)
    """
    policy = as_convention(options.get("convention")).duplicates
    judged = as_qrels(qrels)
    read: dict[str, Run | Scores] = {}
    for name in runs:
        source = runs[name]
        saved = find_scores(source)
        read[name] = as_run(source, name=name, duplicates=policy) if saved is None else saved
    return Compared(compare(judged, read, measures, **options), judged, read)
