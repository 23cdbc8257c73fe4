"""``ndcg report``."""

from __future__ import annotations

import sys
from typing import Any

import click

from ndcg.cli.comparing import compare_files, comparison_options
from ndcg.cli.options import Output, as_option, input_options, output_options
from ndcg.errors import OptionError


@click.command("report", short_help="Write a comparison as a page, or for a paper.")
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

    The page needs pip install "ndcg[report]"; md, latex and json do not.

    \b
    ndcg report qrels.txt bm25.run dense.run -o report.html
    ndcg report qrels.txt bm25.run dense.run --format md
    ndcg report qrels.txt a.run b.run -o r.html --charts charts --chart-format pdf
    """
    from ndcg.reporting.document import render_report, require_packages
    from ndcg.reporting.paper_tables import render_answer
    from ndcg.reporting.provenance import report_to_json, shell_line

    if output.format == "html" and output.path is None:
        raise OptionError("a page needs a file to go to, such as -o report.html")
    if output.format == "html" or charts is not None:
        require_packages()
    found = compare_files((baseline, *runs), **asked)
    command = shell_line(["ndcg", *sys.argv[1:]])
    if charts is not None:
        from ndcg.reporting.drawing import write_charts

        write_charts(found, charts, format=chart_format)
    if output.format == "html":
        output.write(render_report(found, command=command).removesuffix("\n"))
    elif output.format == "json":
        output.write_json(report_to_json(found, command))
    else:
        answer = render_answer(
            found, output.format, command=command, bold_significant=bold_significant
        )
        output.write(answer)
