"""``ndcg demo``: the main job on real data that ships with the package."""

from __future__ import annotations

from pathlib import Path

import click

SAMPLES = Path(__file__).parent.parent / "samples"
_QUERY = "c014"
_SHOWN_PARTS = 5


@click.command("demo", short_help="Evaluate real data that ships with the package.")
def demo_command() -> None:
    """Evaluate and compare three retrievers on 135 real shop queries, and explain one query."""
    from ndcg.comparison import compare
    from ndcg.evaluation import evaluate
    from ndcg.explanation import explain
    from ndcg.formats.beir import read_texts
    from ndcg.reporting.comparison_tables import render_comparison
    from ndcg.reporting.explanation_tables import render_explanation
    from ndcg.reporting.score_tables import render_scores

    qrels = SAMPLES / "qrels.txt"
    runs = {name: SAMPLES / f"{name}.run.gz" for name in ("bm25", "tfidf", "minilm")}
    click.echo("135 shop queries, products graded 0-3 by three raters, three retrievers.\n")
    click.echo("$ ndcg eval qrels.txt bm25.run.gz tfidf.run.gz minilm.run.gz\n")
    click.echo(render_scores(evaluate(qrels, runs), "table"))
    click.echo("\n$ ndcg compare qrels.txt bm25.run.gz tfidf.run.gz minilm.run.gz\n")
    page = render_comparison(compare(qrels, runs), "table")
    click.echo("\n\n".join([*page.split("\n\n")[:_SHOWN_PARTS], "..."]))
    click.echo(
        "\nThe dense run (minilm) looks worst, but most of its top 10 was never judged:\n"
        "its number is no verdict until somebody has looked.\n"
    )
    click.echo(f"$ ndcg explain qrels.txt minilm.run.gz {_QUERY} -m nDCG@5 --queries queries.tsv\n")
    text = read_texts(SAMPLES / "queries.tsv")[_QUERY]
    explained = explain(qrels, runs["minilm"], _QUERY, "nDCG@5")
    click.echo(render_explanation(explained, None, None, text))
    click.echo(
        "\nOn your own files:\n"
        "  ndcg eval QRELS RUN...        the numbers, and what could mislead\n"
        "  ndcg compare QRELS RUN RUN    better, worse, or cannot tell\n"
        "  ndcg explain QRELS RUN QUERY  where one query's number comes from\n"
        f"The files of this demo are in {SAMPLES}"
    )
