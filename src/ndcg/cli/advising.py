"""``ndcg advise``."""

from __future__ import annotations

import click

from ndcg.cli.options import Output, Reading, input_options, output_options


@click.command("advise", short_help="Say which measure fits the judgments, and why.")
@click.argument("qrels")
@click.argument("runs", nargs=-1, metavar="[RUN...]")
@input_options
@output_options("table", "json")
def advise_command(
    *,
    qrels: str,
    runs: tuple[str, ...],
    reading: Reading,
    output: Output,
) -> None:
    """Read the judgments, and runs if there are any, and say which measure fits and why."""
    from ndcg.advice import advise
    from ndcg.reporting.advice_text import render_advice

    advice = advise(reading.qrels(qrels), reading.runs(runs) if runs else None)
    if output.format == "json":
        output.write_json({"schema": 1, **advice.to_dict()})
    else:
        output.write(render_advice(advice))
