"""BEIR folders: ``qrels/test.tsv``, ``queries.jsonl``, ``corpus.jsonl``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from ndcg.data import as_id
from ndcg.errors import InputError
from ndcg.formats.lines import BOM
from ndcg.formats.sources import open_source

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

_ID_KEYS = ("_id", "id", "query_id", "doc_id")


def find_qrels(path: str | Path) -> Path | None:
    """Return the judgments of a BEIR folder or its ``qrels``, None when the path is neither."""
    place = Path(path)
    folder = place if place.name == "qrels" and any(place.glob("*.tsv")) else place / "qrels"
    if not folder.is_dir():
        return None
    files = sorted(folder.glob("*.tsv"))
    test = folder / "test.tsv"
    if test in files:
        return test
    if len(files) == 1:
        return files[0]
    found = ", ".join(file.name for file in files) or "no .tsv file"
    raise InputError(f"{folder}: expected test.tsv, found {found}; name the file itself")


def find_texts(path: str | Path, member: str) -> Path | None:
    """Return ``queries.jsonl`` or ``corpus.jsonl`` of the BEIR folder at or above a qrels path."""
    for folder in (Path(path), Path(path).parent.parent):
        if (folder / "qrels").is_dir():
            for name in (member, f"{member}.gz"):
                if (folder / name).is_file():
                    return folder / name
    return None


def read_texts(path: str | Path, wanted: Container[str] | None = None) -> dict[str, str]:
    """Return ``{id: text}`` of queries or documents from JSON lines or ``id TAB text`` lines.

    With `wanted` only these are kept, so that a few documents of a large corpus take little memory.
    """
    return {key: text for _, key, text in each_text(path) if wanted is None or key in wanted}


def each_text(path: str | Path) -> Iterator[tuple[str, str, str]]:
    """Yield where each text stands, its id and itself."""
    source = open_source(path)
    number = 0
    for block in source.blocks():
        for raw in block.removesuffix(b"\n").split(b"\n"):
            number += 1
            where = f"{source.name}:{number}"
            line = raw.removeprefix(BOM) if number == 1 else raw
            if line.strip():
                yield (where, *_one(_decoded(line, where), where))


def _decoded(line: bytes, where: str) -> str:
    try:
        return line.decode("utf-8").removesuffix("\r")
    except UnicodeDecodeError:
        raise InputError(f"{where}: not UTF-8; convert the file to UTF-8") from None


def _one(line: str, where: str) -> tuple[str, str]:
    if not line.startswith("{"):
        key, tab, text = line.partition("\t")
        if not tab:
            raise InputError(f"{where}: expected id TAB text, got {line[:80]!r}")
        return key, text
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where}: not valid JSON ({error})") from None
    found = next((row[name] for name in _ID_KEYS if name in row), None)
    if found is None:
        raise InputError(f"{where}: expected one of the keys {', '.join(_ID_KEYS)}")
    title, text = str(row.get("title") or ""), str(row.get("text") or "")
    return as_id(found, f"{where}: id"), f"{title}. {text}" if title and text else title or text
