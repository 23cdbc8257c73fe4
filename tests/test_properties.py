"""What must hold for any judgments and any run, drawn by Hypothesis.

References that know nothing of us: pytrec_eval-terrier, scikit-learn, every permutation of a tie,
and a few lines of plain Python that sort.
"""

from __future__ import annotations

import bz2
import copy
import csv
import gzip
import io
import itertools
import json
import lzma
import math
from collections import defaultdict
from random import Random
from typing import TYPE_CHECKING, Any, Literal

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pytest
import pytrec_eval
from backports import zstd
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from sklearn.metrics import dcg_score, ndcg_score

from ndcg import Convention, Ranking, Scores, as_qrels, as_run, evaluate, rank, tie_range

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

Table = dict[str, dict[str, float]]
Row = tuple[str, str, float]
Input = tuple[Table, Table]

# Any bytes without ASCII white space are an id; those that readers like to change come often.
STRANGE = [
    *('"', "'", 'a"b', '"a"', "#1", "a#b", ",", "a,b", ";", "|", "\\", "\\n", "{", "[]", "%", "*"),
    *("NA", "N/A", "null", "None", "nan", "NaN", "inf", "true", "-", "0", "-0", "007", "7", "7.0"),
    *(
        "1e3",
        "0x1F",
        "+1",
        "Q0",
        "all",
        "é",
        "e\u0301",
        "ß",
        "日本語",
        "文書-1",
        "\u00a0",
        "x\u00a0y",
    ),
    *(
        "\x01",
        "x\x1fy",
        "\x7f",
        "\u2028",
        "x\u0085y",
        "😀",
        "d1",
        "d2",
        "d10",
        "D1",
        "doc_id",
        "query_id",
        "score",
    ),
]
IDS = st.sampled_from(STRANGE) | st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"], exclude_characters=" \ufeff"),
    min_size=1,
    max_size=5,
)
# In a file, a line that begins with # is a comment, and one that begins with a bracket JSON.
QUERY_IDS = IDS.filter(lambda text: text[0] not in "#{[")
GRADES = st.integers(-2, 4)
# The same in 32 bits, and they tie often. No integers: a table of few small ones under a header
# called score is refused as judgments.
COARSE = st.integers(-6, 6).map(lambda n: n / 4 + 0.125)
FINE = COARSE | st.floats(allow_nan=False, allow_infinity=False).filter(lambda x: x % 1 != 0)
MEASURES = [
    *("nDCG@1", "nDCG@3", "nDCG@10", "nDCG", "nDCG(gain='exp')@5", "nDCG(ties='average')@3"),
    *("nDCG(gain={1: 1, 2: 3, 3: 10, 4: 11})@5", "nDCG(discount='jarvelin')@5", "DCG@4", "CG@3"),
    *("nDCG(condensed=True)@3", "P@3", "P", "R@3", "R", "AP", "AP@3", "AP(rel=2)", "RR", "RR@2"),
    *("Success@2", "Rprec", "ERR@5", "RBP", "RBP(p=0.5, residual=True)@4", "Bpref", "infAP"),
    *("Judged@3", "NumRet", "NumRel(rel=2)", "NumRelRet@3"),
]
FEW = [
    "nDCG@3",
    "nDCG(gain='exp')",
    "nDCG(ties='average')@3",
    "AP(rel=2)",
    "ERR",
    "Bpref",
    "Judged@2",
]


def tables(docs: list[str], values: st.SearchStrategy[Any], size: int) -> st.SearchStrategy[Any]:
    return st.dictionaries(st.sampled_from(docs), values, min_size=1, max_size=size)


@st.composite
def inputs(
    draw: st.DrawFn,
    *,
    scores: st.SearchStrategy[float] = COARSE,
    grades: st.SearchStrategy[Any] = GRADES,
    size: int = 12,
) -> Input:
    """Return judgments and a run over the same documents, with at least one query in both."""
    docs = draw(st.lists(IDS, min_size=2, max_size=size, unique=True))
    queries = draw(st.lists(QUERY_IDS, min_size=1, max_size=4, unique=True))
    judged = draw(st.lists(st.sampled_from(queries), min_size=1, unique=True))
    listed = draw(st.lists(st.sampled_from(queries), min_size=1, unique=True))
    assume(set(judged) & set(listed))
    qrels = {query: draw(tables(docs, grades, size)) for query in judged}
    run = {query: draw(tables(docs, scores, size)) for query in listed}
    return qrels, run


