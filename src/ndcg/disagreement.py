"""Why two conventions give two numbers for one run: the queries, and the rule that parts them."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from ndcg.conventions import PROFILES, Convention, as_convention, spell_gain
from ndcg.data import shown
from ndcg.errors import InputError, OptionError
from ndcg.evaluation import compute, mean_of, prepare_qrels, prepare_run, ranking_for
from ndcg.formats.reading import QrelsLike, RunLike, as_qrels, as_run
from ndcg.measures import Measure, nDCG, parse_measure

if TYPE_CHECKING:
    from ndcg.data import FloatArray, Qrels

__all__ = ["Disagreement", "why"]

_TOLERANCE = 1e-9
_NOT_RULES = {"profile"}


@dataclass(frozen=True, eq=False, repr=False)
class Disagreement:
    """Where two conventions part on one run, and through which rules.

    Attributes
    ----------
    measure
        The measure that was computed twice.
    names
        The two conventions.
    means
        The two means; queries that a convention leaves out are not in its mean.
    counts
        Over how many queries each mean goes.
    queries
        One row a query on which they part: query_id, both values (null where left out), the
        difference, and the rules that alone explain it.
    rules
        One row a rule in which the conventions differ: both settings, how many queries it moves
        when it alone is changed, and the mean after that change.
    """

    measure: Measure
    names: tuple[str, str]
    means: tuple[float, float]
    counts: tuple[int, int]
    queries: pl.DataFrame
    rules: pl.DataFrame

    def __repr__(self) -> str:
        (a, b), (x, y) = self.names, self.means
        count = len(self.queries)
        differ = "1 query differs" if count == 1 else f"{count} queries differ"
        return f"Disagreement({self.measure!r}: {a} {x:.4f}, {b} {y:.4f}; {differ})"

    def _repr_html_(self) -> str:
        tables = [frame._repr_html_() for frame in (self.rules, self.queries)]
        return f"<p>{escape(repr(self))}</p>{''.join(tables)}"

    def to_frame(self) -> pl.DataFrame:
        """Return the queries on which the conventions part."""
        return self.queries

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values; None for the mean of no query."""
        return {
            "measure": repr(self.measure),
            "conventions": list(self.names),
            "means": [None if math.isnan(mean) else mean for mean in self.means],
            "counts": list(self.counts),
            "rules": self.rules.to_dicts(),
            "queries": self.queries.to_dicts(),
        }


def why(
    qrels: QrelsLike,
    run: RunLike,
    first: Convention | str,
    second: Convention | str,
    measure: str | Measure = nDCG @ 10,
) -> Disagreement:
    """Say on which queries two conventions part, and through which rule.

    Each rule in which they differ is changed alone, from the first convention's to the second's;
    a query is laid to the rules that move it.

    Parameters
    ----------
    qrels, run
        Anything that `ndcg.as_qrels` and `ndcg.as_run` take.
    first, second
        Two conventions or profile names.
    measure
        The measure to compute under both.

    Examples
    --------
    Scores that differ only beyond 32 bits are a tie for trec_eval 9:

    >>> qrels, run = {"q": {"a": 1}}, {"q": {"a": 0.30000000001, "b": 0.3}}
    >>> why(qrels, run, "trec_eval", "pytrec_eval").queries["rules"].to_list()
    ['scores']
    """
    a, b = as_convention(first), as_convention(second)
    wanted, judged = parse_measure(measure), as_qrels(qrels)
    names = (_name(a), _name(b))
    differing = [
        field.name
        for field in dataclasses.fields(Convention)
        if field.name not in _NOT_RULES and getattr(a, field.name) != getattr(b, field.name)
    ]
    if not differing:
        raise OptionError(f"{names[0]} and {names[1]} have the same rules; nothing can differ")
    # A list read for the stricter policy would stop where the laxer one goes on.
    lax = next((c.duplicates for c in (a, b) if c.duplicates != "error"), "error")
    sources = {
        policy: as_run(run, duplicates=policy)
        for policy in dict.fromkeys(
            lax if c.duplicates == "error" else c.duplicates for c in (a, b)
        )
    }

    def values(rules: Convention) -> FloatArray:
        source = sources.get(rules.duplicates, sources[lax])
        ready = prepare_run(source, rules)
        ranking = ranking_for(prepare_qrels(judged, rules), ready, wanted.ties_under(rules), rules)
        if not ranking.answered.any():
            raise InputError(
                f"{source.name}: none of its queries is judged; the run has "
                f"{shown(source.query_ids.sort().to_list())}, the qrels have "
                f"{shown(ranking.query_ids)}"
            )
        return compute(wanted, ranking, rules)

    here, there = values(a), values(b)
    changed = {
        rule: values(dataclasses.replace(a, **{rule: getattr(b, rule)})) for rule in differing
    }
    return Disagreement(
        measure=wanted,
        names=names,
        means=(mean_of(here), mean_of(there)),
        counts=(_count(here), _count(there)),
        queries=_queries(judged, here, there, changed),
        rules=_rules(a, b, here, changed),
    )


def _name(convention: Convention) -> str:
    """Return the name of a profile, or what the rules of another convention are."""
    known = PROFILES.get(convention.profile) == convention
    return convention.profile if known else convention.describe()


def _count(values: FloatArray) -> int:
    return int((~np.isnan(values)).sum())


def _differ(a: FloatArray, b: FloatArray) -> Any:
    both = ~(np.isnan(a) & np.isnan(b))
    return both & ~(np.abs(a - b) <= _TOLERANCE)


def _queries(
    qrels: Qrels, here: FloatArray, there: FloatArray, changed: dict[str, FloatArray]
) -> pl.DataFrame:
    moved = {rule: _differ(here, values) for rule, values in changed.items()}
    rows = np.flatnonzero(_differ(here, there))
    query_ids = qrels.query_ids.sort()
    causes = [
        ", ".join(rule for rule in moved if moved[rule][row]) or "several rules together"
        for row in rows
    ]
    frame = pl.DataFrame(
        {
            "query_id": query_ids.gather(rows),
            "first": here[rows],
            "second": there[rows],
            "difference": there[rows] - here[rows],
            "rules": pl.Series(causes, dtype=pl.String),
        }
    ).with_columns(pl.selectors.float().fill_nan(None))
    size = pl.col("difference").abs()
    return frame.sort(size, "query_id", descending=[True, False], nulls_last=False)


def _rules(
    a: Convention, b: Convention, here: FloatArray, changed: dict[str, FloatArray]
) -> pl.DataFrame:
    rows = [
        (rule, _word(getattr(a, rule)), _word(getattr(b, rule)), int(_differ(here, values).sum()),
         mean_of(values))
        for rule, values in changed.items()
    ]  # fmt: skip
    columns = ["rule", "first", "second", "queries", "mean"]
    return pl.DataFrame(rows, schema=columns, orient="row").with_columns(
        pl.col("mean").fill_nan(None)
    )


def _word(setting: Any) -> str:
    """Return a rule's setting in words; a gain mapping holds numbers, tie exceptions hold names."""
    if not isinstance(setting, tuple):
        return str(setting)
    if all(isinstance(key, float) for key, _ in setting):
        return spell_gain(setting) if setting else "none"
    orders = dict.fromkeys(order for _, order in setting)
    return "; ".join(
        f"{', '.join(name for name, own in setting if own == order)} {order}" for order in orders
    )
