"""The operations of host code, for xDSL's interpreter: loops and memory.

An array of the host is a NumPy array, one of the device a `DeviceArray`. Parallel loops run in
order. xDSL's own implementations take neither operands of affine bounds nor NumPy's arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from operator import eq, ge, le
from typing import Any, Final

import numpy as np
from xdsl.dialects import affine, memref, scf
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    MemRefType,
)
from xdsl.interpreter import (
    Interpreter,
    InterpreterFunctions,
    PythonValues,
    ReturnedValues,
    TerminatorValue,
    impl,
    impl_terminator,
    register_impls,
)
from xdsl.ir import Attribute, Block, Operation
from xdsl.ir.affine import AffineConstraintKind, AffineMap
from xdsl.traits import SymbolTable

from polyir.dialects.affine_extra import MaxOp, ParallelOp, PrefetchOp
from polyir.dialects.affine_semantics import REDUCTION_KINDS
from polyir.dialects.reductions import combination_of, neutral_element
from polyir.model.affine_bounds import counter_bounds
from polyir.runtime.functions import numpy_type
from polyir.runtime.gpu.device import Array
from polyir.target.abi import array_type, symbol_of
from polyir.target.errors import unsupported

Globals = dict[str, Array]
"""The arrays of a module's globals, by symbol."""


def shape_of(type: Attribute, sizes: Sequence[int]) -> tuple[int, ...]:
    """The shape of a new array of a memref type with the dynamic extents `sizes`."""
    assert isinstance(type, MemRefType)
    rest = iter(sizes)
    return tuple(next(rest) if n == DYNAMIC_INDEX else n for n in type.get_shape())


def _results(map: AffineMap, operands: Sequence[int]) -> tuple[int, ...]:
    return map.eval(operands[: map.num_dims], operands[map.num_dims :])


@register_impls
class AffineFunctions(InterpreterFunctions):
    """The affine dialect, with symbols and operands."""

    @impl(affine.ApplyOp)
    def run_apply(
        self, interpreter: Interpreter, op: affine.ApplyOp, args: PythonValues
    ) -> PythonValues:
        return _results(op.map.data, args)

    @impl(affine.MinOp)
    def run_min(
        self, interpreter: Interpreter, op: affine.MinOp, args: PythonValues
    ) -> PythonValues:
        return (min(_results(op.map.data, args)),)

    @impl(MaxOp)
    def run_max(self, interpreter: Interpreter, op: MaxOp, args: PythonValues) -> PythonValues:
        return (max(_results(op.map.data, args)),)

    @impl(affine.LoadOp)
    def run_load(
        self, interpreter: Interpreter, op: affine.LoadOp, args: PythonValues
    ) -> PythonValues:
        return (_array(op, args[0]).item(*_results(op.map.data, args[1:])),)

    @impl(affine.StoreOp)
    def run_store(
        self, interpreter: Interpreter, op: affine.StoreOp, args: PythonValues
    ) -> PythonValues:
        _array(op, args[1])[_results(op.map.data, args[2:])] = args[0]
        return ()

    @impl(affine.ForOp)
    def run_for(
        self, interpreter: Interpreter, op: affine.ForOp, args: PythonValues
    ) -> PythonValues:
        first, second = len(op.lowerBoundOperands), len(op.upperBoundOperands)
        (values,) = _values(op, args)
        carried = args[first + second :]
        for i in values:
            carried = interpreter.run_ssacfg_region(op.body, (i, *carried), "affine.for")
        return carried

    @impl(affine.IfOp)
    def run_if(self, interpreter: Interpreter, op: affine.IfOp, args: PythonValues) -> PythonValues:
        condition = op.condition.data
        dims, symbols = args[: condition.num_dims], args[condition.num_dims :]
        holds = all(
            _COMPARISONS[each.kind](each.lhs.eval(dims, symbols), each.rhs.eval(dims, symbols))
            for each in condition.constraints
        )
        return interpreter.run_ssacfg_region(
            op.then_region if holds else op.else_region, (), "affine.if"
        )

    @impl(affine.ParallelOp)
    def run_xdsl_parallel(
        self, interpreter: Interpreter, op: affine.ParallelOp, args: PythonValues
    ) -> PythonValues:
        return _run_affine_parallel(interpreter, op, args)

    @impl(ParallelOp)
    def run_parallel(
        self, interpreter: Interpreter, op: ParallelOp, args: PythonValues
    ) -> PythonValues:
        return _run_affine_parallel(interpreter, op, args)

    @impl(PrefetchOp)
    def run_prefetch(
        self, interpreter: Interpreter, op: PrefetchOp, args: PythonValues
    ) -> PythonValues:
        return ()

    @impl_terminator(affine.YieldOp)
    def run_yield(
        self, interpreter: Interpreter, op: affine.YieldOp, args: PythonValues
    ) -> tuple[TerminatorValue, PythonValues]:
        return ReturnedValues(args), ()


