"""What loops that update one element have in common, however they are computed."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.dialects import affine
from xdsl.ir import Block, Operation, SSAValue

from polyir.loops.iteration_spaces import IterationSpaces
from polyir.loops.vector_copies import BodyFacts, Element, Load, Store, UnsuitableError
from polyir.model.index_expressions import Constraint
from polyir.model.raising.effects import may_overlap
from polyir.model.updates import Chain, allow_overflow, chain_to


@dataclass(frozen=True)
class ElementUpdate:
    """The load and the store of one element, and the operations between them."""

    load: Load
    store: Store
    chain: Chain

    def combined(self, one: SSAValue, other: SSAValue, builder: Builder) -> SSAValue:
        """Two partial results, by the operation that the loop has."""
        combiner = self.chain.combiner
        same = (each for each in self.chain.steps if isinstance(each, combiner.operation))
        # A sum may only take away.
        properties = next(same, self.chain.steps[0]).properties
        operations = combiner.combine(one, other, properties)
        for operation in operations:
            builder.insert(operation)
        return operations[-1].results[0]

    def update(self, total: SSAValue, builder: Builder) -> None:
        """Combine the result of all iterations with the element."""
        load, store = self.load.clone(), self.store.clone()
        builder.insert(load)
        store.operands[0] = self.combined(load.results[0], total, builder)
        builder.insert(store)

    def drop_overflow_flags(self) -> None:
        """Partial results may overflow where those in order do not."""
        allow_overflow(self.chain.steps)


def update_in(accesses: Collection[Load | Store], counters: Collection[SSAValue]) -> ElementUpdate:
    """How a loop updates one element, given its accesses, its counter and those of loops inside.

    No other access is to that element, or to one that the loop may store. Raises
    `UnsuitableError`.
    """
    stores = [op for op in accesses if isinstance(op, Store)]
    if len(stores) != 1:
        raise UnsuitableError("it does not store to one element only")
    (store,) = stores
    facts = BodyFacts(())
    elements: dict[Load | Store, Element] = {
        op: (op.memref, facts.subscripts_of(op)) for op in accesses
    }
    outermost = next(iter(counters)).owner
    assert isinstance(outermost, Block)
    if any(_changes(value, outermost) for each in elements[store][1] for value in each.values()):
        raise UnsuitableError("it does not update one element")
    same: dict[Operation, Load] = {
        op: op for op in accesses if isinstance(op, Load) and elements[op] == elements[store]
    }
    chain = chain_to(store.value, store, same)
    if chain is None or len(same) != 1:
        raise UnsuitableError("it does not update its element by one associative operation")
    spaces = IterationSpaces()
    updated = spaces.elements(elements[store][1], spaces.context(store), counters)
    for op in accesses:
        if op in same or op is store or not may_overlap(op.memref, store.memref):
            continue
        touched = spaces.elements(elements[op][1], spaces.context(op), counters)
        if op.memref is not store.memref or not updated.is_disjoint(touched):
            raise UnsuitableError("it may load an element that it updates")
    return ElementUpdate(same[chain.load], store, chain)


def _changes(value: SSAValue, body: Block) -> bool:
    """Whether a value may be another one in each iteration of a loop with this body."""
    block = value.owner if isinstance(value.owner, Block) else value.owner.parent
    return block is body or (block is not None and body.is_ancestor(block))


def guards_of(loop: affine.ForOp) -> tuple[Constraint, ...]:
    """What must hold for a loop to run at all: else, its element may not exist."""
    spaces = IterationSpaces()
    found = spaces.guards(loop, spaces.context(loop))
    if found is None:
        raise UnsuitableError("when it runs is not a condition that is cheap to test")
    return tuple(found)
