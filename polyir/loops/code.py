"""Operations on indices and memory, as inspectors and executors are made of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Final

from xdsl.builder import Builder
from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyFloat,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    UnitAttr,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint

from polyir.dialects.affine_semantics import REDUCTION_KINDS
from polyir.dialects.loop_attributes import DynamicAttr

COPY_LOOP: Final = "polyir.copy_loop"
"""The attribute of a loop that copies an array in another order: passes leave it as it is."""


class Code:
    """Adds operations at a place that follows what is added."""

    def __init__(self, place: InsertPoint) -> None:
        self.builder = Builder(place)
        self._constants: dict[int, SSAValue] = {}

    def add(self, op: Operation) -> None:
        """Add an operation as it is."""
        self.builder.insert(op)

    def constant(self, number: int) -> SSAValue:
        """A number; it is one value for the places that come after the first use in this block."""
        if number not in self._constants:
            op = arith.ConstantOp(IntegerAttr.from_index_int_value(number))
            self._constants[number] = self.builder.insert(op).result
        return self._constants[number]

    def sum(self, left: SSAValue, right: SSAValue | int) -> SSAValue:
        """left + right."""
        if _is_constant(left, 0):
            return self._value(right)
        if _is_constant(right, 0):
            return left
        return self.builder.insert(arith.AddiOp(left, self._value(right))).result

    def difference(self, left: SSAValue, right: SSAValue | int) -> SSAValue:
        """left - right."""
        if _is_constant(right, 0):
            return left
        return self.builder.insert(arith.SubiOp(left, self._value(right))).result

    def product(self, left: SSAValue, right: SSAValue | int) -> SSAValue:
        """left * right."""
        if _is_constant(right, 1):
            return left
        return self.builder.insert(arith.MuliOp(left, self._value(right))).result

    def maximum(self, left: SSAValue, right: SSAValue | int) -> SSAValue:
        """The greater one of two numbers, which may be negative."""
        return self.builder.insert(arith.MaxSIOp(left, self._value(right))).result

    def index(self, value: SSAValue) -> SSAValue:
        """An integer as an index."""
        return self.builder.insert(arith.IndexCastOp(value, IndexType())).result

    def integer(self, value: SSAValue | int) -> SSAValue:
        """An index as an integer of 64 bits."""
        return self.builder.insert(arith.IndexCastOp(self._value(value), i64)).result

    def minimum(self, left: SSAValue, right: SSAValue) -> SSAValue:
        """The smaller one of two numbers, which may be negative."""
        return self.builder.insert(arith.MinSIOp(left, right)).result

    def compared(self, left: SSAValue, predicate: str, right: SSAValue | int) -> SSAValue:
        """Whether a predicate of `arith.cmpi` holds, as a value of type i1."""
        return self.builder.insert(arith.CmpiOp(left, self._value(right), predicate)).result

    def both(self, left: SSAValue, right: SSAValue) -> SSAValue:
        """Whether two values of type i1 hold."""
        return self.builder.insert(arith.AndIOp(left, right)).result

    def either_holds(self, left: SSAValue, right: SSAValue) -> SSAValue:
        """Whether one of two values of type i1 holds."""
        return self.builder.insert(arith.OrIOp(left, right)).result

    def bit(self, place: SSAValue) -> SSAValue:
        """The number of which only the bit in a place is 1."""
        return self.builder.insert(arith.ShLIOp(self.constant(1), place)).result

    def bits(self, left: SSAValue, right: SSAValue) -> SSAValue:
        """The bits of two numbers together."""
        return self.builder.insert(arith.OrIOp(left, right)).result

    def choice(self, condition: SSAValue, value: SSAValue, other: SSAValue) -> SSAValue:
        """One of two values."""
        return self.builder.insert(arith.SelectOp(condition, value, other)).result

    def copy_if(self, condition: SSAValue, op: Operation, values: dict[SSAValue, SSAValue]) -> None:
        """Run a copy of an operation if `condition` holds; else its result is 0.

        `values` gets the result.
        """
        (result,) = op.results
        then, otherwise = (
            Region(Block([value, scf.YieldOp(value.results[0])]))
            for value in (op.clone(dict(values)), zero_of(result.type))
        )
        guarded = scf.IfOp(condition, [result.type], then, otherwise)
        self.add(guarded)
        guarded.results[0].name_hint = result.name_hint
        values[result] = guarded.results[0]

    def select(
        self,
        left: SSAValue,
        predicate: str,
        right: SSAValue | int,
        then: SSAValue | int,
        otherwise: SSAValue | int,
    ) -> SSAValue:
        """`then` if the comparison of two numbers by a predicate of `arith.cmpi` holds."""
        holds = self.compared(left, predicate, right)
        return self.choice(holds, self._value(then), self._value(otherwise))

    def quotient(self, left: SSAValue, right: SSAValue | int) -> SSAValue:
        """left / right of numbers that are not negative, rounded down."""
        if _is_constant(right, 1):
            return left
        return self.builder.insert(arith.DivUIOp(left, self._value(right))).result

    def remainder(self, left: SSAValue, right: SSAValue | int) -> SSAValue:
        """What is left of left / right, both as numbers without a sign."""
        return self.builder.insert(arith.RemUIOp(left, self._value(right))).result

    def steps(self, lower: SSAValue | int, upper: SSAValue, step: SSAValue | int) -> SSAValue:
        """How many iterations a loop from `lower` to below `upper` has; none is 0."""
        distance = self.difference(upper, lower)
        if not _is_constant(step, 1):
            distance = self.builder.insert(arith.CeilDivSIOp(distance, self._value(step))).result
        return self.maximum(distance, 0)

    def load(self, memory: SSAValue, *indices: SSAValue | int) -> SSAValue:
        """An element of a memref."""
        op = memref.LoadOp.get(memory, [self._value(index) for index in indices])
        return self.builder.insert(op).res

    def store(self, value: SSAValue | int, memory: SSAValue, *indices: SSAValue | int) -> None:
        """Set an element of a memref."""
        places = [self._value(index) for index in indices]
        self.add(memref.StoreOp.get(self._value(value), memory, places))

    def extent(self, memory: SSAValue, dimension: int) -> SSAValue:
        """The size of a memref along a dimension."""
        return self.builder.insert(memref.DimOp(memory, self.constant(dimension))).result

    def extents(self, memory: SSAValue) -> list[SSAValue]:
        """The sizes of a memref along all dimensions."""
        assert isinstance(memory.type, MemRefType)
        shape = memory.type.get_shape()
        return [
            self.extent(memory, dimension) if size == DYNAMIC_INDEX else self.constant(size)
            for dimension, size in enumerate(shape)
        ]

    def array(
        self, name: str, *extents: SSAValue | int, element: Attribute | None = None
    ) -> SSAValue:
        """A new array, of indices or another type of element, whose elements have no value yet."""
        sizes = [self._value(extent) for extent in extents]
        shape = [DYNAMIC_INDEX] * len(sizes)
        op = memref.AllocOp.get(element or IndexType(), shape=shape, dynamic_sizes=sizes)
        self.add(op)
        op.memref.name_hint = name
        return op.memref

    def cell(self, name: str) -> SSAValue:
        """A new number in memory, without a value yet."""
        return self.local_array(name)

    def local_array(self, name: str, *extents: int) -> SSAValue:
        """A new array of numbers on the stack."""
        op = memref.AllocaOp.get(IndexType(), shape=list(extents))
        self.add(op)
        op.memref.name_hint = name
        return op.memref

    def free(self, *arrays: SSAValue) -> None:
        """Free what `array` made."""
        for array in arrays:
            self.add(memref.DeallocOp.get(array))

    @contextmanager
    def loop(
        self, name: str, lower: SSAValue | int, upper: SSAValue | int, step: SSAValue | int = 1
    ) -> Iterator[tuple[Code, SSAValue]]:
        """A loop of scf: code for its body, and its counter."""
        body = Block(arg_types=[IndexType()])
        body.args[0].name_hint = name
        first, end, stride = map(self._value, (lower, upper, step))
        self.add(scf.ForOp(first, end, stride, [], Region(body)))
        inner = Code(InsertPoint.at_end(body))
        yield inner, body.args[0]
        inner.add(scf.YieldOp())

    @contextmanager
    def either(
        self, left: SSAValue, predicate: str, right: SSAValue | int
    ) -> Iterator[tuple[Code, Code]]:
        """Code that runs if a comparison by a predicate of `arith.cmpi` holds, and if not."""
        holds = self.compared(left, predicate, right)
        blocks = Block(), Block()
        self.add(scf.IfOp(holds, [], Region(blocks[0]), Region(blocks[1])))
        then, otherwise = (Code(InsertPoint.at_end(block)) for block in blocks)
        yield then, otherwise
        then.add(scf.YieldOp())
        otherwise.add(scf.YieldOp())

    @contextmanager
    def within(self, lower: SSAValue, value: SSAValue, upper: SSAValue) -> Iterator[Code]:
        """Code that runs if lower <= value < upper."""
        holds = self.both(self.compared(value, "sge", lower), self.compared(value, "slt", upper))
        with self.conditional(holds) as inner:
            yield inner

    @contextmanager
    def parallel_loop(
        self, name: str, lower: SSAValue | int, upper: SSAValue | int
    ) -> Iterator[tuple[Code, SSAValue]]:
        """As `loop`, with iterations that may run at the same time."""
        body = Block(arg_types=[IndexType()])
        body.args[0].name_hint = name
        first, end, step = map(self._value, (lower, upper, 1))
        self.add(scf.ParallelOp([first], [end], [step], Region(body)))
        inner = Code(InsertPoint.at_end(body))
        yield inner, body.args[0]
        inner.add(scf.ReduceOp())

    def at_once(self, *parts: Callable[[Code], None]) -> None:
        """Parts of code that may run at the same time; the threads that there are share them."""
        if len(parts) == 1:
            parts[0](self)
            return
        with self.parallel_loop("part", 0, len(parts)) as (body, number):
            for part, add in enumerate(parts):
                with body.conditional(body.compared(number, "eq", part)) as mine:
                    add(mine)
        self.make_dynamic()

    def make_dynamic(self) -> None:
        """Let threads that are free take the next iteration of the parallel loop just added."""
        loop = self.builder.insertion_point.block.last_op
        assert isinstance(loop, scf.ParallelOp)
        loop.attributes[DynamicAttr.name] = DynamicAttr()

    @contextmanager
    def conditional(self, condition: SSAValue) -> Iterator[Code]:
        """Code that runs only if a condition holds."""
        then = Block()
        self.add(scf.IfOp(condition, [], Region(then)))
        inner = Code(InsertPoint.at_end(then))
        yield inner
        inner.add(scf.YieldOp())

    def first(
        self,
        start: SSAValue,
        is_not: Callable[[Code, SSAValue], SSAValue],
        next: Callable[[Code, SSAValue], SSAValue],
    ) -> SSAValue:
        """The first of `start`, the `next` one after it, and so on, for which `is_not` fails."""
        before, after = (Block(arg_types=[start.type]) for _ in range(2))
        test = Code(InsertPoint.at_end(before))
        test.add(scf.ConditionOp(is_not(test, before.args[0]), before.args[0]))
        step = Code(InsertPoint.at_end(after))
        step.add(scf.YieldOp(next(step, after.args[0])))
        op = scf.WhileOp([start], [start.type], Region(before), Region(after))
        self.add(op)
        return op.results[0]

    def changed(
        self, kind: str, value: SSAValue | int, memory: SSAValue, place: SSAValue | int
    ) -> SSAValue:
        """Change an element at once, as `memref.atomic_rmw` does; what it was before.

        The elements are of type i64, and `value` and the result indices.
        """
        number = self.integer(value)
        op = memref.AtomicRMWOp.create(
            operands=[number, memory, self._value(place)],
            result_types=[i64],
            properties={"kind": IntegerAttr(REDUCTION_KINDS.index(kind), i64)},
        )
        self.add(op)
        return self.index(op.result)

    def fill(self, array: SSAValue, value: SSAValue | int, extents: Sequence[SSAValue]) -> None:
        """Set all elements of an array of some extents."""
        with self.loops("e", extents) as (inner, places):
            inner.store(value, array, *places)

    @contextmanager
    def loops(
        self, name: str, extents: Sequence[SSAValue]
    ) -> Iterator[tuple[Code, tuple[SSAValue, ...]]]:
        """Loops over all elements of an array of some extents, one inside the other."""
        with ExitStack() as stack:
            code: Code = self
            counters: tuple[SSAValue, ...] = ()
            for extent in extents:
                code, counter = stack.enter_context(code.loop(name, 0, extent))
                counters = (*counters, counter)
            yield code, counters

    @contextmanager
    def copy_loops(
        self, name: str, extents: Sequence[SSAValue]
    ) -> Iterator[tuple[Code, tuple[SSAValue, ...]]]:
        """As `loops`, for a copy of an array, which other passes do not take for irregular."""
        with self.loops(name, extents) as (code, counters):
            yield code, counters
        for counter in counters[:1]:
            loop = counter.owner.parent_op()
            assert isinstance(loop, scf.ForOp)
            loop.attributes[COPY_LOOP] = UnitAttr()

    def _value(self, value: SSAValue | int) -> SSAValue:
        return self.constant(value) if isinstance(value, int) else value


def zero_of(type: Attribute) -> arith.ConstantOp:
    """The number 0 of a type."""
    if isinstance(type, AnyFloat):
        return arith.ConstantOp(FloatAttr(0.0, type))
    assert isinstance(type, IndexType | IntegerType)
    return arith.ConstantOp(IntegerAttr(0, type))


def _is_constant(value: SSAValue | int, number: int) -> bool:
    """Whether a value is known to be a number."""
    if isinstance(value, int):
        return value == number
    op = value.owner
    return isinstance(op, arith.ConstantOp) and op.value == IntegerAttr.from_index_int_value(number)
