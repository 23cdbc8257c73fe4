"""Writing: every format reads back as it was, or refuses what it cannot hold."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import math
import os
import re
import stat
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ndcg import (
    InputError,
    NdcgError,
    OptionError,
    Qrels,
    Run,
    as_qrels,
    as_run,
    evaluate,
    write_qrels,
    write_run,
)
from ndcg.formats.writing import whole_file, write_whole

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

SAMPLES = Path(__file__).parents[2] / "src" / "ndcg" / "samples"

WITH_SCORES = ["trec", "tsv", "csv", "parquet", "arrow", "jsonl", "json"]
OF_QRELS = [*WITH_SCORES, "beir", "msmarco"]
TEXTS = ["trec", "tsv", "csv", "beir", "msmarco"]
COMPRESSED = ["", ".gz", ".bz2", ".xz", ".zst", ".zstd", ".GZ"]

RUN = {
    "q1": {"d1": 0.1 + 0.2, "d2": 1 / 3, "d3": -1e-300, "d4": 5e-324, "d5": 1.7976931348623157e308},
    "q2": {"d1": 123456789012345678.0, "d2": 16777217.0, "d3": -0.0, "d4": 1e22, "d5": -3.0},
    "10": {"007": 1.0, "7": 2.0},
    "2": {"NA": 1.0, "null": 0.5, "-": 0.25, "1e5": 0.125},
}
QRELS = {"q1": {"d1": 3, "d2": 0, "d9": -2}, "q2": {"d1": 1}, "10": {"007": 2}}


@pytest.mark.parametrize("ending", COMPRESSED)
@pytest.mark.parametrize("form", WITH_SCORES)
def test_a_run_reads_back_to_the_same_digest(form: str, ending: str, tmp_path: Path) -> None:
    run, path = as_run(RUN), tmp_path / f"run{ending}"
    write_run(run, path, format=form)
    assert as_run(path).digest == run.digest
    assert as_run(path, format=form).digest == run.digest


@pytest.mark.parametrize("ending", COMPRESSED)
@pytest.mark.parametrize("form", OF_QRELS)
def test_judgments_read_back_to_the_same_digest(form: str, ending: str, tmp_path: Path) -> None:
    qrels, path = as_qrels(QRELS), tmp_path / f"qrels{ending}"
    write_qrels(qrels, path, format=form)
    assert as_qrels(path).digest == qrels.digest


@pytest.mark.parametrize("form", OF_QRELS)
def test_fractional_and_large_grades_read_back(form: str, tmp_path: Path) -> None:
    for grades in ({"a": 0.1 + 0.2, "b": 1.5, "c": -2.25}, {"a": 1e300, "b": 3}, {"a": 2.0**63}):
        qrels = as_qrels({"q": grades})
        write_qrels(qrels, tmp_path / "qrels", format=form)
        assert as_qrels(tmp_path / "qrels").digest == qrels.digest


def test_whole_grades_are_written_as_integers(tmp_path: Path) -> None:
    write_qrels(as_qrels({"q": {"a": 3.0, "b": 0.0}}), tmp_path / "qrels.txt")
    assert (tmp_path / "qrels.txt").read_text() == "q 0 a 3\nq 0 b 0\n"
    write_qrels(as_qrels({"q": {"a": 3.0, "b": 0.5}}), tmp_path / "qrels.txt")
    assert (tmp_path / "qrels.txt").read_text() == "q 0 a 3.0\nq 0 b 0.5\n"


@pytest.mark.parametrize("form", ["trec", "tsv", "csv", "parquet", "arrow"])
def test_infinite_scores_read_back(form: str, tmp_path: Path) -> None:
    run = as_run({"q": {"a": math.inf, "b": 0.0, "c": -math.inf}})
    write_run(run, tmp_path / "run", format=form)
    assert as_run(tmp_path / "run").digest == run.digest


@pytest.mark.parametrize("form", ["json", "jsonl"])
def test_json_has_no_infinity(form: str, tmp_path: Path) -> None:
    message = "score -inf is no number in JSON; write trec, tsv, csv or parquet"
    with pytest.raises(InputError, match=message):
        write_run(as_run({"q": {"a": 1.0, "b": -math.inf}}), tmp_path / "run", format=form)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("form", WITH_SCORES)
def test_real_data_reads_back_and_evaluates_alike(form: str, tmp_path: Path) -> None:
    run, qrels = as_run(SAMPLES / "bm25.run.gz"), as_qrels(SAMPLES / "qrels.txt")
    write_run(run, tmp_path / "bm25", format=form)
    write_qrels(qrels, tmp_path / "qrels", format=form)
    back = as_run(tmp_path / "bm25")
    assert back.digest == run.digest
    assert as_qrels(tmp_path / "qrels").digest == qrels.digest
    # The order of equal scores counts under ranx's convention, and is kept.
    for convention in ("default", "ranx"):
        first = evaluate(qrels, run, "nDCG@10", convention=convention)
        second = evaluate(qrels, back, "nDCG@10", convention=convention)
        assert first["nDCG@10"] == second["nDCG@10"]


def test_msmarco_keeps_the_order_and_not_the_scores(tmp_path: Path) -> None:
    write_run(as_run({"q": {"a": 0.5, "b": 2.5, "c": 0.5}}), tmp_path / "run.tsv", format="msmarco")
    assert (tmp_path / "run.tsv").read_text() == "q\tb\t1\nq\tc\t2\nq\ta\t3\n"
    back = as_run(tmp_path / "run.tsv")
    assert back.frame.rows() == [("q", "b", -1.0), ("q", "c", -2.0), ("q", "a", -3.0)]


def write(table: Qrels | Run, path: Path, form: str) -> None:
    if isinstance(table, Run):
        write_run(table, path, format=form)
    else:
        write_qrels(table, path, format=form)


def written(table: Qrels | Run, folder: Path, form: str) -> str:
    write(table, folder / "written", form)
    return (folder / "written").read_text("utf-8")


def test_the_text_of_each_format(tmp_path: Path) -> None:
    run = as_run({"q1": {"b": 1.5, "a": 2.0, "c": 1.5}}, name="my  system")
    assert {
        form: written(run, tmp_path, form) for form in ("trec", "tsv", "csv", "jsonl", "json")
    } == {
        "trec": ("q1 Q0 a 1 2.0 my_system\nq1 Q0 b 2 1.5 my_system\nq1 Q0 c 3 1.5 my_system\n"),
        "tsv": "query_id\tdoc_id\trank\tscore\nq1\ta\t1\t2.0\nq1\tb\t2\t1.5\nq1\tc\t3\t1.5\n",
        "csv": "query_id,doc_id,rank,score\nq1,a,1,2.0\nq1,b,2,1.5\nq1,c,3,1.5\n",
        "jsonl": (
            '{"query_id":"q1","doc_id":"a","score":2.0}\n'
            '{"query_id":"q1","doc_id":"b","score":1.5}\n'
            '{"query_id":"q1","doc_id":"c","score":1.5}\n'
        ),
        "json": '{"q1": {"a": 2.0, "b": 1.5, "c": 1.5}}\n',
    }
    qrels = as_qrels({"q1": {"b": 1, "a": 0}})
    assert {
        form: written(qrels, tmp_path, form)
        for form in OF_QRELS
        if "arr" not in form and "par" not in form
    } == {
        "trec": "q1 0 b 1\nq1 0 a 0\n",
        "msmarco": "q1\t0\tb\t1\nq1\t0\ta\t0\n",
        "beir": "query-id\tcorpus-id\tscore\nq1\tb\t1\nq1\ta\t0\n",
        "tsv": "query_id\tdoc_id\trelevance\nq1\tb\t1\nq1\ta\t0\n",
        "csv": "query_id,doc_id,relevance\nq1,b,1\nq1,a,0\n",
        "jsonl": (
            '{"query_id":"q1","doc_id":"b","relevance":1}\n'
            '{"query_id":"q1","doc_id":"a","relevance":0}\n'
        ),
        "json": '{"q1": {"b": 1, "a": 0}}\n',
    }


def test_a_run_without_a_name_has_a_tag(tmp_path: Path) -> None:
    assert written(as_run({"q": {"a": 1.0}}, name=" "), tmp_path, "trec") == "q Q0 a 1 1.0 run\n"


@pytest.mark.parametrize("form", WITH_SCORES)
def test_small_whole_scores_are_not_taken_for_grades(form: str, tmp_path: Path) -> None:
    run = as_run({"q": {"a": 2.0, "b": 1.0, "c": 0.0}})
    write_run(run, tmp_path / "run", format=form)
    assert as_run(tmp_path / "run").digest == run.digest


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("x.parquet", "parquet"),
        ("x.arrow", "arrow"),
        ("x.feather", "arrow"),
        ("x.ipc", "arrow"),
        ("x.jsonl", "jsonl"),
        ("x.ndjson", "jsonl"),
        ("x.json", "json"),
        ("x.csv", "csv"),
        ("x.TSV", "tsv"),
        ("x.run", "trec"),
        ("x.txt", "trec"),
        ("x", "trec"),
        ("x.v2", "trec"),
        ("x.json.gz", "json"),
        ("x.CSV.ZST", "csv"),
        ("x.csv.d", "trec"),
    ],
)
def test_the_format_follows_from_the_ending(name: str, form: str, tmp_path: Path) -> None:
    run = as_run(RUN)
    write_run(run, tmp_path / name)
    write_run(run, tmp_path / f"named{''.join(Path(name).suffixes)}", format=form)
    named = tmp_path / f"named{''.join(Path(name).suffixes)}"
    assert (tmp_path / name).read_bytes() == named.read_bytes()
    assert as_run(tmp_path / name).digest == run.digest


@pytest.mark.parametrize(
    ("ending", "open_whole"),
    [
        (".gz", gzip.decompress),
        (".bz2", bz2.decompress),
        (".xz", lzma.decompress),
        (".zst", zstd.decompress),
    ],
)
def test_the_ending_compresses(ending: str, open_whole: Any, tmp_path: Path) -> None:
    write_qrels(as_qrels({"q": {"a": 1}}), tmp_path / f"qrels.txt{ending}")
    content = (tmp_path / f"qrels.txt{ending}").read_bytes()
    assert open_whole(content) == b"q 0 a 1\n"
    write_qrels(as_qrels({"q": {"a": 1}}), tmp_path / f"again.txt{ending}")
    assert (tmp_path / f"again.txt{ending}").read_bytes() == content


def test_a_dash_is_standard_output(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    write_qrels(as_qrels({"q": {"a": 1}}), "-")
    write_run(as_run({"q": {"a": 1.0}}), "-", format="json")
    sys.stdout.flush()
    assert capfdbinary.readouterr().out == b'q 0 a 1\n{"q": {"a": 1.0}}\n'


def test_an_unknown_format_names_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="got 'jsonlines'; did you mean 'jsonl'"):
        write_run(as_run(RUN), tmp_path / "x", format="jsonlines")


def test_beir_has_no_runs(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="a BEIR folder has no runs; write tsv or trec"):
        write_run(as_run(RUN), tmp_path / "x", format="beir")


# An id, and the text formats that hold it as a document and as a query.
BLANKS = {"tsv", "csv", "beir"}
EVERY = set(TEXTS)
IDS: dict[str, tuple[set[str], set[str]]] = {
    "plain": (EVERY, EVERY),
    "é文": (EVERY, EVERY),
    "no\u00a0break": (EVERY, EVERY),
    "line\u2028separator": (EVERY, EVERY),
    "\x01": (EVERY, EVERY),
    "quote\"'": (EVERY, EVERY),
    '"quoted"': (EVERY, EVERY),
    "com,ma": (EVERY, EVERY),
    "back\\slash": (EVERY, EVERY),
    "query_id": (EVERY, EVERY),
    "in side": (BLANKS, BLANKS),
    " before": (set(), set()),
    "after ": (set(), set()),
    "ta\tb": ({"csv"}, {"csv"}),
    "\x0bform\x0c": (set(), set()),
    "new\nline": (set(), set()),
    "carriage\rreturn": (set(), set()),
    "nu\0l": (set(), set()),
    "#comment": (EVERY, set()),
    "{json": (EVERY, set()),
    "[json": (EVERY, set()),
    "\ufeffmark": (EVERY, set()),
}


@pytest.mark.parametrize("form", TEXTS)
@pytest.mark.parametrize("one", IDS)
def test_an_id_reads_back_or_is_refused(one: str, form: str, tmp_path: Path) -> None:
    as_document, as_query = IDS[one]
    for mapping, holds, name in (
        ({"q": {one: 1.5, "z": 2.5}}, as_document, "doc_id"),
        ({one: {"d": 1.5, "z": 2.5}}, as_query, "query_id"),
    ):
        tables: list[Qrels | Run] = [as_qrels(mapping)]
        if form in WITH_SCORES:
            tables.append(as_run(mapping))
        for table in tables:
            path = tmp_path / f"{type(table).__name__}.txt"
            if form in holds:
                written(table, tmp_path, form)
                read = as_run if isinstance(table, Run) else as_qrels
                assert read(tmp_path / "written").digest == table.digest
                continue
            message = f"{name} {one!r} cannot stand in format {form}: it would not be read back"
            with pytest.raises(InputError, match=re.escape(message)):
                write(table, path, form)
            assert not path.exists()


@pytest.mark.parametrize("form", ["parquet", "arrow", "jsonl", "json"])
@pytest.mark.parametrize("one", IDS)
def test_other_formats_hold_every_id(one: str, form: str, tmp_path: Path) -> None:
    run = as_run({one: {one: 1.5, "z": 2.5}, "q": {"a": 0.5}})
    write_run(run, tmp_path / "run", format=form)
    assert as_run(tmp_path / "run").digest == run.digest
    qrels = as_qrels({one: {one: 1, "z": 2}})
    write_qrels(qrels, tmp_path / "qrels", format=form)
    assert as_qrels(tmp_path / "qrels").digest == qrels.digest


WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), min_size=1, max_size=6)


@given(
    st.dictionaries(
        WORDS,
        st.dictionaries(WORDS, st.floats(allow_nan=False, allow_infinity=False), min_size=1),
        min_size=1,
        max_size=4,
    ),
    st.sampled_from(WITH_SCORES),
)
def test_whatever_is_written_reads_back(
    tmp_path_factory: pytest.TempPathFactory, mapping: dict[str, dict[str, float]], form: str
) -> None:
    run, path = as_run(mapping), tmp_path_factory.getbasetemp() / f"any.{form}"
    try:
        write_run(run, path, format=form)
    except NdcgError:
        assert form in TEXTS
        return
    assert as_run(path, format=form).digest == run.digest


def test_a_file_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    target = tmp_path / "x"
    target.write_text("before")
    with pytest.raises(RuntimeError, match="stop"), whole_file(target) as place:  # noqa: PT012
        place.write_text("half")
        raise RuntimeError("stop")
    assert target.read_text() == "before"
    with whole_file(target) as place:
        place.write_text("whole")
        assert target.read_text() == "before"
    assert target.read_text() == "whole"
    assert list(tmp_path.iterdir()) == [target]


def test_a_failing_disk_is_a_message(tmp_path: Path) -> None:
    target = tmp_path / "x"
    with (
        pytest.raises(OptionError, match="x: cannot write there \\(no space left on device\\)"),
        whole_file(target),
    ):
        raise OSError(28, "No space left on device")
    assert list(tmp_path.iterdir()) == []


def test_targets_that_cannot_be_written(tmp_path: Path) -> None:
    message = f"{tmp_path}: is a folder, expected a file to write"
    with pytest.raises(OptionError, match=re.escape(message)):
        write_whole(tmp_path, b"")
    folder = tmp_path / "none"
    message = f"{folder / 'x'}: there is no folder {folder}; make it first"
    with pytest.raises(OptionError, match=re.escape(message)):
        write_qrels(as_qrels(QRELS), folder / "x")


def test_a_long_file_name_can_be_written(tmp_path: Path) -> None:
    target = tmp_path / ("x" * 250)
    write_whole(target, b"whole")
    assert target.read_bytes() == b"whole"


def test_permissions_links_and_pipes_outlast_writing(tmp_path: Path) -> None:
    private = tmp_path / "private"
    private.touch(mode=0o600)
    link = tmp_path / "link"
    link.symlink_to(private)
    write_whole(link, b"whole")
    assert link.is_symlink()
    assert (private.read_bytes(), stat.S_IMODE(private.stat().st_mode)) == (b"whole", 0o600)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_whole(pipe, b"through")
    assert os.read(reader, 100) == b"through"
    os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_queries_without_rows_are_kept_by_json_alone(tmp_path: Path) -> None:
    qrels = as_qrels({"q1": {"a": 1}, "q2": {}})
    assert json.loads(written(qrels, tmp_path, "json")) == {"q1": {"a": 1}, "q2": {}}
    assert as_qrels(tmp_path / "written").digest == qrels.digest
    assert written(qrels, tmp_path, "trec") == "q1 0 a 1\n"
