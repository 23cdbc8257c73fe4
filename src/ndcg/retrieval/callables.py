"""Retrievers that are Python objects: functions, and what LangChain and LlamaIndex have."""

from __future__ import annotations

import importlib
import inspect
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from ndcg.errors import InputError, OptionError
from ndcg.retrieval.failures import AnswerError, PassingError

if TYPE_CHECKING:
    from collections.abc import Callable

_SHOWN = 200


class Retriever(Protocol):
    """What can be asked: an address, a command, or a Python object in its wrapper."""

    @property
    def label(self) -> str:
        """A name for messages and journals, without secrets."""

    @property
    def settings(self) -> str:
        """What decides the answers, to tell one retriever from another."""

    @property
    def workers(self) -> int:
        """How many queries it is asked at a time unless somebody says so."""

    def ask(self, query_id: str, text: str, k: int) -> Any:
        """Return the answer as it came."""


@dataclass(frozen=True)
class CallableRetriever:
    """A function of the text of a query, and of `k` and `query_id` if it names them."""

    function: Callable[..., Any]
    label: str
    takes: frozenset[str] = frozenset()
    workers: ClassVar[int] = 1

    @property
    def settings(self) -> str:
        """The name; what a function does cannot be told."""
        return self.label

    def ask(self, query_id: str, text: str, k: int) -> Any:
        """Return what the function returned."""
        known = {"k": k, "query_id": query_id}
        try:
            found = self.function(text, **{name: known[name] for name in self.takes})
        except (AnswerError, PassingError):
            raise
        except Exception as error:
            raise PassingError(f"{type(error).__name__}: {str(error)[:_SHOWN]!r}") from error
        if inspect.isawaitable(found):
            if inspect.iscoroutine(found):
                found.close()
            raise AnswerError("it is async; wrap it: lambda text: asyncio.run(search(text))")
        # A mapping of no scores is a list of no documents.
        return [] if isinstance(found, dict) and not found else found


def as_retriever(source: Any) -> Retriever:
    """Return what can be asked from a function, a LangChain or LlamaIndex retriever, or another."""
    if all(hasattr(source, name) for name in ("ask", "label", "settings", "workers")):
        retriever: Retriever = source
        return retriever
    # LangChain's retrievers and chains have `invoke`, LlamaIndex's have `retrieve`.
    for name in ("invoke", "retrieve"):
        method = getattr(source, name, None)
        if callable(method) and not inspect.isclass(source):
            kind = type(source)
            return CallableRetriever(method, f"{kind.__module__}.{kind.__qualname__}.{name}")
    if not callable(source) or inspect.isclass(source):
        raise InputError(
            f"cannot ask {source!r}: expected a function of the query's text, an object with "
            "invoke (LangChain) or retrieve (LlamaIndex), a UrlRetriever or a CommandRetriever"
        )
    if inspect.iscoroutinefunction(source):
        raise InputError(
            f"{_name(source)} is async; wrap it: lambda text: asyncio.run(search(text))"
        )
    return CallableRetriever(source, _name(source), _taken(source))


def _name(function: Any) -> str:
    named = function if hasattr(function, "__qualname__") else type(function)
    return f"{named.__module__}.{named.__qualname__}"


def _taken(function: Callable[..., Any]) -> frozenset[str]:
    """Return which of `k` and `query_id` a function names, its first parameter aside."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return frozenset()
    taken = frozenset([*signature.parameters][1:]) & {"k", "query_id"}
    try:
        signature.bind("", **dict.fromkeys(taken))
    except TypeError:
        raise InputError(
            f"{_name(function)}{signature} cannot be asked: expected a function of the query's "
            "text, and of k and query_id if it likes; wrap it in a lambda"
        ) from None
    return taken


def load_callable(spec: str) -> Any:
    """Return what ``module:name`` names; the folder one stands in is searched too."""
    module_name, colon, path = spec.partition(":")
    if not colon or not module_name or not path:
        raise OptionError(f"expected module:name, got {spec!r}")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        found: Any = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module_name}.".startswith(f"{error.name}."):
            raise OptionError(f"{module_name}: importing it failed: {error}") from None
        raise OptionError(f"no module named {module_name!r} here or installed") from None
    except Exception as error:
        raise OptionError(
            f"{module_name}: importing it failed: {type(error).__name__}: {error}"
        ) from error
    for name in path.split("."):
        if not hasattr(found, name):
            raise OptionError(f"{module_name} has no {path!r}")
        found = getattr(found, name)
    return found
