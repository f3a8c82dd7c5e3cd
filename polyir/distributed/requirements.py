"""What a function must be like to be distributed: refusals, each with a place and a reason.

The first rank has the arguments; the pointers of other ranks are null. So what is outside of the
scop must not touch memory. Each array is divided by the elements that instances access, so that
these must be known, and two arrays must not share memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce

import islpy as isl
from xdsl.dialects import func, memref
from xdsl.dialects.builtin import MemRefType, ModuleOp, NoneAttr
from xdsl.ir import BlockArgument, Operation, SSAValue

from polyir.base.diagnostics import OptionError, PolyirError, location_of, nearest
from polyir.base.walks import operations_in, outermost
from polyir.dialects.mark_attributes import KernelAttr
from polyir.dialects.schedule_tree import ExpansionOp, ExtensionOp, MarkOp, walk_tree
from polyir.dialects.scop import ScopOp
from polyir.distributed.phases import Phase
from polyir.model.memory_accesses import access_of
from polyir.model.scop import Scop
from polyir.model.statements import Access, AccessKind


class NotDistributedError(PolyirError):
    """A scop or a function that is not distributed, with the reason."""

    name = "not-distributed"


def require_scops(module: ModuleOp, scops: Sequence[ScopOp]) -> None:
    """Raises `NotDistributedError` if a module has nothing to divide."""
    if not scops:
        raise NotDistributedError(
            "nothing is distributed: the module has no static control part", location_of(module)
        )


def require_distributable(op: ScopOp) -> func.FuncOp:
    """The function around a scop; raises `NotDistributedError` if it cannot be distributed.

    This is about the operations; `require_known_elements` is about the accesses.
    """
    kernel = op.parent_op()
    if not isinstance(kernel, func.FuncOp):
        around = "the module" if kernel is None else f"'{kernel.name}'"
        raise _refusal(
            op, f"it is inside {around}, and ranks divide what is directly in a function"
        )
    if len(kernel.body.blocks) > 1:
        raise _refusal(op, "its function has several blocks")
    others = [each for each in outermost(kernel, ScopOp) if each is not op]
    if others:
        raise _refusal(others[0], f"'{kernel.sym_name.data}' has several static control parts")
    _require_one_tree(op)
    for memory in _arrays_of(op):
        _require_own_memory(kernel, memory, op)
    _require_no_memory_outside(kernel, op)
    return kernel


def _require_one_tree(op: ScopOp) -> None:
    if op.local_arrays:
        name = op.local_arrays[0].sym_name.data
        raise _refusal(op, f"its schedule tree has the local array '{name}'")
    for node in walk_tree(op.tree):
        if isinstance(node, ExtensionOp | ExpansionOp):
            raise _refusal(op, f"its schedule tree has a node '{node.name}'")
        if isinstance(node, MarkOp) and isinstance(node.mark, KernelAttr):
            raise _refusal(op, "its schedule tree has kernels for a GPU")


def _arrays_of(op: ScopOp) -> tuple[SSAValue, ...]:
    """The arrays that statements use; raises if they do so otherwise than by loads and stores."""
    found: dict[SSAValue, None] = {}
    for statement in op.statements:
        for inner in operations_in(statement):
            arrays = [each for each in inner.operands if isinstance(each.type, MemRefType)]
            found |= dict.fromkeys(arrays)
            if arrays and access_of(inner) is None:
                raise _refusal(inner, f"'{inner.name}' takes the array {_named(arrays[0])} whole")
            if any(isinstance(each.type, MemRefType) for each in inner.results):
                raise _refusal(inner, f"the statement has memory of its own ('{inner.name}')")
    return tuple(found)


def _require_own_memory(kernel: func.FuncOp, memory: SSAValue, op: ScopOp) -> None:
    """An array is an argument, or allocated in the function: then no other array overlaps it."""
    assert isinstance(memory.type, MemRefType)
    if not isinstance(memory.type.layout, NoneAttr):
        raise _refusal(op, f"the array {_named(memory)} has a layout of its own")
    owner = memory.owner
    if isinstance(memory, BlockArgument):
        if owner is not kernel.body.block:
            raise _refusal(op, f"the array {_named(memory)} is not one of the function")
        return
    if isinstance(owner, memref.AllocOp | memref.AllocaOp):
        if owner.parent is kernel.body.block:
            return
        raise _refusal(owner, f"the array {_named(memory)} is not allocated in the function itself")
    assert isinstance(owner, Operation)
    raise _refusal(
        owner,
        f"the array {_named(memory)} comes from '{owner.name}': it may share memory with another",
    )


def _require_no_memory_outside(kernel: func.FuncOp, scop: ScopOp) -> None:
    """Nothing besides the scop reads, writes, passes on or returns an array."""
    for block_op in kernel.body.block.ops:
        if block_op is scop:
            continue
        for inner in operations_in(block_op):
            for operand in inner.operands:
                if isinstance(operand.type, MemRefType) and not _asks_nothing(inner, operand):
                    raise _refusal(
                        inner,
                        f"'{inner.name}' uses the array {_named(operand)} outside of the static "
                        "control part, and only the first rank has it",
                    )


def _asks_nothing(op: Operation, memory: SSAValue) -> bool:
    """Does an operation need no element of an array? All ranks know the extents of arguments."""
    if isinstance(op, memref.DimOp):
        return isinstance(memory, BlockArgument)
    return isinstance(op, memref.DeallocOp)


def require_no_extents(kernel: func.FuncOp, scop: Scop) -> None:
    """Raises `NotDistributedError` if a function asks for an extent of an array.

    If each rank passes a part of it, that has another one.
    """
    for op in operations_in(kernel):
        if isinstance(op, memref.DimOp) and op.result.uses and isinstance(op.source, BlockArgument):
            raise _refusal(
                scop.op,
                f"it depends on an extent of the array {_named(op.source)}, of which no rank "
                "passes all (data=distributed)",
            )


def require_known_elements(scop: Scop) -> None:
    """All accesses are of known elements; raises `NotDistributedError` with the place of one.

    An access under a condition may be left out. But the element that an instance then accesses has
    to be known, as the rank that has it.
    """
    for statement in scop.statements:
        for access in statement.accesses:
            if not (access.certain or access.relation.is_single_valued()):
                raise _refusal(access.operation, _reason(access))


def _reason(access: Access) -> str:
    if access.kind is AccessKind.READ:
        return (
            f"which elements of '{access.array}' are read is not known: the subscript is not affine"
        )
    return (
        f"it may write any element of '{access.array}', so that the owner of what it writes is "
        "not known"
    )


def require_arrays(scops: Sequence[Scop], names: Sequence[str]) -> None:
    """Raises `OptionError` for a name that no array of the scops has."""
    known = [name for scop in scops for name in scop.arrays]
    for name in names:
        if name not in known:
            raise OptionError(f"replicate: there is no array '{name}'{nearest(name, known)}")


def require_instances(scop: Scop) -> None:
    """Raises `NotDistributedError` if no statement ever runs."""
    if scop.domain.intersect_params(scop.context).is_empty():
        raise _refusal(scop.op, "it has no iteration")


def require_parallel_loops(
    scop: Scop, phases: Sequence[Phase], reasons: Sequence[str] = ()
) -> None:
    """There is something to divide; raises `NotDistributedError` if one rank would run all.

    Nor may the order of the updates of a reduction decide which rank runs them, for no rank has
    all of them then. `reasons` say why loops that carry reductions are not divided.
    """
    if not any(phase.is_divided for phase in phases):
        why = "; ".join(
            ["no loop of its schedule is parallel, so that one rank would run all", *reasons]
        )
        raise _refusal(scop.op, why)
    for name in _divided_reductions(scop, phases):
        raise _refusal(
            scop.op, f"the updates of '{name}' by a reduction would be divided among ranks"
        )


def _divided_reductions(scop: Scop, phases: Sequence[Phase]) -> Iterator[str]:
    """The arrays that are updated in several places of one step of a phase."""
    known = scop.dependences
    if known is None or not known.reductions:
        return
    when = reduce(isl.UnionMap.union, (_dates(phase, phase.step) for phase in phases))
    where = reduce(isl.UnionMap.union, (_dates(phase, phase.place) for phase in phases))
    together, in_one_place = (each.apply_range(each.reverse()) for each in (when, where))
    for each in known.reductions:
        inside = isl.UnionMap.from_map(each.relation).intersect(together)
        if not inside.is_subset(in_one_place):
            yield each.array


def _dates(phase: Phase, values: isl.UnionMap) -> isl.UnionMap:
    """`{ S[i] -> P[x] }`, P the name of the phase."""
    names = isl.UnionSet(f"{{ {phase.name}[] }}")
    named = isl.UnionMap.from_domain_and_range(phase.domain, names)
    return values.range_product(named)


def _named(memory: SSAValue) -> str:
    return f"'%{memory.name_hint}'" if memory.name_hint else f"of type '{memory.type}'"


def _refusal(op: Operation, reason: str) -> NotDistributedError:
    return NotDistributedError(
        f"the static control part is not distributed: {reason}", location_of(op)
    )
