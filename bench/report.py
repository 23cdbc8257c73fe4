"""The results page: targets first, then every figure they were taken from."""

import os
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version

from bench.timing import Quantity, Usage, typical

PACKAGES = ("ndcg", "polars", "numpy", "pytrec_eval-terrier", "ir_measures", "ranx")
MEGABYTE = 1e6
GIBIBYTE = 2**30


@dataclass(frozen=True)
class Row:
    """One target: our figure, as a share of another's or as it is, and its upper limit."""

    what: str
    ours: str
    other: str | None = None
    limit: float | None = None
    quantity: Quantity = "wall"


@dataclass
class Figures:
    """Every measured process, figures that are not one process, and the values computed."""

    usages: dict[str, list[Usage]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    means: dict[str, float] = field(default_factory=dict)

    def find(self, name: str, quantity: Quantity) -> float | None:
        if name in self.usages:
            return typical(self.usages[name], quantity)
        return self.seconds.get(name) if quantity == "wall" else None


def show_quantity(value: float, quantity: Quantity) -> str:
    return f"{value / MEGABYTE:,.0f} MB" if quantity == "peak" else f"{value:.3f} s"


def show_ratio(value: float, digits: int = 2) -> str:
    return f"{value:.{digits}f}" if value >= 1 else f"1/{1 / value:.{digits}f}"


def show_limit(row: Row) -> str:
    if row.limit is None:
        return ""
    if row.other is None:
        return f"≤ {row.limit:g} s"
    return f"≤ {row.limit:g}" if row.limit >= 1 else f"≤ 1/{1 / row.limit:g}"


def judge(row: Row, figures: Figures) -> tuple[str, ...]:
    """Return the cells of a row; what was not measured is said, never counted as met."""
    ours = figures.find(row.ours, row.quantity)
    other = figures.find(row.other, row.quantity) if row.other else None
    shown = show_quantity(ours, row.quantity) if ours is not None else "not measured"
    beside = row.other or ""
    if ours is None or (row.other and other is None):
        return row.what, shown, f"{beside}: not measured", "", show_limit(row), "not measured"
    reached = ours / other if other else ours
    ratio = show_ratio(reached) if other else ""
    if other:
        beside = f"{row.other}: {show_quantity(other, row.quantity)}"
    met = "" if row.limit is None else "yes" if reached <= row.limit else "no"
    return row.what, shown, beside, ratio, show_limit(row), met


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def detail(name: str, usages: Sequence[Usage], means: Mapping[str, float]) -> tuple[str, ...]:
    walls = [usage.wall for usage in usages]
    return (
        name,
        f"{typical(usages, 'wall'):.3f} s",
        f"{min(walls):.3f}-{max(walls):.3f}",
        f"{typical(usages, 'cpu'):.3f} s",
        show_quantity(typical(usages, "peak"), "peak"),
        f"{means[name]:.6f}".rstrip("0") if name in means else "",
        str(len(usages)),
    )


def describe_machine(cores: int) -> str:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / GIBIBYTE
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return f"{cores} cores, {memory:.0f} GiB, {platform.system()} {platform.machine()}, {python}"


def compose(rows: Sequence[Row], figures: Figures, notes: Sequence[str], cores: int) -> str:
    versions = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    judged = table(
        ("what", "ours", "other", "ours / other", "target", "met"),
        (judge(row, figures) for row in rows),
    )
    details = table(
        ("process", "median", "range", "processor", "peak", "nDCG@10", "times"),
        (detail(name, usages, figures.means) for name, usages in figures.usages.items()),
    )
    return f"""# Benchmark

`make bench` wrote this page: whole processes, run in turn round after round (A B C, A B C), their
medians, and ratios of figures from that one run. A ratio below 1 is written 1/x.

- Machine: {describe_machine(cores)}.
- Versions: {versions}.
- Files were read once beforehand, and every program had run once on a small run.
{chr(10).join(f"- {note}" for note in notes)}

## Targets

{judged}

## Every process

{details}
"""
