"""Lines of text, read fast: every spelling of white space, every fault, every size of block."""

from __future__ import annotations

import csv
import math
import re
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ndcg import InputError, NdcgError, as_qrels, as_run
from ndcg.formats import sources, text

if TYPE_CHECKING:
    from pathlib import Path

    from ndcg import Qrels, Run

Table = dict[str, dict[str, float]]

NUMBER = re.compile(
    r"[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?|inf|infinity|nan)", re.IGNORECASE | re.ASCII
)
BLOCK_SIZES = [16, 17, 31, 64, 200, 8 << 20]
RUN = "q1 Q0 d1 1 3.5 tag\nq1 Q0 d2 2 2.25 tag\nq2 Q0 d1 1 -1e-2 tag\n"
RUN_ROWS = [("q1", "d1", 3.5), ("q1", "d2", 2.25), ("q2", "d1", -0.01)]
QRELS = "q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 3\n"
QRELS_ROWS = [("q1", "d1", 1.0), ("q1", "d2", 0.0), ("q2", "d1", 3.0)]


def write(folder: Path, content: str | bytes, name: str = "data.txt") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def rows_of(table: Qrels | Run) -> list[tuple[str, str, float]]:
    return [(str(query), str(doc), float(value)) for query, doc, value in table.frame.rows()]


def table_of(table: Qrels | Run) -> Table:
    nested: Table = {}
    for query, doc, value in rows_of(table):
        nested.setdefault(query, {})[doc] = value
    return nested


def read_slowly(content: bytes, kind: str) -> Table | None:
    """Read a TREC file line by line in plain Python; None for what must be refused."""
    table: Table = {}
    for line in content.removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        if not line.strip(b" \t\v\f\r") or line.startswith(b"#"):
            continue
        row = row_of(line, kind)
        if row is None:
            return None
        query, doc, value = row
        docs = table.setdefault(query, {})
        if doc in docs and (kind == "run" or docs[doc] != value):
            return None
        docs[doc] = value
    return table or None


def row_of(line: bytes, kind: str) -> tuple[str, str, float] | None:
    width, place = (4, 3) if kind == "qrels" else (6, 4)
    odd = b"\0" in line or b"\r" in line.rstrip(b"\r") or line.startswith(b"\xef\xbb\xbf")
    text = line.decode("utf-8", "replace")
    fields = re.split("[ \t\v\f]+", text.strip(" \t\v\f\r"))
    if odd or (b"\xef\xbf\xbd" not in line and "\ufffd" in text) or len(fields) < width:
        return None
    if (kind == "qrels" and len(fields) > width) or not NUMBER.fullmatch(fields[place]):
        return None
    if len(fields) > width and NUMBER.fullmatch(fields[width - 1]):
        return None
    value = float(fields[place])
    if math.isnan(value) or (kind == "qrels" and math.isinf(value)):
        return None
    return fields[0], fields[2], value


@pytest.mark.parametrize(
    "spell",
    [
        pytest.param(lambda text: text, id="single spaces"),
        pytest.param(lambda text: text.replace(" ", "\t"), id="tabs"),
        pytest.param(lambda text: text.replace(" ", "   "), id="runs of spaces"),
        pytest.param(lambda text: text.replace(" ", " \t  "), id="runs of both"),
        pytest.param(lambda text: text.replace(" ", "\t", 1), id="a tab among spaces"),
        pytest.param(lambda text: text.replace(" ", "\v\f"), id="vertical tab and form feed"),
        pytest.param(lambda text: text.replace(" ", "\f", 1), id="one form feed"),
        pytest.param(lambda text: text.replace("\n", "\r\n"), id="CRLF"),
        pytest.param(lambda text: text.replace("\n", "\r\r\n"), id="CRCRLF"),
        pytest.param(lambda text: "\ufeff" + text, id="byte order mark"),
        pytest.param(lambda text: "\ufeff" + text.replace("\n", "\r\n"), id="mark and CRLF"),
        pytest.param(lambda text: "\n\n" + text.replace("\n", "\n\n"), id="blank lines"),
        pytest.param(lambda text: text.replace("\n", "\n \t\n"), id="lines of blanks"),
        pytest.param(lambda text: text.replace("\n", "  \n\t ", 1), id="blanks at both ends"),
        pytest.param(lambda text: " " + text, id="leading blank"),
        pytest.param(lambda text: text.removesuffix("\n"), id="no final line end"),
        pytest.param(lambda text: text.removesuffix("\n") + " ", id="final blank"),
        pytest.param(lambda text: text.removesuffix("\n") + "\r", id="final carriage return"),
    ],
)
def test_white_space_of_any_kind_parts_columns(tmp_path: Path, spell) -> None:  # type: ignore[no-untyped-def]
    run = as_run(write(tmp_path, spell(RUN)))
    assert (rows_of(run), run.notices) == (RUN_ROWS, ())
    qrels = as_qrels(write(tmp_path, spell(QRELS)))
    assert (rows_of(qrels), qrels.notices) == (QRELS_ROWS, ())


