"""Scores as a table, as JSON, and as the lines of trec_eval."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ndcg.errors import OptionError
from ndcg.reporting.bounds_tables import (
    assumed_to_json,
    bounds_grid,
    bounds_line,
    query_bounds_to_json,
    slice_ends,
    with_bounds,
    with_query_bounds,
    with_slice_bounds,
)
from ndcg.reporting.grids import WIDTH, Grid, display_width, fitting, printable, render_grid

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ndcg.conventions import Convention
    from ndcg.data import Notice
    from ndcg.evaluation import RunScores, Scores, SliceScores
    from ndcg.holes.bounding import Bounds
    from ndcg.measures import Measure

_BLANKS = " \t\n\v\f\r"
DIGEST_SHOWN = 12
_SCHEMA = 1

# Name without and with a cutoff, as trec_eval prints them; empty where it has none.
_TREC_NAMES: dict[str, tuple[str, str]] = {
    "nDCG": ("ndcg", "ndcg_cut_"),
    "AP": ("map", "map_cut_"),
    "P": ("set_P", "P_"),
    "R": ("set_recall", "recall_"),
    "RR": ("recip_rank", ""),
    "Success": ("", "success_"),
    "Rprec": ("Rprec", ""),
    "Bpref": ("bpref", ""),
    "infAP": ("infAP", ""),
    "NumRet": ("num_ret", ""),
    "NumRel": ("num_rel", ""),
    "NumRelRet": ("num_rel_ret", ""),
}


def summary_grid(scores: Scores, *, intervals: bool = False) -> Grid:
    """Return one row a run: name, a mean (and interval) a measure, the queries behind it."""
    names = _column_names(scores.measures, intervals=intervals)
    rows = []
    for run in scores.runs:
        cells: list[object] = [run.name]
        found = scores.intervals(run.name) if intervals else {}
        for measure, mean in scores.mean(run.name).items():
            cells += [mean, *((found[measure] or (None, None)) if intervals else ())]
        rows.append((*cells, scores.count(scores.measures[0], run.name)))
    return Grid(("run", *names, "n"), tuple(rows))


def _column_names(measures: Iterable[Measure], *, intervals: bool) -> list[str]:
    """Return a column for each mean, and two for the ends of its interval."""
    ends = (" low", " high") if intervals else ()
    return [f"{measure!r}{end}" for measure in measures for end in ("", *ends)]


def _stacked_grid(scores: Scores) -> Grid:
    """Return two rows a run: the means, and their intervals beneath them where there are any."""
    rows: list[tuple[object, ...]] = []
    for run in scores.runs:
        means, found = scores.mean(run.name), scores.intervals(run.name)
        n = scores.count(scores.measures[0], run.name)
        rows.append((run.name, *(f"{mean:.4f}" for mean in means.values()), str(n)))
        ends = [found[measure] for measure in scores.measures]
        if any(ends):
            rows.append(("", *("-" if one is None else spell_interval(one) for one in ends), ""))
    names = ("run", *(repr(measure) for measure in scores.measures), "n")
    return Grid(names, tuple(rows), right=frozenset(names[1:]))


def _inline_grid(scores: Scores) -> Grid:
    """Return one row a run, each mean with its interval in one cell."""
    rows = []
    for run in scores.runs:
        means, found = scores.mean(run.name), scores.intervals(run.name)
        cells = [_with_interval(means[measure], found[measure]) for measure in scores.measures]
        rows.append((run.name, *cells, scores.count(scores.measures[0], run.name)))
    names = ("run", *(repr(measure) for measure in scores.measures), "n")
    return Grid(names, tuple(rows), right=frozenset(names[1:]))


def _with_interval(mean: float | None, ends: tuple[float, float] | None) -> str:
    told = "-" if mean is None else f"{mean:.4f}"
    return told if ends is None else f"{told} {spell_interval(ends)}"


def spell_interval(ends: tuple[float, float]) -> str:
    """Return an interval as it is printed: ``[0.562, 0.696]``."""
    return f"[{ends[0]:.3f}, {ends[1]:.3f}]"


def query_grid(scores: Scores) -> Grid:
    """Return one row a run and query."""
    rows = [
        (run.name, query, *values)
        for run in scores.runs
        for query, values in zip(scores.query_ids, run.values.tolist(), strict=True)
    ]
    return Grid(("run", "query_id", *(repr(measure) for measure in scores.measures)), tuple(rows))


def heading(scores: Scores) -> str:
    """Return the line that says what the numbers mean and which judgments they rest on."""
    return f"{convention_line(scores.convention)}; qrels {scores.qrels_digest[:DIGEST_SHOWN]}"


def convention_line(convention: Convention) -> str:
    """Return a convention in words, after the name of its profile."""
    named = "" if convention.profile == "default" else f"as {convention.profile}: "
    return f"{named}{convention.describe()}"


def notice_lines(notices: Iterable[Notice]) -> list[str]:
    """Return each notice as a line that begins with its run."""
    return [printable(f"{n.run}: {n.text}" if n.run else n.text) for n in notices]


def slice_values_grid(parts: Sequence[SliceScores], *, intervals: bool) -> Grid:
    """Return one row a slice value and run, with every number in a column of its own."""
    measures = list(parts[0].means)
    names = ("slice", "value", "run", "n", *_column_names(measures, intervals=intervals))
    rows = []
    for part in parts:
        cells: list[object] = [part.slice, part.value, part.run, part.n]
        for measure in measures:
            cells += [part.means[measure]]
            cells += (part.intervals[measure] or (None, None)) if intervals else ()
        rows.append(tuple(cells))
    return Grid(names, tuple(rows))


def slice_grid(parts: Sequence[SliceScores], measures: tuple[Measure, ...]) -> Grid:
    """Return one row a slice value and run: its queries, and mean and interval a measure."""
    names = ("slice", "run", "n", *map(repr, measures))
    rows = []
    for part in parts:
        cells = [_with_interval(part.means[m], part.intervals[m]) for m in measures]
        rows.append((f"{part.slice}={part.value}", part.run, part.n, *cells))
    return Grid(names, tuple(rows), right=frozenset(names[2:]))


def render_scores(
    scores: Scores,
    format: str,
    *,
    per_query: bool = False,
    intervals: bool = True,
    slices: Sequence[SliceScores] = (),
    bounds: Mapping[Measure, Bounds] | None = None,
) -> str:
    """Return scores as text: ``table`` carries heading and notices, the others the values alone."""
    if format == "trec" and bounds:
        raise OptionError("format trec has no place for bounds; write table, csv, tsv or json")
    if format == "trec":
        return "\n".join(trec_lines(scores, per_query=per_query))
    if format != "table" and slices and not per_query:
        grid = slice_values_grid(slices, intervals=intervals)
        return render_grid(with_slice_bounds(grid, slices, bounds) if bounds else grid, format)
    if format != "table":
        grid = _values_grid(scores, format, per_query, intervals)
        widen = with_query_bounds if per_query else with_bounds
        return render_grid(widen(grid, scores, bounds) if bounds else grid, format)
    summary = _stacked_grid(scores) if intervals else summary_grid(scores)
    parts = [wrapped(heading(scores)), render_grid(summary, "table")]
    if bounds:
        parts += [wrapped(bounds_line(bounds)), render_grid(bounds_grid(bounds), "table")]
    if slices:
        grid = slice_grid(slices, scores.measures)
        grid = with_slice_bounds(grid, slices, bounds) if bounds else grid
        parts.append(render_grid(grid, "table"))
    if per_query:
        queries = query_grid(scores)
        queries = with_query_bounds(queries, scores, bounds) if bounds else queries
        parts.append(render_grid(queries, "table"))
    notes = [wrapped(line, "note: ") for line in notice_lines(scores.notices)]
    return "\n\n".join([*parts, "\n".join(notes)] if notes else parts)


def _values_grid(scores: Scores, format: str, per_query: bool, intervals: bool) -> Grid:  # noqa: FBT001
    if per_query:
        return query_grid(scores)
    if intervals and format in {"md", "latex"}:
        return _inline_grid(scores)
    return summary_grid(scores, intervals=intervals)


def wrapped(text: str, first: str = "", rest: str = "  ") -> str:
    """Return a text in lines of 80 columns that begin as given.

    Wide letters take two:

    >>> wrapped("日" * 50).splitlines()[1]
    '  日日日日日日日日日日'
    """
    lines, line, start = [], first, first
    for word in text.split():
        longer = f"{line} {word}" if line != start else line + word
        if display_width(longer) <= WIDTH:
            line = longer
            continue
        if line != start:
            lines.append(line)
            line = start = rest
        left = word
        while display_width(line + left) > WIDTH:
            head = fitting(left, WIDTH - display_width(line))
            lines.append(line + head)
            left, line, start = left[len(head) :], rest, rest
        line += left
    return "\n".join([*lines, line])


def trec_lines(scores: Scores, *, per_query: bool) -> list[str]:
    """Return the lines that trec_eval prints: measure, query or ``all``, four decimals."""
    if len(scores.runs) > 1:
        raise OptionError(f"format trec holds one run, got {len(scores.runs)}; name one run")
    run = scores.run()
    names = _trec_names(scores.measures)
    lines = []
    if per_query:
        for query, values in zip(scores.query_ids, run.values.tolist(), strict=True):
            if any(blank in query for blank in _BLANKS):
                raise OptionError(
                    f"query {query!r} has a blank in it, which parts columns in format trec; "
                    "write csv, tsv or json"
                )
            lines += [
                _trec_line(name, query, value, measure)
                for name, value, measure in zip(names, values, scores.measures, strict=True)
                if not math.isnan(value)
            ]
    lines.append(f"{'runid':<22}\tall\t{'_'.join(printable(run.name).split())}")
    lines.append(f"{'num_q':<22}\tall\t{scores.count(scores.measures[0])}")
    means = scores.mean()
    for name, measure in zip(names, scores.measures, strict=True):
        value = means[measure] * (scores.count(measure) if measure.is_count else 1)
        lines.append(_trec_line(name, "all", value, measure))
    return lines


def _trec_line(name: str, query: str, value: float, measure: Measure) -> str:
    shown = str(round(value)) if measure.is_count else f"{value:6.4f}"
    return f"{name:<22}\t{query}\t{shown}"


def _trec_names(measures: tuple[Measure, ...]) -> list[str]:
    """Return a name for each measure; trec_eval's for none of two that it would name alike."""
    names = [trec_name(measure) for measure in measures]
    return [
        name if names.count(name) == 1 else repr(measure)
        for name, measure in zip(names, measures, strict=True)
    ]


