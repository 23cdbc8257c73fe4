"""A comparison as one self-contained HTML page: verdicts, charts, tables, and how to repeat it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ndcg.errors import require
from ndcg.formats.writing import write_whole
from ndcg.reporting.chart_rows import pairs_under
from ndcg.reporting.comparison_text import (
    measures_of,
    report_title,
    settings_line,
)
from ndcg.reporting.drawing import draw, require_packages
from ndcg.reporting.figures import figures_of
from ndcg.reporting.grids import printable
from ndcg.reporting.page_tables import (
    PAIR_NOTE,
    cells_of,
    digest_table,
    explain_commands,
    moved_table,
    pair_name,
    pair_table,
    short_name,
    slice_table,
)
from ndcg.reporting.provenance import versions
from ndcg.reporting.score_tables import convention_line

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ndcg.comparison import Comparison
    from ndcg.measures import Measure
    from ndcg.reporting.figures import Figure
    from ndcg.reporting.grids import Grid

__all__ = ["render_report", "write_report"]

_MARKS = {"better": "\u25b2", "worse": "\u25bc", "no difference": "\u25cf", "cannot tell": "\u25c6"}
_WIDE = 520


def write_report(comparison: Comparison, path: str | Path, *, command: str | None = None) -> None:
    """Write a comparison as an HTML page that needs no network, no script and no other file.

    Parameters
    ----------
    comparison
        What `ndcg.compare` returned.
    path
        The page; it appears whole or not at all.
    command
        The shell command that makes the page again, printed on it.

    Raises
    ------
    MissingPackageError
        Without the packages of ``ndcg[report]``.
    """
    write_whole(path, render_report(comparison, command=command).encode())


def render_report(comparison: Comparison, *, command: str | None = None) -> str:
    """Return the page that `write_report` writes."""
    require_packages()
    jinja2 = require("jinja2", extra="report")
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("ndcg", "reporting"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
    )
    return str(environment.get_template("page.html").render(_content(comparison, command)))


def _content(comparison: Comparison, command: str | None) -> dict[str, Any]:
    return {
        "title": report_title(comparison),
        "subtitle": _subtitle(comparison),
        "settings": printable(settings_line(comparison)),
        "verdicts": [_verdicts(comparison, measure) for measure in measures_of(comparison)],
        "sections": _sections(comparison),
        "notices": [
            {"run": n.run and short_name(n.run), "text": printable(n.text)}
            for n in comparison.notices
        ],
        "facts": _facts(comparison),
        "runs": cells_of(digest_table(comparison)),
        "versions": versions(),
        "command": command and _encodable(command),
    }


def _subtitle(comparison: Comparison) -> str:
    scores = comparison.scores
    return (
        f"{len(scores.query_ids):,} queries, {scores.judgments:,} judgments; "
        f"{convention_line(scores.convention)}"
    )


def _verdicts(comparison: Comparison, measure: Measure) -> dict[str, Any]:
    listed = [
        {
            "name": pair_name(comparison, pair),
            "word": pair.verdict.word,
            "kind": pair.verdict.word.replace(" ", "-"),
            "mark": _MARKS[pair.verdict.word],
            "reasons": printable("; ".join(pair.verdict.reasons)),
        }
        for pair in pairs_under(comparison, measure)
    ]
    several = len(measures_of(comparison)) > 1
    return {"measure": repr(measure) if several else "", "verdicts": listed}


def _sections(comparison: Comparison) -> list[dict[str, Any]]:
    figures: dict[str, list[dict[str, Any]]] = {}
    for number, figure in enumerate(figures_of(comparison), 1):
        figures.setdefault(figure.kind, []).append(_drawn(figure, number))
    sections: list[dict[str, Any]] = [
        {
            "title": "Differences",
            "figures": figures.get("differences", []) + figures.get("coverage", []),
            "tables": _tables(comparison, "Pairs", pair_table),
            "note": PAIR_NOTE,
        },
        {
            "title": "Query by query",
            "figures": figures.get("queries", []),
            "tables": _tables(comparison, "Queries that moved most", moved_table),
            "commands": explain_commands(comparison),
        },
        {"title": "Scores", "figures": figures.get("scores", []), "tables": []},
    ]
    if comparison.slices:
        sections.append(
            {
                "title": "Slices",
                "figures": figures.get("slices", []),
                "tables": _tables(comparison, "Slices", slice_table),
                "note": _slice_note(comparison),
            }
        )
    return [{"note": "", "commands": ""} | section for section in sections]


def _drawn(figure: Figure, number: int) -> dict[str, Any]:
    drawing = draw(figure, number)
    return {
        "title": figure.title,
        "caption": figure.caption,
        "numbers": cells_of(figure.numbers),
        "svg": require("markupsafe", extra="report").Markup(drawing.svg),
        "is_wide": drawing.width > _WIDE,
    }


def _tables(
    comparison: Comparison, caption: str, table: Callable[[Comparison, Measure], Grid]
) -> list[tuple[str, dict[str, Any]]]:
    measures = measures_of(comparison)
    return [
        (
            f"{caption}, {measure!r}",
            cells_of(table(comparison, measure)),
        )
        for measure in measures
    ]


def _slice_note(comparison: Comparison) -> str:
    how = "Benjamini-Hochberg" if comparison.procedure.correction == "bh" else "Holm"
    against = ""
    if comparison.procedure.all_pairs:
        against = f" Every run is compared with {printable(comparison.pairs[0].baseline)}."
    return (
        f"p: corrected by {how} over the values tested for a run; groups of fewer than 10 queries "
        f"are not tested.{against}"
    )


def _facts(comparison: Comparison) -> list[tuple[str, str]]:
    scores, procedure = comparison.scores, comparison.procedure
    return [
        ("Measures", ", ".join(map(repr, measures_of(comparison)))),
        ("Convention", convention_line(scores.convention)),
        ("Test", settings_line(comparison)),
        ("Seed", str(procedure.seed)),
        ("Judgments", f"{scores.judgments:,}, sha256 {scores.qrels_digest}"),
        ("Versions", ", ".join(f"{name} {version}" for name, version in versions().items())),
    ]


def _encodable(command: str) -> str:
    return command.encode(errors="backslashreplace").decode()
