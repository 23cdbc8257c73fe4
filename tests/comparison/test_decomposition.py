from __future__ import annotations

import pytest

from ndcg.comparison.decomposition import decompose
from ndcg.errors import InputError
from ndcg.evaluation import Scores, evaluate

GOOD, BAD = {"a": 2.0, "b": 1.0}, {"b": 2.0, "a": 1.0}


def scored(
    prefix: str, good: int, bad: int
) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    queries = [f"{prefix}{i}" for i in range(good + bad)]
    lists = {query: GOOD if i < good else BAD for i, query in enumerate(queries)}
    return {query: {"a": 1} for query in queries}, lists


def two_kinds(easy: tuple[int, int], hard: tuple[int, int]) -> Scores:
    first, second = scored("e", *easy), scored("h", *hard)
    return evaluate(first[0] | second[0], first[1] | second[1], "P@1")


def kinds(scores: Scores) -> dict[str, dict[str, str]]:
    return {query: {"kind": query[0]} for query in scores.query_ids}


def test_a_fall_by_mix_alone_is_mix() -> None:
    before, after = two_kinds((18, 2), (4, 16)), two_kinds((9, 1), (8, 32))
    found = decompose(before, after, kinds(before) | kinds(after), "kind", "P@1")
    assert found.within == pytest.approx(0.0)
    assert found.change == pytest.approx(17 / 50 - 22 / 40)
    assert found.mix == pytest.approx(found.change)


def test_simpsons_reversal_shows() -> None:
    before, after = two_kinds((16, 4), (2, 8)), two_kinds((9, 1), (15, 35))
    found = decompose(before, after, kinds(before) | kinds(after), "kind", "P@1")
    assert found.change < 0 < found.within
    assert found.change == pytest.approx(found.within + found.mix)
    assert all(part.within > 0 for part in found.parts)
    assert repr(found).startswith("Decomposition(P@1 by kind: change -0.2000 = within +")


def test_a_kind_on_one_side_only_is_mix() -> None:
    before, after = two_kinds((5, 5), (0, 0)), two_kinds((5, 5), (10, 0))
    found = decompose(before, after, kinds(before) | kinds(after), "kind", "P@1")
    assert found.change == pytest.approx(0.25)
    assert [part.within for part in found.parts] == [0.0, 0.0]
    assert found.to_dict()["parts"][1]["mean_after"] == 1.0


def test_several_values_a_query_cannot_be_split() -> None:
    scores = two_kinds((2, 2), (2, 2))
    slices = {query: {"kind": ["x", "y"]} for query in scores.query_ids}
    with pytest.raises(InputError, match="has queries in several values"):
        decompose(scores, scores, slices, "kind", "P@1")


def test_a_decomposition_shows_itself_in_a_notebook() -> None:
    scores = two_kinds((2, 2), (2, 2))
    assert "change +0.0000" in decompose(scores, scores, kinds(scores), "kind", "P@1")._repr_html_()
