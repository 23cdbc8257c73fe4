"""The words for what goes wrong."""

from __future__ import annotations

import re

import pytest

from ndcg import InputError, MeasureError, MissingPackageError, NdcgError, OptionError
from ndcg.errors import check_choice, near_miss


@pytest.mark.parametrize(
    ("error", "builtin"),
    [
        (InputError, ValueError),
        (MeasureError, ValueError),
        (OptionError, ValueError),
        (MissingPackageError, ImportError),
    ],
)
def test_every_error_is_ours_and_a_builtin(
    error: type[NdcgError], builtin: type[Exception]
) -> None:
    assert issubclass(error, NdcgError)
    assert issubclass(error, builtin)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("average", "; did you mean 'average'?"),
        ("avrage", "; did you mean 'average'?"),
        ("AVERAGE", "; did you mean 'average'?"),
        ("NDGC", "; did you mean 'nDCG'?"),
        ("nothing like it", ""),
        ("", ""),
    ],
)
def test_the_near_miss_is_named(name: str, hint: str) -> None:
    assert near_miss(name, ["trec", "average", "nDCG"]) == hint


@pytest.mark.parametrize("value", ["a", "b"])
def test_a_choice_passes(value: str) -> None:
    check_choice("option", value, ("a", "b"))


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("frist", "option must be one of first, last, got 'frist'; did you mean 'first'?"),
        ("x", "option must be one of first, last, got 'x'"),
        (None, "option must be one of first, last, got None"),
        (["first"], "option must be one of first, last, got ['first']; did you mean 'first'?"),
    ],
)
def test_another_value_is_refused(value: object, told: str) -> None:
    with pytest.raises(OptionError, match=f"^{re.escape(told)}$"):
        check_choice("option", value, iter(("first", "last")))