def trec_name(measure: Measure) -> str:
    """Return the name that trec_eval prints for a measure, our spelling where it has none."""
    whole, cut = _TREC_NAMES.get(measure.name, ("", ""))
    name = whole if measure.cutoff is None else cut and f"{cut}{measure.cutoff}"
    # trec_eval's -l says from which grade on a document is relevant, and its names do not.
    known = {"rel"} >= {name for name, _ in measure.parameters}
    return name if name and known else repr(measure)


def scores_to_json(
    scores: Scores,
    *,
    per_query: bool = False,
    intervals: bool = True,
    slices: Sequence[SliceScores] = (),
    bounds: Mapping[Measure, Bounds] | None = None,
) -> dict[str, Any]:
    """Return scores as plain values: the machine-readable contract that the manual describes."""
    return {
        "schema": _SCHEMA,
        "convention": scores.convention.to_dict(),
        "qrels": {
            "digest": scores.qrels_digest,
            "queries": len(scores.query_ids),
            "judgments": scores.judgments,
        },
        "runs": [
            _run_to_json(
                scores,
                run,
                per_query=per_query,
                intervals=intervals,
                slices=[
                    _slice_to_json(part, bounds or {}) for part in slices if part.run == run.name
                ],
                bounds=bounds or {},
            )
            for run in scores.runs
        ],
        "unjudged": assumed_to_json(bounds or {}),
        "notices": [notice.to_dict() for notice in scores.notices],
    }


