"""A retriever behind an address that answers with JSON."""

from __future__ import annotations

import email.utils
import functools
import http.client
import json
import re
import ssl
import time
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import IO, TYPE_CHECKING, Any, ClassVar
from urllib.parse import quote, urlsplit

from ndcg import __version__
from ndcg.errors import InputError, OptionError
from ndcg.formats.mappings import parse_json
from ndcg.retrieval.failures import AnswerError, PassingError
from ndcg.retrieval.templates import fill, has_query, refuse_unknown

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["UrlRetriever"]

_PASSING = {408, 425, 429, 500, 502, 503, 504}
_REDIRECTS = {301, 302, 303, 307, 308}
_LARGEST = 64 << 20
_BLOCK = 1 << 16
_SHOWN = 200
_SAMPLE = {"query": 'a "b"', "query_id": "1", "k": "10"}


@dataclass(frozen=True)
class UrlRetriever:
    r"""A retriever behind an address, for `ndcg.collect`.

    Parameters
    ----------
    url
        The address, with ``{query}``, ``{query_id}`` and ``{k}`` where they go; they are escaped.
    body
        A JSON text with the same places, within quotes where they are text, to send by POST;
        without it the address is asked by GET.
    headers
        Further headers, such as Authorization.
    timeout
        Seconds from the question to the end of the answer.

    Raises
    ------
    OptionError
        For an address that is no http or https address or has no place for the query.

    Examples
    --------
    >>> UrlRetriever("http://localhost/search?q={query}&size={k}").address("q1", "é&b", 5)
    'http://localhost/search?q=%C3%A9%26b&size=5'
    """

    url: str
    body: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    timeout: float = 30.0
    workers: ClassVar[int] = 4

    def __post_init__(self) -> None:
        _check_url(self.url)
        if not has_query(self.url) and not has_query(self.body or ""):
            raise OptionError(
                f"the url {self.url!r} has no place for the query; write {{query}} where it goes, "
                "there or in the body"
            )
        if self.body is not None:
            try:
                json.loads(fill(self.body, _SAMPLE, _within_json))
            except ValueError as error:
                raise OptionError(
                    f'the body is not JSON ({error}); write places of text in quotes: "{{query}}"'
                ) from None
        for name, value in self.headers.items():
            if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name) or re.search("[\r\n]", value):
                raise OptionError(f"{name!r} is no header; expected NAME: VALUE")
        if not 0 < self.timeout < float("inf"):
            raise OptionError(f"timeout must be above 0, got {self.timeout}")

    @property
    def label(self) -> str:
        """The address without what may be secret: no user, no query string."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"

    @property
    def settings(self) -> str:
        """What decides the answers, headers by name alone."""
        return json.dumps([self.url, self.body, sorted(self.headers)])

    def address(self, query_id: str, text: str, k: int) -> str:
        """Return the address that a query is asked at."""
        values = {"query": text, "query_id": query_id, "k": str(k)}
        filled = fill(self.url, values, functools.partial(quote, safe=""))
        return quote(filled, safe="%/:?&=~#+!$,;'@()*[]{}|")

    def ask(self, query_id: str, text: str, k: int) -> Any:
        """Return what the server answered."""
        values = {"query": text, "query_id": query_id, "k": str(k)}
        body = None if self.body is None else fill(self.body, values, _within_json).encode()
        request = urllib.request.Request(  # noqa: S310 - checked to be http or https
            self.address(query_id, text, k),
            data=body,
            headers={
                "Accept": "application/json",
                "User-Agent": f"ndcg/{__version__}",
                **({} if body is None else {"Content-Type": "application/json"}),
                **self.headers,
            },
        )
        content = _fetch(request, self.timeout)
        try:
            return parse_json(content, "the answer")
        except InputError as error:
            start = content[:_SHOWN].decode("utf-8", "replace")
            raise AnswerError(f"{error}; it begins with {start!r}") from None


def _check_url(url: str) -> None:
    try:
        parts = urlsplit(url)
        sound = parts.scheme in {"http", "https"} and bool(parts.hostname)
        _ = parts.port
    except ValueError:
        sound = False
    if not sound or re.search(r"[\s\x00-\x1f\x7f]", url):
        raise OptionError(f"{url!r} is no address; expected http://... or https://...")
    if "{" in parts.netloc:
        raise OptionError(f"the host of {url!r} must not depend on the query")
    if "@" in parts.netloc:
        raise OptionError(
            f"{url.replace(parts.netloc, '***')!r} has a user in it; send an Authorization header"
        )
    refuse_unknown(url, f"the url {url!r}")


def _within_json(value: str) -> str:
    return json.dumps(value)[1:-1]


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    # A redirect would carry headers such as Authorization to another host, and turn POST into GET.
    def redirect_request(self, *_: Any) -> None:
        return None


@functools.cache
def _opener() -> urllib.request.OpenerDirector:
    return urllib.request.build_opener(_NoRedirects)


def _fetch(request: urllib.request.Request, timeout: float) -> bytes:
    deadline = time.monotonic() + timeout
    try:
        with _opener().open(request, timeout=timeout) as response:
            return _read(response, deadline, timeout)
    except urllib.error.HTTPError as error:
        with error:
            raise _status_error(error, deadline, timeout) from None
    except urllib.error.URLError as error:
        if isinstance(error.reason, ssl.SSLCertVerificationError):
            raise AnswerError(f"the certificate is not trusted ({error.reason})") from None
        raise PassingError(_told(error.reason, timeout)) from None
    except http.client.InvalidURL as error:
        raise AnswerError(str(error)) from None
    except (OSError, http.client.HTTPException) as error:
        raise PassingError(_told(error, timeout)) from None


def _told(reason: object, timeout: float) -> str:
    if isinstance(reason, TimeoutError):
        return f"no answer within {timeout:g} s"
    if isinstance(reason, OSError) and reason.strerror:
        return f"no connection ({reason.strerror.lower()})"
    return f"no whole answer ({reason or type(reason).__name__})"


def _read(response: IO[bytes], deadline: float, timeout: float, largest: int = _LARGEST) -> bytes:
    blocks, size = [], 0
    while block := response.read1(_BLOCK):  # type: ignore[attr-defined]
        blocks.append(block)
        size += len(block)
        if size > largest:
            raise AnswerError(f"the answer is longer than {largest >> 20} MB; ask for fewer")
        if time.monotonic() > deadline:
            raise PassingError(f"no whole answer within {timeout:g} s")
    # Reading piece by piece, http.client does not see that an answer ended before its length.
    promised = response.headers.get("Content-Length")  # type: ignore[attr-defined]
    if promised is not None and promised.isdecimal() and size < int(promised):
        raise PassingError(f"the answer broke off after {size} of {promised} bytes")
    return b"".join(blocks)


def _status_error(
    error: urllib.error.HTTPError, deadline: float, timeout: float
) -> PassingError | AnswerError:
    told = f"HTTP {error.code} {error.reason}".strip()
    if error.code in _REDIRECTS:
        return AnswerError(f"{told} to {error.headers.get('Location')!r}; ask at that address")
    if error.code in _PASSING:
        return PassingError(told, _retry_after(error.headers.get("Retry-After")))
    try:
        start = _read(error, deadline, timeout)[:_SHOWN].decode("utf-8", "replace")
    except (OSError, http.client.HTTPException, AnswerError, PassingError):
        start = ""
    return AnswerError(f"{told}: {start!r}" if start else told)


def _retry_after(text: str | None) -> float | None:
    """Return the seconds that a Retry-After header asks for, given as a number or a date."""
    if text is None:
        return None
    if re.fullmatch("[0-9]{1,9}", text.strip()):
        return float(text)
    try:
        moment = email.utils.parsedate_to_datetime(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max((moment - datetime.now(UTC)).total_seconds(), 0.0)
