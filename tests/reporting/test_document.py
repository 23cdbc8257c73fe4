"""The page: what it shows is what was compared, and nothing leaves it or gets into it."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from ndcg import OptionError
from ndcg.comparison import Comparison, compare
from ndcg.errors import MissingPackageError
from ndcg.reporting.document import render_report, write_report
from ndcg.reporting.figures import figures_of
from ndcg.reporting.page_tables import moved_table
from ndcg.reporting.provenance import report_to_json, shell_line, versions

SAMPLES = Path(__file__).parents[2] / "src" / "ndcg" / "samples"
RUNS = {name: SAMPLES / f"{name}.run.gz" for name in ("bm25", "tfidf", "minilm")}
VOID = {"meta", "link", "br", "img", "input", "hr"}
HOSTILE = (
    "<script>alert(1)</script>",
    "\"><img src=x onerror='alert(1)'>",
    "</style></svg></title><i>",
    "a & b &lt; &amp;",
    "line\nbreak\ttab\x00\u202eflip",
    "日本語のランキング",
    "{{ 7 * 7 }}{% raw %}",
    "x" * 3_000,
    'fill="#1170aa"',
)


@dataclass
class Element:
    tag: str
    attributes: dict[str, str]
    children: list[Element | str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(one if isinstance(one, str) else one.text for one in self.children)

    def all(self, tag: str, **attributes: str) -> list[Element]:
        found = []
        for one in self.children:
            if isinstance(one, Element):
                if one.tag == tag and attributes.items() <= one.attributes.items():
                    found.append(one)
                found += one.all(tag, **attributes)
        return found

    def one(self, tag: str, **attributes: str) -> Element:
        (found,) = self.all(tag, **attributes)
        return found

    def rows(self) -> list[list[str]]:
        """Return the cells of a table."""
        return [
            [cell.text for cell in row.children if isinstance(cell, Element)]
            for row in self.all("tr")
        ]


class Tree(HTMLParser):
    """A page as elements; a tag that is not closed in order fails."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.root = Element("", {})
        self._open = [self.root]
        self.feed(page)
        self.close()
        assert self._open == [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs})
        assert len(element.attributes) == len(attrs)
        self._open[-1].children.append(element)
        if tag not in VOID:
            self._open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop().tag == tag

    def handle_data(self, data: str) -> None:
        self._open[-1].children.append(data)


def table_called(tree: Element, caption: str) -> list[list[str]]:
    (found,) = (one for one in tree.all("table") if one.one("caption").text == caption)
    return found.rows()


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    slices = SAMPLES / "slices.tsv"
    return compare(SAMPLES / "qrels.txt", RUNS, ["nDCG@10", "AP"], slices=slices, n_resamples=199)


@pytest.fixture(scope="module")
def page(comparison: Comparison) -> str:
    return render_report(comparison, command="ndcg report 'a b' c")


@pytest.fixture(scope="module")
def tree(page: str) -> Element:
    return Tree(page).root


@pytest.fixture(scope="module")
def hostile() -> Comparison:
    """Return a comparison in which every name is an attack or an accident."""
    queries = [f"{name}{i}" for name in HOSTILE for i in range(3)]
    qrels = {query: {f"{query}+": 3, "b": 1} for query in queries}
    runs = {"<b>base</b>": {query: {f"{query}+": 2.0, "b": 1.0} for query in queries}}
    for n, name in enumerate(HOSTILE):
        worse = set(queries[n : 12 + n])
        runs[name] = {
            query: {f"{query}+": 0.0 if query in worse else 2.0, "b": 1.0} for query in queries
        }
    slices = {query: {"<u>kind</u>": HOSTILE[i % len(HOSTILE)]} for i, query in enumerate(queries)}
    return compare(qrels, runs, slices=slices, n_resamples=99)


def elements_of(element: Element) -> list[Element]:
    inner = [one for one in element.children if isinstance(one, Element)]
    return inner + [two for one in inner for two in elements_of(one)]


def test_the_page_asks_for_nothing(page: str, tree: Element) -> None:
    assert re.findall(r"https?:|//\w|@import|url\(", page) == []
    assert tree.all("script") == []
    assert [one.attributes["href"] for one in tree.all("link")] == ["data:,"]
    named = {name for one in elements_of(tree) for name in one.attributes}
    assert named & {"src", "srcset", "action", "data", "xlink:href"} == set()
    assert [name for name in named if name.startswith("on")] == []
    policy = tree.one("meta", **{"http-equiv": "Content-Security-Policy"}).attributes["content"]
    assert policy == "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def test_every_figure_has_a_title_a_text_alternative_and_its_numbers(
    tree: Element, comparison: Comparison
) -> None:
    told = list(figures_of(comparison))
    shown = {one.one("h3").text: one for one in tree.all("figure")}
    assert len(shown) == len(told) == 11
    for figure in told:
        drawn = shown[figure.title]
        svg = drawn.one("svg")
        assert svg.attributes["role"] == "img"
        assert svg.attributes["aria-label"] == figure.title
        assert svg.one("desc", id=svg.attributes["aria-describedby"]).text == figure.caption
        assert drawn.one("p").text == figure.caption
        assert drawn.one("details").one("table").rows() == figure.numbers.lines()
    ids = [one.attributes["id"] for one in elements_of(tree) if "id" in one.attributes]
    assert len(ids) == len(set(ids))


