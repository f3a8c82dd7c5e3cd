"""Random affine programs compute the same after the passes on loops."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

import pytest
from affine_programs import affine_programs
from few_operations import allow
from hypothesis import given, settings
from hypothesis import strategies as st
from replay import function_of, loaded, replay
from suites import examples
from xdsl.context import Context
from xdsl.dialects import affine
from xdsl.passes import ModulePass

from polyir.base.diagnostics import remarks_to
from polyir.frontend.parse import parse_module
from polyir.loops.affine_to_scf import convert_affine_to_scf
from polyir.passes.scalar_replacement import ScalarReplacementPass
from polyir.passes.split_loops import SplitLoopsPass

SIZES = (0, 1, 2, 3, 5)
DIALECTS = ("affine", "scf")


def check(text: str, dialect: str, transformation: ModulePass) -> None:
    original = parse_module(text)
    module = original.clone()
    if dialect == "scf":
        convert_affine_to_scf(module)
        assert not any(isinstance(op, affine.ForOp) for op in module.walk())
    with remarks_to(lambda remark: None):
        transformation.apply(Context(), module)
    module.verify()
    for size in SIZES:
        stored, _ = expected = replay(function_of(original), size)
        assert expected == replay(function_of(module), size), size
        # What the original does not touch may be no part of the array.
        existing = {*loaded(function_of(original), size), *stored}
        touched = loaded(function_of(module), size)
        assert {address for address in touched if len(address) > 1} <= existing, size


@pytest.mark.parametrize("dialect", DIALECTS)
@settings(max_examples=examples(8, 60), deadline=None)
@given(text=affine_programs())
def test_split_loops(dialect: str, text: str) -> None:
    check(text, dialect, SplitLoopsPass())


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("levels", [1, "all"])
@settings(max_examples=examples(7, 60), deadline=None)
@given(text=affine_programs())
def test_scalar_replacement(dialect: str, levels: int | Literal["all"], text: str) -> None:
    check(text, dialect, ScalarReplacementPass(levels))


@pytest.mark.parametrize("transformation", [SplitLoopsPass(), ScalarReplacementPass("all")])
@settings(max_examples=examples(10, 30), deadline=None)
@given(text=affine_programs(), operations=st.integers(100, 50_000))
def test_isl_may_stop(transformation: ModulePass, text: str, operations: int) -> None:
    """Wherever isl stops because its operations are used up, the program stays valid."""

    with few_operations(operations):
        check(text, "affine", transformation)


@contextmanager
def few_operations(operations: int) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        allow(patch, operations, "LOOP_SPLITTING", "SCALAR_REPLACEMENT")
        yield


SPLITTABLE = """
func.func @f(%A: memref<?xf64>, %c: memref<?xf64>, %n: index) {
  affine.for %i = 0 to %n {
    affine.if affine_set<(d0) : (d0 - 5 >= 0)>(%i) {
      %x = affine.load %c[0] : memref<?xf64>
      affine.store %x, %A[%i] : memref<?xf64>
    }
  }
  return
}
"""


@pytest.mark.parametrize(
    ("transformation", "stays"),
    [
        (SplitLoopsPass(), "tests of loop counters stay"),
        (ScalarReplacementPass(), "all elements stay in memory"),
    ],
)
def test_a_stop_is_reported(transformation: ModulePass, stays: str) -> None:
    module = parse_module(SPLITTABLE)
    said: list[str] = []
    with few_operations(10), remarks_to(lambda remark: said.append(remark.message)):
        transformation.apply(Context(), module)
    assert str(module) == str(parse_module(SPLITTABLE))
    (message,) = said
    assert message.startswith(f"{stays}: isl takes too long")
