"""No innermost loop tests a loop counter in what is generated for the kernels."""

from __future__ import annotations

from functools import cache

import pytest
from kernels import KERNELS
from suites import in_turn
from xdsl.dialects import affine, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from polyir import api
from polyir.base.diagnostics import remarks_to

LOOPS = (affine.ForOp, affine.ParallelOp, scf.ForOp, scf.ParallelOp)
PIPELINES = (
    "pluto-schedule{fuse=max}",
    "pluto-schedule{fuse=smart},tile,mark-parallel",
    "isl-schedule",
    "spatial-schedule",
)
MORE_PIPELINES = (
    "pluto-schedule{fuse=max},tile,mark-parallel",
    "pluto-schedule{fuse=max},tile-symbolic,mark-parallel",
    "pluto-schedule,tile-symbolic,wavefront,mark-parallel",
    "pluto-schedule,diamond-tile,wavefront,mark-parallel",
    "isl-schedule{fusion=max},tile",
    "feautrier-schedule,tile",
    "isl-builtin-schedule",
)


def counters_of(value: SSAValue) -> set[SSAValue]:
    """The loop counters that an index or a comparison of indices is computed from."""
    if isinstance(value, BlockArgument):
        return {value} if isinstance(value.block.parent_op(), LOOPS) else set()
    owner = value.owner
    assert not isinstance(owner, Block)
    if owner.name in ("affine.load", "memref.load") or owner.regions:
        return set()
    return {counter for operand in owner.operands for counter in counters_of(operand)}


def counter_tests(module: ModuleOp) -> list[Operation]:
    """The conditionals on loop counters in innermost loops."""
    found = []
    for op in module.walk():
        around = op.parent_op()
        while around is not None and not isinstance(around, LOOPS):
            around = around.parent_op()
        if not isinstance(op, affine.IfOp | scf.IfOp) or around is None:
            continue
        is_innermost = not any(
            inner is not around and isinstance(inner, LOOPS) for inner in around.walk()
        )
        if is_innermost and any(counters_of(operand) for operand in op.operands):
            found.append(op)
    return found


@cache
def analysed(name: str) -> ModuleOp:
    with remarks_to(lambda remark: None):
        return api.run_pipeline(api.parse(KERNELS[name].path.read_text()), "poly-dependences")


def lowered(name: str, pipeline: str, lowering: str = "lower-poly") -> ModuleOp:
    with remarks_to(lambda remark: None):
        return api.run_pipeline(analysed(name), f"{pipeline},{lowering}")


@pytest.mark.parametrize(("name", "pipeline"), in_turn(list(KERNELS), PIPELINES, 2))
def test_no_counter_is_tested(name: str, pipeline: str) -> None:
    assert not counter_tests(lowered(name, pipeline))


@pytest.mark.matrix
@pytest.mark.parametrize("pipeline", MORE_PIPELINES)
@pytest.mark.parametrize("name", KERNELS)
def test_no_counter_is_tested_in_more_pipelines(name: str, pipeline: str) -> None:
    assert not counter_tests(lowered(name, pipeline))


def test_counters_would_be_tested() -> None:
    """The tests above would also pass if there was nothing to split."""
    for name in ("3mm", "deriche", "heat-3d", "jacobi-2d"):
        whole = lowered(name, "pluto-schedule{fuse=max}", "lower-poly{split-loops=false}")
        assert counter_tests(whole), name


def test_code_grows_within_bounds() -> None:
    """heat-3d fused: seven loops for one, and none for what runs once."""
    before = lowered("heat-3d", "pluto-schedule{fuse=max}", "lower-poly{split-loops=false}")
    after = lowered("heat-3d", "pluto-schedule{fuse=max}")
    stores = [sum(op.name == "affine.store" for op in module.walk()) for module in (before, after)]
    assert stores == [2, 8]
