"""Runs collected from Python objects: what counts, what is counted, what is kept."""

from __future__ import annotations

import json
import sqlite3
import threading
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ndcg
from ndcg import InputError, OptionError, collect

from .test_answers import Document, Node, NodeWithScore

if TYPE_CHECKING:
    from pathlib import Path

QUERIES = {"q1": "one", "q2": "two", "q3": "three"}


def test_a_collected_run_goes_where_a_run_goes() -> None:
    run = collect(QUERIES, lambda text: {text: 1.0}, name="mine")
    scores = ndcg.evaluate({"q1": {"one": 1}, "q2": {"x": 1}}, run, "nDCG@10")
    assert scores.mean() == {ndcg.nDCG @ 10: 0.5}
    assert scores.runs[0].name == "mine"
    assert ndcg.as_run(run, name="other").digest == run.digest


def test_a_failed_query_is_told_where_the_run_is_evaluated() -> None:
    def search(text: str) -> list[str]:
        if text == "two":
            raise OSError("disk")
        return [text]

    run = collect(QUERIES, search, retries=0)
    told = [
        notice.text for notice in ndcg.evaluate({"q2": {"x": 1}, "q1": {"one": 1}}, run).notices
    ]
    assert any(
        "1 of 3 queries failed and is not in the run: 'q2'; OSError: 'disk'" in t for t in told
    )
    assert any("1 of 2 judged queries is not in the run" in text for text in told)
    assert run.to_dict()["queries"] == {"asked": 3, "answered": 2}
    assert run.to_dict()["failures"] == [
        {"query_id": "q2", "reason": "OSError: 'disk'", "tries": 1}
    ]


def test_an_empty_list_is_an_answer() -> None:
    run = collect(QUERIES, lambda text: [] if text == "two" else [text], k=1)
    assert run.query_ids.to_list() == ["q1", "q2", "q3"]
    assert (run.failures, len(run)) == ((), 2)
    assert [n.text for n in run.notices if n.code == "empty"] == [
        "1 of 3 queries got an empty list"
    ]


def test_retrievers_are_told_by_their_methods() -> None:
    class Chain:
        def invoke(self, text: str) -> list[Document]:
            return [Document("", {"doc_id": f"{text}-a"}), Document("", {"doc_id": f"{text}-b"})]

    class Index:
        def retrieve(self, text: str) -> list[NodeWithScore]:
            return [NodeWithScore(Node(f"{text}-a"), 0.9), NodeWithScore(Node(f"{text}-b"), 0.8)]

    class Model:
        def __call__(self, text: str, *, k: int) -> list[str]:
            return [f"{text}-a", f"{text}-b", f"{text}-c"][:k]

    chain, index = collect(QUERIES, Chain(), k=2), collect(QUERIES, Index(), k=2)
    model = collect(QUERIES, Model(), k=2)
    assert chain.lookup == model.lookup
    assert chain.lookup["q1"] == {"one-a": -1.0, "one-b": -2.0}
    assert index.lookup["q1"] == {"one-a": 0.9, "one-b": 0.8}
    assert [notice.code for notice in chain.notices] == ["no-scores"]
    assert index.notices == ()