@pytest.mark.parametrize(
    "header", ["qid Q0 docno rank score tag", "Query-ID\tq0\tdoc_id\trank\tSIM\trun"]
)
def test_a_run_may_have_a_header(tmp_path: Path, header: str) -> None:
    assert rows_of(as_run(write(tmp_path, f"{header}\n{RUN}"))) == RUN_ROWS


def test_judgments_may_have_a_header(tmp_path: Path) -> None:
    path = write(tmp_path, f"# made by hand\n\nquery-id iter corpus-id score\n{QRELS}")
    assert rows_of(as_qrels(path)) == QRELS_ROWS


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(("1e3", 1000.0), ("1E+02", 100.0), ("-2.5e-3", -0.0025), (".5", 0.5), ("5.", 5.0)),
        *(("+1", 1.0), ("-0", 0.0), ("007", 7.0), ("0.1", 0.1), ("1e400", math.inf)),
        *(
            ("inf", math.inf),
            ("-Infinity", -math.inf),
            ("2.2250738585072011e-308", 2.2250738585072011e-308),
        ),
    ],
)
def test_scores_are_read_as_python_reads_them(tmp_path: Path, text: str, value: float) -> None:
    run = as_run(write(tmp_path, f"q Q0 d 1 {text} tag\n"))
    assert run.scores.tolist() == [value]
    assert not math.copysign(1.0, run.scores[0]) < 0 or value < 0


@pytest.mark.parametrize(
    "text", ["high", "1_0", "0x10", "1d5", "1,5", "--1", "1e", "true", "NA", "\u0663", "\uff11"]
)
@pytest.mark.parametrize("kind", ["grade", "score"])
def test_what_is_no_number_is_refused(tmp_path: Path, kind: str, text: str) -> None:
    grade = kind == "grade"
    line = f"q1 0 d2 {text}" if grade else f"q1 Q0 d2 2 {text} tag"
    path = write(tmp_path, (QRELS if grade else RUN).replace("d2", "d9") + line + "\n")
    told = f"{path}:4: the {kind} must be a number, got {text!r}; the line is {line!r}"
    with pytest.raises(InputError, match=f"^{re.escape(told)}$"):
        (as_qrels if grade else as_run)(path)


@pytest.mark.parametrize("text", ["nan", "NaN", "-nan", "+NAN"])
def test_a_nan_score_is_refused(tmp_path: Path, text: str) -> None:
    path = write(tmp_path, f"{RUN}q3 Q0 d1 1 {text} tag\n")
    told = f"{path}:4: the score is {text!r}, which has no place in an order; the line is "
    with pytest.raises(InputError, match=re.escape(told)):
        as_run(path)


@pytest.mark.parametrize("text", ["inf", "-inf", "nan", "1e999"])
def test_a_grade_without_a_finite_value_is_refused(tmp_path: Path, text: str) -> None:
    path = write(tmp_path, f"{QRELS}q3 0 d1 {text}\n")
    told = f"{path}:4: the grade is {text!r}, which is no finite number; the line is"
    with pytest.raises(InputError, match=re.escape(told)):
        as_qrels(path)