def test_charts_are_drawn_in_colours_that_follow_the_theme(tree: Element) -> None:
    parts = [part for svg in tree.all("svg") for part in elements_of(svg)]
    colours = {part.attributes.get(name) for part in parts for name in ("fill", "stroke")}
    variables = {"var(--up)", "var(--down)", "var(--muted)", "var(--line)", "var(--paper)"}
    assert colours - {None, "none"} == {"currentColor", *variables}
    assert {part.tag for part in parts} == {"desc", "g", "line", "path", "text"}


def test_verdicts_come_first_in_words_and_colour(
    page: str, tree: Element, comparison: Comparison
) -> None:
    lists = tree.all("ul", **{"class": "verdicts"})
    shown = [one for listed in lists for one in listed.all("li")]
    assert [one.text for one in shown] == [
        f"{pair.run} \u25c6 {pair.verdict.word}: {'; '.join(pair.verdict.reasons)}."
        for pair in comparison.pairs
    ]
    assert {one.attributes["class"] for one in shown} == {"cannot-tell"}
    assert [one.text for one in tree.all("h2")][:3] == ["nDCG@10", "AP", "Differences"]
    assert page.index('class="verdicts"') < page.index("<svg")


def test_each_verdict_has_its_own_mark_and_class(tmp_path: Path) -> None:
    qrels = {f"q{i}": {"a": 1, "b": 0} for i in range(40)}
    good = {query: {"a": 2.0, "b": 1.0} for query in qrels}
    bad = {query: {"a": 1.0, "b": 2.0} for query in qrels}
    half = {q: (good if i % 2 else bad)[q] for i, q in enumerate(qrels)}
    near = half | {"q0": good["q0"]}
    swapped = {q: (bad if i % 2 else good)[q] for i, q in enumerate(qrels)}
    runs = {"half": half, "good": good, "bad": bad, "near": near, "swapped": swapped}
    found = compare(qrels, runs, n_resamples=99)
    write_report(found, tmp_path / "r.html")
    shown = Tree((tmp_path / "r.html").read_text("utf-8")).root.one("ul", **{"class": "verdicts"})
    assert [(one.attributes["class"], one.one("span").text) for one in shown.all("li")] == [
        ("better", "\u25b2 better"),
        ("worse", "\u25bc worse"),
        ("cannot-tell", "\u25c6 cannot tell"),
        ("no-difference", "\u25cf no difference"),
    ]


@pytest.mark.parametrize("measure", ["nDCG@10", "AP"])
def test_the_tables_hold_the_numbers_of_the_comparison(
    tree: Element, comparison: Comparison, measure: str
) -> None:
    head, *rows = table_called(tree, f"Pairs, {measure}")
    assert head == ["run", "verdict", "n", "baseline mean", "mean", "difference", "interval", "p",
                    "d_z", "up/same/down", "judged", "MDE"]  # fmt: skip
    pairs = [pair for pair in comparison.pairs if repr(pair.measure) == measure]
    for row, pair in zip(rows, pairs, strict=True):
        told, (low, high) = pair.numbers, pair.numbers.interval or (0, 0)
        assert row[:2] == [pair.run, pair.verdict.word]
        assert [int(row[2]), *map(float, row[3:6])] == pytest.approx(
            [told.n, *told.means, told.difference], abs=5e-5
        )
        assert row[6] == f"[{low:+.3f}, {high:+.3f}]"
        assert row[9] == f"{told.wins}/{told.ties}/{told.losses}"
    head, *rows = table_called(tree, f"Slices, {measure}")
    parts = [part for part in comparison.slices if repr(part.measure) == measure]
    for row, part in zip(rows, parts, strict=True):
        assert row[:3] == [f"{part.slice} = {part.value}", part.run, f"{part.numbers.n}"]
        assert float(row[5]) == pytest.approx(part.numbers.difference, abs=5e-5)
    assert {row[7] for row in rows if int(row[2]) < 10} == {"-"}


