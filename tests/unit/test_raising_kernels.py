"""The PolyBench kernels become one scop each, and do what they did."""

from __future__ import annotations

import pytest
from kernels import KERNELS, Kernel
from replay import function_of, replay
from xdsl.ir import Operation

from polyir.dialects.scop import ScopOp
from polyir.frontend.parse import parse_module
from polyir.model.raising import raise_module
from polyir.model.scop import scop_of
from polyir.model.statements import AccessKind

STATEMENTS = {
    "2mm": 4,
    "3mm": 6,
    "adi": 14,
    "atax": 4,
    "bicg": 4,
    "cholesky": 4,
    "correlation": 15,
    "covariance": 8,
    # In C: 42. Here the coefficients are not statements, and iteration arguments are
    # exchanged in one statement.
    "deriche": 29,
    "doitgen": 3,
    "durbin": 10,
    "fdtd-2d": 4,
    "floyd-warshall": 1,
    "gemm": 2,
    "gemver": 4,
    "gesummv": 5,
    "gramschmidt": 7,
    "heat-3d": 2,
    "jacobi-1d": 2,
    "jacobi-2d": 2,
    "lu": 3,
    "ludcmp": 12,
    "mvt": 2,
    "nussinov": 5,
    "seidel-2d": 1,
    "symm": 4,
    "syr2k": 2,
    "syrk": 2,
    "trisolv": 3,
    "trmm": 2,
}
"""The number of statements, which is that of the C source as Pluto reads it."""

EACH_KERNEL = pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS.keys())


def control_outside_scops(op: Operation) -> list[Operation]:
    """The control operations that were not raised."""
    if isinstance(op, ScopOp):
        return []
    inner = [op for region in op.regions for block in region.blocks for op in block.ops]
    found = [found for child in inner for found in control_outside_scops(child)]
    return [op, *found] if op.name.split(".")[0] in ("affine", "scf") and op.regions else found


@EACH_KERNEL
def test_kernel_is_one_scop(kernel: Kernel) -> None:
    module = parse_module(kernel.path.read_text(), str(kernel.path))
    outcome = raise_module(module)
    module.verify()
    assert outcome.left == ()
    assert control_outside_scops(module) == []
    (op,) = outcome.scops
    scop = scop_of(op)
    assert [statement.name for statement in scop.statements] == [
        f"S{number}" for number in range(STATEMENTS[kernel.path.stem])
    ]
    assert scop.accesses(AccessKind.MAY_WRITE).is_empty()


@EACH_KERNEL
def test_raised_kernel_computes_the_same(kernel: Kernel) -> None:
    original = parse_module(kernel.path.read_text(), str(kernel.path))
    raised = original.clone()
    raise_module(raised)
    for size in (1, 3, 4):
        before = replay(function_of(original), size)
        assert before[0] or size == 1
        assert before == replay(function_of(raised), size)
