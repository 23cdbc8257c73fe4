"""Write docs/conformance.md: what other programs give, and how it is spelled here.

The values of programs are those that `conformance.peers` stored; products that are no
program to run stand in `conformance.products`.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.agreement import EXCEPTIONS, PEERS, agrees, measure_of, value_of
from conformance.cases import ORDER, SHORT, answer_of, edge_cases, run_cases, version_of
from conformance.products import PRODUCTS, ours
from ndcg import Convention, InputError

PAGE = Path(__file__).parents[1] / "docs" / "conformance.md"


def spelled(convention: Convention) -> str:
    changed = [f"{name}={value!r}" for name, value in convention.to_dict().items()
               if name != "profile" and value != Convention().to_dict()[name]]  # fmt: skip
    return f"`Convention({', '.join(changed)})`" if changed else "the default"


PROGRAMS = {
    "trec_eval_10": "trec_eval with -c",
    "trec_eval_9": "trec_eval",
    "pytrec_eval-terrier": "pytrec_eval-terrier",
    "ir_measures": "ir_measures",
    "sklearn_union": "scikit-learn `ndcg_score`",
    "ranx_make_comparable": "ranx, make_comparable",
    "lightgbm": "LightGBM `ndcg`",
    "beir": "BEIR",
    "mteb": "MTEB",
}


@dataclass(frozen=True)
class Fault:
    """A value of another program that no convention explains, and the public issue on it."""

    peer: str
    case: str
    what: str
    issue: str


FAULTS = (
    Fault("trec_eval_10", "float_grades", "grades 0.5 and 1.5 are cut to 0 and 1, in silence",
          "trec_eval#49, open"),
    Fault("ranx_make_comparable", "float_grades", "grades 0.5 and 1.5 are cut to 0 and 1, in"
          " silence", "ranx#8"),
    Fault("pytrec_eval-terrier", "float_grades", "fractional grades are refused",
          "pytrec_eval#16"),
    Fault("trec_eval_9", "near_tie_float32", "scores are held in 32 bits: 0.30000000001 and 0.3 are"
          " a tie", "trec_eval#34, mended in 10"),
    Fault("pytrec_eval-terrier", "near_tie_float32", "the same", "trec_eval#34"),
    Fault("pytrec_eval-terrier", "negative_grade_minus2_only", "a query judged -2 alone ends the"
          " interpreter", "none found; on such grades trec_eval#29"),
    Fault("pytrec_eval-terrier", "query_empty_in_qrels", "a query without a judgment is forgotten;"
          " before, it spoilt the queries after it", "pytrec_eval#49, #57"),
    Fault("ir_measures", "basic_exponential", "exponential gain goes through a Perl script that"
          " takes numbers only as query ids", "ir_measures#50, open"),
    Fault("sklearn_union", "k_beyond_list", "a judged document that was not retrieved fills up the"
          " list and collects its gain", "none: it knows no lists"),
    Fault("sklearn_union", "single_document", "a list of one document is refused",
          "scikit-learn#21335, #20119"),
    Fault("ranx_make_comparable", "tie_constant_scorer_20", "the order of twenty equal scores is"
          " that of an unstable sort, and another after sorting twice", "none found"),
    Fault("ranx_make_comparable", "long_id", "each length of an id is compiled for",
          "ranx#23, #64"),
    Fault("lightgbm", "grade_zero_only", "a query with nothing to find counts 1",
          "none: documented so"),
    Fault("beir", "docid_equals_qid", "a document with the id of its query is dropped, and gone"
          " from the caller's results", "beir#187, #91"),
    Fault("beir", "query_missing_from_run", "nDCG leaves an unanswered query out, MRR of the same"
          " call counts it 0", "none found"),
)  # fmt: skip


def shown(answer: dict[str, Any] | None) -> str:
    """Return an answer as a cell."""
    if answer is None:
        return ""
    if "error" in answer:
        return "an error" if "crash" not in answer["error"].lower() else "a crash"
    mean = answer["mean"]
    return f"{mean:.4f}" if isinstance(mean, float) else "no value"


def our_cell(profile: str, case: dict[str, Any]) -> str:
    with tempfile.TemporaryDirectory() as folder:
        try:
            return f"{value_of(profile, case, Path(folder)):.4f}"
        except InputError:
            return "an error"


def worked_rows() -> list[str]:
    """Return a row a program and gain that it has: the worked example by both."""
    cases = run_cases()
    rows = []
    for peer, profile in PEERS.items():
        for exp in ("", "_exp"):
            pair = [cases[f"{name}{exp}"] for name in ("worked", "worked_short")]
            theirs = [answer_of(peer, case) for case in pair]
            if exp and not any(theirs):
                continue
            spelling = f"`--as {profile}`"
            if exp and profile != "lightgbm":
                spelling += f' `-m "{measure_of(pair[0])}"`'
            elif profile == "lightgbm" and not exp:
                spelling += " `--gain linear`"
            cells = " | ".join(
                f"{shown(answer) or 'not run'} | {our_cell(profile, case)}"
                for answer, case in zip(theirs, pair, strict=True)
            )
            rows.append(f"| {PROGRAMS[peer]} | {version_of(peer)} | {spelling} | {cells} |")
    return rows


def edge_rows() -> list[str]:
    """Return a row a program: the edge cases in which its profile gives what it gives."""
    rows = []
    for peer, profile in PEERS.items():
        alike, apart = 0, dict[str, list[str]]()
        for name, case in edge_cases().items():
            theirs = answer_of(peer, case) if case["format"] == "dict" else None
            if theirs is None:
                continue
            with tempfile.TemporaryDirectory() as folder:
                same = agrees(peer, case, theirs, Path(folder))
            alike += same
            if not same:
                apart.setdefault(EXCEPTIONS[peer][name], []).append(f"`{name}`")
        of = alike + sum(map(len, apart.values()))
        reasons = "; ".join(f"{why} ({', '.join(names)})" for why, names in apart.items())
        rows.append(f"| {PROGRAMS[peer]} | `--as {profile}` | {alike} of {of} | {reasons} |")
    return rows


def fault_rows() -> list[str]:
    cases = edge_cases()
    return [
        f"| {PROGRAMS[one.peer]} | {one.what} (`{one.case}`) | "
        f"{shown(answer_of(one.peer, cases[one.case]))} | "
        f"{our_cell('default', cases[one.case])} | {one.issue} |"
        for one in FAULTS
    ]


def product_rows() -> list[str]:
    rows = []
    for product in PRODUCTS:
        values = " | ".join(
            f"{product.formula(order):.4f} | {ours(product, order):.4f}" for order in (ORDER, SHORT)
        )
        rows.append(
            f"| {product.name} | {product.source} | {spelled(product.convention)} | {values} | "
            f"{product.differs} |"
        )
    return rows


TEMPLATE = """\
# Conformance

