"""A search server in this process whose manners a test sets."""

from __future__ import annotations

import json
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Reply = tuple[int, dict[str, str], bytes]


@dataclass
class Server:
    """What was asked, and what is answered: `reply` gets the query and how often it came."""

    reply: Callable[[str, int], Reply]
    address: str = ""
    asked: list[str] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)
    most_at_once: int = 0


def hits(*documents: tuple[str, float]) -> bytes:
    """Spell an answer as Elasticsearch does."""
    listed = [{"_id": doc, "_score": score} for doc, score in documents]
    whole = {"took": 1, "timed_out": False, "_shards": {"failed": 0}, "hits": {"hits": listed}}
    return json.dumps(whole).encode()


def two_documents(query: str, _times: int) -> Reply:
    return 200, {}, hits((f"{query}-1", 2.5), (f"{query}-2", 1.5))


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """Serve on a free port of this machine."""
    monkeypatch.setenv("no_proxy", "*")
    state, lock, inside = Server(two_documents), threading.Lock(), [0]

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer(parse_qs(urlsplit(self.path).query).get("q", [""])[0], "")

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            self._answer(json.loads(body)["text"], body)

        def _answer(self, query: str, body: str) -> None:
            with lock:
                inside[0] += 1
                state.most_at_once = max(state.most_at_once, inside[0])
                state.asked.append(query)
                state.times.append(time.monotonic())
                seen = {"path": self.path, "body": body, "headers": dict(self.headers)}
                state.requests.append(seen)
                times = state.asked.count(query)
            try:
                status, headers, content = state.reply(query, times)
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                if "Content-Length" not in headers:
                    self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)
            except (BrokenPipeError, ConnectionResetError):
                pass
            finally:
                with lock:
                    inside[0] -= 1

        def log_message(self, format: str, *args: Any) -> None:
            """Keep still."""

    served = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.address = f"http://127.0.0.1:{served.server_port}"
    thread = threading.Thread(target=served.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield state
    served.shutdown()
    thread.join()
    served.server_close()
