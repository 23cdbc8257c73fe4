"""``ndcg convert``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

import ndcg as library

Ndcg = Callable[..., Result]

RUN_FORMATS = ["trec", "tsv", "csv", "parquet", "arrow", "jsonl", "json"]
QRELS_FORMATS = [*RUN_FORMATS, "beir", "msmarco"]


@pytest.mark.usefixtures("worked")
@pytest.mark.parametrize("form", RUN_FORMATS)
def test_a_run_reads_back_from_every_format(ndcg: Ndcg, form: str) -> None:
    result = ndcg("convert", "run", "a.run", "out", "--to", form)
    assert (result.exit_code, result.output) == (0, "")
    assert library.as_run("out").digest == library.as_run("a.run").digest


@pytest.mark.usefixtures("worked")
@pytest.mark.parametrize("form", QRELS_FORMATS)
def test_judgments_read_back_from_every_format(ndcg: Ndcg, form: str) -> None:
    result = ndcg("convert", "qrels", "qrels.txt", "out", "--to", form)
    assert (result.exit_code, result.output) == (0, "")
    assert library.as_qrels("out").digest == library.as_qrels("qrels.txt").digest


@pytest.mark.usefixtures("worked")
def test_the_format_follows_from_the_ending(ndcg: Ndcg) -> None:
    assert ndcg("convert", "run", "a.run", "a.json").exit_code == 0
    assert list(json.loads(Path("a.json").read_text())) == ["q1"]
    assert ndcg("convert", "run", "a.json", "b.run.gz").exit_code == 0
    assert Path("b.run.gz").read_bytes()[:2] == b"\x1f\x8b"
    assert library.as_run("b.run.gz").digest == library.as_run("a.run").digest


@pytest.mark.usefixtures("worked")
@pytest.mark.parametrize("form", RUN_FORMATS)
def test_a_run_passes_through_pipes(ndcg: Ndcg, form: str) -> None:
    piped = ndcg("convert", "run", "a.run", "-", "--to", form)
    assert (piped.exit_code, piped.stderr) == (0, "")
    back = ndcg("convert", "run", "-", "back.run", stdin=piped.stdout_bytes)
    assert (back.exit_code, back.output) == (0, "")
    assert library.as_run("back.run").digest == library.as_run("a.run").digest
    assert Path("back.run").read_text().splitlines()[0] == "q1 Q0 d7 1 5.0 stdin"


@pytest.mark.usefixtures("worked")
def test_standard_output_is_trec_unless_named(ndcg: Ndcg) -> None:
    assert ndcg("convert", "qrels", "qrels.txt", "-").stdout == Path("qrels.txt").read_text()


@pytest.mark.usefixtures("worked")
def test_chunks_become_documents(ndcg: Ndcg) -> None:
    Path("c.run").write_text("q1 Q0 d1#3 1 2 t\nq1 Q0 d2#1 2 1 t\nq1 Q0 d1#1 3 0.5 t\n")
    result = ndcg("convert", "run", "c.run", "-", "--parent", "#")
    assert result.stdout == "q1 Q0 d1 1 2.0 c\nq1 Q0 d2 2 1.0 c\n"
    assert result.stderr.startswith("note: c: 3 chunks stand for their documents; 1 left out")


@pytest.mark.usefixtures("worked")
def test_duplicates_are_settled(ndcg: Ndcg) -> None:
    Path("t.run").write_text("q1 Q0 d1 1 2 t\nq1 Q0 d1 2 1 t\n")
    assert ndcg("convert", "run", "t.run", "-").exit_code == 2
    assert ndcg("convert", "run", "t.run", "-", "--duplicates", "last").stdout == (
        "q1 Q0 d1 1 1.0 t\n"
    )


@pytest.mark.usefixtures("worked")
def test_a_query_without_documents_is_counted_where_it_is_lost(ndcg: Ndcg) -> None:
    Path("e.json").write_text('{"q1": {"a": 1.5}, "q2": {}, "q3": {}}')
    result = ndcg("convert", "run", "e.json", "-")
    assert result.stdout == "q1 Q0 a 1 1.5 e\n"
    assert (
        result.stderr == "note: 2 queries without documents left out: trec has no line for that\n"
    )
    kept = ndcg("convert", "run", "e.json", "out.json")
    assert (kept.exit_code, kept.output) == (0, "")
    assert json.loads(Path("out.json").read_text()) == {"q1": {"a": 1.5}, "q2": {}, "q3": {}}


@pytest.mark.usefixtures("worked")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("run", "a.run", "x", "--qrels-format", "trec"),
            "--qrels-format is for qrels, and this is a run; say --run-format",
        ),
        (
            ("qrels", "qrels.txt", "x", "--run-format", "trec"),
            "--run-format is for a run, and these are qrels; say --qrels-format",
        ),
        (
            ("qrels", "qrels.txt", "x", "--parent", "#"),
            "--parent and --duplicates are for a run, and these are qrels",
        ),
        (
            ("qrels", "qrels.txt", "x", "--duplicates", "last"),
            "--parent and --duplicates are for a run, and these are qrels",
        ),
        (("run", "a.run", "x", "--to", "beir"), "a BEIR folder has no runs; write tsv or trec"),
    ],
)
def test_an_option_that_means_nothing_is_refused(
    ndcg: Ndcg, arguments: tuple[str, ...], message: str
) -> None:
    result = ndcg("convert", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"ndcg: {message}\n"
    assert not Path("x").exists()


@pytest.mark.usefixtures("worked")
def test_an_id_that_a_format_cannot_hold_leaves_the_target_as_it_is(ndcg: Ndcg) -> None:
    Path("ids.json").write_text('{"q 1": {"a": 1.5}}')
    Path("out").write_text("before")
    result = ndcg("convert", "run", "ids.json", "out")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        "ndcg: query_id 'q 1' cannot stand in format trec: it would not be read back as it is; "
        "write jsonl, json or parquet\n"
    )
    assert Path("out").read_text() == "before"


@pytest.mark.usefixtures("worked")
def test_a_file_may_be_converted_in_place(ndcg: Ndcg) -> None:
    digest = library.as_run("a.run").digest
    assert ndcg("convert", "run", "a.run", "a.run", "--to", "parquet").exit_code == 0
    assert library.as_run("a.run", format="parquet").digest == digest


@pytest.mark.usefixtures("worked")
def test_the_kind_comes_first(ndcg: Ndcg) -> None:
    result = ndcg("convert", "a.run", "a.parquet")
    assert result.exit_code == 2
    assert "'a.run' is not one of 'qrels', 'run'" in result.stderr