@pytest.mark.parametrize("size", BLOCK_SIZES)
@pytest.mark.parametrize(
    ("line", "told"),
    [
        (b"q3 0 d1", "expected 4 columns (query_id iteration doc_id relevance), got 3"),
        (b"q3 0 d1 1 x", "expected 4 columns (query_id iteration doc_id relevance), got 5"),
        (
            b"q3 Q0 d1 1 2.5 tag",
            (
                "expected 4 columns (query_id iteration doc_id relevance), got 6: this looks like "
                "a run; the qrels come first, then the runs"
            ),
        ),
        (b"q3 0 d\xe9 1", "bytes b'\\xe9' are not UTF-8; convert the file to UTF-8"),
        (b"q3 0 d\0 1", "a zero byte: this is binary data, or the file is damaged"),
        (
            b"q3 0 d1 1\rq4 0 d1 1",
            (
                "a carriage return within the line: lines must end in a line feed, alone or after "
                "a carriage return; convert the line ends"
            ),
        ),
        (
            b"\xef\xbb\xbfq3 0 d1 1",
            (
                "a byte order mark in the middle of the file, as joining files leaves it; join "
                "them without their marks"
            ),
        ),
    ],
    ids=["short", "long", "run", "latin-1", "zero byte", "carriage return", "mark"],
)
def test_the_line_of_a_fault_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: bytes, told: str, size: int
) -> None:
    monkeypatch.setattr(sources, "BLOCK_BYTES", size)
    comment = b"#" * sources.HEAD_BYTES
    before = comment + b"\n\n" + QRELS.encode() + b"  \n#q9 0 d1\nq2 0 d2 1\n"
    path = write(tmp_path, before + line + b"\nq5 0 d1 also wrong\n")
    with pytest.raises(InputError, match=f"^{re.escape(f'{path}:9: {told}; the line is ')}"):
        as_qrels(path)


@pytest.mark.parametrize(
    ("width", "hint"),
    [
        (5, ": is the run tag, the last column, missing?"),
        (4, ": this looks like judgments; the qrels come first, then the runs"),
        (3, ""),
        (1, ""),
    ],
)
def test_a_short_line_of_a_run_is_refused(tmp_path: Path, width: int, hint: str) -> None:
    line = " ".join(["q3", "Q0", "d1", "1", "2.5", "tag"][:width])
    path = write(tmp_path, f"{RUN}{line}\n")
    told = (
        f"{path}:4: expected 6 columns (query_id Q0 doc_id rank score tag), got {width}{hint}; "
        f"the line is {line!r}"
    )
    with pytest.raises(InputError, match=f"^{re.escape(told)}$"):
        as_run(path)


def test_a_short_and_a_long_line_do_not_make_up_for_each_other(tmp_path: Path) -> None:
    path = write(tmp_path, "q1 0 d1 1\nq1 0 d2\nq1 0 d3 1 1\n")
    with pytest.raises(InputError, match=r"data\.txt:2: expected 4 columns .*, got 3"):
        as_qrels(path)


def test_a_long_line_is_shown_in_part(tmp_path: Path) -> None:
    path = write(tmp_path, f"q1 0 {'d' * 500} x\n")
    with pytest.raises(InputError, match=r"; the line is 'q1 0 d{115}\.\.\.'$"):
        as_qrels(path)


@pytest.mark.parametrize("size", BLOCK_SIZES)
def test_blanks_in_the_tag_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(sources, "BLOCK_BYTES", size)
    path = write(tmp_path, RUN.replace("2.25 tag", "2.25 my own tag"))
    run = as_run(path)
    assert rows_of(run) == RUN_ROWS
    assert [notice.text for notice in run.notices] == [
        f"{path}: 1 line has blanks in the run tag, the last column; it is ignored"
    ]
    many = as_run(write(tmp_path, RUN.replace("tag", "my  tag")))
    assert rows_of(many) == RUN_ROWS
    assert many.notices[0].text.endswith(
        ": 3 lines have blanks in the run tag, the last column; it is ignored"
    )


