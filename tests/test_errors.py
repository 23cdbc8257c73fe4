"""The words for what goes wrong."""

from __future__ import annotations

import re
from json import JSONDecoder

import pytest

from ndcg import InputError, MeasureError, MissingPackageError, NdcgError, OptionError
from ndcg.errors import check_choice, near_miss, require


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


def test_an_optional_package_that_is_there_is_returned() -> None:
    assert require("json.decoder", extra="plots").JSONDecoder is JSONDecoder


def test_an_optional_package_that_is_missing_is_told_with_its_remedy() -> None:
    told = 'nosuchpackage is not installed; run: pip install "ndcg[plots]"'
    with pytest.raises(MissingPackageError, match=f"^{re.escape(told)}$"):
        require("nosuchpackage.part", extra="plots")


def test_a_package_that_is_broken_is_not_called_missing() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"^No module named 'json.nosuchpart'$") as caught:
        require("json.nosuchpart", extra="plots")
    assert not isinstance(caught.value, NdcgError)
