"""Where bytes come from: files, archives, standard input, folders and patterns."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import re
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
from backports import zstd

from ndcg import InputError, as_qrels, as_run
from ndcg.formats import sources
from ndcg.formats.sources import Source, checked_path, expand, open_source, stem

if TYPE_CHECKING:
    from collections.abc import Callable

    from ndcg import Qrels, Run

QRELS = b"q1 0 a 1\nq1 0 b 0\n"
ROWS = [("q1", "a", 1.0), ("q1", "b", 0.0)]
RUN = b"q1 Q0 a 1 2.5 t\n"
COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstd.compress,
}
LONG = b"".join(f"q{i} 0 d{i * 7919 % 1000} {i % 4}\n".encode() for i in range(5000))


def write(folder: Path, content: bytes, name: str = "data.txt") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def rows_of(table: Qrels | Run) -> list[tuple[str, str, float]]:
    return [(str(query), str(doc), float(value)) for query, doc, value in table.frame.rows()]


def feed(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(content)))


@pytest.mark.parametrize("ending", COMPRESS)
@pytest.mark.parametrize("name", ["data{}", "data.txt"])
def test_compressed_files_are_known_by_their_content(
    tmp_path: Path, ending: str, name: str
) -> None:
    path = write(tmp_path, COMPRESS[ending](QRELS), name.format(ending))
    assert rows_of(as_qrels(path)) == ROWS


@pytest.mark.parametrize("ending", COMPRESS)
def test_archives_in_several_members_are_read_whole(tmp_path: Path, ending: str) -> None:
    halves = QRELS.splitlines(keepends=True)
    content = b"".join(COMPRESS[ending](half) for half in halves)
    assert rows_of(as_qrels(write(tmp_path, content))) == ROWS


@pytest.mark.parametrize("ending", COMPRESS)
@pytest.mark.parametrize("part", [0.3, 0.6, 0.95])
def test_a_truncated_archive_is_refused(tmp_path: Path, ending: str, part: float) -> None:
    whole = COMPRESS[ending](LONG)
    path = write(tmp_path, whole[: int(len(whole) * part)], f"cut{ending}")
    with pytest.raises(
        InputError, match=rf"cut{ending}: the compressed file .*; copy or compress it again$"
    ):
        as_qrels(path)


@pytest.mark.parametrize("ending", COMPRESS)
def test_an_archive_that_lacks_any_bytes_is_refused(tmp_path: Path, ending: str) -> None:
    whole = COMPRESS[ending](LONG[:700])
    for size in range(1, len(whole)):
        path = write(tmp_path, whole[:size], f"cut{ending}")
        with pytest.raises(InputError, match=re.escape(str(path))):
            as_qrels(path)
    path = write(tmp_path, whole[:-3], f"cut{ending}")
    with pytest.raises(InputError, match=r"the compressed file ends before its archive does"):
        as_qrels(path)


@pytest.mark.parametrize("ending", COMPRESS)
def test_a_damaged_archive_is_refused(tmp_path: Path, ending: str) -> None:
    whole = bytearray(COMPRESS[ending](LONG))
    for at in range(len(whole) // 2, len(whole) // 2 + 40):
        whole[at] ^= 0x5A
    path = write(tmp_path, bytes(whole), f"bad{ending}")
    with pytest.raises(InputError, match=rf"bad{ending}: the compressed file "):
        as_qrels(path)


@pytest.mark.parametrize("ending", COMPRESS)
def test_an_archive_of_nothing_is_empty(tmp_path: Path, ending: str) -> None:
    path = write(tmp_path, COMPRESS[ending](b""), f"none{ending}")
    with pytest.raises(InputError, match=r": the file is empty, expected judgments"):
        as_qrels(path)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"PK\x03\x04rest", "this is a zip archive; unpack or convert it to UTF-8 text"),
        (b"\x04\x22\x4d\x18rest", "this is an lz4 file; unpack or convert it to UTF-8 text"),
        (b"7z\xbc\xaf\x27\x1crest", "this is a 7z archive; unpack or convert it to UTF-8 text"),
        ("q1 0 a 1".encode("utf-16"), "this is UTF-16 text; unpack or convert it to UTF-8 text"),
        (b"\xfe\xff\0q", "this is UTF-16 text; unpack or convert it to UTF-8 text"),
        ("q1 0 a 1\n".encode("utf-16-le"), "this is UTF-16 text; convert it to UTF-8 text"),
        ("q1 0 a 1\n".encode("utf-16-be"), "this is UTF-16 text; convert it to UTF-8 text"),
        (
            b"name".ljust(257, b"\0") + b"ustar\0",
            "this is a tar archive; unpack it and name the files",
        ),
        (
            b"\x7fELF\x02\x01\x01\0\0",
            "binary data (a zero byte at byte 7), expected UTF-8 text, Parquet or Arrow IPC",
        ),
        (
            b"ORC\x08\x03\0\x01",
            "binary data (a zero byte at byte 5), expected UTF-8 text, Parquet or Arrow IPC",
        ),
    ],
)
def test_what_is_no_text_is_told(tmp_path: Path, content: bytes, told: str) -> None:
    for path in (write(tmp_path, content), write(tmp_path, gzip.compress(content), "data.gz")):
        with pytest.raises(InputError, match=f"^{re.escape(f'{path}: {told}')}$"):
            as_run(path)


def test_binary_garbage_is_told(tmp_path: Path) -> None:
    path = write(tmp_path, bytes(range(1, 256)) * 3)
    with pytest.raises(InputError, match=re.escape(str(path))):
        as_qrels(path)


@pytest.mark.parametrize("ending", ["", *COMPRESS])
def test_standard_input(monkeypatch: pytest.MonkeyPatch, ending: str) -> None:
    feed(monkeypatch, COMPRESS.get(ending, bytes)(QRELS))
    assert rows_of(as_qrels("-")) == ROWS


def test_messages_name_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    feed(monkeypatch, QRELS + b"q1 0 c x\n")
    with pytest.raises(InputError, match=r"^standard input:3: the grade must be a number, got 'x'"):
        as_qrels("-")
    feed(monkeypatch, b"")
    with pytest.raises(InputError, match=r"^standard input: the file is empty"):
        as_run("-")
    feed(monkeypatch, RUN * 2)
    with pytest.raises(
        InputError, match=r"^standard input:2: document 'a' .* first at standard input:1;"
    ):
        as_run("-")


def test_a_pipe_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(gzip.compress(QRELS),))
    writer.start()
    try:
        assert rows_of(as_qrels(path)) == ROWS
    finally:
        writer.join()


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    path = tmp_path / "none.txt"
    with pytest.raises(InputError, match=f"^{re.escape(str(path))}: no such file$"):
        as_qrels(path)


def test_a_folder_within_a_pattern_is_told(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    with pytest.raises(InputError, match=r"/a: is a folder, expected a file$"):
        as_run(tmp_path / "*")


def test_other_trouble_is_told_as_the_system_words_it(tmp_path: Path) -> None:
    path = write(tmp_path, QRELS) / "below"
    with pytest.raises(InputError, match=r"below: cannot be read \(not a directory\)$"):
        as_qrels(path)


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("", "the path is empty, expected the name of a file or a folder"),
        ("q1 0 a 1\nq1 0 b 0\n", "'q1 0 a 1\\nq1 0 b 0\\n'... is no path: it has a line end"),
        ("a\0b", "'a\\x00b'... is no path: it has a line end or a zero byte in it"),
        (
            "https://example.org/x.run",
            "https://example.org/x.run: is an address, expected a file; download",
        ),
        ("x" * 5000, f"{'x' * 80}: cannot be read (file name too long)"),
    ],
)
def test_what_is_no_path_is_told(path: str, told: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(told)}"):
        checked_path(path)


def test_parts_of_a_folder_are_one_run(tmp_path: Path) -> None:
    write(tmp_path, b"q2 Q0 a 1 2.5 t\n", "part-1")
    write(tmp_path, gzip.compress(RUN), "part-0.gz")
    write(tmp_path, b"", "_SUCCESS")
    write(tmp_path, b"junk", ".part-0.crc")
    run = as_run(tmp_path)
    assert rows_of(run) == [("q1", "a", 2.5), ("q2", "a", 2.5)]
    assert (run.name, run.notices) == (tmp_path.name, ())


def test_a_pattern_is_one_run(tmp_path: Path) -> None:
    write(tmp_path, RUN, "a.run")
    write(tmp_path, b"q1 Q0 b 1 1.5 t\n", "b.run")
    write(tmp_path, b"not read", "c.txt")
    run = as_run(f"{tmp_path}/*.run")
    assert rows_of(run) == [("q1", "a", 2.5), ("q1", "b", 1.5)]
    assert run.name == "*"


def test_a_name_with_the_marks_of_a_pattern_is_a_file(tmp_path: Path) -> None:
    path = write(tmp_path, RUN, "a[1]*.run")
    write(tmp_path, b"junk", "a1.run")
    assert rows_of(as_run(path)) == [("q1", "a", 2.5)]


def test_duplicates_across_parts_are_named_with_their_files(tmp_path: Path) -> None:
    write(tmp_path, b"# note\nq2 Q0 a 1 2.5 t\n" + RUN, "a")
    write(tmp_path, b"\n" + RUN, "b")
    told = (
        f"{tmp_path}/b:2: document 'a' is retrieved twice for query 'q1', first at {tmp_path}/a:3;"
    )
    with pytest.raises(InputError, match=f"^{re.escape(told)}"):
        as_run(tmp_path)


def test_empty_parts_are_counted(tmp_path: Path) -> None:
    write(tmp_path, RUN, "a")
    write(tmp_path, b"", "b")
    run = as_run(tmp_path)
    assert rows_of(run) == [("q1", "a", 2.5)]
    assert [(notice.code, notice.text) for notice in run.notices] == [
        ("empty-parts", f"{tmp_path}: 1 of 2 files is empty")
    ]
    write(tmp_path, gzip.compress(b""), "c.gz")
    assert as_run(tmp_path).notices[0].text == f"{tmp_path}: 2 of 3 files are empty"


def test_parts_that_are_all_empty_are_nothing(tmp_path: Path) -> None:
    write(tmp_path, b"", "a")
    write(tmp_path, b"", "b")
    with pytest.raises(InputError, match=f"^{re.escape(str(tmp_path))}: no documents in it"):
        as_run(tmp_path)


def test_a_folder_without_files_is_told(tmp_path: Path) -> None:
    write(tmp_path, b"", "_SUCCESS")
    told = f"{tmp_path}: the folder has no files (names that begin with . or _ do not count)"
    with pytest.raises(InputError, match=f"^{re.escape(told)}$"):
        as_run(tmp_path)


def test_a_pattern_without_files_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"\*\.run: no file matches this pattern$"):
        as_run(f"{tmp_path}/*.run")


def test_parts_must_have_the_same_columns(tmp_path: Path) -> None:
    write(tmp_path, RUN, "a")
    write(tmp_path, b"q1\tb\n", "b")
    told = (
        f"{tmp_path}/b: its rows rest on a line, those of {tmp_path}/a on a value; parts of one "
        "table need the same columns"
    )
    with pytest.raises(InputError, match=f"^{re.escape(told)}$"):
        as_run(tmp_path)


def test_json_objects_are_no_parts(tmp_path: Path) -> None:
    write(tmp_path, b'{"q": {"a": 1}}', "a")
    write(tmp_path, b'{"r": {"a": 1}}', "b")
    with pytest.raises(
        InputError, match=r"/a: JSON objects cannot be parts of one run; join them$"
    ):
        as_run(tmp_path)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("runs/bm25.run.gz", "bm25"),
        ("bm25.txt.zst", "bm25"),
        ("BM25.JSONL", "BM25"),
        ("model-v1.2", "model-v1.2"),
        ("input.bm25", "input.bm25"),
        ("plain", "plain"),
        (Path("a/b.parquet"), "b"),
    ],
)
def test_runs_are_named_after_their_files(path: str | Path, name: str) -> None:
    assert stem(path) == name


def test_a_source_names_what_it_reads(tmp_path: Path) -> None:
    assert open_source("-").name == "standard input"
    assert open_source(tmp_path).name == str(tmp_path)
    assert expand(tmp_path / "x") == [tmp_path / "x"]


def test_an_error_that_is_no_archives_is_not_hidden() -> None:
    class Broken(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            raise KeyError(size)

    with pytest.raises(KeyError):
        Source("FILE").read(Broken())


@pytest.mark.parametrize("size", [1, 3, 8, 100])
def test_blocks_are_whole_lines(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(sources, "BLOCK_BYTES", size)
    content = b"ab\n\ncdefg\nh"
    blocks = list(Source("FILE", content=content).blocks())
    assert b"".join(blocks) == content
    assert all(block.endswith(b"\n") for block in blocks[:-1])
