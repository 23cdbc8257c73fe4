"""What is wrong with a line: the slow, careful second look at a file that could not be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ndcg.errors import InputError
from ndcg.formats.layouts import is_number, split_fields, wrong_width

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ndcg.formats.layouts import Layout
    from ndcg.formats.sources import Source

_SHOWN = 120


def find_fault(
    source: Source, layout: Layout, block: bytes, first_line: int, reason: str
) -> InputError:
    """Return the error for the first wrong line of a block that starts at `first_line`."""
    skip = layout.header and first_line == 1
    for number, raw in _rows(block, first_line, skip_first=skip):
        fault = _fault(layout, raw)
        if fault:
            shown = raw[:_SHOWN].decode("utf-8", "backslashreplace").strip("\r")
            return InputError(f"{source.name}:{number}: {fault}; the line is {shown!r}")
    return InputError(
        f"{source.name}: lines from {first_line} on cannot be read as {layout.format}"
        f"{': ' + reason if reason else ''}; name the format with --{layout.kind}-format"
    )


def _rows(block: bytes, first_line: int, *, skip_first: bool) -> Iterator[tuple[int, bytes]]:
    """Yield number and bytes of each line that is neither blank, comment nor header."""
    for number, raw in enumerate(block.split(b"\n"), first_line):
        if number == 1:
            raw = raw.removeprefix(b"\xef\xbb\xbf")
        if not raw.strip() or raw.startswith(b"#"):
            continue
        if skip_first:
            skip_first = False
            continue
        yield number, raw


def _fault(layout: Layout, raw: bytes) -> str | None:
    try:
        line = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        bad = raw[error.start : error.end]
        return f"bytes {bad!r} are not UTF-8; convert the file to UTF-8"
    fields = split_fields(line, layout.separator)
    width = len(fields)
    if width < layout.width or (width > layout.width and not layout.takes_more):
        if layout.format == "trec" and not layout.header:
            return wrong_width(layout.kind, width)
        return f"expected {layout.width} columns ({layout.columns}), got {width}"
    for name, place in (("query_id", layout.query), ("doc_id", layout.doc)):
        if not fields[place].strip():
            return f"the {name} is empty"
    return _value_fault(layout, fields)


def _value_fault(layout: Layout, fields: list[str]) -> str | None:
    place = layout.value if layout.value is not None else layout.rank
    if place is None:
        return None
    text = fields[place].strip()
    what = "grade" if layout.kind == "qrels" else ("score" if place == layout.value else "rank")
    if not is_number(text):
        return f"the {what} must be a number, got {text!r}"
    value = float(text)
    if value != value or (layout.kind == "qrels" and value in {float("inf"), float("-inf")}):  # noqa: PLR0124
        return f"the {what} is {text!r}, which is not a number that can be {_use(what)}"
    return None


def _use(what: str) -> str:
    return "a gain" if what == "grade" else "ordered"


def line_numbers(source: Source, layout: Layout, rows: Sequence[int]) -> list[int]:
    """Return the line of each data row (counted from 0), for a message."""
    wanted, found = set(rows), {}
    row, line, header = 0, 1, layout.header
    for block in source.blocks():
        for number, _ in _rows(block, line, skip_first=header):
            if row in wanted:
                found[row] = number
            row += 1
        header = False
        line += block.count(b"\n")
        if len(found) == len(wanted):
            break
    return [found[row] for row in rows]
