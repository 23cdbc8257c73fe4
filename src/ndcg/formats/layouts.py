"""How lines of text are laid out: separator, columns, header; named or sniffed from the content."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from ndcg.errors import InputError, check_choice
from ndcg.formats.exports import is_export
from ndcg.formats.lines import BOM, is_number, split_fields
from ndcg.formats.sources import HEAD_BYTES, refuse_binary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ndcg.formats.sources import Source

Kind = Literal["qrels", "run"]
FORMATS = ("trec", "beir", "tsv", "csv", "msmarco", "parquet", "arrow", "jsonl", "json")

# The usual names of columns. Where a table has several of a kind the earliest here counts:
# PyTerrier has an internal docid beside docno, and the text of the query beside qid.
QUERY_NAMES = (
    *("query_id", "qid", "queryid", "q_id", "topic_id", "topicid", "topic", "qry", "question_id"),
    "query",
)
DOC_NAMES = (
    *("doc_id", "docno", "corpus_id", "docid", "did", "document_id", "corpusid", "pid"),
    *("passage_id", "product_id", "item_id", "chunk_id", "url_id", "doc", "document", "item"),
)
GRADE_NAMES = (
    *("relevance", "rel", "grade", "label", "rating", "judgment", "judgement", "qrel"),
    *("relevance_grade", "gain"),
)
SCORE_NAMES = ("score", "sim", "similarity", "rsv", "retrieval_score", "relevance_score", "s")
RANK_NAMES = ("rank", "position", "pos")

# A bracket and what may follow it in JSON; a query id may begin with one as well.
_JSON_START = re.compile(r'\s*(\{\s*($|\}\s*$|"([^"\\]|\\.)*"\s*($|:))|\[\s*($|\{))')
_SAMPLE = 200
_DEEP = 6
_BINARY = {
    b"PAR1\x15": "parquet",
    b"PARE": "parquet",
    b"ARROW1\0\0": "arrow",
    b"\xff\xff\xff\xff": "arrow",
}
COLUMNS = {
    "qrels": "query_id iteration doc_id relevance",
    "run": "query_id Q0 doc_id rank score tag",
}


@dataclass(frozen=True)
class Layout:
    """Where the columns of a text file are; `separator` None stands for any blanks."""

    format: str
    kind: Kind
    separator: str | None
    width: int
    query: int = 0
    doc: int = 1
    value: int | None = None
    rank: int | None = None
    header: bool = False
    graded: bool = False
    beir: bool = False

    @classmethod
    def of_names(
        cls, format: str, kind: Kind, separator: str | None, names: Sequence[str]
    ) -> Layout:
        """Return the layout of named columns, and whether a name is a grade's or BEIR's."""
        found = find_columns(names, kind) or {}
        folded = {key: fold(names[place]) for key, place in found.items()}
        return cls(
            format,
            kind,
            separator,
            len(names),
            header=True,
            graded=folded.get("value") in GRADE_NAMES,
            beir=folded.get("doc") == "corpus_id",
            **found,
        )

    @property
    def places(self) -> dict[str, int]:
        """The positions of query, doc, value and rank, of those that there are."""
        found = {"query": self.query, "doc": self.doc, "value": self.value, "rank": self.rank}
        return {name: place for name, place in found.items() if place is not None}

    @property
    def is_table(self) -> bool:
        """Whether rows are those of a table with typed columns rather than lines of text."""
        return self.format in {"jsonl", "pool", "parquet", "arrow", "frame"}

    @property
    def is_plain_trec(self) -> bool:
        """Whether this is the form of trec_eval's own files, which cannot be taken for another."""
        return self.format == "trec" and not self.header

    @property
    def takes_more(self) -> bool:
        """Whether lines may have more columns: a tag with blanks in it, as trec_eval reads."""
        return self.kind == "run" and self.is_plain_trec

    @property
    def basis(self) -> Literal["value", "rank", "line"]:
        """What a row's value rests on: its score or grade, its rank, or its place in the file."""
        if self.value is not None:
            return "value"
        return "line" if self.rank is None else "rank"

    @property
    def needed(self) -> set[int]:
        """The columns that a row cannot do without."""
        value = {"value": self.value, "rank": self.rank, "line": None}[self.basis]
        return {self.query, self.doc} | (set() if value is None else {value})

    @property
    def columns(self) -> str:
        """The columns in words, for messages."""
        names = {self.query: "query_id", self.doc: "doc_id"}
        if self.rank is not None:
            names[self.rank] = "rank"
        if self.value is not None:
            names[self.value] = "relevance" if self.kind == "qrels" else "score"
        return " ".join(names.get(i, "-") for i in range(self.width))


