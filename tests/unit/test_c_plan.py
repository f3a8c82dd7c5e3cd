"""What the C target decides before it writes: which values are folded, dropped, or locals."""

from __future__ import annotations

import pytest
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue

from polyir.frontend.parse import parse_module
from polyir.target.c.plan import Plan, plan_function


def plan_of(body: str) -> tuple[Plan, dict[str, SSAValue]]:
    """The plan of a function with two arrays and two sizes, and its values by their names."""
    text = (
        "func.func private @work(%A: memref<?xf64>)\n"
        "func.func @f(%n: index, %m: index, %A: memref<?xf64>, %B: memref<?xf64>, %x: f64,\n"
        "             %p: i1) {\n"
        f"{body}\n  return\n}}\n"
    )
    function = list(parse_module(text).ops)[1]
    assert isinstance(function, FuncOp)
    block = function.body.block
    values: dict[str, SSAValue] = {}
    for op in function.walk():
        found = [*op.results, *(a for region in op.regions for b in region.blocks for a in b.args)]
        values |= {value.name_hint: value for value in found if value.name_hint is not None}
    return plan_function(block), values


LOAD = "%a = affine.load %A[0] : memref<?xf64>\n"
USE = "affine.store %a, %B[1] : memref<?xf64>\n"


@pytest.mark.parametrize(
    ("between", "is_folded"),
    [
        ("", True),
        ("affine.store %x, %B[0] : memref<?xf64>\n", True),
        ("affine.store %x, %A[9] : memref<?xf64>\n", False),
        ("func.call @work(%B) : (memref<?xf64>) -> ()\n", False),
        ("affine.for %i = 0 to 4 {\n  affine.store %x, %A[%i] : memref<?xf64>\n}\n", False),
        ("affine.for %i = 0 to 4 {\n  affine.store %x, %B[%i] : memref<?xf64>\n}\n", True),
        ("memref.copy %B, %A : memref<?xf64> to memref<?xf64>\n", False),
        ("memref.copy %A, %B : memref<?xf64> to memref<?xf64>\n", True),
        (
            "%C = memref.cast %A : memref<?xf64> to memref<8xf64>\n"
            "affine.store %x, %C[0] : memref<8xf64>\n",
            False,
        ),
        ("%other = affine.load %A[3] : memref<?xf64>\n", True),
    ],
)
def test_a_load_does_not_move_across_a_store_to_the_same_array(
    between: str, is_folded: bool
) -> None:
    plan, values = plan_of(LOAD + between + USE)
    assert (values["a"] in plan.folded) == is_folded
    assert values["a"] in plan.live


def test_a_load_inside_a_folded_expression_does_not_move_either() -> None:
    plan, values = plan_of(
        LOAD + "%b = arith.mulf %a, %x : f64\n"
        "affine.store %x, %A[1] : memref<?xf64>\n"
        "affine.store %b, %B[1] : memref<?xf64>\n"
    )
    assert values["a"] in plan.folded
    assert values["b"] not in plan.folded


def test_a_value_used_twice_is_a_local_and_a_constant_is_not() -> None:
    plan, values = plan_of(
        "%c = arith.constant 2.0 : f64\n"
        "%b = arith.mulf %x, %c : f64\n"
        "%d = arith.mulf %b, %c : f64\n"
        "%e = arith.addf %d, %b : f64\n"
        "affine.store %e, %A[0] : memref<?xf64>\n"
    )
    assert {name for name in "cbde" if values[name] in plan.folded} == {"c", "d", "e"}


def test_a_value_under_another_name_is_used_as_often_as_that() -> None:
    plan, values = plan_of(
        "%s = arith.addi %n, %m : index\n"
        "%t = arith.index_cast %s : index to i64\n"
        "%u = arith.addi %t, %t : i64\n"
        "%r = arith.sitofp %u : i64 to f64\n"
        "affine.store %r, %A[0] : memref<?xf64>\n"
    )
    assert values["s"] not in plan.folded
    assert values["t"] in plan.folded


