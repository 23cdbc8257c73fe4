"""``ndcg advise``."""

from __future__ import annotations

import json

import click

from ndcg.cli.options import RunFiles, emit, input_options, output_options, read_qrels


@click.command("advise", short_help="Say which measure fits the judgments, and why.")
@click.argument("qrels")
@click.argument("runs", nargs=-1, metavar="[RUN...]")
@input_options
@output_options("table", "json")
def advise_command(
    *,
    qrels: str,
    runs: tuple[str, ...],
    qrels_format: str | None,
    run_format: str | None,
    parent: str | None,
    duplicates: str | None,
    format_: str,
    output: str | None,
) -> None:
    """Read the judgments, and runs if there are any, and say which measure fits and why."""
    from ndcg.advice import advise
    from ndcg.reporting.advice_text import render_advice

    judged = read_qrels(qrels, qrels_format)
    files = RunFiles(runs, format=run_format, parent=parent, duplicates=duplicates or "error")
    advice = advise(judged, files if runs else None)
    if format_ == "json":
        emit(json.dumps(advice.to_dict(), indent=2, ensure_ascii=False), output)
    else:
        emit(render_advice(advice), output)
