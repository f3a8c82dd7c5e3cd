"""Maximal runs of operations that the polyhedral model describes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import affine, func, memref, scf
from xdsl.dialects.builtin import (
    AnyFloat,
    ComplexType,
    IndexType,
    IntegerType,
    UnregisteredOp,
    VectorType,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.traits import IsTerminator

from polyir.dialects.reductions import combination_of, neutral_element
from polyir.dialects.scop import ScopOp
from polyir.model.affine import NotAffineError
from polyir.model.affine_operations import has_undefined_division, is_semi_affine
from polyir.model.memory_accesses import accesses_in, accesses_of
from polyir.model.raising.control import (
    LOOPS,
    LoopOp,
    blocks_of,
    bounds_of,
    condition_of,
    is_control,
)
from polyir.model.raising.effects import (
    ALLOCATIONS,
    is_pure,
    is_same_memref,
    makes_memref,
    may_overlap,
    stores_or_carries,
)
from polyir.model.raising.parameters import ParameterFinder


@dataclass(frozen=True)
class Left:
    """An operation that was not raised, and the reason, as a message for the user."""

    operation: Operation
    reason: str


@dataclass(frozen=True)
class Runs:
    """The maximal runs of a function in program order, and the operations that are in none.

    A run is a sequence of consecutive operations of one block; its first and its last operation
    store to memory, and so does some loop in it.
    """

    runs: tuple[tuple[Operation, ...], ...]
    left: tuple[Left, ...]


def find_runs(function: func.FuncOp, data_loops: bool = False) -> Runs:
    """The maximal static control parts of `function`.

    With `data_loops`, loops inside of others may have bounds that come out of memory.
    """
    runs: list[tuple[Operation, ...]] = []
    left: dict[Operation, Left] = {}
    for block in function.body.blocks:
        _BlockScan(runs, left, data_loops).scan(block)
    return Runs(tuple(runs), tuple(left.values()))


class _UnsupportedError(Exception):
    """Why an operation cannot be part of a run; `culprit` is it, or something inside it."""

    def __init__(self, culprit: Operation, reason: str) -> None:
        super().__init__(reason)
        self.culprit = culprit
        self.reason = reason


class _BlockScan:
    """Collects the runs of one block, and of blocks inside operations that no run can contain."""

    def __init__(
        self, runs: list[tuple[Operation, ...]], left: dict[Operation, Left], data_loops: bool
    ) -> None:
        self._runs = runs
        self._left = left
        self._data_loops = data_loops
        self._current: list[Operation] = []
        self._memrefs: dict[SSAValue, bool] = {}

    def scan(self, block: Block) -> None:
        for op in block.ops:
            self._visit(op)
        self._close()

    def _visit(self, op: Operation) -> None:
        obstacle = self._obstacle(op)
        if obstacle is not None and self._current:
            # What is computed before may be a parameter when it is not part of the run.
            self._close()
            obstacle = self._obstacle(op)
        if obstacle is None:
            if self._current or stores_or_carries(op):
                self._current.append(op)
                self._memrefs = self._memrefs_with(op)
            return
        if isinstance(op, ScopOp):
            return
        if not _is_silent(op):
            # What is around an obstacle has been named; what is inside fails for the same.
            self._left.setdefault(obstacle.culprit, Left(op, obstacle.reason))
        for block in blocks_of(op):
            _BlockScan(self._runs, self._left, self._data_loops).scan(block)

    def _close(self) -> None:
        """End the current run; keep it if a loop in it stores."""
        while self._current and not stores_or_carries(self._current[-1]):
            self._current.pop()
        if any(_has_storing_loop(op) for op in self._current):
            self._runs.append(tuple(self._current))
        self._current = []
        self._memrefs = {}

    def _obstacle(self, op: Operation) -> _UnsupportedError | None:
        """Why `op` cannot join the current run; `None` if it can."""
        try:
            check_run([*self._current, op], self._data_loops)
            self._check_overlap(op)
        except _UnsupportedError as unsupported:
            return unsupported
        return None

    def _memrefs_with(self, op: Operation) -> dict[SSAValue, bool]:
        """The memrefs of the run with `op`, and whether it writes them."""
        memrefs = dict(self._memrefs)
        for access in accesses_in(op):
            memrefs[access.memref] = access.is_write or memrefs.get(access.memref, False)
        return memrefs

    def _check_overlap(self, op: Operation) -> None:
        """Refuse an operation if one of its memrefs may share memory with another of the run."""
        memrefs = self._memrefs_with(op)
        own = {access.memref: memrefs[access.memref] for access in accesses_in(op)}
        for value, written in memrefs.items():
            for other, other_written in own.items():
                if is_same_memref(value, other) or not (written or other_written):
                    continue
                if may_overlap(value, other):
                    names = f"{_named(value)} and {_named(other)}"
                    raise _UnsupportedError(op, f"{names} may be views of the same memory")


def check_run(operations: Sequence[Operation], data_loops: bool = False) -> None:
    """Raise `_UnsupportedError` if the last of `operations` cannot be in a run with the others.

    `data_loops` is as in `find_runs`.
    """
    finder = ParameterFinder(operations)
    op = operations[-1]
    if op.has_trait(IsTerminator):
        raise _UnsupportedError(op, "the block ends")
    _RunCheck(finder, data_loops).check(op, inside_loop=False)


class _RunCheck:
    """Checks one operation of a run and what is inside it."""

    def __init__(self, finder: ParameterFinder, data_loops: bool) -> None:
        self._finder = finder
        self._data_loops = data_loops

    def check(self, op: Operation, inside_loop: bool) -> None:
        match op:
            case affine.ForOp() | affine.ParallelOp() | scf.ForOp() | scf.ParallelOp():
                self._check_loop(op, inside_loop)
            case affine.IfOp() | scf.IfOp():
                self._check_conditional(op, inside_loop)
            case scf.WhileOp() if self._data_loops and inside_loop:
                for block in blocks_of(op):
                    _check_data_block(block)
            case memref.AllocOp() | memref.AllocaOp():
                if not all(self._finder.is_invariant(operand) for operand in op.operands):
                    raise _UnsupportedError(op, f"the size of `{op.name}` changes within the nest")
            case memref.DeallocOp() if inside_loop:
                if not self._finder.is_inside(op.memref):
                    raise _UnsupportedError(
                        op, "`memref.dealloc` in a loop frees memory that is allocated outside"
                    )
            case scf.ReduceOp():
                for block in blocks_of(op):
                    self._check_block(block, inside_loop)
            case affine.YieldOp() | scf.YieldOp() | scf.ReduceReturnOp():
                pass
            case _:
                _check_simple(op)

    def _check_block(self, block: Block, inside_loop: bool) -> None:
        for op in block.ops:
            self.check(op, inside_loop)

    def _check_loop(self, loop: LoopOp, inside_loop: bool) -> None:
        if isinstance(loop, affine.ParallelOp):
            for kind, result in zip(loop.reductions, loop.results, strict=True):
                if not (combination_of(kind.data) and neutral_element(kind.data, result.type)):
                    reason = f"`{loop.name}` with a reduction '{kind.data}'"
                    raise _UnsupportedError(loop, reason)
        _check_carried(loop)
        try:
            bounds_of(loop, self._finder.reader)
        except NotAffineError as error:
            if self._data_loops and inside_loop and isinstance(loop, scf.ForOp):
                _check_data_block(loop.body.block)
                return
            raise _UnsupportedError(
                loop, f"a bound of `{loop.name}` is not affine: {error}"
            ) from error
        self._check_block(loop.body.block, inside_loop=True)

    def _check_conditional(self, conditional: affine.IfOp | scf.IfOp, inside_loop: bool) -> None:
        if isinstance(conditional, affine.IfOp):
            try:
                condition_of(conditional, self._finder.reader)
            except NotAffineError as error:
                raise _UnsupportedError(
                    conditional, f"the condition is not affine: {error}"
                ) from error
        elif not is_control(conditional, self._finder.reader):
            check = _check_data_block if self._data_loops and inside_loop else _check_data_branch
            for block in blocks_of(conditional):
                check(block)
            return
        _check_carried(conditional)
        for block in blocks_of(conditional):
            self._check_block(block, inside_loop)


def _check_data_branch(block: Block) -> None:
    """A branch that depends on data is part of a statement: it has no loops or allocations."""
    for op in block.ops:
        if isinstance(op, LOOPS):
            raise _UnsupportedError(op, "a loop inside an `scf.if` on data")
        if isinstance(op, scf.IfOp):
            for inner in blocks_of(op):
                _check_data_branch(inner)
        elif not isinstance(op, scf.YieldOp):
            _check_simple(op)


def _check_data_block(block: Block) -> None:
    """A loop whose bounds are data is part of a statement, with the loops and branches in it."""
    for op in block.ops:
        if isinstance(op, affine.ForOp | affine.IfOp | scf.ForOp | scf.IfOp | scf.WhileOp):
            for inner in blocks_of(op):
                _check_data_block(inner)
        elif isinstance(op, LOOPS + ALLOCATIONS):
            raise _UnsupportedError(op, f"`{op.name}` inside a loop whose bounds are not affine")
        elif not isinstance(op, scf.YieldOp | scf.ConditionOp):
            _check_simple(op)


def _check_simple(op: Operation) -> None:
    """Only loads, stores and pure operations, with maps that are affine."""
    if has_undefined_division(op):
        raise _UnsupportedError(op, f"`{op.name}` divides by zero or by a negative number")
    if is_semi_affine(op):
        raise _UnsupportedError(
            op, f"the map of `{op.name}` is semi-affine: a product of variables, or division by one"
        )
    if accesses_of(op):
        return
    if isinstance(op, func.CallOp) and not is_pure(op):
        raise _UnsupportedError(
            op, f"`func.call` to @{op.callee.root_reference.data} may touch memory"
        )
    if makes_memref(op) and not isinstance(op, memref.GetGlobalOp):
        raise _UnsupportedError(op, f"`{op.name}` creates a memref inside the nest")
    if not is_pure(op):
        name = op.op_name.data if isinstance(op, UnregisteredOp) else op.name
        raise _UnsupportedError(op, f"`{name}` may touch memory")


def _check_carried(op: Operation) -> None:
    """Values that loops carry and conditionals yield must be valid elements of a memref."""
    for result in op.results:
        if not _fits_memref(result.type):
            raise _UnsupportedError(op, f"`{op.name}` carries a value of type {result.type}")


def _fits_memref(type: Attribute) -> bool:
    return isinstance(type, AnyFloat | IntegerType | IndexType | VectorType | ComplexType)


def _has_storing_loop(op: Operation) -> bool:
    return any(isinstance(inner, LOOPS) and stores_or_carries(inner) for inner in op.walk())


def _is_silent(op: Operation) -> bool:
    """Whether `op` always ends a run."""
    return (
        op.has_trait(IsTerminator)
        or isinstance(op, (memref.DeallocOp, *ALLOCATIONS))
        or (is_pure(op) and makes_memref(op))
    )


def _named(value: SSAValue) -> str:
    return "a memref" if value.name_hint is None else f"%{value.name_hint}"