def test_the_queries_that_moved_most_are_listed(tree: Element, comparison: Comparison) -> None:
    rows = table_called(tree, "Queries that moved most, nDCG@10")
    assert rows == moved_table(comparison, comparison.pairs[0].measure).lines()
    assert rows[1][:3] == [
        "tfidf",
        "c107\u00a0+0.43, c038\u00a0+0.31, c024\u00a0+0.27, c100\u00a0+0.19, c020\u00a0+0.17",
        "c110\u00a0-1.00, c121\u00a0-1.00, c134\u00a0-0.78, c081\u00a0-0.71, c132\u00a0-0.67",
    ]
    assert rows[1][3].startswith("20: c110, c121, c134, ")
    assert rows[1][3].endswith(" and 8 more")
    commands = tree.all("pre")[0].text.splitlines()
    assert commands[0] == "ndcg explain QRELS tfidf c110 -m nDCG@10 --against bm25"
    assert len(commands) == len(comparison.pairs)


def test_notices_and_origin_are_there(tree: Element, comparison: Comparison) -> None:
    notices = [one.text for one in tree.one("ul", **{"class": "notices"}).all("li")]
    assert notices == [f"{n.run}: {n.text}" if n.run else n.text for n in comparison.notices]
    names = [one.text for one in tree.all("dt")]
    facts = dict(zip(names, [one.text for one in tree.all("dd")], strict=True))
    assert facts == {
        "Measures": "nDCG@10, AP",
        "Convention": "gain linear, log2, ties trec, unanswered 0, barren 0",
        "Test": "paired bootstrap test, corrected by Holm over the runs, 199 resamples, seed 0, "
        "level 0.95",
        "Seed": "0",
        "Judgments": f"3,668, sha256 {comparison.scores.qrels_digest}",
        "Versions": ", ".join(f"{name} {version}" for name, version in versions().items()),
    }
    assert {"ndcg", "python", "numpy", "polars"} == versions().keys()
    assert tree.one("pre", id="command").text == "ndcg report 'a b' c"
    assert table_called(tree, "Runs")[1:] == [
        ["bm25", "131 of 135"], ["tfidf", "129 of 135"], ["minilm", "135 of 135"],
    ]  # fmt: skip


def test_digests_of_runs_are_shown_where_they_are_known(comparison: Comparison) -> None:
    scores = comparison.scores
    first = replace(scores.runs[0], digest="ab" * 32)
    known = replace(comparison, scores=replace(scores, runs=(first, *scores.runs[1:])), slices=())
    rows = table_called(Tree(render_report(known)).root, "Runs")
    assert rows[0] == ["run", "queries answered", "digest (sha256)"]
    assert [row[2] for row in rows[1:]] == ["ab" * 32, "-", "-"]


def test_a_page_without_a_command_or_slices_leaves_them_out() -> None:
    found = compare(SAMPLES / "qrels.txt", RUNS, n_resamples=9)
    tree = Tree(render_report(found)).root
    assert tree.all("pre", id="command") == []
    assert [one.text for one in tree.all("h2")] == [
        "Differences", "Query by query", "Scores", "What could mislead", "How it was made",
    ]  # fmt: skip


def test_the_same_comparison_gives_the_same_bytes(comparison: Comparison, page: str) -> None:
    assert render_report(comparison, command="ndcg report 'a b' c") == page


def test_hostile_names_stay_text(hostile: Comparison, comparison: Comparison) -> None:
    tree = Tree(render_report(hostile, command=shell_line(HOSTILE))).root
    plain = Tree(render_report(comparison, command="x")).root
    assert {one.tag for one in elements_of(tree)} <= {one.tag for one in elements_of(plain)}
    names = {name for one in elements_of(plain) for name in one.attributes}
    assert {name for one in elements_of(tree) for name in one.attributes} <= names
    shown = [row[0] for row in table_called(tree, "Runs")[1:]]
    assert shown[:5] == [
        "<b>base</b>", HOSTILE[0], HOSTILE[1], HOSTILE[2], HOSTILE[3],
    ]  # fmt: skip
    assert shown[5:] == ["line\\nbreak\\ttab\\x00\\u202eflip", *HOSTILE[5:]]
    assert len({one.one("h3").text for one in tree.all("figure")}) == len(tree.all("figure"))


def test_a_very_long_name_is_whole_once_and_short_elsewhere(hostile: Comparison) -> None:
    page = render_report(hostile)
    assert re.sub("<pre>.*?</pre>", "", page, flags=re.DOTALL).count("x" * 3_000) == 1
    short = "x" * 30 + "…" + "x" * 29
    assert f"<b>{short}</b>" in page


