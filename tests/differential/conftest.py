"""Differential tests: `make test` takes a quarter of the short selection of each.

That is what is not marked `matrix`. `make test-all` and `make nightly` take all.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from suites import thin_out

HERE = Path(__file__).parent


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    thin_out(item for item in items if HERE in item.path.parents)
