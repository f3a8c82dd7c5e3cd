"""Code for partial results of divided reductions: each rank has some, and MPI combines them.

In a step, only the rows of an array that the step updates are set and combined: what has the same
subscript along the outermost dimension is one row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Final

import islpy as isl
from xdsl.dialects import arith, mpi
from xdsl.dialects.builtin import MemRefType, StringAttr
from xdsl.ir import SSAValue

from polyir.dialects.reductions import Combiner
from polyir.distributed.boxes import extent
from polyir.distributed.divided_reductions import DividedReduction
from polyir.distributed.elements import step_parameters
from polyir.distributed.exchange import i32_of, length_of, pointer_to
from polyir.distributed.phases import Phase
from polyir.loops.code import Code
from polyir.model.scop import Scop

_OPERATIONS: Final = {
    arith.AddfOp: "MPI_SUM",
    arith.AddiOp: "MPI_SUM",
    arith.MulfOp: "MPI_PROD",
    arith.MuliOp: "MPI_PROD",
    arith.MaxSIOp: "MPI_MAX",
    arith.MinSIOp: "MPI_MIN",
    arith.AndIOp: "MPI_BAND",
    arith.OrIOp: "MPI_BOR",
    arith.XOrIOp: "MPI_BXOR",
}
"""The operations of MPI on elements of MLIR. The others get one of their own.

MPI does not say what its maxima and minima make of NaN, and knows no unsigned numbers in a
memref of integers without a sign.
"""


def operation_of(combiner: Combiner) -> mpi.OperationType:
    """The operation of MPI for a combiner; those that MPI does not have are named as in `arith`."""
    if combiner.choice is not None:
        name = "MPI_MIN" if combiner.choice.is_least else "MPI_MAX"
    else:
        name = _OPERATIONS.get(combiner.operation, combiner.operation.name.removeprefix("arith."))
    return mpi.OperationType(StringAttr(name))


@dataclass(frozen=True)
class RankResults:
    """The partial results of a rank in a step of a phase, which has these values of parameters.

    If `is_shared`, all ranks get the results, else only the first one.
    """

    partial: DividedReduction
    memory: SSAValue
    phase: Phase
    scop: Scop
    values: Mapping[str, SSAValue]
    is_shared: bool

    def set_neutral(self, code: Code) -> None:
        """Set the elements that the step updates to the neutral element."""
        first, rows = self._rows(code)
        constant = self.partial.combiner.neutral_element(self.partial.element)
        neutral = code.builder.insert(constant).result
        with (
            code.loop("row", first, code.sum(first, rows)) as (body, row),
            body.loops("e", self._inner(body)) as (inside, places),
        ):
            inside.store(neutral, self.memory, row, *places)

    def combine(self, code: Code) -> None:
        """Let MPI combine the elements of all ranks."""
        first, rows = self._rows(code)
        row = reduce(code.product, self._inner(code), code.constant(1))
        pointer, type = pointer_to(code, self.memory, code.product(first, row))
        count = length_of(code, code.product(rows, row))
        operation = operation_of(self.partial.combiner)
        if self.is_shared:
            code.add(mpi.AllreduceOp(None, pointer, count, type, operation))
        else:
            root = i32_of(code, code.constant(0))
            code.add(mpi.ReduceOp(pointer, pointer, count, type, operation, root))

    def _rows(self, code: Code) -> tuple[SSAValue, SSAValue]:
        """The first row that the step updates, and how many there are up to the last one."""
        rows = self.partial.rows
        if rows is None:
            return code.constant(0), code.constant(1)
        count = rows.dim(isl.dim_type.param)
        steps = step_parameters(self.phase)
        rows = rows.move_dims(isl.dim_type.param, count, isl.dim_type.set, 0, len(steps))
        for position, name in enumerate(steps, count):
            rows = rows.set_dim_name(isl.dim_type.param, position, name)
        return extent(code, self.scop, [rows], 0, self.values)

    def _inner(self, code: Code) -> list[SSAValue]:
        """The extents of a row."""
        assert isinstance(self.memory.type, MemRefType)
        return [
            code.extent(self.memory, each) for each in range(1, self.memory.type.get_num_dims())
        ]
