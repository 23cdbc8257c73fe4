"""From answers to ranked lists: what ranks the documents, and what was left out."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Literal

from ndcg.data import Notice, counted
from ndcg.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ndcg.retrieval.answers import Answer

By = Literal["score", "order"]
Ranked = dict[str, dict[str, float]]


def rank_answers(
    answers: Mapping[str, Answer], k: int, by: By | None
) -> tuple[Ranked, list[Notice]]:
    """Return ``{query_id: {doc_id: score}}``, k documents each at most, and what to know of it."""
    _refuse_distances(answers, by)
    counts: Counter[str] = Counter()
    ranked = {query: _first(answer, k, by, counts) for query, answer in answers.items()}
    return ranked, [*_list_notices(counts, ranked, k), *_id_notices(answers)]


def _refuse_distances(answers: Mapping[str, Answer], by: By | None) -> None:
    sloped = [answer.slope for answer in answers.values() if len(set(answer.scores or ())) > 1]
    if by is None and sloped and set(sloped) == {1}:
        lists = "the only list" if len(sloped) == 1 else f"all {len(sloped)} lists"
        raise InputError(
            f"the scores rise along the list in {lists} with different scores, as distances do, "
            "while a higher score ranks higher; rank by order (--by order), or by score if these "
            "really are scores"
        )


def _first(answer: Answer, k: int, by: By | None, counts: Counter[str]) -> dict[str, float]:
    """Return the first k documents with their scores, each document at its best place."""
    if answer.scores is None or by == "order":
        scores = tuple(float(-place) for place in range(1, len(answer.doc_ids) + 1))
        counts["unscored"] += answer.scores is None and bool(answer.doc_ids)
    else:
        scores = answer.scores
        counts["unsorted"] += answer.slope != -1
    order = sorted(range(len(scores)), key=lambda place: -scores[place])
    kept: dict[str, float] = {}
    for place in order:
        kept.setdefault(answer.doc_ids[place], scores[place])
    counts["repeated"] += len(order) - len(kept)
    counts["cut"] += max(len(kept) - k, 0)
    return dict(list(kept.items())[:k])


def _list_notices(counts: Counter[str], ranked: Ranked, k: int) -> list[Notice]:
    total = counted(len(ranked), "query", "queries")
    empty = sum(not docs for docs in ranked.values())
    longest = max(map(len, ranked.values()), default=0)
    reached = sum(len(docs) == longest for docs in ranked.values())
    notices = []
    if empty:
        notices.append(Notice("empty", f"{empty} of {total} got an empty list"))
    if counts["unscored"]:
        told = f"{counts['unscored']} of {total} came without scores: the order of the list counts"
        notices.append(Notice("no-scores", told))
    if counts["unsorted"]:
        told = f"{counts['unsorted']} of {total} came in another order than that of the scores"
        notices.append(Notice("list-order", f"{told}: the scores count"))
    if counts["repeated"]:
        told = f"{counted(counts['repeated'], 'document')} came again in the list of a query"
        notices.append(Notice("repeated", f"{told}, as chunks do: each kept at its best place"))
    if counts["cut"]:
        told = f"{counted(counts['cut'], 'document')} below the first {k} of a list left out"
        notices.append(Notice("cut", told))
    if 0 < longest < k and reached > len(ranked) / 2:
        told = f"{reached} of {total} got {longest} documents, none more, though {k} were asked for"
        notices.append(Notice("page-size", f"{told}: is there a limit on the other side?"))
    return notices


def _id_notices(answers: Mapping[str, Answer]) -> list[Notice]:
    names = sum((answer.id_names for answer in answers.values()), Counter[str]())
    if len(names) < 2:  # noqa: PLR2004
        return []
    told = ", ".join(f"{name} ({times} times)" for name, times in names.most_common())
    return [Notice("mixed-ids", f"documents took their ids from {told}; name one (doc_id)")]
