"""Runs functions with GPU kernels in Python: the threads of a block in lockstep between barriers.

It finds what no run on a device shows for certain. `RaceError` is raised if two threads of a block
access a cell between two barriers, or two blocks of a kernel do, and one of them writes; and if not
all threads of a block reach the same barriers. New memory holds values that no program computes.
"""

from __future__ import annotations

import ctypes
import ctypes.util
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from xdsl.dialects import affine, arith, func, gpu, math, memref, scf
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    Float32Type,
    Float64Type,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    ModuleOp,
    VectorType,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
    AffineSet,
    AffineSymExpr,
)

from polyir.dialects.gpu_extra import AddressSpace, space_of


class RaceError(AssertionError):
    """Two threads access a cell at once and one of them writes, or a barrier is not reached."""


def run(module: ModuleOp, name: str, arguments: Sequence[object]) -> Statistics:
    """Call a function of `module`; arrays among the arguments are changed in place."""
    (function,) = (
        op for op in module.walk() if isinstance(op, func.FuncOp) and op.sym_name.data == name
    )
    machine = _Machine()
    program = _Translator().function(function)
    scope: dict[str, Any] = {"np": np, "machine": machine, "libm": _libm}
    exec(compile(program, f"<{name}>", "exec"), scope)
    scope["function"](*arguments)
    return machine.statistics


@dataclass
class Statistics:
    """What was launched, and what the threads did."""

    launches: int = 0
    barriers: int = 0
    global_accesses: int = 0
    shared_accesses: int = 0


class _Memory:
    """An array, and who has accessed its cells since the last barrier, and in this kernel."""

    def __init__(self, array: Any, space: AddressSpace = AddressSpace.Global) -> None:
        self.array = array
        self.space = space


def _lanes(memory: _Memory, index: tuple[int, ...], width: int) -> list[tuple[int, ...]]:
    """The elements of a vector, which must begin at a multiple of its size."""
    number = 0
    for position, extent in zip(index, memory.array.shape, strict=True):
        number = number * extent + position
    if number % width:
        raise RaceError(f"the vector at {index} in {memory.array.shape} is not aligned")
    return [(*index[:-1], index[-1] + lane) for lane in range(width)]