TREC: dict[Kind, Layout] = {
    "qrels": Layout("trec", "qrels", None, 4, query=0, doc=2, value=3),
    "run": Layout("trec", "run", None, 6, query=0, doc=2, value=4, rank=3),
}
_ONLY_IDS: dict[Kind, Layout] = {
    "qrels": Layout("msmarco", "qrels", None, 2),
    "run": Layout("msmarco", "run", None, 2),
}


def fold(name: str) -> str:
    """Return a column name as the aliases above are spelled: ``Query-ID`` is ``query_id``."""
    return name.strip().strip("\"'").lower().replace("-", "_").replace(" ", "_")


def find_columns(names: Sequence[str], kind: Kind) -> dict[str, int] | None:
    """Return the positions of query, doc and value or rank by name, None if one is not there."""
    folded = [fold(name) for name in names]

    def position(aliases: Sequence[str]) -> int | None:
        return next((folded.index(alias) for alias in aliases if alias in folded), None)

    score = position(SCORE_NAMES)
    found = {"query": position(QUERY_NAMES), "doc": position(DOC_NAMES)}
    if kind == "qrels":
        grade = position(GRADE_NAMES)
        found["value"] = score if grade is None else grade
    else:
        found |= {"value": score, "rank": position(RANK_NAMES)}
    if found["query"] is None or found["doc"] is None:
        return None
    if found["value"] is None and found.get("rank") is None:
        return None
    return {name: place for name, place in found.items() if place is not None}


def sniff(source: Source, kind: Kind, format: str | None = None) -> Layout | str:
    """Return the layout of a text file, or the name of a format that is no plain lines.

    `format` is one of `FORMATS` to be taken at its word, or None to look at the content.
    """
    if format is not None:
        check_choice(f"{kind} format", format, FORMATS)
        if format in {"parquet", "arrow", "jsonl", "json"}:
            return format
    head = source.head()
    if not head:
        raise InputError(f"{source.name}: the file is empty, expected {_wanted(kind)}")
    # The bytes after the name tell these from text that happens to begin with it.
    for magic, name in _BINARY.items():
        if head.startswith(magic):
            return name
    refuse_binary(source, head)
    number, lines = _sample(source, head)
    if not lines:
        raise InputError(
            f"{source.name}: no line but blanks and comments, expected {_wanted(kind)}"
        )
    if format is not None:
        return _named(source, kind, format, lines)
    return _json_form(lines) or _guess(source, kind, lines, number)


def _wanted(kind: Kind) -> str:
    return f"{'judgments' if kind == 'qrels' else 'a run'} ({COLUMNS[kind]})"


def _sample(source: Source, head: bytes) -> tuple[int, list[str]]:
    """Return the first lines that are neither blank nor comments, and the number of the first."""
    size = HEAD_BYTES
    while True:
        # The reader names the line that is not UTF-8; here only the form of the lines matters.
        whole = len(head) < size
        text = head if whole else head[: head.rfind(b"\n") + 1] or head
        lines = text.removeprefix(BOM).decode("utf-8", "replace").split("\n")
        found = {
            number: line.rstrip("\r")
            for number, line in enumerate(lines, 1)
            if line.strip() and not line.startswith("#")
        }
        if found or whole:
            return next(iter(found), 0), list(found.values())[:_SAMPLE]
        size *= 16
        head = source.head(size)


def _json_form(lines: list[str]) -> str | None:
    """Tell JSON lines, flat objects, from one object of objects; None for what is no JSON."""
    if not _JSON_START.match(lines[0]):
        return None
    try:
        first = json.loads(lines[0])
    except (ValueError, RecursionError):
        return "json"
    if is_export(first):
        return "json"
    flat = isinstance(first, dict) and not all(isinstance(x, dict) for x in first.values())
    return "jsonl" if flat else "json"


