"""Holm and Benjamini-Hochberg."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ndcg.errors import InputError
from ndcg.stats import benjamini_hochberg, holm

PVALUES = [0.039, 0.001, 0.205, 0.008, 0.041, 0.986, 0.042, 0.06, 0.074]

# statsmodels 0.15.0, multipletests(PVALUES, method="holm")[1]
STATSMODELS_HOLM = [0.273, 0.009, 0.41, 0.064, 0.273, 0.986, 0.273, 0.273, 0.273]


def test_holm_is_statsmodels() -> None:
    assert holm(PVALUES) == pytest.approx(STATSMODELS_HOLM, rel=1e-12)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_benjamini_hochberg_is_scipys(pvalues: list[float]) -> None:
    expected = stats.false_discovery_control(pvalues, method="bh")
    assert benjamini_hochberg(pvalues) == pytest.approx(expected, rel=1e-12)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_corrected_p_values_keep_the_order_and_only_grow(pvalues: list[float]) -> None:
    given_, order = np.array(pvalues), np.argsort(pvalues)
    for corrected in (holm(pvalues), benjamini_hochberg(pvalues)):
        assert (corrected >= given_).all()
        assert (corrected <= 1.0).all()
        assert (np.diff(corrected[order]) >= 0.0).all()
    assert (holm(pvalues) >= benjamini_hochberg(pvalues) - 1e-12).all()


def test_one_test_needs_no_correction() -> None:
    assert holm([0.03]).tolist() == benjamini_hochberg([0.03]).tolist() == [0.03]


def test_no_tests_give_no_p_values() -> None:
    assert holm([]).tolist() == benjamini_hochberg([]).tolist() == []


@pytest.mark.parametrize("wrong", [float("nan"), -0.1, 1.5])
def test_what_is_no_p_value_is_named(wrong: float) -> None:
    with pytest.raises(InputError, match=r"pvalues\[1\] is .*; a p-value lies from 0 to 1"):
        holm([0.5, wrong])


def test_a_table_of_p_values_is_an_error() -> None:
    with pytest.raises(InputError, match="pvalues must be one row, got 2 axes"):
        benjamini_hochberg([[0.5, 0.1]])
