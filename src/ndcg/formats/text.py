"""Reading lines of text at the speed of the disk: blocks in threads, tidied where they need it.

A block whose columns are parted by single separators is parsed by Polars as it lies. Any other is
tidied and parsed again, and what cannot be parsed then is read a third time, line by line, by
`faults`, which says what is wrong where. All three ways agree.
"""

from __future__ import annotations

import re
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from ndcg.formats.faults import find_fault
from ndcg.formats.lines import BOM, NUMBER, data_blocks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ndcg.data import FloatArray, IntArray
    from ndcg.formats.layouts import Layout
    from ndcg.formats.sources import Source

    ByteArray = NDArray[np.uint8]

_WORKERS = 3
_STRETCH = 1 << 18
_TAB, _NEWLINE, _RETURN, _SPACE, _QUOTE = b'\t\n\r "'

_BARE_RETURN = re.compile(rb"\r(?![\r\n])")
_BLANKS = {",": b" \t\v\f", "\t": b" \v\f"}
_BESIDE = {
    ",": re.compile(rb"\A[ \t\v\f]|[ \t\v\f][,\n]|[,\n][ \t\v\f]"),
    "\t": re.compile(rb"\A[ \v\f]|[ \v\f][\t\n]|[\t\n][ \v\f]"),
}
_AROUND = {
    ",": re.compile(rb'("(?:[^"\n]|"")*+")|[ \t\v\f\r]*+(,|\n)[ \t\v\f\r]*+'),
    "\t": re.compile(rb"()[ \v\f\r]*+([\t\n])[ \v\f\r]*+"),
}
_QUOTED = re.compile(rb'(?:(?:"(?:[^"\n]|"")*+"|[^",\n]*+)[,\n])*+')

# A number where the tag of a TREC run belongs, and more behind it: an id with a blank in it.
_SHIFTED = re.compile(
    rb"^(?:[^ \n]+ ){5}(?:" + NUMBER.pattern.encode() + rb") ", re.MULTILINE | re.IGNORECASE
)


@dataclass(frozen=True, eq=False)
class Part:
    """The rows of one block; query ids run-length encoded."""

    query_ids: pl.Series
    lengths: IntArray
    doc_ids: pl.Series
    values: FloatArray
    ranks: NDArray[np.int32] | None
    lines: int = 0
    comments: int = 0
    extra: int = 0
    unrated: int = 0


@dataclass(frozen=True)
class _Tidied:
    """A block with one separator between columns; `checked` when every line has all of them."""

    block: bytes
    separator: str
    rows: int
    extra: int = 0
    checked: bool = False


class _Refused(Exception):  # noqa: N818 - a signal between threads, never seen outside
    """Polars could not parse a block, or a value in it cannot stand."""


def read_text(source: Source, layout: Layout) -> list[Part]:
    """Read a text file as parts in order; the first line that is wrong is an `InputError`."""
    parts: list[Part] = []
    pending: deque[tuple[bytes, Future[Part]]] = deque()
    line = 1

    def take() -> None:
        nonlocal line
        block, future = pending.popleft()
        try:
            part = future.result()
        except _Refused as refusal:
            raise find_fault(source, layout, block, line, str(refusal)) from None
        parts.append(part)
        line += part.lines

    with ThreadPoolExecutor(_WORKERS) as pool:
        for block in data_blocks(source, header=layout.header):
            pending.append((block, pool.submit(_parse, block, layout)))
            if len(pending) > _WORKERS:
                take()
        while pending:
            take()
    return parts


def _parse(block: bytes, layout: Layout) -> Part:
    whole, comments = block, 0
    if b"#" in block:
        block, comments = _without_comments(block)
    if not block.endswith(b"\n"):
        block += b"\n"
    if b"\r" in block:
        block = block.replace(b"\r\n", b"\n")
        if b"\r" in block and _BARE_RETURN.search(block):
            raise _Refused
    if b"\0" in block or _has_inner_bom(block):
        raise _Refused
    tidied = _regular(block, layout)
    if tidied is not None:
        try:
            return _read(tidied, layout, lines=tidied.rows + comments, comments=comments)
        except _Refused:
            pass
    tidied = _tidy(block, layout)
    return _read(tidied, layout, lines=whole.count(b"\n"), comments=comments)


