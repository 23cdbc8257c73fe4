"""How lines of text are laid out: separator, columns, header; named or sniffed from the content."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from ndcg.errors import InputError, check_choice
from ndcg.formats.sources import refuse_binary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ndcg.formats.sources import Source

Kind = Literal["qrels", "run"]
FORMATS = ("trec", "beir", "tsv", "csv", "msmarco", "parquet", "arrow", "jsonl", "json")

QUERY_NAMES = frozenset(
    "query_id queryid qid q_id query topic topic_id topicid qry question_id".split()
)
DOC_NAMES = frozenset(
    "doc_id docid docno did doc document document_id corpus_id corpusid pid passage_id "
    "product_id item_id item url_id chunk_id".split()
)
GRADE_NAMES = frozenset(
    "relevance rel grade label rating judgment judgement qrel relevance_grade gain".split()
)
SCORE_NAMES = frozenset("score sim similarity rsv retrieval_score relevance_score s".split())
RANK_NAMES = frozenset({"rank", "position", "pos"})

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?(inf|infinity|nan)", re.I)
_SAMPLE = 200
_TREC_WIDTH = {"qrels": 4, "run": 6}
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

    @property
    def takes_more(self) -> bool:
        """Whether lines may have more columns: a run's tag with blanks in it, as trec_eval reads."""
        return self.kind == "run" and self.format == "trec" and not self.header

    @property
    def columns(self) -> str:
        """The columns in words, for messages."""
        if self.format == "trec" and not self.header:
            return COLUMNS[self.kind]
        names = {self.query: "query_id", self.doc: "doc_id"}
        if self.rank is not None:
            names[self.rank] = "rank"
        if self.value is not None:
            names[self.value] = "relevance" if self.kind == "qrels" else "score"
        return " ".join(names.get(i, "-") for i in range(self.width))


def split_fields(line: str, separator: str | None) -> list[str]:
    """Return the columns of a line; without a separator any ASCII blanks part them.

    >>> split_fields("q1\\u00a0x  Q0", None)
    ['q1\\xa0x', 'Q0']
    """
    line = line.rstrip("\r\n")
    if separator == ",":
        return next(csv.reader([line]))
    if separator is not None:
        return line.split(separator)
    # Only these are blanks; str.split() would also cut at a no-break space inside an id.
    for blank in "\t\v\f\r":
        line = line.replace(blank, " ")
    return [field for field in line.split(" ") if field]


def is_number(text: str) -> bool:
    """Whether a text is a decimal number, an infinity or NaN."""
    return _NUMBER.fullmatch(text) is not None


def fold(name: str) -> str:
    """Return a column name in the form in which aliases are listed: ``Query-ID`` is ``query_id``."""
    return name.strip().strip("\"'").lower().replace("-", "_").replace(" ", "_")


def find_columns(names: Sequence[str], kind: Kind) -> dict[str, int] | None:
    """Return the positions of query, doc and value or rank by their names, None if not all known."""
    folded = [fold(name) for name in names]

    def position(aliases: frozenset[str], preferred: str) -> int | None:
        if preferred in folded:
            return folded.index(preferred)
        return next((i for i, name in enumerate(folded) if name in aliases), None)

    grade = position(GRADE_NAMES, "relevance")
    score = position(SCORE_NAMES, "score")
    rank = position(RANK_NAMES, "rank")
    value = (score if grade is None else grade) if kind == "qrels" else score
    found = {
        "query": position(QUERY_NAMES, "query_id"),
        "doc": position(DOC_NAMES, "doc_id"),
        "value": value,
        "rank": rank if kind == "run" else None,
    }
    if found["query"] is None or found["doc"] is None:
        return None
    if found["value"] is None and found["rank"] is None:
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
    binary = {b"PAR1": "parquet", b"ARROW1": "arrow"}
    for magic, name in binary.items():
        if head.startswith(magic):
            return name
    refuse_binary(source, head)
    lines = _sample(head)
    if not lines:
        raise InputError(f"{source.name}: no line but blanks and comments, expected {_wanted(kind)}")
    if format is None and lines[0][:1] in "{[":
        return _json_form(lines[0])
    return _named(source, kind, format, lines) if format else _guess(source, kind, lines)


def _wanted(kind: Kind) -> str:
    return f"{'judgments' if kind == 'qrels' else 'a run'} ({COLUMNS[kind]})"


def _sample(head: bytes) -> list[str]:
    whole = head[: head.rfind(b"\n") + 1] or head
    lines = _text(whole).split("\n")
    return [line for line in lines if line.strip() and not line.startswith("#")][:_SAMPLE]


def _text(head: bytes) -> str:
    # The reader names the line that is not UTF-8; here only the form of the lines matters.
    return head.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace").replace("\r", "")


def _json_form(first: str) -> str:
    closed = first.rstrip().endswith("}")
    flat = first.count("{") == 1
    return "jsonl" if closed and flat and '"' in first and first.strip() != "{}" else "json"


