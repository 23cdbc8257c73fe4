"""The GitHub Action: what the file says, and its steps run here on the sample data."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SAMPLES = ROOT / "src" / "ndcg" / "samples"
TEXT = (ROOT / "action.yml").read_text("utf-8")
OUTPUTS = TEXT.partition("\noutputs:\n")[2].partition("\nruns:")[0]
GIVEN = {"qrels": "qrels.txt", "baseline": "bm25.run.gz", "run": "minilm.run.gz"}


@dataclass(frozen=True)
class Step:
    name: str
    uses: str
    env: dict[str, str]
    run: str


def steps() -> dict[str, Step]:
    """Return the steps by name, read as plainly as they are written."""
    found = {}
    for text in re.split(r"^ {4}- ", TEXT.partition("  steps:\n")[2], flags=re.MULTILINE)[1:]:
        name = re.match("name: (.*)", text)
        uses = re.search(r"^ {6}uses: (.*)$", text, re.MULTILINE)
        env = re.search(r"^ {6}env:\n((?: {8}.*\n)+)", text, re.MULTILINE)
        run = re.search(r"^ {6}run: \|\n((?: {8}.*\n|\n)+)", text + "\n", re.MULTILINE)
        pairs = re.findall(r"^ {8}(\w+): (.*)$", env[1], re.MULTILINE) if env else []
        assert name is not None
        script = textwrap.dedent(run[1]) if run else ""
        found[name[1]] = Step(name[1], uses[1] if uses else "", dict(pairs), script)
    return found


STEPS = steps()


def inputs() -> dict[str, str]:
    """Return the declared inputs with their defaults."""
    block = TEXT.partition("inputs:\n")[2].partition("\noutputs:")[0]
    parts = re.split(r"^ {2}([\w-]+):\n", block, flags=re.MULTILINE)[1:]
    defaults = {}
    for name, text in zip(parts[::2], parts[1::2], strict=True):
        found = re.search(r"^ {4}default: (.*)$", text, re.MULTILINE)
        defaults[name] = found[1].strip('"') if found else ""
    return defaults


class Runner:
    """What a runner gives to a step: folders, files for outputs, and the environment."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.output = folder / "output"
        self.summary = folder / "summary"
        self.output.touch()
        self.summary.touch()
        command = folder / "ndcg" / "bin" / "ndcg"
        command.parent.mkdir(parents=True)
        command.write_text(f'#!/bin/bash\nexec "{sys.executable}" -m ndcg "$@"\n')
        command.chmod(0o755)

    @property
    def outputs(self) -> dict[str, str]:
        lines = self.output.read_text("utf-8").splitlines()
        return dict(line.split("=", 1) for line in lines)

    def run(self, name: str, **given: str) -> subprocess.CompletedProcess[str]:
        known = {f"inputs.{key}": value for key, value in (inputs() | given).items()}
        known |= {f"steps.compare.outputs.{key}": value for key, value in self.outputs.items()}
        known["github.event.pull_request.number"] = "7"
        known["inputs.token"] = "secret"
        step = STEPS[name]
        environment = {
            key: re.sub(r"\$\{\{ (.*?) \}\}", lambda match: known[match[1]], value)
            for key, value in step.env.items()
        }
        own = {
            "RUNNER_TEMP": str(self.folder),
            "GITHUB_OUTPUT": str(self.output),
            "GITHUB_STEP_SUMMARY": str(self.summary),
            "GITHUB_REPOSITORY": "shop/search",
            "PYTHONPATH": str(ROOT / "src"),
            "PATH": f"{self.folder}:{os.environ['PATH']}",
        }
        # The command line with which a runner starts a step whose shell is bash.
        return subprocess.run(
            ["/bin/bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step.run],
            env=os.environ | own | environment,
            cwd=SAMPLES,
            capture_output=True,
            text=True,
            check=False,
        )

    def answer_for_gh(self, script: str) -> Path:
        """Put a command ``gh`` on the path that notes its calls; return the notes."""
        calls = self.folder / "calls"
        command = self.folder / "gh"
        command.write_text(f'#!/bin/bash\necho "$*" >> "{calls}"\n{script}\n')
        command.chmod(0o755)
        return calls


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    return Runner(tmp_path)


def test_actions_are_pinned_to_a_commit_with_its_version() -> None:
    used = [step.uses for step in STEPS.values() if step.uses]
    assert len(used) == 1
    assert [one for one in used if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v[\d.]+", one)] == []


def test_the_file_has_the_shape_of_a_composite_action() -> None:
    keys = re.findall(r"^(\w+):", TEXT, re.MULTILINE)
    assert keys == ["name", "description", "inputs", "outputs", "runs"]
    assert "\n  using: composite\n" in TEXT
    assert "\t" not in TEXT
    assert list(STEPS) == ["Set up Python", "Install ndcg", "Compare", "Write the comment", "Judge"]
    assert TEXT.count("shell: bash") == len([step for step in STEPS.values() if step.run])


def test_every_input_is_used_and_every_use_is_an_input() -> None:
    assert set(re.findall(r"\binputs\.([\w-]+)", TEXT)) == set(inputs())


def test_every_input_and_output_is_in_the_manual() -> None:
    manual = (ROOT / "docs" / "ci.md").read_text("utf-8")
    outputs = re.findall(r"^ {2}([\w-]+):$", OUTPUTS, re.MULTILINE)
    assert [name for name in [*inputs(), *outputs] if f"`{name}`" not in manual] == []


@pytest.mark.parametrize(
    "step", [step for step in STEPS.values() if step.run], ids=lambda s: s.name
)
def test_a_script_is_bash_and_takes_no_value_from_an_expression(step: Step) -> None:
    assert "${{" not in step.run
    done = subprocess.run(["/bin/bash", "-n", "-c", step.run], capture_output=True, check=False)
    assert done.stderr == b""


def test_what_is_installed_is_there() -> None:
    script = STEPS["Install ndcg"].run
    names = re.findall(r'"\$GITHUB_ACTION_PATH(/[\w./]+)?"', script)
    assert names == ["/requirements/run.txt", ""]
    assert (ROOT / "requirements" / "run.txt").is_file()


def test_a_comparison_gives_comment_summary_and_outputs(runner: Runner) -> None:
    done = runner.run("Compare", **GIVEN)
    assert done.returncode == 0, done.stderr
    comment = runner.folder / "ndcg-default.md"
    assert runner.outputs == {
        "verdict": "cannot tell", "exit-code": "3", "comment": str(comment)
    }  # fmt: skip
    text = comment.read_text("utf-8")
    assert text.startswith("<!-- ndcg compare: default -->\n\n### ◆ cannot tell: `minilm`")
    assert runner.summary.read_text("utf-8") == text
    assert "minilm: cannot tell: coverage is unequal" in done.stderr


def test_every_input_reaches_the_command(runner: Runner) -> None:
    done = runner.run(
        "Compare",
        **GIVEN | {"run": "minilm.run.gz\ntfidf.run.gz\n"},
        measure="nDCG@10\nAP",
        margin="0.05",
        slices="slices.tsv",
        arguments="--test\nt\n",
        key="nightly",
    )
    assert done.returncode == 0, done.stderr
    text = (runner.folder / "ndcg-nightly.md").read_text("utf-8")
    assert text.startswith("<!-- ndcg compare: nightly -->")
    for part in ("`tfidf`, AP:", "paired t test", "margin 0.05", "<summary>slices</summary>"):
        assert part in text


def test_a_missing_file_stops_the_job_with_its_message(runner: Runner) -> None:
    done = runner.run("Compare", **GIVEN | {"qrels": "none.txt"})
    assert done.returncode == 2
    assert "none.txt: no such file" in done.stderr
    assert "::error title=ndcg::" in done.stdout
    assert runner.outputs == {}


def test_a_first_comment_is_posted_and_a_later_one_replaces_it(runner: Runner) -> None:
    runner.run("Compare", **GIVEN)
    calls = runner.answer_for_gh("")
    assert runner.run("Write the comment").returncode == 0
    comments = "repos/shop/search/issues/7/comments"
    body = f"body=@{runner.outputs['comment']}"
    assert calls.read_text().splitlines()[-1] == f"api --method POST {comments} -F {body}"
    runner.answer_for_gh(
        r'printf "11\tA word from a reader\n12\t<!-- ndcg compare: default -->\n13\tmore\n"'
    )
    assert runner.run("Write the comment").returncode == 0
    patched = f"api --method PATCH repos/shop/search/issues/comments/12 -F {body}"
    assert calls.read_text().splitlines()[-1] == patched


def test_a_token_that_cannot_write_is_a_warning(runner: Runner) -> None:
    runner.run("Compare", **GIVEN)
    runner.answer_for_gh("echo 'HTTP 403' >&2; exit 1")
    done = runner.run("Write the comment")
    assert done.returncode == 0
    assert done.stdout.startswith("::warning title=ndcg::the comment could not be written")


@pytest.mark.parametrize(
    ("fail_on", "status", "code", "level"),
    [
        ("worse", "0", 0, ""),
        ("worse", "1", 1, "error"),
        ("worse", "3", 0, "warning"),
        ("unsure", "0", 0, ""),
        ("unsure", "1", 1, "error"),
        ("unsure", "3", 3, "error"),
        ("never", "1", 0, ""),
        ("always", "0", 2, "error"),
    ],
)
def test_the_job_fails_for_what_it_was_told(
    runner: Runner, fail_on: str, status: str, code: int, level: str
) -> None:
    runner.output.write_text(f"exit-code={status}\n")
    done = runner.run("Judge", **{"fail-on": fail_on})
    assert done.returncode == code
    assert done.stdout.partition(" title=")[0] == (f"::{level}" if level else "")
