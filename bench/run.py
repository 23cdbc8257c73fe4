"""Time ndcg against its peers and write bench/RESULTS.md."""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from statistics import median

from bench.report import Figures, Row, compose
from bench.timing import Command, CommandError, Usage, interleave, is_noisy, run_once, typical

# This process stays small: a child starts with its parent's memory, and that counts in its peak.
HERE = Path(__file__).parent
PYTHON = sys.executable
NDCG = str(Path(sys.executable).with_name("ndcg"))
CORES = 2

# Everything beside the three default measures.
OTHER_MEASURES = (
    *("CG@10", "DCG@10", "nDCG", "nDCG(gain='exp')@10", "P@10", "AP", "RR@10", "Rprec"),
    *("Success@10", "ERR@20", "RBP(p=0.8)", "Bpref", "infAP", "NumRet", "NumRel", "NumRelRet"),
)
DEFAULT_MEASURES = ("nDCG@10", "R@100", "Judged@10")
MEAN = re.compile(r"^ndcg(?:@|_cut_)10\s+(?:all\s+)?([0-9.]+)", re.IGNORECASE | re.MULTILINE)

TARGETS = (
    Row("6,980 x 1,000, time", "ndcg eval", "trec_eval", 1 / 8),
    Row("6,980 x 1,000, time", "ndcg eval", "pytrec_eval", 1 / 8),
    Row("6,980 x 1,000, time", "ndcg eval", "ir_measures"),
    Row("6,980 x 1,000, time", "ndcg eval", "ranx"),
    Row("the same, no intervals", "ndcg eval --no-ci", "trec_eval", 1 / 8),
    Row("the same, no intervals", "ndcg eval --no-ci", "pytrec_eval", 1 / 8),
    Row("6,980 x 1,000, peak memory", "ndcg eval", "trec_eval", 1.6, "peak"),
    Row("6,980 x 1,000, peak memory", "ndcg eval", "pytrec_eval", None, "peak"),
    Row("beside reading alone", "ndcg eval", "polars", 2.2),
    Row("run.txt.gz, beside reading alone", "ndcg eval, gz", "polars, gz", 2),
    Row("Parquet beside text", "ndcg eval, Parquet", "ndcg eval", 1 / 3),
    Row(
        "dictionaries in memory, nDCG@10", "ndcg, dictionaries", "pytrec_eval, dictionaries", 1 / 4
    ),
    Row("every other measure added", "ndcg eval, every measure", "ndcg eval", 1.6),
    Row("scores unsorted", "ndcg eval, unsorted", "ndcg eval", 3),
    Row("lines scattered", "ndcg eval, scattered", "ndcg eval", 3),
    Row("`import ndcg`, beyond Python's own start", "import", limit=0.06),
    Row("`ndcg --version`, whole process", "ndcg --version", limit=0.15),
    Row("43 x 1,000, whole process", "ndcg eval, 43 queries", limit=0.6),
    Row("43 x 1,000, whole process", "ndcg eval, 43 queries", "pytrec_eval, 43 queries"),
    Row("300 x 1,000, compare two runs, whole process", "ndcg compare, 300 queries", limit=1.5),
    Row("20 runs x 6,980 x 3, all tests", "ndcg, statistics", "scipy, statistics", 1 / 20),
)
LARGE_TARGETS = (
    Row("69,800 x 1,000, time", "ndcg eval, 69,800 queries", "polars, 69,800 queries"),
    Row("69,800 x 1,000, peak memory", "ndcg eval, 69,800 queries", "ndcg eval", None, "peak"),
)


def prepare(shape: str, data: Path) -> Path:
    """Return the folder of a shape's files, made anew when the generator has changed."""
    folder = data / shape
    marker = folder / "generator"
    digest = sha256((HERE / "generate.py").read_bytes()).hexdigest()
    if not marker.exists() or marker.read_text() != digest:
        print(f"making the files of {shape}", flush=True)
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([PYTHON, "-m", "bench.generate", shape, folder], check=True)
        marker.write_text(digest)
    return folder


