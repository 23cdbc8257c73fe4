"""The doors: what `as_qrels` and `as_run` return, refuse and tell, whatever they are given."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from ndcg import InputError, OptionError, Qrels, Run, as_qrels, as_run
from ndcg.formats import sources

if TYPE_CHECKING:
    from pathlib import Path

BLOCK_SIZES = [16, 40, 100, 8 << 20]
RUN = """\
# a comment

q1 Q0 a 1 3.0 t
q2 Q0 a 1 3.0 t
q1 Q0 b 2 2.0 t

# another
q2 Q0 b 2 2.0 t
q1 Q0 a 3 1.0 t
q2 Q0 b 3 1.0 t
"""


def write(folder: Path, content: str, name: str = "bm25.run") -> Path:
    path = folder / name
    path.write_text(content, "utf-8")
    return path


def rows_of(table: Qrels | Run) -> list[tuple[str, str, float]]:
    return [(str(query), str(doc), float(value)) for query, doc, value in table.frame.rows()]


def texts_of(table: Qrels | Run) -> list[str]:
    return [notice.text for notice in table.notices]


def test_what_is_read_already_is_returned_as_it_is() -> None:
    qrels, run = as_qrels({"q": {"a": 1}}), as_run({"q": {"a": 1}})
    assert as_qrels(qrels) is qrels
    assert as_run(run) is run
    assert as_run(run, name="run") is run
    assert as_run(run, name="bm25").name == "bm25"
    assert run.name == "run"


def test_a_run_is_no_judgments_and_the_reverse() -> None:
    run: Any = as_run({"q": {"a": 1}})
    with pytest.raises(
        InputError, match=r"^cannot read qrels from Run: expected a path, a mapping"
    ):
        as_qrels(run)
    qrels: Any = as_qrels({"q": {"a": 1}})
    with pytest.raises(
        InputError, match=r"^cannot read a run from Qrels: expected a path, a mapping"
    ):
        as_run(qrels)


def test_names(tmp_path: Path) -> None:
    path = write(tmp_path, "q Q0 a 1 1 t\n", "bm25.run")
    assert as_run(path).name == "bm25"
    assert as_run(path, name="other").name == "other"
    qrels = write(tmp_path, "q 0 a 1\n", "qrels.txt")
    assert as_qrels(qrels).name == str(qrels)
    assert as_qrels(qrels, name="mine").name == "mine"


def test_scattered_queries_are_brought_together(tmp_path: Path) -> None:
    path = write(tmp_path, "q2 0 b 1\nq1 0 a 2\nq2 0 a 0\nq1 0 c 1\n")
    qrels = as_qrels(path)
    assert rows_of(qrels) == [
        ("q2", "b", 1.0),
        ("q2", "a", 0.0),
        ("q1", "a", 2.0),
        ("q1", "c", 1.0),
    ]
    assert qrels.query_ids.to_list() == ["q2", "q1"]


@pytest.mark.parametrize("size", BLOCK_SIZES)
def test_a_document_retrieved_twice_is_refused_with_both_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(sources, "BLOCK_BYTES", size)
    path = write(tmp_path, RUN)
    told = (
        f"{path}:9: document 'a' is retrieved twice for query 'q1', first at {path}:3 (2 such "
        f"lines "
        "in all); remove one (duplicates='first' keeps the first line), or if these are chunks, "
        "map them to documents (--parent)"
    )
    with pytest.raises(InputError, match=f"^{re.escape(told)}$"):
        as_run(path)


@pytest.mark.parametrize("size", BLOCK_SIZES)
@pytest.mark.parametrize(
    ("policy", "rows"),
    [
        ("first", [("q1", "a", 3.0), ("q1", "b", 2.0), ("q2", "a", 3.0), ("q2", "b", 2.0)]),
        ("last", [("q1", "b", 2.0), ("q1", "a", 1.0), ("q2", "a", 3.0), ("q2", "b", 1.0)]),
    ],
)
def test_the_first_or_the_last_line_may_count(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    size: int,
    policy: str,
    rows: list[tuple[str, str, float]],
) -> None:
    monkeypatch.setattr(sources, "BLOCK_BYTES", size)
    run = as_run(write(tmp_path, RUN), duplicates=policy)
    assert rows_of(run) == rows
    assert [(notice.code, notice.text, notice.run) for notice in run.notices] == [
        (
            "duplicate-documents",
            f"2 lines for a document retrieved already: the {policy} counts",
            "bm25",
        ),
        ("comments", f"{tmp_path}/bm25.run: 2 lines beginning with # left out as comments", None),
    ]


def test_one_duplicate_is_told_as_one(tmp_path: Path) -> None:
    path = write(tmp_path, "q Q0 a 1 2 t\nq Q0 a 2 1 t\n")
    assert texts_of(as_run(path, duplicates="first")) == [
        "1 line for a document retrieved already: the first counts"
    ]
    told = f"{path}:2: document 'a' is retrieved twice for query 'q', first at {path}:1; remove one"
    with pytest.raises(InputError, match=f"^{re.escape(told)}"):
        as_run(path)


def test_the_first_of_three_is_named(tmp_path: Path) -> None:
    path = write(tmp_path, "q Q0 b 1 5 t\nq Q0 a 2 4 t\nq Q0 a 3 3 t\nq Q0 a 4 2 t\n")
    with pytest.raises(
        InputError, match=r":3: document 'a' .* first at .*:2 \(2 such lines in all\);"
    ):
        as_run(path)


def test_an_unknown_policy_is_refused() -> None:
    told = "duplicates must be one of error, first, last, got 'frist'; did you mean 'first'?"
    with pytest.raises(OptionError, match=f"^{re.escape(told)}$"):
        as_run({"q": {"a": 1}}, duplicates="frist")


@pytest.mark.parametrize("size", BLOCK_SIZES)
def test_two_grades_are_refused_with_both_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(sources, "BLOCK_BYTES", size)
    path = write(tmp_path, "q1 0 a 1\nq2 0 a 1\n\nq1 0 a 1\n# x\nq1 0 b 0\nq1 0 a 2.5\n")
    told = (
        f"{path}:7: query 'q1', document 'a' is judged 1 and 2.5 (first at {path}:1); keep one "
        f"grade"
    )
    with pytest.raises(InputError, match=f"^{re.escape(told)}$"):
        as_qrels(path)


@pytest.mark.parametrize("size", BLOCK_SIZES)
def test_a_grade_given_again_is_kept_once_and_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(sources, "BLOCK_BYTES", size)
    path = write(tmp_path, "q1 0 a 1\nq2 0 b 1\nq1 0 a 1.0\nq1 0 c 0\nq2 0 b 1\nq1 0 a 1\n")
    qrels = as_qrels(path)
    assert rows_of(qrels) == [("q1", "a", 1.0), ("q1", "c", 0.0), ("q2", "b", 1.0)]
    assert [(notice.code, notice.text) for notice in qrels.notices] == [
        ("duplicate-judgments", "3 judgments given twice with the same grade: kept once")
    ]


@pytest.mark.parametrize("format", ["trec", "tsv", "csv", "msmarco", "jsonl", "json", "parquet"])
def test_a_file_must_be_what_its_format_says(tmp_path: Path, format: str) -> None:
    path = write(tmp_path, "what is this\n")
    with pytest.raises(InputError, match=re.escape(str(path))):
        as_qrels(path, format=format)


def test_a_run_in_two_columns_with_duplicates_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "q\ta\nq\tb\nq\ta\n")
    with pytest.raises(
        InputError, match=rf"^{re.escape(str(path))}:3: document 'a' is retrieved twice"
    ):
        as_run(path)
    assert rows_of(as_run(path, duplicates="first")) == [("q", "a", -1.0), ("q", "b", -2.0)]


def test_many_blocks_are_read_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "BLOCK_BYTES", 256)
    rows = [(f"q{i // 10}", f"d{i}", float(1000 - i)) for i in range(1000)]
    text = "".join(f"{q} Q0 {d} {i % 10 + 1} {s} t\n" for i, (q, d, s) in enumerate(rows))
    run = as_run(write(tmp_path, text))
    assert (rows_of(run), run.notices) == (rows, ())