class _Machine:
    """The state of a run: which thread is running, and what it and others have accessed."""

    def __init__(self) -> None:
        self.statistics = Statistics()
        self._thread: tuple[int, ...] | None = None
        self._block: tuple[int, ...] = ()
        self._phase: dict[tuple[int, Any], tuple[Any, bool]] = {}
        self._kernel: dict[tuple[int, Any], tuple[Any, bool]] = {}

    def new(self, shape: tuple[int, ...], dtype: type) -> _Memory:
        """New memory: of a thread, if one is running."""
        private = self._thread is not None
        return self._new(shape, dtype, AddressSpace.Private if private else AddressSpace.Global)

    def new_shared(self, shape: tuple[int, ...], dtype: type) -> _Memory:
        """New memory of a block."""
        return self._new(shape, dtype, AddressSpace.Workgroup)

    def _new(self, shape: tuple[int, ...], dtype: type, space: AddressSpace) -> _Memory:
        fill = np.nan if np.issubdtype(dtype, np.floating) else -77
        return _Memory(np.full(shape, fill, dtype), space)

    def load(self, memory: _Memory, index: tuple[int, ...]) -> Any:
        self._check(memory, index, False)
        return memory.array[index]

    def store(self, memory: _Memory, index: tuple[int, ...], value: Any) -> None:
        self._check(memory, index, True)
        memory.array[index] = value

    def load_vector(self, memory: _Memory, index: tuple[int, ...], width: int) -> list[Any]:
        return [self.load(memory, lane) for lane in _lanes(memory, index, width)]

    def store_vector(self, memory: _Memory, index: tuple[int, ...], values: list[Any]) -> None:
        for lane, value in zip(_lanes(memory, index, len(values)), values, strict=True):
            self.store(memory, lane, value)

    def _check(self, memory: _Memory, index: tuple[int, ...], is_write: bool) -> None:
        for position, extent in zip(index, memory.array.shape, strict=True):
            if not 0 <= position < extent:
                raise RaceError(f"{index} is out of the bounds {memory.array.shape}")
        if self._thread is None or memory.space is AddressSpace.Private:
            return
        is_shared = memory.space is AddressSpace.Workgroup
        if is_shared:
            self.statistics.shared_accesses += 1
        else:
            self.statistics.global_accesses += 1
        cell = (id(memory), index)
        self._note(self._phase, cell, self._thread, is_write, "threads")
        if not is_shared:
            self._note(self._kernel, cell, self._block, is_write, "blocks")

    @staticmethod
    def _note(known: dict[Any, Any], cell: Any, who: Any, is_write: bool, what: str) -> None:
        before, written = known.get(cell, (who, False))
        if before != who and (written or is_write):
            raise RaceError(f"{what} {before} and {who} access {cell[1]} at once")
        # Several readers are nobody, so that a write of any of them is a conflict.
        known[cell] = (who if before == who else None, written or is_write)

    def launch(
        self,
        grid: tuple[int, int, int],
        block: tuple[int, int, int],
        shared: Callable[[], Sequence[_Memory]],
        kernel: Callable[..., Generator[None, None, None]],
    ) -> None:
        """Run a kernel, block after block."""
        assert all(size >= 1 for size in (*grid, *block)), (grid, block)
        self.statistics.launches += 1
        self._kernel = {}
        for place in product(*(range(size) for size in reversed(grid))):
            self._block = place[::-1]
            memory = shared()
            numbers = [each[::-1] for each in product(*(range(size) for size in reversed(block)))]
            threads = [kernel(*self._block, *each, *grid, *block, memory) for each in numbers]
            while threads:
                self._phase = {}
                waiting = []
                for number, thread in zip(numbers, threads, strict=True):
                    self._thread = number
                    waiting.append(next(thread, "done") is None)
                self._thread = None
                if all(waiting):
                    self.statistics.barriers += 1
                elif not any(waiting):
                    break
                else:
                    raise RaceError(f"in block {self._block}, not all threads reach a barrier")


class _Libm:
    """The C library's functions, in double and in single precision."""

    def __init__(self) -> None:
        library = ctypes.CDLL(ctypes.util.find_library("m"))
        self._functions: dict[tuple[str, type], Callable[..., float]] = {}
        for name, count in (("exp", 1), ("pow", 2), ("sqrt", 1)):
            for kind, suffix, dtype in (
                (ctypes.c_double, "", np.float64),
                (ctypes.c_float, "f", np.float32),
            ):
                function = getattr(library, name + suffix)
                function.restype, function.argtypes = kind, [kind] * count
                self._functions[name, dtype] = function

    def __call__(self, name: str, *arguments: Any) -> Any:
        dtype = type(arguments[0])
        return dtype(self._functions[name, dtype](*map(float, arguments)))


_libm = _Libm()


