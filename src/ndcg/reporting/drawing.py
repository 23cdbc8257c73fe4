"""Charts drawn: inside a page in the page's own colours, or each as a file."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

from ndcg.errors import OptionError, check_choice, require
from ndcg.formats.writing import write_whole
from ndcg.reporting.chart_style import DOWN, FAINT, INK, MUTED, PAPER, UP
from ndcg.reporting.figures import figures_of

if TYPE_CHECKING:
    from ndcg.comparison import Comparison
    from ndcg.reporting.figures import Figure

__all__ = ["CHART_FORMATS", "write_charts"]

CHART_FORMATS = ("svg", "png", "pdf", "html")

_COLOURS = {
    INK: "currentColor", MUTED: "var(--muted)", FAINT: "var(--line)",
    UP: "var(--up)", DOWN: "var(--down)", PAPER: "var(--paper)",
}  # fmt: skip
_KEPT = {
    "d", "dx", "dy", "fill", "fill-opacity", "font-size", "font-weight", "opacity", "stroke",
    "stroke-dasharray", "stroke-width", "text-anchor", "transform", "x", "x2", "y", "y2",
}  # fmt: skip
_DEFAULTS = {
    ("opacity", "1"), ("stroke-width", "1"), ("transform", "translate(0,0)"), ("x2", "0"),
    ("y2", "0"), ("font-weight", "normal"), ("stroke-dasharray", "1,0"),
}  # fmt: skip
_NUMERIC = {"d", "transform", "x", "x2", "y", "y2", "dx", "dy"}
_DECIMAL = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")
# The least and the most that a chart is scaled by, so that its letters stay letters.
_LEAST, _MOST = 0.86, 1.3
_TITLE_LETTERS = 50
_PIXELS = 2.0
_PACKAGES = ("altair", "vl_convert", "jinja2")


def require_packages() -> None:
    """Raise `MissingPackageError` unless all is there that a page or a chart needs."""
    for package in _PACKAGES:
        require(package, extra="report")


@dataclass(frozen=True)
class Drawing:
    """A figure as SVG markup for a page, and the width at which it was drawn."""

    svg: str
    width: float


def draw(figure: Figure, number: int) -> Drawing:
    """Return a figure to stand inside a page: its colours, its font, a text alternative."""
    root = ET.fromstring(_vega(figure.plot(), "svg"))  # noqa: S314 - our own drawing
    _, _, width, height = (float(part) for part in root.attrib["viewBox"].split())
    whole = ET.Element(
        "svg",
        {
            "viewBox": f"0 0 {width:g} {height:g}",
            "role": "img",
            "aria-label": figure.title,
            "aria-describedby": f"told-{number}",
            "fill": "none",
            "style": f"min-width:{_LEAST * width:.0f}px;max-width:{_MOST * width:.0f}px",
        },
    )
    told = ET.SubElement(whole, "desc", {"id": f"told-{number}"})
    told.text = figure.caption
    whole.extend(cleaned for part in root if (cleaned := _cleaned(part)) is not None)
    return Drawing(ET.tostring(whole, encoding="unicode"), width)


def _vega(chart: Any, form: str, **options: Any) -> Any:
    convert = require("vl_convert", extra="report")
    # No chart of ours names an address; none may be asked for.
    if form != "html":
        options["allowed_base_urls"] = []
    return getattr(convert, f"vegalite_to_{form}")(chart.to_dict(validate=False), **options)


def _cleaned(element: ET.Element) -> ET.Element | None:
    """Return an element without what a page has no use for, None where nothing is left."""
    if element.get("display") == "none" or element.get("class") == "background":
        return None
    tag = element.tag.rpartition("}")[2]
    attributes = {}
    for key, value in element.attrib.items():
        if key in _KEPT and (key, value) not in _DEFAULTS:
            plain = _DECIMAL.sub(_rounded, value) if key in _NUMERIC else value
            attributes[key] = _COLOURS.get(plain, plain) if key in {"fill", "stroke"} else plain
    children = [cleaned for child in element if (cleaned := _cleaned(child)) is not None]
    if tag == "g" and not attributes and len(children) == 1:
        return children[0]
    if tag == "g" and not children:
        return None
    result = ET.Element(tag, attributes)
    result.text = element.text
    result.extend(children)
    return result


def _rounded(number: re.Match[str]) -> str:
    return f"{round(float(number[0]), 2) + 0.0:g}"


def write_charts(comparison: Comparison, folder: str | Path, *, format: str = "svg") -> list[Path]:
    """Write every chart of a comparison to a file of its own, with its title.

    Parameters
    ----------
    comparison
        What `ndcg.compare` returned.
    folder
        Where to; made when it is not there.
    format
        ``"svg"``, ``"png"``, ``"pdf"`` or ``"html"`` (with tooltips, and works offline).

    Returns
    -------
    list of Path
        The files, in the order of the page.
    """
    check_choice("format", format, CHART_FORMATS)
    place = Path(folder)
    written: list[Path] = []
    for figure in figures_of(comparison):
        content = _drawn(figure, format)
        if not written:
            _make_folder(place)
        path = _free_path(place, figure.key, format, written)
        write_whole(path, content)
        written.append(path)
    return written


def _drawn(figure: Figure, form: str) -> bytes:
    lines = textwrap.wrap(figure.title, _TITLE_LETTERS)
    chart = figure.plot().properties(
        title={"text": lines}, background="white", description=figure.description
    )
    if form == "png":
        return bytes(_vega(chart, form, scale=_PIXELS))
    if form == "pdf":
        return bytes(_vega(chart, form))
    if form == "html":
        return str(_vega(chart, form, bundle=True)).encode()
    return str(_vega(chart, form)).encode()


def _make_folder(place: Path) -> None:
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OptionError(f"{place}: cannot make this folder ({error.strerror})") from None


def _free_path(place: Path, key: str, form: str, taken: list[Path]) -> Path:
    """Return a path for a figure that any system takes and that no other figure has."""
    stem = re.sub(r"[^\w@.-]+", "-", key).strip(".-")[:80] or "chart"
    path = place / f"{stem}.{form}"
    copy = 1
    while path in taken:
        copy += 1
        path = place / f"{stem}-{copy}.{form}"
    return path
