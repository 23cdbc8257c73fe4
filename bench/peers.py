"""What ndcg is compared with: one short program a peer, each reading the files itself."""

import gc
import json
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

Values = Mapping[str, Mapping[str, float]]


def print_means(values: Values) -> None:
    names = next(iter(values.values()))
    for name in names:
        mean = sum(query[name] for query in values.values()) / len(values)
        print(f"{name}\t{mean:.4f}")


def run_pytrec_eval(qrels: str, run: str) -> None:
    import pytrec_eval

    with Path(qrels).open() as file:
        judgments = pytrec_eval.parse_qrel(file)
    with Path(run).open() as file:
        ranked = pytrec_eval.parse_run(file)
    evaluator = pytrec_eval.RelevanceEvaluator(judgments, {"ndcg_cut.10", "recall.100"})
    print_means(evaluator.evaluate(ranked))


def run_ranx(qrels: str, run: str) -> None:
    import ranx

    judgments = ranx.Qrels.from_file(qrels, kind="trec")
    ranked = ranx.Run.from_file(run, kind="trec")
    measures = ["ndcg@10", "recall@100"]
    means = ranx.evaluate(judgments, ranked, measures, make_comparable=True)
    for name, mean in means.items():
        print(f"{name}\t{mean:.4f}")


def run_polars(_: str, run: str) -> None:
    """Read the three columns that an evaluation needs, and nothing else; .gz is read as it is."""
    import polars as pl

    names = ("query_id", "iteration", "doc_id", "rank", "score", "tag")
    schema = dict.fromkeys(names, pl.String) | {"score": pl.Float64}
    lines = pl.scan_csv(run, separator=" ", has_header=False, schema=schema, quote_char=None)
    print(lines.select("query_id", "doc_id", "score").collect().height)


def seconds(work: Callable[[], float]) -> tuple[float, float]:
    gc.collect()
    start = time.perf_counter()
    value = work()
    return time.perf_counter() - start, value


def run_dictionaries(qrels: str, run: str, rounds: str = "5") -> None:
    """Time nDCG@10 of dictionaries already in memory, ours and pytrec_eval's in turn."""
    import pytrec_eval

    import ndcg

    with Path(qrels).open() as file:
        judgments = pytrec_eval.parse_qrel(file)
    with Path(run).open() as file:
        ranked = pytrec_eval.parse_run(file)

    def theirs() -> float:
        values = pytrec_eval.RelevanceEvaluator(judgments, {"ndcg_cut.10"}).evaluate(ranked)
        return sum(query["ndcg_cut_10"] for query in values.values()) / len(values)

    def ours() -> float:
        return ndcg.evaluate(judgments, ranked, "nDCG@10").mean()["nDCG@10"]

    contestants = {"ndcg": ours, "pytrec_eval": theirs}
    report: dict[str, list[float]] = {name: [] for name in contestants}
    # The first round warms both up and is not counted.
    for number in range(int(rounds) + 1):
        for name, work in contestants.items():
            elapsed, value = seconds(work)
            if number:
                report[name].append(elapsed)
            report[f"{name} nDCG@10"] = [value]
    print(json.dumps(report))


PEERS: dict[str, Callable[..., None]] = {
    "pytrec_eval": run_pytrec_eval,
    "ranx": run_ranx,
    "polars": run_polars,
    "dictionaries": run_dictionaries,
}

if __name__ == "__main__":
    PEERS[sys.argv[1]](*sys.argv[2:])