def _named(source: Source, kind: Kind, format: str, lines: list[str]) -> Layout:
    if format == "trec":
        return _headed(kind, lines, None) or TREC[kind]
    separator = {"csv": ",", "msmarco": None}.get(format, "\t")
    if separator == "\t" and "\t" not in lines[0]:
        separator = None
    headed = _headed(kind, lines, separator)
    if headed is not None:
        return replace(headed, format="tsv" if format == "beir" else format)
    fields = split_fields(lines[0], separator)
    if format == "msmarco":
        return _msmarco(source, kind, fields)
    if len(fields) != 3:  # noqa: PLR2004
        raise InputError(
            f"{source.name}: expected a header that names query_id, doc_id and "
            f"{'relevance' if kind == 'qrels' else 'score'}, or three columns in this order; "
            f"the first line is {lines[0]!r}"
        )
    return Layout(format, kind, separator, 3, value=2)


def _msmarco(source: Source, kind: Kind, fields: list[str]) -> Layout:
    """Return MS MARCO's layout: ``qid pid rank``, ``qid pid``, and TREC's own for judgments."""
    known: dict[tuple[Kind, int], Layout] = {
        ("run", 3): Layout("msmarco", "run", None, 3, rank=2),
        ("run", 2): _ONLY_IDS["run"],
        ("qrels", 4): TREC["qrels"],
        ("qrels", 2): _ONLY_IDS["qrels"],
    }
    if (kind, len(fields)) not in known:
        wanted = "qid pid rank, or qid pid" if kind == "run" else "qid 0 pid 1, or qid pid"
        raise InputError(
            f"{source.name}: expected the columns of an msmarco {kind} ({wanted}), got "
            f"{len(fields)}: {' '.join(fields)!r}"
        )
    return known[kind, len(fields)]


def _headed(kind: Kind, lines: list[str], separator: str | None) -> Layout | None:
    names = split_fields(lines[0], separator)
    found = find_columns(names, kind)
    if found is None or _is_data(names, found):
        return None
    form = {"\t": "tsv", ",": "csv", None: "trec"}[separator]
    return Layout.of_names(form, kind, separator, names)


def _is_data(names: Sequence[str], found: dict[str, int]) -> bool:
    return any(is_number(names[place]) for key, place in found.items() if key in {"value", "rank"})


def _guess(source: Source, kind: Kind, lines: list[str], number: int) -> Layout:
    headed = _find_header(source, kind, lines)
    if headed is not None:
        return headed
    if "\r" in lines[0]:
        raise InputError(
            f"{source.name}:{number}: a carriage return within the line: lines must end in a line "
            "feed, alone or after a carriage return; convert the line ends"
        )
    mark = _mark(source, kind, lines)
    width = len(split_fields(lines[0], None))
    if mark is not None or width == 3:  # noqa: PLR2004
        return _three_columns(source, kind, lines, mark)
    if width == TREC[kind].width or (width > TREC[kind].width and TREC[kind].takes_more):
        return TREC[kind]
    if width == 2:  # noqa: PLR2004
        return _ONLY_IDS[kind]
    if width == 1 and lines[0].count(",") >= 2:  # noqa: PLR2004
        return Layout("csv", kind, ",", 3, value=2)
    told = wrong_width(kind, width) + header_hint(kind, split_fields(lines[0], None))
    raise InputError(f"{source.name}:{number}: {told}; the line is {lines[0]!r}")


def _find_header(source: Source, kind: Kind, lines: list[str]) -> Layout | None:
    for separator in ("\t", ",", None):
        # Tabs in the header and blanks in the lines are columns parted by any blanks.
        if separator is None or all(separator in line for line in lines[:2]):
            refuse_other_kind(split_fields(lines[0], separator), kind, source.name)
            headed = _headed(kind, lines, separator)
            if headed is not None:
                return headed
    return None


