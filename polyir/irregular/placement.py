"""Where an inspector runs: before the outermost loop that does not write what it reads."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import affine, func, scf
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from polyir.base.diagnostics import location_of
from polyir.irregular.loop_parts import Bounds, IrregularLoopError, bounds_before
from polyir.irregular.slices import AddressSlice, Values
from polyir.loops.code import Code
from polyir.loops.loop_forms import is_outside, range_of
from polyir.model.raising.effects import LOADS, is_pure, may_trap
from polyir.model.writes import first_write


class CannotMoveError(Exception):
    """Why an inspector cannot run before a loop, with the operation that prevents it."""

    def __init__(self, message: str, op: Operation) -> None:
        super().__init__(message)
        self.op = op


class BackwardSlice:
    """What values inside a loop, or a function, need of what is before it."""

    def __init__(self, around: Operation) -> None:
        self.found: dict[Operation, None] = {}
        self.sources: dict[SSAValue, None] = {}
        self._around = around

    def need(self, value: SSAValue) -> None:
        """Add the operations that compute a value, after those that it depends on."""
        if is_outside(value, self._around):
            self.sources[value] = None
            return
        owner = value.owner
        if isinstance(self._around, func.FuncOp) and owner is self._around.body.block:
            self.sources[value] = None
            return
        if isinstance(owner, Block):
            raise CannotMoveError("the subscripts depend on this loop", self._around)
        if owner in self.found:
            return
        if isinstance(owner, LOADS):
            self.require_unwritten(owner)
        elif not is_pure(owner):
            raise CannotMoveError(f"'{owner.name}' is needed for the subscripts", owner)
        for operand in owner.operands:
            self.need(operand)
        self.found[owner] = None

    def need_pure(self, values: Iterable[SSAValue]) -> None:
        """Add values; those that are not computed from arguments alone are sources themselves."""
        for value in values:
            mover = BackwardSlice(self._around)
            try:
                mover.need(value)
            except CannotMoveError:
                self.sources[value] = None
            else:
                self.found |= mover.found
                self.sources |= mover.sources

    def require_unwritten(self, load: Operation) -> None:
        """Raise if the loop around may write what `load` reads."""
        assert isinstance(load, LOADS)
        write = first_write(self._around, load.memref)
        if write is not None:
            name = load.memref.name_hint or "memory"
            raise CannotMoveError(f"the index array '{name}' may be written here", write)


@dataclass(frozen=True)
class Runs:
    """That what comes next is only run if a loop has an iteration, or if a condition holds.

    `values` are the lower and upper bound of the loop, or the condition.
    """

    values: tuple[SSAValue, SSAValue] | tuple[SSAValue]


@dataclass
class InspectorPlace:
    """The operation that an inspector runs before, and what it needs there.

    `prelude` are pure operations and loads that are after the place in the program, in their order,
    with the loops that they were moved out of, and `sources` the values that they and the slice
    take from before the place. `reason` says why the place is not further out, with the operation
    that prevents it.
    """

    before: Operation
    sources: dict[SSAValue, None]
    loads: list[Operation]
    prelude: list[Operation | Runs] = field(default_factory=list)
    reason: tuple[str, Operation] | None = None

    def move_out(self) -> bool:
        """Move before the loop or conditional around the place, if the inspector can run there."""
        around = self.before.parent_op()
        if around is None or isinstance(around, func.FuncOp):
            return False
        if not isinstance(around, affine.ForOp | scf.ForOp | scf.IfOp):
            self.reason = (f"it is in '{around.name}'", around)
            return False
        mover = BackwardSlice(around)
        try:
            for op in self.loads:
                mover.require_unwritten(op)
            for value in self.sources:
                mover.need(value)
            runs = _runs(around, self.before)
        except CannotMoveError as error:
            self.reason = (str(error), error.op)
            return False
        self.before, self.sources = around, mover.sources
        self.prelude = [*mover.found, *self.prelude]
        if runs is not None:
            self.prelude.insert(0, runs)
            self.sources |= dict.fromkeys(runs.values)
        self.loads += [op for op in mover.found if isinstance(op, LOADS)]
        return True


def _runs(around: affine.ForOp | scf.ForOp | scf.IfOp, inner: Operation) -> Runs | None:
    """When `inner` runs, which is in `around`; `None` for always."""
    if isinstance(around, scf.IfOp):
        if inner.parent_region() is not around.true_region:
            raise CannotMoveError("it is in the 'else' of a conditional", around)
        return Runs((around.cond,))
    if isinstance(around, scf.ForOp):
        return Runs((around.lb, around.ub))
    known = range_of(around)
    if known is None:
        raise CannotMoveError("the bounds of this loop are not affine", around)
    if len(known.lower) == len(known.upper) == 1:
        distance = known.upper[0] - known.lower[0]
        if distance.is_constant and distance.constant > 0:
            return None
    bounds = bounds_before(around)
    return Runs((bounds.lower, bounds.upper))


def add_prelude(prelude: Iterable[Operation | Runs], code: Code, values: Values) -> SSAValue | None:
    """Add what comes before an inspector; whether the place in the program is reached at all."""
    runs: SSAValue | None = None
    for item in prelude:
        if isinstance(item, Runs):
            mine = [values.get(each, each) for each in item.values]
            holds = mine[0] if len(mine) == 1 else code.compared(mine[0], "slt", mine[1])
            runs = holds if runs is None else code.both(runs, holds)
        elif runs is not None and (isinstance(item, LOADS) or may_trap(item)):
            code.copy_if(runs, item, values)
        else:
            code.add(item.clone(values))
    return runs


def outermost_place(
    slices: Sequence[AddressSlice],
    bounds: Sequence[Bounds],
    with_memories: bool,
    cells: Sequence[SSAValue] = (),
) -> InspectorPlace:
    """The outermost place for the inspector of some loops; the first one is where it begins.

    The inspector needs the values of `cells`, too.
    """
    loads: list[Operation] = []
    needed: list[SSAValue] = [*cells]
    for slice, known in zip(slices, bounds, strict=True):
        loads += [op for op in slice.needed if isinstance(op, LOADS)]
        needed += (*slice.sources, known.lower, known.upper, known.step)
        needed += slice.memories if with_memories else ()
    place = InspectorPlace(slices[0].loop, dict.fromkeys(needed), loads)
    while place.move_out():
        pass
    return place


def inspected_region(slice: AddressSlice) -> Operation:
    """The operation that an inspector of a loop runs before; the program is as it was then."""
    function = function_of(slice.loop)
    known = frozenset(function.walk())
    place = outermost_place((slice,), (bounds_before(slice.loop),), with_memories=True)
    erase_others(function, known)
    return place.before


def function_of(op: Operation) -> func.FuncOp:
    """The function that an operation is in."""
    parent = op.parent_op()
    assert parent is not None
    return parent if isinstance(parent, func.FuncOp) else function_of(parent)


def erase_others(function: func.FuncOp, known: Collection[Operation]) -> None:
    """Erase the operations of a function that are not known, which only each other use."""
    for op in reversed(tuple(function.walk())):
        if op not in known:
            Rewriter.erase_op(op)


def refuse(place: InspectorPlace) -> None:
    """Raise, because an inspector cannot run further out than `place`."""
    text, op = place.reason or ("it cannot move out of this", place.before)
    raise IrregularLoopError(
        f"the inspector cannot run before the outer loop: {text}", location_of(op)
    )