def rows_of(table: Table) -> list[Row]:
    return [(query, doc, value) for query, docs in table.items() for doc, value in docs.items()]


def table_of(rows: list[Row]) -> Table:
    table: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for query, doc, value in rows:
        table[query][doc] = value
    return dict(table)


def bits(scores: Scores) -> bytes:
    return np.concatenate([run.values for run in scores.runs]).tobytes()


# Against other programs ---------------------------------------------------------------------------

PYTREC_NAMES = {
    **{f"ndcg_cut_{k}": f"nDCG@{k}" for k in (1, 3, 10)},
    **{f"P_{k}": f"P@{k}" for k in (1, 3, 10)},
    **{f"recall_{k}": f"R@{k}" for k in (1, 3, 10)},
    **{f"map_cut_{k}": f"AP@{k}" for k in (1, 3, 10)},
    **{f"success_{k}": f"Success@{k}" for k in (1, 3, 10)},
    "ndcg": "nDCG",
    "map": "AP",
    "recip_rank": "RR",
    "bpref": "Bpref",
    "Rprec": "Rprec",
    "set_P": "P",
    "set_recall": "R",
    "num_ret": "NumRet",
    "num_rel": "NumRel",
    "num_rel_ret": "NumRelRet",
}
PYTREC_ASKED = {
    *(f"{name}.1,3,10" for name in ("ndcg_cut", "P", "recall", "map_cut", "success")),
    *(name for name in PYTREC_NAMES if not name[-1].isdigit()),
}


def as_pytrec_takes_it(data: Input) -> tuple[dict[str, dict[str, int]], Table]:
    """Return judgments as integers; pytrec_eval crashes on a query with negative grades alone."""
    qrels = {q: {d: int(v) for d, v in docs.items()} for q, docs in data[0].items()}
    assume(all(max(docs.values()) >= 0 for docs in qrels.values()))
    return qrels, data[1]


def with_rel(spelling: str, rel: int) -> str:
    """Return a measure in which relevance begins at a grade; gain and depth know no such grade."""
    if rel == 1 or spelling.startswith(("nDCG", "NumRet")):
        return spelling
    family, at, cutoff = spelling.partition("@")
    return f"{family}(rel={rel}){at}{cutoff}"


@pytest.mark.slow
@given(inputs(), st.integers(1, 3))
@settings(max_examples=300)
def test_pytrec_eval_gives_the_same_values(data: Input, rel: int) -> None:
    qrels, run = as_pytrec_takes_it(data)
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, PYTREC_ASKED, relevance_level=rel)
    theirs = evaluator.evaluate(run)
    names = {name: with_rel(spelling, rel) for name, spelling in PYTREC_NAMES.items()}
    ours = evaluate(qrels, run, list(names.values()), convention="pytrec_eval")
    for name, spelling in names.items():
        expected = {query: values[name] for query, values in theirs.items()}
        assert ours[spelling] == pytest.approx(expected, rel=0, abs=1e-12), name


@given(inputs(), st.integers(1, 3))
@example(({"q": {"a": 1, "b": -1}}, {"q": {"b": 2.0, "a": 1.0}}), 1)
def test_pytrec_eval_gives_the_same_infap(data: Input, rel: int) -> None:
    # Apart from the others, because a negative grade means one thing more here: a document that
    # was in the pool and not judged.
    qrels, run = as_pytrec_takes_it(data)
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"infAP"}, relevance_level=rel)
    expected = {query: values["infAP"] for query, values in evaluator.evaluate(run).items()}
    ours = evaluate(qrels, run, with_rel("infAP", rel), convention="pytrec_eval")
    # trec_eval 9 computes it with a rank in 32 bits.
    assert ours[with_rel("infAP", rel)] == pytest.approx(expected, rel=0, abs=1e-6)


@given(inputs(grades=st.integers(0, 4)))
def test_pytrec_eval_gives_the_same_values_over_judged_documents_alone(data: Input) -> None:
    # No grade below 0: trec_eval's -J drops such documents too, while here they count as judged.
    qrels, run = as_pytrec_takes_it(data)
    names = {"ndcg_cut_3": "nDCG(condensed=True)@3", "map": "AP(condensed=True)"}
    evaluator = pytrec_eval.RelevanceEvaluator(
        qrels, {"ndcg_cut.3", "map"}, judged_docs_only_flag=True
    )
    theirs = evaluator.evaluate(run)
    ours = evaluate(qrels, run, list(names.values()), convention="pytrec_eval")
    for name, spelling in names.items():
        expected = {query: values[name] for query, values in theirs.items()}
        assert ours[spelling] == pytest.approx(expected, rel=0, abs=1e-12), name


