"""Addresses that answer with JSON, on a real server: slow, broken, busy, elsewhere."""

from __future__ import annotations

import email.utils
import re
import socket
import time
from typing import TYPE_CHECKING

import pytest

from ndcg import OptionError, UrlRetriever, collect
from ndcg.retrieval.urls import _retry_after

if TYPE_CHECKING:
    from .conftest import Reply, Server

from .conftest import hits, two_documents

QUERIES = {"q1": "usb hub & <b>", "q2": "kühlschrank"}


def search(server: Server, **options: object) -> UrlRetriever:
    return UrlRetriever(f"{server.address}/search?q={{query}}&size={{k}}", **options)  # type: ignore[arg-type]


def test_a_run_comes_from_a_search_engine(server: Server) -> None:
    run = collect(QUERIES, search(server), k=2)
    assert run.failures == ()
    assert run.notices == ()
    assert run.lookup == {
        "q1": {"usb hub & <b>-1": 2.5, "usb hub & <b>-2": 1.5},
        "q2": {"kühlschrank-1": 2.5, "kühlschrank-2": 1.5},
    }
    assert {request["path"] for request in server.requests} == {
        "/search?q=usb%20hub%20%26%20%3Cb%3E&size=2",
        "/search?q=k%C3%BChlschrank&size=2",
    }


def test_a_body_is_sent_by_post_with_its_texts_escaped(server: Server) -> None:
    asked = {"q1": 'say "hi"\\ {k}'}
    body = '{"text": "{query}", "id": "{query_id}", "size": {k}}'
    retriever = UrlRetriever(f"{server.address}/s", body, {"Authorization": "ApiKey x"})
    assert collect(asked, retriever, k=7).failures == ()
    (request,) = server.requests
    assert request["body"] == '{"text": "say \\"hi\\"\\\\ {k}", "id": "q1", "size": 7}'
    assert request["headers"]["Authorization"] == "ApiKey x"
    assert request["headers"]["Content-Type"] == "application/json"
    assert "ApiKey" not in repr(retriever)


def test_a_server_error_is_tried_again(server: Server) -> None:
    def reply(query: str, times: int) -> Reply:
        return two_documents(query, times) if times == 3 else (500, {}, b"oops")

    server.reply = reply
    run = collect({"q": "a"}, search(server), backoff=0.01)
    assert (len(run), server.asked) == (2, ["a"] * 3)


def test_a_query_that_fails_after_its_tries_is_counted_and_not_empty(server: Server) -> None:
    def reply(query: str, times: int) -> Reply:
        return (503, {}, b"") if query == "a" else two_documents(query, times)

    server.reply = reply
    run = collect({"q1": "a", "q2": "b"}, search(server), backoff=0.01, retries=2, k=2)
    assert run.query_ids.to_list() == ["q2"]
    (failure,) = run.failures
    assert (failure.query_id, failure.reason, failure.tries) == (
        "q1",
        "HTTP 503 Service Unavailable",
        3,
    )
    assert [notice.text for notice in run.notices] == [
        "1 of 2 queries failed and is not in the run: 'q1'; HTTP 503 Service Unavailable"
    ]


def test_a_busy_server_is_given_the_time_it_asks_for(server: Server) -> None:
    def reply(query: str, times: int) -> Reply:
        if times == 1:
            return 429, {"Retry-After": "1"}, b"{}"
        return two_documents(query, times)

    server.reply = reply
    assert collect({"q": "a"}, search(server), backoff=60).failures == ()
    assert 1.0 <= server.times[1] - server.times[0] < 3.0


def test_a_time_to_wait_is_a_number_or_a_date() -> None:
    assert _retry_after("7") == 7
    seconds = _retry_after(email.utils.formatdate(time.time() + 60, usegmt=True))
    assert seconds is not None
    assert 50 <= seconds <= 61


@pytest.mark.parametrize("text", [None, "soon", "-1"])
def test_any_other_time_to_wait_is_none(text: str | None) -> None:
    assert _retry_after(text) is None


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ((404, {}, b"no such index"), "HTTP 404 Not Found: 'no such index'"),
        ((400, {}, b"\x1b[31m"), r"HTTP 400 Bad Request: '\\x1b\[31m'"),
        ((302, {"Location": "http://other/"}, b""), "HTTP 302 Found to 'http://other/'; ask at"),
        ((200, {}, b"<html>"), "not valid JSON .* it begins with '<html>'"),
        ((200, {}, b'{"error": "x"}'), "expected a list of documents, got an object with the keys"),
        (
            (200, {}, hits(("a\tb", 1.0))),
            "document 1: doc_id 'a\\\\tb' has the control character '\\\\t'",
        ),
        ((200, {}, b'[{"id": "a", "score": "1"}]'), "document 1: score must be a number, got '1'"),
        ((200, {}, b'[{"id": "a", "score": NaN}]'), "document 1: score is NaN"),
        ((200, {}, b'[{"id": "a", "score": 1}, {"id": "b"}]'), "1 of 2 documents have a score"),
    ],
)
def test_what_another_try_would_not_change_is_asked_once(
    server: Server, reply: Reply, reason: str
) -> None:
    server.reply = lambda query, times: two_documents(query, times) if query == "b" else reply
    run = collect({"q1": "a", "q2": "b"}, search(server), workers=1)
    assert run.failures[0].tries == 1
    assert server.asked == ["a", "b"]
    assert re.match(reason, run.failures[0].reason.removeprefix("the answer: "))