def evaluate(folder: Path, run: str = "run.txt", *options: str) -> Command:
    return (NDCG, "eval", str(folder / "qrels.txt"), str(folder / run), *options)


def peer(name: str, folder: Path, run: str = "run.txt") -> Command:
    return (PYTHON, "-m", "bench.peers", name, str(folder / "qrels.txt"), str(folder / run))


def our_commands(folder: Path) -> dict[str, Command]:
    measures = [part for name in DEFAULT_MEASURES + OTHER_MEASURES for part in ("-m", name)]
    return {
        "ndcg eval": evaluate(folder),
        "ndcg eval --no-ci": evaluate(folder, "run.txt", "--no-ci"),
        "ndcg eval, every measure": evaluate(folder, "run.txt", *measures),
        "ndcg eval, gz": evaluate(folder, "run.txt.gz"),
        "ndcg eval, Parquet": evaluate(folder, "run.parquet"),
        "ndcg eval, unsorted": evaluate(folder, "unsorted.txt"),
        "ndcg eval, scattered": evaluate(folder, "scattered.txt"),
    }


def peer_commands(folder: Path) -> dict[str, Command]:
    files = (str(folder / "qrels.txt"), str(folder / "run.txt"))
    commands: dict[str, Command] = {
        "polars": peer("polars", folder),
        "polars, gz": peer("polars", folder, "run.txt.gz"),
        "pytrec_eval": peer("pytrec_eval", folder),
        "ir_measures": (PYTHON, "-m", "ir_measures", *files, " ".join(DEFAULT_MEASURES)),
        "ranx": peer("ranx", folder),
    }
    if trec_eval := shutil.which("trec_eval"):
        options = ("-c", "-m", "ndcg_cut.10", "-m", "recall.100")
        commands["trec_eval"] = (trec_eval, *options, *files)
    return commands


def start_commands(folder: Path) -> dict[str, Command]:
    return {
        "python, nothing imported": (PYTHON, "-c", "pass"),
        "python, ndcg imported": (PYTHON, "-c", "import ndcg"),
        "ndcg --version": (NDCG, "--version"),
        "ndcg eval, 43 queries": evaluate(folder),
        "pytrec_eval, 43 queries": peer("pytrec_eval", folder),
    }


def large_commands(folder: Path) -> dict[str, Command]:
    return {
        "ndcg eval, 69,800 queries": evaluate(folder),
        "polars, 69,800 queries": peer("polars", folder),
    }


def drop_failing(trials: Mapping[str, Command]) -> dict[str, str]:
    """Try each command on small files, which also warms its caches; return those that fail."""
    failed: dict[str, str] = {}
    for name, command in trials.items():
        try:
            run_once(command)
        except CommandError as error:
            print(f"left out: {name}: {error}", file=sys.stderr)
            failed[name] = str(error)
    return failed


def read_through(folder: Path) -> None:
    for path in folder.iterdir():
        with path.open("rb") as file:
            while file.read(1 << 20):
                pass


def our_mean(command: Command) -> float:
    answer = json.loads(run_once((*command, "--format", "json")).output)
    return float(answer["runs"][0]["measures"]["nDCG@10"]["mean"])


def peer_mean(usages: Sequence[Usage]) -> float | None:
    found = MEAN.search(usages[0].output)
    return float(found[1]) if found else None


def time_files(figures: Figures, small: Path, full: Path, rounds: int, without: set[str]) -> None:
    left_out = without | set(drop_failing(our_commands(small) | peer_commands(small)))
    ours = {name: line for name, line in our_commands(full).items() if name not in left_out}
    peers = {name: line for name, line in peer_commands(full).items() if name not in left_out}
    read_through(full)
    figures.usages |= interleave(ours | peers, rounds)
    figures.means |= {name: our_mean(command) for name, command in ours.items()}
    for name in peers:
        if (mean := peer_mean(figures.usages[name])) is not None:
            figures.means[name] = mean


def time_starts(figures: Figures, small: Path, rounds: int) -> None:
    figures.usages |= interleave(start_commands(small), rounds)
    bare = typical(figures.usages["python, nothing imported"], "wall")
    figures.seconds["import"] = typical(figures.usages["python, ndcg imported"], "wall") - bare


