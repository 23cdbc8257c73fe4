"""The inputs that other programs are run on, and the values that they gave."""

from __future__ import annotations

import gzip
import json
import math
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

GOLDEN = Path(__file__).parents[1] / "tests" / "golden"
STORE = GOLDEN / "peers.json"

Case = dict[str, Any]
Answer = dict[str, Any]

# Programs that no package index has: their column of edge-cases.json.gz, and their version.
BY_HAND = {
    "trec_eval_10": ("trec_eval_10.0_c", "10.0-rc3"),
    "trec_eval_9": ("trec_eval_9.0.8", "9.0.8"),
    "mteb": ("mteb", "a905523"),
}

QRELS = {"d2": 3, "d4": 2, "d9": 1}
ORDER = ["d7", "d2", "d9", "d4", "d1"]
SHORT = ["d7", "d2"]


def edge_cases() -> dict[str, Case]:
    """Return the 81 small hard inputs of golden/edge-cases.json.gz by name."""
    stored = json.loads(gzip.decompress((GOLDEN / "edge-cases.json.gz").read_bytes()))
    return {case["name"]: case for case in stored["cases"]}


def run_cases() -> dict[str, Case]:
    """Return what `make conformance` runs: the worked example twice, and the edge cases in memory.

    ``worked`` is the order d7 d2 d9 d4 d1, ``worked_short`` its first two; ``_exp`` has the gain
    2^grade - 1.
    """
    worked = {
        f"worked{short}{exp}": {
            "name": f"worked{short}{exp}",
            "metric": "nDCG(exp)@10" if exp else "nDCG@10",
            "k": 10,
            "gain": "exp" if exp else "linear",
            "format": "dict",
            "qrels": {"1": QRELS},
            "run": {"1": {doc: float(9 - place) for place, doc in enumerate(order)}},
            "values": {},
        }
        for short, order in (("", ORDER), ("_short", SHORT))
        for exp in ("", "_exp")
    }
    return worked | {n: case for n, case in edge_cases().items() if case["format"] == "dict"}


@cache
def stored_peers() -> dict[str, Any]:
    """Return ``{peer: {"version": text, "answers": {case: answer}}}`` of the last run."""
    peers: dict[str, Any] = json.loads(STORE.read_text())["peers"]
    return peers


def answer_of(peer: str, case: Case) -> Answer | None:
    """Return ``{"mean": value}`` or ``{"error": text}``; None where it has no such measure."""
    if peer in stored_peers():
        answer: Answer | None = stored_peers()[peer]["answers"].get(case["name"])
        return answer
    by_hand: Answer | None = case["values"].get(BY_HAND[peer][0])
    return None if by_hand is None or "not_applicable" in by_hand else by_hand


def version_of(peer: str) -> str:
    version: str = stored_peers()[peer]["version"] if peer in stored_peers() else BY_HAND[peer][1]
    return version


def inputs_of(case: Case, folder: Path) -> tuple[Any, Any]:
    """Return judgments and run as the case gives them: mappings, or paths of files."""
    if case["format"] == "trec_text":
        paths = []
        for name in ("qrels", "run"):
            content = case[name].encode(case["encoding"])
            path = folder / (f"{name}.gz" if case["gzip"] else name)
            path.write_bytes(gzip.compress(content) if case["gzip"] else content)
            paths.append(path)
        return paths[0], paths[1]
    return mappings_of(case)


def mappings_of(case: Case) -> tuple[dict[Any, Any], dict[Any, Any]]:
    """Return judgments and run as mappings, with the types that the case is about."""
    qrels, run = case["qrels"], case["run"]
    if case["name"] == "int_ids":
        qrels, run = with_integers(qrels), with_integers(run)
    if case["name"] == "numpy_float32_scores":
        qrels = {q: {d: np.int64(v) for d, v in docs.items()} for q, docs in qrels.items()}
        run = {q: {d: np.float32(v) for d, v in docs.items()} for q, docs in run.items()}
    # JSON has no NaN: the file spells it as a text.
    nan = {
        q: {d: math.nan if isinstance(v, str) and v == "NaN" else v for d, v in docs.items()}
        for q, docs in run.items()
    }
    return qrels, nan


def with_integers(docs: dict[str, dict[str, Any]]) -> dict[int, dict[int, Any]]:
    return {int(q): {int(d): v for d, v in inner.items()} for q, inner in docs.items()}