class _Translator:
    """Translates operations to Python."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._names: dict[SSAValue, str] = {}
        self._depth = 1
        self._kernels = 0
        # The arrays that the threads of a block share, in a kernel.
        self._shared: list[memref.AllocaOp] = []

    def function(self, function: func.FuncOp) -> str:
        """The program of a function; arrays come in as NumPy's."""
        block = function.body.blocks[0]
        names = [self._name(argument) for argument in block.args]
        for argument, name in zip(block.args, names, strict=True):
            if isinstance(argument.type, MemRefType):
                self._add(f"{name} = machine_memory({name})")
            elif not isinstance(argument.type, IndexType):
                self._add(f"{name} = {_dtype(argument.type)}({name})")
        self._block(block)
        header = "import gpu_lockstep\nmachine_memory = gpu_lockstep._Memory\n"
        body = "\n".join(self._lines)
        return f"{header}def function({', '.join(names)}):\n{body}\n    return\n"

    def _name(self, value: SSAValue) -> str:
        return self._names.setdefault(value, f"v{len(self._names)}")

    def _add(self, line: str) -> None:
        self._lines.append("    " * self._depth + line)

    def _block(self, block: Block) -> None:
        for op in block.ops:
            self._operation(op)
        self._add("pass")

    def _inside(self, block: Block) -> None:
        self._depth += 1
        self._block(block)
        self._depth -= 1

    def _values(self, values: Sequence[SSAValue]) -> list[str]:
        return [self._name(value) for value in values]

    def _operation(self, op: Operation) -> None:
        handler = getattr(self, f"_{op.name.replace('.', '_')}", None)
        if handler is not None:
            handler(op)
            return
        arguments = self._values(op.operands)
        expression = _expression(op, arguments)
        self._add(f"{self._name(op.results[0])} = {expression}")

    # Control

    def _results(self, op: Operation, values: Sequence[str]) -> None:
        if op.results:
            self._add(f"{', '.join(map(self._name, op.results))} = {', '.join(values)}")

    def _affine_for(self, op: affine.ForOp) -> None:
        body = op.body.block
        lower = _bounds(op.lowerBoundMap.data, self._values(op.lowerBoundOperands), "max")
        upper = _bounds(op.upperBoundMap.data, self._values(op.upperBoundOperands), "min")
        self._for(op, body, lower, upper, str(op.step.value.data), self._values(op.inits))

    def _scf_for(self, op: scf.ForOp) -> None:
        bounds = self._values([op.lb, op.ub, op.step])
        self._for(op, op.body.block, *bounds, self._values(op.iter_args))

    def _for(
        self, op: Operation, body: Block, lower: str, upper: str, step: str, inits: list[str]
    ) -> None:
        carried = [self._name(argument) for argument in body.args[1:]]
        for name, value in zip(carried, inits, strict=True):
            self._add(f"{name} = {value}")
        self._add(f"for {self._name(body.args[0])} in range({lower}, {upper}, {step}):")
        self._yielded = carried
        self._inside(body)
        terminator = body.last_op
        assert terminator is not None
        if carried:
            values = ", ".join(self._values(terminator.operands))
            self._depth += 1
            self._add(f"{', '.join(carried)}, = ({values},)")
            self._depth -= 1
        self._results(op, carried)

    def _affine_yield(self, op: Operation) -> None:
        pass

    _scf_yield = _gpu_terminator = _func_return = _affine_yield

    def _branches(self, op: affine.IfOp | scf.IfOp, condition: str) -> None:
        self._add(f"if {condition}:")
        for position, region in enumerate(op.regions):
            if not region.blocks:
                continue
            if position:
                self._add("else:")
            self._inside(region.block)
            if op.results:
                terminator = region.block.last_op
                assert terminator is not None
                self._depth += 1
                self._results(op, self._values(terminator.operands))
                self._depth -= 1

    def _affine_if(self, op: affine.IfOp) -> None:
        self._branches(op, _condition(op.condition.data, self._values(op.args)))

    def _scf_if(self, op: scf.IfOp) -> None:
        self._branches(op, self._name(op.cond))

    # Memory

    def _index(self, map: AffineMap, operands: Sequence[SSAValue]) -> str:
        values = self._values(operands)
        results = [_affine_text(each, map.num_dims, values) for each in map.results]
        return "(" + "".join(f"{result}, " for result in results) + ")"

    def _affine_load(self, op: affine.LoadOp) -> None:
        index = self._index(op.map.data, op.indices)
        self._add(f"{self._name(op.result)} = machine.load({self._name(op.memref)}, {index})")

    def _affine_store(self, op: affine.StoreOp) -> None:
        index = self._index(op.map.data, op.indices)
        value = self._name(op.value)
        self._add(f"machine.store({self._name(op.memref)}, {index}, {value})")

    def _affine_vector_load(self, op: affine.VectorLoadOp) -> None:
        index = self._index(op.map.data, op.indices)
        assert isinstance(op.result.type, VectorType)
        arguments = f"{self._name(op.memref)}, {index}, {op.result.type.element_count()}"
        self._add(f"{self._name(op.result)} = machine.load_vector({arguments})")

    def _affine_vector_store(self, op: affine.VectorStoreOp) -> None:
        index = self._index(op.map.data, op.indices)
        value = self._name(op.value)
        self._add(f"machine.store_vector({self._name(op.memref)}, {index}, {value})")

    def _memref_load(self, op: memref.LoadOp) -> None:
        index = "(" + "".join(f"{name}, " for name in self._values(op.indices)) + ")"
        self._add(f"{self._name(op.res)} = machine.load({self._name(op.memref)}, {index})")

    def _memref_store(self, op: memref.StoreOp) -> None:
        index = "(" + "".join(f"{name}, " for name in self._values(op.indices)) + ")"
        value = self._name(op.value)
        self._add(f"machine.store({self._name(op.memref)}, {index}, {value})")

    def _memref_dim(self, op: memref.DimOp) -> None:
        source, position = self._name(op.source), self._name(op.index)
        self._add(f"{self._name(op.result)} = {source}.array.shape[{position}]")

    def _allocate(self, op: Operation, sizes: Sequence[SSAValue]) -> None:
        type = op.results[0].type
        assert isinstance(type, MemRefType)
        if space_of(type) is AddressSpace.Workgroup:
            self._shared.append(op)
            return
        given = iter(self._values(sizes))
        extents = [next(given) if e == DYNAMIC_INDEX else str(e) for e in type.get_shape()]
        shape = "(" + "".join(f"{extent}, " for extent in extents) + ")"
        self._add(
            f"{self._name(op.results[0])} = machine.new({shape}, {_dtype(type.element_type)})"
        )

    def _gpu_alloc(self, op: gpu.AllocOp) -> None:
        self._allocate(op, op.dynamicSizes)

    def _memref_alloc(self, op: memref.AllocOp) -> None:
        self._allocate(op, op.dynamic_sizes)

    _memref_alloca = _memref_alloc

    def _gpu_memcpy(self, op: gpu.MemcpyOp) -> None:
        self._add(f"{self._name(op.dst)}.array[...] = {self._name(op.src)}.array")

    def _gpu_dealloc(self, op: Operation) -> None:
        pass

    _memref_dealloc = _gpu_dealloc

    # Kernels

    def _gpu_launch(self, op: gpu.LaunchOp) -> None:
        name, self._kernels = f"kernel{self._kernels}", self._kernels + 1
        sizes = [op.gridSizeX, op.gridSizeY, op.gridSizeZ]
        threads = [op.blockSizeX, op.blockSizeY, op.blockSizeZ]
        block = op.body.block
        arguments = [self._name(argument) for argument in block.args[:12]]
        outer, self._shared = self._shared, []
        self._add(f"def {name}({', '.join(arguments)}, shared):")
        position = len(self._lines)
        self._inside(block)
        self._depth += 1
        memory = [self._name(each.results[0]) for each in self._shared]
        if memory:
            line = f"{'    ' * self._depth}{', '.join(memory)}, = shared"
            self._lines.insert(position, line)
        self._add("if False: yield")
        self._depth -= 1
        made = "".join(
            f"machine.new_shared({tuple(type.get_shape())}, {_dtype(type.element_type)}), "
            for type in (each.results[0].type for each in self._shared)
            if isinstance(type, MemRefType)
        )
        self._shared = outer
        grid, size = ", ".join(self._values(sizes)), ", ".join(self._values(threads))
        self._add(f"machine.launch(({grid}), ({size}), lambda: ({made}), {name})")

    def _gpu_barrier(self, op: Operation) -> None:
        self._add("yield")