def time_dictionaries(figures: Figures, full: Path, rounds: int) -> None:
    report = json.loads(run_once((*peer("dictionaries", full), str(rounds))).output)
    for name in ("ndcg", "pytrec_eval"):
        figures.seconds[f"{name}, dictionaries"] = median(report[name])
        figures.means[f"{name}, dictionaries"] = report[f"{name} nDCG@10"][0]


def time_comparison(figures: Figures, folder: Path, rounds: int) -> None:
    second = folder / "second.txt"
    if not second.exists():
        with (folder / "run.txt").open() as run, second.open("w") as other:
            other.writelines(line for number, line in enumerate(run) if number % 7)
    files = [str(folder / name) for name in ("qrels.txt", "run.txt", "second.txt")]
    compare = (NDCG, "compare", *files, "--format", "json")
    # Exit codes 1 and 3 are verdicts, not failures.
    command = ("sh", "-c", '"$@" || [ $? -ne 2 ]', "sh", *compare)
    figures.usages |= interleave({"ndcg compare, 300 queries": command}, rounds)


def time_statistics(figures: Figures) -> None:
    report = json.loads(run_once((PYTHON, "-m", "bench.paired")).output)
    for name, elapsed in report.items():
        figures.seconds[f"{name}, statistics"] = elapsed


def notes_on(figures: Figures) -> list[str]:
    noisy = [name for name, usages in figures.usages.items() if is_noisy(usages)]
    ours = {mean for name, mean in figures.means.items() if name.startswith("ndcg")}
    same = "to the last bit" if len(ours) == 1 else f"NOT: {sorted(ours)}"
    spread = max(figures.means.values()) - min(figures.means.values())
    notes = [
        f"nDCG@10 from ndcg is the same whatever the form of the run: {same}.",
        f"All values of nDCG@10, peers' included, lie within {spread:.1e}; peers print 4 decimals.",
        "polars reads the three columns with a fixed schema: no check, no join, no measure.",
        "SciPy's time for all columns is that of one of each kind, times their number.",
        "trec_eval, pytrec_eval, ranx: nDCG@10 and R@100; ndcg and ir_measures: Judged@10 too.",
    ]
    if noisy:
        notes.insert(0, f"NOISY, repeat on an idle machine: {'; '.join(noisy)}.")
    if not shutil.which("trec_eval"):
        notes.append("trec_eval was not on the PATH; pytrec_eval wraps its code.")
    return notes


def keep_to_cores(count: int) -> int:
    """Bind this process and its children to a number of cores, where the system can."""
    if not hasattr(os, "sched_setaffinity"):
        return os.cpu_count() or 1
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:count])
    return len(os.sched_getaffinity(0))


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make bench ARGS=...", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="of the big files (default 5)")
    parser.add_argument("--large", action="store_true", help="69,800 queries too (2.6 GB on disk)")
    parser.add_argument("--without", action="append", default=[], help="leave out: ranx, ...")
    parser.add_argument("--data", type=Path, default=Path(".bench/data"))
    parser.add_argument("--output", type=Path, default=HERE / "RESULTS.md")
    return parser.parse_args()


def main() -> None:
    arguments = parse_arguments()
    cores = keep_to_cores(CORES)
    small, full = prepare("dl", arguments.data), prepare("msmarco", arguments.data)
    figures, rows = Figures(), list(TARGETS)
    time_starts(figures, small, 4 * arguments.rounds + 1)
    time_dictionaries(figures, full, arguments.rounds)
    time_comparison(figures, prepare("shop", arguments.data), arguments.rounds)
    time_statistics(figures)
    time_files(figures, small, full, arguments.rounds, set(arguments.without))
    if arguments.large:
        folder = prepare("large", arguments.data)
        figures.usages |= interleave(large_commands(folder), max(arguments.rounds // 2, 1))
        rows += LARGE_TARGETS
    arguments.output.write_text(compose(rows, figures, notes_on(figures), cores), "utf-8")
    print(f"wrote {arguments.output}")


if __name__ == "__main__":
    main()
