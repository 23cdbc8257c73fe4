"""The file that makes asking resumable: a heading, then an answer a line, as they come."""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import ExitStack
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Self

from ndcg.errors import InputError, OptionError
from ndcg.retrieval.answers import Answer

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ndcg.retrieval.answers import Fields
    from ndcg.retrieval.callables import Retriever

_SCHEMA = 1


class Journal:
    """Answers kept in a file; those of the same question to the same retriever need no asking.

    Parameters
    ----------
    path
        The file, begun when it is not there.
    heading
        What decides the answers; a journal with another heading is refused.
    """

    def __init__(self, path: Path, heading: Mapping[str, Any]) -> None:
        self.path = path
        self.answers: dict[tuple[str, str], Answer] = {}
        self.begun = datetime.now(UTC).isoformat(timespec="seconds")
        try:
            self._stream = path.open("a+b")
        except OSError as error:
            raise OptionError(f"{path}: {(error.strerror or str(error)).lower()}") from None
        with ExitStack() as unread:
            unread.callback(self._stream.close)
            self._lock()
            self._read(heading)
            unread.pop_all()

    def _lock(self) -> None:
        try:
            import fcntl
        except ModuleNotFoundError:  # Windows has no such lock
            return
        try:
            fcntl.flock(self._stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise OptionError(
                f"{self.path}: another process writes to it; wait for it, or name another file"
            ) from None

    def _read(self, heading: Mapping[str, Any]) -> None:
        self._stream.seek(0)
        lines = self._stream.read().split(b"\n")
        # What follows the last line end is a line that an interruption cut.
        whole = sum(len(line) + 1 for line in lines[:-1])
        self._stream.truncate(whole)
        if whole == 0:
            self._write({"ndcg": "answers", "schema": _SCHEMA, "begun": self.begun, **heading})
            return
        self._check(self._row(lines[0], 1), heading)
        for number, line in enumerate(lines[1:-1], 2):
            row = self._row(line, number)
            try:
                scores = None if row["scores"] is None else tuple(map(float, row["scores"]))
                answer = Answer(tuple(row["doc_ids"]), scores)
                self.answers[row["query_id"], row["text"]] = answer
            except (KeyError, TypeError, ValueError):
                raise self._damaged(number) from None

    def _row(self, line: bytes, number: int) -> dict[str, Any]:
        try:
            row = json.loads(line)
        except ValueError:
            raise self._damaged(number) from None
        if not isinstance(row, dict):
            raise self._damaged(number)
        return row

    def _damaged(self, number: int) -> InputError:
        return InputError(
            f"{self.path}:{number}: no line of a journal of ndcg collect; name another file, or "
            "remove it to begin anew"
        )

    def _check(self, found: Mapping[str, Any], heading: Mapping[str, Any]) -> None:
        if found.get("ndcg") != "answers" or found.get("schema") != _SCHEMA:
            raise self._damaged(1)
        self.begun = str(found.get("begun"))
        other = [name for name in heading if found.get(name) != heading[name]]
        if other:
            before = ", ".join(f"{name} {found.get(name)!r}" for name in other)
            now = ", ".join(f"{name} {heading[name]!r}" for name in other)
            raise InputError(
                f"{self.path}: begun with {before}, now it is {now}; go on as before, name another "
                "file, or remove it to begin anew"
            )

    def add(self, query_id: str, text: str, answer: Answer) -> None:
        """Keep an answer, on disk before this returns."""
        self._write(
            {
                "query_id": query_id,
                "text": text,
                "doc_ids": answer.doc_ids,
                "scores": answer.scores,
            }
        )

    def _write(self, row: Mapping[str, Any]) -> None:
        self._stream.write(f"{json.dumps(row, ensure_ascii=False)}\n".encode())
        self._stream.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.fsync(self._stream.fileno())
        self._stream.close()


def heading_of(retriever: Retriever, fields: Fields, k: int) -> dict[str, Any]:
    """Return what decides the answers; the settings as a digest, since they may be secret."""
    settings = hashlib.sha256(retriever.settings.encode()).hexdigest()[:16]
    return {"retriever": retriever.label, "settings": settings, "k": k, **vars(fields)}
