"""An operation of another package that describes its accesses goes through the passes as a store.

What comes out is compared with NumPy: then the operation stands for a load, an addition, a store.
"""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import IndexType, MemRefType, ModuleOp, StringAttr
from xdsl.ir import Dialect, Operation
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    traits_def,
    var_operand_def,
)
from xdsl.rewriter import InsertPoint, Rewriter

from polyir.api import compile_loops, lower, passes_of
from polyir.base.diagnostics import PolyirError
from polyir.frontend.parse import parse_module
from polyir.model.memory_accesses import AccessesMemory, MemoryAccess
from polyir.model.raising import raise_module
from polyir.model.scop import scop_of
from polyir.universe import new_context


class _Adds(AccessesMemory):
    def accesses(self, op: Operation) -> tuple[MemoryAccess, ...]:
        _, memory, *indices = op.operands
        read = MemoryAccess(op, memory, tuple(indices))
        return read, read._replace(is_write=True)


@irdl_op_definition
class AddOp(IRDLOperation):
    """`example.add`: adds a number to an element."""

    name = "example.add"
    value = operand_def()
    memory = operand_def(MemRefType)
    indices = var_operand_def(IndexType)
    traits = traits_def(_Adds())


TEXT = """
func.func @f(%A: memref<20xf64>, %B: memref<20xf64>, %C: memref<40xf64>, %D: memref<20x20xf64>) {
  affine.for %i = 0 to 20 {
    affine.for %j = 0 to 20 {
      %a = affine.load %A[%i] : memref<20xf64>
      %b = affine.load %B[%j] : memref<20xf64>
      %p = arith.mulf %a, %b : f64
      %s = affine.apply affine_map<(d0, d1) -> (d0 + d1)>(%i, %j)
      "example.add"(%p, %C, %s) : (f64, memref<40xf64>, index) -> ()
      %c = affine.load %C[%j] : memref<40xf64>
      "example.add"(%c, %D, %i, %j) : (f64, memref<20x20xf64>, index, index) -> ()
    }
  }
  func.return
}
"""


def parsed() -> ModuleOp:
    context = new_context()
    context.load_dialect(Dialect("example", [AddOp]))
    return parse_module(TEXT, "test.mlir", context)


def with_stores(module: ModuleOp) -> ModuleOp:
    for op in tuple(module.walk()):
        if isinstance(op, AddOp):
            old = memref.LoadOp.get(op.memory, op.indices)
            total = arith.AddfOp(old.res, op.value)
            store = memref.StoreOp.get(total.result, op.memory, op.indices)
            Rewriter.insert_op([old, total], InsertPoint.before(op))
            Rewriter.replace_op(op, store, [])
    return module


def test_the_scop_has_both_accesses_of_the_operation() -> None:
    (op,) = raise_module(parsed()).scops
    accesses = [
        (access.kind.value, access.array, access.certain)
        for statement in scop_of(op).statements
        for access in statement.accesses
    ]
    assert accesses == [
        ("read", "A", True),
        ("read", "B", True),
        ("read", "C", True),
        ("write", "C", True),
        ("read", "C", True),
        ("read", "D", True),
        ("write", "D", True),
    ]


PIPELINES = (
    "pluto-schedule,tile{sizes=8},wavefront,mark-parallel",
    'pluto-schedule{fuse=none},tile{sizes=8},promote{arrays=D loop="S1.0"}',
    "optimize",
    "lower-poly,scalar-replacement",
)


def test_passes_keep_what_the_operation_does() -> None:
    functions = []
    for number, pipeline in enumerate(PIPELINES):
        module, context = parsed(), new_context()
        for each in passes_of(pipeline):
            each.apply(context, module)
        (function,) = (op for op in lower(module).walk() if isinstance(op, func.FuncOp))
        function.sym_name = StringAttr(f"f{number}")
        functions.append(function.clone())
    run = compile_loops(with_stores(ModuleOp(functions)))
    a, b = np.arange(20.0), np.arange(20.0)[::-1] + 3
    expected_c, expected_d = np.arange(40.0), np.ones((20, 20))
    for i in range(20):
        for j in range(20):
            expected_c[i + j] += a[i] * b[j]
            expected_d[i, j] += expected_c[j]
    for number, pipeline in enumerate(PIPELINES):
        c, d = np.arange(40.0), np.ones((20, 20))
        getattr(run, f"f{number}")(a, b, c, d)
        np.testing.assert_array_equal(c, expected_c, pipeline)
        np.testing.assert_array_equal(d, expected_d, pipeline)


def test_passes_that_rewrite_accesses_refuse_the_operation(
    capfd: pytest.CaptureFixture[str],
) -> None:
    module, context = parsed(), new_context()
    for each in passes_of("pluto-schedule,scop-to-equations"):
        each.apply(context, module)
    assert "there is no equation for 'example.add'" in capfd.readouterr().err
    (distribute,) = passes_of("distribute-memory")
    with pytest.raises(PolyirError, match=r"'example.add' takes the array '%C' whole"):
        distribute.apply(context, module)
