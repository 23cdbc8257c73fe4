"""What every test shares: Hypothesis settings, and slow tests last."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    import pytest

# Files are written and runs parsed inside examples, so no example has a deadline. Continuous
# integration draws the same examples every time; elsewhere every run looks at new ones.
settings.register_profile(
    "ndcg",
    deadline=None,
    derandomize="CI" in os.environ,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("ndcg")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run what is marked slow after everything else."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is not None)
