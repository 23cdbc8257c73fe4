"""The command as a whole: help, exit codes, mistakes, standard input."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from typing import TYPE_CHECKING

import click
import pytest
from click.testing import Result

from ndcg import __version__
from ndcg.cli import main

if TYPE_CHECKING:
    from pathlib import Path

Ndcg = Callable[..., Result]
COMMANDS = main.list_commands(click.Context(main))
READING_OURS = ["eval", "explain", "why", "advise", "convert"]


def test_the_version_is_printed(ndcg: Ndcg) -> None:
    assert ndcg("--version").stdout == f"ndcg {__version__}\n"


@pytest.mark.parametrize("arguments", [("-h",), ("--help",)])
def test_help_lists_every_command(ndcg: Ndcg, arguments: tuple[str, ...]) -> None:
    result = ndcg(*arguments)
    assert result.exit_code == 0
    listed = result.stdout.partition("Commands:\n")[2].splitlines()
    assert [line.split()[0] for line in listed if line[:3] != "   "] == COMMANDS


def test_no_command_shows_the_help(ndcg: Ndcg) -> None:
    result = ndcg()
    assert result.exit_code == 2
    assert "Start with: ndcg eval QRELS RUN" in result.output


@pytest.mark.parametrize("command", COMMANDS)
def test_a_help_page_fits_80_columns(ndcg: Ndcg, command: str) -> None:
    result = ndcg(command, "--help")
    assert result.exit_code == 0
    assert max(map(len, result.stdout.splitlines())) <= 80


@pytest.mark.parametrize("command", ["eval", "explain", "why", "convert"])
def test_a_help_page_has_examples_of_a_line_each(ndcg: Ndcg, command: str) -> None:
    lines = ndcg(command, "--help").stdout.splitlines()
    assert any(line.startswith(f"  ndcg {command} ") for line in lines)
    assert not any("\\b" in line or line.count("ndcg ") > 1 for line in lines)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_has_a_summary(command: str) -> None:
    found = main.get_command(click.Context(main), command)
    assert found is not None
    assert found.name == command
    assert found.help


@pytest.mark.parametrize(
    ("given", "meant"), [("evaluate", "eval"), ("advice", "advise"), ("explian", "explain")]
)
def test_an_unknown_command_names_the_nearest(ndcg: Ndcg, given: str, meant: str) -> None:
    result = ndcg(given)
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"no command named {given!r}; did you mean {meant!r}?" in result.stderr


def test_a_command_that_is_like_none_has_no_hint(ndcg: Ndcg) -> None:
    result = ndcg("xyzzy")
    assert result.exit_code == 2
    assert result.stderr.endswith("Error: no command named 'xyzzy'\n")


def test_an_unknown_option_names_the_nearest(ndcg: Ndcg) -> None:
    result = ndcg("eval", "q", "r", "--mesure", "AP")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "No such option '--mesure'" in result.stderr
    assert "--measure" in result.stderr


def test_a_missing_argument_is_named(ndcg: Ndcg) -> None:
    result = ndcg("eval", "qrels.txt")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "Usage: ndcg eval [OPTIONS] QRELS RUN..." in result.stderr
    assert "Missing argument 'RUN...'" in result.stderr


MISTAKES = {
    "swapped": (
        ("eval", "a.run", "qrels.txt"),
        (
            "a.run:1: expected 4 columns (query_id iteration doc_id relevance), got 6: this looks "
            "like a run; the qrels come first, then the runs"
        ),
    ),
    "qrels for a run": (
        ("eval", "qrels.txt", "qrels.txt"),
        (
            "qrels.txt:1: expected 6 columns (query_id Q0 doc_id rank score tag), got 4: this "
            "looks like judgments; the qrels come first, then the runs"
        ),
    ),
    "no such file": (("eval", "qrels.txt", "b.run"), "b.run: no such file"),
    "no such qrels": (("explain", "none.txt", "a.run", "q1"), "none.txt: no such file"),
    "empty folder": (
        ("eval", "qrels.txt", "empty"),
        "empty: the folder has no files (names that begin with . or _ do not count)",
    ),
    "no match": (("eval", "qrels.txt", "*.gz"), "*.gz: no file matches this pattern"),
    "run twice": (
        ("eval", "qrels.txt", "a.run", "a.run"),
        "a.run: given twice; name each run once",
    ),
    "measure": (
        ("eval", "qrels.txt", "a.run", "-m", "nDGC@10"),
        "no measure named 'nDGC@10'; did you mean 'nDCG'?",
    ),
    "cutoff": (
        ("eval", "qrels.txt", "a.run", "-m", "nDCG@0"),
        "cutoff of nDCG must be an integer of 1 or more, got 0",
    ),
    "profile": (
        ("eval", "qrels.txt", "a.run", "--as", "trec-eval"),
        "no profile named 'trec-eval'; did you mean 'trec_eval'? (known: default, trec_eval, ",
    ),
    "qrels format": (
        ("eval", "qrels.txt", "a.run", "--qrels-format", "treck"),
        (
            "qrels format must be one of trec, beir, tsv, csv, msmarco, parquet, arrow, jsonl, "
            "json, got 'treck'; did you mean 'trec'?"
        ),
    ),
    "run format": (
        ("eval", "qrels.txt", "a.run", "--run-format", "jsn"),
        "got 'jsn'; did you mean 'json'?",
    ),
    "wrong format": (
        ("eval", "qrels.txt", "a.run", "--run-format", "parquet"),
        "a.run: not a whole parquet file",
    ),
    "separator": (
        ("eval", "qrels.txt", "a.run", "--parent", "#"),
        "a: no document id is a chunk under parent '#', such as 'd7'",
    ),
    "query": (
        ("explain", "qrels.txt", "a.run", "q11"),
        "query 'q11' is not judged (the qrels have 'q1'); did you mean 'q1'?",
    ),
    "measure that explain has not": (
        ("explain", "qrels.txt", "a.run", "q1", "-m", "P@10"),
        "explain shows nDCG, DCG, CG, got P@10",
    ),
    "one profile": (
        ("why", "qrels.txt", "a.run", "--as", "beir"),
        "why takes two profiles, --as A --as B, got 1",
    ),
    "no profile": (
        ("why", "qrels.txt", "a.run"),
        "why takes two profiles, --as A --as B, got 0",
    ),
    "three profiles": (
        ("why", "qrels.txt", "a.run", "--as", "beir", "--as", "ranx", "--as", "sklearn"),
        "why takes two profiles, --as A --as B, got 3",
    ),
    "the same profile": (
        ("why", "qrels.txt", "a.run", "--as", "beir", "--as", "beir"),
        "beir and beir have the same rules; nothing can differ",
    ),
    "unknown profile": (
        ("why", "qrels.txt", "a.run", "--as", "beir", "--as", "rank"),
        "no profile named 'rank'; did you mean 'ranx'?",
    ),
    "target format": (
        ("convert", "run", "a.run", "x", "--to", "parket"),
        "got 'parket'; did you mean 'parquet'?",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_one_line_on_standard_error(ndcg: Ndcg, worked: Path, name: str) -> None:
    (worked / "empty").mkdir()
    arguments, message = MISTAKES[name]
    result = ndcg(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("ndcg: ")
    assert result.stderr.count("\n") == 1
    assert message in result.stderr


@pytest.mark.parametrize("option", ["--format", "--duplicates"])
def test_a_choice_that_does_not_exist_lists_the_choices(
    ndcg: Ndcg, worked: Path, option: str
) -> None:
    result = ndcg("eval", worked / "qrels.txt", worked / "a.run", option, "tabel")
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"Invalid value for '{option}': 'tabel' is not one of " in result.stderr


def test_a_run_may_come_from_standard_input(ndcg: Ndcg, worked: Path) -> None:
    result = ndcg("eval", "qrels.txt", "-", "-m", "nDCG@5", stdin=(worked / "a.run").read_text())
    assert result.exit_code == 0
    assert "\nstdin  0.6834  1\n" in result.stdout


def test_judgments_may_come_from_standard_input(ndcg: Ndcg, worked: Path) -> None:
    packed = gzip.compress((worked / "qrels.txt").read_bytes())
    result = ndcg("eval", "-", "a.run", "-m", "nDCG@5", stdin=packed)
    assert result.exit_code == 0
    assert "\na    0.6834  1\n" in result.stdout


@pytest.mark.usefixtures("worked")
@pytest.mark.parametrize(
    "arguments",
    [
        ("eval", "-", "-"),
        ("eval", "qrels.txt", "-", "-"),
        ("explain", "-", "-", "q1"),
        ("explain", "-", "a.run", "q1", "--against", "-"),
        ("explain", "qrels.txt", "-", "q1", "--queries", "-"),
        ("why", "-", "-", "--as", "trec_eval", "--as", "ranx"),
        ("advise", "-", "-"),
    ],
)
def test_standard_input_twice_is_refused(ndcg: Ndcg, arguments: tuple[str, ...]) -> None:
    result = ndcg(*arguments, stdin="q1 0 d1 1\n")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        "ndcg: - is standard input, which can be read only once; name a file for the other\n"
    )


@pytest.mark.usefixtures("worked")
def test_an_empty_standard_input_is_named(ndcg: Ndcg) -> None:
    result = ndcg("eval", "qrels.txt", "-", stdin="")
    assert result.exit_code == 2
    assert "standard input: the file is empty, expected a run" in result.stderr


@pytest.mark.parametrize("command", READING_OURS)
def test_what_was_left_out_in_reading_is_told(ndcg: Ndcg, worked: Path, command: str) -> None:
    (worked / "b.run").write_text("# made by hand\n" + (worked / "a.run").read_text())
    (worked / "commented.txt").write_text((worked / "qrels.txt").read_text() + "# end\n")
    extra = {
        "eval": (),
        "explain": ("q1",),
        "why": ("--as", "trec_eval", "--as", "ranx"),
        "advise": (),
    }
    if command == "convert":
        result = ndcg("convert", "run", "b.run", "-")
        assert result.stderr == "note: b.run: 1 line beginning with # left out as comments\n"
        return
    result = ndcg(command, "commented.txt", "b.run", *extra[command])
    assert result.exit_code == 0
    assert "b.run: 1 line beginning with # left out as comments" in result.output
    assert "commented.txt: 1 line beginning with # left out as comments" in result.output


@pytest.mark.parametrize("command", READING_OURS)
def test_every_command_takes_the_format_of_its_files(
    ndcg: Ndcg, worked: Path, command: str
) -> None:
    (worked / "q.json").write_text('{"q1": {"d2": 3, "d4": 0}}')
    (worked / "r.jsonl").write_text('{"qid": "q1", "docno": "d2", "sim": 1.5}\n')
    extra = {"explain": ("q1",), "why": ("--as", "trec_eval", "--as", "ranx")}.get(command, ())
    files: tuple[str, ...] = ("q.json", "r.jsonl")
    options = [("--qrels-format", "json"), ("--run-format", "jsonl")]
    if command == "convert":
        files, options = ("run", "r.jsonl", "-"), options[1:]
    named = [word for option in options for word in option]
    assert ndcg(command, *files, *extra, *named).exit_code == 0
    for option, _ in options:
        refused = ndcg(command, *files, *extra, option, "trec")
        assert (refused.exit_code, refused.stdout) == (2, "")
        assert refused.stderr.count("\n") == 1


@pytest.mark.usefixtures("worked")
@pytest.mark.parametrize(
    "arguments",
    [
        ("eval", "qrels.txt", "s.parquet"),
        ("explain", "qrels.txt", "s.parquet", "q1"),
        ("explain", "qrels.txt", "a.run", "q1", "--against", "s.parquet"),
        ("why", "qrels.txt", "s.parquet", "--as", "trec_eval", "--as", "ranx"),
        ("advise", "qrels.txt", "s.parquet"),
        ("convert", "run", "s.parquet", "out"),
    ],
)
def test_saved_scores_are_no_run(ndcg: Ndcg, arguments: tuple[str, ...]) -> None:
    assert ndcg("eval", "qrels.txt", "a.run", "--save", "s.parquet").exit_code == 0
    result = ndcg(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert ": these are saved scores, not a run; " in result.stderr
