"""Integers of any size on their way to isl, and that there is no other way."""

from __future__ import annotations

import ast
from pathlib import Path

import islpy as isl
import pytest

import polyir
from polyir.schedule.linear import entries_of, matrix_of
from polyir.sets.values import isl_value

NUMBERS = (0, -1, 2**31, 2**63 - 1, -(2**63), 2**63, -(2**63) - 1, 10**30, -(7**4000), 10**5000)


@pytest.mark.parametrize("number", NUMBERS, ids=lambda number: f"{number.bit_length()}-bits")
def test_value(number: int) -> None:
    value = isl_value(number)
    digits = 10**300
    rest = number
    while abs(rest) >= digits:
        # Python prints at most 4300 digits: the last ones are compared, and taken off.
        rest, last = divmod(rest, digits)
        assert value.mod(isl.Val(str(digits))).eq(isl.Val(str(last)))
        value = value.sub(isl.Val(str(last))).div(isl.Val(str(digits)))
    assert value.eq(isl.Val(str(rest)))


def test_matrix() -> None:
    rows = [(2**63, -(2**64), 1), (0, 3**80, -5)]
    assert entries_of(matrix_of(rows, 3)) == rows


TAKES_A_NUMBER = {
    "add_constant_val",
    "fix_val",
    "lower_bound_val",
    "mod_val",
    "scale_down_val",
    "scale_val",
    "set_coefficient_val",
    "set_constant_val",
    "set_coordinate_val",
    "set_element_val",
    "set_val",
    "upper_bound_val",
    "val_on_domain",
}
"""Functions of islpy that take an integer of Python, too, and refuse what is beyond 64 bits."""

NUMBERS_OF_C = {"add_constant_si", "fix_si", "get_num_si", "lower_bound_si", "set_constant_si"}
NUMBERS_OF_C |= {"set_coefficient_si", "set_element_si", "upper_bound_si", "get_den_si"}


def unguarded(text: str) -> list[int]:
    """The lines on which a number that is not in the text goes to isl without `isl_value`."""
    tree = ast.parse(text)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    found: list[int] = []
    for call in calls:
        if not isinstance(call.func, ast.Attribute):
            continue
        name = call.func.attr
        if name in NUMBERS_OF_C:
            found.append(call.lineno)
        elif ast.unparse(call.func) == "isl.Val":
            if not _is_written(call.args[0]) and not _is_call_of(call.args[0], "str"):
                found.append(call.lineno)
        elif name in TAKES_A_NUMBER:
            around = [each for each in functions if call in ast.walk(each)]
            if not _is_value(call.args[-1], around):
                found.append(call.lineno)
    return sorted(found)


def _is_written(node: ast.expr) -> bool:
    number = node.operand if isinstance(node, ast.UnaryOp) else node
    return isinstance(number, ast.Constant)


def _is_call_of(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func) == name


def _is_value(node: ast.expr, around: list[ast.FunctionDef]) -> bool:
    """Whether an argument is written out, the result of a call, or a variable that has one."""
    if _is_written(node) or isinstance(node, ast.Call):
        return not _is_call_of(node, "int")
    if not isinstance(node, ast.Name):
        return False
    for function in around:
        for each in ast.walk(function):
            if isinstance(each, ast.arg) and each.arg == node.id and each.annotation is not None:
                return ast.unparse(each.annotation) == "isl.Val"
            if isinstance(each, ast.Assign):
                for target, value in zip(_parts(each.targets[0]), _parts(each.value), strict=False):
                    if ast.unparse(target) == node.id:
                        return isinstance(value, ast.Call)
    return False


def _parts(node: ast.expr) -> list[ast.expr]:
    return node.elts if isinstance(node, ast.Tuple) else [node]


FOLDER = Path(polyir.__file__).parents[1]
FILES = sorted(
    file
    for folder in ("polyir", "passes", "dialects", "tools")
    for file in (FOLDER / folder).rglob("*.py")
)


def test_every_number_goes_through_isl_value() -> None:
    assert len(FILES) > 300
    found = {
        f"{file.relative_to(FOLDER)}:{line}"
        for file in FILES
        if file.parts[-2:] != ("sets", "values.py")
        for line in unguarded(file.read_text("utf-8"))
    }
    assert not found


def test_what_the_check_finds() -> None:
    text = """
def f(a, m, n: int, v: isl.Val):
    a.scale_val(isl.Val(n))
    a.set_constant_val(n)
    m.set_element_val(0, 0, n + 1)
    a.add_constant_val(int(n))
    m.set_element_si(0, 0, n)
    w = isl_value(n)
    a.scale_val(v).scale_val(w).scale_val(isl_value(n)).add_constant_val(-1)
"""
    assert unguarded(text) == [3, 4, 5, 6, 7]
