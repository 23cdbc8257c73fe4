"""Figures of a comparison: a title that says what was found, a caption, a chart, its numbers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ndcg.comparison.gathering import judged_measure
from ndcg.evaluation.cautions import COVERAGE_FLOOR
from ndcg.reporting import chart_rows, plots
from ndcg.reporting.chart_rows import BINS, SHOWN_PAIRS, SHOWN_QUERIES, Row, pairs_under
from ndcg.reporting.comparison_text import measures_of, pvalue_text
from ndcg.reporting.grids import Grid, printable, shorten

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ndcg.comparison import Comparison, Pair
    from ndcg.measures import Measure

__all__ = ["Figure", "figures_of"]

_NAMED_RUNS = 3
_NAME_WIDTH = 40


@dataclass(frozen=True, eq=False)
class Figure:
    """A chart with its words; `plot` draws it, `numbers` are what it draws.

    Attributes
    ----------
    kind
        ``differences``, ``coverage``, ``scores``, ``slices`` or ``queries``.
    key
        What the figure is called among those of its comparison: ``differences``, ``queries-dense``.
    title
        What it shows, as a finding.
    caption
        How to read it.
    numbers
        Every number in the chart.
    plot
        Returns the Altair chart.
    """

    kind: str
    key: str
    title: str
    caption: str
    numbers: Grid
    plot: Callable[[], Any]

    @property
    def description(self) -> str:
        """The text alternative: title and caption."""
        return f"{self.title}. {self.caption}"


def figures_of(comparison: Comparison) -> Iterator[Figure]:
    """Yield the figures of a comparison, in the order in which a page shows them."""
    measures = measures_of(comparison)
    seen: set[int | None] = set()
    for measure in measures:
        yield _differences(comparison, measure)
    for measure in measures:
        cutoff = judged_measure(measure).cutoff
        if cutoff not in seen and chart_rows.coverage_rows(comparison, measure):
            yield _coverage(comparison, measure)
        seen.add(cutoff)
    for measure in measures:
        yield _scores(comparison, measure)
    for measure in measures:
        if chart_rows.slice_rows(comparison, measure):
            yield _slices(comparison, measure)
    for pair in drawn_pairs(comparison):
        yield _queries(comparison, pair)


def drawn_pairs(comparison: Comparison) -> list[Pair]:
    """Return the pairs with a chart of their own: of very many those that differ the most."""
    by_size = sorted(comparison.pairs, key=lambda pair: -abs(pair.numbers.difference))
    kept = {id(pair) for pair in by_size[:SHOWN_PAIRS]}
    return [pair for pair in comparison.pairs if id(pair) in kept and pair.numbers.n]


def name(text: str) -> str:
    """Return the name of a run or a query, fit for a sentence."""
    return shorten(printable(text), _NAME_WIDTH)


def _key(comparison: Comparison, kind: str, measure: Measure, *names: str) -> str:
    many = [repr(measure)] if len(measures_of(comparison)) > 1 else []
    return "-".join([kind, *names, *many])


def _differences(comparison: Comparison, measure: Measure) -> Figure:
    pairs = pairs_under(comparison, measure)
    rows = chart_rows.difference_rows(comparison, measure)
    level = f"{100 * comparison.procedure.level:g}%"
    against = "" if comparison.procedure.all_pairs else f" against {name(comparison.baseline)}"
    if len(pairs) == 1:
        title = f"{name(pairs[0].run)}{against}: {pairs[0].numbers.difference:+.4f} {measure!r}"
        title += f", {pairs[0].verdict.word}"
    else:
        words = Counter(pair.verdict.word for pair in pairs)
        told = ", ".join(f"{n} {word}" for word, n in words.most_common())
        what = "pairs" if comparison.procedure.all_pairs else "runs"
        title = f"{measure!r}{against}, {len(pairs)} {what}: {told}"
    caption = (
        f"Mean difference of each pair with its {level} interval; right of 0 the run is better. "
        "Triangle up: better; triangle down: worse; circle: no difference; diamond: cannot tell."
    )
    if comparison.procedure.margin is not None:
        caption += f" Dashed: the margin of {comparison.procedure.margin:g}."
    if len(rows) < len(pairs):
        caption += f" The {len(rows)} largest differences of {len(pairs)}; the table has all."
    names = ("run", "difference", "low", "high", "p", "verdict")
    cells = tuple(
        (
            row["pair"], _signed(row["difference"]), _signed(row["low"]), _signed(row["high"]),
            pvalue_text(row["p"]), row["verdict"],
        )
        for row in rows
    )  # fmt: skip
    return Figure(
        kind="differences",
        key=_key(comparison, "differences", measure),
        title=title,
        caption=caption,
        numbers=Grid(names, cells, right=frozenset(names[1:5])),
        plot=lambda: plots.plot_differences(comparison, measure),
    )


def _signed(value: float | None) -> str | None:
    return None if value is None else f"{value:+.4f}"


def _coverage(comparison: Comparison, measure: Measure) -> Figure:
    rows = chart_rows.coverage_rows(comparison, measure)
    k = judged_measure(measure).cutoff
    lowest, highest = (pick(rows, key=lambda row: row["judged"]) for pick in (min, max))
    below = sum(row["judged"] < COVERAGE_FLOOR for row in rows)
    floor = f"{COVERAGE_FLOOR:.0%}"
    if not below:
        told = f"every run has {floor} or more of its top {k} judged"
    elif below == len(rows):
        told = f"no run has {floor} of its top {k} judged"
    else:
        told = f"{below} of {len(rows)} runs have less than {floor} of their top {k} judged"
    ends = [f"{row['judged']:.1%}" for row in (lowest, highest)]
    span = f"{ends[0]} ({lowest['run']}) to {ends[1]} ({highest['run']})"
    if ends[0] == ends[1]:
        span = f"{ends[0]} each" if len(rows) > 1 else ends[0]
    names = ("run", f"judged@{k}", "queries")
    cells = tuple((row["run"], f"{row['judged']:.2%}", row["n"]) for row in rows)
    return Figure(
        kind="coverage",
        key=_key(comparison, "coverage", measure),
        title=f"Judged@{k}: {told}, {span}",
        caption=(
            f"Share of the top {k} that was judged, mean over the queries; the rest counts "
            f"as not relevant. Dashed: {floor}, below which a mean is doubtful."
        ),
        numbers=Grid(names, cells, right=frozenset(names[1:])),
        plot=lambda: plots.plot_coverage(comparison, measure),
    )


def _scores(comparison: Comparison, measure: Measure) -> Figure:
    rows = chart_rows.score_rows(comparison, measure)
    scores = comparison.scores
    place = scores.measures.index(measure)
    zeros = {run.name: int((run.values[:, place] == 0).sum()) for run in scores.runs}
    total = len(scores.query_ids)
    if not any(zeros.values()):
        told = "no query scores 0"
    elif len(zeros) <= _NAMED_RUNS:
        told = "0 on " + ", ".join(f"{n} ({name(run)})" for run, n in zeros.items())
        told += f" of {total} queries"
    else:
        told = f"0 on {min(zeros.values())} to {max(zeros.values())} of {total} queries, by run"
    by_run: dict[str, list[Row]] = {}
    for row in rows:
        by_run.setdefault(row["run"], []).append(row)
    first = next(iter(by_run.values()))
    names = (repr(measure), *by_run)
    cells = tuple(
        (f"{row['low']:.4g} to {row['high']:.4g}", *(runs[i]["count"] for runs in by_run.values()))
        for i, row in enumerate(first)
    )
    return Figure(
        kind="scores",
        key=_key(comparison, "scores", measure),
        title=f"{measure!r} of single queries: {told}",
        caption=(
            f"Share of the queries in each of {BINS} equal steps, one row a run; dashed: its mean. "
            "The heights of all rows have one scale."
        ),
        numbers=Grid(names, cells, right=frozenset(names[1:])),
        plot=lambda: plots.plot_scores(comparison, measure),
    )


def _slices(comparison: Comparison, measure: Measure) -> Figure:
    rows = chart_rows.slice_rows(comparison, measure)
    every = chart_rows.slices_under(comparison, measure)
    tested = [row for row in rows if row["p"] is not None] or rows
    most = max(tested, key=lambda row: abs(row["difference"]))
    baseline = comparison.pairs[0].baseline
    alpha = f"{1 - comparison.procedure.level:.4g}"
    caption = (
        f"Mean difference from {name(baseline)} by slice value and run: blue better, orange worse, "
        f"the deeper the larger. *: p <= {alpha} after correction over the values. Groups of fewer "
        "than 10 queries are shown, not tested."
    )
    if len(rows) < len(every):
        caption += " The largest groups and first runs; the table has all."
    names = ("slice", "run", "n", "difference", "p")
    cells = tuple(
        (row["group"], row["run"], row["n"], _signed(row["difference"]), pvalue_text(row["p"]))
        for row in rows
    )
    return Figure(
        kind="slices",
        key=_key(comparison, "slices", measure),
        title=(
            f"Largest difference by slice: {most['run']} {most['difference']:+.3f} {measure!r} "
            f"where {most['group']}"
        ),
        caption=caption,
        numbers=Grid(names, cells, right=frozenset(names[2:])),
        plot=lambda: plots.plot_slices(comparison, measure),
    )


def _queries(comparison: Comparison, pair: Pair) -> Figure:
    rows = chart_rows.query_rows(comparison, pair)
    numbers, every = pair.numbers, comparison.procedure.all_pairs
    names = (pair.run, pair.baseline) if every else (pair.run,)
    title = (
        f"{' against '.join(map(name, names))}: {numbers.wins} queries up, {numbers.losses} down, "
        f"{numbers.ties} unchanged ({pair.measure!r})"
    )
    caption = (
        f"Difference from {name(pair.baseline)}, largest rise first; dashed: the mean, "
        f"{numbers.difference:+.4f}."
    )
    if numbers.n > SHOWN_QUERIES:
        caption += (
            f" Each of the {len(rows)} bars is the mean of about {round(numbers.n / len(rows))} "
            f"neighbours of {numbers.n} queries."
        )
    head = ("rank", "query", "difference")
    cells = tuple(
        (
            f"{row['first']}" if row["first"] == row["last"] else f"{row['first']}-{row['last']}",
            name(row["query"] or "(mean)"),
            _signed(row["difference"]),
        )
        for row in rows
    )
    return Figure(
        kind="queries",
        key=_key(comparison, "queries", pair.measure, *names),
        title=title,
        caption=caption,
        numbers=Grid(head, cells, right=frozenset({"rank", "difference"})),
        plot=lambda: plots.plot_queries(comparison, pair.run, pair.measure, baseline=pair.baseline),
    )
