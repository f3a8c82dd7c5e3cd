"""The functions of inspector and executor.

The inspector of a loop is a function that fills arrays. It runs before the outermost loop that
does not write what it reads (`polyir/irregular/placement.py`). If that is at the top of a kernel,
what is left of the kernel becomes a second function, the executor, and the kernel calls both:

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

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from xdsl.dialects import affine, func, scf
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DictionaryAttr,
    IndexType,
    MemRefType,
    StringAttr,
    UnitAttr,
)
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint

from polyir.base.diagnostics import Report, location_of
from polyir.dialects.index_arrays import INSPECTOR
from polyir.irregular.extents import (
    UNKNOWN_EXTENTS,
    Extents,
    declared_extents,
    visited_extents,
)
from polyir.irregular.loop_parts import Bounds, bounds_before
from polyir.irregular.placement import (
    BackwardSlice,
    CannotMoveError,
    add_prelude,
    erase_others,
    function_of,
    outermost_place,
    refuse,
)
from polyir.irregular.plans import (
    EXECUTOR,
    INSPECTED_INSIDE,
    executor_call,
    functions_in,
    kernel_of,
)
from polyir.irregular.slices import AddressSlice, Values, Visit
from polyir.loops.affine_to_scf import legalize_affine
from polyir.loops.code import Code
from polyir.loops.loop_forms import erase_idle
from polyir.sets.names import unique_name

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
    as the program has them. With `around`, a loop that holds all of them, it must run before that
    one: raises `PolyirError` if it cannot. First the outputs are declared and the body is made,
    then `finish` adds the function to the module, and calls it. Without `with_memories`, the
    memories of the slices have no values in the inspector. It also has the values of `cells`,
    numbers in memory that earlier inspectors have found.
    """

    def __init__(
        self,
        slice: AddressSlice,
        *further: AddressSlice,
        around: Operation | None = None,
        with_memories: bool = True,
        cells: Sequence[SSAValue] = (),
    ) -> None:
        self.slice = slice
        self._function = function_of(slice.loop)
        self._slices = (slice, *further)
        known_before = frozenset(self._function.walk())
        self.program_bounds = tuple(bounds_before(each.loop) for each in self._slices)
        self.place = outermost_place(self._slices, self.program_bounds, with_memories, cells)
        if around is not None and not self.place.before.is_ancestor(around):
            erase_others(self._function, known_before)
            refuse(self.place)
        self._pure = BackwardSlice(self._function)
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

    def explain(self, report: Report) -> None:
        """Report where the inspector runs, and why not further out."""
        reason = self.place.reason or self._reason_in_kernel()
        if reason is None:
            report("the inspector runs at the start of the kernel", self.place.before)
            return
        text, op = reason
        report("the inspector runs before this", self.place.before)
        report(f"it does not run further out: {text}", op)

    @property
    def has_unknown_extents(self) -> bool:
        """Whether `extents` needs a visit of all accesses."""
        return has_unknown_extents(self.slice)

    @property
    def kernel(self) -> str:
        """The name of the kernel."""
        return kernel_of(self._function).sym_name.data

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

        Its name is that of the kernel and `suffix`. It is then the `function`, and there is the
        `call` of it.
        """
        self.code.add(func.ReturnOp())
        name = self._free_name(f"{kernel_of(self._function).sym_name.data}_{suffix}")
        types = [argument.type for argument in self._block.args]
        self.function = func.FuncOp(name, (types, []), Region(self._block))
        self.function.attributes[INSPECTOR] = UnitAttr()
        self.table.insert_op_before(self.function, self._function)
        legalize_affine(self.function)
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
            except CannotMoveError as error:
                return str(error), error.op
        return None

    def _called_by_kernel(self, name: str) -> tuple[SSAValue, ...]:
        """Call the inspector before the executor, in the kernel."""
        call = executor_call(self._function) or self._split()
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
        executor.attributes[EXECUTOR] = UnitAttr()
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
        sources = (values.get(source, source) for source in self._sources)
        self.call = func.CallOp(name, [*sources, *made], [])
        code.add(self.call)
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
        runs = add_prelude(self.place.prelude, code, values)
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
        return unique_name(wanted, set(functions_in(self.table)))


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


def has_unknown_extents(slice: AddressSlice) -> bool:
    """Whether nobody knows how large the arrays are that the function around a loop gets."""
    return UNKNOWN_EXTENTS in function_of(slice.loop).attributes
