"""Runs are read one at a time, with progress on a terminal alone."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from ndcg.cli.options import Reading
from ndcg.cli.run_files import RunFiles

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def files(worked: Path) -> RunFiles:
    (worked / "b.run").write_text((worked / "a.run").read_text())
    return RunFiles(("a.run", "b.run"), Reading(None, None, None, None), "error")


def read_all(files: RunFiles) -> list[str]:
    return [files.read(name).name for name in files]


def test_runs_are_read_by_name(files: RunFiles) -> None:
    assert len(files) == 2
    assert read_all(files) == ["a", "b"]
    assert files.only().name == "a"


def test_a_slow_run_shows_progress_on_a_terminal(
    files: RunFiles, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("ndcg.cli.run_files._SLOW_SECONDS", -1.0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    read_all(files)
    assert capsys.readouterr().err == (
        "\r\x1b[Kreading run 1 of 2: a\r\x1b[Kreading run 2 of 2: b\r\x1b[K"
    )


def test_quick_runs_and_files_show_no_progress(
    files: RunFiles, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    read_all(files)
    monkeypatch.setattr("ndcg.cli.run_files._SLOW_SECONDS", -1.0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: False)
    read_all(files)
    assert capsys.readouterr().err == ""