@pytest.mark.parametrize("size", BLOCK_SIZES)
def test_comments_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(sources, "BLOCK_BYTES", size)
    path = write(tmp_path, f"# {'x' * 100}\n{QRELS}#q9 0 d1 1\n# last")
    qrels = as_qrels(path)
    assert rows_of(qrels) == QRELS_ROWS
    assert [(notice.code, notice.text) for notice in qrels.notices] == [
        ("comments", f"{path}: 3 lines beginning with # left out as comments")
    ]
    one = as_qrels(write(tmp_path, f"#\n{QRELS}"))
    assert one.notices[0].text.endswith(": 1 line beginning with # left out as comments")


@pytest.mark.parametrize(
    "doc",
    [
        '"d',
        'd"',
        "'",
        "d#1",
        "NA",
        "null",
        "d\u00a0e",
        "d\u2028e",
        "d\x01e",
        "d\x1fe",
        "日本",
        "\\N",
        ",",
    ],
)
def test_any_bytes_without_blanks_are_an_id(tmp_path: Path, doc: str) -> None:
    path = write(tmp_path, f"{doc} 0 {doc} 1\n{doc} 0 other 0\n", "qrels.txt")
    assert rows_of(as_qrels(path)) == [(doc, doc, 1.0), (doc, "other", 0.0)]
    path = write(tmp_path, f"{doc} Q0 {doc} 1 0.5 tag\nq Q0 {doc} 1 0.25 tag\n", "run.txt")
    assert rows_of(as_run(path)) == [(doc, doc, 0.5), ("q", doc, 0.25)]


def test_ranks_that_are_no_numbers_do_no_harm(tmp_path: Path) -> None:
    run = as_run(write(tmp_path, "q Q0 a first 2 tag\nq Q0 b 1e9999 1 tag\n"))
    assert (rows_of(run), run.notices) == ([("q", "a", 2.0), ("q", "b", 1.0)], ())


@pytest.mark.parametrize("size", BLOCK_SIZES)
@pytest.mark.parametrize("separator", [",", "\t"])
def test_columns_with_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, separator: str, size: int
) -> None:
    monkeypatch.setattr(sources, "BLOCK_BYTES", size)
    text = "note,score,docno,qid\n,1.5,a b,q 1\nx y,-2,c,q 1\n\n , 3 , d ,q2\n \n,4,a b,q2"
    run = as_run(write(tmp_path, text.replace(",", separator)))
    assert rows_of(run) == [
        ("q 1", "a b", 1.5),
        ("q 1", "c", -2.0),
        ("q2", "d", 3.0),
        ("q2", "a b", 4.0),
    ]


@pytest.mark.parametrize("size", BLOCK_SIZES)
@pytest.mark.parametrize(
    ("separator", "blank"),
    [*((",", blank) for blank in " \t\v\f"), *(("\t", blank) for blank in " \v\f")],
)
@pytest.mark.parametrize("line", ["_q3,a,1", "q3_,a,1", "q3,_a,1", "q3,a_,1", "q3,a,_1", "q3,a,1_"])
def test_blanks_around_a_column_are_none_of_it(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    separator: str,
    blank: str,
    line: str,
    size: int,
) -> None:
    monkeypatch.setattr(sources, "BLOCK_BYTES", size)
    spelled = line.replace(",", separator).replace("_", blank)
    before = f"q1{separator}a{separator}0.5\nq2{separator}a{separator}0.5\n"
    for text_ in (before + spelled, f"{spelled}\n{before}"):
        run = as_run(write(tmp_path, text_), format="csv" if separator == "," else "tsv")
        assert ("q3", "a", 1.0) in rows_of(run)
        assert len(run) == 3


@pytest.mark.parametrize("size", BLOCK_SIZES)
def test_quoted_columns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(sources, "BLOCK_BYTES", size)
    text = '"qid","docno","sim"\r\n"q,1","5"" pipe","1.5"\r\nq2 , "a, b" ,2\r\n"q2",c,"-1e2"\r\n'
    run = as_run(write(tmp_path, text))
    assert rows_of(run) == [("q,1", '5" pipe', 1.5), ("q2", "a, b", 2.0), ("q2", "c", -100.0)]