def test_every_pair_is_told_with_both_names() -> None:
    found = compare(SAMPLES / "qrels.txt", RUNS, n_resamples=99, all_pairs=True,
                    slices=SAMPLES / "slices.tsv")  # fmt: skip
    tree = Tree(render_report(found)).root
    assert [one.text for one in tree.one("ul", **{"class": "verdicts"}).all("b")] == [
        "tfidf against bm25", "minilm against bm25", "minilm against tfidf",
    ]  # fmt: skip
    rows = table_called(tree, "Pairs, nDCG@10")
    assert [row[:2] for row in rows[1:]] == [
        ["tfidf", "bm25"], ["minilm", "bm25"], ["minilm", "tfidf"],
    ]  # fmt: skip
    slices = table_called(tree, "Slices, nDCG@10")
    assert [row[1] for row in slices[1:]] == ["tfidf"] * 5 + ["minilm"] * 5
    assert "Every run is compared with bm25." in tree.text


def test_a_pair_with_one_query_in_common_is_told() -> None:
    qrels = {f"q{i}": {"a": 1} for i in range(4)}
    runs = {
        "old": {"q0": {"a": 1.0}, "q1": {"a": 1.0}},
        "new": {"q1": {"b": 2.0, "a": 1.0}, "q2": {"a": 1.0}},
    }
    found = compare(qrels, runs, convention="pytrec_eval", n_resamples=9)
    tree = Tree(render_report(found)).root
    assert "1 query in common is no sample" in tree.one("ul", **{"class": "verdicts"}).text
    row = table_called(tree, "Pairs, nDCG@10")[1]
    assert (row[2], row[6], row[9]) == ("1", "-", "0/0/1")
    assert tree.all("h3")[0].text == "new against old: -0.3691 nDCG@10, cannot tell"


def test_the_page_appears_whole_or_not_at_all(comparison: Comparison, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    write_report(comparison, path)
    written = path.read_bytes()
    assert written.startswith(b"<!doctype html>\n")
    assert written.endswith(b"</html>\n")
    assert len(written) < 300_000
    with pytest.raises(OptionError, match="there is no folder"):
        write_report(comparison, tmp_path / "missing" / "report.html")


@pytest.mark.parametrize("package", ["altair", "vl_convert", "jinja2"])
def test_without_a_package_the_message_says_how_to_install(
    monkeypatch: pytest.MonkeyPatch, comparison: Comparison, tmp_path: Path, package: str
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    message = f'{package} is not installed; run: pip install "ndcg[report]"'
    with pytest.raises(MissingPackageError, match=re.escape(message)):
        write_report(comparison, tmp_path / "report.html")
    assert list(tmp_path.iterdir()) == []


def test_a_broken_package_is_not_called_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    from ndcg.errors import require

    monkeypatch.setitem(sys.modules, "json.nothing", None)
    with pytest.raises(ModuleNotFoundError) as caught:
        require("json.nothing", extra="report")
    assert not isinstance(caught.value, MissingPackageError)


@pytest.mark.parametrize("words", [HOSTILE[:4], ("", "-", "~", "$HOME", "a\\b'c\n", "*"), HOSTILE])
def test_a_shell_reads_the_command_back(words: tuple[str, ...]) -> None:
    given = [word.replace("\x00", "") for word in words]
    line = shell_line(given)
    assert line.isprintable()
    done = subprocess.run(
        ["/bin/bash", "-c", f"printf '%s\\0' {line}"], capture_output=True, check=True
    )
    assert done.stdout.decode().split("\0")[:-1] == given


def test_json_is_the_comparison_and_where_it_came_from(comparison: Comparison) -> None:
    told: dict[str, Any] = report_to_json(comparison, "ndcg report x")
    assert {key: told[key] for key in comparison.to_dict()} == comparison.to_dict()
    assert told["command"] == "ndcg report x"
    assert told["versions"] == versions()
    assert told["runs"] == [{"name": name, "digest": None} for name in RUNS]


def test_the_manuals_python_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("qrels.txt").write_text("".join(f"q{i} 0 d1 1\n" for i in range(12)))
    for name, score in (("bm25", 1), ("dense", 3)):
        lines = (f"q{i} Q0 d1 1 {score} t\nq{i} Q0 d2 1 2 t\n" for i in range(12))
        Path(f"{name}.run").write_text("".join(lines))
    manual = (SAMPLES.parents[2] / "docs" / "report.md").read_text("utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", manual, re.DOTALL)
    exec(code, {})  # noqa: S102 - the manual's own code
    names = sorted(path.name for path in Path("charts").iterdir())
    assert names == ["coverage.svg", "differences.svg", "queries-dense.svg", "scores.svg"]
    assert "dense against bm25" in Path("report.html").read_text("utf-8")