@given(inputs(scores=FINE.filter(lambda x: abs(x) < 1e30)))
def test_pytrec_eval_gives_the_same_values_where_scores_differ_beyond_32_bits(data: Input) -> None:
    qrels, run = as_pytrec_takes_it(data)
    close = {
        query: {doc: score + i * 1e-12 for i, (doc, score) in enumerate(docs.items())}
        for query, docs in run.items()
    }
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg", "recip_rank"}).evaluate(close)
    ours = evaluate(qrels, close, ["nDCG", "RR"], convention="pytrec_eval")
    for name, spelling in (("ndcg", "nDCG"), ("recip_rank", "RR")):
        expected = {query: values[name] for query, values in theirs.items()}
        assert ours[spelling] == pytest.approx(expected, rel=0, abs=1e-12)


@given(
    st.lists(st.tuples(st.just(0.0) | st.floats(0.001, 4), FINE), min_size=2, max_size=15),
    st.integers(1, 16),
    st.sampled_from(["linear", "exp"]),
)
@settings(max_examples=200)
def test_scikit_learn_gives_the_same_values(
    pairs: list[tuple[float, float]], k: int, gain: str
) -> None:
    grades = np.array([[grade for grade, _ in pairs]])
    scores = np.array([[score for _, score in pairs]])
    gains = grades if gain == "linear" else np.exp2(grades) - 1
    qrels = {"q": {str(i): grade for i, (grade, _) in enumerate(pairs)}}
    run = {"q": {str(i): score for i, (_, score) in enumerate(pairs)}}
    measures = [f"nDCG(gain='{gain}')@{k}", f"DCG(gain='{gain}')@{k}"]
    ours = evaluate(qrels, run, measures, convention="sklearn").mean()
    assert ours[measures[0]] == pytest.approx(ndcg_score(gains, scores, k=k), rel=1e-9, abs=1e-12)
    assert ours[measures[1]] == pytest.approx(dcg_score(gains, scores, k=k), rel=1e-9, abs=1e-12)


# Properties ---------------------------------------------------------------------------------------

TIES = st.sampled_from(["trec", "ascending", "input", "average"])
CONVENTIONS = st.builds(
    Convention,
    gain=st.sampled_from(["linear", "exp", {0: 0, 1: 1, 2: 3, 3: 10, 4: 10.5}]),
    discount=st.sampled_from(["log2", "jarvelin", "none"]),
    ties=TIES,
    short_lists=st.sampled_from(["end", "fill"]),
)


@pytest.mark.slow
@given(inputs(), CONVENTIONS, st.integers(1, 12))
@settings(max_examples=200)
def test_ndcg_lies_between_0_and_1(data: Input, rules: Convention, k: int) -> None:
    scores = evaluate(*data, [f"nDCG@{k}", "nDCG"], convention=rules)
    values = scores.run().values
    # An average over a tie is a sum of quotients and may round up.
    assert 0 <= values.min() <= values.max() <= (1 + 1e-15 if rules.ties == "average" else 1)


@given(inputs(), CONVENTIONS, st.integers(1, 12))
def test_the_ideal_order_gives_1(data: Input, rules: Convention, k: int) -> None:
    worth = dict(rules.gain) if isinstance(rules.gain, tuple) else {}
    run: Table = {}
    for query, docs in data[0].items():
        gains = {doc: worth.get(grade, grade) if grade > 0 else 0 for doc, grade in docs.items()}
        best = sorted(gains, key=lambda doc, gains=gains: -gains[doc])  # type: ignore[misc]
        run[query] = {doc: float(-i) for i, doc in enumerate(best)}
    scores = evaluate(data[0], run, [f"nDCG@{k}", "nDCG"], convention=rules)
    for measure in (f"nDCG@{k}", "nDCG"):
        barren = {q for q, docs in data[0].items() if max(docs.values()) <= 0}
        expected = {query: 0.0 if query in barren else 1.0 for query in data[0]}
        assert scores[measure] == expected


MONOTONE = [
    "nDCG",
    "nDCG@3",
    "nDCG(gain='exp')@5",
    "DCG@4",
    "AP",
    "RR@3",
    "P@2",
    "R@3",
    "ERR",
    "RBP",
]


