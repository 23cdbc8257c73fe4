"""``ndcg report``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from ndcg.cli.comparing import compare_files, comparison_options
from ndcg.cli.options import Output, as_option, input_options, output_options
from ndcg.errors import OptionError

if TYPE_CHECKING:
    from ndcg.comparison import Comparison

_BY_ENDING = {".md": "md", ".tex": "latex", ".json": "json"}
_WORDS = "ndcg.words"


class _Recorded(click.Command):
    """A command that keeps the words it was called with, to print them."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[_WORDS] = list(args)
        return super().parse_args(ctx, args)


@click.command("report", cls=_Recorded, short_help="Write a comparison as a page, or for a paper.")
@click.argument("qrels")
@click.argument("baseline")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option(
    "--bold-significant", is_flag=True, help="Bold the best only where it is sure (md, latex)."
)
@click.option("--charts", metavar="DIR", help="Also write each chart as a file.")
@click.option(
    "--chart-format",
    type=click.Choice(["svg", "png", "pdf", "html"]),
    default="svg",
    show_default=True,
    help="What --charts writes.",
)
@comparison_options
@as_option
@input_options
@output_options("html", "md", "latex", "json")
def report_command(
    *,
    baseline: str,
    runs: tuple[str, ...],
    bold_significant: bool,
    charts: str | None,
    chart_format: str,
    output: Output,
    **asked: Any,
) -> None:
    r"""Write a comparison as one HTML page that opens offline, or for a paper or pull request.

    The form follows from the ending of FILE (.html, .md, .tex, .json) unless --format names it. A
    page and charts need pip install "ndcg[report]"; md, latex and json do not. Exit code 0: it was
    written, whatever the verdicts; ndcg compare is the gate.

    \b
    ndcg report qrels.txt bm25.run dense.run -o report.html
    ndcg report qrels.txt bm25.run dense.run --format md
    ndcg report qrels.txt a.run b.run -o r.html --charts charts --chart-format pdf
    """
    from ndcg.reporting.provenance import shell_line

    context = click.get_current_context()
    output = _by_ending(output, context)
    if output.format == "html" and output.path is None:
        raise OptionError("a page needs a file to go to, such as -o report.html")
    if output.format == "html" or charts is not None:
        from ndcg.reporting.drawing import require_packages

        require_packages()
    found = compare_files((baseline, *runs), **asked)
    command = shell_line(["ndcg", "report", *context.meta[_WORDS]])
    _write(found, output, command, bold_significant=bold_significant)
    if charts is not None:
        from ndcg.reporting.drawing import write_charts

        write_charts(found, charts, format=chart_format)


def _by_ending(output: Output, context: click.Context) -> Output:
    """Return the output in the form that its file's name asks for, unless a form was asked for."""
    named = context.get_parameter_source("format_") is not ParameterSource.DEFAULT
    if named or output.path is None:
        return output
    return replace(output, format=_BY_ENDING.get(Path(output.path).suffix.lower(), output.format))


def _write(found: Comparison, output: Output, command: str, *, bold_significant: bool) -> None:
    from ndcg.reporting.document import render_report
    from ndcg.reporting.paper_tables import render_answer
    from ndcg.reporting.provenance import report_to_json

    if output.format == "html":
        output.write(render_report(found, command=command).removesuffix("\n"))
    elif output.format == "json":
        output.write_json(report_to_json(found, command))
    else:
        output.write(
            render_answer(found, output.format, command=command, bold_significant=bold_significant)
        )
