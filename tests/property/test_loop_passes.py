"""Random affine programs compute the same after the passes on loops."""

from __future__ import annotations

from typing import Literal

import pytest
from affine_programs import affine_programs
from hypothesis import given, settings
from replay import function_of, loaded, replay
from xdsl.context import Context
from xdsl.dialects import affine
from xdsl.passes import ModulePass

from polyir.codegen.affine_to_scf import convert_affine_to_scf
from polyir.diagnostics import remarks_to
from polyir.frontend.parse import parse_module
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
@settings(max_examples=60, deadline=None)
@given(text=affine_programs())
def test_split_loops(dialect: str, text: str) -> None:
    check(text, dialect, SplitLoopsPass())


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("levels", [1, "all"])
@settings(max_examples=60, deadline=None)
@given(text=affine_programs())
def test_scalar_replacement(dialect: str, levels: int | Literal["all"], text: str) -> None:
    check(text, dialect, ScalarReplacementPass(levels))
