"""Vector code for the loops that a pass chose: those with `#poly.vector` and `#poly.jam`.

A block of iterations, in which loops with these attributes have constant numbers of iterations,
becomes straight-line code; what a loop right around it adds up stays in registers, and columns that
are successive along that loop come from transposed rows (`polyir.loops.transposes`). Any other loop
with `#poly.vector` runs in vectors, and what is left of its iterations in one masked vector. If
most of its accesses are in the same column as what it stores, its vectors start at multiples of
their width there, and the first one is masked, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from xdsl.builder import Builder
from xdsl.dialects import affine, arith, vector
from xdsl.dialects.builtin import DYNAMIC_INDEX, AffineMapAttr, MemRefType, VectorType, i1
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineBinaryOpKind
from xdsl.rewriter import InsertPoint, Rewriter

from polyir.dialects.affine_extra import MaxOp
from polyir.dialects.loop_attributes import (
    MOST_COPIES,
    UNROLLED_ITERATIONS,
    JamAttr,
    PartsAttr,
    ReductionAttr,
    VectorAttr,
)
from polyir.loops.iteration_spaces import IterationSpaces
from polyir.loops.kept_elements import KeptElement, LoopBlock, kept_elements, run_with_kept
from polyir.loops.loop_forms import computed, conditional, extreme_bound, range_of
from polyir.loops.loop_ranges import LoopRange
from polyir.loops.narrow_integers import narrow_integers, widest_number
from polyir.loops.partial_blocks import PartialBlock, PartialLanes, partial_block
from polyir.loops.partial_results import compute_in_parts
from polyir.loops.selects import make_selects
from polyir.loops.unrolled_loops import unroll_inside
from polyir.loops.vector_copies import (
    BodyFacts,
    CopiedCounter,
    Expansion,
    SameMask,
    UnsuitableError,
)
from polyir.loops.vector_reductions import reduce_in_vectors
from polyir.model.index_expressions import Constraint, IndexExpression, map_of
from polyir.model.memory_accesses import ElementAccess, ElementLoad, ElementStore

Report = Callable[[str, Operation], None]
"""Takes a message about what was done, or not done and why, and the loop."""


def vectorize(root: Operation, done: Report, left: Report) -> bool:
    """Make vector code of the loops from `root` down that have `#poly.vector`, in place.

    Such loops must be parallel, and so must loops with `#poly.jam`. Loops with `#poly.reduction`
    run in vectors of partial results if they update one element. Innermost loops with
    `#poly.jam` only are unrolled if their number of iterations is constant. Loops that stay as
    they are keep their attributes. Returns whether there was such a loop; what is done is reported
    to `done`, what cannot be done to `left`.
    """
    found = _share_parts(root, done, left)
    for loop, attribute in [pair for op in root.walk() for pair in _vector_attributes(op)]:
        found = True
        if not isinstance(loop, affine.ForOp):
            left("a loop stays scalar: it is parallel, or its bounds are not affine", loop)
            continue
        try:
            if isinstance(attribute, VectorAttr):
                message = _vectorize(loop, attribute.data)
            else:
                how = reduce_in_vectors(loop, attribute.data)
                message = f"{_name(loop)} runs in {how}"
        except UnsuitableError as error:
            left(f"{_name(loop)} stays scalar: {error}", loop)
        else:
            # The loop is gone.
            done(message, root)
    for loop in [op for op in root.walk() if _has_rows_only(op)]:
        assert isinstance(loop, affine.ForOp)
        found = True
        try:
            block = _block_around(loop, 1)
            if block is None:
                continue
            message = _vectorize_block(block)
        except UnsuitableError as error:
            left(f"{_name(loop)} is not unrolled: {error}", loop)
        else:
            done(message, root)
    return found


def _share_parts(root: Operation, done: Report, left: Report) -> bool:
    """Let threads share the iterations of loops with `#poly.parts`; whether there was one."""
    loops = [op for op in root.walk() if PartsAttr.name in op.attributes]
    for loop in loops:
        attribute = loop.attributes[PartsAttr.name]
        if not isinstance(loop, affine.ForOp) or not isinstance(attribute, PartsAttr):
            continue
        try:
            message = f"{_name(loop)} runs in {compute_in_parts(loop, attribute.data)}"
        except UnsuitableError as error:
            left(f"{_name(loop)} stays sequential: {error}", loop)
        else:
            done(message, root)
    return bool(loops)


def _vector_attributes(op: Operation) -> Iterator[tuple[Operation, VectorAttr | ReductionAttr]]:
    """A loop with the attribute that says that it is to run in vectors, if there is one."""
    for kind in (VectorAttr, ReductionAttr):
        attribute = op.attributes.get(kind.name)
        if isinstance(attribute, VectorAttr | ReductionAttr):
            yield op, attribute


def _has_rows_only(op: Operation) -> bool:
    """Whether a loop is to be unrolled around its body, which has no vectors."""
    return (
        isinstance(op, affine.ForOp)
        and JamAttr.name in op.attributes
        and not any(inner.regions for inner in op.body.block.ops)
    )


def _vectorize(loop: affine.ForOp, width: int) -> str:
    """Vectorise one loop, or the block that it is the innermost loop of; says what was done."""
    widest = widest_number(loop)
    unroll_inside(loop)
    make_selects(loop)
    narrow_integers(loop.body.block)
    block = _block_around(loop, width)
    if block is not None:
        return _vectorize_block(block)
    # What was a variable between loops may be a narrow value now.
    return _vectorize_loop(loop, width * max(1, widest // max(1, widest_number(loop))))


def _name(loop: affine.ForOp) -> str:
    hint = loop.body.block.args[0].name_hint
    return f"the loop over %{hint}" if hint else "the loop"


# ---------------------------------------------------------------------------------- blocks


def _block_around(loop: affine.ForOp, width: int) -> LoopBlock | None:
    """The block that `loop` is the innermost loop of; `None` if it is in none."""
    rows: list[affine.ForOp] = []
    parent = loop.parent_op()
    while (
        isinstance(parent, affine.ForOp)
        and isinstance(parent.attributes.get(JamAttr.name), JamAttr)
        and _is_all_of(rows[0] if rows else loop, parent)
    ):
        rows.insert(0, parent)
        parent = parent.parent_op()
    return (
        _complete_block(loop, rows, width)
        or _partial_block(loop, rows, width)
        or _complete_block(loop, (), width)
    )


def _partial_block(
    loop: affine.ForOp, rows: Sequence[affine.ForOp], width: int
) -> LoopBlock | None:
    """All of the loops as a block of which some iterations may not run.

    Vectors without rows, unless they are made of elements that are not successive, need no block.
    Lanes that do not run may divide by zero.
    """
    sizes = [
        attribute.data
        for row in rows
        if isinstance(attribute := row.attributes[JamAttr.name], JamAttr)
    ]
    found = partial_block((*rows, loop), sizes, width, IterationSpaces(with_steps=True))
    if found is None:
        return None
    counters = [each.value for each in found.counters]
    facts = BodyFacts.of(loop.body.block, counters, width > 1)
    if facts.may_trap or (found.ranges[-1].lower if facts.has_gathers else not rows):
        return None
    return LoopBlock((*rows, loop), found.counters, width, found)


def _complete_block(
    loop: affine.ForOp, rows: Sequence[affine.ForOp], width: int
) -> LoopBlock | None:
    """The loop, and those rows that have constant numbers of iterations, too.

    `None` if some rows do not: then the block may be partial.
    """
    counter = _constant_range(loop, width)
    if counter is None:
        return None
    counters = [_constant_range(row, 1) for row in rows]
    known = [each for each in counters if each is not None]
    if len(known) < len(rows):
        return None
    return LoopBlock((*rows, loop), (*known, counter), width)


def _is_all_of(inner: Operation, outer: affine.ForOp) -> bool:
    """Whether a loop does nothing but run another one."""
    body = outer.body.block
    return body.first_op is inner and inner.next_op is body.last_op and not outer.results


def _constant_range(loop: affine.ForOp, width: int) -> CopiedCounter | None:
    """The counter of a loop with a constant number of copies, each of `width` iterations."""
    range = range_of(loop)
    if range is None or range.step != 1 or loop.results:
        return None
    if len(range.lower) != 1 or len(range.upper) != 1:
        return None
    length = range.upper[0] - range.lower[0]
    count, rest = divmod(length.constant, width)
    if not length.is_constant or rest or not 1 <= count <= MOST_COPIES:
        return None
    return CopiedCounter(range.counter, range.lower[0], count, width)


def _vectorize_block(block: LoopBlock) -> str:
    has_vectors = block.width > 1
    facts = BodyFacts.of(block.body, [each.value for each in block.counters], has_vectors)
    outermost = block.loops[0]
    around = outermost.parent_op()
    kept: tuple[KeptElement, ...] = ()
    guards: tuple[Constraint, ...] = ()
    if (
        isinstance(around, affine.ForOp)
        and _is_all_of(outermost, around)
        and not block.moves_with(around.body.block.args[0])
    ):
        spaces = IterationSpaces()
        found = spaces.guards(around, spaces.context(around))
        if found is not None:
            kept, guards = kept_elements(block, facts, around, spaces), found
    is_long = len(block.loops) == 1 and block.counters[0].count > UNROLLED_ITERATIONS
    if is_long and has_vectors and not (kept or facts.has_gathers or facts.may_trap):
        return _vectorize_loop(outermost, block.width)
    shape = " x ".join(str(each.count * each.step) for each in block.counters)
    blocks = "blocks" if block.partial is None else "partial blocks"
    message = f"{_name(block.loops[-1])} runs in {blocks} of {shape}"
    if has_vectors:
        message += f", in vectors of {block.width}"
    if not kept:
        builder = Builder(InsertPoint.before(outermost))
        lanes = block.lanes(builder)
        Expansion(facts, block.counters, block.width, builder, lanes).run(block.body)
        Rewriter.erase_op(outermost)
        return message
    assert isinstance(around, affine.ForOp)
    rows = run_with_kept(block, facts, around, kept, guards)
    message += f", with elements of {_arrays(each.access for each in kept)} in registers"
    return f"{message}, and rows of {_arrays(rows)} transposed" if rows else message


def _arrays(accesses: Iterable[ElementAccess]) -> str:
    return ", ".join(dict.fromkeys(f"%{each.memref.name_hint}" for each in accesses))


# ---------------------------------------------------------------------------------- any loop


def _vectorize_loop(loop: affine.ForOp, width: int) -> str:
    """Run a loop in vectors, and the rest of its iterations in one masked vector."""
    range = range_of(loop)
    if range is None or range.step != 1 or loop.results:
        raise UnsuitableError("its iterations do not follow each other by one")
    body = loop.body.block
    facts = BodyFacts.of(body, [range.counter])
    if facts.may_trap:
        raise UnsuitableError("integers are divided")
    if facts.has_gathers:
        raise UnsuitableError("it loads elements that are not next to each other")
    offset = _offset_of_aligned(facts, range.counter, width)
    if offset is None:
        _add_main_loop(loop, range, facts, width)
        _add_rest(loop, range, facts, width)
        how = ""
    else:
        _add_aligned_loops(loop, range, facts, width, offset)
        how = ", from multiples of it on"
    Rewriter.erase_op(loop)
    return f"{_name(loop)} runs in vectors of {width}{how}"


def _offset_of_aligned(facts: BodyFacts, counter: SSAValue, width: int) -> IndexExpression | None:
    """What is added to `counter` in the last subscript of a store, if most accesses agree on it.

    Such vectors are in one cache line each if the loop takes multiples of `width` there. Others
    are in two, which the first-level cache loads one after the other. `None` if few would gain:
    more of them must where rows may start anywhere in a line, for the first vector is masked.
    """
    of_counter = IndexExpression.of(counter)
    vectors = [
        op for op, indices in facts.subscripts.items() if facts.vector in facts.of_access(op)
    ]
    offsets = {op: facts.subscripts[op][-1] - of_counter for op in vectors}
    store = next((op for op in vectors if isinstance(op, ElementStore)), None)
    if store is None or not isinstance(store.memref.type, MemRefType):
        return None
    first, extents = offsets[store], store.memref.type.get_shape()
    starts_anywhere = len(extents) > 1 and (extents[-1] == DYNAMIC_INDEX or extents[-1] % width)
    least = 3 if starts_anywhere else 2
    differences = [offsets[op] - first for op in vectors if isinstance(op, ElementLoad)]
    aligned = [each for each in differences if each.is_constant and each.constant % width == 0]
    return first if len(aligned) >= least and 2 * len(aligned) > len(differences) else None


def _add_aligned_loops(
    loop: affine.ForOp, range: LoopRange, facts: BodyFacts, width: int, offset: IndexExpression
) -> None:
    """The iterations in vectors that start at multiples of `width`, less `offset`.

    The first and the last one are masked.
    """

    def rounded(kind: AffineBinaryOpKind, bound: IndexExpression) -> IndexExpression:
        return (bound + offset).divide(kind, width).scale(width) - offset

    down = partial(rounded, AffineBinaryOpKind.FloorDiv)
    up = partial(rounded, AffineBinaryOpKind.CeilDiv)
    builder = Builder(InsertPoint.before(loop))
    first, end = _extreme_bounds(range, builder)
    lower, upper = IndexExpression.of(first), IndexExpression.of(end)
    ends = LoopRange(range.counter, (lower,), (upper,), 1)
    start = down(lower)
    _add_masked(loop, ends, facts, width, start, Constraint((lower - start).shift(-1), False))
    full = replace(range, lower=tuple(map(up, range.lower)))
    _add_main_loop(loop, full, facts, width)
    # In the vector of the first iteration, the last ones have run.
    start = down(upper)
    after = replace(ends, lower=())
    _add_masked(loop, after, facts, width, start, Constraint(start - lower, False))


def _extreme_bounds(range: LoopRange, builder: Builder) -> tuple[SSAValue, SSAValue]:
    """The first value of a counter, and the end of its values."""
    first = extreme_bound(range.lower, MaxOp, builder)
    end = extreme_bound(range.upper, affine.MinOp, builder)
    for value, hint in ((first, "first"), (end, "end")):
        value.name_hint = value.name_hint or hint
    return first, end


def _add_masked(
    loop: affine.ForOp,
    range: LoopRange,
    facts: BodyFacts,
    width: int,
    start: IndexExpression,
    guard: Constraint,
) -> None:
    """The iterations in one vector that are in a range, if `guard` holds, before `loop`."""
    spaces = IterationSpaces(with_steps=True)
    known, holds = spaces.context(loop), spaces.holds(guard)
    if known.is_disjoint(holds):
        return
    block = Block()
    inner = Builder(InsertPoint.at_end(block))
    value = computed(start, True, inner)
    value.name_hint = value.name_hint or range.counter.name_hint
    counter = CopiedCounter(range.counter, IndexExpression.of(value), 1)
    lanes = PartialLanes(PartialBlock((counter,), (range,)), width, inner)
    Expansion(facts, [counter], width, inner, lanes).run(loop.body.block)
    block.add_op(affine.YieldOp.get())
    guards = [] if known.is_subset(holds) else [guard]
    _place_before(loop, block, guards)


def _place_before(loop: affine.ForOp, block: Block, guards: Sequence[Constraint]) -> None:
    """Run what is in a block, which ends with a yield, before `loop`, if `guards` hold."""
    if guards:
        conditional(guards, block, None, loop, Builder(InsertPoint.before(loop)))
        return
    for op in tuple(block.ops)[:-1]:
        op.detach()
        Builder(InsertPoint.before(loop)).insert(op)


def _add_main_loop(loop: affine.ForOp, range: LoopRange, facts: BodyFacts, width: int) -> None:
    """The iterations in full vectors, before `loop`."""
    body = Block(arg_types=[range.counter.type])
    body.args[0].name_hint = range.counter.name_hint
    first = IndexExpression.of(body.args[0])
    counter = CopiedCounter(range.counter, first, 1)
    Expansion(facts, [counter], width, Builder(InsertPoint.at_end(body))).run(loop.body.block)
    body.add_op(affine.YieldOp.get())
    lower, lower_operands = map_of(range.lower)
    upper, upper_operands = map_of([each.shift(1 - width) for each in range.upper])
    main = affine.ForOp.from_region(
        lower_operands,
        upper_operands,
        [],
        [],
        AffineMapAttr(lower),
        AffineMapAttr(upper),
        Region(body),
        width,
    )
    main.location = loop.location
    Builder(InsertPoint.before(loop)).insert(main)


def _add_rest(loop: affine.ForOp, range: LoopRange, facts: BodyFacts, width: int) -> None:
    """The iterations after the last full vector, before `loop`."""
    lengths = [high - low for high in range.upper for low in range.lower]
    spaces = IterationSpaces(with_steps=True)
    known = spaces.context(loop).intersect(spaces.runs(loop))
    rests = [length.divide(AffineBinaryOpKind.Mod, width) for length in lengths]
    if all(known.is_subset(spaces.holds(Constraint(rest, True))) for rest in rests):
        return
    builder = Builder(InsertPoint.before(loop))
    guards: list[Constraint] = []
    if len(lengths) == 1 and lengths[0].is_constant:
        rest = computed(rests[0], True, builder)
        start = range.upper[0] - rests[0]
    else:
        if len(lengths) == 1:
            end = computed(range.upper[0], True, builder)
            count = computed(lengths[0], True, builder)
        else:
            first, end = _extreme_bounds(range, builder)
            count = builder.insert(arith.SubiOp(end, first)).result
        size = computed(IndexExpression((), width), False, builder)
        # Of a loop without iterations, no rest is positive.
        rest = builder.insert(arith.RemSIOp(count, size)).result
        rest.name_hint = "rest"
        value = builder.insert(arith.SubiOp(end, rest)).result
        value.name_hint = range.counter.name_hint
        start = IndexExpression.of(value)
        guards.append(Constraint(IndexExpression.of(rest).shift(-1), False))
    block = Block()
    inner = Builder(InsertPoint.at_end(block))
    mask = inner.insert(vector.CreateMaskOp([rest], VectorType(i1, [width]))).results[0]
    mask.name_hint = "mask"
    counter = CopiedCounter(range.counter, start, 1)
    Expansion(facts, [counter], width, inner, SameMask(mask)).run(loop.body.block)
    block.add_op(affine.YieldOp.get())
    _place_before(loop, block, guards)