def test_a_missing_results_path_names_the_keys(server: Server) -> None:
    server.reply = lambda query, times: (
        (200, {}, b'{"a.b": {"c": [{"sku": 7}]}}') if query == "b" else two_documents(query, times)
    )
    queries = {"q1": "a", "q2": "b"}
    run = collect(queries, search(server), results="/a.b/c", doc_id="sku")
    assert run.lookup == {"q2": {"7": -1.0}}
    assert run.failures[0].reason.startswith(
        "nothing at '/a.b/c' in an object with the keys 'took'"
    )


def test_an_engine_that_lost_shards_is_asked_again(server: Server) -> None:
    def reply(query: str, times: int) -> Reply:
        whole = two_documents(query, times)
        return whole if times > 1 else (200, {}, whole[2].replace(b'"failed": 0', b'"failed": 1'))

    server.reply = reply
    assert collect({"q": "a"}, search(server), backoff=0.01).failures == ()
    assert server.asked == ["a", "a"]


def test_a_slow_answer_fails_in_time(server: Server) -> None:
    def reply(query: str, times: int) -> Reply:
        time.sleep(0.6 if query == "a" else 0)
        return two_documents(query, times)

    server.reply = reply
    run = collect({"q1": "a", "q2": "b"}, search(server, timeout=0.2), retries=0)
    assert [failure.reason for failure in run.failures] == ["no answer within 0.2 s"]


def test_an_answer_that_breaks_off_is_tried_again(server: Server) -> None:
    def reply(query: str, times: int) -> Reply:
        whole = two_documents(query, times)
        return whole if times > 1 else (200, {"Content-Length": "999999"}, whole[2])

    server.reply = reply
    run = collect({"q": "a"}, search(server, timeout=0.3), backoff=0.01)
    assert (run.failures, server.asked) == ((), ["a", "a"])


def test_nobody_there_is_told_and_not_asked_for_ever() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}/?q={{query}}"
    queries = {f"q{i}": "a" for i in range(50)}
    with pytest.raises(
        ValueError, match="no query got a document: 50 of 50 queries failed"
    ) as told:
        collect(queries, UrlRetriever(address), retries=0, give_up=3)
    assert "(47 of them)" in str(told.value)


def test_workers_ask_at_the_same_time_and_the_rate_holds(server: Server) -> None:
    def reply(query: str, times: int) -> Reply:
        time.sleep(0.05)
        return two_documents(query, times)

    server.reply = reply
    queries = {f"q{i}": f"t{i}" for i in range(12)}
    run = collect(queries, search(server), workers=3)
    assert server.most_at_once in {2, 3}
    assert run.query_ids.to_list() == list(queries)
    server.times.clear()
    collect(queries, search(server), workers=4, rate=50)
    assert server.times[-1] - server.times[0] >= 11 / 50 * 0.9


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("file:///etc/passwd?{query}",), "is no address; expected http"),
        (("http:///x?{query}",), "is no address"),
        (("http://h:x/?{query}",), "is no address"),
        (("http://h/a b?{query}",), "is no address"),
        (("http://{query}.com/",), "the host of .* must not depend on the query"),
        (("http://me:pw@h/?q={query}",), r"'http://\*\*\*/\?q={query}' has a user in it"),
        (("http://h/?q={qury}",), "has {qury} in it; did you mean 'query'"),
        (("http://h/?q=x",), "has no place for the query"),
        (("http://h/", '{"q": {query}}'), "the body is not JSON"),
        (("http://h/?q={query}", None, {"A": "b\r\nC: d"}), "'A' is no header"),
        (("http://h/?q={query}", None, {}, 0.0), "timeout must be above 0"),
    ],
)
def test_a_wrong_address_is_refused_where_it_is_made(
    arguments: tuple[object, ...], message: str
) -> None:
    with pytest.raises(OptionError, match=message):
        UrlRetriever(*arguments)  # type: ignore[arg-type]