@pytest.mark.parametrize(
    ("retriever", "message"),
    [
        (3, "cannot ask 3: expected a function"),
        (dict, "cannot ask <class 'dict'>"),
        (lambda text, top: [text, top], r"<lambda>\(text, top\) cannot be asked"),
    ],
)
def test_what_cannot_be_asked_is_refused(retriever: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        collect(QUERIES, retriever)


def test_an_async_function_is_refused() -> None:
    async def search(text: str) -> list[str]:
        return [text]

    def hidden(text: str, k: int) -> Any:
        return search(text) if k else []

    with pytest.raises(InputError, match="search is async; wrap it"):
        collect(QUERIES, search)
    with pytest.raises(InputError, match="it is async; wrap it"):
        collect(QUERIES, hidden)


def test_python_objects_are_asked_in_the_callers_thread() -> None:
    connection = sqlite3.connect(":memory:")
    run = collect(QUERIES, lambda text: connection.execute("select ?", [text]).fetchone())
    connection.close()
    assert run.failures == ()


def test_workers_ask_in_threads_and_the_order_is_that_of_the_queries() -> None:
    meet = threading.Barrier(3, timeout=10)

    def search(text: str) -> list[str]:
        meet.wait()
        return [text]

    assert collect(QUERIES, search, workers=3).query_ids.to_list() == ["q1", "q2", "q3"]


@pytest.mark.parametrize("workers", [1, 3])
def test_an_interruption_goes_through(workers: int) -> None:
    def search(text: str) -> list[str]:
        raise KeyboardInterrupt if text == "two" else ValueError

    with pytest.raises(KeyboardInterrupt):
        collect(QUERIES, search, workers=workers, retries=0)


def test_documents_are_kept_once_and_cut_by_score() -> None:
    rows = [("a", 1.0), ("b", 3.0), ("a", 2.0), ("c", 0.5)]
    run = collect({"q": "t"}, lambda _: rows, k=2)
    assert run.lookup == {"q": {"b": 3.0, "a": 2.0}}
    assert {notice.code: notice.text for notice in run.notices} == {
        "list-order": "1 of 1 query came in another order than that of the scores: "
        "the scores count",
        "repeated": "1 document came again in the list of a query, as chunks do: each kept at its "
        "best place",
        "cut": "1 document below the first 2 of a list left out",
    }


def test_distances_are_not_taken_for_scores() -> None:
    def search(text: str) -> list[tuple[str, float]]:
        return [("near", 0.1), ("far", 0.9)] if text != "two" else [("only", 0.3)]

    with pytest.raises(InputError, match=r"rise along the list in all 2 lists .* as distances do"):
        collect(QUERIES, search)
    assert list(collect(QUERIES, search, by="order").lookup["q1"]) == ["near", "far"]
    assert collect(QUERIES, search, by="score").lookup["q1"] == {"far": 0.9, "near": 0.1}


def test_a_limit_on_the_other_side_is_asked_about() -> None:
    run = collect(QUERIES, lambda _: [f"d{i}" for i in range(10)], k=100)
    assert [notice.text for notice in run.notices if notice.code == "page-size"] == [
        (
            "3 of 3 queries got 10 documents, none more, though 100 were asked for: is there a "
            "limit on the other side?"
        )
    ]


def test_ids_from_two_places_are_told() -> None:
    rows = [Document("", {"doc_id": "a"}, "x"), Document("", {}, "b")]
    run = collect({"q": "t"}, lambda _: rows)
    assert [notice.text for notice in run.notices if notice.code == "mixed-ids"] == [
        "documents took their ids from metadata.doc_id (1 times), id (1 times); name one (doc_id)"
    ]


def test_asking_stops_when_nothing_comes_back() -> None:
    asked = []

    def search(text: str) -> list[str]:
        asked.append(text)
        if text == "t0":
            return ["d"]
        raise OSError("down")

    run = collect({f"q{i}": f"t{i}" for i in range(40)}, search, retries=0, give_up=5)
    assert len(asked) == 6
    assert len(run.failures) == 39
    assert run.failures[-1].reason == "not asked: 5 queries in a row had failed"
    assert (run.failures[0].tries, run.failures[-1].tries) == (1, 0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 0}, "k must be 1 or more, got 0"),
        ({"by": "rank"}, "by must be one of score, order"),
        ({"workers": 0}, "workers must be from 1 to 256"),
        ({"rate": 0}, "rate must be above 0"),
        ({"retries": -1}, "retries must be 0 or more"),
        ({"give_up": -1}, "give_up must be 0 or more"),
        ({"retry": 2}, "unexpected keyword argument 'retry'"),
    ],
)
def test_options_out_of_range_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        collect(QUERIES, lambda text: [text], **options)


def test_no_document_at_all_is_no_run() -> None:
    with pytest.raises(InputError, match="no query got a document: 3 empty lists"):
        collect(QUERIES, lambda _: [])


