"""Where an inspector runs, and the functions of inspector and executor.

The inspector of a loop is a function that fills arrays. It runs before the outermost loop that
does not write what it reads. If that is at the top of a kernel, what is left of the kernel becomes
a second function, the executor, and the kernel calls both:

    func.func @kernel(%n: index, %p: memref<?xindex>, %A: memref<?xf64>) {
      %order = memref.alloc(%n) : memref<?xindex>
      func.call @kernel_inspector(%n, %p, %order)
      func.call @kernel_executor(%n, %p, %A, %order)
      memref.dealloc %order : memref<?xindex>
      func.return
    }

So a program may call the inspector once and the executor many times.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from xdsl.builder import Builder
from xdsl.dialects import affine, func, scf
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DictionaryAttr,
    IndexType,
    MemRefType,
    ModuleOp,
    StringAttr,
    UnitAttr,
)
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from polyir.codegen.affine_to_scf import legalize_affine
from polyir.diagnostics import PolyirError, location_of
from polyir.dialects.affine_extra import MaxOp
from polyir.irregular.code import Code
from polyir.irregular.extents import (
    UNKNOWN_EXTENTS,
    Extents,
    declared_extents,
    visited_extents,
)
from polyir.irregular.plans import INSPECTED_INSIDE
from polyir.irregular.slices import AddressSlice, Values, Visit
from polyir.irregular.writes import first_write
from polyir.isl_names import unique_name
from polyir.loops.loop_forms import (
    SequentialLoop,
    computed,
    erase_idle,
    extreme_bound,
    is_outside,
    range_of,
)
from polyir.model.index_expressions import IndexExpression
from polyir.model.raising.effects import LOADS, is_pure, may_trap

INSPECTOR = "polyir.inspector"
"""The attribute of functions that are inspectors, and of loops that copy data for an executor: they
get no inspectors of their own."""


@dataclass(frozen=True)
class Bounds:
    """The values that bound a loop, computed before it."""

    lower: SSAValue
    upper: SSAValue
    step: SSAValue

    def mapped(self, values: Values) -> Bounds:
        """The values that stand for these ones."""
        return Bounds(*(values.get(each, each) for each in (self.lower, self.upper, self.step)))


def bounds_before(loop: affine.ForOp | scf.ForOp) -> Bounds:
    """The bounds of a loop as values, computed before it; raises for a step that is not known."""
    if not isinstance(loop.body.block.args[0].type, IndexType):
        raise PolyirError("the counter of the loop is not of type index", location_of(loop))
    found = range_of(loop)
    if found is None:
        raise PolyirError("the step of the loop is not a positive constant", location_of(loop))
    assert found.step is not None
    builder = Builder(InsertPoint.before(loop))
    step = computed(IndexExpression((), found.step), False, builder)
    lower = extreme_bound(found.lower, MaxOp, builder)
    return Bounds(lower, extreme_bound(found.upper, affine.MinOp, builder), step)


def move_body(loop: SequentialLoop, counter: SSAValue, code: Code) -> None:
    """Move the iteration of a loop to where `counter` is its counter."""
    block = loop.body.block
    counter.name_hint = block.args[0].name_hint
    block.args[0].replace_all_uses_with(counter)
    for op in tuple(block.ops):
        if op is not block.last_op:
            op.detach()
            code.add(op)
            legalize_affine(op)


@dataclass(frozen=True)
class Runs:
    """That what comes next is only run if a loop has an iteration, or if a condition holds.

    `values` are the lower and upper bound of the loop, or the condition.
    """

    values: tuple[SSAValue, SSAValue] | tuple[SSAValue]


@dataclass
class Place:
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
        mover = _Mover(around)
        try:
            for op in self.loads:
                mover.require_unwritten(op)
            for value in self.sources:
                mover.need(value)
            runs = _runs(around, self.before)
        except _StopError as error:
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
            raise _StopError("it is in the 'else' of a conditional", around)
        return Runs((around.cond,))
    if isinstance(around, scf.ForOp):
        return Runs((around.lb, around.ub))
    known = range_of(around)
    if known is None:
        raise _StopError("the bounds of this loop are not affine", around)
    if len(known.lower) == len(known.upper) == 1:
        distance = known.upper[0] - known.lower[0]
        if distance.is_constant and distance.constant > 0:
            return None
    bounds = bounds_before(around)
    return Runs((bounds.lower, bounds.upper))


class _StopError(Exception):
    def __init__(self, message: str, op: Operation) -> None:
        super().__init__(message)
        self.op = op


class _Mover:
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
            raise _StopError("the subscripts depend on this loop", self._around)
        if owner in self.found:
            return
        if isinstance(owner, LOADS):
            self.require_unwritten(owner)
        elif not is_pure(owner):
            raise _StopError(f"'{owner.name}' is needed for the subscripts", owner)
        for operand in owner.operands:
            self.need(operand)
        self.found[owner] = None

    def need_pure(self, values: Iterable[SSAValue]) -> None:
        """Add values; those that are not computed from arguments alone are sources themselves."""
        for value in values:
            mover = _Mover(self._around)
            try:
                mover.need(value)
            except _StopError:
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
            raise _StopError(f"the index array '{name}' may be written here", write)


Size: TypeAlias = Callable[[Code, Bounds, Values], Sequence[SSAValue]]
"""Computes the extents of an array that an inspector fills, from the bounds of the loop and the
values that stand for those of the program."""


@dataclass(frozen=True)
class _Output:
    """An array that an inspector fills; a number, without a `size`."""

    name: str
    size: Size | None


class Inspection:
    """An inspector in the making.

    `code` adds to its body, where `values` stand for those of the program, and `bounds` for those
    of the loop; `all_bounds` has those of the `further` loops, too, and `program_bounds` has them
    as the program has them. With `around`, a loop that
    holds all of them, it must run before that one: raises `PolyirError` if it cannot. First the
    outputs are declared and the body is made, then `finish` adds the function to the module, and
    calls it. Without `with_memories`, the memories of the slices have no values in the inspector.
    It also has the values of `cells`, numbers in memory that earlier inspectors have found.
    """

    def __init__(
        self,
        module: ModuleOp,
        slice: AddressSlice,
        *further: AddressSlice,
        around: Operation | None = None,
        with_memories: bool = True,
        cells: Sequence[SSAValue] = (),
    ) -> None:
        self._module, self.slice = module, slice
        self._function = function_of(slice.loop)
        self._slices = (slice, *further)
        known_before = frozenset(self._function.walk())
        self.program_bounds = tuple(bounds_before(each.loop) for each in self._slices)
        self.place = _outermost_place(self._slices, self.program_bounds, with_memories, cells)
        if around is not None and not self.place.before.is_ancestor(around):
            _erase_others(self._function, known_before)
            _refuse(self.place)
        self._pure = _Mover(self._function)
        self._pure.need_pure(self.place.sources)
        self._sources = tuple(self._pure.sources)
        self._block = Block(arg_types=[value.type for value in self._sources])
        for value, argument in zip(self._sources, self._block.args, strict=True):
            argument.name_hint = value.name_hint
        self.code = Code(InsertPoint.at_end(self._block))
        known: Values = dict(zip(self._sources, self._block.args, strict=True))
        self.values, self.all_bounds = self._prepared(self.code, known)
        self.bounds = self.all_bounds[0]
        self._outputs: list[_Output] = []

    @property
    def messages(self) -> tuple[tuple[str, Operation], ...]:
        """Where the inspector runs, and why not further out, each with an operation."""
        reason = self.place.reason or self._reason_in_kernel()
        if reason is None:
            return (("the inspector runs at the start of the kernel", self.place.before),)
        text, op = reason
        return (
            ("the inspector runs before this", self.place.before),
            (f"it does not run further out: {text}", op),
        )

    @property
    def has_unknown_extents(self) -> bool:
        """Whether `extents` needs a visit of all accesses."""
        return has_unknown_extents(self.slice)

    @property
    def kernel(self) -> str:
        """The name of the kernel."""
        return _kernel_name(self._function)

    def extents(self) -> Extents:
        """The extents of the memrefs of the loops, as values of the inspector."""
        memories = tuple(dict.fromkeys(m for each in self._slices for m in each.memories))
        if self.has_unknown_extents:
            return visited_extents(self.code, memories, self.visit_all)
        return declared_extents(self.code, memories, self.values)

    def visit_all(self, visit: Visit) -> None:
        """Visit the accesses of all loops."""
        for slice, bounds in zip(self._slices, self.all_bounds, strict=True):
            with self.code.loop("i", bounds.lower, bounds.upper, bounds.step) as (body, counter):
                slice.replay(body, counter, self.values, visit)

    def output(self, name: str, size: Size | None = None, rank: int = 1) -> SSAValue:
        """A further array of some rank that the inspector fills, or a number, in the inspector."""
        type = MemRefType(IndexType(), [] if size is None else [DYNAMIC_INDEX] * rank)
        argument = self._block.insert_arg(type, len(self._block.args))
        argument.name_hint = name
        self._outputs.append(_Output(name, size))
        return argument

    def finish(self, suffix: str = "inspector") -> tuple[SSAValue, ...]:
        """Add the inspector and its call; the outputs as the function around the loop has them.

        Its name is that of the kernel and `suffix`.
        """
        self.code.add(func.ReturnOp())
        name = self._free_name(f"{_kernel_name(self._function)}_{suffix}")
        types = [argument.type for argument in self._block.args]
        inspector = func.FuncOp(name, (types, []), Region(self._block))
        inspector.attributes[INSPECTOR] = UnitAttr()
        self.table.insert_op_before(inspector, self._function)
        legalize_affine(inspector)
        erase_idle(tuple(self._block.ops))
        reason = self._reason_in_kernel()
        if reason is not None:
            text, op = reason
            self._function.attributes[INSPECTED_INSIDE] = StringAttr(f"{text}: {location_of(op)}")
            at = self.place.before
            outputs = self._call(name, Code(InsertPoint.before(at)), {})
            Code(InsertPoint.after(at)).free(*self._arrays(outputs))
            return outputs
        return self._called_by_kernel(name)

    @property
    def runs_first(self) -> bool:
        """Whether the inspector runs first in the kernel, on nothing but its arguments."""
        return self._reason_in_kernel() is None

    def _reason_in_kernel(self) -> tuple[str, Operation] | None:
        """Why the inspector cannot run before the function; `None` if it can.

        It can if its arguments are all that the inspector depends on.
        """
        if self.place.before.parent_op() is not self._function:
            return self.place.reason
        arguments = self._function.body.block.args
        for source in self._sources:
            if source not in arguments:
                owner = source.owner
                where = owner if isinstance(owner, Operation) else self.place.before
                return "it depends on this", where
        for load in self.place.loads:
            try:
                self._pure.require_unwritten(load)
            except _StopError as error:
                return str(error), error.op
        return None

    def _called_by_kernel(self, name: str) -> tuple[SSAValue, ...]:
        """Call the inspector before the executor, in the kernel."""
        call = _executor_call(self._module, self._function) or self._split()
        arguments = self._function.body.block.args
        known: Values = dict(zip(arguments, call.arguments, strict=True))
        outputs = self._call(name, Code(InsertPoint.before(call)), known)
        call.operands = (*call.operands, *outputs)
        Code(InsertPoint.after(call)).free(*self._arrays(outputs))
        block = self._function.body.block
        added = []
        for value in outputs:
            added.append(block.insert_arg(value.type, len(block.args)))
            added[-1].name_hint = value.name_hint
        self._function.update_function_type()
        if self._function.arg_attrs is not None:
            known_attributes = self._function.arg_attrs.data
            empty = [DictionaryAttr({}) for _ in outputs]
            self._function.arg_attrs = ArrayAttr([*known_attributes, *empty])
        return tuple(added)

    def _split(self) -> func.CallOp:
        """Make the function an executor, and a kernel that calls it."""
        executor = self._function
        name = executor.sym_name.data
        executor.sym_name = StringAttr(self._free_name(f"{name}_executor"))
        types = executor.function_type
        kernel = func.FuncOp(name, types, visibility=executor.sym_visibility)
        kernel.arg_attrs, kernel.res_attrs = executor.arg_attrs, executor.res_attrs
        kernel.attributes = dict(executor.attributes)
        kernel.location = executor.location
        block = kernel.body.block
        for old, new in zip(executor.body.block.args, block.args, strict=True):
            new.name_hint = old.name_hint
        call = func.CallOp(executor.sym_name.data, block.args, types.outputs.data)
        block.add_ops([call, func.ReturnOp(*call.results)])
        self.table.insert_op_after(kernel, executor)
        return call

    def _call(self, name: str, code: Code, known: Values) -> tuple[SSAValue, ...]:
        """Add the arrays that are filled, and the call."""
        values, bounds = self._prepared(code, known)
        made = []
        for each in self._outputs:
            if each.size is None:
                made.append(_outside_loops(code).cell(each.name))
            else:
                made.append(code.array(each.name, *each.size(code, bounds[0], values)))
        code.add(func.CallOp(name, [*(values.get(v, v) for v in self._sources), *made], []))
        return tuple(made)

    def _arrays(self, outputs: tuple[SSAValue, ...]) -> list[SSAValue]:
        return [
            value
            for value, output in zip(outputs, self._outputs, strict=True)
            if output.size is not None
        ]

    def _prepared(self, code: Code, known: Values) -> tuple[Values, tuple[Bounds, ...]]:
        """Add what the bounds and the slices use, from the values that are known."""
        values = dict(known)
        for op in self._pure.found:
            code.add(op.clone(values))
        runs = _add_prelude(self.place.prelude, code, values)
        bounds = [known.mapped(values) for known in self.program_bounds]
        if runs is not None:
            # Without an iteration of the loops around, index arrays may have no elements to read.
            bounds = [
                replace(each, upper=code.choice(runs, each.upper, each.lower)) for each in bounds
            ]
        return values, tuple(bounds)

    @property
    def table(self) -> Block:
        """The block of the module that the function is in."""
        table = self._function.parent_block()
        assert table is not None
        return table

    def _free_name(self, wanted: str) -> str:
        taken = {op.sym_name.data for op in self.table.ops if isinstance(op, func.FuncOp)}
        return unique_name(wanted, taken)


def _add_prelude(
    prelude: Iterable[Operation | Runs], code: Code, values: Values
) -> SSAValue | None:
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


def function_of(op: Operation) -> func.FuncOp:
    """The function that an operation is in."""
    parent = op.parent_op()
    assert parent is not None
    return parent if isinstance(parent, func.FuncOp) else function_of(parent)


def _outside_loops(code: Code) -> Code:
    """The place for an allocation on the stack that `code` uses: loops would repeat it."""
    block = code.builder.insertion_point.block
    around = block.parent_op()
    if not isinstance(around, affine.ForOp | scf.ForOp | affine.IfOp | scf.IfOp):
        return code
    while isinstance(around, affine.ForOp | scf.ForOp | affine.IfOp | scf.IfOp):
        block = around.parent_block() or block
        around = block.parent_op()
    return Code(InsertPoint.at_start(block))


def _kernel_name(function: func.FuncOp) -> str:
    return function.sym_name.data.removesuffix("_executor")


def _outermost_place(
    slices: Sequence[AddressSlice],
    bounds: Sequence[Bounds],
    with_memories: bool,
    cells: Sequence[SSAValue] = (),
) -> Place:
    """The outermost place for the inspector of some loops; the first one is where it begins."""
    loads: list[Operation] = []
    needed: list[SSAValue] = [*cells]
    for slice, known in zip(slices, bounds, strict=True):
        loads += [op for op in slice.needed if isinstance(op, LOADS)]
        needed += (*slice.sources, known.lower, known.upper, known.step)
        needed += slice.memories if with_memories else ()
    place = Place(slices[0].loop, dict.fromkeys(needed), loads)
    while place.move_out():
        pass
    return place


def inspected_region(slice: AddressSlice) -> Operation:
    """The operation that an inspector of a loop runs before; the program is as it was then."""
    function = function_of(slice.loop)
    known = frozenset(function.walk())
    place = _outermost_place((slice,), (bounds_before(slice.loop),), with_memories=True)
    _erase_others(function, known)
    return place.before


def has_unknown_extents(slice: AddressSlice) -> bool:
    """Whether nobody knows how large the arrays are that the function around a loop gets."""
    return UNKNOWN_EXTENTS in function_of(slice.loop).attributes


def _erase_others(function: func.FuncOp, known: Collection[Operation]) -> None:
    """Erase the operations of a function that are not known, which only each other use."""
    for op in reversed(tuple(function.walk())):
        if op not in known:
            Rewriter.erase_op(op)


def _refuse(place: Place) -> None:
    """Raise, because an inspector cannot run further out than `place`."""
    text, op = place.reason or ("it cannot move out of this", place.before)
    raise PolyirError(f"the inspector cannot run before the outer loop: {text}", location_of(op))


def _executor_call(module: ModuleOp, function: func.FuncOp) -> func.CallOp | None:
    """The call of an executor in its kernel; `None` for other functions."""
    name = function.sym_name.data
    if not name.endswith("_executor"):
        return None
    calls = [
        op
        for op in module.walk()
        if isinstance(op, func.CallOp) and op.callee.root_reference.data == name
    ]
    if len(calls) != 1 or function_of(calls[0]).sym_name.data != _kernel_name(function):
        return None
    return calls[0]
