from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest

from ndcg.errors import InputError, OptionError
from ndcg.slicing import NO_VALUE, Slices, as_slices

if TYPE_CHECKING:
    from pathlib import Path

QUERIES = ["q1", "q2", "q3"]
EXPECTED = {
    "brand": [True, False, False],
    "long": [True, True, False],
    NO_VALUE: [False, False, True],
}


def members(slices: Slices, name: str = "kind") -> dict[str, list[bool]]:
    return {value: mask.tolist() for value, mask in slices.groups(name, QUERIES).items()}


def write(tmp_path: Path, name: str, text: str) -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("wide.tsv", "qid\tkind\nq1\tbrand|long\nq2\tlong\nq3\t\n"),
        ("wide.csv", 'query_id,kind\nq1,"brand; long"\nq2,long\nq3,\n'),
        ("long.tsv", "qid\tslice\tvalue\nq1\tkind\tbrand\nq1\tkind\tlong\nq2\tkind\tlong\n"),
        (
            "queries.jsonl",
            (
                '{"_id": "q1", "text": "a b", "metadata": {"kind": ["brand", "long"]}}\n'
                '{"_id": "q2", "text": "c", "kind": "long"}\n{"_id": "q3", "text": "d"}\n'
            ),
        ),
    ],
)
def test_wide_and_long_files_name_the_same_groups(tmp_path: Path, name: str, text: str) -> None:
    slices = as_slices(write(tmp_path, name, text))
    assert slices.names == ["kind"]
    assert members(slices) == EXPECTED


def test_parquet_frames_and_mappings_name_the_same_groups(tmp_path: Path) -> None:
    frame = pl.DataFrame({"query_id": QUERIES, "kind": ["brand|long", "long", None]})
    frame.write_parquet(tmp_path / "slices.parquet")
    mapping = {"q1": {"kind": ["brand", "long"]}, "q2": {"kind": "long"}}
    for source in (tmp_path / "slices.parquet", frame, frame.to_arrow(), mapping):
        assert members(as_slices(source)) == EXPECTED


def test_integer_ids_and_numbers_become_their_decimal_text() -> None:
    slices = as_slices(pl.DataFrame({"qid": [7, 8], "terms": [1, 2]}))
    assert {v: m.tolist() for v, m in slices.groups("terms", ["7", "8"]).items()} == {
        "1": [True, False],
        "2": [False, True],
    }


def test_values_without_a_query_at_hand_are_left_out() -> None:
    slices = as_slices({"q1": {"kind": "a"}, "other": {"kind": "b"}})
    assert list(slices.groups("kind", ["q1"])) == ["a"]


def test_an_unknown_slice_names_the_nearest() -> None:
    slices = as_slices({"q1": {"category": "a"}})
    with pytest.raises(OptionError, match=r"no slice named 'categroy'; did you mean 'category'"):
        slices.select(["categroy"])


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.tsv", "", "the file is empty"),
        ("a.tsv", "name\tkind\nq1\tx\n", r"no column of query ids .* among name, kind"),
        ("a.tsv", "qid\tkind\nq1\n", r"a\.tsv:2: expected 2 columns \(qid kind\), got 1"),
        ("a.tsv", "qid\tkind\tkind\nq1\tx\ty\n", "two columns have one name"),
        ("a.tsv", "qid\tkind\nq1\tx\nq1\ty\n", r"query 'q1' has several rows"),
        ("a.tsv", "qid\ttext\nq1\tx\n", "no slice in it"),
        ("a.tsv", "qid\tkind\nq1\t\n", "no query has a value in any slice"),
        ("a.jsonl", '{"_id": "q1", "kind": }\n', r"a\.jsonl:1: not valid JSON"),
        ("a.jsonl", '{"_id": "q1", "kind": "x"}\n[1]\n', r"a\.jsonl:2: expected an object a line"),
    ],
)
def test_a_wrong_file_is_refused_with_its_place(
    tmp_path: Path, name: str, text: str, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        as_slices(write(tmp_path, name, text))


def test_bytes_that_are_not_utf8_are_refused_with_their_line(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_bytes(b"qid\tkind\nq1\tx\nq2\t\xff\n")
    with pytest.raises(InputError, match=r"a\.tsv:3: not UTF-8"):
        as_slices(path)


def test_a_wrong_mapping_is_refused() -> None:
    with pytest.raises(InputError, match=r"query 'q1': expected a mapping from slice to value"):
        as_slices({"q1": "brand"})
    with pytest.raises(InputError, match="cannot read slices from int"):
        as_slices(3)


def test_slices_are_returned_as_they_are_and_say_what_they_hold() -> None:
    slices = as_slices({"q1": {"kind": "a", "long": True}})
    assert as_slices(slices) is slices
    assert repr(slices) == "Slices(kind, long; 1 queries)"
    assert np.array_equal(slices.groups("long", ["q1"])["True"], [True])


def test_the_files_of_the_sample_data_read(tmp_path: Path) -> None:
    path = write(tmp_path, "x.jsonl", json.dumps({"_id": "q1", "kind": 3}) + "\n")
    assert as_slices(path).frame["value"].to_list() == ["3"]
