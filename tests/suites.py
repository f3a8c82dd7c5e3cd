"""What `make test` leaves to `make test-all`."""

from __future__ import annotations

import os
from typing import Any

import pytest


def examples(few: int, many: int) -> int:
    """How many random examples a test takes: `few` in `make test`, `many` in `make test-all`."""
    return many if "POLYIR_TEST_ALL" in os.environ else few


def rarely(*values: object) -> Any:
    """Parameters of a test that only `make test-all` runs."""
    return pytest.param(*values, marks=pytest.mark.matrix)
