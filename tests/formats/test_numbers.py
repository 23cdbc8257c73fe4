"""A value that has to be a number: of any type, and never text."""

from __future__ import annotations

import numpy as np
import pytest

from ndcg import InputError
from ndcg.formats.numbers import as_number


def test_a_number_is_a_number() -> None:
    assert as_number(np.float32(0.5), "score") == 0.5
    with pytest.raises(InputError, match=r"^score must be a number, got '0.5'$"):
        as_number("0.5", "score")
