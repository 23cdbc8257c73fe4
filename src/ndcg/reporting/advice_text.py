"""Advice as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ndcg.reporting.grids import printable
from ndcg.reporting.score_tables import wrapped

if TYPE_CHECKING:
    from ndcg.advice import Advice


def render_advice(advice: Advice) -> str:
    """Return advice as a page of plain text."""
    lines = [_item(fact, "") for fact in advice.facts]
    lines.append("")
    for i, (measure, reason) in enumerate(advice.measures):
        lines.append(_item(f"{measure!r}: {reason}", "use   " if i == 0 else "also  "))
    if advice.cautions:
        lines.append("")
        lines += [_item(caution, "note: ") for caution in advice.cautions]
    return "\n".join(lines)


def _item(text: str, first: str) -> str:
    return wrapped(printable(text), first, " " * (len(first) or 2))