@pytest.mark.parametrize("size", BLOCK_SIZES)
@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("q1,d", "expected 3 columns (query_id doc_id score), got 2"),
        ("q1,d,1,2", "expected 3 columns (query_id doc_id score), got 4"),
        ('q1,"d,e",1,2', "expected 3 columns (query_id doc_id score), got 4"),
        (",d,1", "the query_id is empty"),
        ('q1,"",1', "the doc_id is empty"),
        ("q1, ,1", "the doc_id is empty"),
        ("q1,d,", "the score must be a number, got ''"),
        ('q1,"d,x', "expected 3 columns (query_id doc_id score), got 2"),
        (
            'q1,5" pipe,1',
            (
                "a quote within a column, or a quoted column that does not end in its line; "
                'write " as "" inside a quoted column'
            ),
        ),
    ],
)
def test_a_wrong_line_of_csv_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int, line: str, told: str
) -> None:
    monkeypatch.setattr(sources, "BLOCK_BYTES", size)
    path = write(tmp_path, f'# from a sheet\nqid,docno,score\n"q1","a",1.5\n\n{line}\nq2,b,x\n')
    with pytest.raises(
        InputError, match=f"^{re.escape(f'{path}:5: {told}; the line is {line!r}')}$"
    ):
        as_run(path)


@pytest.mark.parametrize("size", BLOCK_SIZES)
def test_a_wrong_line_of_tsv_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(sources, "BLOCK_BYTES", size)
    path = write(tmp_path, "query-id\tcorpus-id\tscore\nq1\ta\t1\n\t\t\nq1\t\t2\n")
    told = f"{path}:4: the doc_id is empty; the line is 'q1\\t\\t2'"
    with pytest.raises(InputError, match=f"^{re.escape(told)}$"):
        as_qrels(path)


def test_a_block_of_nothing_but_comments_before_the_header(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "BLOCK_BYTES", 8)
    path = write(tmp_path, "# qid docno score\n# more\n\nqid,docno,score\nq,a,1.5\nq,a,1.5\n")
    with pytest.raises(InputError, match=f"^{re.escape(f'{path}:6: document')}.* first at .*:5;"):
        as_run(path)


@pytest.mark.parametrize("kind", ["qrels", "run"])
def test_size_of_blocks_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    rng = np.random.default_rng(7)
    lines = []
    for doc in range(60):
        query, value = f"q{rng.integers(6)}", f"{rng.normal():.3g}"
        fields = [query, "0", f"d{doc}", *([value] if kind == "qrels" else ["1", value, "tag"])]
        lines.append(rng.choice([" ", "\t", "  \t"]).join(fields) + rng.choice(["", "  ", "\r"]))
        lines += rng.choice(["", "# note", " \t"], size=rng.integers(2)).tolist()
    content = "\n".join(lines).encode()
    path = write(tmp_path, content)
    read = as_qrels if kind == "qrels" else as_run
    whole = read(path)
    assert table_of(whole) == read_slowly(content, kind)
    for size in range(16, 150, 7):
        monkeypatch.setattr(sources, "BLOCK_BYTES", size)
        parts = read(path)
        assert rows_of(parts) == rows_of(whole)
        assert (parts.digest, parts.notices) == (whole.digest, whole.notices)


@pytest.mark.parametrize("stretch", [1, 2, 3, 7, 19, 20, 64])
@pytest.mark.parametrize("blanks", [" ", "  ", "\t", " \t"])
def test_blocks_are_looked_through_in_stretches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, blanks: str, stretch: int
) -> None:
    monkeypatch.setattr(text, "_STRETCH", stretch)
    run = as_run(write(tmp_path, RUN.replace(" ", blanks)))
    assert (rows_of(run), run.notices) == (RUN_ROWS, ())
    mixed = as_run(write(tmp_path, RUN.replace("2.25 ", f"2.25{blanks}")))
    assert (rows_of(mixed), mixed.notices) == (RUN_ROWS, ())
    longer = as_run(write(tmp_path, RUN.replace("2.25 tag", f"2.25 my{blanks}tag")))
    assert (rows_of(longer), len(longer.notices)) == (RUN_ROWS, 1)


