"""Nested mappings and triples, in memory and as JSON."""

from __future__ import annotations

import gzip
import json
import re
from collections import OrderedDict
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pytest

from ndcg import InputError, as_qrels, as_run, evaluate

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ndcg import Qrels, Run

NESTED = {"q1": {"a": 2.5, "b": 1}, "q2": {"a": -1}}
ROWS = [("q1", "a", 2.5), ("q1", "b", 1.0), ("q2", "a", -1.0)]
VALUES: list[tuple[Any, float]] = [
    *((True, 1.0), (False, 0.0), (3, 3.0), (2.5, 2.5), (Fraction(1, 4), 0.25)),
    *((np.float32(1.5), 1.5), (np.int8(3), 3.0), (np.uint64(7), 7.0), (np.True_, 1.0)),
    *((np.float64(0.5), 0.5), (np.array(2.0), 2.0), (-0.0, 0.0)),
]
NO_VALUES: list[Any] = ["1", "", b"1", None, 1j, [1], {}, (), np.array([1.0, 2.0]), 10**400, object]


def write(folder: Path, content: str | bytes, name: str = "data.json") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def rows_of(table: Qrels | Run) -> list[tuple[str, str, float]]:
    return [(str(query), str(doc), float(value)) for query, doc, value in table.frame.rows()]


@pytest.mark.parametrize(
    "wrap",
    [dict, OrderedDict, MappingProxyType],
)
def test_any_mapping_of_mappings_is_read(wrap: Any) -> None:
    nested = wrap({query: wrap(docs) for query, docs in NESTED.items()})
    run = as_run(nested)
    assert (rows_of(run), run.name, run.notices) == (ROWS, "run", ())
    assert as_qrels(nested).name == "qrels"
    assert as_qrels(nested, name="mine").name == "mine"


@pytest.mark.parametrize(("value", "expected"), VALUES)
def test_numbers_of_any_type_are_values(value: Any, expected: float) -> None:
    for run in (as_run({"q": {"a": value}}), as_run([("q", "a", value)])):
        assert run.scores.tobytes() == np.array([expected]).tobytes()


@pytest.mark.parametrize("value", NO_VALUES, ids=lambda value: repr(value)[:20])
def test_what_is_no_number_is_refused(value: Any) -> None:
    told = f"run: query 'q', document 'b': score must be a number, got {value!r}"
    with pytest.raises(InputError, match=f"^{re.escape(told)}$"):
        as_run({"p": {"b": 1}, "q": {"a": 1, "b": value, "c": None}})
    told = f"score of row 2 must be a number, got {value!r}"
    with pytest.raises(InputError, match=f"^{re.escape(told)}$"):
        as_run([("q", "a", 1), ("q", "b", value)])


def test_values_that_cannot_stand_are_refused() -> None:
    with pytest.raises(
        InputError, match=r"^run: query 'q2', document 'c': score must be a number, got nan$"
    ):
        as_run({"q1": {"a": 1.0}, "q2": {"b": 1.0, "c": float("nan")}})
    with pytest.raises(
        InputError, match=r"^qrels: query 'q', document 'a': relevance must be a number, got -inf$"
    ):
        as_qrels({"q": {"a": float("-inf")}})
    with pytest.raises(InputError, match=r"^the rows, row 2: score must be a number, got nan$"):
        as_run([("q", "a", 1.0), ("q", "b", float("nan"))])
    assert as_run({"q": {"a": float("inf")}}).scores.tolist() == [float("inf")]


@pytest.mark.parametrize("value", [7, np.int64(7), np.uint8(7), np.str_("7"), "7"])
def test_integers_are_ids(value: Any) -> None:
    assert rows_of(as_run({value: {value: 1}})) == [("7", "7", 1.0)]
    assert rows_of(as_run([(value, value, 1)])) == [("7", "7", 1.0)]
    assert rows_of(as_run({"q": {value: 1, "x": 2}})) == [("q", "7", 1.0), ("q", "x", 2.0)]


@pytest.mark.parametrize(
    "value", [True, None, 7.0, b"7", ("a",), np.float64(7), np.array(["a", "b"])]
)
def test_other_types_are_no_ids(value: Any) -> None:
    told = f"query_id of row 1 must be a string or an integer, got {value!r}"
    with pytest.raises(InputError, match=f"^{re.escape(told)}$"):
        as_run([(value, "a", 1)])
    told = f"doc_id of row 1 must be a string or an integer, got {value!r}"
    with pytest.raises(InputError, match=f"^{re.escape(told)}$"):
        as_run([("q", value, 1)])


@pytest.mark.parametrize("value", [True, None, 7.0, b"7", ("a",)])
def test_other_types_are_no_keys(value: Any) -> None:
    told = f"run: query_id must be a string or an integer, got {value!r}"
    with pytest.raises(InputError, match=f"^{re.escape(told)}$"):
        as_run({value: {"a": 1}})
    told = f"qrels: doc_id of query 'q' must be a string or an integer, got {value!r}"
    with pytest.raises(InputError, match=f"^{re.escape(told)}$"):
        as_qrels({"q": {"a": 1, value: 1}})


