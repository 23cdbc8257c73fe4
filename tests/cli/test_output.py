"""How results leave: ``-o`` and ``--save`` write whole or not at all."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

import ndcg as library

Ndcg = Callable[..., Result]

EVERY_FORMAT = ["table", "json", "csv", "tsv", "md", "latex", "trec"]


@pytest.mark.usefixtures("worked")
@pytest.mark.parametrize("option", ["-o", "--output"])
@pytest.mark.parametrize("form", EVERY_FORMAT)
def test_a_file_gets_what_standard_output_would(ndcg: Ndcg, form: str, option: str) -> None:
    printed = ndcg("eval", "qrels.txt", "a.run", "--format", form, "-q")
    written = ndcg("eval", "qrels.txt", "a.run", "--format", form, "-q", option, "out")
    assert (written.exit_code, written.stdout, written.stderr) == (0, "", printed.stderr)
    assert Path("out").read_text("utf-8") == printed.stdout


@pytest.mark.usefixtures("worked")
@pytest.mark.parametrize(
    "arguments",
    [
        ("explain", "qrels.txt", "a.run", "q1"),
        ("why", "qrels.txt", "a.run", "--as", "trec_eval", "--as", "gdeval"),
        ("advise", "qrels.txt"),
    ],
)
@pytest.mark.parametrize("form", ["table", "json"])
def test_every_command_writes_to_a_file(ndcg: Ndcg, arguments: tuple[str, ...], form: str) -> None:
    printed = ndcg(*arguments, "--format", form)
    assert ndcg(*arguments, "--format", form, "-o", "out").stdout == ""
    assert printed.stdout == Path("out").read_text("utf-8")
    if form == "json":
        assert json.loads(printed.stdout)["schema"] == 1


@pytest.mark.usefixtures("worked")
def test_a_dash_is_standard_output(ndcg: Ndcg) -> None:
    result = ndcg("eval", "qrels.txt", "a.run", "-o", "-", "--format", "csv")
    assert result.stdout.startswith("run,nDCG@10,")
    assert not Path("-").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ("eval", "qrels.txt", "bad.run"),
        ("eval", "qrels.txt", "a.run", "bad.run"),
        ("eval", "qrels.txt", "a.run", "-m", "nope"),
        ("eval", "qrels.txt", "a.run", "b.run", "--format", "trec"),
        ("explain", "qrels.txt", "a.run", "q1", "--move", "d99=1"),
        ("why", "qrels.txt", "a.run", "--as", "beir"),
        ("advise", "bad.run"),
    ],
)
def test_bad_input_leaves_the_target_as_it_is(
    ndcg: Ndcg, worked: Path, arguments: tuple[str, ...]
) -> None:
    lines = (worked / "a.run").read_text()
    (worked / "b.run").write_text(lines)
    (worked / "bad.run").write_text(f"{lines}q1 Q0 d8 6 nan sys\n")
    (worked / "out").write_text("before")
    result = ndcg(*arguments, "-o", "out")
    assert (result.exit_code, result.stdout) == (2, "")
    assert (worked / "out").read_text() == "before"
    assert ndcg(*arguments, "-o", "new").exit_code == 2
    assert {path.name for path in worked.iterdir()} == {
        *("qrels.txt", "a.run", "b.run", "bad.run", "out"),
    }


@pytest.mark.usefixtures("worked")
@pytest.mark.parametrize("option", ["-o", "--save"])
def test_a_folder_that_is_not_there_is_named(ndcg: Ndcg, worked: Path, option: str) -> None:
    result = ndcg("eval", "qrels.txt", "a.run", option, "out/x")
    assert (result.exit_code, result.stdout) == (2, "")
    folder = worked / "out"
    assert result.stderr == f"ndcg: out/x: there is no folder {folder}; make it first\n"


@pytest.mark.usefixtures("worked")
@pytest.mark.parametrize("option", ["-o", "--save"])
@pytest.mark.parametrize("target", [".", ""])
def test_a_folder_is_no_target(ndcg: Ndcg, option: str, target: str) -> None:
    result = ndcg("eval", "qrels.txt", "a.run", option, target)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "ndcg: .: is a folder, expected a file to write\n"


def test_a_folder_without_permission_is_named(
    ndcg: Ndcg, worked: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(**_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("tempfile.mkstemp", refuse)
    result = ndcg("eval", "qrels.txt", "a.run", "-o", "out")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "ndcg: out: cannot write there (permission denied)\n"
    assert not (worked / "out").exists()


def test_a_new_file_has_the_permissions_of_any_new_file(ndcg: Ndcg, worked: Path) -> None:
    (worked / "plain").touch()
    assert ndcg("eval", "qrels.txt", "a.run", "-o", "out").exit_code == 0
    assert (worked / "out").stat().st_mode == (worked / "plain").stat().st_mode


def test_a_replaced_file_keeps_its_permissions(ndcg: Ndcg, worked: Path) -> None:
    (worked / "out").touch(mode=0o600)
    assert ndcg("eval", "qrels.txt", "a.run", "-o", "out").exit_code == 0
    assert stat.S_IMODE((worked / "out").stat().st_mode) == 0o600
    assert (worked / "out").read_text().startswith("gain linear")


def test_a_link_stays_a_link(ndcg: Ndcg, worked: Path) -> None:
    (worked / "there").mkdir()
    (worked / "out").symlink_to(worked / "there" / "out")
    for _ in range(2):
        assert ndcg("eval", "qrels.txt", "a.run", "-o", "out").exit_code == 0
    assert (worked / "out").is_symlink()
    assert (worked / "there" / "out").read_text().startswith("gain linear")


@pytest.mark.usefixtures("worked")
def test_a_device_stays_a_device(ndcg: Ndcg) -> None:
    device = Path(os.devnull)
    before = device.stat()
    result = ndcg("eval", "qrels.txt", "a.run", "-o", os.devnull)
    assert result.exit_code == 0
    assert stat.S_ISCHR(device.stat().st_mode)
    assert device.stat().st_ino == before.st_ino


@pytest.mark.usefixtures("samples")
def test_saved_scores_load_as_they_were(ndcg: Ndcg, tmp_path: Path) -> None:
    target = tmp_path / "scores.parquet"
    arguments = ("bm25.run.gz", "minilm.run.gz", "--as", "pytrec_eval", "--save", target)
    result = ndcg("eval", "qrels.txt", *arguments)
    assert result.exit_code == 0
    saved = library.load_scores(target)
    fresh = library.evaluate(
        "qrels.txt",
        ["bm25.run.gz", "minilm.run.gz"],
        convention="pytrec_eval",
        run_digests=True,
    )
    for name in ("bm25", "minilm"):
        assert saved.to_dict(name) == fresh.to_dict(name)
        assert dict(saved.mean(name)) == dict(fresh.mean(name))
        assert saved.run(name).digest == fresh.run(name).digest
    assert saved.convention == fresh.convention
    assert saved.qrels_digest == fresh.qrels_digest
    assert saved.notices == fresh.notices


def test_scores_are_saved_whole_or_not_at_all(ndcg: Ndcg, worked: Path) -> None:
    (worked / "s.parquet").write_bytes(b"before")
    result = ndcg("eval", "qrels.txt", "none.run", "--save", "s.parquet")
    assert result.exit_code == 2
    assert (worked / "s.parquet").read_bytes() == b"before"
    assert ndcg("eval", "qrels.txt", "a.run", "--save", "s.parquet").exit_code == 0
    assert library.load_scores(worked / "s.parquet").mean()["nDCG@10"] == pytest.approx(
        0.6834, abs=5e-5
    )
    assert {path.name for path in worked.iterdir()} == {"qrels.txt", "a.run", "s.parquet"}
