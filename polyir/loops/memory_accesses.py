"""The elements of memory that operations access, and whether they can be the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

import islpy as isl
from xdsl.dialects import affine, func, memref, omp, scf
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.traits import IsTerminator

from polyir.dialects.affine_extra import PrefetchOp
from polyir.loops.counter_tests import remark_text
from polyir.loops.iteration_spaces import IterationSpaces, is_loop
from polyir.loops.loop_ranges import Bounds
from polyir.model.affine_operations import is_semi_affine
from polyir.model.index_expressions import Constraint, IndexExpression
from polyir.model.memory_accesses import ElementAccess, ElementStore, accesses_of
from polyir.model.raising.effects import ALLOCATIONS, base_of, is_pure, is_same_memref, may_overlap


@dataclass(frozen=True)
class ElementUse:
    """A load or store of one element, and the possible index values where it runs."""

    op: ElementAccess
    subscripts: Bounds
    known: isl.Set

    @property
    def is_store(self) -> bool:
        return isinstance(self.op, ElementStore)


@dataclass(frozen=True)
class Row:
    """Successive elements along the last dimension: the first one, how many, and where that is."""

    first: Bounds
    lanes: int
    known: isl.Set

    def may_include(self, subscripts: Bounds, spaces: IterationSpaces) -> bool:
        """Whether an element of the same memref may be one of them."""
        *outer, first = self.first
        *others, last = subscripts
        same_row = spaces.equal(tuple(outer), tuple(others))
        after_first = spaces.less((first.shift(-1),), (last,))
        before_end = spaces.less((last,), (first.shift(self.lanes),))
        return not self.known.is_disjoint(same_row.intersect(after_first).intersect(before_end))


@dataclass(frozen=True)
class Touch:
    """Another operation that may access memory: that of `memref`, or any if it is `None`.

    Of the memref, it is the `row`, or anything if that is `None`.
    """

    op: Operation
    memref: SSAValue | None
    row: Row | None = None


def memory_uses(
    op: Operation, known: isl.Set, spaces: IterationSpaces
) -> Iterator[ElementUse | Touch]:
    """The accesses to memory of `op`, where `known` holds, and of its regions, in order."""
    if accesses := accesses_of(op):
        for access in accesses:
            if len(access.extents) > 1 or is_semi_affine(op):
                yield Touch(op, access.memref)
                continue
            first = access.subscripts(spaces.written_out)
            if isinstance(op, ElementAccess):
                yield ElementUse(op, first, known)
            else:
                lanes = access.extents[0] if access.extents else 1
                yield Touch(op, access.memref, Row(first, lanes, known) if first else None)
    elif is_loop(op) or isinstance(op, _CONTROL):
        for block, inside in spaces.inside(op, known):
            for inner in block.ops:
                yield from memory_uses(inner, inside, spaces)
    elif not (isinstance(op, _HARMLESS) or is_pure(op) or op.has_trait(IsTerminator)):
        memrefs = [value for value in op.operands if isinstance(value.type, MemRefType)]
        if op.regions or isinstance(op, func.CallOp) or not memrefs:
            yield Touch(op, None)
        else:
            yield from (Touch(op, value) for value in memrefs)


_CONTROL = (affine.IfOp, scf.IfOp, scf.ExecuteRegionOp, omp.ParallelOp, omp.WsLoopOp)
_HARMLESS = (*ALLOCATIONS, PrefetchOp, memref.DimOp, memref.CastOp, memref.GetGlobalOp)


class Overlap(Enum):
    """Whether an operation accesses an element."""

    ALWAYS = auto()
    MAYBE = auto()
    NEVER = auto()


@dataclass(frozen=True)
class MemrefElement:
    """An element of a memref, at subscripts that are defined where this is used."""

    memref: SSAValue
    subscripts: Bounds

    def __str__(self) -> str:
        name = f"%{self.memref.name_hint}" if self.memref.name_hint else "a memref"
        return f"{name}[{', '.join(remark_text(subscript) for subscript in self.subscripts)}]"

    def overlap(self, use: ElementUse | Touch, spaces: IterationSpaces) -> Overlap:
        """Whether `use` accesses this element, decided by isl for subscripts of one memref."""
        other = use.op.memref if isinstance(use, ElementUse) else use.memref
        if other is not None and not may_overlap(self.memref, other):
            return Overlap.NEVER
        if other is None or not is_same_memref(self.memref, other):
            return Overlap.MAYBE
        if isinstance(use, Touch):
            is_apart = use.row is not None and not use.row.may_include(self.subscripts, spaces)
            return Overlap.NEVER if is_apart else Overlap.MAYBE
        if self.subscripts == use.subscripts:
            return Overlap.ALWAYS
        equal = spaces.equal(self.subscripts, use.subscripts)
        if use.known.is_disjoint(equal):
            return Overlap.NEVER
        return Overlap.ALWAYS if use.known.is_subset(equal) else Overlap.MAYBE

    def is_in_bounds(self, known: isl.Set, spaces: IterationSpaces) -> bool:
        """Whether the element certainly exists: known sizes of the memref include it.

        A number that a function is passed need not: it is what a pointer of C leads to, which may
        be null where nothing is read.
        """
        assert isinstance(self.memref.type, MemRefType)
        if not self.subscripts and isinstance(base_of(self.memref), BlockArgument):
            return False
        return all(
            size >= 0
            and known.is_subset(spaces.holds(Constraint(subscript, False)))
            and known.is_subset(spaces.less((subscript,), (IndexExpression((), size),)))
            for subscript, size in zip(self.subscripts, self.memref.type.get_shape(), strict=True)
        )
