"""What becomes of each value of a function in C: decided here, before anything is written.

A value is dropped, or it is part of the expression that uses it, or it is a `const` local where it
is defined. The translation to C follows this plan and decides nothing.

A value that is used once, in its own block, is folded into the statement that uses it, unless an
operation in between may write to memory that the value is loaded from. So a load never moves
across a store to the same array. Arrays that are different arguments or allocations do not
overlap.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from types import MappingProxyType

from xdsl.dialects import affine, arith, func, memref, omp, scf
from xdsl.dialects.builtin import AffineMapAttr, IntegerType, MemRefType, VectorType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr, AffineSymExpr

from polyir.dialects.affine_extra import MaxOp, PrefetchOp
from polyir.dialects.affine_semantics import REDUCTION_KINDS
from polyir.dialects.allocation_checks import ThreadCountOp
from polyir.dialects.memory_extra import PrefetchOp as MemoryPrefetchOp
from polyir.dialects.pure_functions import is_pure_call
from polyir.model.affine_bounds import counter_bounds
from polyir.model.memory_accesses import ElementStore, accesses_of
from polyir.model.raising.effects import base_of
from polyir.target.abi import Scalar, scalar_type
from polyir.target.c.affine import occurrences, set_sides
from polyir.target.c.operations import is_computation
from polyir.target.c.signs import nonnegative_values
from polyir.target.c.thread_numbers import is_thread_number
from polyir.target.errors import operation_name


@dataclass(frozen=True)
class Plan:
    """How the values of a function are written.

    `live` are the values that something depends on, and the arrays they are loaded from. `folded`
    are those of them that are part of an expression, or nothing but a name or a literal. Live
    results of computations that are not folded become `const` locals. `nonnegative` are values of
    type index that cannot be negative. `first_stores` are the stores at which a scalar in local
    memory is declared, with its allocation.
    """

    live: frozenset[SSAValue]
    folded: frozenset[SSAValue]
    nonnegative: frozenset[SSAValue]
    first_stores: Mapping[Operation, Operation]

    def drops(self, op: Operation) -> bool:
        """Whether nothing depends on an operation."""
        return is_droppable(op) and not any(result in self.live for result in op.results)


def plan_function(body: Block | None) -> Plan:
    """The plan for a function with this body, which is not changed."""
    if body is None:
        return Plan(frozenset(), frozenset(), frozenset(), {})
    uses = {op: tuple(_uses(op)) for op in body.walk()}
    live = _live_values(uses)
    folding = _Folding(live, uses)
    for op in uses:
        if not (is_droppable(op) and not any(result in live for result in op.results)):
            folding.count(op)
    folding.visit(body)
    return Plan(
        frozenset(live),
        frozenset(folding.folded),
        frozenset(nonnegative_values(uses)),
        MappingProxyType(dict(_first_stores(uses))),
    )


def is_on_vectors(op: Operation) -> bool:
    """Whether an operation computes with vectors, or loads or stores one."""
    name = operation_name(op)
    if name.startswith(("arith.", "math.")):
        return any(isinstance(value.type, VectorType) for value in op.results)
    return name.startswith(("vector.", "affine.vector_"))


_VECTOR_EFFECTS = (
    "affine.vector_store",
    "vector.store",
    "vector.maskedstore",
    "vector.scatter",
    "vector.compressstore",
    "vector.transfer_write",
    "vector.print",
    "vector.mask",
    "vector.yield",
)


def is_droppable(op: Operation) -> bool:
    """Whether an operation has no effect but its results."""
    return (
        is_computation(op)
        or is_pure_call(op)
        or (is_on_vectors(op) and operation_name(op) not in _VECTOR_EFFECTS)
        or is_thread_number(op)
        or op.name in _WITHOUT_EFFECT
    )


# Sets of names: every operation is asked, and classes of xDSL take long to compare.
_WITHOUT_EFFECT = frozenset(
    kind.name
    for kind in (
        affine.ApplyOp,
        affine.LoadOp,
        affine.MinOp,
        MaxOp,
        memref.CastOp,
        memref.DimOp,
        memref.GetGlobalOp,
        memref.LoadOp,
        memref.ReinterpretCastOp,
        memref.ViewOp,
        ThreadCountOp,
    )
)

# ------------------------------------------------------------------------------------ uses


class _Use(Enum):
    """How an operation evaluates the expression of an operand."""

    ONCE = auto()
    REPEATED = auto()
    """Any number of times, also none: the expression must not load from memory."""
    NAMED = auto()
    """As a name or a literal only."""


_Uses = Iterator[tuple[SSAValue, _Use]]
_UsesByOperation = Mapping[Operation, Sequence[tuple[SSAValue, _Use]]]
"""What each operation of a function uses, in the order of the operations."""


def _uses(op: Operation) -> _Uses:
    """The operands that an operation's results and effects depend on.

    A value that a loop carries, or that a branch yields, is not among them: see `_passed`. Nor is
    an operand that an affine map ignores.
    """
    if op.name not in _WITH_SPECIAL_USES:
        yield from ((operand, _Use.ONCE) for operand in op.operands)
        return
    match op:
        case arith.SelectOp():
            yield op.cond, _Use.ONCE
            # What is loaded for a selection is loaded whatever it selects.
            yield op.lhs, _Use.REPEATED
            yield op.rhs, _Use.REPEATED
        case arith.MinSIOp() | arith.MaxSIOp():
            # They are conditional expressions, which have each operand twice.
            use = _Use.NAMED if isinstance(op.result.type, IntegerType) else _Use.ONCE
            yield from ((operand, use) for operand in op.operands)
        case affine.IfOp():
            set = op.condition.data
            yield from _occurring(set_sides(set), set.num_dims, op.args, _Use.REPEATED)
        case affine.ForOp() | affine.ParallelOp():
            for each in counter_bounds(op):
                for map, operands in (each.lower, each.upper):
                    yield from _occurring(map.results, map.num_dims, operands, _Use.REPEATED)
        case affine.LoadOp() | affine.VectorLoadOp() | affine.StoreOp() | affine.VectorStoreOp():
            others = len(op.operands) - len(op.indices)
            yield from ((operand, _Use.ONCE) for operand in op.operands[:others])
            yield from _of_map(op.map, op.indices, _Use.ONCE)
        case affine.ApplyOp() | affine.MinOp() | MaxOp():
            yield from _of_map(op.map, op.operands, _Use.ONCE)
        case memref.AtomicRMWOp():
            # The least and the greatest value are conditional expressions.
            yield op.value, _Use.NAMED if op.kind.value.data in _CONDITIONAL else _Use.ONCE
            yield from ((operand, _Use.ONCE) for operand in op.operands[1:])
        case scf.ForOp():
            yield from ((bound, _Use.REPEATED) for bound in (op.lb, op.ub, op.step))
        case scf.ParallelOp():
            bounds = (*op.lowerBound, *op.upperBound, *op.step)
            yield from ((bound, _Use.REPEATED) for bound in bounds)
        case omp.LoopNestOp():
            yield from ((bound, _Use.REPEATED) for bound in op.operands)
        case memref.AllocOp() | memref.AllocaOp():
            yield from ((size, _Use.NAMED) for size in op.dynamic_sizes)
        case PrefetchOp():
            pass
        case _ if not _ends_carrier(op):
            yield from ((operand, _Use.ONCE) for operand in op.operands)
        case _:
            pass


_WITH_SPECIAL_USES = frozenset(
    kind.name
    for kind in (
        arith.SelectOp,
        arith.MinSIOp,
        arith.MaxSIOp,
        affine.IfOp,
        affine.ForOp,
        affine.ParallelOp,
        affine.LoadOp,
        affine.VectorLoadOp,
        affine.StoreOp,
        affine.VectorStoreOp,
        affine.ApplyOp,
        affine.MinOp,
        MaxOp,
        affine.YieldOp,
        scf.ForOp,
        scf.ParallelOp,
        scf.ReduceOp,
        scf.ReduceReturnOp,
        scf.YieldOp,
        omp.LoopNestOp,
        memref.AllocOp,
        memref.AllocaOp,
        memref.AtomicRMWOp,
        PrefetchOp,
    )
)

_CONDITIONAL = tuple(map(REDUCTION_KINDS.index, ("maxs", "mins")))


def _of_map(attribute: AffineMapAttr, operands: Sequence[SSAValue], use: _Use) -> _Uses:
    return _occurring(attribute.data.results, attribute.data.num_dims, operands, use)


def _occurring(
    expressions: Sequence[AffineExpr], num_dims: int, operands: Sequence[SSAValue], use: _Use
) -> _Uses:
    """The operands that occur in `expressions`, as often as they occur."""
    counts = occurrences(expressions, num_dims)
    for position, operand in enumerate(operands):
        for _ in range(counts.get(position, 0)):
            yield operand, use


_Carrier = affine.ForOp | affine.IfOp | affine.ParallelOp | scf.ForOp | scf.IfOp


def _ends_carrier(op: Operation) -> bool:
    """Whether an operation passes its operands to results of the operations around it."""
    if isinstance(op, scf.ReduceOp | scf.ReduceReturnOp):
        return True
    return isinstance(op, affine.YieldOp | scf.YieldOp) and isinstance(op.parent_op(), _Carrier)


def _passed(op: Operation) -> Iterator[tuple[SSAValue, SSAValue, _Use]]:
    """The values that an operation passes on: the result that takes one, the value, its use."""
    if op.name not in _PASSING:
        return
    match op:
        case affine.ForOp():
            yield from ((*pair, _Use.ONCE) for pair in zip(op.results, op.inits, strict=True))
        case scf.ForOp():
            yield from ((*pair, _Use.ONCE) for pair in zip(op.results, op.iter_args, strict=True))
        case scf.ParallelOp():
            yield from ((*pair, _Use.ONCE) for pair in zip(op.results, op.initVals, strict=True))
        case scf.ReduceOp():
            parent = op.parent_op()
            assert parent is not None
            yield from ((*pair, _Use.NAMED) for pair in zip(parent.results, op.args, strict=True))
        case scf.ReduceReturnOp():
            yield _reduced(op.parent_block()), op.result, _Use.ONCE
        case _ if _ends_carrier(op):
            parent = op.parent_op()
            assert parent is not None
            yield from (
                (*pair, _Use.ONCE) for pair in zip(parent.results, op.operands, strict=True)
            )
        case _:
            pass


_PASSING = frozenset(
    kind.name
    for kind in (
        affine.ForOp,
        affine.YieldOp,
        scf.ForOp,
        scf.ParallelOp,
        scf.ReduceOp,
        scf.ReduceReturnOp,
        scf.YieldOp,
    )
)


def _reduced(block: Block | None) -> SSAValue:
    """The result of the `scf.parallel` that a block of its `scf.reduce` combines values for."""
    reduce = block.parent_op() if block is not None else None
    assert isinstance(reduce, scf.ReduceOp)
    parallel = reduce.parent_op()
    assert parallel is not None
    number = next(n for n, region in enumerate(reduce.reductions) if region.block is block)
    return parallel.results[number]


def _carried_arguments(op: Operation) -> Iterator[tuple[SSAValue, SSAValue]]:
    """Block arguments that live and die with a result: the argument and the result."""
    if op.name not in _PASSING:
        return
    match op:
        case affine.ForOp() | scf.ForOp():
            yield from zip(op.body.block.args[1:], op.results, strict=True)
        case scf.ReduceOp():
            for region in op.reductions:
                result = _reduced(region.block)
                yield from ((argument, result) for argument in region.block.args)
        case _:
            pass


def _live_values(uses: _UsesByOperation) -> dict[SSAValue, None]:
    """The values that effects depend on, found backwards from the effects."""
    sources: dict[SSAValue, list[SSAValue]] = {}
    work: list[SSAValue] = []
    for op, used in uses.items():
        operands = [value for value, _ in used]
        if is_droppable(op):
            for result in op.results:
                sources.setdefault(result, []).extend(operands)
        else:
            work += operands
        for target, value, _ in _passed(op):
            sources.setdefault(target, []).append(value)
        for argument, carrier in _carried_arguments(op):
            sources.setdefault(argument, []).append(carrier)
    live: dict[SSAValue, None] = {}
    while work:
        value = work.pop()
        if value not in live:
            live[value] = None
            work += sources.get(value, ())
    return live


# ------------------------------------------------------------------------------------ folding

_Memory = SSAValue | str
"""An array: the argument or allocation that it is, or the symbol of a global."""


@dataclass
class _Folding:
    """Finds the values that are folded.

    `users` are the operations that use a value, once for each use; a value that is nothing but
    another one is used as that one.
    """

    live: dict[SSAValue, None]
    uses: _UsesByOperation
    users: dict[SSAValue, list[Operation]] = field(default_factory=dict)
    folded: dict[SSAValue, None] = field(default_factory=dict)

    def count(self, op: Operation) -> None:
        """Count the uses of an operation that is not dropped."""
        if _is_free(op):
            return
        for value, _ in self._all_uses(op):
            self.users.setdefault(_source(value), []).append(op)

    def _all_uses(self, op: Operation) -> _Uses:
        yield from self.uses[op]
        for target, value, use in _passed(op):
            if target in self.live:
                yield value, use

    def visit(self, block: Block) -> None:
        """Decide about the values of a block, and of those inside it."""
        # Values that may still be folded, and the arrays that their expressions load from.
        waiting: dict[SSAValue, dict[_Memory, None]] = {}
        for op in block.ops:
            if is_droppable(op) and not any(result in self.live for result in op.results):
                continue
            if _is_free(op):
                self.folded[op.results[0]] = None
                continue
            loaded: dict[_Memory, None] = {}
            for access in accesses_of(op):
                if not access.is_write:
                    loaded[_memory(access.memref)] = None
            for value, use in self._all_uses(op):
                arrays = waiting.pop(_source(value), None)
                if arrays is None or use is _Use.NAMED or (arrays and use is _Use.REPEATED):
                    continue
                self.folded[_source(value)] = None
                loaded |= arrays
            if waiting and (op.regions or not is_droppable(op)):
                _remove_overwritten(waiting, op)
            for region in op.regions:
                for inner in region.blocks:
                    self.visit(inner)
            if is_thread_number(op):
                # It has another type where it is read, and its local has the type of an index.
                continue
            if is_droppable(op) and self._is_used_once_in(op.results[0], block):
                waiting[op.results[0]] = loaded

    def _is_used_once_in(self, value: SSAValue, block: Block) -> bool:
        users = self.users.get(value, [])
        return len(users) == 1 and users[0].parent is block


def _remove_overwritten(waiting: dict[SSAValue, dict[_Memory, None]], op: Operation) -> None:
    """Remove what is loaded from arrays that `op`, or an operation in it, may write to."""
    written: dict[_Memory, None] = {}
    writes_anything = False
    for inner in op.walk():
        if is_droppable(inner) or isinstance(inner, PrefetchOp | MemoryPrefetchOp):
            continue
        # At a barrier, the other threads have written what they write before it; an atomic
        # operation may be how a thread finds out that they have.
        is_barrier = operation_name(inner) in ("gpu.barrier", "memref.atomic_rmw")
        writes_anything = writes_anything or is_barrier or isinstance(inner, func.CallOp)
        operands = (inner.destination,) if isinstance(inner, memref.CopyOp) else inner.operands
        for operand in operands:
            if isinstance(operand.type, MemRefType):
                written[_memory(operand)] = None
    for value, arrays in tuple(waiting.items()):
        if arrays and (writes_anything or any(array in written for array in arrays)):
            del waiting[value]


def _memory(value: SSAValue) -> _Memory:
    """The array that a memref is, whatever its type says of it."""
    base = base_of(value)
    return value if base is None else base


# ------------------------------------------------------------------------------------ free values

_CONVERSIONS = (
    "arith.bitcast",
    "arith.index_cast",
    "arith.index_castui",
    "index.casts",
    "index.castu",
)


_MAYBE_FREE = frozenset(
    (
        *_CONVERSIONS,
        *(
            kind.name
            for kind in (arith.ConstantOp, memref.DimOp, affine.ApplyOp, affine.MinOp, MaxOp)
        ),
    )
)


def _is_free(op: Operation) -> bool:
    """Whether the result is a literal, a size, or another value under a new name."""
    if operation_name(op) not in _MAYBE_FREE:
        return False
    if isinstance(op, arith.ConstantOp | memref.DimOp):
        return not is_on_vectors(op)
    if isinstance(op, affine.ApplyOp | affine.MinOp | MaxOp):
        results = op.map.data.results
        return len(results) == 1 and isinstance(
            results[0], AffineConstantExpr | AffineDimExpr | AffineSymExpr
        )
    if is_on_vectors(op):
        return False
    type = scalar_type(op.results[0].type, op)
    return type is scalar_type(op.operands[0].type, op) and type is not Scalar.BOOL


def _source(value: SSAValue) -> SSAValue:
    """The value that `value` is, where free operations only give it a new name."""
    op = value.owner
    while isinstance(op, Operation) and _is_free(op):
        if isinstance(op, affine.ApplyOp | affine.MinOp | MaxOp):
            operands = [operand for operand, _ in _uses(op)]
        else:
            operands = [] if isinstance(op, arith.ConstantOp | memref.DimOp) else [op.operands[0]]
        if not operands:
            break
        value = operands[0]
        op = value.owner
    return value


# ------------------------------------------------------------------------------------ declarations


def _first_stores(ops: Iterable[Operation]) -> Iterator[tuple[Operation, Operation]]:
    """The store that comes before all other uses of a scalar, beside its allocation; and that."""
    for op in ops:
        if isinstance(op, memref.AllocaOp) and not op.memref.type.get_shape():
            users = {use.operation: None for use in op.memref.uses}
            first = op.next_op
            while first is not None and not any(inner in users for inner in first.walk()):
                first = first.next_op
            if isinstance(first, ElementStore) and first.memref is op.memref:
                yield first, op
