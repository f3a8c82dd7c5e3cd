"""Budgets that are used up at once."""

from __future__ import annotations

from dataclasses import replace

import pytest

from polyir.base import budgets
from polyir.base.budgets import Budget


def budget_of(operations: int) -> Budget:
    """A budget for a step of a test."""
    return Budget("the step", operations, "the test goes on", "It is a test.")


def allow(patch: pytest.MonkeyPatch, operations: int, *names: str) -> None:
    """Give the budgets with these names so many operations."""
    for name in names:
        patch.setattr(budgets, name, replace(getattr(budgets, name), operations=operations))