def test_ids_must_not_be_empty() -> None:
    with pytest.raises(InputError, match=r"^run: query_id must not be empty$"):
        as_run({"": {"a": 1}})
    with pytest.raises(InputError, match=r"^qrels: doc_id of query 'q' must not be empty$"):
        as_qrels({"q": {"a": 1, "": 1}})
    with pytest.raises(InputError, match=r"^doc_id of row 1 must not be empty$"):
        as_run([("q", "", 1)])


def test_ids_must_be_text_that_can_be_written() -> None:
    with pytest.raises(
        InputError, match=r"^run: query_id must be text that UTF-8 can hold, got 'q\\udce9'$"
    ):
        as_run({"q\udce9": {"a": 1}})
    with pytest.raises(
        InputError, match=r"^run: doc_id of query 'q' must be text that UTF-8 can hold"
    ):
        as_run({"q": {"é": 1, "a\udce9": 1}})
    # A mapping that is not copied is not searched; what needs the text says so.
    unsearched = as_run({"q": {"é": 1, "a\udce9": 1}}, copy=False)
    for needed in (lambda: unsearched.digest, lambda: evaluate({"q": {"é": 1}}, unsearched)):
        with pytest.raises(InputError, match=r"^doc_id must be text that UTF-8 can hold"):
            needed()


@pytest.mark.parametrize(
    "name", ["two words", " blank ", "a\tb", "a\nb", "日本", '"', "#1", "\x00"]
)
def test_ids_from_mappings_may_hold_anything(name: str) -> None:
    qrels, run = {name: {name: 2, "other": 1}}, {name: {name: 1.0}}
    assert rows_of(as_run(run)) == [(name, name, 1.0)]
    assert evaluate(qrels, run, "P@1")["P@1"] == {name: 1.0}


def test_text_and_integer_of_one_id_are_refused() -> None:
    with pytest.raises(
        InputError, match=r"^run: query_id '1' is given twice, as text and as integer$"
    ):
        as_run({1: {"a": 1}, "1": {"b": 1}})
    with pytest.raises(
        InputError, match=r"^run: query 'q' has one doc_id twice, as text and as integer$"
    ):
        as_run({"q": {1: 1, "1": 2}})


@pytest.mark.parametrize("docs", [["a"], "a", 5, None, [("a", 1)]])
def test_each_query_holds_a_mapping(docs: Any) -> None:
    told = f"run: query 'q': expected a mapping from doc_id to score, got {type(docs).__name__}"
    with pytest.raises(InputError, match=f"^{re.escape(told)}$"):
        as_run({"q": docs})


@pytest.mark.parametrize("nothing", [{}, {"q": {}}, {"q": {}, "r": {}}])
def test_an_empty_mapping_is_told(nothing: Mapping[str, Any]) -> None:
    told = "qrels: no judgments in it, expected {query_id: {doc_id: relevance}}"
    with pytest.raises(InputError, match=f"^{re.escape(told)}$"):
        as_qrels(nothing)
    told = "bm25: no documents in it, expected {query_id: {doc_id: score}}"
    with pytest.raises(InputError, match=f"^{re.escape(told)}$"):
        as_run(nothing, name="bm25")


def test_a_query_without_documents_is_kept_beside_others() -> None:
    run = as_run({"q1": {}, "q2": {"a": 1}})
    assert run.query_ids.to_list() == ["q1", "q2"]
    assert rows_of(run) == [("q2", "a", 1.0)]


def test_changing_a_mapping_later_does_not_change_what_was_read() -> None:
    nested = {"q": {"a": 1.0, "b": 2.0}}
    run = as_run(nested)
    nested["q"]["a"] = 5.0
    nested["r"] = {"c": 1.0}
    assert run.lookup == {"q": {"a": 1.0, "b": 2.0}}
    assert rows_of(run) == [("q", "a", 1.0), ("q", "b", 2.0)]


@pytest.mark.parametrize("make", [list, tuple, iter, lambda rows: (row for row in rows)])
def test_any_iterable_of_triples_is_read(make: Any) -> None:
    assert rows_of(as_run(make(ROWS))) == ROWS
    assert rows_of(as_run(make([list(row) for row in ROWS]))) == ROWS


class Qrel(NamedTuple):
    """A row as ir_datasets and ir_measures yield it."""

    query_id: str
    doc_id: str
    relevance: int
    iteration: str


def test_rows_of_ir_datasets_are_triples() -> None:
    rows = [Qrel("q", "a", 1, "0"), Qrel("q", "b", 2, "0")]
    assert rows_of(as_qrels(rows)) == [("q", "a", 1.0), ("q", "b", 2.0)]
    assert rows_of(as_qrels(row for row in rows)) == [("q", "a", 1.0), ("q", "b", 2.0)]


class Other(NamedTuple):
    query_id: str
    doc_id: str
    text: str
    label: int