def _dtype(type: Attribute) -> str:
    match type:
        case Float64Type():
            return "np.float64"
        case Float32Type():
            return "np.float32"
        case IndexType():
            return "int"
        case IntegerType(width=width):
            return "bool" if width.data == 1 else f"np.int{width.data}"
        case _:
            raise NotImplementedError(str(type))


_INFIX = {
    **{"addf": "+", "subf": "-", "mulf": "*", "divf": "/"},
    **{"addi": "+", "subi": "-", "muli": "*"},
}
_BITWISE = {"andi": "&", "ori": "|", "xori": "^"}
_COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
_FLOAT_COMPARISONS = {1: "==", 2: ">", 3: ">=", 4: "<", 5: "<=", 6: "!="}


def _expression(op: Operation, arguments: list[str]) -> str:
    """The value of an operation without regions."""
    short = op.name.split(".")[-1]
    match op:
        case arith.ConstantOp(value=IntegerAttr() | FloatAttr() as value):
            return f"{_dtype(op.result.type)}({value.value.data!r})"
        case affine.ApplyOp():
            (result,) = op.map.data.results
            return _affine_text(result, op.map.data.num_dims, arguments)
        case _ if op.name in ("affine.min", "affine.max"):
            return _bounds(op.properties["map"].data, arguments, short)
        case arith.CmpiOp() if op.predicate.value.data < 6:
            return f"({arguments[0]} {_COMPARISONS[op.predicate.value.data]} {arguments[1]})"
        case arith.CmpfOp():
            operator = _FLOAT_COMPARISONS[op.predicate.value.data]
            return f"bool({arguments[0]} {operator} {arguments[1]})"
        case arith.SelectOp():
            return f"({arguments[1]} if {arguments[0]} else {arguments[2]})"
        case arith.NegfOp():
            return f"-{arguments[0]}"
        case arith.MaxSIOp() | arith.MinSIOp():
            return f"{short[:3]}({', '.join(arguments)})"
        case arith.MaxUIOp() | arith.MinUIOp():
            return f"{short[:3]}({', '.join(arguments)}, key=lambda value: value.view('u8'))"
        case arith.MaximumfOp() | arith.MinimumfOp():
            return f"np.{short[:7]}({', '.join(arguments)})"
        case arith.AndIOp() | arith.OrIOp() | arith.XOrIOp():
            return f"({arguments[0]} {_BITWISE[short]} {arguments[1]})"
        case arith.FloorDivSIOp():
            return f"({arguments[0]} // {arguments[1]})"
        case arith.DivSIOp() | arith.RemSIOp() if isinstance(op.result.type, IndexType):
            # Only of numbers that are not negative.
            operator = "//" if isinstance(op, arith.DivSIOp) else "%"
            return f"({arguments[0]} {operator} {arguments[1]})"
        case arith.TruncIOp():
            return f"{arguments[0]}.astype({_dtype(op.result.type)})"
        case arith.SIToFPOp() | arith.IndexCastOp() | arith.ExtSIOp() | arith.ExtFOp():
            return f"{_dtype(op.results[0].type)}({arguments[0]})"
        case arith.BitcastOp():
            return f"{arguments[0]}.view({_dtype(op.result.type)})"
        case math.ExpOp() | math.PowFOp() | math.SqrtOp():
            return f"libm({short.removesuffix('f')!r}, {', '.join(arguments)})"
        case _ if short in _INFIX:
            return f"({arguments[0]} {_INFIX[short]} {arguments[1]})"
        case _:
            raise NotImplementedError(op.name)


