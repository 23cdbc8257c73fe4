"""Judgments given for a run, a run given for judgments, and ranks that contradict scores."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ndcg import InputError, as_qrels, as_run
from ndcg.formats.plausibility import count_rank_conflicts

if TYPE_CHECKING:
    from pathlib import Path

BEIR = "query-id\tcorpus-id\tscore\n"


def write(folder: Path, content: str, name: str = "data.tsv") -> Path:
    path = folder / name
    path.write_text(content, "utf-8")
    return path


@pytest.mark.parametrize(
    ("grades", "span"), [([1, 1], "1 to 1"), ([0, 3], "0 to 3"), ([-2, 6], "-2 to 6")]
)
def test_beir_judgments_are_no_run(tmp_path: Path, grades: list[int], span: str) -> None:
    path = write(tmp_path, f"{BEIR}q\ta\t{grades[0]}\nq\tb\t{grades[1]}\n")
    told = (
        f"{path}: this looks like judgments: every score is an integer, {span}; the qrels come "
        "first, then the runs (--run-format tsv if these really are scores)"
    )
    with pytest.raises(InputError, match=f"^{re.escape(told)}$"):
        as_run(path)
    assert as_run(path, format="tsv").scores.tolist() == grades


@pytest.mark.parametrize("scores", [[2.5, 1.0], [7.0, 1.0], [-3.0, 1.0], [float("inf"), 0.0]])
def test_other_scores_under_beirs_names_are_a_run(tmp_path: Path, scores: list[float]) -> None:
    path = write(tmp_path, f"{BEIR}q\ta\t{scores[0]}\nq\tb\t{scores[1]}\n")
    assert as_run(path).scores.tolist() == scores


def test_small_scores_under_other_names_are_a_run(tmp_path: Path) -> None:
    path = write(tmp_path, "qid,docno,score\nq,a,2\nq,b,1\n")
    assert as_run(path).scores.tolist() == [2.0, 1.0]


@pytest.mark.parametrize("header", ["qid\tdocno\tscore\n", BEIR, ""])
def test_long_falling_lists_of_fractions_are_no_judgments(tmp_path: Path, header: str) -> None:
    lines = "".join(f"q{q}\td{d}\t{9.5 - d}\n" for q in range(3) for d in range(5))
    path = write(tmp_path, header + lines)
    told = (
        f"{path}: this looks like a run: the grades are fractions that fall from line to line "
        "within each query; the qrels come first, then the runs (--qrels-format tsv if these "
        "really are grades)"
    )
    with pytest.raises(InputError, match=f"^{re.escape(told)}$"):
        as_qrels(path)
    assert len(as_qrels(path, format="tsv")) == 15


@pytest.mark.parametrize(
    "grades",
    [
        [2.5, 2.0, 1.5, 1.0],
        [5, 4, 3, 2, 1],
        [0.5, 1.0, 0.5, 0.25, 0.0],
    ],
    ids=["short", "integers", "rising"],
)
def test_other_grades_in_three_columns_are_judgments(tmp_path: Path, grades: list[float]) -> None:
    path = write(tmp_path, "".join(f"q\td{d}\t{grade}\n" for d, grade in enumerate(grades)))
    assert as_qrels(path).relevance.tolist() == grades


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("named", "qid\tdocno\tgrade\n" + "".join(f"q\td{d}\t{4.5 - d}\n" for d in range(5))),
        ("trec", "".join(f"q 0 d{d} {4.5 - d}\n" for d in range(5))),
    ],
)
def test_grades_that_are_called_so_are_judgments(tmp_path: Path, name: str, text: str) -> None:
    assert as_qrels(write(tmp_path, text, name)).relevance.tolist() == [4.5, 3.5, 2.5, 1.5, 0.5]


@pytest.mark.parametrize(
    ("ranks", "scores", "conflict"),
    [
        ([1, 2, 3], [3, 2, 1], False),
        ([0, 1, 2], [3, 2, 1], False),
        ([3, 1, 2], [1, 3, 2], False),
        ([1, 1, 1], [1, 2, 3], False),
        ([2, 1, 3], [5, 5, 1], False),
        ([1, 2, 3], [2, 3, 1], True),
        ([3, 2, 1], [3, 2, 1], True),
        ([1, 5, 3], [5, 5, 1], True),
        ([1, 2, 3], [np.inf, np.inf, -np.inf], False),
        ([3, 2, 1], [np.inf, np.inf, -np.inf], True),
    ],
)
def test_a_higher_score_with_a_higher_rank_is_a_conflict(
    ranks: list[int], scores: list[float], *, conflict: bool
) -> None:
    count = count_rank_conflicts(np.array([0, 3]), np.array(scores, float), np.array(ranks))
    assert count == int(conflict)


@given(
    st.lists(
        st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=0, max_size=5),
        min_size=1,
        max_size=5,
    )
)
def test_conflicts_are_counted_as_by_hand(queries: list[list[tuple[int, int]]]) -> None:
    expected = sum(
        any(a[0] > b[0] and a[1] > b[1] for a, b in itertools.permutations(rows, 2))
        for rows in queries
    )
    offsets = np.cumsum([0, *(len(rows) for rows in queries)])
    scores = np.array([score for rows in queries for score, _ in rows], float)
    ranks = np.array([rank for rows in queries for _, rank in rows], np.int32)
    assert count_rank_conflicts(offsets, scores, ranks) == expected


def test_conflicts_are_told_in_a_notice(tmp_path: Path) -> None:
    lines = ["q1 Q0 a 1 1 t", "q2 Q0 a 1 2 t", "q1 Q0 b 2 2 t", "q2 Q0 b 2 1 t", "q3 Q0 a 1 1 t"]
    run = as_run(write(tmp_path, "\n".join(lines), "bm25.run"))
    assert [(notice.code, notice.text, notice.run) for notice in run.notices] == [
        (
            "rank-order",
            "the rank column contradicts the scores in 1 of 3 queries; scores decide",
            "bm25",
        )
    ]
