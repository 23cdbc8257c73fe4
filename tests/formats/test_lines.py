"""Lines with their numbers, and the columns of a line."""

from __future__ import annotations

import pytest

from ndcg.formats import sources
from ndcg.formats.lines import data_blocks, is_number, numbered, split_fields
from ndcg.formats.sources import Source


@pytest.mark.parametrize(
    ("line", "separator", "fields"),
    [
        ("a b", None, ["a", "b"]),
        (" a\t b \v\f\r", None, ["a", "b"]),
        ("a\u00a0b\u2003c\x1cd", None, ["a\u00a0b\u2003c\x1cd"]),
        ("", None, []),
        ("a\t b \t", "\t", ["a", "b", ""]),
        (' a , "b, ""c""" ,', ",", ["a", 'b, "c"', ""]),
        ('a,\t "b,c" \v,d', ",", ["a", "b,c", "d"]),
        ("", ",", []),
        ("a\rb,c", ",", ["a\rb", "c"]),
        (f"{'x' * 200_000},c", ",", ["x" * 200_000, "c"]),
    ],
)
def test_columns_of_a_line(line: str, separator: str | None, fields: list[str]) -> None:
    assert split_fields(line, separator) == fields


@pytest.mark.parametrize("text", ["1", "-1.5", "+.5e-3", "2.", "inf", "-Infinity", "NaN"])
def test_numbers(text: str) -> None:
    assert is_number(text)


@pytest.mark.parametrize(
    "text", ["", ".", "e5", "1e", "1 ", "0x1", "1_0", "\u0663", "infinite", "--1"]
)
def test_no_numbers(text: str) -> None:
    assert not is_number(text)


def test_lines_keep_their_numbers() -> None:
    block = b"a\n\n#x\n \t\nb"
    assert list(numbered(block, 5)) == [(5, b"a"), (9, b"b")]


@pytest.mark.parametrize("size", [1, 4, 100])
def test_the_header_is_blanked_and_the_mark_removed(
    monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(sources, "BLOCK_BYTES", size)
    source = Source("FILE", content=b"\xef\xbb\xbf# h\n\nh x\nh x\n1 2")
    assert b"".join(data_blocks(source, header=True)) == b"# h\n\n\nh x\n1 2"
    assert b"".join(data_blocks(source, header=False)) == b"# h\n\nh x\nh x\n1 2"


def test_a_file_of_comments_has_no_header() -> None:
    source = Source("FILE", content=b"# a\n# b")
    assert list(data_blocks(source, header=True)) == [b"# a\n# b"]
