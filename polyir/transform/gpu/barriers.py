"""Barriers between the threads of a block, where a dependence leads from one to another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import product

import islpy as isl
from xdsl.dialects import gpu
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Region

from polyir.base.diagnostics import LegalityError
from polyir.dialects.dependence import Dependence, DependenceKind, Dependences
from polyir.dialects.loop_attributes import LoopAttributes, MapAttr
from polyir.dialects.mark_attributes import LocalAttr
from polyir.dialects.scop import ScopOp, StmtOp
from polyir.model.gpu import (
    axis_of,
    kernel_marks,
    mapped_values,
    sizes_of_kernel,
    thread_numbers,
)
from polyir.model.local_arrays import (
    Destination,
    LocalMark,
    destinations,
    local_marks,
    shared_arrays,
)
from polyir.model.scop import Scop, unique_name
from polyir.model.statements import AccessKind
from polyir.proofs.bands import active_at
from polyir.proofs.legality import Violation
from polyir.sets.examples import example_of
from polyir.sets.hulls import convex_with_strides, simplified
from polyir.sets.lists import maps_of
from polyir.sets.maps import universe
from polyir.transform.walk import BAND, MARK
from polyir.tree import LEAF, Extension, Filter, Kind, Node, Schedule, ScheduleNode, SequenceNode
from polyir.tree.added import finished, once_each
from polyir.tree.addresses import TreePath
from polyir.tree.names import name_list, statements_of
from polyir.tree.operations import set_schedule
from polyir.tree.order import Active, across_children, below, forward, still_active


@dataclass(frozen=True)
class Barriers:
    """The barriers to add: their names and domains, the tree with them, and what to tell."""

    domains: tuple[isl.Set, ...] = ()
    schedule: Schedule | None = None
    done: tuple[str, ...] = ()
    missed: tuple[str, ...] = ()


def plan_barriers(scop: Scop, dependences: Dependences) -> Barriers:
    """Where the threads of a block have to wait for each other; the scop is not changed.

    A barrier is a statement that all threads of a block run. It stands in a sequence between two
    parts with a dependence from a thread to another one, and at the end of each iteration of a
    loop that carries such a dependence, or at whose end memory of the block is used again. So it is
    after each tile, where a block runs several:

        band [t]                           band [t]
          band [i] #poly.map<thread x>       extension { [t] -> barrier[t] }
                                       =>      sequence
                                                 filter { S[t, i] }
                                                   band [i] #poly.map<thread x>
                                                 filter { barrier[t] }

    Raises `LegalityError` for a dependence between iterations that different threads run at once.
    """
    schedule = scop.schedule
    planner = _Planner(scop)
    while (split := planner.next_split(schedule, dependences)) is not None:
        schedule = split
    for number, mark in enumerate(kernel_marks(schedule.root)):
        planner.plan(number, mark, dependences)
    if not planner.after and not planner.before:
        return Barriers(done=("no barrier is needed",))
    tree = planner.with_barriers(schedule.tree, ())
    return Barriers(tuple(planner.domains), finished(tree), tuple(planner.done))


class _Planner:
    """Finds the places of barriers in the kernels of one tree."""

    def __init__(self, scop: Scop) -> None:
        self.domains: list[isl.Set] = []
        self.done: list[str] = []
        # By the path of a band: the barrier after each iteration of its last member.
        self.after: dict[TreePath, isl.Set] = {}
        # By the path of a sequence: the barrier in front of each of these children.
        self.before: dict[TreePath, dict[int, isl.Set]] = {}
        self._below: dict[TreePath, isl.UnionSet] = {}
        self._taken = {*scop.arrays, *(body.name for body in scop.bodies)}
        self._scop = scop
        self._shared = shared_arrays(scop.op)
        self._has_limited_grid = False
        # By the number of the kernel.
        self._waiting_in: dict[int, tuple[Active, ...]] = {}

    # Bands in which a member that is not the last one needs a barrier

    def next_split(self, schedule: Schedule, dependences: Dependences) -> Schedule | None:
        """The tree with one more band split after a loop that needs barriers; `None` if none is."""
        for number, mark in enumerate(kernel_marks(schedule.root)):
            waiting = self._waiting(number, mark, dependences)
            for band, actives in _bands(mark.child(0), waiting):
                position = self._carrier(band, actives)
                if position is not None and position + 1 < len(band.members):
                    return band.split(position + 1).schedule
        return None

    def _carrier(self, band: ScheduleNode, actives: tuple[Active, ...]) -> int | None:
        """The first member at the end of whose iterations there must be a barrier."""
        loops = band.loop_attributes
        for position, member in enumerate(band.band.functions_by_statement):
            pairs = (replace(each, relation=forward(each, member)) for each in actives)
            carried = [each for each in pairs if not each.relation.is_empty()]
            if carried:
                self._require_order(band, position, carried[0], loops[position])
            if carried or self._ends_tile(band, position):
                return position
            actives = still_active(actives, member)
        return None

    def _require_order(
        self, band: ScheduleNode, position: int, carried: Active, loop: LoopAttributes
    ) -> None:
        """Raise `LegalityError` if iterations of a loop that must wait are run at once."""
        if any(isinstance(each, MapAttr) for each in loop):
            relation = carried.relation
            found = Violation(carried.dependence, relation, example_of(relation))
            raise LegalityError(
                f"loop {band.schedule_depth + position + 1} around "
                f"{name_list(statements_of(band))} is mapped, but threads that run it at once "
                f"depend on each other: {found.example}",
                violated=found.pair,
                name="gpu-fault",
            )

    def _ends_tile(self, band: ScheduleNode, position: int) -> bool:
        """Whether a block runs several iterations of a member, each a tile that needs its memory.

        Of several members that are mapped to blocks, it is the innermost one.
        """
        loops = band.loop_attributes
        return (
            self._has_limited_grid
            and is_block(loops[position])
            and not any(map(is_block, loops[position + 1 :]))
            and not has_blocks(band.child(0))
            and bool(self._shared_below(band))
        )

    def _shared_below(self, node: ScheduleNode) -> frozenset[str]:
        """The local arrays of a block below a node."""
        marks = (inner.attribute for inner in node.walk() if inner.kind is MARK)
        return self._shared & {each.data.array for each in marks if isinstance(each, LocalAttr)}

    # Places

    def plan(self, number: int, mark: ScheduleNode, dependences: Dependences) -> None:
        """Note the barriers of one kernel."""
        self._visit(mark.child(0), self._waiting(number, mark, dependences))

    def _waiting(
        self, number: int, mark: ScheduleNode, dependences: Dependences
    ) -> tuple[Active, ...]:
        """The pairs of instances of one launch between which threads have to wait.

        They are the same, however bands are split.
        """
        self._has_limited_grid = bool(sizes_of_kernel(mark).grid)
        if number not in self._waiting_in:
            pairs = (*between_threads(mark, dependences), *reuses_of_memory(self._scop, mark))
            self._waiting_in[number] = pairs
        return self._waiting_in[number]

    def _visit(self, node: ScheduleNode, actives: tuple[Active, ...]) -> None:
        if node.kind is BAND:
            position = self._carrier(node, actives)
            if position is not None:
                number = node.schedule_depth + position + 1
                path = node.path
                name = self._note(node, f"after each iteration of loop {number} around")
                self.after[path] = self._domain(node.child(0), name)
                self._below[path] = node.domain.universe()
        elif node.kind is Kind.SEQUENCE:
            self._visit_sequence(node, actives)
        for position, inner in enumerate(below(node, actives)):
            self._visit(node.child(position), inner)

    def _visit_sequence(self, node: ScheduleNode, actives: tuple[Active, ...]) -> None:
        crossing = {
            (part.source_child, part.target_child) for part in across_children(node, actives)
        }
        last = 0
        places: dict[int, isl.Set] = {}
        for child in range(1, node.n_children):
            if any(last <= source < child and target == child for source, target in crossing):
                name = self._note(node.child(child).child(0), "before")
                places[child] = self._domain(node, name)
                last = child
        if places:
            self.before[node.path] = places

    def _note(self, node: ScheduleNode, where: str) -> str:
        name = unique_name(f"barrier{len(self.domains)}", self._taken)
        self._taken.add(name)
        self.done.append(f"a barrier {where} {name_list(statements_of(node))}")
        return name

    def _domain(self, node: ScheduleNode, name: str) -> isl.Set:
        """`{ barrier[t] }` for the iterations t of the loops around `node`.

        If these are many polyhedra, as in hexagons, they are those of a convex set around: a
        barrier in an iteration that runs nothing else does no harm.
        """
        around = node.prefix_schedule.intersect_domain(node.domain)
        domain = isl.Set.from_union_set(around.range()).coalesce()
        if domain.n_basic_set() > 1:
            domain = convex_with_strides(domain)
        domain = domain.set_tuple_name(name)
        for position in range(domain.dim(isl.dim_type.set)):
            domain = domain.set_dim_name(isl.dim_type.set, position, f"t{position}")
        self.domains.append(domain)
        return domain

    # The tree

    def with_barriers(self, tree: Node, path: TreePath) -> Node:
        """The tree at `path` with its barriers."""
        children = tuple(
            self.with_barriers(child, (*path, position))
            for position, child in enumerate(tree.children)
        )
        tree = tree.with_children(children)
        if path in self.after:
            barrier = self.after[path]
            inside = Filter(children, self._below[path])
            sequence = SequenceNode((inside, _filter(barrier)))
            return tree.with_children([_extension([barrier], sequence)])
        if path in self.before:
            places = self.before[path]
            mixed: list[Node] = []
            for position, child in enumerate(children):
                if position in places:
                    mixed.append(_filter(places[position]))
                mixed.append(child)
            return _extension([*places.values()], tree.with_children(mixed))
        return tree


def between_threads(mark: ScheduleNode, dependences: Dependences) -> tuple[Active, ...]:
    """The dependences inside one launch of a kernel from a thread to another one of its block."""
    numbers = thread_numbers(mark)
    same = numbers.apply_range(numbers.reverse())
    found: list[Active] = []
    for active in active_at(mark, dependences):
        own = same.extract_map(active.relation.get_space())
        others = simplified(active.relation).subtract(own)
        if not others.is_empty():
            found.append(replace(active, relation=others))
    return tuple(found)


def reuses_of_memory(scop: Scop, mark: ScheduleNode) -> Iterator[Active]:
    """The pairs of instances that use one cell of the memory of a block for different things.

    In the tree, each iteration around a mark `#poly.local` has an array of its own. In a block, all
    of them have the same one. The pairs are of one launch and one tile; one of the two writes.
    """
    shared = shared_arrays(scop.op)
    if not shared:
        return
    marks = local_marks(mark.schedule)
    launch = mark.prefix_schedule.intersect_domain(mark.domain)
    mapped = mapped_values(mark).items()
    tiles = [isl.UnionMap.from_union_pw_aff(each) for key, each in mapped if key.level == "block"]
    around = reduce(isl.UnionMap.flat_range_product, tiles, launch)
    uses: dict[str, list[tuple[Destination, bool]]] = {}
    inside = set(statements_of(mark))
    for body in (each for each in scop.bodies if each.name in inside):
        for access in body.accesses:
            is_write = access.kind is not AccessKind.READ
            for part in destinations(access, marks, scop.context):
                if part.array in shared and part.mark is not None:
                    uses.setdefault(part.array, []).append((part, is_write))

    def is_inside(part: Destination) -> bool:
        """Whether all loops that are mapped to blocks are around the mark of an array."""
        assert part.mark is not None
        return sum(_mapped_to_blocks(part.mark)) == len(tiles) and not has_blocks(part.mark.node)

    for array, parts in uses.items():
        for (source, writes), (target, overwrites) in product(parts, parts):
            if not (writes or overwrites):
                continue
            if source.mark is target.mark:
                relation = _in_later_iterations(source, target, mark)
            else:
                relation = isl.UnionMap.from_map(source.cells.apply_range(target.cells.reverse()))
            if source.mark is not target.mark or not is_inside(target):
                relation = relation.intersect(around.apply_range(around.reverse()))
            for each in maps_of(relation):
                if not each.is_empty():
                    kind = DependenceKind.OUTPUT if overwrites else DependenceKind.FLOW
                    yield Active(Dependence(kind, array, each), each)


def _in_later_iterations(
    source: Destination, target: Destination, mark: ScheduleNode
) -> isl.UnionMap:
    """The pairs of a launch that use one cell below the same mark, the target in a later iteration.

    The iterations of a loop that is mapped to blocks are not of one block.
    """
    assert source.mark is not None
    uses = [_by_iteration_and_cell(part) for part in (source, target)]
    space = uses[0].get_space().range()
    same = isl.Map.identity(space.map_from_set())
    axes = _mapped_to_blocks(source.mark)
    found = isl.UnionMap.empty(space.params())
    launch, cells = mark.schedule_depth, source.cells.dim(isl.dim_type.out)
    count = space.dim(isl.dim_type.set)
    for depth in range(launch, count - cells):
        if axes[depth]:
            continue
        later = isl.Map.universe(same.get_space())
        for equal in (*range(depth), *range(count - cells, count)):
            later = later.equate(isl.dim_type.in_, equal, isl.dim_type.out, equal)
        later = later.order_lt(isl.dim_type.in_, depth, isl.dim_type.out, depth)
        # Loops that are mapped to blocks have the same value in a block, also inside this one.
        for inner in range(depth + 1, count - cells):
            if axes[inner]:
                later = later.equate(isl.dim_type.in_, inner, isl.dim_type.out, inner)
        pairs = uses[0].apply_range(later).apply_range(uses[1].reverse())
        found = found.union(isl.UnionMap.from_map(pairs))
    return found


def _by_iteration_and_cell(part: Destination) -> isl.Map:
    """`{ S[i] -> [t, l] }`: the iteration around the mark, and the cell there."""
    assert part.mark is not None
    around = part.mark.of_statement(part.cells.get_tuple_name(isl.dim_type.in_))
    assert around is not None
    return around.flat_range_product(part.cells.reset_tuple_id(isl.dim_type.out))


def _mapped_to_blocks(mark: LocalMark) -> list[bool]:
    """For each loop around the mark of a local array, whether it is mapped to blocks."""
    found: list[bool] = []
    node = mark.node
    while node.has_parent:
        node = node.parent()
        if node.kind is BAND:
            found = [*map(is_block, node.loop_attributes), *found]
    return found


def has_blocks(node: ScheduleNode) -> bool:
    """Whether a loop from `node` down is mapped to blocks."""
    bands = (inner for inner in node.walk() if inner.kind is BAND)
    return any(is_block(loop) for band in bands for loop in band.loop_attributes)


def is_block(loop: LoopAttributes) -> bool:
    """Whether a loop with these attributes is mapped to blocks."""
    return axis_of(loop, "block") is not None


def _bands(
    node: ScheduleNode, actives: tuple[Active, ...]
) -> Iterator[tuple[ScheduleNode, tuple[Active, ...]]]:
    if node.kind is BAND:
        yield node, actives
    for position, inner in enumerate(below(node, actives)):
        yield from _bands(node.child(position), inner)


def _filter(statement: isl.Set) -> Filter:
    return Filter((LEAF,), universe(statement.get_space()))


def _extension(statements: Sequence[isl.Set], inside: Node) -> Extension:
    """A node that adds the barriers above `inside`."""
    relations = (isl.UnionMap.from_map(once_each(statement)) for statement in statements)
    return Extension((inside,), reduce(isl.UnionMap.union, relations))


def apply_barriers(op: ScopOp, barriers: Barriers) -> None:
    """Add the statements of a plan, and put its tree in the scop."""
    if barriers.schedule is None:
        return
    for domain in barriers.domains:
        count = domain.dim(isl.dim_type.set)
        block = Block([gpu.BarrierOp()], arg_types=[IndexType()] * count)
        for position, argument in enumerate(block.args):
            argument.name_hint = f"t{position}"
        statement = StmtOp(domain.get_tuple_name(), domain, Region(block))
        statement.location = op.location
        op.body.block.insert_op_before(statement, op.tree)
    set_schedule(op, barriers.schedule)