@given(
    st.lists(st.none() | GRADES, min_size=2, max_size=10),
    st.data(),
    st.sampled_from(["log2", "jarvelin", "none"]),
)
@settings(max_examples=200)
def test_swapping_a_better_document_upward_never_lowers_a_measure(
    grades: list[int | None], data: st.DataObject, discount: Literal["log2", "jarvelin", "none"]
) -> None:
    # None is a document without a judgment.
    worth = [max(grade or 0, 0) for grade in grades]
    pairs = [
        (i, j) for i, j in itertools.combinations(range(len(grades)), 2) if worth[j] > worth[i]
    ]
    assume(pairs)
    upper, lower = data.draw(st.sampled_from(pairs))
    docs = [f"d{i}" for i in range(len(grades))]
    swapped = docs.copy()
    swapped[upper], swapped[lower] = swapped[lower], swapped[upper]
    judged = {doc: grade for doc, grade in zip(docs, grades, strict=True) if grade is not None}
    # Both lists as queries of one run.
    qrels = {"before": judged, "after": judged}
    run = {
        name: {doc: float(-i) for i, doc in enumerate(order)}
        for name, order in (("before", docs), ("after", swapped))
    }
    scores = evaluate(qrels, run, MONOTONE, convention=Convention(discount=discount))
    for measure in MONOTONE:
        value = scores[measure]
        assert value["after"] >= value["before"] - 1e-15, measure


EXPECTED = [
    "nDCG@2",
    "nDCG",
    "nDCG(gain='exp')@3",
    "DCG@3",
    "CG@2",
    "P@2",
    "P",
    "R@2",
    "RBP@3",
    "Judged@2",
]
BOUNDED = [*EXPECTED, "AP", "AP@2", "RR", "RR@2", "Success@1", "ERR@3", "Rprec", "RBP(rel=2)"]


@pytest.mark.slow
@given(
    st.lists(st.tuples(st.none() | GRADES, st.integers(0, 2)), min_size=1, max_size=6),
    st.lists(GRADES, max_size=2),
)
@settings(max_examples=60)
def test_least_expected_and_greatest_value_over_all_orders_of_ties(
    listed: list[tuple[int | None, int]], unretrieved: list[int]
) -> None:
    docs = {f"d{i}": float(score) for i, (_, score) in enumerate(listed)}
    judged = {f"d{i}": grade for i, (grade, _) in enumerate(listed) if grade is not None}
    judged |= {f"u{i}": grade for i, grade in enumerate(unretrieved)}
    assume(judged)
    groups = [
        list(itertools.permutations(doc for doc in docs if docs[doc] == score))
        for score in sorted(set(docs.values()), reverse=True)
    ]
    # Every order is a query of one run, and its order is kept.
    orders = [list(itertools.chain(*choice)) for choice in itertools.product(*groups)]
    qrels = {str(i): judged for i in range(len(orders))}
    run = {str(i): {doc: docs[doc] for doc in order} for i, order in enumerate(orders)}
    every = evaluate(qrels, run, BOUNDED, convention=Convention(ties="input"))
    one = ({"q": judged}, {"q": docs})
    averaged = evaluate(*one, EXPECTED, convention=Convention(ties="average"))
    for measure in BOUNDED:
        values = list(every[measure].values())
        found = tie_range(*one, measure)
        lower, upper = float(found.lower[0]), float(found.upper[0])
        assert lower == pytest.approx(min(values), rel=0, abs=1e-12), measure
        assert upper == pytest.approx(max(values), rel=0, abs=1e-12), measure
        if measure in EXPECTED:
            mean = averaged.mean()[measure]
            assert mean == pytest.approx(math.fsum(values) / len(values), rel=0, abs=1e-12), measure
            assert lower - 1e-12 <= mean <= upper + 1e-12


@given(
    inputs(), st.permutations(MEASURES), CONVENTIONS.filter(lambda rules: rules.ties != "average")
)
@settings(max_examples=12)
def test_measures_asked_together_give_what_each_gives_alone(
    data: Input, measures: list[str], rules: Convention
) -> None:
    together = evaluate(*data, measures, convention=rules)
    alone = [evaluate(*data, measure, convention=rules) for measure in measures]
    values = np.column_stack([scores.run().values for scores in alone])
    assert together.run().values.tobytes() == np.ascontiguousarray(values).tobytes()
    for scores in alone:
        measure = scores.measures[0]
        assert together.mean()[measure] == scores.mean()[measure]


