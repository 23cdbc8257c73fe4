"""Run other programs on small hard inputs and store what they give: `make conformance`."""

from __future__ import annotations

import json
import multiprocessing
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import warnings
from importlib.metadata import version
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from conformance.cases import STORE, Answer, Case, mappings_of, run_cases

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection

# ranx compiles anew for each length of an identifier: ten seconds and more.
PATIENCE = 180.0

_LOST = ("no answer in 3 minutes", "the interpreter crashed")
_ABOUT_TYPES = frozenset({
    "bool_grades", "query_empty_in_qrels", "int_scores", "string_scores_in_dict",
    "numpy_float32_scores", "int_ids",
})  # fmt: skip

Lists = dict[Any, dict[Any, Any]]


class NotApplicableError(Exception):
    """The program has no such measure."""


def require(case: Case, *metrics: str) -> str:
    """Return the measure of the case without its cutoff."""
    name: str = case["metric"].partition("@")[0]
    if name not in metrics:
        raise NotApplicableError(name)
    return name


def run_trec_eval(qrels: Lists, run: Lists, case: Case) -> float | None:
    """Version 10 is asked to count unanswered queries (-c), 9 as most people call it."""
    name = require(case, "nDCG", "nDCG(judged_only)")
    if case["name"] in _ABOUT_TYPES:
        raise NotApplicableError("a file has no types")
    measure = f"ndcg_cut.{case['k']}" if case["k"] else "ndcg"
    options = ["-J"] if name == "nDCG(judged_only)" else []
    if version_of(None).startswith("10"):
        options.append("-c")
    program = shutil.which("trec_eval")
    assert program is not None
    with tempfile.TemporaryDirectory() as folder:
        for file, lists, line in (
            ("qrels", qrels, "{} 0 {} {}\n"),
            ("run", run, "{} Q0 {} 0 {!r} t\n"),
        ):
            if any(" " in str(doc) for docs in lists.values() for doc in docs):
                raise NotApplicableError("a file has no blanks in an id")
            lines = [line.format(q, d, v) for q, docs in lists.items() for d, v in docs.items()]
            Path(folder, file).write_text("".join(lines))
        told = subprocess.run(
            [program, *options, "-m", measure, "qrels", "run"],
            cwd=folder, capture_output=True, text=True, check=True,
        ).stdout  # fmt: skip
    return float(told.split()[-1])


def run_pytrec_eval(qrels: Lists, run: Lists, case: Case) -> float | None:
    import pytrec_eval

    name = require(case, "nDCG", "nDCG(judged_only)")
    measure = f"ndcg_cut.{case['k']}" if case["k"] else "ndcg"
    evaluator = pytrec_eval.RelevanceEvaluator(
        qrels, {measure}, judged_docs_only_flag=name == "nDCG(judged_only)"
    )
    values = [v for query in evaluator.evaluate(run).values() for v in query.values()]
    return statistics.fmean(values) if values else None


def run_ir_measures(qrels: Lists, run: Lists, case: Case) -> float | None:
    import ir_measures

    measures = {
        "nDCG": ir_measures.nDCG,
        "nDCG(exp)": ir_measures.nDCG(dcg="exp-log2"),
        "nDCG(judged_only)": ir_measures.nDCG(judged_only=True),
        "judged": ir_measures.Judged,
    }
    measure = measures[require(case, *measures)]
    wanted = measure @ case["k"] if case["k"] else measure
    value: float = ir_measures.calc_aggregate([wanted], qrels, run)[wanted]
    return value


def run_sklearn(qrels: Lists, run: Lists, case: Case) -> float | None:
    """Score what was judged and not retrieved below everything that was retrieved."""
    from sklearn.metrics import ndcg_score

    require(case, "nDCG")
    values = []
    for query, judged in qrels.items():
        retrieved = run.get(query)
        if retrieved is None:
            continue
        docs = [*retrieved, *(doc for doc in judged if doc not in retrieved)]
        below = min(map(float, retrieved.values()), default=0.0) - 1
        grades = [[judged.get(doc, 0) for doc in docs]]
        scores = [[retrieved.get(doc, below) for doc in docs]]
        values.append(ndcg_score(grades, scores, k=case["k"]))
    return statistics.fmean(values) if values else None


def run_ranx(qrels: Lists, run: Lists, case: Case) -> float | None:
    import ranx

    measure = {"nDCG": "ndcg", "nDCG(exp)": "ndcg_burges"}[require(case, "nDCG", "nDCG(exp)")]
    wanted = f"{measure}@{case['k']}" if case["k"] else measure
    given = ranx.Qrels(qrels), ranx.Run(run)
    return float(ranx.evaluate(*given, wanted, make_comparable=True))


