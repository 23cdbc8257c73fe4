"""What is wrong with a line: the slow, careful second look at a file that could not be read."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from ndcg.errors import InputError
from ndcg.formats.layouts import header_hint, wrong_width
from ndcg.formats.lines import BOM, data_blocks, is_number, numbered, split_fields

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ndcg.formats.layouts import Layout
    from ndcg.formats.sources import Source

_SHOWN = 120
_QUOTED_COLUMN = re.compile(r'\s*("([^"]|"")*"|[^",]*)\s*')
_HIGHEST_RANK = 2**31 - 1


def find_fault(
    source: Source, layout: Layout, block: bytes, first_line: int, reason: str
) -> InputError:
    """Return the error for the first wrong line of a block that starts at `first_line`."""
    for place, (number, raw) in enumerate(numbered(block, first_line)):
        fault = _fault(layout, raw)
        if fault:
            if first_line == 1 and place == 0 and not layout.header:
                line = raw.decode("utf-8", "replace")
                fault += header_hint(layout.kind, split_fields(line, layout.separator))
            shown = raw[:_SHOWN].decode("utf-8", "backslashreplace").strip("\r")
            more = "..." if len(raw) > _SHOWN else ""
            return InputError(f"{source.name}:{number}: {fault}; the line is {shown + more!r}")
    return InputError(
        f"{source.name}: lines from {first_line} on cannot be read as {layout.format}"
        f"{': ' + reason if reason else ''}; name the format with --{layout.kind}-format"
    )


def _fault(layout: Layout, raw: bytes) -> str | None:
    if b"\0" in raw:
        return "a zero byte: this is binary data, or the file is damaged"
    if raw.startswith(BOM):
        return (
            "a byte order mark in the middle of the file, as joining files leaves it; "
            "join them without their marks"
        )
    if b"\r" in raw.rstrip(b"\r"):
        return (
            "a carriage return within the line: lines must end in a line feed, alone or after a "
            "carriage return; convert the line ends"
        )
    try:
        line = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        bad = raw[error.start : error.end]
        return f"bytes {bad!r} are not UTF-8; convert the file to UTF-8"
    return _column_fault(layout, line.rstrip("\r"))


def _column_fault(layout: Layout, line: str) -> str | None:
    fields = split_fields(line, layout.separator)
    width = len(fields)
    if width < layout.width or (width > layout.width and not layout.takes_more):
        if layout.format == "trec" and not layout.header:
            return wrong_width(layout.kind, width)
        return f"expected {layout.width} columns ({layout.columns}), got {width}"
    if width > layout.width and is_number(fields[layout.width - 1]):
        return (
            f"got {width} columns, and column {layout.width} is the number "
            f"{fields[layout.width - 1]} where the tag should be: ids in a run have no blanks; is "
            "there one in this doc_id?"
        )
    if layout.separator == "," and not _is_well_quoted(line, width):
        return (
            'a quote within a column, or a quoted column that does not end in its line; write " '
            'as "" inside a quoted column'
        )
    for name, place in (("query_id", layout.query), ("doc_id", layout.doc)):
        if not fields[place]:
            return f"the {name} is empty"
    return _value_fault(layout, fields)


def _is_well_quoted(line: str, width: int) -> bool:
    column = _QUOTED_COLUMN.pattern
    return re.fullmatch(rf"({column},){{{width - 1}}}{column}", line) is not None


def _value_fault(layout: Layout, fields: list[str]) -> str | None:
    if layout.value is None:
        return None if layout.rank is None else _rank_fault(fields[layout.rank])
    text = fields[layout.value]
    what = "grade" if layout.kind == "qrels" else "score"
    if not is_number(text):
        return f"the {what} must be a number, got {text!r}"
    value = float(text)
    if layout.kind == "qrels" and not math.isfinite(value):
        return f"the grade is {text!r}, which is no finite number"
    if math.isnan(value):
        return f"the score is {text!r}, which has no place in an order"
    return None


def _rank_fault(text: str) -> str | None:
    if not re.fullmatch(r"[+-]?[0-9]+", text) or abs(int(text)) > _HIGHEST_RANK:
        return f"the rank must be an integer, got {text!r}"
    return None


def line_numbers(source: Source, layout: Layout, rows: Sequence[int]) -> list[int]:
    """Return the line of each data row (counted from 0), for a message."""
    wanted, found = set(rows), {}
    row, line = 0, 1
    for block in data_blocks(source, header=layout.header):
        for number, _ in numbered(block, line):
            if row in wanted:
                found[row] = number
            row += 1
        line += block.count(b"\n")
        if len(found) == len(wanted):
            break
    return [found[row] for row in rows]
