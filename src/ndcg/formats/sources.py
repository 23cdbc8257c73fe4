"""Where bytes come from: a file, parts of one, or standard input, compressed or not."""

from __future__ import annotations

import glob
import io
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, cast

from ndcg.errors import InputError

HEAD_BYTES = 1 << 16
BLOCK_BYTES = 8 << 20

_COMPRESSED = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
}
_REFUSED = {
    b"PK\x03\x04": "a zip archive",
    b"\x04\x22\x4d\x18": "an lz4 file",
    b"ORC": "an ORC file",
    b"\xff\xfe": "UTF-16 text",
    b"\xfe\xff": "UTF-16 text",
}
_SUFFIXES = {".gz", ".bz2", ".xz", ".zst", ".zstd"}


@dataclass
class Source:
    """Bytes with a name to put before a line number; every `open` starts afresh."""

    name: str
    path: Path | None = None
    content: bytes | None = field(default=None, repr=False)

    def open_raw(self) -> BinaryIO:
        """Open the bytes as they lie there."""
        if self.content is not None:
            return io.BytesIO(self.content)
        if self.path is None:
            self.content = sys.stdin.buffer.read()
            return io.BytesIO(self.content)
        try:
            return self.path.open("rb")
        except OSError as error:
            raise InputError(f"{self.name}: {_reason(error)}") from None

    def open(self) -> BinaryIO:
        """Open the bytes decompressed."""
        raw = self.open_raw()
        magic = raw.read(6)
        raw.seek(0)
        kind = next((k for start, k in _COMPRESSED.items() if magic.startswith(start)), None)
        return raw if kind is None else _decompress(raw, kind)

    def head(self) -> bytes:
        """Return the first bytes, decompressed."""
        with self.open() as stream:
            return self.read(stream, HEAD_BYTES)

    def read(self, stream: BinaryIO, size: int = -1) -> bytes:
        """Read from a stream of this source; a damaged archive is an `InputError`."""
        return self._guard(stream.read, size)

    def read_line(self, stream: BinaryIO) -> bytes:
        """Read the rest of a line; a damaged archive is an `InputError`."""
        return self._guard(stream.readline, -1)

    def _guard(self, read: Callable[[int], bytes], size: int) -> bytes:
        # Each library has its own error for a broken archive, and zstd's is no OSError.
        try:
            return read(size)
        except (EOFError, ValueError, OSError, ArithmeticError) as error:
            raise InputError(_damaged(self.name, error)) from None
        except Exception as error:
            if type(error).__name__ in {"ZstdError", "LZMAError", "error"}:
                raise InputError(_damaged(self.name, error)) from None
            raise

    def blocks(self) -> Iterator[bytes]:
        """Yield the content in blocks of whole lines; the last may lack its line end."""
        with self.open() as stream:
            while block := self.read(stream, BLOCK_BYTES):
                if not block.endswith(b"\n"):
                    block += self.read_line(stream)
                yield block

    def everything(self) -> bytes:
        """Return the whole content, decompressed."""
        with self.open() as stream:
            return self.read(stream)


def _damaged(name: str, error: Exception) -> str:
    what = "ends before its archive does" if isinstance(error, EOFError) else "is damaged"
    return f"{name}: the compressed file {what} ({error}); copy or compress it again"


def _decompress(raw: BinaryIO, kind: str) -> BinaryIO:
    if kind == "gzip":
        import gzip

        return cast("BinaryIO", gzip.GzipFile(fileobj=raw))
    if kind == "bzip2":
        import bz2

        return cast("BinaryIO", bz2.BZ2File(raw))
    if kind == "xz":
        import lzma

        return cast("BinaryIO", lzma.LZMAFile(raw))
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd

    return cast("BinaryIO", zstd.ZstdFile(raw))


def _reason(error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return "no such file"
    if isinstance(error, IsADirectoryError):
        return "is a folder, expected a file"
    return (error.strerror or str(error)).lower()


def open_source(path: str | Path) -> Source:
    """Return the source of one path; ``-`` is standard input."""
    if str(path) == "-":
        return Source("standard input")
    return Source(str(path), Path(path))


def refuse_binary(source: Source, head: bytes) -> None:
    """Raise `InputError` when the head of a file cannot be text in UTF-8."""
    for magic, what in _REFUSED.items():
        if head.startswith(magic):
            raise InputError(f"{source.name}: this is {what}; unpack or convert it to UTF-8 text")
    if b"\0" in head:
        raise InputError(
            f"{source.name}: binary data (a zero byte at {head.index(bytes(1))}), expected text, "
            "Parquet or Arrow IPC"
        )


def expand(path: str | Path) -> list[Path]:
    """Return the files behind a path: itself, the parts of a folder, or what a pattern matches."""
    text = str(path)
    place = Path(path)
    if place.is_dir():
        parts = sorted(
            part for part in place.iterdir() if part.is_file() and part.name[0] not in "._"
        )
        if not parts:
            raise InputError(f"{text}: the folder has no files")
        return parts
    if any(mark in text for mark in "*?[") and not place.exists():
        parts = sorted(Path(match) for match in glob.glob(text))  # noqa: PTH207
        if not parts:
            raise InputError(f"{text}: no file matches this pattern")
        return parts
    return [place]


def stem(path: str | Path) -> str:
    """Return the name of a run from its path: ``runs/bm25.run.gz`` is ``bm25``."""
    name = Path(path).name
    while Path(name).suffix in _SUFFIXES:
        name = Path(name).stem
    return Path(name).stem if Path(name).suffix.lower() in _ENDINGS else name


_ENDINGS = {
    ".run", ".txt", ".tsv", ".csv", ".trec", ".json", ".jsonl", ".parquet", ".arrow", ".feather",
    ".ipc", ".res", ".results", ".ndjson",
}  # fmt: skip