# One door, one number -----------------------------------------------------------------------------

Kind = Literal["qrels", "run"]
RANDOM = st.builds(Random, st.integers(0, 2**32 - 1))
KINDS: tuple[Kind, Kind] = ("qrels", "run")
VALUE_NAMES: dict[str, str] = {"qrels": "relevance", "run": "score"}


def columns(rows: list[Row], kind: Kind) -> dict[str, list[Any]]:
    names = ("query_id", "doc_id", VALUE_NAMES[kind])
    return {name: [row[i] for row in rows] for i, name in enumerate(names)}


def polars_frame(rows: list[Row], kind: Kind) -> pl.DataFrame:
    return pl.DataFrame(columns(rows, kind))


def arrow_table(rows: list[Row], kind: Kind) -> pa.Table:
    return pa.table(columns(rows, kind))


def duckdb_relation(rows: list[Row], kind: Kind) -> Any:
    return duckdb.from_arrow(arrow_table(rows, kind))


def trec_lines(rows: list[Row], kind: Kind, separator: str = " ") -> list[str]:
    if kind == "qrels":
        return [separator.join((query, "0", doc, repr(value))) for query, doc, value in rows]
    # The rank is not the order of the scores, so that a reader that trusts it is found out.
    return [
        separator.join((query, "Q0", doc, str(place), repr(value), "tag"))
        for place, (query, doc, value) in enumerate(rows, 1)
    ]


def trec_text(rows: list[Row], kind: Kind, separator: str = " ") -> bytes:
    return "".join(f"{line}\n" for line in trec_lines(rows, kind, separator)).encode()


def separated_text(rows: list[Row], kind: Kind, separator: str) -> bytes:
    names = list(columns(rows, kind))
    if separator == "\t":
        lines = [names, *[[query, doc, repr(value)] for query, doc, value in rows]]
        return "".join("\t".join(line) + "\n" for line in lines).encode()
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([query, doc, repr(value)] for query, doc, value in rows)
    return stream.getvalue().encode()


def parquet(rows: list[Row], kind: Kind) -> bytes:
    stream = io.BytesIO()
    polars_frame(rows, kind).write_parquet(stream)
    return stream.getvalue()


def arrow_file(rows: list[Row], kind: Kind) -> bytes:
    stream = io.BytesIO()
    polars_frame(rows, kind).write_ipc(stream)
    return stream.getvalue()


def json_lines(rows: list[Row], kind: Kind) -> bytes:
    names = list(columns(rows, kind))
    lines = [json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False) for row in rows]
    return "".join(f"{line}\n" for line in lines).encode()


def json_object(rows: list[Row], _: Kind) -> bytes:
    return json.dumps(table_of(rows), ensure_ascii=False).encode()


OBJECTS: dict[str, Callable[[list[Row], Kind], Any]] = {
    "triples": lambda rows, _: rows,
    "generator": lambda rows, _: iter(rows),
    "polars": polars_frame,
    "polars lazy": lambda rows, kind: polars_frame(rows, kind).lazy(),
    "pyarrow": arrow_table,
    "pandas": lambda rows, kind: polars_frame(rows, kind).to_pandas(),
    "duckdb": duckdb_relation,
}
FILES: dict[str, Callable[[list[Row], Kind], bytes]] = {
    "trec": trec_text,
    "trec with tabs": lambda rows, kind: trec_text(rows, kind, "\t"),
    "tsv": lambda rows, kind: separated_text(rows, kind, "\t"),
    "csv": lambda rows, kind: separated_text(rows, kind, ","),
    "parquet": parquet,
    "arrow": arrow_file,
    "jsonl": json_lines,
    "json": json_object,
    "gz": lambda rows, kind: gzip.compress(trec_text(rows, kind)),
    "bz2": lambda rows, kind: bz2.compress(trec_text(rows, kind)),
    "xz": lambda rows, kind: lzma.compress(trec_text(rows, kind)),
    "zst": lambda rows, kind: zstd.compress(trec_text(rows, kind)),
    "csv.gz": lambda rows, kind: gzip.compress(separated_text(rows, kind, ",")),
    "jsonl.zst": lambda rows, kind: zstd.compress(json_lines(rows, kind)),
}


