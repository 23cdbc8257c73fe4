"""Frames, Parquet, Arrow IPC and JSON lines: named columns of any type."""

from __future__ import annotations

import builtins
import gzip
import io
import json
import re
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import ipc

from ndcg import InputError, MissingPackageError, as_qrels, as_run
from ndcg.formats.tables import frame_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ndcg import Qrels, Run

Columns = dict[str, list[Any]]

RUN: Columns = {"qid": ["q1", "q1", "q2"], "docno": ["a", "b", "a"], "score": [2.5, 1.5, -1.0]}
ROWS = [("q1", "a", 2.5), ("q1", "b", 1.5), ("q2", "a", -1.0)]


def write(folder: Path, content: str | bytes, name: str = "data") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def rows_of(table: Qrels | Run) -> list[tuple[str, str, float]]:
    return [(str(query), str(doc), float(value)) for query, doc, value in table.frame.rows()]


def arrow_stream(columns: Columns) -> bytes:
    sink = io.BytesIO()
    table = pa.table(columns)
    with ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def encoded(columns: Columns, form: str) -> bytes:
    stream = io.BytesIO()
    frame = pl.DataFrame(columns)
    match form:
        case "parquet":
            frame.write_parquet(stream)
        case "arrow":
            frame.write_ipc(stream)
        case "arrow stream":
            return arrow_stream(columns)
        case _:
            frame.write_ndjson(stream)
    return stream.getvalue()


def duckdb_relation(columns: Columns) -> Any:
    table = pa.table(columns)
    return duckdb.connect().from_arrow(table)


class Dataset:
    """A dataset as Hugging Face's: rows that are mappings, and a way to Polars."""

    def __init__(self, columns: Columns) -> None:
        self.frame = pl.DataFrame(columns)

    def __iter__(self) -> Any:
        return self.frame.iter_rows(named=True)

    def to_polars(self) -> pl.DataFrame:
        return self.frame


@pytest.mark.parametrize(
    "make",
    [
        pl.DataFrame,
        pl.LazyFrame,
        pa.table,
        pd.DataFrame,
        duckdb_relation,
        pa.RecordBatch.from_pydict,
        lambda columns: pa.table(columns).to_reader(),
        Dataset,
    ],
    ids=["polars", "lazy", "arrow", "pandas", "duckdb", "batch", "reader", "dataset"],
)
def test_any_frame_is_read(make: Callable[[Columns], Any]) -> None:
    run = as_run(make(RUN))
    assert (rows_of(run), run.name, run.notices) == (ROWS, "run", ())


