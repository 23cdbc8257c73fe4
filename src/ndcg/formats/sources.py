"""Where bytes come from: a file, parts of one, or standard input, compressed or not."""

from __future__ import annotations

import glob
import io
import re
import sys
from dataclasses import dataclass, field
from os import fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from ndcg.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from os import PathLike

HEAD_BYTES = 1 << 16
BLOCK_BYTES = 8 << 20
_SHOWN = 80

_COMPRESSED = {
    "gzip": re.compile(rb"\x1f\x8b"),
    "bzip2": re.compile(rb"BZh[1-9](1AY&SY|\x17rE8P\x90)"),
    "xz": re.compile(rb"\xfd7zXZ\0"),
    "zstd": re.compile(rb"\x28\xb5\x2f\xfd"),
}
_LONGEST_MAGIC = 10
_REFUSED = {
    b"PK\x03\x04": "a zip archive",
    b"\x04\x22\x4d\x18": "an lz4 file",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive",
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
            stream = self.path.open("rb")
        except OSError as error:
            raise InputError(f"{self.name}: {_reason(error)}") from None
        if stream.seekable():
            return stream
        # A pipe, such as the shell's <(command), can be read only once.
        with stream:
            self.content = stream.read()
        return io.BytesIO(self.content)

    def open(self) -> BinaryIO:
        """Open the bytes decompressed."""
        raw = self.open_raw()
        magic = self.read(raw, _LONGEST_MAGIC)
        kind = next((kind for kind, form in _COMPRESSED.items() if form.match(magic)), None)
        if kind is None:
            raw.seek(0)
            return raw
        raw.close()
        return _decompress(self.path if self.content is None else io.BytesIO(self.content), kind)

    def head(self, size: int = HEAD_BYTES) -> bytes:
        """Return the first bytes, decompressed."""
        with self.open() as stream:
            return self.read(stream, size)

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


def _decompress(file: Path | BinaryIO | None, kind: str) -> BinaryIO:
    module: Any
    if kind == "gzip":
        import gzip as module
    elif kind == "bzip2":
        import bz2 as module
    elif kind == "xz":
        import lzma as module
    elif sys.version_info >= (3, 14):
        from compression import zstd as module
    else:
        from backports import zstd as module
    return cast("BinaryIO", module.open(file))


def _reason(error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return "no such file"
    if isinstance(error, IsADirectoryError):
        return "is a folder, expected a file"
    return f"cannot be read ({(error.strerror or str(error)).lower()})"


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
    if head[257:262] == b"ustar":
        raise InputError(f"{source.name}: this is a tar archive; unpack it and name the files")
    half = len(head) // 2
    if half and half in {head[::2].count(0), head[1::2].count(0)}:
        raise InputError(f"{source.name}: this is UTF-16 text; convert it to UTF-8 text")
    if b"\0" in head:
        raise InputError(
            f"{source.name}: binary data (a zero byte at byte {head.index(bytes(1))}), expected "
            "UTF-8 text, Parquet or Arrow IPC"
        )


def checked_path(path: str | PathLike[str]) -> str:
    """Return a path as text; what cannot be one, such as the content itself, is an `InputError`."""
    text = fspath(path)
    if not text:
        raise InputError("the path is empty, expected the name of a file or a folder")
    if "\n" in text or "\0" in text:
        raise InputError(
            f"{text[:_SHOWN]!r}... is no path: it has a line end or a zero byte in it; to "
            "evaluate text, write it to a file or give a mapping"
        )
    if re.match(r"[a-z][a-z0-9+]+://", text):
        raise InputError(f"{text}: is an address, expected a file; download it first")
    try:
        Path(text).exists()
    except OSError as error:
        raise InputError(f"{text[:_SHOWN]}: {_reason(error)}") from None
    return text


def expand(path: str | Path) -> list[Path]:
    """Return the files behind a path: itself, the parts of a folder, or what a pattern matches."""
    text = str(path)
    place = Path(path)
    if place.is_dir():
        parts = sorted(
            part for part in place.iterdir() if part.is_file() and part.name[0] not in "._"
        )
        if not parts:
            raise InputError(
                f"{text}: the folder has no files (names that begin with . or _ do not count)"
            )
        return parts
    if any(mark in text for mark in "*?[") and not place.exists():
        parts = sorted(Path(match) for match in glob.glob(text))  # noqa: PTH207
        if not parts:
            raise InputError(f"{text}: no file matches this pattern")
        return parts
    return [place]


def stem(path: str | PathLike[str]) -> str:
    """Return the name of a run from its path: ``runs/bm25.run.gz`` is ``bm25``."""
    name = Path(path).name
    while Path(name).suffix in _SUFFIXES:
        name = Path(name).stem
    return Path(name).stem if Path(name).suffix.lower() in _ENDINGS else name


_ENDINGS = {
    ".run", ".txt", ".tsv", ".csv", ".trec", ".json", ".jsonl", ".parquet", ".arrow", ".feather",
    ".ipc", ".res", ".results", ".ndjson",
}  # fmt: skip
