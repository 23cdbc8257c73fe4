"""Judgments put together: nothing lost, what was judged twice counted."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ndcg import InputError, as_qrels, merge

judgments = st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 3), min_size=1)


@given(judgments, judgments, st.sampled_from(["first", "last"]))
def test_merging_is_merging_mappings(one: dict[str, int], two: dict[str, int], keep: str) -> None:
    found = merge({"q": one}, [{"q": two}], keep=keep)
    expected = two | one if keep == "first" else one | two
    assert found.qrels.digest == as_qrels({"q": expected}).digest
    both = one.keys() & two.keys()
    assert (found.added, found.rejudged) == (len(two.keys() - one.keys()), len(both))
    assert found.agreed == sum(one[doc] == two[doc] for doc in both)
    shift = sum(two[doc] - one[doc] for doc in both) / len(both) if both else None
    assert found.shift == (shift if shift is None else pytest.approx(shift))
    codes = [notice.code for notice in found.qrels.notices]
    assert ("rejudged" in codes) == (found.agreed < found.rejudged)


def test_two_grades_may_be_refused() -> None:
    with pytest.raises(InputError, match="document 'a' was judged 1, then 3"):
        merge({"q": {"a": 1}}, [{"q": {"a": 3}}], keep="error")


def test_later_pools_count_in_their_order() -> None:
    found = merge({"q": {"a": 0}}, [{"q": {"b": 1}}, {"q": {"b": 2}}], keep="last")
    assert found.qrels.lookup == {"q": {"a": 0, "b": 2}}
    assert found.to_dict()["added"] == 1