def test_a_value_for_another_block_is_a_local() -> None:
    plan, values = plan_of(
        "%b = arith.mulf %x, %x : f64\n"
        "affine.for %i = 0 to %n {\n  affine.store %b, %A[%i] : memref<?xf64>\n}\n"
    )
    assert values["b"] not in plan.folded


def test_what_may_be_evaluated_often_or_not_at_all_does_not_load() -> None:
    plan, values = plan_of(
        LOAD + "%s = arith.select %p, %a, %x : f64\n"
        "affine.store %s, %B[0] : memref<?xf64>\n"
        "%v = affine.load %A[2] : memref<?xf64>\n"
        "%w = arith.fptosi %v : f64 to i64\n"
        "%end = arith.index_cast %w : i64 to index\n"
        "%c1 = arith.constant 1 : index\n"
        "scf.for %i = %c1 to %end step %c1 {\n  memref.store %x, %B[%i] : memref<?xf64>\n}\n"
    )
    assert values["a"] not in plan.folded
    assert values["s"] in plan.folded
    assert values["w"] not in plan.folded


def test_what_nothing_depends_on_is_dropped() -> None:
    plan, values = plan_of(
        LOAD + "%sum:2 = affine.for %i = 0 to %n iter_args(%s = %x, %t = %x) -> (f64, f64) {\n"
        "  %u = arith.addf %s, %a : f64\n"
        "  %v = arith.mulf %t, %x : f64\n"
        "  affine.yield %u, %v : f64, f64\n}\n"
        "affine.store %sum#1, %B[0] : memref<?xf64>\n"
    )
    # The first of the carried values is only used for its own next value.
    assert [name for name in "asutv" if values[name] in plan.live] == ["t", "v"]


def test_a_branch_computes_results_that_are_used() -> None:
    plan, values = plan_of(
        LOAD + "%b = arith.mulf %x, %x : f64\n"
        "%r:2 = scf.if %p -> (f64, f64) {\n  scf.yield %a, %b : f64, f64\n} else {\n"
        "  scf.yield %x, %x : f64, f64\n}\n"
        "affine.store %r#0, %B[0] : memref<?xf64>\n"
    )
    assert values["a"] in plan.live
    assert values["b"] not in plan.live


def test_counters_that_cannot_be_negative() -> None:
    plan, values = plan_of(
        "affine.for %i = 0 to %n {\n"
        "  affine.for %j = affine_map<(d0) -> (d0 * 2 + 1)>(%i) to %n {\n"
        "    affine.for %k = max affine_map<(d0)[s0] -> (d0 - s0, 0)>(%j)[%m] to %n {\n"
        "      affine.for %l = affine_map<(d0)[s0] -> (d0 - s0)>(%k)[%m] to %n {\n"
        "        affine.store %x, %A[%i + %j + %k + %l] : memref<?xf64>\n"
        "      }\n    }\n  }\n}\n"
    )
    assert [name for name in "ijkl" if values[name] in plan.nonnegative] == ["i", "j", "k"]


@pytest.mark.parametrize(
    ("first", "is_declared_there"),
    [
        ("affine.store %x, %s[] : memref<f64>\n", True),
        ("scf.if %p {\n  memref.store %x, %s[] : memref<f64>\n}\n", False),
        (
            "%old = affine.load %s[] : memref<f64>\naffine.store %old, %B[7] : memref<?xf64>\n",
            False,
        ),
    ],
)
def test_a_scalar_is_declared_at_its_first_store(first: str, is_declared_there: bool) -> None:
    plan, _ = plan_of(
        "%s = memref.alloca() : memref<f64>\n" + first + "affine.store %x, %s[] : memref<f64>\n"
        "%new = affine.load %s[] : memref<f64>\naffine.store %new, %A[0] : memref<?xf64>\n"
    )
    assert bool(plan.first_stores) == is_declared_there
