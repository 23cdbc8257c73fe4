"""The command run in this process, and the worked example as files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

from ndcg.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable

QRELS = "q1 0 d2 3\nq1 0 d4 2\nq1 0 d9 1\n"
RUN = "q1 Q0 d7 1 5 sys\nq1 Q0 d2 2 4 sys\nq1 Q0 d9 3 3 sys\nq1 Q0 d4 4 2 sys\nq1 Q0 d1 5 1 sys\n"


@pytest.fixture
def ndcg() -> Callable[..., Result]:
    """Return a function that runs the command; an error that it does not word is raised."""

    def run(*arguments: str | Path, stdin: str | bytes | None = None) -> Result:
        given = [str(argument) for argument in arguments]
        return CliRunner().invoke(
            main, given, input=stdin, catch_exceptions=False, prog_name="ndcg"
        )

    return run


@pytest.fixture
def worked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder, and stand in it, with qrels.txt and a.run: nDCG@5 is 0.6834."""
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "a.run").write_text(RUN)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def samples(monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in the folder of the sample data."""
    folder = Path(__file__).parents[2] / "src" / "ndcg" / "samples"
    monkeypatch.chdir(folder)
    return folder
