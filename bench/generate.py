"""Make the judgments and runs that the benchmark reads: MS MARCO's shape, the same every time."""

import argparse
import gzip
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

COLLECTION = 8_841_823
LARGEST_QUERY_ID = 1_185_869
DEPTH = 1_000
JUDGED_AND_RETRIEVED = 6
JUDGED_AND_MISSED = 5
RUN_COLUMNS = ("query_id", "iteration", "doc_id", "rank", "score", "tag")
QREL_COLUMNS = ("query_id", "iteration", "doc_id", "relevance")


@dataclass(frozen=True)
class Shape:
    """How many queries a benchmark has, and which of its forms are written."""

    queries: int
    every_form: bool = True


SHAPES = {
    "dl": Shape(queries=43),
    "shop": Shape(queries=300, every_form=False),
    "msmarco": Shape(queries=6_980),
    "large": Shape(queries=69_800, every_form=False),
}


def draw_queries(rng: np.random.Generator, count: int) -> np.ndarray:
    return np.sort(rng.choice(LARGEST_QUERY_ID, count, replace=False) + 1)


def draw_documents(rng: np.random.Generator, queries: int) -> np.ndarray:
    """Draw a row of distinct documents for each query: those retrieved, then judged ones missed."""
    size = DEPTH + JUDGED_AND_MISSED
    return np.stack([rng.choice(COLLECTION, size, replace=False) for _ in range(queries)])


def draw_scores(rng: np.random.Generator, queries: int) -> np.ndarray:
    """Draw descending scores of four decimals, so that a query has a handful of ties."""
    return -np.sort(-(8 + rng.exponential(2.5, (queries, DEPTH))), axis=1)


def draw_judged(rng: np.random.Generator, documents: np.ndarray) -> np.ndarray:
    """Choose some of the first hundred, likelier near the top, and the documents missed."""
    # The largest of log(weight) + Gumbel noise are a weighted draw without replacement.
    keys = rng.gumbel(size=(len(documents), 100)) - np.log(np.arange(1, 101))
    ranks = np.argsort(-keys, axis=1)[:, :JUDGED_AND_RETRIEVED]
    found = np.take_along_axis(documents, ranks, axis=1)
    return np.hstack([found, documents[:, DEPTH:]])


def run_frame(queries: np.ndarray, documents: np.ndarray, scores: np.ndarray) -> pl.DataFrame:
    columns = {
        "query_id": np.repeat(queries, DEPTH),
        "doc_id": documents[:, :DEPTH].ravel(),
        "rank": np.tile(np.arange(1, DEPTH + 1), len(queries)),
        "score": scores.ravel(),
    }
    constants = {"iteration": pl.lit("Q0"), "tag": pl.lit("Lucene")}
    return pl.DataFrame(columns).with_columns(**constants).select(RUN_COLUMNS)


def qrels_frame(queries: np.ndarray, judged: np.ndarray, rng: np.random.Generator) -> pl.DataFrame:
    columns = {
        "query_id": np.repeat(queries, judged.shape[1]),
        "doc_id": judged.ravel(),
        "relevance": rng.choice(4, judged.size, p=[0.3, 0.4, 0.2, 0.1]),
    }
    return pl.DataFrame(columns).with_columns(iteration=pl.lit(0)).select(QREL_COLUMNS)


def draw_blocks(shape: Shape, size: int = 500) -> Iterator[tuple[pl.DataFrame, pl.DataFrame]]:
    """Yield the judgments and the run of a few hundred queries at a time."""
    rng = np.random.default_rng(20_240_923)
    queries = draw_queries(rng, shape.queries)
    for start in range(0, shape.queries, size):
        block = queries[start : start + size]
        documents = draw_documents(rng, len(block))
        judged = qrels_frame(block, draw_judged(rng, documents), rng)
        yield judged, run_frame(block, documents, draw_scores(rng, len(block)))


def write_text(frames: Iterator[pl.DataFrame], path: Path) -> None:
    with path.open("wb") as file:
        for frame in frames:
            frame.write_csv(file, include_header=False, separator=" ", float_precision=4)


def write_gzip(source: Path, target: Path) -> None:
    with source.open("rb") as plain, gzip.open(target, "wb", compresslevel=6) as packed:
        shutil.copyfileobj(plain, packed, 1 << 20)


def write_forms(run: pl.DataFrame, folder: Path) -> None:
    """Write the same run as gzip, as Parquet, with scores unsorted, and with lines shuffled."""
    rng = np.random.default_rng(7)
    write_gzip(folder / "run.txt", folder / "run.txt.gz")
    ids = pl.col("query_id", "doc_id").cast(pl.String)
    run.select(ids, pl.col("score").round(4)).write_parquet(folder / "run.parquet")
    unsorted = np.lexsort((rng.random(run.height), run["query_id"].to_numpy()))
    write_text(iter([run[unsorted]]), folder / "unsorted.txt")
    write_text(iter([run[rng.permutation(run.height)]]), folder / "scattered.txt")


def generate(shape: Shape, folder: Path) -> None:
    """Write one benchmark's files; a form that needs the entire run in memory only where asked."""
    folder.mkdir(parents=True, exist_ok=True)
    judgments: list[pl.DataFrame] = []
    runs: list[pl.DataFrame] = []

    def keep() -> Iterator[pl.DataFrame]:
        for qrels, run in draw_blocks(shape):
            judgments.append(qrels)
            if shape.every_form:
                runs.append(run)
            yield run

    write_text(keep(), folder / "run.txt")
    write_text(iter(judgments), folder / "qrels.txt")
    if shape.every_form:
        write_forms(pl.concat(runs), folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("shape", choices=SHAPES)
    parser.add_argument("folder", type=Path)
    arguments = parser.parse_args()
    generate(SHAPES[arguments.shape], arguments.folder)


if __name__ == "__main__":
    main()
