"""All budgets of isl's operations are in one file, and no other number is used."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from polyir.base import budgets
from polyir.base.budgets import Budget

ROOT = Path(__file__).parents[2]
LIST = ROOT / "polyir" / "base" / "budgets.py"
LIMITS = ROOT / "polyir" / "base" / "limits.py"
ALL = {name: each for name, each in vars(budgets).items() if isinstance(each, Budget)}


def programs() -> Iterator[tuple[Path, ast.Module]]:
    for folder in ("polyir", "passes", "dialects", "tools"):
        for file in sorted((ROOT / folder).rglob("*.py")):
            if file != LIST:
                yield file, ast.parse(file.read_text())


def own_budgets(program: ast.Module) -> list[str]:
    """Where a program makes a budget, or sets a number of operations, itself."""
    imported = {
        name.name
        for node in ast.walk(program)
        if isinstance(node, ast.ImportFrom) and node.module == "polyir.base.budgets"
        for name in node.names
    }
    # The search for fast programs has another `Budget`.
    made = {"set_max_operations", *imported}
    found = []
    for node in ast.walk(program):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
            name = node.func.id if isinstance(node.func, ast.Name) else name
            is_number = name == "within_operations" and not _is_budget(node.args[0])
            if name in made or is_number:
                found.append(f"{node.lineno}: {ast.unparse(node)}")
    return found


def _is_budget(argument: ast.expr) -> bool:
    """Whether it is a budget of the list, or one that the type checker knows to be a budget."""
    if isinstance(argument, ast.Attribute):
        return ast.unparse(argument.value) == "budgets" and argument.attr in ALL
    return isinstance(argument, ast.Name)


def test_other_budgets_are_found() -> None:
    wrong = """
from polyir.base.budgets import Budget
limit = Budget("the step", 1000, "it ends", "A round number.")
within_operations(limit, f)
within_operations(1000, f)
"""
    assert len(own_budgets(ast.parse(wrong))) == 2
    right = "within_operations(budgets.FACTS, f)"
    assert own_budgets(ast.parse(right)) == []


def test_all_budgets_are_in_the_list() -> None:
    found = {
        str(file.relative_to(ROOT)): wrong
        for file, program in programs()
        if file != LIMITS and (wrong := own_budgets(program))
    }
    assert found == {}


def test_each_budget_is_used() -> None:
    used = {
        node.attr
        for _, program in programs()
        for node in ast.walk(program)
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "budgets"
    }
    assert used == set(ALL)


def test_each_budget_is_explained() -> None:
    for each in ALL.values():
        assert each.operations > 0
        assert each.otherwise
        assert each.reason.endswith(".")
    assert Counter(each.step for each in ALL.values()).most_common(1)[0][1] == 1


def test_scaled() -> None:
    budget = Budget("the step", 1000, "it ends", "A round number.")
    assert budget.scaled(3, 2).operations == 1500
    assert budget.exceeded == "the step takes isl more than 1000 operations"
