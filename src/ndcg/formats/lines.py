"""Lines of text with their numbers, and the columns of a line."""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ndcg.formats.sources import Source

BOM = b"\xef\xbb\xbf"

# Only these part columns; str.split() would also cut at a no-break space inside an id.
_BLANKS = " \t\v\f\r"
NUMBER = re.compile(
    r"[+-]?(([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?|inf|infinity|nan)", re.IGNORECASE
)


def data_blocks(source: Source, *, header: bool) -> Iterator[bytes]:
    """Yield a file in blocks of whole lines, its byte order mark gone and its header blank.

    The header is the first line that is neither blank nor a comment; blanking it keeps the count
    of lines.
    """
    first = True
    for raw in source.blocks():
        block = raw.removeprefix(BOM) if first else raw
        first = False
        if header:
            block, found = _blank_first(block)
            header = not found
        yield block


def _blank_first(block: bytes) -> tuple[bytes, bool]:
    start = 0
    while start < len(block):
        end = block.find(b"\n", start)
        end = len(block) if end < 0 else end
        if _is_data(block[start:end]):
            return block[:start] + block[end:], True
        start = end + 1
    return block, False


def _is_data(line: bytes) -> bool:
    return bool(line.strip()) and not line.startswith(b"#")


def numbered(block: bytes, first_line: int) -> Iterator[tuple[int, bytes]]:
    """Yield number and bytes of each line that is neither blank nor a comment."""
    for number, line in enumerate(block.split(b"\n"), first_line):
        if _is_data(line):
            yield number, line


def split_fields(line: str, separator: str | None) -> list[str]:
    r"""Return the columns of a line; without a separator any ASCII blanks part them.

    >>> split_fields("q1\u00a0x  Q0", None)
    ['q1\xa0x', 'Q0']
    """
    if separator == ",":
        fields = _csv_fields(line)
    elif separator is not None:
        fields = line.rstrip("\r").split(separator)
    else:
        return [field for field in re.split(f"[{_BLANKS}]", line) if field]
    return [field.strip(_BLANKS) for field in fields]


def _csv_fields(line: str) -> list[str]:
    # The module skips spaces before a quote, and no other blank.
    plain = re.sub("[\t\v\f]", " ", line.strip(_BLANKS))
    try:
        return next(csv.reader([plain], skipinitialspace=True), [])
    except csv.Error:
        return line.split(",")


def is_number(text: str) -> bool:
    """Whether a text is a decimal number, an infinity or NaN."""
    return NUMBER.fullmatch(text) is not None