def run_beir(qrels: Lists, run: Lists, case: Case) -> float | None:
    from beir.retrieval.evaluation import EvaluateRetrieval

    name, k = require(case, "nDCG", "judged"), case["k"]
    if k is None:
        raise NotApplicableError("it has cutoffs only")
    if name == "judged":
        value: float = EvaluateRetrieval.evaluate_custom(qrels, run, [k], "hole")[f"Hole@{k}"]
        return round(1 - value, 5)
    return float(EvaluateRetrieval.evaluate(qrels, run, [k])[0][f"NDCG@{k}"])


def run_lightgbm(qrels: Lists, run: Lists, case: Case) -> float | None:
    """Give the scores as a first guess to a model that learns nothing."""
    import lightgbm

    require(case, "nDCG", "nDCG(exp)")
    cutoff = case["k"] or 1000
    grades, scores, group = list[Any](), list[Any](), list[int]()
    for query, docs in run.items():
        if query not in qrels:
            continue
        grades += [qrels.get(query, {}).get(doc, 0) for doc in docs]
        scores += docs.values()
        group.append(len(docs))
    if not group:
        return None
    params: dict[str, Any] = {
        "objective": "lambdarank", "metric": "ndcg", "eval_at": [cutoff], "verbosity": -1,
        "feature_pre_filter": False,
    }  # fmt: skip
    if case["gain"] == "linear":
        params["label_gain"] = list(range(31))
    data = lightgbm.Dataset(
        np.zeros((len(grades), 1)), grades, group=group, init_score=scores, params=params
    )
    return float(lightgbm.Booster(params, data).eval_train()[0][2])


PEERS: dict[str, tuple[str | None, Callable[[Lists, Lists, Case], float | None]]] = {
    "trec_eval": (None, run_trec_eval),
    "pytrec_eval-terrier": ("pytrec_eval-terrier", run_pytrec_eval),
    "ir_measures": ("ir_measures", run_ir_measures),
    "sklearn_union": ("scikit-learn", run_sklearn),
    "ranx_make_comparable": ("ranx", run_ranx),
    "lightgbm": ("lightgbm", run_lightgbm),
    "beir": ("beir", run_beir),
}


def serve(peer: str, pipe: Connection) -> None:
    """Answer cases until there are no more."""
    warnings.simplefilter("ignore")
    work = PEERS[peer][1]
    while case := pipe.recv():
        try:
            mean = work(*mappings_of(case), case)
            # JSON has no NaN.
            answer: Answer | None = {"mean": "NaN" if mean is not None and isnan(mean) else mean}
        except NotApplicableError:
            answer = None
        except Exception as error:  # noqa: BLE001 - whatever a program does is its answer
            first = (str(error).strip().splitlines() or [""])[0]
            # The names of temporary files change from run to run.
            first = re.sub(rf"{re.escape(tempfile.gettempdir())}/\w+", "FILE", first)
            answer = {"error": f"{type(error).__name__}: {first}"[:200]}
        pipe.send(answer)


def ask(peer: str, cases: dict[str, Case]) -> dict[str, Answer]:
    """Return what a program gives for each case, in a process of its own that may crash."""
    context = multiprocessing.get_context("spawn")
    answers: dict[str, Answer] = {}
    worker, here = None, None
    for name, case in cases.items():
        if worker is None or here is None:
            here, there = context.Pipe()
            worker = context.Process(target=serve, args=(peer, there), daemon=True)
            worker.start()
            there.close()
        here.send(case)
        try:
            answer = here.recv() if here.poll(PATIENCE) else {"error": "no answer in 3 minutes"}
        except EOFError:
            answer = {"error": "the interpreter crashed"}
        if answer is not None:
            answers[name] = answer
        if answer is not None and answer.get("error") in _LOST:
            worker.kill()
            worker = None
    if worker is not None and here is not None:
        here.send(None)
        worker.join()
    return answers


def version_of(package: str | None) -> str:
    if package is not None:
        return version(package)
    told = subprocess.run(
        [str(shutil.which("trec_eval")), "--version"], capture_output=True, text=True, check=False
    )
    return (told.stdout + told.stderr).split()[-1]


def main() -> None:
    stored = json.loads(STORE.read_text())["peers"] if STORE.exists() else {}
    for peer, (package, _) in PEERS.items():
        if package is None and shutil.which(peer) is None:
            print(f"{peer} is not on the PATH: its stored values stay", file=sys.stderr)
            continue
        print(f"running {peer}", file=sys.stderr, flush=True)
        number = version_of(package)
        # The two generations of trec_eval in use differ: each is kept.
        name = peer if package else f"{peer}_{number.partition('.')[0]}"
        stored[name] = {"version": number, "answers": ask(peer, run_cases())}
    STORE.write_text(json.dumps({"made_by": "make conformance", "peers": stored}, indent=1) + "\n")


if __name__ == "__main__":
    main()
