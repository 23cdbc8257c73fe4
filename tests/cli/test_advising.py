"""``ndcg advise``."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from click.testing import Result

import ndcg as library

if TYPE_CHECKING:
    from pathlib import Path

Ndcg = Callable[..., Result]


@pytest.mark.usefixtures("worked")
def test_judgments_alone(ndcg: Ndcg) -> None:
    result = ndcg("advise", "qrels.txt")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == (
        "1 query, 3 judgments, 3.0 a query; grades 1, 2, 3\n"
        "3 relevant documents a query (median); 0 queries have none\n"
        "\n"
        "use   nDCG@10: several relevant documents of different usefulness; linear gain:\n"
        "      grade 3 counts 3 times grade 1\n"
        "also  nDCG(gain='exp')@10: only if grade 3 is worth much more than the rest:\n"
        "      here 7 times grade 1\n"
        "also  R@100: for a first stage: what it does not retrieve, no reranker can put\n"
        "      on top\n"
        "\n"
        "note: only relevant documents are in the judgments: judged@k is small by design,\n"
        "      and a document without a judgment may be good or bad\n"
        "note: 1 query is few: expect differences below about 0.56 to stay within chance\n"
        "      (deviation of the per-query difference taken as 0.2)\n"
    )


@pytest.mark.usefixtures("samples")
def test_runs_bring_facts_and_cautions(ndcg: Ndcg) -> None:
    result = ndcg("advise", "qrels.txt", "bm25.run.gz", "minilm.run.gz")
    assert max(map(len, result.stdout.splitlines())) <= 80
    text = " ".join(result.stdout.split())
    assert "bm25: 131 queries, 100 documents a query (median)" in text
    assert "minilm: Judged@10 is 39%; what was never judged counts as not relevant" in text
    assert "note: compare runs query by query on the same judgments (ndcg compare)" in text


@pytest.mark.usefixtures("worked")
def test_json(ndcg: Ndcg) -> None:
    told = json.loads(ndcg("advise", "qrels.txt", "a.run", "--format", "json").stdout)
    assert list(told) == ["schema", "facts", "measures", "cautions"]
    assert told == {"schema": 1, **library.advise("qrels.txt", "a.run").to_dict()}
    assert [one["measure"] for one in told["measures"]] == [
        *("nDCG@10", "nDCG(gain='exp')@10", "R@100"),
    ]


@pytest.mark.usefixtures("worked")
def test_the_measures_it_names_can_be_evaluated(ndcg: Ndcg) -> None:
    told = json.loads(ndcg("advise", "qrels.txt", "--format", "json").stdout)
    measures = [option for one in told["measures"] for option in ("-m", one["measure"])]
    assert ndcg("eval", "qrels.txt", "a.run", *measures).exit_code == 0


def test_input_options_hold(ndcg: Ndcg, worked: Path) -> None:
    (worked / "twice.run").write_text((worked / "a.run").read_text() * 2)
    assert ndcg("advise", "qrels.txt", "twice.run").exit_code == 2
    assert ndcg("advise", "qrels.txt", "twice.run", "--duplicates", "first").exit_code == 0
    chunks = (worked / "a.run").read_text().replace(" d2 ", " d2#1 ").replace(" d1 ", " d2#4 ")
    (worked / "chunks.run").write_text(chunks)
    result = ndcg("advise", "qrels.txt", "chunks.run", "--parent", "#")
    assert result.exit_code == 0
    assert "chunks: 2 chunks stand for their documents" in result.stdout
