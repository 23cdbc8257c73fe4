"""The shape of the package: who imports whom, what is public, what an import costs."""

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import ndcg

SOURCE = Path(__file__).parents[1] / "src" / "ndcg"

# From the ground up: a module imports from lower floors and from its own unit, nothing else.
FLOORS = (
    {"errors"},
    {"data", "conventions", "stats", "store"},
    {"formats", "ranking", "judging"},
    {"measures", "slicing", "retrieval"},
    {"evaluation", "engines", "planning"},
    {"explanation", "disagreement", "advice", "references", "holes"},
    {"comparison"},
    {"reporting", "monitoring", "compat"},
    {"__init__"},
    {"web"},
    {"cli", "pytest_plugin"},
    {"__main__"},
)
FLOOR_OF = {unit: floor for floor, units in enumerate(FLOORS) for unit in units}

PUBLIC = {
    *("evaluate", "grouped", "load_scores", "parse_measure", "rank", "tie_range"),
    *("Bounds", "Coverage", "Limits", "bounds", "coverage"),
    *("Merged", "Pool", "Queue", "Sampled", "estimate_sampled", "merge", "next_labels", "pool"),
    *("advise", "compare", "decompose", "explain", "find_references", "plan", "why"),
    *("Collected", "CommandRetriever", "UrlRetriever", "collect"),
    *("as_slices", "write_qrels", "write_run"),
    *("Advice", "Comparison", "Decomposition", "Disagreement", "Effort", "Explanation", "Pair"),
    *("Plan", "Reference", "SlicePair", "Slices", "Step", "Verdict"),
    *("as_qrels", "as_run", "Notice", "Qrels", "Run"),
    *("Convention", "PROFILES", "Ranking", "RunScores", "Scores", "TieRange"),
    *("AP", "Bpref", "CG", "DCG", "ERR", "Judged", "Measure", "NumRel", "NumRelRet", "NumRet"),
    *("P", "R", "RBP", "RR", "Rprec", "Success", "infAP", "nDCG"),
    *("InputError", "MeasureError", "MissingPackageError", "NdcgError", "OptionError"),
    "__version__",
}


def module_name(path: Path) -> str:
    parts = ("ndcg", *path.relative_to(SOURCE).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in sorted(SOURCE.rglob("*.py"))}


def unit_of(module: str) -> str:
    """Name the file or folder directly under the package that a module belongs to."""
    return module.split(".")[1] if "." in module else "__init__"


def is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")


def runtime_nodes(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    children = ast.iter_child_nodes(node)
    if isinstance(node, ast.If) and is_type_checking(node):
        children = iter(node.orelse)
    for child in children:
        yield from runtime_nodes(child)


def package_of(module: str) -> str:
    return module if MODULES[module].name == "__init__.py" else module.rpartition(".")[0]


def origin_of(node: ast.ImportFrom, module: str) -> str:
    """Name the absolute module that a `from` import names, relative or not."""
    if not node.level:
        return node.module or ""
    parts = package_of(module).split(".")
    base = parts[: len(parts) - node.level + 1]
    return ".".join([*base, node.module] if node.module else base)


def imports_of(module: str) -> set[str]:
    found: set[str] = set()
    for node in runtime_nodes(ast.parse(MODULES[module].read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            origin = origin_of(node, module)
            names = {f"{origin}.{alias.name}" for alias in node.names}
            # Every floor may read the version, the one name that the root package holds itself.
            names.discard("ndcg.__version__")
            found.update(name if name in MODULES else origin for name in names)
    return found & MODULES.keys()


def exported_names(module: str) -> set[str]:
    """Name the public functions and classes of a module, and what an `__init__` passes on."""
    names: set[str] = set()
    passes_on = module == package_of(module)
    for node in ast.parse(MODULES[module].read_text("utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif passes_on and isinstance(node, ast.ImportFrom) and origin_of(node, module) != module:
            names.update(alias.asname or alias.name for alias in node.names)
    return {name for name in names if not name.startswith("_")}


def modules_loaded_by(code: str) -> set[str]:
    """Name the modules outside the standard library that code loads in a fresh interpreter."""
    script = (
        "import json, sys\n"
        "before = set(sys.modules)\n"
        f"{code}\n"
        "names = {name.partition('.')[0] for name in set(sys.modules) - before}\n"
        "print(json.dumps(sorted(names - sys.stdlib_module_names)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_every_module_has_a_floor() -> None:
    assert {unit_of(module) for module in MODULES} <= FLOOR_OF.keys()


@pytest.mark.parametrize("module", MODULES)
def test_a_module_imports_only_from_lower_floors(module: str) -> None:
    unit = unit_of(module)
    others = {name for name in imports_of(module) if unit_of(name) != unit}
    assert {name for name in others if FLOOR_OF[unit_of(name)] >= FLOOR_OF[unit]} == set()


def test_no_module_is_in_an_import_cycle() -> None:
    graph = TopologicalSorter({module: imports_of(module) for module in MODULES})
    try:
        graph.prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def test_importing_the_package_loads_only_the_standard_library() -> None:
    assert modules_loaded_by("import ndcg") == {"ndcg"}


def test_the_version_option_loads_nothing_but_the_command_line() -> None:
    code = (
        "from ndcg.cli import main\n"
        "sys.argv = ['ndcg', '--version']\n"
        "try:\n    main()\nexcept SystemExit as stop:\n    assert not stop.code, stop.code"
    )
    assert modules_loaded_by(code) == {"click", "ndcg"}


def test_the_public_names_are_these() -> None:
    assert set(ndcg.__all__) == PUBLIC
    assert len(ndcg.__all__) == len(PUBLIC)


def test_every_public_name_is_there_and_listed() -> None:
    assert {name for name in ndcg.__all__ if getattr(ndcg, name, None) is None} == set()
    assert set(ndcg.__all__) <= set(dir(ndcg))


def test_type_checkers_see_the_public_names() -> None:
    """A strict checker takes a re-exported name as public only from an `__all__` it can read."""
    tree = ast.parse(MODULES["ndcg"].read_text("utf-8"))
    literals = {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    (guard,) = (node for node in tree.body if is_type_checking(node))
    imported = {
        alias.asname or alias.name
        for node in ast.walk(guard)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert set(ast.literal_eval(literals["__all__"])) == PUBLIC
    assert imported == PUBLIC - {"__version__"}


def test_an_unknown_public_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="'ndcg' has no attribute 'nope'"):
        ndcg.nope  # noqa: B018


@pytest.mark.parametrize("word", ["util", "helper", "manager", "misc", "common"])
def test_no_module_is_named_for_nothing(word: str) -> None:
    assert [module for module in MODULES if word in module.rpartition(".")[2]] == []


@pytest.mark.parametrize("module", MODULES)
def test_no_public_name_equals_a_module_name(module: str) -> None:
    package = package_of(module)
    beside = {name.rpartition(".")[2] for name in MODULES if name.rpartition(".")[0] == package}
    names = set(ndcg.__all__) if module == "ndcg" else exported_names(module)
    assert names & beside == set()
