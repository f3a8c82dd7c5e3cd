"""The arrays in which each iteration of a loop accesses elements of its own."""

from __future__ import annotations

from collections.abc import Hashable

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import SSAValue

from polyir.irregular.slices import load_of_place, subscripts_of
from polyir.loops.loop_forms import SequentialLoop, is_outside
from polyir.model.index_arrays import lasting_facts
from polyir.model.index_expressions import IndexExpression
from polyir.model.memory_accesses import ElementAccess
from polyir.model.raising.effects import may_overlap, stores_in


def own_memories(loop: SequentialLoop) -> tuple[SSAValue, ...]:
    """The arrays that a loop writes, of which no two iterations access the same element.

    In some dimension, all accesses have the same subscript, and that is another one in each
    iteration: a multiple of the counter, or of an element at such a place of an index array that is
    known to be injective, and what does not change in the loop. Other memrefs that the loop uses
    do not share memory with them.
    """
    written = dict.fromkeys(op.memref for op in stores_in(loop) if is_outside(op.memref, loop))
    return tuple(memory for memory in written if _is_own(memory, loop))


def _is_own(memory: SSAValue, loop: SequentialLoop) -> bool:
    common: set[tuple[int, Hashable]] | None = None
    for op in loop.walk():
        for operand in op.operands:
            if not isinstance(operand.type, MemRefType):
                continue
            if operand is not memory and may_overlap(operand, memory):
                return False
            if operand is memory and not isinstance(op, ElementAccess):
                return False
        if isinstance(op, ElementAccess) and op.memref is memory:
            forms = _forms(op, loop)
            common = forms if common is None else common & forms
    return bool(common)


def _forms(op: ElementAccess, loop: SequentialLoop) -> set[tuple[int, Hashable]]:
    """The dimensions whose subscripts are different in each iteration, and these subscripts."""
    found = set()
    for dimension, subscript in enumerate(subscripts_of(op, loop)):
        form = _injective_form(subscript, loop)
        if form is not None:
            found.add((dimension, form))
    return found


def _injective_form(subscript: IndexExpression, loop: SequentialLoop) -> Hashable | None:
    """What a subscript is if it has another value in each iteration; `None` if it may not."""
    moving = [
        (atom, factor)
        for atom, factor in subscript.terms
        if not (isinstance(atom, SSAValue) and is_outside(atom, loop))
    ]
    if len(moving) != 1:
        return None
    atom, factor = moving[0]
    if not isinstance(atom, SSAValue):
        return None
    rest = subscript - IndexExpression.of(atom).scale(factor)
    key = factor, frozenset(rest.terms), rest.constant
    if atom is loop.body.block.args[0]:
        return key
    load = load_of_place(atom)
    if load is None or not _is_injective(load.memref):
        return None
    # All subscripts of an index array together are different ones in each iteration.
    places = [_injective_form(each, loop) for each in subscripts_of(load, loop)]
    return (*key, load.memref, *places) if len(places) == 1 and places[0] is not None else None


def _is_injective(memory: SSAValue) -> bool:
    """Whether no two elements of an index array are the same, while its function runs."""
    facts = lasting_facts(memory)
    return facts is not None and facts.is_injective
