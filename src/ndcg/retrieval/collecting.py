"""Collecting a run: every query asked, what failed counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack, get_args

from ndcg.data import Notice, Run, counted, shown
from ndcg.errors import InputError, OptionError, check_choice
from ndcg.retrieval.answers import Answer, Fields
from ndcg.retrieval.asking import Question, ask_all
from ndcg.retrieval.callables import as_retriever
from ndcg.retrieval.failures import Failure
from ndcg.retrieval.journals import Journal, heading_of
from ndcg.retrieval.pacing import Pace
from ndcg.retrieval.queries import as_queries
from ndcg.retrieval.rankings import By, rank_answers

if TYPE_CHECKING:
    from os import PathLike

__all__ = ["Collected", "collect"]

Progress = Callable[[int, int, int], None]


class CollectOptions(TypedDict, total=False):
    """The keywords of `Pace` and `Fields`."""

    workers: int | None
    rate: float | None
    retries: int
    backoff: float
    give_up: int
    results: str | None
    doc_id: str | None
    score: str | None


@dataclass(frozen=True, eq=False, repr=False)
class Collected(Run):
    """A run with what failed beside it; goes wherever a run goes.

    Attributes
    ----------
    failures
        One a query that got no answer. Such a query is not in the run, and `notices` say so; a
        query that was answered with nothing is in it, with no documents.
    asked
        How many queries there were.
    """

    failures: tuple[Failure, ...] = ()
    asked: int = 0

    def __repr__(self) -> str:
        return (
            f"Collected({self.name!r}, {self.asked - len(self.failures)} of "
            f"{counted(self.asked, 'query', 'queries')} answered, {len(self)} documents)"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return counts, failures and notices as plain values."""
        return {
            "run": self.name,
            "queries": {"asked": self.asked, "answered": self.asked - len(self.failures)},
            "documents": len(self),
            "failures": [asdict(failure) for failure in self.failures],
            "notices": [{"code": one.code, "text": one.text} for one in self.notices],
        }


def collect(
    queries: Any,
    retriever: Any,
    *,
    k: int = 100,
    by: By | None = None,
    journal: str | PathLike[str] | None = None,
    name: str = "",
    progress: Progress | None = None,
    **options: Unpack[CollectOptions],
) -> Collected:
    """Ask a retriever every query and return its run, what failed counted.

    Parameters
    ----------
    queries
        ``{query_id: text}``, pairs, or a path: ``id TAB text``, a table with named columns, JSON
        lines as in BEIR, one JSON object.
    retriever
        A function of the text (and of ``k`` and ``query_id``, if it has parameters of that name),
        a LangChain retriever (``invoke``), a LlamaIndex retriever (``retrieve``), a
        `UrlRetriever`, or a `CommandRetriever`. It returns a list of document ids, of (id, score),
        of objects or mappings with an id and a score, or ``{doc_id: score}``.
    k
        How many documents are asked for and kept, 1 or more.
    by
        What ranks the documents: ``"score"``, or the ``"order"`` in which they came, for scores
        that are distances. None is ``"score"``, but lists that all rise are refused.
    journal
        A file that keeps every answer, so that the same call asks only what is missing.
    name
        The system's name.
    progress
        Called with the numbers done, failed, and in all, after each query.
    **options
        workers, rate, retries, backoff, give_up: see ``ndcg.retrieval.pacing.Pace``. results,
        doc_id, score: where an answer has its list and each document its id and score, as paths
        (``hits.hits``, ``metadata.source``).

    Returns
    -------
    Collected
        A run; queries in the order given, whatever order the answers came in.

    Raises
    ------
    InputError
        When no query got a document, for scores that rise in every list, and for a journal of
        another retriever.
    OptionError
        For an option outside its range.

    Examples
    --------
    A query that fails is no empty list; it is missing, and counted:

    >>> def search(text, k):
    ...     if text == "laptop":
    ...         return [("d7", 2.5), ("d2", 1.5)]
    ...     raise ConnectionError("reset")
    >>> run = collect({"q1": "laptop", "q2": "mouse"}, search, k=10, retries=0)
    >>> run, run.query_ids.to_list(), run.failures[0].reason
    (Collected('run', 1 of 2 queries answered, 2 documents), ['q1'], "ConnectionError: 'reset'")
    """
    if by is not None:
        check_choice("by", by, get_args(By))
    if k < 1:
        raise OptionError(f"k must be 1 or more, got {k}")
    pace, fields = _split(options)
    texts, asked = as_queries(queries), as_retriever(retriever)
    question = Question(asked, k, fields)
    with ExitStack() as stack:
        kept = None
        if journal is not None:
            kept = stack.enter_context(Journal(Path(journal), heading_of(asked, fields, k)))
        answers, failures, resumed = _gather(texts, question, pace, kept, progress)
    _refuse_nothing(answers, failures)
    ordered = {query: answers[query] for query in texts if query in answers}
    ranked, told = rank_answers(ordered, k, by)
    failed = tuple(failures[query] for query in texts if query in failures)
    run = Collected.of_mapping(ranked, name=name or "run", value="score", copy=False)
    notices = (*resumed, *_failure_notices(failed, len(texts)), *told)
    return replace(run, failures=failed, asked=len(texts), notices=notices)


def _split(options: Mapping[str, Any]) -> tuple[Pace, Fields]:
    fields = {name: value for name, value in options.items() if name in vars(Fields())}
    try:
        return Pace(**{n: v for n, v in options.items() if n not in fields}), Fields(**fields)
    except TypeError as error:
        raise OptionError(f"collect: {str(error).partition(' ')[2]}") from None


def _gather(
    texts: Mapping[str, str],
    question: Question,
    pace: Pace,
    journal: Journal | None,
    progress: Progress | None,
) -> tuple[dict[str, Answer], dict[str, Failure], list[Notice]]:
    kept = {} if journal is None else journal.answers
    answers = {query: kept[query, text] for query, text in texts.items() if (query, text) in kept}
    notices = []
    if answers and journal is not None:
        told = f"{len(answers)} of {counted(len(texts), 'answer')} taken from {journal.path}"
        notices.append(Notice("resumed", f"{told}, begun {journal.begun}"))
    failures: dict[str, Failure] = {}
    missing = {query: text for query, text in texts.items() if query not in answers}
    for query, outcome in ask_all(missing, question, pace) if missing else ():
        if isinstance(outcome, Failure):
            failures[query] = outcome
        else:
            answers[query] = outcome
            if journal is not None:
                journal.add(query, texts[query], outcome)
        if progress is not None:
            progress(len(answers) + len(failures), len(failures), len(texts))
    return answers, failures, notices


def _refuse_nothing(answers: Mapping[str, Answer], failures: Mapping[str, Failure]) -> None:
    if any(answer.doc_ids for answer in answers.values()):
        return
    told = [notice.text for notice in _failure_notices((*failures.values(),), len(failures))]
    empty = counted(len(answers), "empty list") if answers else ""
    raise InputError(f"no query got a document: {'; '.join(filter(None, [*told, empty]))}")


def _failure_notices(failures: tuple[Failure, ...], asked: int) -> list[Notice]:
    if not failures:
        return []
    common, times = Counter(failure.reason for failure in failures).most_common(1)[0]
    told = (
        f"{len(failures)} of {counted(asked, 'query', 'queries')} failed and "
        f"{'is' if len(failures) == 1 else 'are'} not in the run: "
        f"{shown([failure.query_id for failure in failures])}; {common}"
    )
    return [Notice("failed", told if times == len(failures) else f"{told} ({times} of them)")]
