"""Scores as a table, as JSON, and as the lines of trec_eval."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING, Any

from ndcg.errors import OptionError
from ndcg.reporting.grids import Grid, render_grid

if TYPE_CHECKING:
    from ndcg.evaluation import RunScores, Scores
    from ndcg.measures import Measure

WIDTH = 80
_DIGEST_SHOWN = 12
_SCHEMA = 1

# Name without and with a cutoff, as trec_eval prints them.
_TREC_NAMES: dict[str, tuple[str, str]] = {
    "nDCG": ("ndcg", "ndcg_cut_"),
    "AP": ("map", "map_cut_"),
    "P": ("set_P", "P_"),
    "R": ("set_recall", "recall_"),
    "RR": ("recip_rank", "recip_rank_cut_"),
    "Success": ("success", "success_"),
    "Rprec": ("Rprec", ""),
    "Bpref": ("bpref", ""),
    "infAP": ("infAP", ""),
    "NumRet": ("num_ret", "num_ret_cut_"),
    "NumRel": ("num_rel", ""),
    "NumRelRet": ("num_rel_ret", "num_rel_ret_cut_"),
}


def summary_grid(scores: Scores) -> Grid:
    """Return one row a run: name, a mean a measure, and the number of queries behind it."""
    primary = scores.measures[0]
    rows = [
        (run.name, *scores.mean(run.name).values(), scores.count(primary, run.name))
        for run in scores.runs
    ]
    return Grid(("run", *(repr(measure) for measure in scores.measures), "n"), tuple(rows))


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
    profile = scores.convention.profile
    named = "" if profile == "default" else f"as {profile}: "
    return f"{named}{scores.convention.describe()}; qrels {scores.qrels_digest[:_DIGEST_SHOWN]}"


def notice_lines(scores: Scores) -> list[str]:
    """Return each notice as a line that begins with its run."""
    return [f"{n.run}: {n.text}" if n.run else n.text for n in scores.notices]


def render_scores(scores: Scores, format: str, *, per_query: bool = False) -> str:
    """Return scores as text: ``table`` carries heading and notices, the others the values alone."""
    if format == "trec":
        return "\n".join(trec_lines(scores, per_query=per_query))
    if format != "table":
        return render_grid(query_grid(scores) if per_query else summary_grid(scores), format)
    parts = [_wrapped(heading(scores), ""), render_grid(summary_grid(scores), "table")]
    if per_query:
        parts.append(render_grid(query_grid(scores), "table"))
    notes = [_wrapped(line, "note: ") for line in notice_lines(scores)]
    return "\n\n".join([*parts, "\n".join(notes)] if notes else parts)


def _wrapped(text: str, first: str) -> str:
    return textwrap.fill(
        text, WIDTH, initial_indent=first, subsequent_indent="  ", break_on_hyphens=False
    )


def trec_lines(scores: Scores, *, per_query: bool) -> list[str]:
    """Return the lines that trec_eval prints: measure, query or ``all``, four decimals."""
    if len(scores.runs) > 1:
        raise OptionError(f"format trec holds one run, got {len(scores.runs)}; name one run")
    run = scores.run()
    names = [trec_name(measure) for measure in scores.measures]
    lines = []
    if per_query:
        for query, values in zip(scores.query_ids, run.values.tolist(), strict=True):
            lines += [
                _trec_line(name, query, value, measure)
                for name, value, measure in zip(names, values, scores.measures, strict=True)
                if not math.isnan(value)
            ]
    lines.append(f"{'runid':<22}\tall\t{run.name}")
    lines.append(f"{'num_q':<22}\tall\t{scores.count(scores.measures[0])}")
    means = scores.mean()
    for name, measure in zip(names, scores.measures, strict=True):
        value = means[measure] * (scores.count(measure) if measure.is_count else 1)
        lines.append(_trec_line(name, "all", value, measure))
    return lines


def _trec_line(name: str, query: str, value: float, measure: Measure) -> str:
    shown = str(round(value)) if measure.is_count else f"{value:6.4f}"
    return f"{name:<22}\t{query}\t{shown}"


def trec_name(measure: Measure) -> str:
    """Return the name that trec_eval prints for a measure, our spelling where it has none."""
    whole, cut = _TREC_NAMES.get(measure.name, ("", ""))
    known = {"rel"} >= {name for name, _ in measure.parameters}
    if not whole or not known or (measure.cutoff is not None and not cut):
        return repr(measure)
    return whole if measure.cutoff is None else f"{cut}{measure.cutoff}"


def scores_to_json(scores: Scores, *, per_query: bool = False) -> dict[str, Any]:
    """Return scores as plain values: the machine-readable contract that the manual describes."""
    return {
        "schema": _SCHEMA,
        "convention": scores.convention.to_dict(),
        "qrels": {
            "digest": scores.qrels_digest,
            "queries": len(scores.query_ids),
            "judgments": scores.judgments,
        },
        "runs": [_run_to_json(scores, run, per_query=per_query) for run in scores.runs],
        "notices": [{"code": n.code, "run": n.run, "text": n.text} for n in scores.notices],
    }


def _run_to_json(scores: Scores, run: RunScores, *, per_query: bool) -> dict[str, Any]:
    means = scores.mean(run.name)
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
                "interval": None,
                "n": scores.count(measure, run.name),
                "bounds": None,
            }
            for measure in scores.measures
        },
        "slices": [],
    }
    if per_query:
        told["per_query"] = scores.to_dict(run.name)
    return told
