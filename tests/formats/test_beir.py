"""BEIR folders and the texts beside the judgments."""

from __future__ import annotations

import gzip
import re
from typing import TYPE_CHECKING

import pytest

from ndcg import InputError, as_qrels
from ndcg.formats.beir import find_qrels, find_texts, read_texts

if TYPE_CHECKING:
    from pathlib import Path

HEADER = "query-id\tcorpus-id\tscore\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "scifact"
    (place / "qrels").mkdir(parents=True)
    (place / "qrels" / "test.tsv").write_text(f"{HEADER}1\ta b\t2\n1\tc\t0\n")
    (place / "queries.jsonl").write_text('{"_id": "1", "text": "what is it"}\n')
    return place


def test_a_beir_folder_is_its_test_judgments(folder: Path) -> None:
    (folder / "qrels" / "train.tsv").write_text(f"{HEADER}9\tz\t1\n")
    for place in (folder, folder / "qrels", folder / "qrels" / "test.tsv", str(folder)):
        qrels = as_qrels(place)
        assert qrels.frame.rows() == [("1", "a b", 2.0), ("1", "c", 0.0)]
        assert qrels.name == str(folder / "qrels" / "test.tsv")


def test_the_only_file_serves(folder: Path) -> None:
    (folder / "qrels" / "test.tsv").rename(folder / "qrels" / "dev.tsv")
    assert len(as_qrels(folder)) == 2
    assert len(as_qrels(folder / "qrels")) == 2


def test_several_files_without_a_test_are_refused(folder: Path) -> None:
    (folder / "qrels" / "test.tsv").rename(folder / "qrels" / "dev.tsv")
    (folder / "qrels" / "train.tsv").write_text(f"{HEADER}9\tz\t1\n")
    told = f"{folder}/qrels: expected test.tsv, found dev.tsv, train.tsv; name the file itself"
    with pytest.raises(InputError, match=f"^{re.escape(told)}$"):
        as_qrels(folder)


def test_a_folder_without_judgments_is_refused(tmp_path: Path) -> None:
    (tmp_path / "qrels").mkdir()
    told = f"{tmp_path}/qrels: expected test.tsv, found no .tsv file; name the file itself"
    with pytest.raises(InputError, match=f"^{re.escape(told)}$"):
        as_qrels(tmp_path)


def test_a_folder_of_parts_may_be_called_qrels(tmp_path: Path) -> None:
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "part-0").write_text("q 0 a 1\n")
    (tmp_path / "qrels" / "part-1").write_text("q 0 b 2\n")
    assert as_qrels(tmp_path / "qrels").frame.rows() == [("q", "a", 1.0), ("q", "b", 2.0)]
    assert find_qrels(tmp_path / "qrels") is None


@pytest.mark.parametrize("member", ["queries.jsonl", "corpus.jsonl"])
def test_texts_lie_beside_the_judgments(folder: Path, member: str) -> None:
    (folder / "corpus.jsonl.gz").write_bytes(b"")
    found = folder / (member if member == "queries.jsonl" else "corpus.jsonl.gz")
    assert find_texts(folder, member) == found
    assert find_texts(folder / "qrels" / "test.tsv", member) == found


def test_texts_may_be_missing(folder: Path, tmp_path: Path) -> None:
    assert find_texts(folder, "corpus.jsonl") is None
    assert find_texts(tmp_path / "run.txt", "queries.jsonl") is None


@pytest.mark.parametrize("compress", [bytes, gzip.compress])
def test_texts_are_read_from_json_lines(tmp_path: Path, compress: type[bytes]) -> None:
    path = tmp_path / "corpus.jsonl"
    lines = [
        '{"_id": "1", "title": "A", "text": "b"}',
        '{"id": 2, "text": "only text"}',
        "",
        '{"doc_id": "3", "title": "only title", "text": null}',
        '{"query_id": "4"}\r',
    ]
    path.write_bytes(compress(("\ufeff" + "\n".join(lines)).encode()))
    assert read_texts(path) == {"1": "A. b", "2": "only text", "3": "only title", "4": ""}


def test_texts_are_read_from_lines_of_columns(tmp_path: Path) -> None:
    path = tmp_path / "queries.tsv"
    path.write_bytes("1\twhat is\u2028it\n2\ta\tb\r\n".encode())
    assert read_texts(path) == {"1": "what is\u2028it", "2": "a\tb"}


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (b"no column", "expected id TAB text, got 'no column'"),
        (b'{"_id": "1"', "not valid JSON ("),
        (b'{"a":' * 5000, "not valid JSON ("),
        (b'{"name": "1"}', "expected one of the keys _id, id, query_id, doc_id"),
        (b'{"_id": null}', "expected one of the keys _id, id, query_id, doc_id"),
        (b'{"_id": 1.5}', "id must be a string or an integer, got 1.5"),
        (b"1\t\xff", "not UTF-8; convert the file to UTF-8"),
    ],
)
def test_a_wrong_line_of_texts_is_named(tmp_path: Path, line: bytes, told: str) -> None:
    path = tmp_path / "texts"
    path.write_bytes(b"1\ta\n\n" + line)
    with pytest.raises(InputError, match=f"^{re.escape(f'{path}:3: {told}')}"):
        read_texts(path)