def _affine_text(expression: AffineExpr, dimensions: int, values: Sequence[str]) -> str:
    """An affine expression of the values, dimensions first."""
    match expression:
        case AffineConstantExpr(value=number):
            return str(number)
        case AffineDimExpr(position=position):
            return values[position]
        case AffineSymExpr(position=position):
            return values[dimensions + position]
        case AffineBinaryOpExpr(kind=kind, lhs=lhs, rhs=rhs):
            left, right = (_affine_text(each, dimensions, values) for each in (lhs, rhs))
            if kind is AffineBinaryOpKind.CeilDiv:
                return f"-(-{left} // {right})"
            return f"({left} {_AFFINE_OPERATORS[kind]} {right})"
        case _:
            raise NotImplementedError(str(expression))


_AFFINE_OPERATORS = {
    AffineBinaryOpKind.Add: "+",
    AffineBinaryOpKind.Mul: "*",
    AffineBinaryOpKind.FloorDiv: "//",
    AffineBinaryOpKind.Mod: "%",
}


def _bounds(map: AffineMap, values: Sequence[str], function: str) -> str:
    results = [_affine_text(each, map.num_dims, values) for each in map.results]
    return results[0] if len(results) == 1 else f"{function}({', '.join(results)})"


def _condition(set: AffineSet, values: Sequence[str]) -> str:
    parts: list[str] = []
    for constraint in set.constraints:
        left = _affine_text(constraint.lhs, set.num_dims, values)
        right = _affine_text(constraint.rhs, set.num_dims, values)
        parts.append(f"{left} {constraint.kind.value} {right}")
    return " and ".join(parts) or "True"