_COMPARISONS: Final[dict[AffineConstraintKind, Callable[[int, int], bool]]] = {
    AffineConstraintKind.ge: ge,
    AffineConstraintKind.le: le,
    AffineConstraintKind.eq: eq,
}


def _run_affine_parallel(
    interpreter: Interpreter, op: affine.ParallelOp, args: PythonValues
) -> PythonValues:
    """Run all iterations in order, and combine what they yield."""
    kinds = [_kind_name(op, kind) for kind in op.reductions.data]
    totals = [
        _neutral(interpreter, op, kind, result.type)
        for kind, result in zip(kinds, op.results, strict=True)
    ]
    for point in product(*_values(op, args)):
        yielded = interpreter.run_ssacfg_region(op.body, point, "affine.parallel")
        totals = [
            _combined(interpreter, kind, result.type, total, value)
            for kind, result, total, value in zip(kinds, op.results, totals, yielded, strict=True)
        ]
    return tuple(totals)


def _values(op: affine.ForOp | affine.ParallelOp, args: PythonValues) -> Iterator[range]:
    """The values of each counter of a loop."""
    known = dict(zip(op.operands, args, strict=True))
    for _, (lower, first), (upper, last), step in counter_bounds(op):
        least = max(_results(lower, [known[each] for each in first]))
        yield range(least, min(_results(upper, [known[each] for each in last])), step)


def _kind_name(op: Operation, kind: Attribute) -> str:
    """The name of a kind of reduction, which MLIR gives by its number."""
    name = (
        REDUCTION_KINDS[kind.value.data]
        if isinstance(kind, IntegerAttr)
        else getattr(kind, "data", None)
    )
    if not isinstance(name, str) or combination_of(name) is None:
        raise unsupported(op, f"reduction {kind} is not supported by the interpreter")
    return name


def _neutral(interpreter: Interpreter, op: Operation, kind: str, type: Attribute) -> Any:
    constant = neutral_element(kind, type)
    if constant is None:
        raise unsupported(op, f"reduction {kind} is not defined for type '{type}'")
    return interpreter.run_op(constant)[0]


def _combined(interpreter: Interpreter, kind: str, type: Attribute, left: Any, right: Any) -> Any:
    combination = combination_of(kind)
    assert combination is not None
    operation = combination(*Block(arg_types=(type, type)).args)
    return interpreter.run_op(operation, (left, right))[0]


@register_impls
class ParallelFunctions(InterpreterFunctions):
    """What xDSL's implementation of scf lacks."""

    @impl(scf.ParallelOp)
    def run_parallel(
        self, interpreter: Interpreter, op: scf.ParallelOp, args: PythonValues
    ) -> PythonValues:
        count = len(op.lowerBound)
        lower, upper, steps = (args[n * count : (n + 1) * count] for n in range(3))
        totals = args[3 * count :]
        reduce = op.body.block.last_op
        for point in product(*map(range, lower, upper, steps)):
            yielded = interpreter.run_ssacfg_region(op.body, point, "scf.parallel")
            if isinstance(reduce, scf.ReduceOp):
                totals = tuple(
                    interpreter.run_ssacfg_region(region, (total, value), "scf.reduce")[0]
                    for region, total, value in zip(reduce.reductions, totals, yielded, strict=True)
                )
        return totals

    @impl_terminator(scf.ReduceOp)
    def run_reduce(
        self, interpreter: Interpreter, op: scf.ReduceOp, args: PythonValues
    ) -> tuple[TerminatorValue, PythonValues]:
        return ReturnedValues(args), ()

    @impl_terminator(scf.ReduceReturnOp)
    def run_reduce_return(
        self, interpreter: Interpreter, op: scf.ReduceReturnOp, args: PythonValues
    ) -> tuple[TerminatorValue, PythonValues]:
        return ReturnedValues(args), ()


