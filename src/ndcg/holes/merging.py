"""Judgments put together: the old ones, and those of a pool that was rated since."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from ndcg.data import Notice, Qrels, counted
from ndcg.errors import InputError, check_choice
from ndcg.formats.reading import QrelsLike, as_qrels

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Merged", "merge"]

KEEP = ("first", "last", "error")


@dataclass(frozen=True, eq=False, repr=False)
class Merged:
    """What `merge` returns.

    Attributes
    ----------
    qrels
        All judgments, each document once.
    added
        Judgments that the first ones did not have.
    rejudged, agreed
        Documents judged more than once, and how many of them got one grade.
    shift
        Mean of the later grade less the first one, over those judged again; None without any. Far
        from 0 the raters' measure has drifted.
    """

    qrels: Qrels
    added: int
    rejudged: int
    agreed: int
    shift: float | None

    def __repr__(self) -> str:
        return f"Merged({self.qrels!r}: {self.describe()})"

    def describe(self) -> str:
        """Return what was added and how far the raters agree, as one line of words."""
        told = f"{counted(self.added, 'judgment')} added"
        if not self.rejudged:
            return told
        return (
            f"{told}; {self.rejudged} judged again, {self.agreed} with the same grade "
            f"({self.agreed / self.rejudged:.0%}), mean shift {self.shift:+.2f}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the counts as plain values."""
        return {
            "schema": 1,
            "digest": self.qrels.digest,
            "judgments": len(self.qrels),
            "added": self.added,
            "rejudged": self.rejudged,
            "agreed": self.agreed,
            "shift": self.shift,
        }


def merge(qrels: QrelsLike, rated: Sequence[QrelsLike], *, keep: str = "first") -> Merged:
    """Return judgments with those of rated pools added.

    Parameters
    ----------
    qrels
        Anything that `ndcg.as_qrels` takes.
    rated
        Further judgments, in the order in which they were made.
    keep
        Which grade counts where two differ: the ``"first"``, the ``"last"``, or ``"error"``.

    Raises
    ------
    InputError
        With ``keep="error"``, for the first document that has two grades.

    Examples
    --------
    >>> merge({"q": {"a": 1, "b": 0}}, [{"q": {"b": 1, "c": 2}}])
    Merged(Qrels(1 queries, 3 judgments): 1 judgment added; 1 judged again, 0 with the same grade \
(0%), mean shift +1.00)
    """
    check_choice("keep", keep, KEEP)
    read = [as_qrels(one) for one in (qrels, *rated)]
    pairs = pl.concat([one.frame for one in read]).group_by(
        "query_id", "doc_id", maintain_order=True
    )
    grade = pl.col("relevance")
    table = pairs.agg(first=grade.first(), last=grade.last(), times=pl.len())
    again = table.filter(pl.col("times") > 1)
    differ = again.filter(pl.col("first") != pl.col("last"))
    if keep == "error" and len(differ):
        query, doc, first, last, _ = differ.row(0)
        raise InputError(
            f"query {query!r}, document {doc!r} was judged {first:g}, then {last:g} "
            f"({counted(len(differ), 'such document')}); say which counts with keep='first' or "
            "keep='last'"
        )
    counts = "last" if keep == "last" else "first"
    told = [notice for one in read for notice in one.notices]
    if len(differ):
        text = (
            f"{counted(len(differ), 'document')} judged again with another grade: the {counts} "
            "grade counts"
        )
        told.append(Notice("rejudged", text))
    frame = table.select("query_id", "doc_id", relevance=counts)
    shift = (again["last"] - again["first"]).mean()
    return Merged(
        as_qrels(frame).with_notices(told),
        added=len(table) - len(read[0]),
        rejudged=len(again),
        agreed=len(again) - len(differ),
        shift=None if shift is None else float(shift),  # type: ignore[arg-type]
    )
