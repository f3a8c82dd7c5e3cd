"""What loops that update one element have in common, however they are computed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from xdsl.builder import Builder
from xdsl.dialects import affine
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from polyir.loops.iteration_spaces import IterationSpaces
from polyir.loops.loop_forms import conditional, range_of
from polyir.loops.loop_ranges import LoopRange
from polyir.loops.vector_copies import BodyFacts, Element, UnsuitableError
from polyir.model.memory_accesses import ElementAccess, ElementLoad, ElementStore
from polyir.model.raising.effects import may_overlap
from polyir.model.updates import Chain, chain_to


def update_element(update: Chain, total: SSAValue, builder: Builder) -> None:
    """Combine the result of all iterations with the element."""
    load, store = update.load.clone(), update.store.clone()
    builder.insert(load)
    store.operands[0] = update.combined((load.results[0], total), builder)
    builder.insert(store)


def update_in(accesses: Collection[ElementAccess], counters: Collection[SSAValue]) -> Chain:
    """How a loop updates one element, given its accesses, its counter and those of loops inside.

    No other access is to that element, or to one that the loop may store. Raises
    `UnsuitableError`.
    """
    if sum(isinstance(op, ElementStore) for op in accesses) != 1:
        raise UnsuitableError("it does not store to one element only")
    (update,) = updates_in(accesses, counters)
    return update


def updates_in(
    accesses: Collection[ElementAccess], counters: Collection[SSAValue]
) -> tuple[Chain, ...]:
    """How a loop updates some elements, given its accesses, its counter and those of loops inside.

    No other access is to these elements. What else the loop stores, no other iteration accesses:
    the iterations may run in any order. Raises `UnsuitableError`.
    """
    facts = BodyFacts(())
    elements: dict[ElementAccess, Element] = {
        op: (op.memref, facts.subscripts_of(op)) for op in accesses
    }
    outermost = next(iter(counters)).owner
    assert isinstance(outermost, Block)
    stores = [op for op in accesses if isinstance(op, ElementStore)]
    found = [
        _update(store, elements)
        for store in stores
        if not any(_changes(v, outermost) for each in elements[store][1] for v in each.values())
    ]
    if not found:
        raise UnsuitableError("it does not update one element")
    spaces = IterationSpaces()

    def are_apart(op: ElementAccess, other: ElementAccess) -> bool:
        """Whether two accesses are to different elements, whatever iterations they are of."""
        if not may_overlap(op.memref, other.memref):
            return True
        touched, others = (
            spaces.elements(elements[each][1], spaces.context(each), counters)
            for each in (op, other)
        )
        return op.memref is other.memref and touched.is_disjoint(others)

    updating = {op for each in found for op in (each.load, each.store)}
    for update in found:
        own = (update.load, update.store)
        if not all(are_apart(update.store, op) for op in accesses if op not in own):
            raise UnsuitableError("it may load an element that it updates")
    for store in stores:
        if store in updating:
            continue
        others = (op for op in accesses if op not in updating and elements[op] != elements[store])
        if len(counters) > 1 or not all(are_apart(store, op) for op in others):
            raise UnsuitableError("it may load an element that another iteration stores")
    return tuple(found)


def _update(store: ElementStore, elements: Mapping[ElementAccess, Element]) -> Chain:
    """The update that ends with a store; raises `UnsuitableError` if there is none."""
    same: list[Operation] = [
        op for op in elements if isinstance(op, ElementLoad) and elements[op] == elements[store]
    ]
    chain = chain_to(store, same)
    if chain is None or len(same) != 1:
        raise UnsuitableError("it does not update its element by one associative operation")
    return chain


def _changes(value: SSAValue, body: Block) -> bool:
    """Whether a value may be another one in each iteration of a loop with this body."""
    block = value.owner if isinstance(value.owner, Block) else value.owner.parent
    return block is body or (block is not None and body.is_ancestor(block))


def successive_range(loop: affine.ForOp) -> LoopRange:
    """The range of a loop whose counter grows by one; raises `UnsuitableError` for others."""
    range = range_of(loop)
    if range is None or range.step != 1 or loop.results:
        raise UnsuitableError("its iterations do not follow each other by one")
    return range


def replace_loop(
    loop: affine.ForOp, updates: Collection[Chain], make: Callable[[Builder], None]
) -> None:
    """Replace a loop by what `make` adds, which runs the updates in another order.

    Where the loop has no iteration, the elements may not exist: that is tested before. Raises
    `UnsuitableError` if it is not cheap to test, and has changed nothing then.
    """
    spaces = IterationSpaces()
    guards = spaces.guards(loop, spaces.context(loop))
    if guards is None:
        raise UnsuitableError("when it runs is not a condition that is cheap to test")
    for update in updates:
        update.allow_overflow()
    builder = Builder(InsertPoint.before(loop))
    if guards:
        # Loops are where they stay before others are built in them, whose bounds depend on that.
        block = Block([affine.YieldOp.get()])
        conditional(guards, block, None, loop, builder)
        assert block.last_op is not None
        builder = Builder(InsertPoint.before(block.last_op))
    make(builder)
    Rewriter.erase_op(loop)