def test_a_journal_makes_the_next_call_ask_only_what_is_missing(tmp_path: Path) -> None:
    journal, asked = tmp_path / "answers.jsonl", []

    def search(text: str) -> list[tuple[str, float]]:
        asked.append(text)
        if text == "two" and len(asked) < 4:
            raise OSError("down")
        return [(f"{text} ü", float("inf")), ("b", 0.1)]

    first = collect(QUERIES, search, journal=journal, retries=0)
    assert [failure.query_id for failure in first.failures] == ["q2"]
    again = collect(QUERIES, search, journal=journal, retries=0)
    assert asked == ["one", "two", "three", "two"]
    assert again.failures == ()
    assert again.lookup == collect(QUERIES, search).lookup
    assert [notice.text.partition(", begun")[0] for notice in again.notices][:1] == [
        f"2 of 3 answers taken from {journal}"
    ]


def test_a_query_whose_text_changed_is_asked_again(tmp_path: Path) -> None:
    collect(QUERIES, lambda text: [text], journal=tmp_path / "j")
    run = collect(QUERIES | {"q1": "new"}, lambda text: [text], journal=tmp_path / "j")
    assert list(run.lookup["q1"]) == ["new"]


@given(cut=st.integers(0, 10_000))
def test_a_journal_cut_anywhere_goes_on(cut: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    journal = tmp_path_factory.mktemp("cut") / "j"
    whole = collect(QUERIES, lambda text: {text: 1.0}, journal=journal)
    content = journal.read_bytes()
    journal.write_bytes(content[: cut % (len(content) + 1)])
    assert collect(QUERIES, lambda text: {text: 1.0}, journal=journal).digest == whole.digest
    lines = journal.read_bytes().split(b"\n")
    assert [bool(line) for line in lines] == [True] * 4 + [False]


def test_a_journal_of_another_retriever_is_refused(tmp_path: Path) -> None:
    def search(text: str) -> list[str]:
        return [text]

    collect(QUERIES, search, journal=tmp_path / "j", k=10)
    with pytest.raises(InputError, match=r"j: begun with k 10, now it is k 20; go on as before"):
        collect(QUERIES, search, journal=tmp_path / "j", k=20)
    with pytest.raises(InputError, match=r"begun with retriever '.*search', settings"):
        collect(QUERIES, lambda text: [text], journal=tmp_path / "j", k=10)


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("q1 0 d1 1\n", 1),
        ('{"ndcg": "other"}\n', 1),
        ("HEAD\nnull\n", 2),
        ('HEAD\n{"text": 1}\n', 2),
    ],
)
def test_a_file_that_is_no_journal_is_refused_and_kept(
    tmp_path: Path, content: str, line: int
) -> None:
    journal = tmp_path / "j"

    def search(text: str) -> list[str]:
        return [text]

    collect(QUERIES, search, journal=journal)
    head = journal.read_text().partition("\n")[0]
    journal.write_text(content.replace("HEAD", head))
    with pytest.raises(InputError, match=rf"j:{line}: no line of a journal of ndcg collect"):
        collect(QUERIES, search, journal=journal)
    assert journal.read_text() == content.replace("HEAD", head)


def test_a_journal_is_for_one_process_at_a_time(tmp_path: Path) -> None:
    def search(text: str) -> list[str]:
        with pytest.raises(OptionError, match="another process writes to it"):
            collect(QUERIES, lambda text: [text], journal=tmp_path / "j")
        return [text]

    assert collect({"q": "t"}, search, journal=tmp_path / "j").failures == ()


def test_a_journal_shows_no_secret(tmp_path: Path) -> None:
    retriever = ndcg.UrlRetriever("http://h:1/s?key=hush&q={query}", None, {"A": "shush"})
    with pytest.raises(InputError, match="no query got a document"):
        collect(QUERIES, retriever, journal=tmp_path / "j", retries=0, give_up=1)
    heading = json.loads((tmp_path / "j").read_text())
    assert heading["retriever"] == "http://h:1/s"
    assert "hush" not in json.dumps(heading)


def test_progress_is_told_after_each_query() -> None:
    seen: list[tuple[int, int, int]] = []

    def search(text: str) -> list[str]:
        return [text] if text != "two" else []

    collect(QUERIES, search, progress=lambda *told: seen.append(told))
    assert seen == [(1, 0, 3), (2, 0, 3), (3, 0, 3)]