def _slice_to_json(part: SliceScores, bounds: Mapping[Measure, Bounds]) -> dict[str, Any]:
    return {
        "slice": part.slice,
        "value": part.value,
        "n": part.n,
        "measures": {
            repr(measure): {
                "mean": mean,
                "interval": None if not (ends := part.intervals[measure]) else list(ends),
                "n": part.counts[measure],
                "bounds": slice_ends(bounds[measure], part) if measure in bounds else None,
            }
            for measure, mean in part.means.items()
        },
    }


def _run_to_json(
    scores: Scores,
    run: RunScores,
    *,
    per_query: bool,
    intervals: bool,
    slices: list[dict[str, Any]],
    bounds: Mapping[Measure, Bounds],
) -> dict[str, Any]:
    means = scores.mean(run.name)
    found = scores.intervals(run.name) if intervals else {}
    told: dict[str, Any] = {
        "name": run.name,
        "digest": run.digest,
        "queries": {
            "evaluated": scores.count(scores.measures[0], run.name),
            "unanswered": len(scores.query_ids) - run.answered,
            "barren": scores.barren,
            "unjudged": run.unjudged,
        },
        "measures": {
            repr(measure): {
                "mean": means[measure],
                "interval": None if not (ends := found.get(measure)) else list(ends),
                "n": scores.count(measure, run.name),
                "bounds": list(bounds[measure].of(run.name)) if measure in bounds else None,
            }
            for measure in scores.measures
        },
        "slices": slices,
    }
    if per_query:
        names = [repr(measure) for measure in scores.measures]
        told["per_query"] = {
            query: {name: None if math.isnan(v) else v for name, v in zip(names, row, strict=True)}
            for query, row in zip(scores.query_ids, run.values.tolist(), strict=True)
        }
        if bounds:
            told["per_query_bounds"] = query_bounds_to_json(bounds, run.name)
    return told
