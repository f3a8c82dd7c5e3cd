"""Statements that update an element by an associative and commutative operation."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

import islpy as isl
from xdsl.builder import Builder
from xdsl.dialects import affine, arith
from xdsl.dialects.builtin import AnyFloat, IntegerType
from xdsl.ir import Attribute, Operation, SSAValue

from polyir.dialects.reductions import COMBINERS, Combiner
from polyir.model.extrema import choice_of
from polyir.model.memory_accesses import ElementLoad, ElementStore
from polyir.model.statements import Access, AccessKind, Statement


@dataclass(frozen=True)
class Chain:
    """An update `X[f] = X[f] op e` as operations: from the `load` of an element to its `store`.

    Each of the `steps` in between combines the value with something else; nothing else uses it.
    Partial results of updates that run in any order begin with the neutral element, and are
    combined by the operation of the steps.
    """

    load: ElementLoad
    store: ElementStore
    combiner: Combiner
    steps: tuple[Operation, ...]

    def neutral(self, builder: Builder) -> SSAValue:
        """What a partial result begins with."""
        type = self.load.results[0].type
        return builder.insert(self.combiner.neutral_element(type)).result

    def combined(self, values: Iterable[SSAValue], builder: Builder) -> SSAValue:
        """Some numbers or vectors, each combined with those before when it comes."""
        # A sum may only take away.
        same = (each for each in self.steps if isinstance(each, self.combiner.operation))
        properties = next(same, self.steps[0]).properties
        remaining = iter(values)
        total = next(remaining)
        for other in remaining:
            operations = self.combiner.combine(total, other, properties)
            for operation in operations:
                builder.insert(operation)
            total = operations[-1].results[0]
        return total

    def allow_overflow(self) -> None:
        """Let integers wrap around: in another order, sums may overflow where they did not."""
        for step in self.steps:
            if "overflowFlags" in step.properties:
                step.properties["overflowFlags"] = arith.IntegerOverflowAttr("none")


@dataclass(frozen=True)
class Update:
    """A statement `X[f] = X[f] op e`, with the accesses to X[f] and its operations."""

    statement: Statement
    load: Access
    store: Access
    chain: Chain

    @property
    def array(self) -> str:
        """X."""
        return self.store.array

    @property
    def combiner(self) -> Combiner:
        """The operation op."""
        return self.chain.combiner

    @property
    def memory(self) -> SSAValue:
        """The memref that is X."""
        return self.chain.store.memref

    @property
    def element_type(self) -> Attribute:
        """The type of the elements of X."""
        return self.chain.store.value.type

    @property
    def others(self) -> tuple[Access, ...]:
        """The accesses for e."""
        return tuple(
            each
            for each in self.statement.accesses
            if each.operation not in (self.load.operation, self.store.operation)
        )


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
    chain = chain_to(store, loads)
    if chain is None:
        return None
    return Update(statement, loads[chain.load], write, chain)


def chain_to(store: ElementStore, loads: Collection[Operation]) -> Chain | None:
    """The chain from one of `loads` to what `store` stores; `None` without any."""
    if not is_number(store.value.type):
        return None
    for combiner in COMBINERS:
        steps = _steps(store.value, combiner, loads, store)
        if steps is not None:
            load = _input(steps[0], combiner, loads)
            assert isinstance(load, ElementLoad)
            return Chain(load, store, combiner, tuple(steps))
    return None


def is_number(type: Attribute) -> bool:
    """Whether a neutral element of the type is known."""
    return isinstance(type, AnyFloat) or (isinstance(type, IntegerType) and type.width.data > 1)


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
