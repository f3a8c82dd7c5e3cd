"""Memory for boxes, allocated before a scop and freed after it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import islpy as isl
from xdsl.dialects import affine, memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, AffineMapAttr, IndexType, MemRefType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr

from polyir.dialects.affine_extra import MaxOp
from polyir.dialects.scop import ScopOp
from polyir.model.affine_maps import Valued, affine_expression, map_over
from polyir.sets.boxes import Side
from polyir.sets.lists import parameters_of


class Allocator:
    """Allocates memory directly before a scop, and frees it directly after it."""

    def __init__(self, scop: ScopOp) -> None:
        self._scop = scop
        self._extents: dict[tuple[object, ...], SSAValue] = {}

    def allocate(
        self, like: SSAValue, box: Sequence[Side], inner: Sequence[SSAValue | int] = ()
    ) -> SSAValue:
        """Memory for the cells of `box`, each with the extents `inner`; freed after the scop.

        The elements and the name are those of `like`. Memory of rank 0 is a local variable.
        """
        assert isinstance(like.type, MemRefType)
        extents = [*self.extents(box), *inner]
        return self._memory(like.type, like.name_hint, extents)

    def memory(
        self, element_type: Attribute, name: str | None, extents: Sequence[SSAValue | int]
    ) -> SSAValue:
        """Memory of these extents; freed after the scop. That of rank 0 is a local variable."""
        return self._memory(MemRefType(element_type, []), name, extents)

    def extents(self, box: Sequence[Side]) -> list[SSAValue | int]:
        """The extents of a box: constants, or computed before the scop."""
        return [self._constant_or_computed(side.extent) for side in box]

    def _memory(
        self, like: MemRefType[Attribute], name: str | None, extents: Sequence[SSAValue | int]
    ) -> SSAValue:
        shape = [extent if isinstance(extent, int) else DYNAMIC_INDEX for extent in extents]
        sizes = [extent for extent in extents if isinstance(extent, SSAValue)]
        type = MemRefType(like.element_type, shape, like.layout, like.memory_space)
        kind = memref.AllocOp if shape else memref.AllocaOp
        memory = kind.build(operands=[sizes, []], result_types=[type])
        self._insert(memory)
        memory.memref.name_hint = name
        if isinstance(memory, memref.AllocOp):
            free = memref.DeallocOp.get(memory.memref)
            free.location = self._scop.location
            assert self._scop.parent is not None
            self._scop.parent.insert_op_after(free, self._scop)
        return memory.memref

    def _insert(self, op: Operation) -> None:
        op.location = self._scop.location
        assert self._scop.parent is not None
        self._scop.parent.insert_op_before(op, self._scop)

    def _constant_or_computed(self, extent: isl.PwAff) -> SSAValue | int:
        """An extent: a constant, or computed before the scop, of 1 or more."""
        pieces = [expression for _, expression in extent.get_pieces()]
        if all(piece.is_cst() for piece in pieces):
            return max(1, *(int(piece.get_constant_val().to_python()) for piece in pieces))
        return self.extent(extent)

    def extent(self, extent: isl.PwAff) -> SSAValue:
        """An extent that is computed before the scop, of 1 or more."""
        pieces = [expression for _, expression in extent.get_pieces()]
        results, values = self._expressions(pieces)
        if len(pieces) > 1 and _is_minimum(extent, pieces):
            map, operands = map_over(results, values)
            least = affine.MinOp.build(
                operands=[operands],
                result_types=[IndexType()],
                properties={"map": AffineMapAttr(map)},
            )
            results, values = (AffineDimExpr(0),), [self._computed(least)]
        # An array in C must not have an extent of 0.
        map, operands = map_over((*results, AffineConstantExpr(1)), values)
        return self._computed(MaxOp(operands, AffineMapAttr(map)))

    def _computed(self, op: affine.MinOp | MaxOp) -> SSAValue:
        """The result of `op`, inserted before the scop, or of the same operation there."""
        key = (op.name, str(op.map), *op.arguments)
        if key not in self._extents:
            self._insert(op)
            self._extents[key] = op.result
        return self._extents[key]

    def _expressions(self, functions: Sequence[isl.Aff]) -> tuple[Valued, list[SSAValue]]:
        """Functions of the parameters, over the values that their dimensions number."""
        parameters = self._scop.parameter_values
        order = list(parameters)
        results = []
        for function in functions:
            names = parameters_of(function.get_domain_space())
            numbers = [AffineDimExpr(order.index(name)) for name in names]
            results.append(affine_expression(function, (), numbers))
        return tuple(dict.fromkeys(results)), list(parameters.values())


def _is_minimum(function: isl.PwAff, pieces: Sequence[isl.Aff]) -> bool:
    """Is `function` the minimum of the expressions of its pieces?"""
    least = reduce(isl.PwAff.min, map(isl.PwAff.from_aff, pieces))
    return bool(least.intersect_domain(function.domain()).is_equal(function))
