"""Loops for which gcc before version 14 may generate wrong code, and what keeps it from that.

In a loop, gcc's optimization of induction variables may compute the address of an access from the
address of another access to the same array that moves by a multiple of the step: with
`p = &A[i]`, the address of `A[t - i]` is `2 * A + t - p`. gcc before version 14 (its bug 110702)
finds no pointer in such a sum, takes the access for one through a null pointer and what follows
for unreachable, and so may take the function for one without effects: calls of it in the same file
are left out. An empty assembly statement that may access all memory is an effect that gcc sees.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import permutations

from xdsl.dialects import memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType
from xdsl.ir import Block, SSAValue

from polyir.model.affine import NotAffineError
from polyir.model.affine_operations import written_out
from polyir.model.index_expressions import IndexExpression
from polyir.model.memory_accesses import MemoryAccess, accesses_in

Step = Mapping[frozenset[int], int]
"""How far an address moves: elements by the dynamic extents of the array that multiply them."""


def needs_effect(body: Block) -> bool:
    """Whether a loop accesses an array at two addresses that move by different multiples."""
    steps: dict[tuple[SSAValue, SSAValue], list[Step]] = {}
    written: dict[SSAValue, IndexExpression] = {}
    for access in accesses_in(body):
        for counter, step in () if access.extents else _steps(access, written):
            known = steps.setdefault((_base(access.memref), counter), [])
            if step not in known:
                known.append(step)
    return any(
        _is_multiple(one, other)
        for known in steps.values()
        for one, other in permutations(known, 2)
    )


def _steps(
    access: MemoryAccess, written: dict[SSAValue, IndexExpression]
) -> Iterator[tuple[SSAValue, Step]]:
    """The step of the address for each counter in the subscripts."""
    try:
        subscripts = access.subscripts(partial(written_out, known=written))
    except NotAffineError:
        return
    assert isinstance(access.memref.type, MemRefType)
    found: dict[SSAValue, dict[frozenset[int], int]] = {}
    factor, dynamic = 1, frozenset[int]()
    extents = access.memref.type.get_shape()
    for position in reversed(range(len(extents))):
        for atom, coefficient in subscripts[position].terms:
            if isinstance(atom, SSAValue) and isinstance(atom.owner, Block):
                step = found.setdefault(atom, {})
                step[dynamic] = step.get(dynamic, 0) + factor * coefficient
        if extents[position] == DYNAMIC_INDEX:
            dynamic |= {position}
        else:
            factor *= extents[position]
    for counter, step in found.items():
        nonzero = {extent: count for extent, count in step.items() if count}
        if nonzero:
            yield counter, nonzero


def _base(memref_value: SSAValue) -> SSAValue:
    owner = memref_value.owner
    return _base(owner.source) if isinstance(owner, memref.CastOp) else memref_value


def _is_multiple(step: Step, other: Step) -> bool:
    """Whether `step` is `other` times an integer."""
    if step.keys() != other.keys():
        return False
    factors = {divmod(step[extents], other[extents]) for extents in step}
    return len(factors) == 1 and all(remainder == 0 for _, remainder in factors)
