"""Vectors in loops inside of those whose bounds come out of memory, which no schedule has."""

from __future__ import annotations

from xdsl.dialects import affine, scf
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Operation, SSAValue

from polyir.dialects.loop_attributes import VectorAttr
from polyir.model.affine import NotAffineError
from polyir.model.index_expressions import IndexExpression
from polyir.model.memory_accesses import MemoryAccess, accesses_of
from polyir.model.vectors import element_bytes


def mark_inner_vectors(root: Operation, bits: int) -> None:
    """Let loops below an `scf.for` run in vectors of so many bits if their iterations are apart.

    C compilers would test for aliases in each of their executions.
    """
    for op in root.walk():
        is_inside = isinstance(op.parent_op(), scf.ForOp)
        if is_inside and isinstance(op, affine.ForOp) and not op.results and _is_apart(op):
            width = bits // (8 * _widest(op))
            if width > 1:
                op.attributes[VectorAttr.name] = VectorAttr(width)


def _is_apart(loop: affine.ForOp) -> bool:
    """Whether each iteration of a loop accesses elements of its own of what the loop writes.

    The subscripts of such an array are the same in all accesses, and one is the counter and what
    the loop does not change.
    """
    operations = list(loop.body.block.ops)
    if any(op.regions for op in operations):
        return False
    accesses = [access for op in operations for access in accesses_of(op)]
    counter = loop.body.block.args[0]
    subscripts: dict[SSAValue, tuple[IndexExpression, ...]] = {}
    for access in sorted(accesses, key=lambda each: not each.is_write):
        own = _subscripts(access)
        if access.is_write and access.memref not in subscripts:
            if own is None or not any(_moves_with(each, counter, loop) for each in own):
                return False
            subscripts[access.memref] = own
        if access.memref in subscripts and own != subscripts[access.memref]:
            return False
    return bool(subscripts)


def _moves_with(subscript: IndexExpression, counter: SSAValue, loop: affine.ForOp) -> bool:
    """Whether a subscript is the counter of a loop and values from outside of it."""
    terms = dict(subscript.terms)
    others = [atom for atom in terms if atom is not counter]
    return terms.get(counter) == 1 and all(
        isinstance(atom, SSAValue) and not loop.is_ancestor(atom.owner) for atom in others
    )


def _subscripts(access: MemoryAccess) -> tuple[IndexExpression, ...] | None:
    try:
        return access.subscripts()
    except NotAffineError:
        return None


def _widest(loop: affine.ForOp) -> int:
    """The bytes of the widest elements that a loop accesses."""
    types = [access.memref.type for op in loop.body.block.ops for access in accesses_of(op)]
    return max(element_bytes(each) for each in types if isinstance(each, MemRefType))
