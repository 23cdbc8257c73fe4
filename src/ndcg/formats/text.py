"""Reading lines of text at the speed of the disk: blocks in threads, tidied where they need it.

Every block goes one way: blanks are made single where they are not, then Polars parses the block.
Whatever Polars refuses is read again line by line by `faults`, which says what is wrong where.
"""

from __future__ import annotations

from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ndcg.formats.faults import find_fault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ndcg.data import FloatArray, IntArray
    from ndcg.formats.layouts import Layout
    from ndcg.formats.sources import Source

_WORKERS = 3
_SPACE, _TAB, _NEWLINE = 32, 9, 10
_BOM = b"\xef\xbb\xbf"


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
        for i, block in enumerate(source.blocks()):
            pending.append((block, pool.submit(_parse, block, layout, first=i == 0)))
            if len(pending) > _WORKERS:
                take()
        while pending:
            take()
    return parts


def _parse(block: bytes, layout: Layout, *, first: bool) -> Part:
    lines = int(np.count_nonzero(np.frombuffer(block, np.uint8) == _NEWLINE))
    if first:
        block = block.removeprefix(_BOM)
    comments = 0
    if b"#" in block:
        block, comments = _without_comments(block)
    if not block.endswith(b"\n"):
        block += b"\n"
    if first and layout.header:
        block = _without_header(block)
    block, separator, separators, rows = _tidy(block, layout.separator)
    surplus = separators - (layout.width - 1) * rows
    if surplus < 0 or (surplus and not layout.takes_more):
        raise _Refused
    extra = _count_longer(block, layout.width) if surplus else 0
    frame, has_ranks = _read(block, layout, separator)
    if frame.height != rows or any(frame.null_count().row(0)):
        raise _Refused
    return _part(frame, layout, has_ranks=has_ranks, counts=(lines, comments, extra))


def _part(frame: pl.DataFrame, layout: Layout, *, has_ranks: bool, counts: tuple[int, ...]) -> Part:
    runs = frame[f"c{layout.query}"].rle()
    ranks = frame[f"c{layout.rank}"].to_numpy() if has_ranks else None
    if layout.value is not None:
        values = frame[f"c{layout.value}"].to_numpy()
    elif ranks is not None:
        values = -ranks.astype(np.float64)
    else:
        values = np.ones(frame.height)
    unusable = np.isnan(values) if layout.kind == "run" else ~np.isfinite(values)
    if unusable.any():
        raise _Refused
    lengths = runs.struct.field("len").to_numpy().astype(np.int64)
    ids = runs.struct.field("value").alias("query_id")
    return Part(ids, lengths, frame[f"c{layout.doc}"].alias("doc_id"), values, ranks, *counts)


def _read(block: bytes, layout: Layout, separator: str) -> tuple[pl.DataFrame, bool]:
    # The last column is always read: it is null exactly where a line is too short.
    wanted = {layout.query, layout.doc, layout.width - 1}
    schema: dict[str, type[pl.DataType]] = {f"c{i}": pl.String for i in range(layout.width)}
    if layout.value is not None:
        wanted.add(layout.value)
        schema[f"c{layout.value}"] = pl.Float64
    attempts = [True, False] if layout.rank is not None and layout.value is not None else [True]
    for with_ranks in attempts:
        columns = sorted(wanted | ({layout.rank} if with_ranks and layout.rank is not None else set()))
        if with_ranks and layout.rank is not None:
            schema[f"c{layout.rank}"] = pl.Int32
        try:
            frame = pl.read_csv(
                block,
                separator=separator,
                has_header=False,
                quote_char='"' if layout.separator == "," else None,
                columns=columns,
                schema=schema,
                extra_columns="ignore",
            )
        except (pl.exceptions.PolarsError, ValueError) as error:
            # A rank that is no number does no harm: scores decide.
            if with_ranks and len(attempts) > 1:
                schema[f"c{layout.rank}"] = pl.String
                continue
            raise _Refused(str(error).partition("\n")[0]) from None
        return frame, with_ranks and layout.rank is not None
    raise _Refused


def _tidy(block: bytes, separator: str | None) -> tuple[bytes, str, int, int]:
    """Return a block with one separator between columns, and the counts of separators and rows."""
    if separator is not None:
        return _tidy_lines(block, separator)
    data = np.frombuffer(block, np.uint8)
    white = data <= _SPACE
    used = "\t" if b"\t" in block else " "
    regular = not (white[1:] & white[:-1]).any() and not (len(white) and white[0])
    if not regular or (used == "\t" and b" " in block) or b"\r" in block:
        data = _squeeze(data)
        block, used, white = data.tobytes(), " ", data <= _SPACE
    rows = int(np.count_nonzero(data == _NEWLINE))
    return block, used, int(np.count_nonzero(white)) - rows, rows


def _tidy_lines(block: bytes, separator: str) -> tuple[bytes, str, int, int]:
    if b"\r" in block:
        block = block.replace(b"\r\n", b"\n")
    if b"\n\n" in block or block.startswith(b"\n"):
        block = b"".join(line + b"\n" for line in block.split(b"\n") if line.strip())
    rows, separators = block.count(b"\n"), block.count(separator.encode())
    if separator == "," and b'"' in block:
        # Quoted fields may hold separators; the parser itself counts the columns then.
        width = block[: block.index(b"\n")].count(b",")
        return block, separator, max(separators, width * rows), rows
    return block, separator, separators, rows


def _squeeze(data: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Drop blanks at the ends of lines, blank lines and all but one blank between columns."""
    newline = data == _NEWLINE
    white = newline | (data == _SPACE) | ((data >= _TAB) & (data <= 13))  # noqa: PLR2004
    after_white = np.concatenate((np.ones(1, np.bool_), white[:-1]))
    data = data[~(white & ~newline & after_white)]
    newline = data == _NEWLINE
    blank = (data == _SPACE) | (((data >= _TAB) & (data <= 13)) & ~newline)  # noqa: PLR2004
    before_newline = np.concatenate((newline[1:], np.ones(1, np.bool_)))
    data = np.where(blank, np.uint8(_SPACE), data)[~(blank & before_newline)]
    newline = data == _NEWLINE
    after_newline = np.concatenate((np.ones(1, np.bool_), newline[:-1]))
    return data[~(newline & after_newline)]


def _without_comments(block: bytes) -> tuple[bytes, int]:
    if not (block.startswith(b"#") or b"\n#" in block):
        return block, 0
    lines = block.split(b"\n")
    kept = [line for line in lines if not line.startswith(b"#")]
    return b"\n".join(kept), len(lines) - len(kept)


def _without_header(block: bytes) -> bytes:
    rest = block.lstrip(b" \t\r\n")
    return rest[rest.index(b"\n") + 1 :]


def _count_longer(block: bytes, width: int) -> int:
    return sum(len(line.split()) > width for line in block.split(b"\n"))


def parts_of(frame: pl.DataFrame) -> Iterator[Part]:
    """Yield the rows of a frame with columns query_id, doc_id, value and perhaps rank as a part."""
    runs = frame["query_id"].rle()
    yield Part(
        runs.struct.field("value").alias("query_id"),
        runs.struct.field("len").to_numpy().astype(np.int64),
        frame["doc_id"],
        frame["value"].to_numpy(),
        frame["rank"].to_numpy() if "rank" in frame.columns else None,
    )