def _without_comments(block: bytes) -> tuple[bytes, int]:
    if not (block.startswith(b"#") or b"\n#" in block):
        return block, 0
    lines = block.split(b"\n")
    kept = [line for line in lines if not line.startswith(b"#")]
    return b"\n".join(kept), len(lines) - len(kept)


def _has_inner_bom(block: bytes) -> bool:
    # The first byte of the mark is rare, and looking for one byte takes next to no time.
    return BOM[:1] in block and (block.startswith(BOM) or b"\n" + BOM in block)


def _regular(block: bytes, layout: Layout) -> _Tidied | None:
    """Return a block as it lies if every line has its columns parted by single separators."""
    if layout.separator is None:
        separator = "\t" if b"\t" in block else " "
        if separator == "\t" and b" " in block:
            return None
    else:
        separator = layout.separator
        if b'"' in block and separator == ",":
            return None
        if any(blank in block for blank in _BLANKS[separator]) and _BESIDE[separator].search(block):
            return None
    rows, between = _count_marks(block, None if layout.separator is None else ord(separator))
    # One separator or line end a column; a control character within an id also counts as one.
    return _Tidied(block, separator, rows) if rows and between == rows * layout.width else None


def _count_marks(block: bytes, separator: int | None) -> tuple[int, int]:
    """Return the line ends, and all separators with them; (0, 0) where two blanks touch."""
    data = np.frombuffer(block, np.uint8)
    if separator is None and data[0] <= _SPACE:
        return 0, 0
    rows = between = 0
    # In stretches that stay in the processor's cache, several times faster than all at once.
    for start in range(0, len(data), _STRETCH):
        part = data[start : start + _STRETCH + 1]
        ends = part == _NEWLINE
        marks = part <= _SPACE if separator is None else ends | (part == separator)
        if separator is None and (marks[1:] & marks[:-1]).any():
            return 0, 0
        rows += int(np.count_nonzero(ends[:_STRETCH]))
        between += int(np.count_nonzero(marks[:_STRETCH]))
    return rows, between


def _tidy(block: bytes, layout: Layout) -> _Tidied:
    """Return a block without needless blanks and empty lines, the columns of each line counted."""
    if layout.separator is None:
        separator, data = " ", _squeeze(np.frombuffer(block, np.uint8))
        block = data.tobytes()
    else:
        separator = layout.separator
        lines = [line for line in block.split(b"\n") if line.strip()]
        block = _AROUND[separator].sub(rb"\1\2", b"\n".join([*lines, b""]))
        block = block.lstrip(_BLANKS[separator])
        data = np.frombuffer(block, np.uint8)
    marks = data == ord(separator)
    if separator == "," and b'"' in block:
        if not _QUOTED.fullmatch(block):
            raise _Refused
        marks &= np.cumsum(data == _QUOTE) % 2 == 0
    ends = np.flatnonzero(data == _NEWLINE)
    columns = 1 + np.diff(np.searchsorted(np.flatnonzero(marks), ends), prepend=0)
    longer = int(np.count_nonzero(columns > layout.width))
    if (columns < layout.width).any() or (longer and not layout.takes_more):
        raise _Refused
    if longer and _SHIFTED.search(block):
        raise _Refused
    return _Tidied(block, separator, len(ends), longer, checked=True)


def _squeeze(data: ByteArray) -> ByteArray:
    """Drop blanks at the ends of lines, blank lines and all but one blank between columns."""
    white = (data == _SPACE) | ((data >= _TAB) & (data <= _RETURN))
    after_white = np.concatenate((np.ones(1, np.bool_), white[:-1]))
    data = data[~(white & (data != _NEWLINE) & after_white)]
    newline = data == _NEWLINE
    blank = (data == _SPACE) | ((data >= _TAB) & (data <= _RETURN) & ~newline)
    before_newline = np.concatenate((newline[1:], np.ones(1, np.bool_)))
    data = np.where(blank, np.uint8(_SPACE), data)[~(blank & before_newline)]
    newline = data == _NEWLINE
    after_newline = np.concatenate((np.ones(1, np.bool_), newline[:-1]))
    kept: ByteArray = data[~(newline & after_newline)]
    return kept


