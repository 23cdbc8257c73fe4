from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from ndcg.comparison.verdicts import Evidence, decide, spell_pvalue
from ndcg.holes.limits import Limits

SURE = Evidence(
    n=300,
    n_differing=120,
    difference=0.03,
    low=0.01,
    pvalue=0.001,
    smallest_pvalue=1e-36,
    detectable=0.025,
    judged=(0.97, 0.96),
    cutoff=10,
)


def evidence(**changes: object) -> Evidence:
    return dataclasses.replace(SURE, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "word", "reason"),
    [
        ({}, "better", "difference +0.0300, p 0.001"),
        ({"difference": -0.03}, "worse", "difference -0.0300"),
        ({"n": 1}, "cannot tell", "1 query in common is no sample"),
        ({"n_differing": 0, "difference": 0.0}, "no difference", "the same value on all 300"),
        (
            {"n_differing": 4, "smallest_pvalue": 0.125},
            "cannot tell",
            "only 4 of 300 queries differ, no outcome could reach p <= 0.05 (best 0.125)",
        ),
        ({"pvalue": 0.2}, "no difference", "no difference that 300 queries could show (MDE 0.025"),
        ({"pvalue": 0.2, "judged": (0.95, 0.4)}, "cannot tell", "coverage is unequal"),
        ({"difference": -0.1, "judged": (0.95, 0.4)}, "cannot tell", "worse as judged so far"),
        ({"difference": 0.1, "judged": (0.4, 0.95)}, "cannot tell", "better as judged so far"),
        ({"judged": None}, "better", "difference +0.0300"),
        ({"difference": 0.004}, "better", "difference +0.0040"),
    ],
)
def test_the_verdict_follows_the_evidence(
    changes: dict[str, object], word: str, reason: str
) -> None:
    verdict = decide(evidence(**changes))
    assert verdict.word == word
    assert reason in "; ".join(verdict.reasons)


@pytest.mark.parametrize(
    ("difference", "judged"), [(0.1, (0.95, 0.4)), (-0.1, (0.4, 0.95)), (-0.1, (0.91, 0.95))]
)
def test_a_winner_that_is_judged_less_has_still_won(
    difference: float, judged: tuple[float, float]
) -> None:
    assert decide(evidence(difference=difference, judged=judged)).word in {"better", "worse"}


@pytest.mark.parametrize("difference", [0.0199, 0.01, 0.001])
def test_a_small_difference_without_significance_is_never_an_improvement(
    difference: float,
) -> None:
    assert decide(evidence(difference=difference, pvalue=0.051)).word == "no difference"


def test_a_small_difference_is_called_small_even_when_it_is_sure() -> None:
    assert (
        "a difference below 0.02 is small, however sure"
        in decide(evidence(difference=0.004)).reasons
    )


@pytest.mark.parametrize(
    ("changes", "word", "reason"),
    [
        ({"low": 0.01}, "better", "difference +0.0300"),
        ({"low": -0.005, "pvalue": 0.3}, "no difference", "not worse by more than 0.01"),
        (
            {"low": -0.008, "difference": -0.004, "pvalue": 0.01},
            "no difference",
            "not worse by more than 0.01",
        ),
        ({"low": -0.05, "difference": -0.03}, "worse", "beyond the margin of 0.01"),
        ({"low": -0.05, "pvalue": 0.4}, "cannot tell", "it may be worse by more than 0.01"),
        ({"low": None}, "cannot tell", "the lower end of the difference is not known"),
        ({"low": -0.05, "judged": (0.95, 0.4)}, "cannot tell", "coverage is unequal"),
    ],
)
def test_a_margin_asks_whether_the_run_is_worse_by_more(
    changes: dict[str, object], word: str, reason: str
) -> None:
    verdict = decide(evidence(**changes), margin=0.01)
    assert verdict.word == word
    assert reason in "; ".join(verdict.reasons)


def test_pvalues_are_spelled_as_papers_do() -> None:
    assert [spell_pvalue(p) for p in (0.0001, 0.001, 0.0134, 1.0)] == [
        "<0.001",
        "0.001",
        "0.013",
        "1.000",
    ]


def limits(lower: float, upper: float, holes: int = 7) -> Limits:
    ends = np.array([lower]), np.array([upper])
    return Limits("b - a", ["q"], *ends, ends[0], ends[0], np.array([holes]), is_difference=True)


@pytest.mark.parametrize(
    ("changes", "word", "last"),
    [
        (
            {"limits": limits(-0.1, 0.2)},
            "better",
            (
                "not settled: labels for 7 unjudged documents could make the difference "
                "-0.1000 to +0.2000"
            ),
        ),
        (
            {"limits": limits(0.01, 0.2)},
            "better",
            (
                "settled: the difference is +0.0100 to +0.2000 whatever the 7 unjudged documents "
                "are worth"
            ),
        ),
        (
            {"limits": limits(0.03, 0.03, 0)},
            "better",
            "settled: every document in the top 10 is judged",
        ),
        (
            {"limits": limits(-0.2, -0.01, 1), "difference": -0.1, "judged": (0.95, 0.4)},
            "worse",
            (
                "settled: the difference is -0.2000 to -0.0100 whatever the 1 unjudged document is "
                "worth"
            ),
        ),
        (
            {"limits": limits(-0.2, 0.01), "difference": -0.1, "judged": (0.95, 0.4)},
            "cannot tell",
            (
                "not settled: labels for 7 unjudged documents could make the difference "
                "-0.2000 to +0.0100"
            ),
        ),
        ({"limits": limits(0, 0, 3), "n_differing": 0, "difference": 0}, "no difference", "worth"),
    ],
)
def test_a_verdict_ends_in_whether_labels_could_change_the_sign(
    changes: dict[str, object], word: str, last: str
) -> None:
    verdict = decide(evidence(**changes))
    assert verdict.word == word
    assert verdict.reasons[-1].endswith(last)


@pytest.mark.parametrize(
    ("ends", "last"),
    [
        ((-0.01, 0.2), "worse by more than 0.05 in no case"),
        ((-0.3, -0.1), "worse by more than 0.05 in any case"),
        ((-0.1, 0.2), "could make the difference -0.1000 to +0.2000"),
    ],
)
def test_a_margin_is_held_against_the_bounds(ends: tuple[float, float], last: str) -> None:
    verdict = decide(evidence(limits=limits(*ends)), margin=0.05)
    assert verdict.reasons[-1].endswith(last)