@pytest.mark.parametrize(
    ("row", "told"),
    [
        (("q", "a"), "got 2 values"),
        (("q", "0", "a", 1), "got 4 values"),
        (Other("q", "a", "", 1), "got 4 values"),
        ("qa1", "got 'qa1'"),
        ("q 0 a 1", "got 'q 0 a 1'"),
        ({"q": 1}, "got {'q': 1}"),
        (5, "got 5"),
        (None, "got None"),
    ],
)
def test_other_rows_are_refused(row: Any, told: str) -> None:
    told = f"row 2: expected (query_id, doc_id, relevance), {told}"
    with pytest.raises(InputError, match=f"^{re.escape(told)}$"):
        as_qrels([("q", "b", 1), row])


@pytest.mark.parametrize("source", [5, None, 1.5, b"q 0 a 1", bytearray(b"x"), object()])
def test_other_sources_are_refused(source: Any) -> None:
    rest = (
        f"from {type(source).__name__}: expected a path, a mapping "
        f"{{query_id: {{doc_id: value}}}}, "
        "a frame, or an iterable of triples"
    )
    with pytest.raises(InputError, match=f"^{re.escape(f'cannot read qrels {rest}')}$"):
        as_qrels(source)
    with pytest.raises(InputError, match=f"^{re.escape(f'cannot read a run {rest}')}$"):
        as_run(source)


def test_no_rows_are_told() -> None:
    with pytest.raises(InputError, match=r"^the rows: no judgments in it"):
        as_qrels([])
    with pytest.raises(InputError, match=r"^the rows: no documents in it"):
        as_run(iter(()))


def test_duplicate_triples_are_named_by_row() -> None:
    told = (
        "the rows, row 3: query 'q', document 'a' is judged 1 and 2 (first at the rows, row 1); "
        "keep one grade"
    )
    with pytest.raises(InputError, match=f"^{re.escape(told)}$"):
        as_qrels([("q", "a", 1), ("r", "a", 2), ("q", "a", 2)])


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("compress", [bytes, gzip.compress])
def test_json_is_a_mapping(tmp_path: Path, indent: int | None, compress: Any) -> None:
    path = write(tmp_path, compress(json.dumps(NESTED, indent=indent).encode()), "bm25.json")
    run = as_run(path)
    assert (rows_of(run), run.name) == (ROWS, "bm25")


def test_json_may_have_a_mark(tmp_path: Path) -> None:
    assert rows_of(as_qrels(write(tmp_path, '\ufeff{"q": {"a": 1}}'))) == [("q", "a", 1.0)]


@pytest.mark.parametrize(
    "text",
    [
        (
            '{"mteb_model_meta": {"model_name": "m", "revision": null}, "default": {"test": {"q": '
            '{"a": 1}}}}'
        ),
        '{"test": {"q": {"a": 1}}}',
        '{"a": {"b": {"c": {"q": {"a": 1}}}}}',
    ],
)
def test_predictions_of_mteb_are_unwrapped(tmp_path: Path, text: str) -> None:
    assert rows_of(as_run(write(tmp_path, text))) == [("q", "a", 1.0)]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"q": {"a": 1}', "not valid JSON ("),
        ("{q: 1}\n", "not valid JSON ("),
        ('{"q": {"a": 1}} {}', "not valid JSON ("),
        ('{"a": ' * 100_000, "not valid JSON ("),
        ('{"q": {"a": 1}, "q": {"b": 1}}', "the key 'q' stands twice in one object"),
        ('{"q": {"a": 1, "b": 2, "a": 1}}', "the key 'a' stands twice in one object"),
        ('{"q": {"\udce9": 1}}'.encode("utf-8", "surrogateescape"), "not UTF-8 ("),
        ("[]", "expected an object {query_id: {doc_id: grade}}, got list"),
        ('"text"', "expected an object {query_id: {doc_id: grade}}, got str"),
        (
            '{"q": {"a": 1}, "r": 5}',
            "expected an object {query_id: {doc_id: grade}}, but 'r' holds int",
        ),
        ('{"q": [["a", 1]]}', "expected an object {query_id: {doc_id: grade}}, but 'q' holds list"),
        (
            '{"en": {"q": {"a": 1}}, "de": {"q": {"a": 1}}}',
            "expected an object {query_id: {doc_id: grade}}, got 2 groups of them: de, en",
        ),
        ("{}", "no judgments in it, expected {query_id: {doc_id: relevance}}"),
        ('{"q": {}}', "no judgments in it, expected {query_id: {doc_id: relevance}}"),
        ('{"q": {"a": "1"}}', "query 'q', document 'a': relevance must be a number, got '1'"),
        ('{"q": {"a": NaN}}', "query 'q', document 'a': relevance must be a number, got nan"),
        ('{"q": {"a": 1e999}}', "query 'q', document 'a': relevance must be a number, got inf"),
        ('{"q": {"": 1}}', "doc_id of query 'q' must not be empty"),
        ('{"q": {"\\udce9": 1}}', "doc_id of query 'q' must be text that UTF-8 can hold"),
    ],
)
def test_wrong_json_is_told(tmp_path: Path, text: str | bytes, told: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(InputError, match=f"^{re.escape(f'{path}: {told}')}"):
        as_qrels(path, format="json")
