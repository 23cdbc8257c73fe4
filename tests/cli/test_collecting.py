"""``ndcg collect``: a run or none, and what is kept when it stops."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Ndcg = Callable[..., Result]
SOURCE = Path(__file__).parents[2] / "src"
QUERIES = "q1\tone\nq2\ttwo\nq3\tthree\n"
SEARCH = """
import json, pathlib, sys
text = sys.stdin.read()
with open("asked", "a") as file:
    file.write(text + "\\n")
if text == "two" and not pathlib.Path("up").exists():
    sys.exit("index is down")
print(json.dumps({"results": [{"id": f"{text}-{i}", "score": 1 / (i + 1)} for i in range(3)]}))
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder, and stand in it, with queries and a command that searches."""
    (tmp_path / "queries.tsv").write_text(QUERIES)
    (tmp_path / "search.py").write_text(SEARCH)
    monkeypatch.chdir(tmp_path)
    return tmp_path


COMMAND = ("--command", shlex.join([sys.executable, "search.py"]), "--retries", "0")


def test_no_run_is_written_while_a_query_fails_and_the_next_time_only_it_is_asked(
    ndcg: Ndcg, folder: Path
) -> None:
    first = ndcg("collect", "queries.tsv", *COMMAND, "-k", "3", "-o", "a.run")
    assert first.exit_code == 1
    assert first.stdout == ""
    assert first.stderr.splitlines() == [
        "note: 1 of 3 queries failed and is not in the run: 'q2'; exit status 1: 'index is down'",
        (
            "ndcg: no run written: 1 of 3 queries failed; answers are kept in a.run.journal; the "
            "same command asks only what is missing; or write it without them with --partial"
        ),
    ]
    assert not (folder / "a.run").exists()
    (folder / "up").touch()
    (folder / "asked").unlink()
    second = ndcg("collect", "queries.tsv", *COMMAND, "-k", "3", "-o", "a.run")
    assert (second.exit_code, (folder / "asked").read_text()) == (0, "two\n")
    assert second.stderr.startswith("note: 2 of 3 answers taken from a.run.journal, begun 20")
    assert (folder / "a.run").read_text().splitlines()[3:5] == [
        "q2 Q0 two-0 1 1.0 a",
        "q2 Q0 two-1 2 0.5 a",
    ]
    assert not (folder / "a.run.journal").exists()


def test_a_partial_run_is_written_when_asked_for(ndcg: Ndcg, folder: Path) -> None:
    result = ndcg("collect", "queries.tsv", *COMMAND, "-o", "a.jsonl", "--partial")
    assert result.exit_code == 0
    assert "1 of 3 queries failed" in result.stderr
    assert (folder / "a.jsonl").read_text().count("\n") == 6
    assert (folder / "a.jsonl.journal").exists()


def test_a_journal_that_was_named_stays(ndcg: Ndcg, folder: Path) -> None:
    (folder / "up").touch()
    result = ndcg("collect", "queries.tsv", *COMMAND, "-o", "-", "--to", "csv", "--journal", "kept")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[:2] == ["query_id,doc_id,rank,score", "q1,one-0,1,1.0"]
    assert (folder / "kept").read_text().count("\n") == 4


def test_a_callable_is_found_beside_one(ndcg: Ndcg, folder: Path) -> None:
    (folder / "mine.py").write_text(
        "class A:\n    def invoke(self, t):\n        return [t]\na = A()\n"
    )
    result = ndcg("collect", "queries.tsv", "--callable", "mine:a", "-o", "a.run")
    assert result.exit_code == 0
    assert "3 of 3 queries came without scores: the order of the list counts" in result.stderr
    assert (folder / "a.run").read_text().startswith("q1 Q0 one 1 -1.0 a\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "name one retriever: --url, --command or --callable"),
        (("--url", "http://h/{query}", "--command", "x"), "name one retriever"),
        (("--command", "x", "--body", "{}"), "--body and --header are for --url"),
        (("--callable", "a:b", "--timeout", "3"), "--timeout is for --url and --command"),
        (("--callable", "json"), "expected module:name, got 'json'"),
        (("--callable", "no_such_module_x:f"), "no module named 'no_such_module_x' here"),
        (("--callable", "json:nope"), "json has no 'nope'"),
        (("--callable", "broken:f"), "broken: importing it failed: ValueError: boom"),
        (("--url", "http://h/{query}", "--header", "secret"), "header 1 has no colon in it"),
        (("--url", "http://h/{query}", "--header", "@gone"), "gone: no such file"),
        (("--url", "ftp://h/{query}"), "'ftp://h/{query}' is no address"),
        (("--command", "x", "--to", "xml"), "format must be one of"),
        (("--command", "x", "-o", "gone/a.run"), "there is no folder gone; make it first"),
    ],
)
def test_wrong_usage_asks_nobody(
    ndcg: Ndcg, folder: Path, arguments: tuple[str, ...], message: str
) -> None:
    (folder / "broken.py").write_text("raise ValueError('boom')")
    result = ndcg("collect", "queries.tsv", "-o", "a.run", *arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert "secret" not in result.stderr
    assert (
        sorted(path.name for path in folder.iterdir() if path.suffix in {".run", ".journal"}) == []
    )


def test_an_interrupted_command_keeps_its_answers(folder: Path) -> None:
    (folder / "slow.py").write_text(
        "import time\ndef search(text):\n    time.sleep(60 * (text != 'one'))\n    return [text]\n"
    )
    line = [sys.executable, "-m", "ndcg", "collect", "queries.tsv", "--callable", "slow:search"]
    process = subprocess.Popen(
        [*line, "-o", "a.run"],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        stderr=subprocess.PIPE,
        text=True,
    )
    journal = folder / "a.run.journal"
    deadline = time.monotonic() + 30
    while not (journal.exists() and journal.read_text().count("\n") == 2):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=30)
    assert process.returncode == 130
    assert told == (
        "note: stopped; answers so far are in a.run.journal; the same command asks only what is "
        "missing\n"
    )
    assert not (folder / "a.run").exists()
