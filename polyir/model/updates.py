"""Statements that update an element by an associative and commutative operation."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

import islpy as isl
from xdsl.dialects import affine, arith
from xdsl.dialects.builtin import (
    AnyFloat,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    MemRefType,
)
from xdsl.ir import Attribute, Operation, SSAValue

from polyir.dialects.shaped_operations import comparison, operation_on
from polyir.model.extrema import choice_of
from polyir.model.memory_accesses import accesses_of
from polyir.model.statements import Access, AccessKind, Statement


@dataclass(frozen=True)
class ChoiceOrder:
    """How the least or greatest of two numbers is chosen.

    If they are equal, or one of them is NaN, the result is the old number if the choice
    `keeps_old` ones, else the other one.
    """

    is_least: bool
    keeps_old: bool


@dataclass(frozen=True)
class Combiner:
    """An associative and commutative operation, and its neutral element e: `e op x = x`.

    `name` is for messages. The neutral element of signed minima and maxima depends on the type:
    `greatest` and `least` are the extreme values. A statement may also take values away by the
    operation `inverse`: `x - a - b` is `x + (e - a - b)`. `choice` is for an `arith.select` of
    floating-point numbers.
    """

    name: str
    operation: type[Operation]
    neutral: float | Literal["least", "greatest"]
    inverse: type[Operation] | None = None
    choice: ChoiceOrder | None = None

    def combine(
        self, old: SSAValue, value: SSAValue, properties: Mapping[str, Attribute] | None = None
    ) -> tuple[Operation, ...]:
        """Operations that combine two numbers or vectors; the last one has the result.

        Two vectors need the `properties` of the operation, which a choice does not have.
        """
        if self.choice is None and properties is None:
            made: Any = self.operation
            return (made(old, value),)
        if self.choice is None:
            kind = operation_on(self.operation, old.type)
            operands = [old, value]
            new = kind.create(
                operands=operands, result_types=[old.type], properties=dict(properties or {})
            )
            return (new,)
        first, second = (value, old) if self.choice.keeps_old else (old, value)
        test = comparison("olt" if self.choice.is_least else "ogt", first, second)
        kind = operation_on(self.operation, test.results[0].type)
        operands = [test.results[0], first, second]
        return test, kind.create(operands=operands, result_types=[old.type])


_COMBINERS: Final = (
    # 0.0 would make 0.0 of -0.0.
    Combiner("sum", arith.AddfOp, -0.0, arith.SubfOp),
    Combiner("product", arith.MulfOp, 1.0),
    Combiner("maximum", arith.MaximumfOp, -math.inf),
    Combiner("minimum", arith.MinimumfOp, math.inf),
    # These prefer numbers to NaN, so that all values may be NaN.
    Combiner("maximum", arith.MaxnumfOp, math.nan),
    Combiner("minimum", arith.MinnumfOp, math.nan),
    *(
        Combiner(name, arith.SelectOp, neutral, choice=ChoiceOrder(neutral > 0, keeps_old))
        for name, neutral in (("maximum", -math.inf), ("minimum", math.inf))
        for keeps_old in (True, False)
    ),
    Combiner("sum", arith.AddiOp, 0, arith.SubiOp),
    Combiner("product", arith.MuliOp, 1),
    Combiner("maximum", arith.MaxSIOp, "least"),
    Combiner("minimum", arith.MinSIOp, "greatest"),
    Combiner("maximum", arith.MaxUIOp, 0),
    Combiner("minimum", arith.MinUIOp, -1),
    Combiner("conjunction", arith.AndIOp, -1),
    Combiner("disjunction", arith.OrIOp, 0),
    Combiner("exclusive or", arith.XOrIOp, 0),
)


@dataclass(frozen=True)
class Chain:
    """Operations of one kind that lead from the load of an element to the value stored in it.

    Each of the `steps` combines the value with something else; nothing else uses it.
    """

    load: Operation
    combiner: Combiner
    steps: tuple[Operation, ...]


@dataclass(frozen=True)
class Update:
    """A statement `X[f] = X[f] op e`, with the accesses to X[f], and the operations between them.

    `steps` lead from the load to the store: each combines the value with a part of e.
    """

    statement: Statement
    load: Access
    store: Access
    combiner: Combiner
    steps: tuple[Operation, ...]

    @property
    def array(self) -> str:
        """X."""
        return self.store.array

    @property
    def element_type(self) -> Attribute:
        """The type of the elements of X."""
        memory = memory_of(self.store)
        assert isinstance(memory.type, MemRefType)
        element: Attribute = memory.type.element_type
        return element

    @property
    def others(self) -> tuple[Access, ...]:
        """The accesses for e."""
        return tuple(
            each
            for each in self.statement.accesses
            if each.operation not in (self.load.operation, self.store.operation)
        )


def memory_of(access: Access) -> SSAValue:
    """The memref that an access of a statement uses."""
    return accesses_of(access.operation)[0].memref


def update_of(statement: Statement) -> Update | None:
    """The statement as an update, if it is one: its body is `X[f] = X[f] op e`.

    It has one store, surely executed, whose value depends on one load of the same element through
    operations of one kind only, each of them used once. What else e reads is not looked at.
    """
    writes = [each for each in statement.accesses if each.kind is not AccessKind.READ]
    if len(writes) != 1 or not writes[0].certain:
        return None
    (write,) = writes
    store = write.operation
    if not isinstance(store, affine.StoreOp):
        return None
    loads: dict[Operation, Access] = {
        access.operation: access
        for access in statement.accesses
        if access.kind is AccessKind.READ
        and access.array == write.array
        and isinstance(access.operation, affine.LoadOp)
        and access.relation.is_equal(write.relation)
    }
    chain = chain_to(store.value, store, loads)
    if chain is None:
        return None
    return Update(statement, loads[chain.load], write, chain.combiner, chain.steps)


def chain_to(value: SSAValue, store: Operation, loads: Collection[Operation]) -> Chain | None:
    """The chain from one of `loads` to `value`, which only `store` uses; `None` without any."""
    if not is_number(value.type):
        return None
    for combiner in _COMBINERS:
        steps = _steps(value, combiner, loads, store)
        if steps is not None:
            load = _input(steps[0], combiner, loads)
            assert load is not None
            return Chain(load, combiner, tuple(steps))
    return None


def allow_overflow(steps: Iterable[Operation]) -> None:
    """Let integers wrap around: in another order, sums may overflow where they did not before."""
    for step in steps:
        if "overflowFlags" in step.properties:
            step.properties["overflowFlags"] = arith.IntegerOverflowAttr("none")


def is_number(type: Attribute) -> bool:
    """Whether a neutral element of the type is known."""
    return isinstance(type, AnyFloat) or (isinstance(type, IntegerType) and type.width.data > 1)


def neutral_element(combiner: Combiner, type: Attribute) -> IntegerAttr[IntegerType] | FloatAttr:
    """The neutral element of an operation on numbers of a type, as the value of a constant."""
    neutral = combiner.neutral
    if isinstance(type, IntegerType):
        bits = type.width.data
        extremes = {"least": -(1 << (bits - 1)), "greatest": (1 << (bits - 1)) - 1}
        number = extremes[neutral] if isinstance(neutral, str) else int(neutral)
        return IntegerAttr(number, type)
    assert isinstance(type, AnyFloat)
    assert not isinstance(neutral, str)
    return FloatAttr(neutral, type)


def _steps(
    value: SSAValue, combiner: Combiner, loads: Collection[Operation], user: Operation
) -> list[Operation] | None:
    """The operations from one of `loads` to `value`, which only `user` uses; `None` without any."""
    step = value.owner
    if not isinstance(step, Operation) or not _is_used_by(value, user):
        return None
    if not _combines(step, combiner) and not _takes_away(step, combiner):
        return None
    if step.parent is not user.parent:
        return None
    if _input(step, combiner, loads) is not None:
        return [step]
    for operand in _carried(step, combiner):
        found = _steps(operand, combiner, loads, step)
        if found is not None:
            return [*found, step]
    return None


def _combines(step: Operation, combiner: Combiner) -> bool:
    if combiner.choice is None:
        return isinstance(step, combiner.operation)
    choice = choice_of(step)
    return (
        choice is not None
        and choice.is_least == combiner.choice.is_least
        and isinstance(choice.first.type, AnyFloat)
        and _is_used_by(step.operands[0], step)
    )


def _takes_away(step: Operation, combiner: Combiner) -> bool:
    return combiner.inverse is not None and isinstance(step, combiner.inverse)


def _carried(step: Operation, combiner: Combiner) -> tuple[SSAValue, ...]:
    """The operands of a step that may hold the old value: of `x - a`, x only."""
    if combiner.choice is not None:
        choice = choice_of(step)
        assert choice is not None
        return (choice.second if combiner.choice.keeps_old else choice.first,)
    operands = tuple(step.operands)
    return operands[:1] if _takes_away(step, combiner) else operands


def _input(step: Operation, combiner: Combiner, loads: Collection[Operation]) -> Operation | None:
    """The one of `loads` that `step` combines with something else."""
    for operand in _carried(step, combiner):
        load = operand.owner
        if not isinstance(load, Operation) or load.parent is not step.parent:
            continue
        if load in loads and _is_used_by(operand, step):
            return load
    return None


def _is_used_by(value: SSAValue, user: Operation) -> bool:
    """Whether only `user` uses a value, and uses it once; a choice compares it once, too."""
    users = [use.operation for use in value.uses]
    if choice_of(user) is None or value is user.operands[0]:
        return len(users) == 1 and users[0] is user
    test = user.operands[0].owner
    return len(users) == 2 and user in users and test in users


def elements(update: Update) -> isl.Map:
    """`{ S[i] -> X[f] }`: the element that each instance updates."""
    return update.store.relation