@pytest.mark.parametrize("form", ["parquet", "arrow", "arrow stream", "jsonl"])
@pytest.mark.parametrize("compress", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_any_table_is_read_by_its_content(
    tmp_path: Path, form: str, compress: Callable[[bytes], bytes]
) -> None:
    path = write(tmp_path, compress(encoded(RUN, form)), "some.run")
    run = as_run(path)
    assert (rows_of(run), run.name, run.notices) == (ROWS, "some", ())


@pytest.mark.parametrize("form", ["parquet", "arrow", "jsonl"])
def test_columns_that_are_not_needed_are_not_read(tmp_path: Path, form: str) -> None:
    columns = {"text": ["long"] * 3, **RUN, "rank": [1, 2, 1]}
    assert rows_of(as_run(write(tmp_path, encoded(columns, form)))) == ROWS


@pytest.mark.parametrize(
    "column",
    [
        pl.Series([2, 1], dtype=pl.Int8),
        pl.Series([2, 1], dtype=pl.UInt64),
        pl.Series([2.0, 1.0], dtype=pl.Float32),
        pl.Series([2, 1]).cast(pl.Decimal(10, 2)),
        pl.Series([" 2 ", "1e0"]),
    ],
    ids=["Int8", "UInt64", "Float32", "Decimal", "text"],
)
def test_values_of_any_type_that_holds_numbers(column: pl.Series) -> None:
    frame = pl.DataFrame({"qid": ["q", "q"], "docno": ["a", "b"], "label": column})
    assert as_qrels(frame).relevance.tolist() == [2.0, 1.0]


def test_booleans_are_1_and_0() -> None:
    frame = pl.DataFrame({"qid": ["q", "q"], "docno": ["a", "b"], "label": [True, False]})
    assert as_qrels(frame).relevance.tolist() == [1.0, 0.0]


@pytest.mark.parametrize(
    "column",
    [
        pl.Series([7, 10]),
        pl.Series([7, 10], dtype=pl.UInt8),
        pl.Series(["7", "10"]),
        pl.Series(["7", "10"], dtype=pl.Categorical),
        pl.Series(["7", "10"], dtype=pl.Enum(["7", "10"])),
        pl.Series([b"7", b"10"]),
    ],
    ids=["integers", "UInt8", "text", "categorical", "enum", "bytes"],
)
def test_ids_of_any_type_that_holds_text_or_integers(column: pl.Series) -> None:
    frame = pl.DataFrame({"qid": column, "docno": column, "score": [1.0, 2.0]})
    assert rows_of(as_run(frame)) == [("7", "7", 1.0), ("10", "10", 2.0)]


def test_dictionaries_of_arrow_and_categories_of_pandas_are_ids() -> None:
    table = pa.table({**RUN, "qid": pa.array(RUN["qid"]).dictionary_encode()})
    assert rows_of(as_run(table)) == ROWS
    frame = pd.DataFrame(RUN).astype({"docno": "category"})
    assert rows_of(as_run(frame)) == ROWS


@pytest.mark.parametrize(
    ("column", "told"),
    [
        (
            pl.Series([7.0, 10.0]),
            (
                "the frame: query_id must be text or integers, got Float64; an id such as 7.0 "
                "would "
                "match nothing"
            ),
        ),
        (
            pl.Series([[7], [10]]),
            (
                "the frame: query_id must be text or integers, got List(Int64); an id such as 7.0 "
                "would match nothing"
            ),
        ),
        (pl.Series(["7", None]), "the frame, row 2: query_id is missing"),
        (pl.Series([None, 7]), "the frame, row 1: query_id is missing"),
        (pl.Series([None, None]), "the frame, row 1: query_id is missing"),
        (pl.Series(["7", ""]), "the frame, row 2: query_id is empty"),
        (pl.Series([b"7", b"\xff"]), "the frame, row 2: query_id b'\\xff' is not UTF-8"),
        (pl.Series([None, b"\xff"]), "the frame, row 1: query_id is missing"),
    ],
)
def test_other_ids_are_refused(column: pl.Series, told: str) -> None:
    frame = pl.DataFrame({"qid": column, "docno": ["a", "b"], "score": [1.0, 2.0]})
    with pytest.raises(InputError, match=f"^{re.escape(told)}$"):
        as_run(frame)


@pytest.mark.parametrize(
    ("column", "told"),
    [
        (pl.Series([1.0, None]), "the frame, row 2: relevance must be a number, got None"),
        (pl.Series([1.0, float("nan")]), "the frame, row 2: relevance must be a number, got nan"),
        (pl.Series([float("inf"), 1.0]), "the frame, row 1: relevance must be a number, got inf"),
        (pl.Series(["1", "high"]), "the frame, row 2: relevance must be a number, got 'high'"),
        (pl.Series(["1", ""]), "the frame, row 2: relevance must be a number, got ''"),
        (pl.Series([None, None]), "the frame, row 1: relevance must be a number, got None"),
        (pl.Series([[1], [2]]), "the frame: relevance must be numbers, got List(Int64)"),
        (pl.Series([1, 2]).cast(pl.Date), "the frame: relevance must be numbers, got Date"),
    ],
)
def test_other_grades_are_refused(column: pl.Series, told: str) -> None:
    frame = pl.DataFrame({"qid": ["q", "q"], "docno": ["a", "b"], "label": column})
    with pytest.raises(InputError, match=f"^{re.escape(told)}$"):
        as_qrels(frame)


def test_infinite_scores_are_ordered_but_nan_is_refused() -> None:
    frame = pl.DataFrame({"qid": ["q"] * 2, "docno": ["a", "b"], "score": [np.inf, -np.inf]})
    assert as_run(frame).scores.tolist() == [np.inf, -np.inf]
    with pytest.raises(InputError, match=r"^the frame, row 1: score must be a number, got nan$"):
        as_run(frame.with_columns(score=pl.lit(np.nan)))


def test_missing_ids_of_pandas_are_told() -> None:
    with pytest.raises(InputError, match=r"query_id must be text or integers, got Float64"):
        as_run(pd.DataFrame({"qid": [1, None], "docno": ["a", "b"], "score": [1.0, 2.0]}))


def test_mixed_columns_of_pandas_are_told() -> None:
    frame = pd.DataFrame({"qid": ["q", 1], "docno": ["a", "b"], "score": [1.0, 2.0]})
    with pytest.raises(
        InputError,
        match=r"^the frame: cannot be read as columns \(.*\); each column must hold one type$",
    ):
        as_run(frame)


def test_a_frame_whose_library_lacks_a_package_says_so() -> None:
    class Lacking:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            raise ImportError("pyarrow is required")

    with pytest.raises(MissingPackageError, match=r"^cannot read Lacking: pyarrow is required$"):
        frame_of(Lacking())


def test_ranks_serve_where_a_frame_has_no_scores() -> None:
    frame = pl.DataFrame({"qid": ["q", "q"], "docno": ["a", "b"], "rank": [2, 1]})
    run = as_run(frame)
    assert rows_of(run) == [("q", "a", -2.0), ("q", "b", -1.0)]
    assert [notice.text for notice in run.notices] == [
        "the frame: no scores; column 3 is taken as the rank"
    ]


@pytest.mark.parametrize(
    "ranks", [[1.5, 2.5], [None, 2], ["first", "second"], [[1], [2]], [1.0, float("nan")]]
)
def test_ranks_that_are_no_integers_do_no_harm(ranks: list[Any]) -> None:
    frame = pl.DataFrame(
        {"qid": ["q"] * 2, "docno": ["a", "b"], "score": [1.0, 2.0], "rank": ranks}
    )
    run = as_run(frame)
    assert (run.scores.tolist(), run.notices) == ([1.0, 2.0], ())


def test_ranks_of_a_frame_that_contradict_are_counted() -> None:
    frame = pl.DataFrame(
        {"qid": ["q"] * 2, "docno": ["a", "b"], "score": [1.0, 2.0], "rank": [1, 2]}
    )
    assert [notice.text for notice in as_run(frame).notices] == [
        "the rank column contradicts the scores in 1 of 1 query; scores decide"
    ]


def test_the_internal_number_of_pyterrier_is_not_the_document() -> None:
    frame = pd.DataFrame(
        {"qid": ["q"], "docid": [0], "docno": ["a"], "rank": [0], "score": [2.5], "query": ["what"]}
    )
    assert rows_of(as_run(frame)) == [("q", "a", 2.5)]


@pytest.mark.parametrize(
    ("kind", "columns", "told"),
    [
        (
            "qrels",
            ["qid", "text", "label"],
            (
                "the frame: expected columns query_id, doc_id and relevance (or their usual other "
                "names), got qid, text, label"
            ),
        ),
        (
            "run",
            ["user", "docno", "score"],
            (
                "the frame: expected columns query_id, doc_id and score or rank (or their usual "
                "other "
                "names), got user, docno, score"
            ),
        ),
        (
            "run",
            ["qid", "docno", "label"],
            (
                "the frame: the columns 'qid docno label' have no scores or ranks: this looks like "
                "judgments; the qrels come first, then the runs"
            ),
        ),
        (
            "qrels",
            ["qid", "docno", "rank"],
            (
                "the frame: the columns 'qid docno rank' have no grades: this looks like a run; "
                "the "
                "qrels come first, then the runs"
            ),
        ),
    ],
)
def test_missing_columns_are_told(kind: str, columns: list[str], told: str) -> None:
    frame = pl.DataFrame({name: [1] for name in columns})
    with pytest.raises(InputError, match=f"^{re.escape(told)}$"):
        (as_qrels if kind == "qrels" else as_run)(frame)


def test_an_empty_frame_is_told() -> None:
    columns = {"qid": pl.String, "docno": pl.String, "score": pl.Float64}
    with pytest.raises(InputError, match=r"^the frame: no documents in it"):
        as_run(pl.DataFrame(schema=columns))
    with pytest.raises(InputError, match=r"^the frame: no judgments in it"):
        as_qrels(pl.DataFrame(schema=columns))


def test_duplicates_in_a_frame_are_named_by_row() -> None:
    frame = pl.DataFrame(
        {"qid": ["q", "r", "q"], "docno": ["a", "a", "a"], "score": [1.0, 2.0, 3.0]}
    )
    told = (
        "the frame, row 3: document 'a' is retrieved twice for query 'q', first at the frame, "
        "row 1;"
    )
    with pytest.raises(InputError, match=f"^{re.escape(told)}"):
        as_run(frame)


@pytest.mark.parametrize("form", ["parquet", "arrow"])
@pytest.mark.parametrize("part", [0.2, 0.5, 0.9])
def test_a_truncated_table_is_refused(tmp_path: Path, form: str, part: float) -> None:
    whole = encoded({name: column * 500 for name, column in RUN.items()}, form)
    path = write(tmp_path, whole[: int(len(whole) * part)])
    with pytest.raises(InputError, match=rf"{path.name}: not a whole {form} file \("):
        as_run(path)


@pytest.mark.parametrize("form", ["parquet", "arrow", "arrow stream"])
@pytest.mark.filterwarnings("ignore")
def test_a_damaged_table_is_read_or_refused(tmp_path: Path, form: str) -> None:
    whole = encoded(RUN, form)
    rng = np.random.default_rng(3)
    for _ in range(40):
        content = bytearray(whole)
        for at in rng.integers(4, len(whole), size=3):
            content[at] = rng.integers(256)
        try:
            run = as_run(write(tmp_path, bytes(content)))
        except InputError as error:
            told = str(error)
            assert str(tmp_path) in told
        else:
            assert len(run) <= len(ROWS)


@pytest.mark.parametrize("format", ["parquet", "arrow"])
def test_text_named_as_a_table_is_refused(tmp_path: Path, format: str) -> None:
    path = write(tmp_path, "q1 Q0 a 1 2.5 t\n")
    with pytest.raises(InputError, match=rf"{path.name}: not a whole {format} file \("):
        as_run(path, format=format)


LINE = '{"qid": "q1", "docno": "a", "score": 2.5}'


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('{"qid": "q1", "docno": "b"}', "score must be a number, got None"),
        ('{"qid": "q1", "docno": "b", "score": null}', "score must be a number, got None"),
        ('{"qid": "q1", "docno": "b", "score": "x"}', "score must be a number, got 'x'"),
        ('{"qid": "q1", "docno": "b", "score": NaN}', "score must be a number, got nan"),
        ('{"qid": "q1", "score": 1}', "doc_id is missing"),
        ('{"qid": "", "docno": "b", "score": 1}', "query_id is empty"),
        ('{"qid": null, "docno": "b", "score": 1}', "query_id is missing"),
        ('{"qid": "q1", "docno": "a", "score": 1}', "document 'a' is retrieved twice"),
        ('{"qid": "q1", "docno": "b", "score": 1', "not valid JSON ("),
        ('{"qid": "q1" "docno"}', "not valid JSON ("),
        ("[" * 5000, "not valid JSON ("),
        ("[1, 2]", "expected an object a line, got list"),
        ('{"qid": ["q1"], "docno": "b", "score": 1}', "qid must be a string or an integer"),
        ('{"qid": true, "docno": "b", "score": 1}', "qid must be a string or an integer"),
        ('{"qid": 1.0, "docno": "b", "score": 1}', "qid must be a string or an integer"),
        ('{"qid": "q1", "docno": {"b": 1}, "score": 1}', "docno must be a string or an integer"),
        ('{"qid": "q1", "docno": "b", "score": 1, "qid": "q2"}', "the key 'qid' stands twice"),
        ('{"qid": "q1", "docno": "b", "score": 1, "score": 2}', "the key 'score' stands twice"),
    ],
)
def test_a_wrong_line_of_json_is_named(tmp_path: Path, line: str, told: str) -> None:
    path = write(tmp_path, f"{LINE}\n\n{line}\n")
    with pytest.raises(InputError, match=f"^{re.escape(f'{path}:3: {told}')}"):
        as_run(path, format="jsonl")


