"""Allocations that are checked: where one fails, the original code runs.

All memory that a function needs is allocated before it writes to any other:

    %row = memref.alloc(%n) : memref<?xf64>
    affine.parallel (%i) = (0) to (symbol(%m)) {
      %column = memref.alloc(%n) : memref<?xf64>
      ...
      memref.dealloc %column : memref<?xf64>
    }
    memref.dealloc %row : memref<?xf64>

becomes, with an element in the first dimension for each thread,

    %row = memref.alloc(%n) : memref<?xf64>
    %threads = poly.thread_count
    %columns = memref.alloc(%threads, %n) : memref<?x?xf64>
    %holds = poly.allocated %row, %columns
    scf.if %holds {
      affine.parallel (%i) = (0) to (symbol(%m)) {
        %column = poly.thread_part %columns
        ...
      }
    } else {
      ... the original code
    }
    memref.dealloc %columns : memref<?x?xf64>
    memref.dealloc %row : memref<?xf64>
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from xdsl.dialects import affine, memref, scf
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    MemRefType,
    ModuleOp,
    UnitAttr,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import Rewriter

from polyir.base.walks import operations_in
from polyir.dialects.allocation_checks import (
    ORIGINAL,
    AllocatedOp,
    ThreadCountOp,
    ThreadPartOp,
)
from polyir.loops.versions import chosen_block
from polyir.model.raising.effects import is_pure, may_trap

Threads = Literal["none", "numbered", "unnumbered"]
"""What runs the iterations of parallel loops: one thread, or several, which have numbers or not."""

_PARALLEL: Final = frozenset(("affine.parallel", "scf.parallel", "omp.parallel", "omp.wsloop"))

_OF_DEVICES: Final = ("gpu.", "mpi.")
"""Functions with operations of these dialects report what fails there by themselves."""


def check_functions(module: ModuleOp, original: ModuleOp, threads: Threads) -> None:
    """Let functions run as in `original` where memory that they have been given is not there.

    Functions that `original` does not have stay as they are, and so do those that allocate nothing
    more.
    """
    functions = {op.sym_name.data: op for op in original.ops if isinstance(op, FuncOp)}
    for op in module.ops:
        if isinstance(op, FuncOp):
            before = functions.get(op.sym_name.data)
            if before is not None and _allocated_in(op) - _allocated_in(before):
                check_allocations(op, before, threads)


def _allocated_in(function: FuncOp) -> Counter[Attribute]:
    """The types of the arrays that a function allocates."""
    # A declaration has no blocks.
    operations = chosen_block(function).walk() if function.body.blocks else ()
    return Counter(op.memref.type for op in operations if isinstance(op, memref.AllocOp))


def check_allocations(function: FuncOp, original: FuncOp | None, threads: Threads) -> None:
    """Allocate what a function needs before it writes, and run the original code if that fails.

    Of two versions of a function, this is the one for large sizes. Without `original`, its code is
    no part of the module: an `scf.if` with the attribute `ORIGINAL` stands for it. An allocation
    stays where it is, without a check, if its size is not known before the function writes, or if
    it is one in each iteration of a loop that runs on threads without numbers.
    """
    if len(function.body.blocks) != 1 or not _may_be_checked(function):
        return
    if original is not None and not _fits(original, function):
        return
    found = list(_lifetimes(chosen_block(function)))
    if not found:
        return
    front = _Front(function)
    hoisted = [front.hoist(each, threads) for each in found]
    memories = [each for each in hoisted if each is not None]
    if memories:
        front.guard(memories, original)


def _may_be_checked(function: FuncOp) -> bool:
    """Whether a function runs on this machine alone, and has no checks yet."""
    return not any(
        op.name.startswith(_OF_DEVICES) or isinstance(op, AllocatedOp)
        for op in operations_in(function)
    )


def _fits(original: FuncOp, function: FuncOp) -> bool:
    """Whether the arguments of a function begin with those of the original, which has a body."""
    if len(original.body.blocks) != 1:
        return False
    old, new = original.function_type, function.function_type
    inputs = old.inputs.data
    return new.inputs.data[: len(inputs)] == inputs and new.outputs == old.outputs


@dataclass(frozen=True)
class _Lifetime:
    """What allocates an array, and what frees it, in one block."""

    allocation: memref.AllocOp
    free: memref.DeallocOp

    @property
    def parallel(self) -> Operation | None:
        """The outermost parallel loop around it."""
        found = None
        parent = self.allocation.parent_op()
        while parent is not None:
            found = parent if parent.name in _PARALLEL else found
            parent = parent.parent_op()
        return found


def _lifetimes(block: Block) -> Iterator[_Lifetime]:
    for op in block.walk():
        if isinstance(op, memref.AllocOp):
            users = [use.operation for use in op.memref.uses]
            frees = [user for user in users if isinstance(user, memref.DeallocOp)]
            if len(frees) == 1 and frees[0].parent is op.parent:
                yield _Lifetime(op, frees[0])


class _Front:
    """The operations at the start of a function that write to no memory but its own."""

    def __init__(self, function: FuncOp) -> None:
        self._arguments = function.body.block.args
        self._block = chosen_block(function)
        operations = list(self._block.ops)
        self._rest: list[Operation] = operations[:-1]
        """The others, without the terminator."""
        self._terminator = operations[-1]
        self._values: set[SSAValue] = set(self._arguments)
        if self._block is not function.body.block:
            # What is computed before the choice between versions, both may use.
            self._values.update(each for op in function.body.block.ops for each in op.results)
        self._operations: list[Operation] = []
        self._count: ThreadCountOp | None = None
        self._collect()

    def _collect(self) -> None:
        rest: list[Operation] = []
        for op in self._rest:
            # What reads memory comes first only if nothing has been written yet.
            is_early = _is_early(op) or (not rest and _only_reads(op))
            if is_early and all(operand in self._values for operand in op.operands):
                self._operations.append(op)
                self._values.update(op.results)
            else:
                rest.append(op)
        self._rest = rest

    def hoist(self, lifetime: _Lifetime, threads: Threads) -> SSAValue | None:
        """The memory, allocated in front; `None` if its size is not known there."""
        old, parallel = lifetime.allocation, lifetime.parallel
        if parallel is not None and threads == "unnumbered":
            return None
        sizes = list(old.dynamic_sizes)
        if not all(self._reach(size) for size in sizes):
            return None
        type = old.memref.type
        assert isinstance(type, MemRefType)
        shape = list(type.get_shape())
        name = old.memref.name_hint
        is_for_threads = parallel is not None and threads != "none"
        if is_for_threads:
            if self._count is None:
                self._count = ThreadCountOp()
                self._count.result.name_hint = "threads"
                self._operations.append(self._count)
            shape, sizes = [DYNAMIC_INDEX, *shape], [self._count.result, *sizes]
            name = f"{name or 'memory'}_by_thread"
        new = memref.AllocOp.get(
            type.element_type,
            None if old.alignment is None else old.alignment.value.data,
            shape,
            sizes,
            memory_space=type.memory_space,
        )
        new.location = old.location
        new.memref.name_hint = name
        self._operations.append(new)
        for op in (old, lifetime.free):
            if op in self._rest:
                self._rest.remove(op)
        Rewriter.erase_op(lifetime.free)
        if is_for_threads:
            Rewriter.replace_op(old, part := ThreadPartOp(new.memref, type))
            part.result.name_hint = old.memref.name_hint
        else:
            old.memref.replace_all_uses_with(new.memref)
            Rewriter.erase_op(old)
        return new.memref

    def _reach(self, value: SSAValue) -> bool:
        """Whether a value is known in front, where what computes it alone may move."""
        if value in self._values:
            return True
        op = value.owner
        if not isinstance(op, Operation) or not _is_early(op):
            return False
        if not all(self._reach(operand) for operand in op.operands):
            return False
        if op in self._rest:
            self._rest.remove(op)
        op.detach()
        self._operations.append(op)
        self._values.update(op.results)
        return True

    def guard(self, memories: Sequence[SSAValue], original: FuncOp | None) -> None:
        """Run the rest of the function if all memory is there, and `original` otherwise."""
        for op in (*self._operations, *self._rest):
            if op.parent is not None:
                op.detach()
        self._terminator.detach()
        then = Block(self._rest)
        passed = [
            each for each in dict.fromkeys(self._terminator.operands) if each not in self._values
        ]
        then.add_op(scf.YieldOp(*passed))
        allocated = AllocatedOp(memories)
        types: list[Attribute] = [each.type for each in passed]
        otherwise = Block()
        if original is None:
            otherwise.add_op(scf.YieldOp())
        else:
            self._add_original(otherwise, original, passed)
        guard = scf.IfOp(allocated.result, types, Region(then), Region(otherwise))
        guard.location = self._terminator.location
        if original is None:
            guard.attributes[ORIGINAL] = UnitAttr()
        results = dict(zip(passed, guard.results, strict=True))
        self._terminator.operands = [results.get(each, each) for each in self._terminator.operands]
        frees = [memref.DeallocOp.get(each) for each in reversed(memories)]
        for op in (*self._operations, allocated, guard, *frees, self._terminator):
            self._block.add_op(op)

    def _add_original(self, block: Block, original: FuncOp, passed: Sequence[SSAValue]) -> None:
        copy = original.body.clone()
        source = copy.block
        for old, new in zip(source.args, self._arguments, strict=False):
            old.replace_all_uses_with(new)
        end = source.last_op
        assert end is not None
        returned = dict(zip(self._terminator.operands, end.operands, strict=True))
        for op in tuple(source.ops):
            op.detach()
            if op is not end:
                block.add_op(op)
        block.add_op(scf.YieldOp(*(returned[each] for each in passed)))
        end.erase()


def _is_early(op: Operation) -> bool:
    """Whether an operation may run before all others that it does not need."""
    if isinstance(op, memref.AllocaOp | memref.GetGlobalOp):
        return True
    return is_pure(op) and not may_trap(op)


def _only_reads(op: Operation) -> bool:
    return isinstance(op, affine.LoadOp | memref.LoadOp) or (is_pure(op) and may_trap(op))