def through(door: str, rows: list[Row], kind: Kind, folder: Path) -> Any:
    """Return rows as a caller holds them: an object, or the path of a file."""
    if door in OBJECTS:
        return OBJECTS[door](rows, kind)
    path = folder / f"{kind}.{door.replace(' ', '-')}"
    path.write_bytes(FILES[door](rows, kind))
    return path


def evaluated(
    qrels: Any, run: Any, rules: Convention | None = None
) -> tuple[bytes, str, str | None]:
    """Return everything that must be the same through every door: values and digests."""
    scores = evaluate(qrels, run, FEW, convention=rules, run_digests=True)
    return bits(scores), scores.qrels_digest, scores.run().digest


@pytest.mark.slow
@pytest.mark.parametrize("door", [*OBJECTS, *FILES])
@given(data=inputs(scores=FINE, grades=GRADES | st.floats(0, 4)), shuffle=RANDOM)
@settings(max_examples=15)
def test_every_door_gives_the_same_number(
    tmp_path_factory: pytest.TempPathFactory, door: str, data: Input, shuffle: Random
) -> None:
    qrels, run = (
        {q: {d: float(v) for d, v in docs.items()} for q, docs in t.items()} for t in data
    )
    expected = evaluated(qrels, run)
    folder = tmp_path_factory.mktemp("door")
    rows: dict[Kind, list[Row]] = {"qrels": rows_of(qrels), "run": rows_of(run)}
    straight = [through(door, rows[kind], kind, folder) for kind in KINDS]
    assert evaluated(*straight) == expected
    # Lines in any order, so that the queries lie scattered.
    for kind in KINDS:
        shuffle.shuffle(rows[kind])
    scattered = [through(door, rows[kind], kind, folder) for kind in KINDS]
    assert evaluated(*scattered) == expected


@given(inputs(scores=FINE), RANDOM)
@settings(max_examples=50)
def test_order_of_queries_and_documents_changes_nothing(data: Input, shuffle: Random) -> None:
    def shuffled(table: Table) -> Table:
        items = [(query, list(docs.items())) for query, docs in table.items()]
        shuffle.shuffle(items)
        for _, docs in items:
            shuffle.shuffle(docs)
        return {query: dict(docs) for query, docs in items}

    assert evaluated(shuffled(data[0]), shuffled(data[1])) == evaluated(*data)


@pytest.mark.slow
@given(data=inputs(scores=COARSE))
@settings(max_examples=30)
def test_order_of_ties_in_the_input_is_kept_through_every_door(
    tmp_path_factory: pytest.TempPathFactory, data: Input
) -> None:
    rules = Convention(ties="input")
    qrels, run = (
        {q: {d: float(v) for d, v in docs.items()} for q, docs in t.items()} for t in data
    )
    expected = evaluated(qrels, run, rules)[0]
    folder = tmp_path_factory.mktemp("door")
    for door in (*OBJECTS, "trec", "csv", "parquet", "jsonl", "json"):
        found = through(door, rows_of(run), "run", folder)
        assert evaluated(qrels, found, rules)[0] == expected, door


EXTREMES = [math.inf, -math.inf, 0.0, -0.0, 1e308, -1e308, 5e-324]


@pytest.mark.slow
@given(st.lists(st.sampled_from(EXTREMES), min_size=1, max_size=9))
@settings(max_examples=25)
def test_infinities_and_signed_zeros_are_ordered_alike_through_every_door(
    tmp_path_factory: pytest.TempPathFactory, scores: list[float]
) -> None:
    qrels = {"q": {f"d{i}": i % 3 for i in range(len(scores))}}
    run = {"q": {f"d{i}": score for i, score in enumerate(scores)} | {"d": 0.125}}
    folder = tmp_path_factory.mktemp("door")
    expected = evaluated(qrels, run)
    assert list(as_run(run).scores) == [score + 0.0 for score in (*scores, 0.125)]
    # JSON has no infinity.
    for door in (*OBJECTS, "trec", "trec with tabs", "parquet", "arrow", "gz"):
        assert evaluated(qrels, through(door, rows_of(run), "run", folder)) == expected, door


@given(inputs(scores=FINE))
@settings(max_examples=40)
def test_a_beir_folder_is_the_same_door(
    tmp_path_factory: pytest.TempPathFactory, data: Input
) -> None:
    folder = tmp_path_factory.mktemp("beir")
    (folder / "qrels").mkdir()
    lines = [
        "query-id\tcorpus-id\tscore",
        *("\t".join((q, d, str(v))) for q, d, v in rows_of(data[0])),
    ]
    (folder / "qrels" / "test.tsv").write_text("\n".join(lines), encoding="utf-8", newline="\n")
    assert evaluated(folder, data[1]) == evaluated(*data)


