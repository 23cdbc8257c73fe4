"""The manual says what the program does."""

from __future__ import annotations

import importlib
import inspect
import re
import shlex
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

import ndcg
from ndcg.cli import main
from ndcg.conventions import PROFILES
from ndcg.formats.layouts import FORMATS, find_columns
from ndcg.measures import parse_measures
from ndcg.measures.catalogue import CATALOGUE

ROOT = Path(__file__).parents[1]
SAMPLES = ROOT / "src" / "ndcg" / "samples"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
TEXTS = {page.name: page.read_text("utf-8") for page in PAGES}
COMMANDS = main.list_commands(click.Context(main))


def command_of(name: str) -> click.Command:
    command = main.get_command(click.Context(main), name)
    assert command is not None, name
    return command


def options_of(name: str) -> set[str]:
    """Name the options of a command, ``--help`` aside."""
    return {option for one in command_of(name).params for option in one.opts if option[0] == "-"}


def code_lines(text: str) -> list[str]:
    """Return the lines of indented blocks that call the command."""
    found = re.findall(r"^ {4}(?:\$ )?(?:\.venv/bin/)?(ndcg .*)$", text, re.MULTILINE)
    return [line.partition("  #")[0] for line in found]


def inline_code(text: str) -> list[str]:
    return [code.replace("\n", " ") for code in re.findall(r"`([^`]+)`", text)]


def table_under(text: str, heading: str) -> list[list[str]]:
    """Return the cells of the first table whose first column is headed so."""
    lines = text.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(f"| {heading} |"))
    rows = []
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split(" | ")])
    return rows


