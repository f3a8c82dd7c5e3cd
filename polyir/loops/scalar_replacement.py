"""Keep array elements in SSA values in loops that do not change their address.

    for k:                                  c = C[i][j]
      C[i][j] = C[i][j] + A[k]      =>      for k: c = c + A[k]
                                            C[i][j] = c

After D. Callahan, S. Carr, K. Kennedy, "Improving register allocation for subscripted
variables", PLDI 1990, and S. Carr, K. Kennedy, "Scalar replacement in the presence of
conditional control flow", Software: Practice and Experience 24(1), 1994; without reuse across
iterations. An element is loaded before the loop only if the loop would access it, and stored
after it only if the loop would store it. An element stays in memory if another access in the loop
may be to the same element; isl decides this.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import islpy as isl
from xdsl.builder import Builder
from xdsl.dialects import affine, arith, memref, scf
from xdsl.dialects.builtin import (
    AnyFloat,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from polyir.base import budgets
from polyir.base.limits import within_operations
from polyir.dialects.loop_attributes import rules_of
from polyir.loops.iteration_spaces import IterationSpaces, is_loop
from polyir.loops.loop_forms import (
    SequentialLoop,
    computed,
    conditional,
    initial_values,
    inline,
    is_outside,
    with_carried_values,
)
from polyir.loops.memory_accesses import (
    ElementUse,
    MemrefElement,
    Overlap,
    Touch,
    memory_uses,
)
from polyir.model.affine_operations import load_at, store_at
from polyir.model.index_expressions import Constraint
from polyir.model.memory_accesses import ElementAccess, ElementStore
from polyir.model.raising.control import LOOPS, ConditionalOp, branches_of

Report = Callable[[str, Operation], None]
"""Takes a message about what was done, or not done and why, and the loop."""


def scalar_replacement(root: Operation, levels: int, done: Report, left: Report) -> bool:
    """Keep elements in SSA values in the loops from `root` down, in place.

    Innermost loops have level 1, and loops around loops of level at most n have level n + 1.
    Loops of up to `levels` are considered, inner ones first. Returns whether there was a candidate
    element; each one is reported to `done` or `left`.
    """
    found = False
    for level in range(1, levels + 1):
        loops = [loop for loop, its_level in _levels(root).items() if its_level == level]
        if not loops:
            break
        for loop in loops:
            if isinstance(loop, SequentialLoop):
                found |= _replace_in(loop, done, left)
    return found


def _levels(root: Operation) -> dict[Operation, int]:
    """The loops from `root` down, each with its level."""
    levels: dict[Operation, int] = {}
    inside: dict[Operation, int] = {}
    for op in root.walk(region_first=True):
        level = inside.get(op, 0)
        if is_loop(op):
            level += 1
            levels[op] = level
        parent = op.parent_op()
        if parent is not None:
            inside[parent] = max(inside.get(parent, 0), level)
    return levels


@dataclass(frozen=True)
class _Before:
    """The last access to an element before the loop in its block: `op` left it with `value`."""

    op: ElementAccess
    value: SSAValue
    is_read_later: bool

    @property
    def is_store(self) -> bool:
        return isinstance(self.op, ElementStore)


@dataclass(frozen=True, eq=False)
class _Kept:
    """An element that lives in an SSA value in a loop.

    `members` access it in the loop. With `is_stored_after`, its stores are removed from the loop;
    otherwise, they stay. `is_loaded` tells whether its value before the loop matters.
    """

    element: MemrefElement
    members: tuple[ElementAccess, ...]
    is_loaded: bool
    is_stored_after: bool
    before: _Before | None

    @property
    def is_carried(self) -> bool:
        """Whether the value changes in the loop."""
        return any(isinstance(op, ElementStore) for op in self.members)


@dataclass(frozen=True)
class _Choice:
    """The plan for the elements whose address stays the same in a loop.

    Those of `left` stay in memory, each for a reason. Loads and stores around the loop for those
    of `kept` must only run if `guards` hold.
    """

    kept: tuple[_Kept, ...] = ()
    left: tuple[tuple[MemrefElement, str], ...] = ()
    guards: tuple[Constraint, ...] = ()


def _decide(loop: SequentialLoop) -> _Choice:
    """Which elements to keep in SSA values in `loop`; nothing is changed."""
    spaces = IterationSpaces(with_steps=True)
    # Most loops change all addresses, which is seen without the values that they run for.
    if not any(_is_constant(use, loop) for use in _uses_in(loop, spaces.everything, spaces)):
        return _Choice()
    known = spaces.context(loop)
    uses = _uses_in(loop, known.intersect(spaces.domain(loop)), spaces)
    kept: list[_Kept] = []
    left: list[tuple[MemrefElement, str]] = []
    guards = spaces.guards(loop, known)
    for element, members in _elements(loop, uses, spaces).items():
        plan = _plan(loop, element, members, uses, known, spaces)
        if isinstance(plan, _Kept) and guards is None and _needs_guard(plan, known, spaces):
            plan = "no simple test says whether the loop runs"
        if isinstance(plan, _Kept):
            kept.append(plan)
        else:
            left.append((element, plan))
    is_guarded = any(_needs_guard(plan, known, spaces) for plan in kept)
    return _Choice(tuple(kept), tuple(left), (guards or ()) if is_guarded else ())


def _uses_in(
    loop: SequentialLoop, inside: isl.Set, spaces: IterationSpaces
) -> list[ElementUse | Touch]:
    """What the iterations of a loop access, for values that are `inside`."""
    return [use for op in loop.body.block.ops for use in memory_uses(op, inside, spaces)]


def _is_constant(use: ElementUse | Touch, loop: SequentialLoop) -> bool:
    """Whether it is an access with the same address in all iterations of a loop."""
    if not isinstance(use, ElementUse) or not is_outside(use.op.memref, loop):
        return False
    if not use.subscripts and isinstance(use.op.memref.owner, memref.AllocaOp):
        # C compilers and LLVM keep variables in registers.
        return False
    return all(
        is_outside(value, loop) for subscript in use.subscripts for value in subscript.values()
    )


def _replace_in(loop: SequentialLoop, done: Report, left: Report) -> bool:
    """Keep elements in SSA values in `loop`; returns whether there was a candidate."""
    decision = within_operations(budgets.SCALAR_REPLACEMENT, partial(_decide, loop))
    if decision is None:
        left("all elements stay in memory: isl takes too long to compare the accesses", loop)
        return True
    counter = loop.body.block.args[0].name_hint
    where = f"in the loop over %{counter}" if counter else "in the loop"
    for element, reason in decision.left:
        left(f"{element} stays in memory {where}: {reason}", loop)
    for plan in decision.kept:
        if plan.is_stored_after:
            how = "stored after it"
        else:
            how = "stored in it" if plan.is_carried else "read only"
        done(f"{plan.element} is kept in a value {where}, {how}", loop)
    if decision.kept:
        _rewrite(loop, decision.kept, decision.guards)
    return bool(decision.kept or decision.left)


def _elements(
    loop: SequentialLoop, uses: Sequence[ElementUse | Touch], spaces: IterationSpaces
) -> dict[MemrefElement, tuple[ElementUse, ...]]:
    """The elements whose address is the same in all iterations, each with its accesses."""
    found: dict[MemrefElement, tuple[ElementUse, ...]] = {}
    taken: set[Operation] = set()
    accesses = [use for use in uses if isinstance(use, ElementUse)]
    for access in accesses:
        if access.op in taken or not _is_constant(access, loop):
            continue
        element = MemrefElement(access.op.memref, access.subscripts)
        found[element] = tuple(
            other
            for other in accesses
            if other.op not in taken and element.overlap(other, spaces) is Overlap.ALWAYS
        )
        taken.update(other.op for other in found[element])
    return found


def _plan(
    loop: SequentialLoop,
    element: MemrefElement,
    accesses: Sequence[ElementUse],
    uses: Sequence[ElementUse | Touch],
    known: isl.Set,
    spaces: IterationSpaces,
) -> _Kept | str:
    """How to keep `element` in a value in `loop`, which does `uses`, or why that cannot be."""
    members = {access.op: None for access in accesses}
    stores = {access.op: None for access in accesses if access.is_store}
    for attribute in loop.attributes.values() if stores else ():
        if rules_of(attribute).requires_parallel():
            return f"a loop with {attribute} must not carry a value"
    for use in uses:
        is_other = use.op not in members and element.overlap(use, spaces) is not Overlap.NEVER
        if is_other and (stores or isinstance(use, Touch) or use.is_store):
            return _reason(use)
    if not all(map(partial(_is_reached_by_conditions, loop=loop), members)):
        return "it is accessed in a loop inside"
    body = loop.body.block
    before = _before(loop, element, known, spaces)
    is_safe = before is not None or _runs_always(body, members)
    if not is_safe and not element.is_in_bounds(known, spaces):
        return "some iterations may skip it, and it may be out of bounds"
    is_stored = before is not None and before.is_store
    is_stored_after = bool(stores) and (is_stored or _runs_always(body, stores))
    if len(stores) == len(members) and not is_stored_after:
        return "it is only stored, and some iterations may skip the store"
    first = next(op for op in body.ops if any(op.is_ancestor(member) for member in members))
    assert isinstance(element.memref.type, MemRefType)
    has_zero = _zero(element.memref.type.element_type) is not None
    is_loaded = not (has_zero and (first in stores or _is_unset(element.memref, loop)))
    return _Kept(element, tuple(members), is_loaded, is_stored_after, before)


def _reason(use: ElementUse | Touch) -> str:
    """Why an element cannot be kept that `use` may touch."""
    if isinstance(use, Touch):
        return f"{use.op.name} in the loop may access it"
    other = MemrefElement(use.op.memref, use.subscripts)
    return f"{other} in the loop may be the same element"


def _is_reached_by_conditions(op: Operation, loop: Operation) -> bool:
    """Whether only conditionals are between `loop` and `op`."""
    parent = op.parent_op()
    while isinstance(parent, affine.IfOp | scf.IfOp):
        parent = parent.parent_op()
    return parent is loop


def _runs_always(block: Block, wanted: Container[Operation]) -> bool:
    """Whether each execution of `block` runs one of the operations `wanted`."""
    for op in block.ops:
        if op in wanted:
            return True
        if isinstance(op, affine.IfOp | scf.IfOp):
            blocks = [block for region in branches_of(op) for block in region.blocks]
            if len(blocks) == 2 and all(_runs_always(inner, wanted) for inner in blocks):
                return True
    return False


def _is_unset(array: SSAValue, loop: Operation) -> bool:
    """Whether an array is allocated right before `loop`, but for what does not use it."""
    op = loop.prev_op
    while op is not None and op is not array.owner:
        if any(array in inner.operands for inner in op.walk()):
            return False
        op = op.prev_op
    return op is not None and isinstance(op, memref.AllocOp | memref.AllocaOp)


def _before(
    loop: Operation, element: MemrefElement, known: isl.Set, spaces: IterationSpaces
) -> _Before | None:
    """What the operations before `loop` in its block last did to `element`, if that is certain."""
    is_read_later = False
    op = loop.prev_op
    while op is not None:
        for use in memory_uses(op, known, spaces):
            overlap = element.overlap(use, spaces)
            if use.op is op and isinstance(use, ElementUse) and overlap is Overlap.ALWAYS:
                value = op.value if isinstance(op, ElementStore) else op.results[0]
                return _Before(use.op, value, is_read_later)
            if overlap is not Overlap.NEVER:
                if isinstance(use, Touch) or use.is_store:
                    return None
                is_read_later = True
        op = op.prev_op
    return None


def _needs_guard(plan: _Kept, known: isl.Set, spaces: IterationSpaces) -> bool:
    """Whether loads and stores of `plan` around the loop must not run if the loop does not."""
    if plan.is_stored_after:
        return plan.before is None or not plan.before.is_store
    return plan.before is None and not plan.element.is_in_bounds(known, spaces)


def _rewrite(loop: SequentialLoop, kept: Sequence[_Kept], guards: Sequence[Constraint]) -> None:
    """Keep elements in values in `loop`, all of it under a test of `guards` if there are any."""
    block = Block()
    builder = Builder(InsertPoint.at_end(block) if guards else InsertPoint.before(loop))
    current = {plan: _initial_value(plan, builder) for plan in kept}
    carried = [plan for plan in kept if plan.is_carried]
    initial = [current[plan] for plan in carried]
    region = loop.detach_region(loop.body)
    body = region.block
    for plan in carried:
        argument = body.insert_arg(current[plan].type, len(body.args))
        argument.name_hint = _name(plan)
        current[plan] = argument
    _replace_members(body, {op: plan for plan in kept for op in plan.members}, current)
    assert body.last_op is not None
    body.last_op.operands = (*body.last_op.operands, *(current[plan] for plan in carried))
    new = builder.insert(with_carried_values(loop, initial, region))
    own: Sequence[SSAValue] = new.results[: len(loop.results)]
    others = new.results[len(loop.results) :]
    for plan, result in zip(carried, others, strict=True):
        result.name_hint = _name(plan)
        if plan.is_stored_after:
            _store(plan, result, builder)
            before = plan.before
            if before is not None and before.is_store and not (guards or before.is_read_later):
                Rewriter.erase_op(before.op)
    if guards:
        own = _guard(loop, block, own, guards)
    for old, value in zip(loop.results, own, strict=True):
        value.name_hint = old.name_hint
        old.replace_all_uses_with(value)
    guard = block.parent_op()
    Rewriter.erase_op(loop)
    if guard is not None:
        _move_out(guard)


def _initial_value(plan: _Kept, builder: Builder) -> SSAValue:
    """The value of the element before the loop, or zero if that does not matter."""
    if plan.before is not None:
        return plan.before.value
    element_type = plan.element.memref.type
    assert isinstance(element_type, MemRefType)
    zero = None if plan.is_loaded else _zero(element_type.element_type)
    if zero is not None:
        return builder.insert(arith.ConstantOp(zero)).result
    subscripts, first = plan.element.subscripts, plan.members[0]
    load: Operation
    if isinstance(first, affine.LoadOp | affine.StoreOp):
        load = load_at(plan.element.memref, subscripts)
    else:
        indices = [computed(subscript, False, builder) for subscript in subscripts]
        load = memref.LoadOp.get(plan.element.memref, indices)
    load.location = first.location
    load.results[0].name_hint = _name(plan)
    return builder.insert(load).results[0]


def _store(plan: _Kept, value: SSAValue, builder: Builder) -> None:
    subscripts, last = plan.element.subscripts, plan.members[-1]
    store: Operation
    if isinstance(last, affine.LoadOp | affine.StoreOp):
        store = store_at(value, plan.element.memref, subscripts)
    else:
        indices = [computed(subscript, False, builder) for subscript in subscripts]
        store = memref.StoreOp.get(value, plan.element.memref, indices)
    store.location = last.location
    builder.insert(store)


def _zero(type: Attribute) -> FloatAttr | IntegerAttr | None:
    """A zero of a type, if there is one."""
    if isinstance(type, AnyFloat):
        return FloatAttr(0.0, type)
    return IntegerAttr(0, type) if isinstance(type, IntegerType | IndexType) else None


def _name(plan: _Kept) -> str:
    return f"{plan.element.memref.name_hint or 'element'}_value"


Plans = Mapping[Operation, _Kept]
Current = dict[_Kept, SSAValue]


def _replace_members(block: Block, members: Plans, current: Current) -> None:
    """Replace the loads of `members` in `block` by `current` values, which stores change."""
    for op in tuple(block.ops):
        plan = members.get(op)
        if plan is not None and isinstance(op, ElementStore):
            current[plan] = op.value
            if plan.is_stored_after:
                Rewriter.erase_op(op)
        elif plan is not None:
            op.results[0].replace_all_uses_with(current[plan])
            Rewriter.erase_op(op)
        elif isinstance(op, affine.IfOp | scf.IfOp):
            _replace_in_branches(op, members, current)


def _replace_in_branches(op: ConditionalOp, members: Plans, current: Current) -> None:
    """As `_replace_members`; values that a branch changes become results of the conditional."""
    after: list[Current] = []
    for branch in branches_of(op):
        after.append(dict(current))
        for block in branch.blocks:
            _replace_members(block, members, after[-1])
    changed = [plan for plan in current if any(state[plan] is not current[plan] for state in after)]
    if not changed:
        return
    regions = [op.detach_region(branch) for branch in branches_of(op)]
    then_end = regions[0].block.last_op
    assert then_end is not None
    if not regions[1].blocks:
        regions[1].add_block(Block([type(then_end).create()]))
    for region, state in zip(regions, after, strict=True):
        end = region.block.last_op
        assert end is not None
        end.operands = (*end.operands, *(state[plan] for plan in changed))
    new = type(op).create(
        operands=op.operands,
        result_types=[*op.result_types, *(current[plan].type for plan in changed)],
        properties=op.properties,
        attributes=op.attributes,
        regions=regions,
        location=op.location,
    )
    Builder(InsertPoint.before(op)).insert(new)
    for old, value in zip(op.results, new.results, strict=False):
        value.name_hint = old.name_hint
        old.replace_all_uses_with(value)
    for plan, result in zip(changed, new.results[len(op.results) :], strict=True):
        result.name_hint = _name(plan)
        current[plan] = result
    Rewriter.erase_op(op)


def _guard(
    loop: SequentialLoop, block: Block, results: Sequence[SSAValue], guards: Sequence[Constraint]
) -> Sequence[SSAValue]:
    """Put `block` before `loop` under a test of `guards`; returns the new results of `loop`."""
    block.add_op(affine.YieldOp.get(*results))
    otherwise = Block([affine.YieldOp.get(*initial_values(loop))]) if results else None
    guard = conditional(guards, block, otherwise, loop, Builder(InsertPoint.before(loop)))
    return guard.results


def _move_out(guard: Operation) -> None:
    """Move a test out of loops that contain nothing else and do not change its outcome."""
    parent = guard.parent_op()
    while (
        isinstance(guard, affine.IfOp)
        and isinstance(parent, LOOPS)
        and not (guard.results or parent.results)
        and guard is parent.body.block.first_op
        and guard.next_op is parent.body.block.last_op
        and all(is_outside(operand, parent) for operand in guard.operands)
    ):
        outer = affine.IfOp.create(
            operands=guard.operands,
            properties=guard.properties,
            regions=[Region(Block()), Region()],
            location=guard.location,
        )
        Builder(InsertPoint.before(parent)).insert(outer)
        inline(guard.then_region.block, guard)
        parent.detach()  # type: ignore[no-untyped-call]
        outer.then_region.block.add_ops([parent, affine.YieldOp.get()])
        guard, parent = outer, outer.parent_op()