@st.composite
def damaged(draw: st.DrawFn, valid: bytes) -> bytes:
    """Return a valid file with a few bytes or lines changed, taken out or doubled."""
    content = valid
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, max(len(content) - 1, 0)))
        match draw(st.sampled_from(["set", "insert", "cut", "drop", "double", "end"])):
            case "set":
                content = content[:at] + bytes([draw(st.integers(0, 255))]) + content[at + 1 :]
            case "insert":
                piece = draw(
                    st.sampled_from([b" ", b"\n", b"\r", b"\t", b"#", b"\0", b'"', b"nan"])
                )
                content = content[:at] + piece + content[at:]
            case "cut":
                content = content[:at] + content[at + draw(st.integers(1, 6)) :]
            case "end":
                content = content[:at]
            case change:
                lines = content.split(b"\n")
                place = draw(st.integers(0, len(lines) - 1))
                lines[place : place + 1] = [lines[place]] * (0 if change == "drop" else 2)
                content = b"\n".join(lines)
    return content


def check_damaged(folder: Path, kind: str, content: bytes, format: str | None) -> None:
    path = write(folder, content)
    expected = read_slowly(content, kind)
    try:
        table = table_of((as_qrels if kind == "qrels" else as_run)(path, format=format))
    except NdcgError as error:
        table, told = None, str(error)
    if table is None:
        assert str(path) in told
        assert expected is None or format is None, told
    else:
        assert table == expected or (format is None and has_few_columns(content))


def has_few_columns(content: bytes) -> bool:
    """Whether so little is left that it is a whole file of another form, with 2 or 3 columns."""
    lines = [line for line in content.split(b"\n") if line.strip() and not line.startswith(b"#")]
    return {len(line.split()) for line in lines} <= {2, 3}


@given(damaged(QRELS.encode() + b"q3 0 d4 2\nq3 0 d5 -1\nq1 0 d6 1\n"))
@settings(max_examples=300)
def test_damaged_judgments_are_read_right_or_refused(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    check_damaged(tmp_path_factory.mktemp("damaged"), "qrels", content, "trec")


@given(damaged(RUN.encode() + b"q3 Q0 d4 1 7 tag\nq1 Q0 d5 2 6.5 tag\n"))
@settings(max_examples=300)
def test_a_damaged_run_is_read_right_or_refused(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    check_damaged(tmp_path_factory.mktemp("damaged"), "run", content, "trec")


@pytest.mark.parametrize("kind", ["qrels", "run"])
@given(data=st.data())
@settings(max_examples=150)
def test_a_damaged_file_of_unknown_form_is_read_right_or_refused(
    tmp_path_factory: pytest.TempPathFactory, kind: str, data: st.DataObject
) -> None:
    content = data.draw(damaged((QRELS if kind == "qrels" else RUN).encode()))
    check_damaged(tmp_path_factory.mktemp("damaged"), kind, content, None)


def plain(text_: str) -> str:
    """Return a text with spaces for other blanks, and none at its ends."""
    return re.sub("[\t\v\f]", " ", text_).strip()


def read_sheet_slowly(content: bytes) -> Table | None:
    """Read lines of query, document, score and note with the csv module."""
    table: Table = {}
    for line in content.decode("utf-8", "replace").split("\n"):
        if not line.strip() or line.startswith("#"):
            continue
        fields = [one.strip() for one in next(csv.reader([plain(line)], skipinitialspace=True))]
        if len(fields) != 4 or not NUMBER.fullmatch(fields[2]):
            return None
        table.setdefault(fields[0], {})[fields[1]] = float(fields[2])
    return table


@given(damaged(b'q1,"a, b",1.5,\nq1,c,2.5,"x ""y"""\n\nq 2,d,-1e3,n\nq3, e ,7,\n'))
@settings(max_examples=200)
def test_a_damaged_sheet_is_read_right_or_refused(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    path = write(tmp_path_factory.mktemp("damaged"), b"qid,docno,score,note\n" + content)
    try:
        table = table_of(as_run(path))
    except NdcgError as error:
        told = str(error)
        assert str(path) in told
    else:
        found = {plain(q): {plain(d): s for d, s in docs.items()} for q, docs in table.items()}
        assert found == read_sheet_slowly(content)