def _mark(source: Source, kind: Kind, lines: list[str]) -> str | None:
    """Return the tab or comma that parts three columns, whatever blanks the ids may hold."""
    for mark in "\t,":
        fields = split_fields(lines[0], mark)
        if len(fields) != 3 or not is_number(fields[2]):  # noqa: PLR2004
            continue
        rows = [split_fields(line, None) for line in lines]
        width = len(rows[0])
        if width == 3 and is_number(rows[0][2]):  # noqa: PLR2004
            return None
        if width != TREC[kind].width:
            return mark
        # Q0 or 0: trec_eval's second column, which says nothing.
        if all(re.fullmatch("[qQ]?0", row[1]) for row in rows if len(row) == width):
            return None
        name = "a tab" if mark == "\t" else "a comma"
        raise InputError(
            f"{source.name}: cannot tell the columns apart: 3 parted by {name}, {width} parted by "
            f"blanks; say --{kind}-format {'tsv' if mark == chr(9) else 'csv'} or trec; the first "
            f"line is {lines[0]!r}"
        )
    return None


def wrong_width(kind: Kind, width: int) -> str:
    """Return what to say of a line with the wrong number of columns."""
    other: Kind = "run" if kind == "qrels" else "qrels"
    told = f"expected {TREC[kind].width} columns ({COLUMNS[kind]}), got {width}"
    if width == TREC[other].width:
        what = "judgments" if other == "qrels" else "a run"
        return f"{told}: this looks like {what}; the qrels come first, then the runs"
    if kind == "run" and width == TREC["run"].width - 1:
        return f"{told}: is the run tag, the last column, missing?"
    return told


def header_hint(kind: Kind, fields: Sequence[str]) -> str:
    """Return what to do about a first line without any digit, which may be a header."""
    if any(re.search("[0-9]", field) for field in fields):
        return ""
    value = "relevance" if kind == "qrels" else "score"
    return f" (if this is a header, name its columns query_id, doc_id and {value})"


def refuse_other_kind(names: Sequence[str], kind: Kind, where: str) -> None:
    """Raise `InputError` for the columns of a run where judgments belong, or the reverse."""
    other: Kind = "run" if kind == "qrels" else "qrels"
    own, found = find_columns(names, kind), find_columns(names, other)
    if found is None or _is_data(names, found):
        return
    # A score may stand for a grade, as BEIR has it, but judgments have no ranks.
    ranked = (
        kind == "qrels" and "rank" in found and not Layout.of_names("", kind, None, names).graded
    )
    if own is None or ranked:
        raise InputError(
            f"{where}: the columns {' '.join(names)!r} have no "
            f"{'grades' if kind == 'qrels' else 'scores or ranks'}: this looks like "
            f"{'a run' if kind == 'qrels' else 'judgments'}; the qrels come first, then the runs"
        )


def _three_columns(source: Source, kind: Kind, lines: list[str], separator: str | None) -> Layout:
    rows = [row for line in lines if len(row := split_fields(line, separator)) == 3]  # noqa: PLR2004
    form = "csv" if separator == "," else "tsv"
    plain = Layout(form, kind, separator, 3, value=2)
    if not all(re.fullmatch("[0-9]+", row[2]) for row in rows):
        return plain
    deepest = _deepest_rank(rows)
    if kind == "qrels":
        if deepest < _DEEP:
            return plain
        raise InputError(
            f"{source.name}: this looks like a run: the third column counts 1, 2, 3 ... within "
            f"each query; the qrels come first, then the runs (--qrels-format {form} if these "
            "really are grades)"
        )
    if deepest > 1:
        return Layout("msmarco", kind, separator, 3, rank=2)
    raise InputError(
        f"{source.name}: cannot tell whether the third column is a rank or a score "
        f"({rows[0][2]} in the first line); say --run-format msmarco (rank) or --run-format {form} "
        "(score)"
    )


def _deepest_rank(rows: list[list[str]]) -> int:
    """Return how far the third column counts up within a query; 0 if it is no count in any."""
    counts: dict[str, int] = {}
    starts: dict[str, int] = {}
    for query, _, rank in rows:
        start = starts.setdefault(query, int(rank))
        counts[query] = counts.get(query, 0) + 1
        if start not in {0, 1} or int(rank) != start + counts[query] - 1:
            return 0
    return max(counts.values(), default=0)
