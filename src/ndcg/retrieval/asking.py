"""Asking many queries: workers, tries, and when to stop."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from queue import SimpleQueue
from typing import TYPE_CHECKING

from ndcg.retrieval.answers import Answer, Fields, PartialError, read_answer
from ndcg.retrieval.failures import AnswerError, Failure, PassingError
from ndcg.retrieval.pacing import Gate

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ndcg.retrieval.callables import Retriever
    from ndcg.retrieval.pacing import Pace

Outcome = tuple[str, Answer | Failure]
UNASKED = "not asked"


@dataclass(frozen=True)
class Question:
    """What every query is asked: whom, for how many documents, and how the answer is read."""

    retriever: Retriever
    k: int
    fields: Fields

    def put(self, query_id: str, text: str, pace: Pace, gate: Gate) -> Answer | Failure:
        """Return the answer to one query, or why there is none after all tries."""
        tries = 0
        reason = UNASKED
        while gate.enter():
            tries += 1
            wait = None
            try:
                return read_answer(self.retriever.ask(query_id, text, self.k), self.fields)
            except PassingError as error:
                reason, wait = str(error), error.wait
            except PartialError as error:
                reason = str(error)
            except AnswerError as error:
                return Failure(query_id, str(error), tries)
            if tries > pace.retries:
                break
            seconds = pace.wait_after(tries, wait)
            if wait is not None:
                gate.hold(seconds)
            if not gate.rest(seconds):
                break
        return Failure(query_id, reason, tries)


def ask_all(queries: Mapping[str, str], question: Question, pace: Pace) -> Iterator[Outcome]:
    """Yield the outcome of each query as it comes; a query that was left unasked is one too."""
    workers = min(pace.workers or question.retriever.workers, len(queries))
    gate = Gate(pace.rate)
    asked = _one_by_one if workers <= 1 else _in_threads
    failed_in_row = 0
    left = dict.fromkeys(queries)
    for query_id, outcome in asked(queries, question, pace, gate, workers):
        del left[query_id]
        yield query_id, outcome
        failed_in_row = failed_in_row + 1 if isinstance(outcome, Failure) else 0
        if pace.give_up and failed_in_row >= pace.give_up:
            break
    reason = f"{UNASKED}: {failed_in_row} queries in a row had failed"
    for query_id in left:
        yield query_id, Failure(query_id, reason, 0)


def _one_by_one(
    queries: Mapping[str, str], question: Question, pace: Pace, gate: Gate, _workers: int
) -> Iterator[Outcome]:
    # In the caller's own thread: a database connection, for one, allows no other.
    for query_id, text in queries.items():
        yield query_id, question.put(query_id, text, pace, gate)


def _in_threads(
    queries: Mapping[str, str], question: Question, pace: Pace, gate: Gate, workers: int
) -> Iterator[Outcome]:
    todo: SimpleQueue[tuple[str, str] | None] = SimpleQueue()
    done: SimpleQueue[tuple[str, Answer | Failure | BaseException]] = SimpleQueue()

    def work() -> None:
        while not gate.stopped.is_set() and (query := todo.get()) is not None:
            try:
                done.put((query[0], question.put(*query, pace, gate)))
            except BaseException as error:  # noqa: BLE001 - raised again where it can be seen
                done.put((query[0], error))

    for query in [*queries.items(), *[None] * workers]:
        todo.put(query)
    # Daemons, so that an interruption need not wait for answers that are out.
    for number in range(workers):
        threading.Thread(target=work, name=f"ndcg collect {number}", daemon=True).start()
    try:
        for _ in queries:
            query_id, outcome = done.get()
            if isinstance(outcome, BaseException):
                raise outcome
            yield query_id, outcome
    finally:
        gate.stopped.set()