class MemoryFunctions(InterpreterFunctions):
    """The memref dialect on NumPy's arrays. What is allocated starts as zeros."""

    def __init__(self, globals: Globals) -> None:
        self._globals = globals

    @impl(memref.AllocOp)
    def run_alloc(
        self, interpreter: Interpreter, op: memref.AllocOp, args: PythonValues
    ) -> PythonValues:
        return (_new_array(op, op.memref.type, args),)

    @impl(memref.AllocaOp)
    def run_alloca(
        self, interpreter: Interpreter, op: memref.AllocaOp, args: PythonValues
    ) -> PythonValues:
        return (_new_array(op, op.memref.type, args),)

    @impl(memref.DeallocOp)
    def run_dealloc(
        self, interpreter: Interpreter, op: memref.DeallocOp, args: PythonValues
    ) -> PythonValues:
        return ()

    @impl(memref.LoadOp)
    def run_load(
        self, interpreter: Interpreter, op: memref.LoadOp, args: PythonValues
    ) -> PythonValues:
        return (_array(op, args[0]).item(*args[1:]),)

    @impl(memref.StoreOp)
    def run_store(
        self, interpreter: Interpreter, op: memref.StoreOp, args: PythonValues
    ) -> PythonValues:
        _array(op, args[1])[args[2:]] = args[0]
        return ()

    @impl(memref.DimOp)
    def run_dim(
        self, interpreter: Interpreter, op: memref.DimOp, args: PythonValues
    ) -> PythonValues:
        return (args[0].shape[args[1]],)

    @impl(memref.CastOp)
    def run_cast(
        self, interpreter: Interpreter, op: memref.CastOp, args: PythonValues
    ) -> PythonValues:
        return args

    @impl(memref.CopyOp)
    def run_copy(
        self, interpreter: Interpreter, op: memref.CopyOp, args: PythonValues
    ) -> PythonValues:
        np.copyto(_array(op, args[1]), _array(op, args[0]))
        return ()

    @impl(memref.GetGlobalOp)
    def run_get_global(
        self, interpreter: Interpreter, op: memref.GetGlobalOp, args: PythonValues
    ) -> PythonValues:
        symbol = symbol_of(op.name_)
        if symbol not in self._globals:
            self._globals[symbol] = _global_array(op, SymbolTable.lookup_symbol(op, op.name_))
        return (self._globals[symbol],)


register_impls(MemoryFunctions)


def _new_array(op: Operation, type: Attribute, sizes: Sequence[int]) -> Array:
    return np.zeros(shape_of(type, sizes), numpy_type(array_type(type, op).element))


def _global_array(op: memref.GetGlobalOp, found: Operation | None) -> Array:
    """A new array with the initial values of a global."""
    if not isinstance(found, memref.GlobalOp) or "initial_value" not in found.properties:
        raise unsupported(op, f"the module does not define the global '{symbol_of(op.name_)}'")
    array = _new_array(found, found.type, ())
    initial = found.initial_value
    if isinstance(initial, DenseIntOrFPElementsAttr):
        array.reshape(-1)[:] = initial.get_values()
    return array


def _array(op: Operation, value: object) -> Array:
    """An array that host code may access."""
    if not isinstance(value, np.ndarray):
        raise unsupported(op, "code of the host accesses an array of the device")
    return value
