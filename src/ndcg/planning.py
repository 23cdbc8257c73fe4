"""How many queries and labels it takes to see a difference, and what they cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ndcg.errors import OptionError
from ndcg.stats import detectable_effect, difference_sd_bound, required_queries, score_sd_bound

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

__all__ = ["Plan", "PlanRow", "plan"]

# The union of three systems' top 10 is 15 to 20 documents: about 1.5 a rank.
DOCUMENTS_PER_RANK = 1.5
_QUERIES = (50, 100, 200, 300, 500, 1000)
_DEPTHS = (5, 10, 20)
_TYPICAL_MEAN = 0.5
_ADVICE = (
    "more queries at shallow depth first: at equal cost they show smaller differences than fewer "
    "queries judged deeply"
)


@dataclass(frozen=True)
class Effort:
    """What judging costs.

    Parameters
    ----------
    seconds
        Seconds a label takes.
    rate
        Money an hour.
    raters
        How many raters judge the shared part; several numbers make rows of their own.
    overlap
        The share of documents that all raters judge.
    """

    seconds: float = 25.0
    rate: float = 60.0
    raters: int | tuple[int, ...] = 1
    overlap: float = 1.0

    def __post_init__(self) -> None:
        few = min(self.crews, default=0) < 1
        if self.seconds <= 0 or self.rate < 0 or few or not 0 <= self.overlap <= 1:
            raise OptionError(
                "effort needs seconds above 0, a rate of 0 or more, 1 rater or more and an overlap "
                f"from 0 to 1, got {self}"
            )

    @property
    def crews(self) -> tuple[int, ...]:
        """The numbers of raters, one or several."""
        return (self.raters,) if isinstance(self.raters, int) else self.raters

    def labels(self, queries: int, documents: float, raters: int) -> int:
        """Return the labels for this many queries, documents a query, and raters."""
        return round(queries * documents * (1 + self.overlap * (raters - 1)))

    def hours(self, labels: int) -> float:
        """Return the hours that labels take."""
        return labels * self.seconds / 3600


@dataclass(frozen=True)
class PlanRow:
    """One way to spend: queries, pool depth, and what it costs and shows."""

    queries: int
    depth: int
    documents: float
    raters: int
    labels: int
    hours: float
    money: float
    detectable: float


@dataclass(frozen=True, repr=False)
class Plan:
    """What `plan` returns.

    Attributes
    ----------
    effect, power, alpha
        The difference to see, with which probability, at which level.
    sd, origin
        Standard deviation of the per-query difference, and where it comes from.
    required
        Queries needed for the effect; None without one.
    rows
        Queries x depths x raters with labels, hours, money and the detectable difference.
    advice
        One sentence.
    """

    effect: float | None
    power: float
    alpha: float
    sd: float
    origin: str
    required: int | None
    rows: tuple[PlanRow, ...]
    advice: str

    def __repr__(self) -> str:
        need = "" if self.required is None else f"{self.required} queries for {self.effect:g}, "
        return f"Plan({need}sd {self.sd:.3f} from {self.origin})"

    def _repr_html_(self) -> str:
        table: str = self.to_frame()._repr_html_()
        return f"<p>{self!r}</p>{table}"

    def to_frame(self) -> pl.DataFrame:
        """Return the rows as a Polars frame."""
        import polars as pl

        return pl.DataFrame([vars(row) for row in self.rows])

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as plain values."""
        return {
            "schema": 1,
            **{name: getattr(self, name) for name in ("effect", "power", "alpha", "sd", "origin")},
            "required": self.required,
            "rows": [vars(row) for row in self.rows],
            "advice": self.advice,
        }


def plan(
    effect: float | None = None,
    *,
    sd: float | None = None,
    origin: str = "",
    power: float = 0.8,
    alpha: float = 0.05,
    queries: Sequence[int] = _QUERIES,
    depths: Sequence[int] = _DEPTHS,
    effort: Effort | None = None,
) -> Plan:
    """Return how many queries a difference needs, and what labels for them cost.

    Parameters
    ----------
    effect
        The mean difference to see, such as 0.02; None for the table alone.
    sd
        Standard deviation of the per-query difference, from two runs or a pilot. When not given,
        the bound for two runs whose scores are not negatively correlated, sqrt(2) times the
        largest deviation that scores from 0 to 1 with a mean of one half can have: honest, and
        large.
    origin
        Where `sd` comes from, in words.
    power, alpha
        Probability of finding the effect, and the level of the test.
    queries, depths
        The rows of the table.
    effort
        Seconds, rate, raters and overlap; 25 s at 60 an hour by one rater when not given.

    Examples
    --------
    >>> row = plan(0.02, sd=0.2, queries=[300], depths=[10]).rows[0]
    >>> row.labels, row.hours, row.money
    (4500, 31.25, 1875.0)
    """
    if effect is not None and not 0 < effect < 1:
        raise OptionError(f"effect must be above 0 and below 1, got {effect}")
    for name, values in (("queries", queries), ("depths", depths)):
        if not values or any(value < 1 for value in values):
            raise OptionError(f"{name} must be 1 or more, got {', '.join(map(str, values))}")
    spend = effort or Effort()
    if sd is None:
        sd = difference_sd_bound(score_sd_bound(_TYPICAL_MEAN))
        origin = "the widest possible scores; two saved runs or a pilot give a smaller one"
    required = None
    if effect is not None:
        required = required_queries(effect, sd, power=power, alpha=alpha)
    seen = {n: detectable_effect(n, sd, power=power, alpha=alpha) for n in queries}
    rows = [
        _row(n, depth, raters, spend, seen[n])
        for n in queries
        for depth in depths
        for raters in spend.crews
    ]
    return Plan(effect, power, alpha, sd, origin or "the caller", required, tuple(rows), _ADVICE)


def _row(n: int, depth: int, raters: int, effort: Effort, seen: float | None) -> PlanRow:
    documents = depth * DOCUMENTS_PER_RANK
    labels = effort.labels(n, documents, raters)
    hours = effort.hours(labels)
    money = hours * effort.rate
    return PlanRow(n, depth, documents, raters, labels, hours, money, 1.0 if seen is None else seen)
