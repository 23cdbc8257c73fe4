"""Templates with ``{query}``, ``{query_id}`` and ``{k}`` in them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ndcg.errors import OptionError, near_miss

if TYPE_CHECKING:
    from collections.abc import Callable

PLACES = ("query", "query_id", "k")
_PLACE = re.compile(r"\{(query|query_id|k)\}")


def fill(template: str, values: dict[str, str], escape: Callable[[str], str] = str) -> str:
    """Return a template with its places filled, each value escaped.

    >>> fill("a={k}&b={other}", {"query": "x", "query_id": "1", "k": "5"})
    'a=5&b={other}'
    """
    return _PLACE.sub(lambda found: escape(values[found[1]]), template)


def has_query(template: str) -> bool:
    """Whether a template has a place for the query, its text or its id."""
    return "{query}" in template or "{query_id}" in template


def refuse_unknown(template: str, what: str) -> None:
    """Raise `OptionError` for a place in braces that is none of the three."""
    for name in re.findall(r"\{(\w*)\}", template):
        if name not in PLACES:
            known = ", ".join(f"{{{place}}}" for place in PLACES)
            raise OptionError(
                f"{what} has {{{name}}} in it{near_miss(name, PLACES)} (known: {known})"
            )
