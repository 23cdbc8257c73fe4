"""The locks and the wheel that users install."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
LOCKS = ("run", "dev", "bench")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def lock_text(name: str) -> str:
    return (ROOT / "requirements" / f"{name}.txt").read_text("utf-8")


def lock_lines(name: str) -> list[str]:
    """Return one line a package: comments gone, continued lines joined."""
    code = re.sub(r"^\s*#.*\n", "", lock_text(name), flags=re.MULTILINE)
    return code.replace("\\\n", " ").splitlines()


def pins(name: str) -> dict[str, str]:
    return dict(re.findall(r"^([a-z0-9-]+)==(\S+)", "\n".join(lock_lines(name)), re.MULTILINE))


def asked_for(group: str) -> list[Requirement]:
    own = [entry for entry in PROJECT["dependency-groups"][group] if isinstance(entry, str)]
    return [Requirement(line) for line in own + PROJECT["project"]["dependencies"]]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    options = ["--no-deps", "--no-build-isolation", "--no-index", "--quiet"]
    command = [sys.executable, "-m", "pip", "wheel", *options, "--wheel-dir", str(folder)]
    subprocess.run([*command, str(ROOT)], check=True)
    (built,) = folder.iterdir()
    return built


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_pins_each_package_by_version_and_hash(name: str) -> None:
    pinned = re.compile(r"[a-z0-9-]+==\S+( ; [^-]+?)?(\s+--hash=sha256:[0-9a-f]{64})+\s*")
    assert [line for line in lock_lines(name) if not pinned.fullmatch(line)] == []


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_names_its_generator_and_no_index(name: str) -> None:
    text = lock_text(name)
    assert "#    make lock\n" in text
    assert re.findall(r"https?:|file:|--[a-z-]*index|--find-links|/\S*\.(?:whl|tar)", text) == []


@pytest.mark.parametrize("name", ["dev", "bench"])
def test_the_other_locks_hold_what_users_run(name: str) -> None:
    assert pins("run").items() <= pins(name).items()


@pytest.mark.parametrize(("name", "group"), [("run", "build"), ("dev", "dev"), ("bench", "bench")])
def test_a_lock_is_what_the_project_asks_for(name: str, group: str) -> None:
    found = pins(name)
    for wanted in asked_for(group):
        assert found[canonicalize_name(wanted.name)] in wanted.specifier, wanted


def test_the_locked_build_tool_is_the_declared_one() -> None:
    assert PROJECT["dependency-groups"]["build"] == PROJECT["build-system"]["requires"]


@pytest.mark.slow
def test_the_wheel_is_pure_python_and_typed(wheel: Path) -> None:
    assert wheel.name.endswith("-py3-none-any.whl")
    names = ZipFile(wheel).namelist()
    assert "ndcg/py.typed" in names
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"ndcg"}
    assert [name for name in names if name.endswith((".so", ".pyd", ".pyc"))] == []


@pytest.mark.slow
def test_the_wheel_installs_the_command_and_the_pytest_plugin(wheel: Path) -> None:
    with ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith("/entry_points.txt")]
        assert archive.read(name).decode().split() == [
            *("[console_scripts]", "ndcg=ndcg.cli:main"),
            *("[pytest11]", "ndcg=ndcg.pytest_plugin"),
        ]


@pytest.mark.slow
def test_the_wheel_carries_the_licences_and_small_samples(wheel: Path) -> None:
    with ZipFile(wheel) as archive:
        sizes = {info.filename: info.file_size for info in archive.infolist()}
    samples = {name: size for name, size in sizes.items() if name.startswith("ndcg/samples/")}
    assert "ndcg/samples/LICENSE" in samples
    assert len(samples) > 1
    assert sum(samples.values()) < 1_500_000
    licences = [name for name in sizes if ".dist-info/licenses/" in name]
    assert len(licences) == len(PROJECT["project"]["license-files"])