# Reading text -------------------------------------------------------------------------------------

COMMENTS = ["# a comment", "#", "#q1 0 d1 1", "# q1 Q0 d1 1 0.5 tag", "#\ttab"]


def blanks(chance: Random, least: int = 0) -> str:
    """Return blanks as C's isspace knows them, but for the line end."""
    return "".join(chance.choices(" \t\v\f", k=chance.randint(least, 3)))


def untidy(rows: list[Row], kind: Kind, chance: Random) -> bytes:
    """Return TREC text with any blanks between columns, and what else files have between lines."""
    text = ""
    for line in trec_lines(rows, kind, "\n"):
        while chance.random() < 0.2:
            text += chance.choice([*COMMENTS, blanks(chance)]) + chance.choice(["\n", "\r\n"])
        first, *others = line.split("\n")
        text += blanks(chance) + first + "".join(blanks(chance, 1) + field for field in others)
        text += blanks(chance) + chance.choice(["\n", "\r\n", "\n\n", "\r\n \r\n"])
    if chance.random() < 0.5:
        text = text.rstrip()
    return chance.choice([b"", b"\xef\xbb\xbf"]) + text.encode()


@pytest.mark.slow
@given(inputs(scores=FINE), RANDOM)
@settings(max_examples=150)
def test_irregular_blanks_give_what_single_blanks_give(
    tmp_path_factory: pytest.TempPathFactory, data: Input, chance: Random
) -> None:
    folder = tmp_path_factory.mktemp("text")
    tidy, rough = [], []
    for kind, table in zip(KINDS, data, strict=True):
        tidy.append(folder / kind)
        tidy[-1].write_bytes(trec_text(rows_of(table), kind))
        rough.append(folder / f"rough-{kind}")
        rough[-1].write_bytes(untidy(rows_of(table), kind, chance))
    assert evaluated(rough[0], rough[1]) == evaluated(tidy[0], tidy[1]) == evaluated(*data)


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("before", ["", "# a comment\n", "\n", "  \r\n#\n\n"])
def test_the_only_line_may_lack_its_line_end(tmp_path: Path, before: str, mark: str) -> None:
    (tmp_path / "qrels").write_bytes(f"{mark}{before}q1 0 a 1".encode())
    (tmp_path / "run").write_bytes(f"{mark}{before}q1 Q0 a 1 0.5 tag".encode())
    scores = evaluate(tmp_path / "qrels", tmp_path / "run", "nDCG")
    assert scores["nDCG"] == {"q1": 1.0}


@pytest.mark.parametrize("query", ["{q1}", "[q1", '{"q"'])
def test_a_query_id_may_begin_with_a_bracket(tmp_path: Path, query: str) -> None:
    (tmp_path / "qrels").write_text(f"{query} 0 a 1\n")
    (tmp_path / "run").write_text(f"{query} Q0 a 1 0.5 tag\n")
    scores = evaluate(tmp_path / "qrels", tmp_path / "run", "nDCG")
    assert scores["nDCG"] == {query: 1.0}


