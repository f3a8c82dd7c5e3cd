"""The numbers that the cost model takes parameters to be, and where they come from."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from polyir.base.diagnostics import PolyirError
from polyir.choose.assumed_sizes import (
    assumed_sizes,
    parameters_left,
    times_larger,
    values_of,
)
from polyir.dialects.scop import scops_in
from polyir.frontend.parse import parse_module
from polyir.model.raising import raise_module
from polyir.model.scop import Scop, scop_of


def scops(arguments: str, body: str) -> Sequence[Scop]:
    text = f"func.func @f({arguments}) {{ %x = arith.constant 1.0 : f64\n{body}\nreturn }}\n"
    text += "func.func private @g(f64)"
    module = parse_module(text, "test.mlir")
    raise_module(module)
    return [scop_of(each) for each in scops_in(module)]


def sizes(arguments: str, body: str) -> str:
    found = {k: v for each in assumed_sizes(scops(arguments, body)) for k, v in each.items()}
    return ", ".join(f"{name} = {size}" for name, size in found.items())


def nest(rows: str, columns: str = "%m", array: str = "memref<?x?xf64>") -> str:
    return f"""affine.for %i = {rows} {{
        affine.for %j = 0 to {columns} {{
          affine.store %x, %A[%i, %j] : {array}
        }}
      }}"""


N_M = "%n: index, %m: index"


def test_nothing_is_known() -> None:
    arguments = f"{N_M}, %A: memref<?x?xf64>"
    assert sizes(arguments, nest("0 to %n")) == "n = 1000 (assumed), m = 1000 (assumed)"
    (scop,) = scops(arguments, nest("0 to %n"))
    assert values_of(scop, {"m": 7}) == {"n": 1000, "m": 7}
    assert parameters_left(scop)


def test_large_sizes_fill_caches() -> None:
    arrays = f"{N_M}, %A: memref<?x?xf64>, %v: memref<?xf64>, %c: memref<9xf64>"
    store = "affine.store %x, %v[%j] : memref<?xf64>"
    over_time = f"affine.for %i = 0 to %n {{ affine.for %j = 0 to %m {{ {store} }} }}"
    alone = f"affine.for %j = 0 to %m {{ {store} }}"
    constant = "affine.for %i = 0 to %n { affine.store %x, %c[0] : memref<9xf64> }"
    assert times_larger(scops(arrays, nest("0 to %n"))) == 16
    assert times_larger(scops(arrays, alone)) == 16
    # 1000 elements, then 16,000, 256,000 and 4,096,000.
    assert times_larger(scops(arrays, over_time)) == 4096
    assert times_larger(scops(arrays, over_time + nest("0 to %n"))) == 16
    assert times_larger(scops(arrays, constant)) == 16


def test_what_is_stated_is_believed() -> None:
    arguments = "%n: index {polyir.size = 4000 : index}, %k: i32 {polyir.size = 16 : i32}"
    cast = "%m = arith.index_cast %k : i32 to index\n"
    (scop,) = scops(f"{arguments}, %A: memref<?x?xf64>", cast + nest("0 to %n"))
    assert values_of(scop) == {"n": 4000, "m": 16}
    assert not parameters_left(scop)
    arguments = "%A: memref<?x?xf64> {polyir.sizes = array<i64: 300, 0>}"
    dims = """%zero = arith.constant 0 : index
        %one = arith.constant 1 : index
        %n = memref.dim %A, %zero : memref<?x?xf64>
        %m = memref.dim %A, %one : memref<?x?xf64>\n"""
    assert sizes(arguments, dims + nest("0 to %n")) == "n = 300 (stated), m = 1000 (assumed)"


@pytest.mark.parametrize("array", ["memref<500x20xf64>", "memref<500x?xf64>", "memref<?x?xf64>"])
def test_arrays_say_how_far_loops_go(array: str) -> None:
    stated = "{polyir.sizes = array<i64: 500, 20>}"
    arguments = f"{N_M}, %A: {array} {'' if array == 'memref<500x20xf64>' else stated}"
    found = sizes(arguments, nest("0 to %n", array=array))
    assert found == "n = 500 (from arrays), m = 20 (from arrays)"


def test_a_size_is_one_that_its_arrays_have() -> None:
    stated = "%n: index {polyir.size = 4000 : index}"
    array = "memref<500xf64>"
    body = f"affine.for %i = 0 to %n {{ affine.store %x, %A[%i] : {array} }}"
    assert sizes(f"{stated}, %A: {array}", body) == "n = 500 (from arrays)"
    # What is stated of an array is no more than what is stated of a number.
    array = "memref<?xf64>"
    sized = f"%A: {array} {{polyir.sizes = array<i64: 500>}}"
    body = f"affine.for %i = 0 to %n {{ affine.store %x, %A[%i] : {array} }}"
    assert sizes(f"{stated}, {sized}", body) == "n = 4000 (stated)"


def test_conditions_bound_sizes() -> None:
    few = "affine.if affine_set<()[n] : (16 - n >= 0)>()[%n] {{ {} }}"
    arguments = f"{N_M}, %A: memref<?x?xf64>"
    found = sizes(arguments, few.format(nest("0 to %n")))
    assert found == "n = 16 (from conditions), m = 1000 (assumed)"
    # Other loops run for other sizes.
    assert sizes(arguments, few.format(nest("0 to %n")) + nest("0 to %n")).startswith("n = 1000 (")
    assert (
        sizes(arguments, nest("%m to %n", "64")) == "m = 1000 (assumed), n = 2000 (from conditions)"
    )
    ends = "%n: index {polyir.min_size = 5000 : index}, %m: index {polyir.max_size = 9 : index}"
    found = sizes(f"{ends}, %A: memref<?x?xf64>", nest("0 to %n"))
    assert found == "n = 5000 (from conditions), m = 9 (from conditions)"


def test_a_value_is_the_same_in_all_scops() -> None:
    other = "%s = memref.load %A[%n, %n] : memref<?x?xf64>\nfunc.call @g(%s) : (f64) -> ()\n"
    body = f"""affine.for %i = 0 to %n {{ affine.store %x, %B[%i] : memref<50xf64> }}
        {other} {nest("0 to %n")}"""
    found = scops(f"{N_M}, %A: memref<?x?xf64>, %B: memref<50xf64>", body)
    assert len(found) == 2
    assert [size["n"].value for size in assumed_sizes(found)] == [50, 50]


WRONG = {
    "%n: index {polyir.size = 0 : index}": "'polyir.size' of 'n' must be a positive integer",
    '%n: index {polyir.size = "big"}': "'polyir.size' of 'n' must be a positive integer",
    "%n: index, %A: memref<?xf64> {polyir.sizes = array<i64: 1, 2>}": "'polyir.sizes' of 'A' must "
    "be 1 integers, 0 for what is not known",
    "%n: index, %A: memref<?xf64> {polyir.sizes = 3 : index}": "'polyir.sizes' of 'A' must be",
}


@pytest.mark.parametrize("arguments", WRONG)
def test_wrong_attributes(arguments: str) -> None:
    array = "" if "%A" in arguments else ", %A: memref<?xf64>"
    body = "affine.for %i = 0 to %n { affine.store %x, %A[%i] : memref<?xf64> }"
    found = scops(arguments + array, body)
    with pytest.raises(PolyirError, match=r"polyir\.size") as raised:
        assumed_sizes(found)
    assert WRONG[arguments] in raised.value.message
