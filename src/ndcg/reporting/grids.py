"""A grid of cells in the formats that people paste: plain table, CSV, TSV, Markdown, LaTeX."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ndcg.errors import check_choice

if TYPE_CHECKING:
    from collections.abc import Sequence

GRID_FORMATS = ("table", "csv", "tsv", "md", "latex")
_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
}  # fmt: skip
_MISSING = "-"


@dataclass(frozen=True)
class Grid:
    """Column names and rows; numbers stand to the right, texts to the left."""

    names: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]
    digits: int = 4
    right: frozenset[str] = frozenset()

    def cells(self) -> list[list[str]]:
        """Return every cell as text; a missing value is ``-``."""
        return [[self._cell(value) for value in row] for row in self.rows]

    def _cell(self, value: object) -> str:
        if value is None or value != value:  # noqa: PLR0124 - NaN is the value unlike itself
            return _MISSING
        return f"{value:.{self.digits}f}" if isinstance(value, float) else str(value)

    def is_numeric(self, column: int) -> bool:
        """Whether a column holds numbers only, or is said to stand to the right."""
        if self.names[column] in self.right:
            return True
        values = [row[column] for row in self.rows if row[column] is not None]
        return bool(values) and all(isinstance(value, (int, float)) for value in values)


def render_grid(grid: Grid, format: str) -> str:
    """Return a grid as text in one of `GRID_FORMATS`, without a final line end."""
    check_choice("format", format, GRID_FORMATS)
    if format == "table":
        return _table(grid)
    if format in {"csv", "tsv"}:
        return _separated(grid, "," if format == "csv" else "\t")
    return _markdown(grid) if format == "md" else _latex(grid)


def _table(grid: Grid) -> str:
    lines = [list(grid.names), *grid.cells()]
    widths = [max(len(line[i]) for line in lines) for i in range(len(grid.names))]
    right = [grid.is_numeric(i) for i in range(len(grid.names))]
    return "\n".join(_aligned(line, widths, right) for line in lines)


def _aligned(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    parts = (
        cell.rjust(width) if to_right else cell.ljust(width)
        for cell, width, to_right in zip(cells, widths, right, strict=True)
    )
    return "  ".join(parts).rstrip()


def _separated(grid: Grid, separator: str) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=separator, lineterminator="\n")
    writer.writerow(grid.names)
    for row in grid.rows:
        # Data files get every digit; only what is read by eye is rounded.
        writer.writerow(["" if v is None or v != v else v for v in row])  # noqa: PLR0124
    return stream.getvalue().removesuffix("\n")


def _markdown(grid: Grid) -> str:
    lines = [list(grid.names), *grid.cells()]
    escaped = [[cell.replace("|", "\\|") for cell in line] for line in lines]
    widths = [max(3, *(len(line[i]) for line in escaped)) for i in range(len(grid.names))]
    right = [grid.is_numeric(i) for i in range(len(grid.names))]
    rule = [
        "-" * (width - 1) + ":" if to_right else "-" * width
        for width, to_right in zip(widths, right, strict=True)
    ]
    return "\n".join(
        "| " + " | ".join(
            cell.rjust(width) if to_right else cell.ljust(width)
            for cell, width, to_right in zip(line, widths, right, strict=True)
        ) + " |"
        for line in [escaped[0], rule, *escaped[1:]]
    )  # fmt: skip


def _latex(grid: Grid) -> str:
    columns = "".join("r" if grid.is_numeric(i) else "l" for i in range(len(grid.names)))
    lines = [[_to_latex(cell) for cell in line] for line in [list(grid.names), *grid.cells()]]
    body = [" & ".join(line) + r" \\" for line in lines]
    head = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", body[0], r"\midrule"]
    return "\n".join([*head, *body[1:], r"\bottomrule", r"\end{tabular}"])


def _to_latex(text: str) -> str:
    return "".join(_LATEX.get(letter, letter) for letter in text)