def _named(source: Source, kind: Kind, format: str, lines: list[str]) -> Layout:
    if format == "trec":
        return _headed(kind, lines, None) or Layout(
            "trec", kind, None, _TREC_WIDTH[kind], 0, 2, *((3, None) if kind == "qrels" else (4, 3))
        )
    separator = {"csv": ",", "msmarco": None}.get(format, "\t")
    headed = _headed(kind, lines, separator)
    if headed is not None:
        return replace(headed, format="tsv" if format == "beir" else format)
    width = len(split_fields(lines[0], separator))
    if format == "msmarco":
        return _msmarco(kind, width)
    if width != 3:  # noqa: PLR2004
        raise InputError(
            f"{source.name}: expected a header that names query_id, doc_id and "
            f"{'relevance' if kind == 'qrels' else 'score'}, or three columns in this order; "
            f"the first line is {lines[0]!r}"
        )
    return Layout(format, kind, separator, 3, value=2)


def _msmarco(kind: Kind, width: int) -> Layout:
    if kind == "qrels" or width == 2:  # noqa: PLR2004
        return Layout("msmarco", kind, None, width)
    return Layout("msmarco", kind, None, width, rank=2)


def _headed(kind: Kind, lines: list[str], separator: str | None) -> Layout | None:
    names = split_fields(lines[0], separator)
    found = find_columns(names, kind)
    if found is None or _is_data(names, found):
        return None
    form = {"\t": "tsv", ",": "csv", None: "trec"}[separator]
    return Layout(form, kind, separator, len(names), header=True, **found)


def _is_data(names: list[str], found: dict[str, int]) -> bool:
    return any(is_number(names[place]) for key, place in found.items() if key in {"value", "rank"})


def _guess(source: Source, kind: Kind, lines: list[str]) -> Layout:
    for separator in ("\t", ",", None):
        if separator is None or separator in lines[0]:
            headed = _headed(kind, lines, separator)
            if headed is not None:
                return headed
            _refuse_other_kind(source, kind, split_fields(lines[0], separator))
    fields = split_fields(lines[0], None)
    if len(fields) == 1 and lines[0].count(",") >= 2:  # noqa: PLR2004
        return _three_columns(source, kind, lines, ",")
    width = len(fields)
    if width == 4 and kind == "qrels":  # noqa: PLR2004
        return Layout("trec", kind, None, 4, 0, 2, 3)
    if width >= 6 and kind == "run":  # noqa: PLR2004
        return Layout("trec", kind, None, 6, 0, 2, 4, 3)
    if width == 3:  # noqa: PLR2004
        return _three_columns(source, kind, lines, None)
    if width == 2:  # noqa: PLR2004
        return Layout("msmarco", kind, None, 2)
    first = 1 + _text(source.head()).split("\n").index(lines[0])
    raise InputError(f"{source.name}:{first}: {wrong_width(kind, width)}; the line is {lines[0]!r}")


def wrong_width(kind: Kind, width: int) -> str:
    """Return what to say of a line with the wrong number of columns."""
    other: Kind = "run" if kind == "qrels" else "qrels"
    told = f"expected {_TREC_WIDTH[kind]} columns ({COLUMNS[kind]}), got {width}"
    if width == _TREC_WIDTH[other]:
        what = "judgments" if other == "qrels" else "a run"
        return f"{told}: this looks like {what}; the qrels come first, then the runs"
    if kind == "run" and width == _TREC_WIDTH["run"] - 1:
        return f"{told}: is the run tag, the last column, missing?"
    return told


def _refuse_other_kind(source: Source, kind: Kind, names: list[str]) -> None:
    other: Kind = "run" if kind == "qrels" else "qrels"
    found = find_columns(names, other)
    if found is not None and not _is_data(names, found):
        raise InputError(
            f"{source.name}: the header {' '.join(names)!r} has no column of "
            f"{'grades' if kind == 'qrels' else 'scores or ranks'}: this looks like "
            f"{'a run' if kind == 'qrels' else 'judgments'}; the qrels come first, then the runs"
        )


def _three_columns(source: Source, kind: Kind, lines: list[str], separator: str | None) -> Layout:
    rows = [fields for line in lines if len(fields := split_fields(line, separator)) == 3]  # noqa: PLR2004
    form = "csv" if separator == "," else "tsv"
    plain = Layout(form, kind, separator, 3, value=2)
    if kind == "qrels" or not all(re.fullmatch(r"\d+", row[2]) for row in rows):
        return plain
    if _are_ranks(rows):
        return Layout("msmarco", kind, separator, 3, rank=2)
    raise InputError(
        f"{source.name}: cannot tell whether the third column is a rank or a score "
        f"({rows[0][2]} in the first line); say --run-format msmarco (rank) or --run-format {form} "
        "(score)"
    )


def _are_ranks(rows: list[list[str]]) -> bool:
    expected: dict[str, int] = {}
    for query, _, rank in rows:
        if int(rank) != expected.get(query, int(rank) if query not in expected else -1):
            return False
        if query not in expected and int(rank) not in {0, 1}:
            return False
        expected[query] = int(rank) + 1
    return True