def read_slowly(content: bytes) -> dict[str, dict[str, float]] | None:
    """Read JSON lines one by one; None for what must be refused."""
    table: dict[str, dict[str, float]] = {}
    try:
        for line in filter(bytes.strip, content.split(b"\n")):
            pairs = json.loads(line, object_pairs_hook=list)
            row = dict(pairs)
            query, doc, score = row["qid"], row["docno"], row["score"]
            odd = len(row) < len(pairs) or {type(query), type(doc)} - {str, int}
            if odd or not query or not doc or str(doc) in table.get(str(query), {}):
                return None
            table.setdefault(str(query), {})[str(doc)] = float(score)
    except (ValueError, KeyError, TypeError):
        return None
    return table


@given(data=st.data())
@settings(max_examples=200)
def test_damaged_json_lines_are_read_right_or_refused(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    content = f"{LINE}\n{LINE.replace('q1', 'q2')}\n{LINE.replace('2.5', '-1')}\n".encode()
    content = content.replace(b'"a"', b'"b"', 1)
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(content) - 1))
        piece = data.draw(
            st.sampled_from([b"", b'"', b",", b"\n", b"7", b"{", b"null", b"\xff", b" "])
        )
        content = content[:at] + piece + content[at + data.draw(st.integers(0, 4)) :]
    path = write(tmp_path_factory.mktemp("damaged"), content)
    try:
        table = as_run(path, format="jsonl").lookup
    except InputError as error:
        told = str(error)
        assert str(path) in told
    else:
        assert table == read_slowly(content)