@given(inputs(scores=FINE), st.integers(1, 200), RANDOM)
@settings(max_examples=50)
def test_where_a_file_is_cut_into_blocks_changes_nothing(
    tmp_path_factory: pytest.TempPathFactory, data: Input, size: int, chance: Random
) -> None:
    folder = tmp_path_factory.mktemp("blocks")
    for kind, table in zip(KINDS, data, strict=True):
        (folder / kind).write_bytes(untidy(rows_of(table), kind, chance))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ndcg.formats.sources.BLOCK_BYTES", size)
        patch.setattr("ndcg.data._SLICE_ROWS", max(1, size // 40))
        found = evaluated(folder / "qrels", folder / "run")
    assert found == evaluated(*data)


# Ranking ------------------------------------------------------------------------------------------


def ranked_by_hand(
    docs: Mapping[str, float], ties: str, scores: str
) -> dict[str, tuple[int, int, int]]:
    """Return ``{doc_id: (rank, first, last)}`` by plain sorting."""
    held = {
        doc: float(np.float32(s)) if scores == "float32" else s + 0.0 for doc, s in docs.items()
    }
    order = list(held)
    if ties != "input":
        order.sort(key=str.encode, reverse=ties == "trec")
    order.sort(key=lambda doc: -held[doc])
    places = {doc: place for place, doc in enumerate(order, 1)}
    spans = {score: [places[doc] for doc in order if held[doc] == score] for score in held.values()}
    return {doc: (places[doc], min(spans[s]), max(spans[s])) for doc, s in held.items()}


def content(ranking: Ranking) -> dict[str, Any]:
    fields = ("query", "relevance", "rank", "first", "last", "retrieved", "answered")
    arrays = {name: getattr(ranking, name).tolist() for name in fields}
    judged = zip(ranking.judged_query.tolist(), ranking.judged_relevance.tolist(), strict=True)
    return {
        **arrays,
        "query_ids": ranking.query_ids,
        "doc_ids": ranking.doc_ids.to_list(),
        "judged": sorted(judged),
        "unjudged": ranking.unjudged_queries,
    }


@pytest.mark.slow
@given(
    inputs(scores=FINE.filter(lambda x: abs(x) < 1e38), size=16),
    st.sampled_from(["trec", "ascending", "input"]),
    st.sampled_from(["float64", "float32"]),
    RANDOM,
)
@settings(max_examples=200)
def test_mappings_and_columns_are_ranked_alike_and_as_by_hand(
    data: Input, ties: str, scores: str, shuffle: Random
) -> None:
    judgments, lines = rows_of(data[0]), rows_of(data[1])
    shuffle.shuffle(judgments)
    shuffle.shuffle(lines)
    qrels, run = table_of(judgments), table_of(lines)
    mapped = content(rank(as_qrels(qrels), as_run(run), ties=ties, scores=scores))
    frames = as_qrels(polars_frame(judgments, "qrels")), as_run(polars_frame(lines, "run"))
    assert content(rank(*frames, ties=ties, scores=scores)) == mapped
    # One side as columns, the other as a mapping.
    assert content(rank(frames[0], as_run(run), ties=ties, scores=scores)) == mapped
    assert content(rank(as_qrels(qrels), frames[1], ties=ties, scores=scores)) == mapped

    queries = sorted(qrels, key=str.encode)
    expected = []
    for number, query in enumerate(queries):
        places = ranked_by_hand(run.get(query, {}), ties, scores)
        rows = [
            (number, *places[doc], doc, grade)
            for doc, grade in qrels[query].items()
            if doc in places
        ]
        expected += sorted(rows)
    found = [mapped[name] for name in ("query", "rank", "first", "last", "doc_ids", "relevance")]
    assert list(zip(*found, strict=True)) == expected
    assert mapped["query_ids"] == queries
    assert mapped["retrieved"] == [len(run.get(query, ())) for query in queries]
    assert mapped["answered"] == [query in run for query in queries]
    assert mapped["unjudged"] == len(run.keys() - qrels.keys())


@pytest.mark.slow
@given(inputs(scores=FINE.filter(lambda x: abs(x) < 1e38)))
@settings(max_examples=10)
def test_inputs_are_never_changed(data: Input) -> None:
    before = copy.deepcopy(data)
    frames = [polars_frame(rows_of(table), kind) for table, kind in zip(data, KINDS, strict=True)]
    clones = [frame.clone() for frame in frames]
    read = as_qrels(frames[0]), as_run(frames[1])
    values = [table.values.copy() for table in read]
    for rules in ("default", "pytrec_eval", "sklearn", "ranx", "beir", "lightgbm"):
        for qrels, run in (data, tuple(frames), read):
            evaluate(qrels, run, MEASURES[:3], convention=rules)
            tie_range(qrels, run, convention=rules)
    assert data == before
    assert [list(docs) for docs in data[1].values()] == [list(docs) for docs in before[1].values()]
    assert all(frame.equals(clone) for frame, clone in zip(frames, clones, strict=True))
    assert all(np.array_equal(t.values, v) for t, v in zip(read, values, strict=True))


def test_scores_beyond_32_bits_are_infinite_there_as_in_pytrec_eval() -> None:
    qrels, run = {"q": {"a": 1, "b": 0}}, {"q": {"a": 1e39, "b": 1e40}}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg"}).evaluate(run)
    ours = evaluate(qrels, run, "nDCG", convention="pytrec_eval")
    assert ours["nDCG"]["q"] == pytest.approx(theirs["q"]["ndcg"], abs=1e-12)
    assert ours["nDCG"]["q"] == pytest.approx(1 / math.log2(3), abs=1e-12)