def _read(tidied: _Tidied, layout: Layout, *, lines: int, comments: int) -> Part:
    if not tidied.rows:
        nothing = pl.Series([], dtype=pl.String)
        return Part(nothing, np.zeros(0, np.int64), nothing, np.zeros(0), None, lines, comments)
    frame, ranks = _frame_and_ranks(tidied, layout)
    if frame.height != tidied.rows:
        raise _Refused
    for place in layout.needed if tidied.checked else {*layout.needed, layout.width - 1}:
        if frame[f"c{place}"].null_count():
            raise _Refused
    # A quoted nothing is no null but an empty text.
    if tidied.separator == "," and any(
        (frame[f"c{place}"] == "").any() for place in (layout.query, layout.doc)
    ):
        raise _Refused
    if layout.value is not None:
        values = frame[f"c{layout.value}"].to_numpy()
    elif ranks is not None:
        values = -ranks.astype(np.float64)
    else:
        values = np.ones(frame.height)
    unusable = np.isnan(values) if layout.kind == "run" else ~np.isfinite(values)
    if unusable.any():
        raise _Refused
    runs = frame[f"c{layout.query}"].rle().struct
    return Part(
        query_ids=runs.field("value").alias("query_id"),
        lengths=runs.field("len").to_numpy().astype(np.int64),
        doc_ids=frame[f"c{layout.doc}"].alias("doc_id"),
        values=values,
        ranks=ranks,
        lines=lines,
        comments=comments,
        extra=tidied.extra,
    )


def _frame_and_ranks(
    tidied: _Tidied, layout: Layout
) -> tuple[pl.DataFrame, NDArray[np.int32] | None]:
    if layout.rank is None:
        return _parse_columns(tidied, layout, ranked=False), None
    try:
        frame = _parse_columns(tidied, layout, ranked=True)
    except _Refused:
        if layout.rank in layout.needed:
            raise
    else:
        if not frame[f"c{layout.rank}"].null_count():
            return frame, frame[f"c{layout.rank}"].to_numpy()
    # A rank that is no number does no harm where scores decide.
    return _parse_columns(tidied, layout, ranked=False), None


def _parse_columns(tidied: _Tidied, layout: Layout, *, ranked: bool) -> pl.DataFrame:
    # The last column is always read: it is null exactly where a line is too short.
    wanted = {*layout.needed, layout.width - 1}
    schema: dict[str, type[pl.DataType]] = {f"c{i}": pl.String for i in range(layout.width)}
    if layout.value is not None:
        schema[f"c{layout.value}"] = pl.Float64
    if ranked and layout.rank is not None:
        wanted.add(layout.rank)
        schema[f"c{layout.rank}"] = pl.Int32
    try:
        return pl.read_csv(
            tidied.block,
            separator=tidied.separator,
            has_header=False,
            quote_char='"' if tidied.separator == "," else None,
            columns=sorted(wanted),
            schema=schema,
            extra_columns="ignore",
        )
    except (pl.exceptions.PolarsError, ValueError) as error:
        raise _Refused(str(error).partition("\n")[0]) from None


def parts_of(frame: pl.DataFrame, *, unrated: int = 0) -> list[Part]:
    """Return a frame with columns query_id, doc_id, value and perhaps rank as a part."""
    runs = frame["query_id"].rle().struct
    part = Part(
        runs.field("value").alias("query_id"),
        runs.field("len").to_numpy().astype(np.int64),
        frame["doc_id"],
        frame["value"].to_numpy(),
        frame["rank"].to_numpy() if "rank" in frame.columns else None,
        unrated=unrated,
    )
    return [part]