def test_json_lines_with_blank_lines_and_a_mark(tmp_path: Path) -> None:
    path = write(tmp_path, f"\ufeff{LINE}\r\n\n{LINE.replace('q1', 'q2')}")
    assert rows_of(as_run(path)) == [("q1", "a", 2.5), ("q2", "a", 2.5)]


def test_json_lines_may_mix_types_of_ids(tmp_path: Path) -> None:
    path = write(tmp_path, f"{LINE}\n" + '{"qid": 7, "docno": 8, "score": 1}\n')
    assert rows_of(as_run(path)) == [("q1", "a", 2.5), ("7", "8", 1.0)]


def test_keys_of_json_lines_are_those_of_the_first(tmp_path: Path) -> None:
    path = write(tmp_path, '{"a": 1}\n')
    told = (
        f"{path}: expected columns query_id, doc_id and relevance (or their usual other names), "
        "got a"
    )
    with pytest.raises(InputError, match=f"^{re.escape(told)}$"):
        as_qrels(path, format="jsonl")


@pytest.mark.parametrize("wrong", ["parquet", "arrow", "jsonl"])
def test_beir_judgments_as_a_run_are_told(tmp_path: Path, wrong: str) -> None:
    columns: Columns = {"query-id": ["q", "q"], "corpus-id": ["a", "b"], "score": [1, 0]}
    path = write(tmp_path, encoded(columns, wrong))
    told = (
        f"{path}: this looks like judgments: every score is an integer, 0 to 1; the qrels come "
        f"first, then the runs (--run-format {wrong} if these really are scores)"
    )
    with pytest.raises(InputError, match=f"^{re.escape(told)}$"):
        as_run(path)
    assert len(as_run(path, format=wrong)) == 2
    assert len(as_qrels(path)) == 2


def test_a_frame_does_not_need_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def refuse(name: str, *args: Any, **kwargs: Any) -> Any:
        if name.startswith("pyarrow"):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", refuse)
    assert rows_of(as_run(pl.DataFrame(RUN))) == ROWS