def sections(text: str) -> dict[str, str]:
    """Return what stands under each heading of the second level that names a command."""
    parts = re.split(r"^## ndcg (\w+).*$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


BLOCKS = [(page, line) for page, text in TEXTS.items() for line in code_lines(text)]
INLINE = [
    (page, code)
    for page, text in TEXTS.items()
    for code in [*inline_code(text), *re.findall(r"^## (ndcg .*)$", text, re.MULTILINE)]
    if code.startswith("ndcg ")
]


@pytest.mark.parametrize(("page", "line"), BLOCKS)
def test_a_command_line_of_the_manual_parses(page: str, line: str) -> None:
    assert page in TEXTS
    words = shlex.split(line.partition(" > ")[0])
    command_of(words[1]).make_context(words[1], words[2:])


@pytest.mark.parametrize(("page", "code"), INLINE)
def test_a_command_named_in_the_text_exists(page: str, code: str) -> None:
    assert page in TEXTS
    words = code.split()
    if words[1].startswith("-"):
        assert {words[1]} <= {"--version", "--help"}
        return
    assert words[1] in COMMANDS
    assert {word for word in words if re.match("--?[a-z]", word)} <= options_of(words[1])


def test_the_manual_shows_command_lines() -> None:
    assert {page for page, _ in BLOCKS} >= {"README.md", "commands.md", "formats.md"}


def test_the_commands_page_has_a_section_for_every_command() -> None:
    assert list(sections(TEXTS["commands.md"])) == COMMANDS


def test_the_option_table_names_exactly_the_options_of_eval() -> None:
    rows = table_under(sections(TEXTS["commands.md"])["eval"], "option")
    named = {word for row in rows for code in inline_code(row[0]) for word in code.split()}
    assert {word for word in named if word.startswith("-")} == options_of("eval")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_is_in_the_manual(command: str) -> None:
    """In the command's own section, or in the table of ``ndcg eval``."""
    found = sections(TEXTS["commands.md"])
    text = found[command] + "".join(row[0] for row in table_under(found["eval"], "option"))
    named = {option for option in options_of(command) if re.search(rf"(?<![\w-]){option}\b", text)}
    long_of = {one.opts[0]: one.opts[-1] for one in command_of(command).params if len(one.opts) > 1}
    missing = {option for option in options_of(command) - named if long_of.get(option) not in named}
    short_of = {last: first for first, last in long_of.items()}
    assert {option for option in missing if short_of.get(option) not in named} == set()


@pytest.mark.parametrize("page", TEXTS)
def test_links_within_the_repository_lead_somewhere(page: str) -> None:
    folder = next(path for path in PAGES if path.name == page).parent
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", TEXTS[page])
    assert [link for link in links if not (folder / link).exists()] == []


def test_the_python_page_names_every_public_function_and_nothing_else() -> None:
    rows = table_under(TEXTS["python.md"], "name")
    named = {
        re.match(r"\w+", code)[0]  # type: ignore[index]
        for row in rows
        for code in inline_code(row[0])
    }
    functions = {name for name in ndcg.__all__ if inspect.isfunction(getattr(ndcg, name))}
    assert functions <= named
    assert named <= set(ndcg.__all__)


def test_the_python_page_calls_functions_as_they_are() -> None:
    for row in table_under(TEXTS["python.md"], "name"):
        for code in inline_code(row[0]):
            found = re.fullmatch(r"(\w+)\(([^)]*)\)", code)
            function = getattr(ndcg, found[1]) if found else None
            if not found or not inspect.isfunction(function):
                continue
            known = list(inspect.signature(function).parameters)
            given = [one.strip() for one in found[2].split(",")]
            plain = [one for one in given if "=" not in one]
            assert plain == known[: len(plain)], code
            assert {one.partition("=")[0] for one in given} <= set(known), code


def test_every_name_taken_from_the_package_exists() -> None:
    for text in TEXTS.values():
        assert {
            name for name in re.findall(r"\bndcg\.(\w+)", text) if name not in ndcg.__all__
        } <= {"assert_no_regression", "cli", "compat", "pytest_plugin", "reporting", "toml"}
        for name in re.findall(r"\bndcg\.compat\.(\w+)", text):
            importlib.import_module(f"ndcg.compat.{name}")
        for names in re.findall(r"from ndcg import (.+)", text):
            assert {name.strip() for name in names.split(",")} <= set(ndcg.__all__)


def test_the_readmes_python_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("qrels.txt").write_text("q42 0 d7 2\nq42 0 d1 1\n")
    for name in ("bm25.run", "dense.run"):
        Path(name).write_text("q42 Q0 d1 1 2 t\nq42 Q0 d7 2 1 t\n")
    (code,) = re.findall(r"```python\n(.*?)```", TEXTS["README.md"], re.DOTALL)
    names: dict[str, Any] = {}
    exec(code, names)  # noqa: S102 - the manual's own code
    assert round(names["scores"].mean()["nDCG@10"], 4) == 0.8597


def test_the_python_pages_code_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("qrels.txt").write_text("q1 0 d7 2\nq1 0 d1 1\n")
    Path("bm25.run").write_text("q1 Q0 d1 1 2 t\nq1 Q0 d7 2 1 t\n")
    names: dict[str, Any] = {"frame": ndcg.as_run("bm25.run").frame}
    lines = re.findall(r"^ {4}(.*)$", TEXTS["python.md"], re.MULTILINE)
    exec("\n".join(lines), names)  # noqa: S102 - the manual's own code
    assert ndcg.load_scores("scores.parquet").to_dict("dense") == names["scores"].to_dict("dense")


def sample_output(*arguments: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(SAMPLES)
    result = CliRunner().invoke(main, list(arguments), catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout.splitlines()


def assert_in_order(lines: list[str], output: list[str]) -> None:
    """Every line stands in the output, in this order; what lies between may be left out."""
    rest = iter(output)
    assert [line for line in lines if line not in rest] == []


def block_after(text: str, marker: str) -> list[str]:
    """Return the first indented block after a text, without its blank lines and its ellipsis."""
    block = re.search(r"\n\n((?: {4}.*\n|\n)+)", text[text.index(marker) :])
    assert block is not None
    lines = [line[4:] for line in block[1].splitlines()]
    return [line for line in lines if line not in {"", "..."}]


def test_the_readme_shows_what_eval_prints(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = block_after(TEXTS["README.md"], "`ndcg eval` on the sample data:")
    output = sample_output(
        "eval", "qrels.txt", "bm25.run.gz", "minilm.run.gz", monkeypatch=monkeypatch
    )
    assert len(shown) > 5
    assert_in_order(shown, output)


def test_the_conventions_page_shows_what_why_prints(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = block_after(TEXTS["conventions.md"], "`ndcg why QRELS RUN --as A --as B`")
    options = ("--as", "trec_eval", "--as", "sklearn")
    output = sample_output("why", "qrels.txt", "bm25.run.gz", *options, monkeypatch=monkeypatch)
    assert len(shown) > 5
    assert_in_order(shown, output)


def test_the_page_on_holes_shows_what_eval_prints(monkeypatch: pytest.MonkeyPatch) -> None:
    text = TEXTS["holes.md"].partition("## Bounds")[2]
    shown = text.partition("\n    bounds of ")[2].partition("\n\n`at least`")[0]
    output = sample_output(
        "eval", "qrels.txt", "bm25.run.gz", "minilm.run.gz", "--bounds", monkeypatch=monkeypatch
    )
    lines = [line.strip() for line in f"bounds of {shown}".splitlines() if line.strip()]
    assert len(lines) == 4
    assert_in_order(lines, output)


def test_the_page_on_holes_shows_what_coverage_prints(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = TEXTS["holes.md"].partition("On the sample data:\n")[2].partition("\n\n- `judged")[0]
    monkeypatch.chdir(SAMPLES)
    runs = ["bm25.run.gz", "minilm.run.gz"]
    result = CliRunner().invoke(main, ["coverage", "qrels.txt", *runs], catch_exceptions=False)
    assert result.exit_code == 1
    lines = [line[4:] for line in shown.splitlines() if line.strip() not in {"", "..."}]
    assert len(lines) > 10
    assert_in_order(lines, result.stdout.splitlines())


def test_the_measures_table_names_every_measure() -> None:
    rows = table_under(TEXTS["measures.md"], "measure")
    spelled = [
        parse_measures(code.replace("@k", "@10")) for row in rows for code in inline_code(row[0])
    ]
    assert {measure.name for measures in spelled for measure in measures} == set(CATALOGUE)


def test_the_measures_table_names_the_parameters_of_each() -> None:
    for row in table_under(TEXTS["measures.md"], "measure"):
        families = [re.match(r"\w+", code)[0] for code in inline_code(row[0])]  # type: ignore[index]
        known = {name for family in families for name in CATALOGUE[family].parameters}
        assert set(inline_code(row[2])) == known, row[0]


def test_the_parameters_table_is_complete() -> None:
    rows = table_under(TEXTS["measures.md"], "parameter")
    own = {name for definition in CATALOGUE.values() for name in definition.parameters}
    described = {code for row in rows for code in inline_code(row[0])}
    # RBP's residual is described with RBP.
    assert described | {"residual"} == own | {"ties", "condensed"}


def test_other_tools_names_are_what_the_table_says() -> None:
    for written, meant in table_under(TEXTS["measures.md"], "you write"):
        measures = [
            {measure for code in inline_code(cell) for measure in parse_measures(code)}
            for cell in (written, meant)
        ]
        assert measures[0] == measures[1], written


def test_the_worked_example_is_the_one_that_explain_gives() -> None:
    worked = ndcg.explain(
        {"q": {"d2": 3, "d4": 2, "d9": 1}},
        {"q": {"d7": 5.0, "d2": 4.0, "d9": 3.0, "d4": 2.0, "d1": 1.0}},
        "q",
        "nDCG@5",
    )
    text = TEXTS["measures.md"]
    for name, value in (("DCG@5", worked.dcg), ("IDCG@5", worked.idcg), ("nDCG@5", worked.value)):
        assert re.search(rf"^    {name} += .* = {value:.4f}$", text, re.MULTILINE)
    assert f"it is {worked.move('d2', 1).value:.4f}." in text


def test_the_profiles_table_names_every_profile() -> None:
    rows = table_under(TEXTS["conventions.md"], "profile")
    assert [inline_code(row[0]) for row in rows] == [
        [name] for name in PROFILES if name != "default"
    ]


def test_the_help_of_as_names_every_profile() -> None:
    (told,) = (one for one in command_of("eval").params if "--as" in one.opts)
    text = getattr(told, "help", "")
    assert re.findall(r"[\w-]+", text.partition(": ")[2]) == [n for n in PROFILES if n != "default"]


def test_the_formats_table_names_every_format() -> None:
    rows = table_under(TEXTS["formats.md"], "name")
    assert {code for row in rows for code in inline_code(row[0])} == set(FORMATS)


def test_the_names_of_columns_are_understood() -> None:
    (text,) = re.findall(r"Columns may be called (.*?)\.", TEXTS["formats.md"], re.DOTALL)
    queries, docs, grades, scores, (rank,) = (inline_code(part) for part in text.split(";"))
    for query, doc in [(one, "doc_id") for one in queries] + [("query_id", one) for one in docs]:
        assert find_columns([query, doc, "relevance"], "qrels") is not None
    for grade in grades:
        assert find_columns(["query_id", "doc_id", grade], "qrels") is not None
    for score in [*scores, rank]:
        assert find_columns(["query_id", "doc_id", score], "run") is not None


def test_the_notices_in_the_manual_are_those_in_the_source() -> None:
    text = TEXTS["commands.md"]
    headings = re.findall(r"^\| (notice(?: of \w+)?) \|", text, re.MULTILINE)
    rows = [row for heading in headings for row in table_under(text, heading)]
    listed = {code for row in rows for code in inline_code(row[0])}
    source = "".join(path.read_text("utf-8") for path in (ROOT / "src").rglob("*.py"))
    assert {code for code in listed if f'"{code}"' not in source} == set()
    assert set(re.findall(r'Notice\(\s*"([a-z-]+)"', source)) <= listed


def test_the_json_of_the_manual_has_the_keys_of_the_contract(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    block = "\n".join(block_after(TEXTS["commands.md"], "### JSON"))
    options = ("--format", "json", "-q", "-m", "nDCG@10")
    output = sample_output("eval", "qrels.txt", "bm25.run.gz", *options, monkeypatch=monkeypatch)
    printed = set(re.findall(r'"(\w+)":', "\n".join(output)))
    shown = set(re.findall(r'"(\w+)":', block))
    rules = set(vars(PROFILES["default"]))
    queries = {name for name in printed if re.fullmatch(r"c\d+", name)}
    assert shown - queries - rules == printed - queries - rules
