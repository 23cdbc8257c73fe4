"""What a file is, told from its first lines: format, columns, header, or the other kind."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from ndcg import InputError, OptionError, as_qrels, as_run
from ndcg.formats.layouts import (
    DOC_NAMES,
    GRADE_NAMES,
    QUERY_NAMES,
    SCORE_NAMES,
    Layout,
    fold,
    sniff,
)
from ndcg.formats.sources import Source

if TYPE_CHECKING:
    from pathlib import Path

    from ndcg import Qrels, Run
    from ndcg.formats.layouts import Kind


def write(folder: Path, content: str | bytes, name: str = "data.txt") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def rows_of(table: Qrels | Run) -> list[tuple[str, str, float]]:
    return [(str(query), str(doc), float(value)) for query, doc, value in table.frame.rows()]


def sniffed(text: str, kind: Kind, format: str | None = None) -> Layout | str:
    return sniff(Source("FILE", content=text.encode()), kind, format)


def refused(text: str, kind: Kind, format: str | None = None) -> str:
    with pytest.raises(InputError) as caught:
        sniffed(text, kind, format)
    return str(caught.value)


@pytest.mark.parametrize("query", QUERY_NAMES)
@pytest.mark.parametrize("separator", ["\t", ",", " "])
def test_usual_names_of_the_query(tmp_path: Path, query: str, separator: str) -> None:
    header = ["score", query, "docno"]
    text = separator.join(header) + "\n" + separator.join(["1.5", "q", "d"]) + "\n"
    assert rows_of(as_run(write(tmp_path, text))) == [("q", "d", 1.5)]


@pytest.mark.parametrize("doc", [*DOC_NAMES, "Doc-ID", "DOC ID", "corpus-id", '"docno"'])
def test_usual_names_of_the_document(tmp_path: Path, doc: str) -> None:
    path = write(tmp_path, f"relevance\t{doc}\tqid\n2\td\tq\n")
    assert rows_of(as_qrels(path)) == [("q", "d", 2.0)]


@pytest.mark.parametrize("grade", [*GRADE_NAMES, *SCORE_NAMES])
def test_usual_names_of_the_grade(tmp_path: Path, grade: str) -> None:
    path = write(tmp_path, f"qid,docno,{grade}\nq,d,2\n")
    assert rows_of(as_qrels(path)) == [("q", "d", 2.0)]


@pytest.mark.parametrize("score", SCORE_NAMES)
def test_usual_names_of_the_score(tmp_path: Path, score: str) -> None:
    path = write(tmp_path, f"qid,docno,{score}\nq,d,2.5\n")
    assert rows_of(as_run(path)) == [("q", "d", 2.5)]


@pytest.mark.parametrize("rank", ["rank", "position", "Pos"])
def test_a_rank_serves_where_there_is_no_score(tmp_path: Path, rank: str) -> None:
    path = write(tmp_path, f"qid,{rank},docno\nq,2,a\nq,1,b\n")
    run = as_run(path)
    assert rows_of(run) == [("q", "a", -2.0), ("q", "b", -1.0)]
    assert [notice.text for notice in run.notices] == [
        f"{path}: no scores; column 2 is taken as the rank"
    ]


def test_the_more_telling_of_two_names_counts(tmp_path: Path) -> None:
    text = "query,docid,docno,label,score,qid\nwhat is it,7,d,3,0.5,q\n"
    assert rows_of(as_run(write(tmp_path, text))) == [("q", "d", 0.5)]
    assert rows_of(as_qrels(write(tmp_path, text))) == [("q", "d", 3.0)]


def test_names_are_folded() -> None:
    assert [fold(name) for name in (" Query-ID ", '"doc id"', "'Score'")] == [
        "query_id",
        "doc_id",
        "score",
    ]


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        ("q1 0 d 1\n", "qrels", ("trec", 4)),
        ("q1 Q0 d 1 2.5 t\n", "run", ("trec", 6)),
        ("q1 Q0 d 1 2.5 my tag\n", "run", ("trec", 6)),
        ("q1\td\t1\n", "qrels", ("tsv", 3)),
        ("q1 d 1\n", "qrels", ("tsv", 3)),
        ("q1,d,1\n", "qrels", ("csv", 3)),
        ("q 1,d e,1\n", "qrels", ("csv", 3)),
        ("q 1\td e f\t1\n", "qrels", ("tsv", 3)),
        ("q1 d 2.5\n", "run", ("tsv", 3)),
        ("q1 d 1\nq1 e 2\nq2 f 1\n", "run", ("msmarco", 3)),
        ("q1 d 0\nq1 e 1\n", "run", ("msmarco", 3)),
        ("q1\td\n", "run", ("msmarco", 2)),
        ("q1 d\n", "qrels", ("msmarco", 2)),
        ("query-id\tcorpus-id\tscore\nq\td\t1\n", "qrels", ("tsv", 3)),
        ("q1\tQ0 d\t1\n", "qrels", ("trec", 4)),
        ("q1\t0 a,b\t1\n", "qrels", ("trec", 4)),
    ],
)
def test_lines_are_recognised(text: str, kind: Kind, expected: tuple[str, int]) -> None:
    layout = sniffed(text, kind)
    assert isinstance(layout, Layout)
    assert (layout.format, layout.width) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"qid": "q", "docno": "d", "score": 1}\n', "jsonl"),
        ('{"qid": "q", "docno": "d", "score": 1, "more": {"a": {}}}\n', "jsonl"),
        ('  {"qid": "q", "docno": "d", "score": 1}', "jsonl"),
        ('{"q": {"d": 1}}', "json"),
        ('{"q": {"d": 1}, "r": {}}', "json"),
        ('{"q":\n{"d": 1}}', "json"),
        ("{\n}", "json"),
        ("{}", "json"),
        ('[{"q": 1}]', "json"),
        ("[\n", "json"),
    ],
)
def test_json_is_recognised(text: str, expected: str) -> None:
    assert sniffed(text, "run") == expected


@pytest.mark.parametrize("query", ["{q", '{"q"', "[1]", "[q", "{1}", "PAR1", "ORC-1", "BZh", "PK"])
def test_a_query_id_may_look_like_the_mark_of_a_format(query: str) -> None:
    layout = sniffed(f"{query} 0 d 1\n", "qrels")
    assert isinstance(layout, Layout)
    assert layout.format == "trec"


def test_ids_with_blanks_between_tabs_may_be_taken_for_trec() -> None:
    assert refused("q1\tdoc one\t1\n", "qrels") == (
        "FILE: cannot tell the columns apart: 3 parted by a tab, 4 parted by blanks; say "
        "--qrels-format tsv or trec; the first line is 'q1\\tdoc one\\t1'"
    )
    assert refused("q1,a doc of it all,1.5\n".replace("q1", "q 1"), "run") == (
        "FILE: cannot tell the columns apart: 3 parted by a comma, 6 parted by blanks; say "
        "--run-format csv or trec; the first line is 'q 1,a doc of it all,1.5'"
    )
    assert refused("query 1\td\t1\n", "qrels").startswith("FILE: cannot tell the columns apart")
    named = sniffed("q1\tdoc one\t1\n", "qrels", "tsv")
    assert isinstance(named, Layout)
    assert (named.separator, named.width) == ("\t", 3)


@pytest.mark.parametrize("text", ["q1 d 3\nq1 e 1\n", "q1 d 1\nq2 e 1\n", "q1 d 7\n"])
def test_a_rank_or_a_score_must_be_named_when_either_fits(text: str) -> None:
    first = text.split()[2]
    assert refused(text, "run") == (
        f"FILE: cannot tell whether the third column is a rank or a score ({first} in the first "
        "line); say --run-format msmarco (rank) or --run-format tsv (score)"
    )


def test_named_formats_settle_a_doubt(tmp_path: Path) -> None:
    path = write(tmp_path, "q\td\t3\nq\te\t1\n")
    assert rows_of(as_run(path, format="tsv")) == [("q", "d", 3.0), ("q", "e", 1.0)]
    assert rows_of(as_run(path, format="msmarco")) == [("q", "d", -3.0), ("q", "e", -1.0)]


def test_msmarco_judgments_are_trecs(tmp_path: Path) -> None:
    path = write(tmp_path, "q\t0\td\t1\n")
    assert rows_of(as_qrels(path, format="msmarco")) == [("q", "d", 1.0)]
    path = write(tmp_path, "q\td\n")
    qrels = as_qrels(path, format="msmarco")
    assert rows_of(qrels) == [("q", "d", 1.0)]
    assert qrels.notices[0].text == f"{path}: no grades; every line is taken as grade 1"


@pytest.mark.parametrize(
    ("kind", "line", "told"),
    [
        ("qrels", "q d 1", "an msmarco qrels (qid 0 pid 1, or qid pid), got 3: 'q d 1'"),
        ("run", "q d 1 2.5", "an msmarco run (qid pid rank, or qid pid), got 4: 'q d 1 2.5'"),
    ],
)
def test_other_columns_are_no_msmarco(kind: Kind, line: str, told: str) -> None:
    assert refused(line, kind, "msmarco") == f"FILE: expected the columns of {told}"


@pytest.mark.parametrize("rank", ["1.5", "x", "3000000000", "-", "1e2"])
def test_an_msmarco_rank_is_an_integer(tmp_path: Path, rank: str) -> None:
    path = write(tmp_path, f"q d 1\nq e {rank}\n")
    told = f"{path}:2: the rank must be an integer, got {rank!r}; the line is 'q e {rank}'"
    with pytest.raises(InputError, match=f"^{re.escape(told)}$"):
        as_run(path, format="msmarco")


def test_lines_without_scores_are_in_order(tmp_path: Path) -> None:
    path = write(tmp_path, "q1\tb\nq2\tx\nq1\ta\n")
    run = as_run(path)
    assert rows_of(run) == [("q1", "b", -1.0), ("q1", "a", -2.0), ("q2", "x", -1.0)]
    assert [(notice.code, notice.text) for notice in run.notices] == [
        ("no-scores", f"{path}: no scores; the order of the lines is taken as the ranking")
    ]


@pytest.mark.parametrize(
    ("text", "kind", "told"),
    [
        (
            "q1 Q0 d 1 2.5 tag\n",
            "qrels",
            (
                "FILE:1: expected 4 columns (query_id iteration doc_id relevance), got 6: this "
                "looks "
                "like a run; the qrels come first, then the runs; the line is 'q1 Q0 d 1 2.5 tag'"
            ),
        ),
        (
            "# note\n\nq1 0 d 1\n",
            "run",
            (
                "FILE:3: expected 6 columns (query_id Q0 doc_id rank score tag), got 4: this looks "
                "like judgments; the qrels come first, then the runs; the line is 'q1 0 d 1'"
            ),
        ),
        (
            "qid\tdocno\tlabel\nq\td\t1\n",
            "run",
            (
                "FILE: the columns 'qid docno label' have no scores or ranks: this looks like "
                "judgments; the qrels come first, then the runs"
            ),
        ),
        (
            "qid,docno,rank\nq,d,1\n",
            "qrels",
            (
                "FILE: the columns 'qid docno rank' have no grades: this looks like a run; the "
                "qrels "
                "come first, then the runs"
            ),
        ),
        (
            "qid Q0 docno rank score tag\nq Q0 d 1 2.5 t\n",
            "qrels",
            (
                "FILE: the columns 'qid Q0 docno rank score tag' have no grades: this looks like a "
                "run; the qrels come first, then the runs"
            ),
        ),
        (
            "".join(f"q\td{rank}\t{rank}\n" for rank in range(1, 7)),
            "qrels",
            (
                "FILE: this looks like a run: the third column counts 1, 2, 3 ... within each "
                "query; "
                "the qrels come first, then the runs (--qrels-format tsv if these really are "
                "grades)"
            ),
        ),
        (
            "q1 d 1 2.5\n",
            "run",
            (
                "FILE:1: expected 6 columns (query_id Q0 doc_id rank score tag), got 4: this looks "
                "like judgments; the qrels come first, then the runs; the line is 'q1 d 1 2.5'"
            ),
        ),
        (
            "to be or not to be\n",
            "qrels",
            (
                "FILE:1: expected 4 columns (query_id iteration doc_id relevance), got 6: this "
                "looks "
                "like a run; the qrels come first, then the runs (if this is a header, name its "
                "columns query_id, doc_id and relevance); the line is 'to be or not to be'"
            ),
        ),
        (
            "q1\n",
            "qrels",
            (
                "FILE:1: expected 4 columns (query_id iteration doc_id relevance), got 1; the line "
                "is "
                "'q1'"
            ),
        ),
        (
            "q1 0 d 1\rq1 0 e 0\r",
            "qrels",
            (
                "FILE:1: a carriage return within the line: lines must end in a line feed, alone "
                "or after a carriage return; convert the line ends"
            ),
        ),
    ],
)
def test_what_does_not_belong_is_told(text: str, kind: Kind, told: str) -> None:
    assert refused(text, kind) == told


def test_five_counted_lines_may_be_grades() -> None:
    layout = sniffed("".join(f"q d{rank} {rank}\n" for rank in range(1, 6)), "qrels")
    assert isinstance(layout, Layout)
    assert layout.value == 2


def test_a_run_of_columns_with_ranks_and_a_grade_has_judgments(tmp_path: Path) -> None:
    path = write(tmp_path, "qid,docno,rank,score,grade\nq,d,1,2.5,3\n")
    assert rows_of(as_qrels(path)) == [("q", "d", 3.0)]
    assert rows_of(as_run(path)) == [("q", "d", 2.5)]


def test_a_short_line_under_a_header_is_told_with_its_columns(tmp_path: Path) -> None:
    path = write(tmp_path, "qid Q0 docno rank score tag\nq Q0 d 1 2.5\n")
    told = f"{path}:2: expected 6 columns (query_id - doc_id rank score -), got 5; the line is "
    with pytest.raises(InputError, match=f"^{re.escape(told)}"):
        as_run(path)


def test_the_first_line_is_named_whatever_its_bytes() -> None:
    source = Source("FILE", content=b"# x\n\n\xe9 0 d\xff x y\n")
    with pytest.raises(InputError, match=r"^FILE:3: expected 4 columns .*, got 5; the line is "):
        sniff(source, "qrels")


@pytest.mark.parametrize(
    "header", ["user,product,stars", "user\tproduct\tstars", "user product stars"]
)
def test_unknown_names_of_columns_are_told(tmp_path: Path, header: str) -> None:
    path = write(tmp_path, f"{header}\nu,p,3\n".replace(",", header[4]))
    told = (
        f"{path}:1: the grade must be a number, got 'stars' (if this is a header, name its columns "
        f"query_id, doc_id and relevance); the line is {header!r}"
    )
    with pytest.raises(InputError, match=f"^{re.escape(told)}$"):
        as_qrels(path)


@pytest.mark.parametrize(
    ("text", "format", "told"),
    [
        (
            "q1 0 d 1\n",
            "csv",
            (
                "FILE: expected a header that names query_id, doc_id and relevance, or three "
                "columns "
                "in this order; the first line is 'q1 0 d 1'"
            ),
        ),
        (
            "q1\td\n",
            "beir",
            (
                "FILE: expected a header that names query_id, doc_id and relevance, or three "
                "columns "
                "in this order; the first line is 'q1\\td'"
            ),
        ),
    ],
)
def test_a_named_format_must_fit(text: str, format: str, told: str) -> None:
    assert refused(text, "qrels", format) == told


@pytest.mark.parametrize("format", ["parquet", "arrow", "jsonl", "json"])
def test_a_named_table_is_taken_at_its_word(format: str) -> None:
    assert sniffed("anything", "qrels", format) == format


@pytest.mark.parametrize(
    ("format", "hint"),
    [("tec", "; did you mean 'trec'?"), ("xlsx", ""), ("TSV", "; did you mean 'tsv'?")],
)
def test_an_unknown_format_suggests_the_near_one(tmp_path: Path, format: str, hint: str) -> None:
    path = write(tmp_path, "q 0 d 1\n")
    told = (
        "qrels format must be one of trec, beir, tsv, csv, msmarco, parquet, arrow, jsonl, json, "
        f"got {format!r}{hint}"
    )
    with pytest.raises(OptionError, match=f"^{re.escape(told)}$"):
        as_qrels(path, format=format)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "FILE: the file is empty, expected judgments (query_id iteration doc_id relevance)"),
        *[
            (
                text,
                (
                    "FILE: no line but blanks and comments, expected judgments (query_id iteration "
                    "doc_id relevance)"
                ),
            )
            for text in ("\n \t\n", "# a\n", "\ufeff\n", "\ufeff# a", "#" * 100_000)
        ],
    ],
)
def test_nothing_to_read_is_told(text: str, told: str) -> None:
    assert refused(text, "qrels") == told
    assert refused(text, "run") == told.replace(
        "judgments (query_id iteration doc_id relevance)",
        "a run (query_id Q0 doc_id rank score tag)",
    )


def test_comments_at_the_top_may_be_long(tmp_path: Path) -> None:
    path = write(tmp_path, "# a long comment\n" * 10_000 + "q 0 d 1")
    assert rows_of(as_qrels(path)) == [("q", "d", 1.0)]


@pytest.mark.parametrize("kind", ["qrels", "run"])
def test_a_header_alone_is_nothing(tmp_path: Path, kind: str) -> None:
    if kind == "qrels":
        path = write(tmp_path, "query-id\tcorpus-id\tscore\n")
        with pytest.raises(
            InputError, match=r"txt: no judgments in it, expected \(query_id, doc_id, relevance\)$"
        ):
            as_qrels(path)
    else:
        path = write(tmp_path, "qid Q0 docno rank score tag")
        with pytest.raises(
            InputError, match=r"txt: no documents in it, expected \(query_id, doc_id, score\)$"
        ):
            as_run(path, parent="#")


def test_a_header_of_tabs_over_lines_of_blanks(tmp_path: Path) -> None:
    path = write(tmp_path, "qid\tdocno\trelevance\nq  d 1\n")
    assert rows_of(as_qrels(path)) == [("q", "d", 1.0)]
