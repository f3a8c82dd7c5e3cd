"""Values that are computed once instead of several times.

Statements of a scop that depend on one value of the source have a copy each of what computes it.
Where the copies are in one iteration, the later ones give way to the first.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field

from xdsl.dialects import affine, arith, func, memref, scf
from xdsl.dialects.builtin import IndexType, MemRefType
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter
from xdsl.traits import IsTerminator

from polyir.base.diagnostics import source_location
from polyir.model.raising.effects import ALLOCATIONS, LOADS, STORES, LoadOp, is_pure, may_overlap


def share_values(operations: Iterable[Operation]) -> None:
    """Compute once what `operations` of one block, and those inside them, compute twice.

    Loads, conversions and sums of indices that are used once stay, as they cost little, and the
    code looks as it did; not if they are copies of one operation of the source whose result has a
    name. Local scalars in memory are removed if all that is loaded from them has just been stored.
    """
    found = _Found()
    _visit(operations, _Known(found))
    # Backwards, users come before what they use.
    for value in reversed(tuple(found.equal)):
        if value.first_use is None and isinstance(value.owner, Operation):
            Rewriter.erase_op(value.owner)
    for scalar in found.scalars:
        users = {use.operation: None for use in scalar.uses}
        loads = [user for user in users if isinstance(user, LOADS)]
        if not all(load.results[0] in found.equal for load in loads):
            continue
        for load in loads:
            load.results[0].replace_all_uses_with(found.equal[load.results[0]])
        for op in (*users, scalar.owner):
            assert isinstance(op, Operation)
            Rewriter.erase_op(op)


_Key = tuple[Hashable, ...]

_APART = (affine.ParallelOp, scf.ParallelOp, func.FuncOp)


@dataclass
class _Found:
    """What is found out about all places.

    `equal` has the values that are equal to an earlier one, which they lead to; `scalars` are those
    in local memory that are stored to.
    """

    equal: dict[SSAValue, SSAValue] = field(default_factory=dict)
    scalars: dict[SSAValue, None] = field(default_factory=dict)


@dataclass
class _Known:
    """What has been computed at some place: operations, by what they compute.

    `stored` has the values of local scalars in memory.
    """

    found: _Found
    pure: dict[_Key, Operation] = field(default_factory=dict)
    loads: dict[_Key, LoadOp] = field(default_factory=dict)
    stored: dict[SSAValue, SSAValue] = field(default_factory=dict)

    def inside(self, op: Operation) -> _Known:
        """The same for a place inside `op`; what is found out there is not known after it."""
        # What is outside of parallel code would be passed to it.
        if isinstance(op, _APART) or op.name.startswith(("gpu.", "omp.")):
            return _Known(self.found)
        return _Known(self.found, dict(self.pure), dict(self.loads), dict(self.stored))

    def share(self, op: Operation) -> None:
        """Let an earlier operation that computes the same take the place of `op`."""
        if isinstance(op, LOADS) and op.memref in self.stored:
            self.found.equal[op.results[0]] = self.stored[op.memref]
            return
        attributes = tuple(sorted((*op.properties.items(), *op.attributes.items()), key=_name))
        operands = tuple(self.found.equal.get(operand, operand) for operand in op.operands)
        key = (op.name, attributes, operands, op.results[0].type)
        first: Operation
        if isinstance(op, LOADS):
            first = self.loads.setdefault(key, op)
        else:
            first = self.pure.setdefault(key, op)
        if first is op:
            return
        if _is_cheap(op) and not _are_copies(first, op):
            self.found.equal[op.results[0]] = first.results[0]
            return
        op.results[0].replace_all_uses_with(first.results[0])
        Rewriter.erase_op(op)

    def forget_overwritten(self, op: Operation) -> None:
        """Forget what is in memory that `op`, or an operation in it, may write to."""
        for inner in op.walk() if self.loads or self.stored else ():
            if inner.regions or isinstance(inner, (*LOADS, *ALLOCATIONS)) or is_pure(inner):
                continue
            memory = [each for each in inner.operands if isinstance(each.type, MemRefType)]
            is_any = not (memory or inner.has_trait(IsTerminator))
            # An atomic update may be how a thread knows what others have written.
            if is_any or isinstance(inner, func.CallOp | memref.AtomicRMWOp):
                self.loads.clear()
                self.stored.clear()
            for each in memory:
                self.stored.pop(each, None)
            for key, load in tuple(self.loads.items()):
                if any(may_overlap(load.memref, each) for each in memory):
                    del self.loads[key]

    def note_store(self, op: Operation) -> None:
        """Note what a local scalar in memory is from here on."""
        if isinstance(op, affine.StoreOp | memref.StoreOp) and _is_local_scalar(op.memref):
            self.stored[op.memref] = self.found.equal.get(op.value, op.value)
            self.found.scalars[op.memref] = None


def _is_local_scalar(value: SSAValue) -> bool:
    """Whether a memref is a scalar that is accessed by loads and stores only."""
    is_allocated = isinstance(value.owner, memref.AllocaOp) and not value.owner.memref.type.shape
    return is_allocated and all(isinstance(use.operation, (*LOADS, *STORES)) for use in value.uses)


def _name(pair: tuple[str, object]) -> str:
    return pair[0]


def _visit(operations: Iterable[Operation], known: _Known) -> None:
    for op in tuple(operations):
        if len(op.results) == 1 and (isinstance(op, LOADS) or is_pure(op)):
            known.share(op)
            continue
        known.forget_overwritten(op)
        known.note_store(op)
        for region in op.regions:
            for block in region.blocks:
                _visit(block.ops, known.inside(op))


_CONVERSIONS = (
    arith.ExtFOp,
    arith.ExtSIOp,
    arith.ExtUIOp,
    arith.FPToSIOp,
    arith.FPToUIOp,
    arith.IndexCastOp,
    arith.NegfOp,
    arith.SIToFPOp,
    arith.TruncFOp,
    arith.TruncIOp,
    arith.UIToFPOp,
)


def _is_cheap(op: Operation) -> bool:
    """Whether an operation is more readable, and no slower, where its only result is used."""
    (result,) = op.results
    if isinstance(op, arith.ConstantOp) or isinstance(result.type, MemRefType):
        return True
    is_sum = isinstance(op, arith.AddiOp | arith.SubiOp | arith.MuliOp)
    is_sum &= isinstance(result.type, IndexType)
    known = isinstance(op, (*LOADS, *_CONVERSIONS, arith.CmpiOp, affine.ApplyOp))
    return (is_sum or known) and len(tuple(result.uses)) == 1


def _are_copies(one: Operation, other: Operation) -> bool:
    """Whether two operations are made of one operation of the source whose result has a name."""
    if one.results[0].name_hint is None or isinstance(one, arith.ConstantOp | affine.ApplyOp):
        return False
    place = source_location(one.location)
    return place is not None and place == source_location(other.location)