What other programs give, and how it is spelled here. `make conformance` installs and runs the
programs that a package index has, stores what they return, and writes this page; a test holds the
page to the stored values and to ours. Every convention is described under
[conventions](conventions.md).

The worked example: grades d2=3, d4=2, d9=1; the order d7 d2 d9 d4 d1, and the short list d7 d2;
nDCG@10.

## Programs that were run

| program | version | spelled | theirs | ours | theirs, short | ours, short |
|---|---|---|---:|---:|---:|---:|
{worked}

trec_eval 10 was built from its source, and MTEB's scoring file run on its own, on the edge cases
only. On 54 pairs of real judgments and runs (`tests/golden`) the values that programs gave are
ours, each under its profile, but for ties in long lists in ranx, which its sort does not keep.

## Edge cases

Small hard inputs; both the same to the last decimal that the program has, or both an error.

| program | spelled | alike | apart, and why |
|---|---|---|---|
{edges}

## Where a program is wrong

Ours is the default convention's. The number is that of the public issue.

| program | what | theirs | ours | issue |
|---|---|---:|---:|---|
{faults}

## Products, by their formula

These were not run: their formulas are written anew in `conformance/products.py`, from the sources
named.

| product | source | spelled | theirs | ours | theirs, short | ours, short | differs |
|---|---|---|---:|---:|---:|---:|---|
{products}
"""


def compose() -> str:
    """Return the page."""
    return TEMPLATE.format(
        worked="\n".join(worked_rows()),
        edges="\n".join(edge_rows()),
        faults="\n".join(fault_rows()),
        products="\n".join(product_rows()),
    )


if __name__ == "__main__":
    PAGE.write_text(compose())
