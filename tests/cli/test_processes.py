"""The command as a process of its own: pipes, exit codes, plain text."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src"
SAMPLES = SOURCE / "ndcg" / "samples"
COMMAND = f'"{sys.executable}" -m ndcg'


def shell(line: str, **variables: str) -> subprocess.CompletedProcess[bytes]:
    """Run a line of bash in which NDCG is the command; the status is that of the whole pipe."""
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), **variables}
    script = f'set -o pipefail\nNDCG() {{ {COMMAND} "$@"; }}\n{line}'
    return subprocess.run(
        ["/bin/bash", "-c", script], capture_output=True, env=environment, cwd=SAMPLES, check=False
    )


def test_results_and_messages_go_apart() -> None:
    done = shell("NDCG eval qrels.txt bm25.run.gz --format csv --no-ci")
    assert done.returncode == 0
    assert done.stdout.splitlines()[0] == b"run,nDCG@10,R@100,Judged@10,n"
    assert done.stdout.count(b"\n") == 2
    assert all(line.startswith(b"note: ") for line in done.stderr.splitlines())


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("NDCG --version", 0),
        ("NDCG eval qrels.txt tfidf.run.gz -m RR", 0),
        ("NDCG eval bm25.run.gz qrels.txt", 2),
        ("NDCG eval qrels.txt", 2),
        ("NDCG evaluate", 2),
        ("NDCG eval qrels.txt bm25.run.gz --nope", 2),
    ],
)
def test_exit_codes(line: str, status: int) -> None:
    done = shell(line)
    assert done.returncode == status
    assert (done.stdout == b"") == (status == 2)
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize(
    "line",
    [
        "NDCG eval qrels.txt bm25.run.gz -q --format json | head -n 1",
        "NDCG convert run bm25.run.gz - | head -n 1",
        "NDCG demo | head -n 1",
    ],
)
def test_a_reader_that_has_seen_enough_is_no_error(line: str) -> None:
    done = shell(line)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.count(b"\n") == 1


def test_a_full_disk_is_a_message() -> None:
    done = shell("NDCG eval qrels.txt tfidf.run.gz -m RR > /dev/full")
    assert done.returncode == 2
    assert done.stderr == b"ndcg: standard output: no space left on device\n"


def test_a_closed_standard_output_is_no_crash() -> None:
    done = shell("NDCG eval qrels.txt tfidf.run.gz -m RR >&-")
    assert b"Traceback" not in done.stderr


def test_standard_input_and_output_take_bytes() -> None:
    done = shell(
        "NDCG convert run - - --to parquet < bm25.run.gz | NDCG eval qrels.txt - -m nDCG@10 --no-ci"
    )
    assert done.returncode == 0
    assert b"\nstdin   0.6315  135\n" in done.stdout


def test_a_named_pipe_of_the_shell_is_read() -> None:
    done = shell("NDCG eval <(cat qrels.txt) <(cat bm25.run.gz) -m nDCG@10 --no-ci")
    assert done.returncode == 0
    assert b"  0.6315  135\n" in done.stdout


@pytest.mark.parametrize("variables", [{}, {"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_text_is_plain(variables: dict[str, str]) -> None:
    done = shell(
        "NDCG eval qrels.txt bm25.run.gz; NDCG explain qrels.txt bm25.run.gz c014; "
        "NDCG eval --help; NDCG nope",
        **variables,
    )
    assert b"\x1b" not in done.stdout + done.stderr
    assert b"\r" not in done.stdout + done.stderr


def test_an_id_that_the_encoding_lacks_is_spelled_out(tmp_path: Path) -> None:
    (tmp_path / "q.txt").write_text("q1 0 文 1\n", "utf-8")
    (tmp_path / "文.run").write_text("q1 Q0 文 1 1 t\n", "utf-8")
    line = f"NDCG eval {tmp_path}/q.txt {tmp_path}/文.run -m RR"
    done = shell(line, PYTHONIOENCODING="latin-1")
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"\n\\u6587   1.0000  1\n" in done.stdout
    assert "\n文   1.0000  1\n".encode() in shell(line, PYTHONIOENCODING="utf-8").stdout
