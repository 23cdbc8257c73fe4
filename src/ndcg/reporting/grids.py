"""A grid of cells in the formats that people paste: plain table, CSV, TSV, Markdown, LaTeX."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ndcg.errors import check_choice

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

GRID_FORMATS = ("table", "csv", "tsv", "md", "latex")
WIDTH = 80

_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
    "†": r"$^\dagger$",
}  # fmt: skip
_MARKDOWN = re.compile(r"[\\|*`<]|\[(?=[^\]]*\][(\[])|(?<![^\W_])_|_(?![^\W_])")
# Controls, marks that change direction, half surrogates and line separators.
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_MISSING = "-"
_GAP = "  "
_NARROWEST = 16


class Bold(str):
    """A cell that Markdown and LaTeX set in bold."""

    __slots__ = ()


@dataclass(frozen=True)
class Grid:
    """Column names and rows; numbers stand to the right, texts to the left."""

    names: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]
    digits: int = 4
    right: frozenset[str] = frozenset()

    def lines(self) -> list[list[str]]:
        """Return names and cells as text fit for one line; a missing value is ``-``."""
        rows = [[self._cell(value) for value in row] for row in self.rows]
        return [[printable(cell) for cell in line] for line in [list(self.names), *rows]]

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

    def alignment(self) -> list[bool]:
        """Return for each column whether it stands to the right."""
        return [self.is_numeric(i) for i in range(len(self.names))]


def render_grid(grid: Grid, format: str) -> str:
    """Return a grid as text in one of `GRID_FORMATS`, without a final line end."""
    check_choice("format", format, GRID_FORMATS)
    if format == "table":
        return _table(grid)
    if format in {"csv", "tsv"}:
        return _separated(grid, "," if format == "csv" else "\t")
    return _markdown(grid) if format == "md" else _latex(grid)


def printable(text: str) -> str:
    r"""Return a text with what a terminal would act on spelled out.

    >>> printable("a\tb\x1b[31m")
    'a\\tb\\x1b[31m'
    """
    if text.isprintable():
        return text
    return "".join(
        letter.encode("unicode_escape").decode()
        if unicodedata.category(letter) in _UNSEEN
        else letter
        for letter in text
    )


def display_width(text: str) -> int:
    """Return how many columns of a terminal a text takes: two for a wide character.

    >>> display_width("日本"), display_width("e\u0301")
    (4, 1)
    """
    return len(text) if text.isascii() else sum(map(_letter_width, text))


def _letter_width(letter: str) -> int:
    if unicodedata.category(letter) in {"Mn", "Me"}:
        return 0
    return 2 if unicodedata.east_asian_width(letter) in {"W", "F"} else 1


def shorten(text: str, width: int) -> str:
    """Return a text cut in its middle where it is wider than `width`.

    >>> shorten("https://example.org/a/b", 11)
    'https…g/a/b'
    """
    if display_width(text) <= width:
        return text
    head = fitting(text, width - 1 - (width - 1) // 2)
    tail = fitting(text[::-1], (width - 1) // 2)[::-1]
    return f"{head}…{tail}"


def fitting(text: str, width: int) -> str:
    """Return as much of the beginning of a text as fits in `width` columns."""
    taken = 0
    for i, letter in enumerate(text):
        taken += _letter_width(letter)
        if taken > width:
            return text[:i]
    return text


def _table(grid: Grid) -> str:
    """Return aligned columns of 80 characters at most.

    Long texts are cut first; then the columns of numbers follow in blocks below one another, each
    with the texts again.
    """
    lines, right = grid.lines(), grid.alignment()
    widths = _fit([max(display_width(line[i]) for line in lines) for i in range(len(right))], right)
    lines = [
        [shorten(cell, width) for cell, width in zip(line, widths, strict=True)] for line in lines
    ]
    blocks = []
    for columns in _blocks(widths, right):
        rows = [_aligned([line[i] for i in columns], [widths[i] for i in columns],
                         [right[i] for i in columns]) for line in lines]  # fmt: skip
        blocks.append("\n".join(row.rstrip() for row in rows))
    return "\n\n".join(blocks)


def _fit(widths: list[int], right: Sequence[bool]) -> list[int]:
    """Return column widths with the widest texts narrowed, as far as 80 characters need it."""
    texts = [i for i, to_right in enumerate(right) if not to_right]
    while texts and _total(widths) > WIDTH:
        widest = max(texts, key=lambda i: widths[i])
        if widths[widest] <= _NARROWEST:
            break
        widths[widest] -= 1
    return widths


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + len(_GAP) * (len(widths) - 1)


def _blocks(widths: Sequence[int], right: Sequence[bool]) -> list[list[int]]:
    """Part the columns into blocks that fit, each of all texts and some of the numbers."""
    texts = [i for i, to_right in enumerate(right) if not to_right]
    blocks = [list(texts)]
    for i in (i for i, to_right in enumerate(right) if to_right):
        wider = sorted([*blocks[-1], i])
        if len(blocks[-1]) > len(texts) and _total([widths[column] for column in wider]) > WIDTH:
            wider = sorted([*texts, i])
            blocks.append(wider)
        blocks[-1] = wider
    return blocks


def _aligned(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    return _GAP.join(map(_padded, cells, widths, right))


def _padded(cell: str, width: int, to_right: bool) -> str:  # noqa: FBT001 - mapped over columns
    blanks = " " * (width - display_width(cell))
    return blanks + cell if to_right else cell + blanks


def _separated(grid: Grid, separator: str) -> str:
    # Data files get every digit; only what is read by eye is rounded.
    rows = [["" if v is None or v != v else str(v) for v in row] for row in grid.rows]  # noqa: PLR0124
    return "\n".join(
        separator.join(_quoted(cell, separator) for cell in line) for line in [grid.names, *rows]
    )


def _quoted(cell: str, separator: str) -> str:
    if not any(mark in cell for mark in (separator, '"', "\n", "\r")):
        return cell
    return '"{}"'.format(cell.replace('"', '""'))


def _spelled(grid: Grid, spell: Callable[[str], str], bold: tuple[str, str]) -> list[list[str]]:
    lines = [[spell(cell) for cell in line] for line in grid.lines()]
    for line, row in zip(lines[1:], grid.rows, strict=True):
        for i, cell in enumerate(row):
            if isinstance(cell, Bold):
                line[i] = line[i].join(bold)
    return lines


def to_markdown(text: str) -> str:
    """Return a text of one line that Markdown shows as it is."""
    return _MARKDOWN.sub(r"\\\g<0>", text)


def _markdown(grid: Grid) -> str:
    lines = _spelled(grid, to_markdown, ("**", "**"))
    right = grid.alignment()
    widths = [
        min(WIDTH, max(3, *(display_width(line[i]) for line in lines))) for i in range(len(right))
    ]
    rule = [
        "-" * (width - 1) + ":" if to_right else "-" * width
        for width, to_right in zip(widths, right, strict=True)
    ]
    return "\n".join(
        f"| {' | '.join(map(_padded, line, widths, right))} |"
        for line in [lines[0], rule, *lines[1:]]
    )


def _latex(grid: Grid) -> str:
    columns = "".join("r" if to_right else "l" for to_right in grid.alignment())
    lines = _spelled(grid, to_latex, (r"\textbf{", "}"))
    # An empty group keeps [ and * from being read as options of the line break before them.
    starts = ["{}" if line[0][:1] in {"[", "*"} else "" for line in lines]
    body = [f"{start}{' & '.join(line)} \\\\" for start, line in zip(starts, lines, strict=True)]
    head = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", body[0], r"\midrule"]
    return "\n".join([*head, *body[1:], r"\bottomrule", r"\end{tabular}"])


def to_latex(text: str) -> str:
    """Return a text that LaTeX sets as it is."""
    return "".join(_LATEX.get(letter, letter) for letter in text)
