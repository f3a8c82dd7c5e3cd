"""Races in GPU kernels: accesses to one element by threads, or blocks, that do not wait.

Nothing is believed but the tree, the bodies of the statements and the sizes in the mark of a
kernel. All threads of a block run the same barriers in the same order, and each thread runs its own
instances in the order of the tree, so that a barrier orders what the tree has before it and what
the tree has after it, whichever threads run that. Nothing orders the blocks of a launch.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, reduce
from typing import Literal

import islpy as isl

from polyir.model.gpu import barrier_instances, numbers_of_blocks, numbers_of_threads
from polyir.model.local_arrays import Destination, destinations, local_marks
from polyir.model.scop import Scop
from polyir.model.statements import AccessKind
from polyir.model.tree_loops import iterations_at
from polyir.sets.examples import Example, example_of
from polyir.sets.hulls import simplified
from polyir.sets.lists import maps_by_statement
from polyir.tree import ScheduleNode
from polyir.tree.nodes import by_statement
from polyir.tree.order import Member
from polyir.tree.symbolic_tiles import marks_of_tiles

Sharing = Literal["all", "block", "thread"]
"""Who has the same memory: all threads of a launch, those of a block, or one thread alone."""

_ByStatement = dict[str, isl.Map]

_ENDS = (isl.dim_type.in_, isl.dim_type.out)


@dataclass(frozen=True)
class _Memory:
    """The accesses of a kernel to one array, by statement: those that write, those that read.

    `cells` are the places in the memory of the array; of local arrays, different iterations around
    their marks have the same ones. `own` are the places as the tree says them: there, each
    iteration has its own.
    """

    array: str
    sharing: Sharing
    cells: dict[bool, _ByStatement] = field(default_factory=lambda: {True: {}, False: {}})
    own: dict[bool, _ByStatement] = field(default_factory=lambda: {True: {}, False: {}})


def races(scop: Scop, mark: ScheduleNode) -> Iterator[str]:
    """What is wrong with the accesses of one kernel, in words, each with a pair of instances.

    Every instance must be run by a block (`numbers_of_blocks`).
    """
    kernel = _KernelOrder(scop, mark)
    for memory in _memories(scop, kernel):
        yield from _between_blocks(kernel, memory)
        if memory.sharing != "thread":
            # Whether a thread reads what it has written in its own memory, the check of copies
            # finds (`polyir.proofs.copies`).
            yield from _between_threads(kernel, memory)


# ------------------------------------------------------------------------------------ the memory


def _memories(scop: Scop, kernel: _KernelOrder) -> Iterator[_Memory]:
    spaces = {array.sym_name.data: array.space.data for array in scop.op.local_arrays}
    found: dict[str, _Memory] = {}
    marks = local_marks(scop.schedule)
    for body in scop.bodies:
        if body.name not in kernel.launch:
            continue
        for access in body.accesses:
            is_write = access.kind is not AccessKind.READ
            for part in destinations(access, marks, scop.context):
                known = _Memory(part.array, _sharing(part, spaces))
                memory = found.setdefault(part.array, known)
                _add(memory.cells[is_write], body.name, part.cells)
                _add(memory.own[is_write], body.name, part.memory)
    return iter(found.values())


def _sharing(part: Destination, spaces: Mapping[str, str]) -> Sharing:
    if part.mark is None:
        return "all"
    return "block" if spaces[part.array] == "workgroup" else "thread"


def _add(relations: _ByStatement, name: str, relation: isl.Map) -> None:
    known = relations.get(name)
    relations[name] = relation if known is None else known.union(relation)


# ------------------------------------------------------------------------------------- conflicts


@dataclass(frozen=True)
class _Conflict:
    """Pairs `{ S[i] -> T[j] }` of one launch: S writes a cell that T reads, or writes, too.

    `cells` are the accesses of both.
    """

    relation: isl.Map
    is_write: bool
    cells: tuple[isl.Map, isl.Map]

    def told(self, array: str, where: str, why: str) -> str:
        """The conflict in words, with one pair."""
        example = example_of(self.relation)
        verb = "writes" if self.is_write else "reads"
        return (
            f"{example.source} writes {self._cell(example, array)}, which {example.target} "
            f"{verb} in another {where}{why}{example.where}"
        )

    def _cell(self, example: Example, array: str) -> str:
        """A cell of the memory that both instances access."""
        values = dict(each.split(" = ") for each in example.parameters.split(", ") if each)
        known = " and ".join(f"{name} = {value}" for name, value in values.items()) or "true"
        prefix = f"[{', '.join(values)}] -> " if values else ""
        ranges = (
            cells.intersect_domain(isl.Set(f"{prefix}{{ {instance} : {known} }}")).range()
            for cells, instance in zip(self.cells, example[:2], strict=True)
        )
        point = reduce(isl.Set.intersect, ranges).sample_point()
        count = point.get_space().dim(isl.dim_type.set)
        subscripts = [
            point.get_coordinate_val(isl.dim_type.set, each).to_python() for each in range(count)
        ]
        return f"{array}{subscripts if subscripts else ''}"


def _conflicts(
    accesses: Mapping[bool, _ByStatement],
) -> Iterator[tuple[isl.Map, isl.Map, bool]]:
    """All pairs of accesses `{ S[i] -> A[a] }` of which the first one writes."""
    for source, written in accesses[True].items():
        for is_write in (False, True):
            for target, used in accesses[is_write].items():
                if not is_write or target >= source:
                    yield written, used, is_write


def _between_blocks(kernel: _KernelOrder, memory: _Memory) -> Iterator[str]:
    for written, used, is_write in _conflicts(memory.own):
        if kernel.are_apart(written, used):
            continue
        source, target = (each.get_tuple_name(isl.dim_type.in_) for each in (written, used))
        left = written.range_product(kernel.launch[source])
        right = used.range_product(kernel.launch[target])
        apart = _apart(left.apply_range(right.reverse()), kernel.blocks)
        if apart is not None:
            cells = memory.cells[True][source], memory.cells[is_write][target]
            told = _Conflict(apart, is_write, cells)
            is_own = memory.sharing != "all"
            why = f", but @{memory.array} is memory of a {memory.sharing}" if is_own else ""
            yield told.told(memory.array, "block", why)


def _between_threads(kernel: _KernelOrder, memory: _Memory) -> Iterator[str]:
    for written, used, is_write in _conflicts(memory.cells):
        unordered = kernel.without_barrier(written, used)
        if unordered is not None:
            told = _Conflict(unordered, is_write, (written, used))
            yield told.told(memory.array, "thread of the block", ", without a barrier between them")


def _apart(relation: isl.Map, numbers: Iterable[Member]) -> isl.Map | None:
    """The pairs that differ in one of the numbers; `None` if there are none."""
    source, target = (relation.get_tuple_name(kind) for kind in _ENDS)
    parts = [
        part
        for number in numbers
        for order in (isl.PwAff.lt_map, isl.PwAff.gt_map)
        if not (part := relation.intersect(order(number[source], number[target]))).is_empty()
    ]
    return reduce(isl.Map.union, parts) if parts else None


# ------------------------------------------------------------------------------- order, barriers


class _KernelOrder:
    """Which launch, block and thread runs the instances below a mark, and in which order.

    `launch` is `{ S[i] -> [t] }`, the iterations of the loops around the mark.
    """

    def __init__(self, scop: Scop, mark: ScheduleNode) -> None:
        self._mark = mark
        self._barriers = barrier_instances(scop)
        around = iterations_at(mark).intersect_params(scop.context)
        self.launch = maps_by_statement(around)
        self.blocks = tuple(map(by_statement, numbers_of_blocks(mark).values()))
        self._beside: dict[tuple[str, str, int], bool] = {}
        self._uses: dict[int, tuple[isl.Map, isl.Map]] = {}
        self.threads = tuple(map(by_statement, numbers_of_threads(mark).values()))

    def are_apart(self, written: isl.Map, used: isl.Map) -> bool:
        """Whether it is easy to see that different blocks of a launch access no common cell."""
        # More than what a block accesses, for which isl need not find integers.
        left, right = (
            self._first_entries(each).reverse().apply_range(each).remove_divs().coalesce()
            for each in (written, used)
        )
        pairs = left.apply_range(right.reverse())
        launch = self._width - len(self.blocks)
        for number in range(launch, self._width):
            for order in (isl.Map.order_lt, isl.Map.order_gt):
                apart = _equal_up_to(launch, self._width)
                apart = order(apart, isl.dim_type.in_, number, isl.dim_type.out, number)
                if not pairs.intersect(apart).is_empty():
                    return False
        return True

    def _first_entries(self, access: isl.Map) -> isl.Map:
        """`{ S[i] -> [launch, block] }` for the statement of an access."""
        date = self._dates[access.get_tuple_name(isl.dim_type.in_)]
        return date.project_out(isl.dim_type.out, self._width, self._depth - self._width)

    def without_barrier(self, written: isl.Map, used: isl.Map) -> isl.Map | None:
        """Pairs `{ S[i] -> T[j] }` of different threads of a block that use one cell at once.

        There is no barrier between them. `None` if there are no such pairs; `written` and `used`
        are accesses `{ S[i] -> A[a] }`.
        """
        parts = [
            *self._without_barrier(written, used),
            *(each.reverse() for each in self._without_barrier(used, written)),
        ]
        at_once = self._of_threads(
            self._pairs(written, used, _equal_up_to(self._depth, self._depth))
        )
        if not at_once.is_empty():
            parts.append(at_once)
        return reduce(isl.Map.union, parts) if parts else None

    def _pairs(self, first: isl.Map, second: isl.Map, dates: isl.Map) -> isl.Map:
        """The pairs that access one cell, and whose dates are related."""
        left, right = self._use(first), self._use(second)
        cells = isl.Map.identity(
            first.get_space().range().reset_tuple_id(isl.dim_type.set).map_from_set()
        )
        return left.apply_range(dates.flat_product(cells)).apply_range(right.reverse())

    def _use(self, access: isl.Map) -> isl.Map:
        """`{ S[i] -> [date, a] }` for an access `{ S[i] -> A[a] }`, found once."""
        known = self._uses.get(id(access))
        if known is None:
            date = self._dates[access.get_tuple_name(isl.dim_type.in_)]
            use = date.flat_range_product(access.reset_tuple_id(isl.dim_type.out))
            known = self._uses[id(access)] = access, simplified(use)
        return known[1]

    def _of_threads(self, pairs: isl.Map) -> isl.Map:
        """The pairs of different threads.

        Their numbers are remainders, for which isl is slow to find what is smaller.
        """
        source, target = (pairs.get_tuple_name(kind) for kind in _ENDS)
        same = isl.Map.universe(pairs.get_space())
        if source == target:
            # What has equal dates is mostly one instance.
            identity = isl.Map.identity(pairs.get_space())
            if isl.Map.from_basic_map(pairs.affine_hull()).is_subset(identity):
                return isl.Map.empty(pairs.get_space())
        for number in self.threads:
            same = same.intersect(number[source].eq_map(number[target]))
        return simplified(pairs).subtract(same)

    def _without_barrier(self, first: isl.Map, second: isl.Map) -> Iterator[isl.Map]:
        """The pairs that the tree runs in their order, with no barrier between them."""
        if self._has_symbolic_tiles:
            # Loops that the tree does not say are inside, or around.
            together = _equal_up_to(self._width, self._depth)
            others = self._of_threads(self._pairs(first, second, together))
            if not others.is_empty():
                yield others
            return
        names = [each.get_tuple_name(isl.dim_type.in_) for each in (first, second)]
        source, target = (self._dates[name] for name in names)
        for depth in range(self._width, self._depth):
            if self._have_barrier_between(names[0], names[1], depth - len(self.blocks)):
                continue
            pairs = self._pairs(first, second, _ordered_at(depth, self._depth))
            left = pairs if pairs.is_empty() else self._of_threads(pairs)
            if left.is_empty():
                continue
            left = left.subtract_domain(source.intersect_range(self._followed[depth]).domain())
            left = left.subtract_range(target.intersect_range(self._preceded[depth]).domain())
            if left.is_empty():
                continue
            step = _ordered_at(depth, self._depth)
            between = step.intersect_range(self._barrier_dates).apply_range(step)
            left = left.subtract(self._related(left, between))
            if not left.is_empty():
                yield left

    def _have_barrier_between(self, source: str, target: str, depth: int) -> bool:
        """Whether barriers of the sequences around separate all pairs that are ordered at `depth`.

        So it mostly is, and this is far cheaper than to find for which pairs it is: the iterations
        of the loops around a barrier may be many pieces.
        """
        before, after = self._position(source, depth), self._position(target, depth)
        for barrier, position in self._barriers_at(depth):
            is_between = before is not None and after is not None and before < position < after
            if is_between and any(
                self._is_beside(barrier, name, depth) for name in (source, target)
            ):
                return True
        for inner in range(depth + 1, self._local_depth):
            before, after = self._position(source, inner), self._position(target, inner)
            for barrier, position in self._barriers_at(inner):
                is_after = before is not None and before < position
                is_before = after is not None and position < after
                if is_after and self._is_beside(barrier, source, inner):
                    return True
                if is_before and self._is_beside(barrier, target, inner):
                    return True
        return False

    def _barriers_at(self, depth: int) -> Iterator[tuple[str, int]]:
        """The barriers with the same entry of all their dates at `depth`, and the entry."""
        for name in self._local_dates:
            if not self._barriers.extract_set(self.launch[name].get_space().domain()).is_empty():
                position = self._position(name, depth)
                if position is not None:
                    yield name, position

    def _position(self, name: str, depth: int) -> int | None:
        """The entry that all dates of a statement have at `depth`, if they do."""
        value = self._local_dates[name].plain_get_val_if_fixed(isl.dim_type.out, depth)
        return int(value.to_python()) if value.is_int() else None

    def _is_beside(self, barrier: str, name: str, depth: int) -> bool:
        """Whether each iteration of the outer loops with an instance has a barrier of its block."""
        known = self._beside.get((barrier, name, depth))
        if known is None:
            beyond = self._local_depth - depth
            own = self._local_dates[name].project_out(isl.dim_type.out, depth, beyond)
            other = self._local_dates[barrier].project_out(isl.dim_type.out, depth, beyond)
            known = bool(own.range().is_subset(other.range()))
            known = known and self._have_same_block(barrier, name, depth)
            self._beside[barrier, name, depth] = known
        return known

    def _have_same_block(self, barrier: str, name: str, depth: int) -> bool:
        """Whether the same block runs what has equal dates up to `depth`, in any domain."""
        around = maps_by_statement(self._mark.prefix_schedule)
        own, other = (
            around[each].flat_range_product(self._inside[each]) for each in (name, barrier)
        )
        if min(each.dim(isl.dim_type.out) for each in (own, other)) < depth:
            return False
        own = own.project_out(isl.dim_type.out, depth, own.dim(isl.dim_type.out) - depth)
        other = other.project_out(isl.dim_type.out, depth, other.dim(isl.dim_type.out) - depth)
        same = own.apply_range(other.reverse())
        numbers: list[Member] = []
        for number in self.blocks:
            functions = {each: _function(number[each]) for each in (name, barrier)}
            known = {each: value for each, value in functions.items() if value is not None}
            if len(known) < len(functions):
                return False
            numbers.append(known)
        return _apart(same, numbers) is None

    def _related(self, pairs: isl.Map, dates: isl.Map) -> isl.Map:
        """The pairs whose dates are related."""
        source = self._dates[pairs.get_tuple_name(isl.dim_type.in_)]
        target = self._dates[pairs.get_tuple_name(isl.dim_type.out)]
        return pairs.intersect(source.apply_range(dates).apply_range(target.reverse()))

    @cached_property
    def _width(self) -> int:
        """The entries of dates that are the launch and the block."""
        first = next(iter(self.launch.values()))
        return int(first.dim(isl.dim_type.out)) + len(self.blocks)

    @cached_property
    def _depth(self) -> int:
        return int(next(iter(self._dates.values())).dim(isl.dim_type.out))

    @cached_property
    def _dates(self) -> _ByStatement:
        """`{ S[i] -> [launch, block, date in the kernel] }`."""
        return {name: self._date(name, self.blocks) for name in self.launch}

    @cached_property
    def _local_dates(self) -> _ByStatement:
        """`{ S[i] -> [launch, date in the kernel] }`."""
        return {name: self._date(name, ()) for name in self.launch}

    @cached_property
    def _local_depth(self) -> int:
        return self._depth - len(self.blocks)

    def _date(self, name: str, numbers: Iterable[Member]) -> isl.Map:
        date = self.launch[name]
        for number in numbers:
            date = date.flat_range_product(isl.Map.from_pw_aff(number[name]))
        own = self._inside[name]
        depth = max(each.dim(isl.dim_type.out) for each in self._inside.values())
        known = own.dim(isl.dim_type.out)
        own = own.add_dims(isl.dim_type.out, depth - known)
        for position in range(known, depth):
            own = own.fix_val(isl.dim_type.out, position, isl.Val(0))
        return simplified(date.flat_range_product(own))

    @cached_property
    def _inside(self) -> _ByStatement:
        """`{ S[i] -> [t] }`: the order below the mark."""
        return maps_by_statement(self._mark.subtree_map)

    @cached_property
    def _barrier_dates(self) -> isl.Set:
        dates = [
            date.intersect_domain(own)
            for name, date in self._dates.items()
            if not (own := self._barriers.extract_set(date.get_space().domain())).is_empty()
        ]
        space = next(iter(self._dates.values())).get_space().range()
        empty = isl.Set.empty(space)
        return reduce(isl.Set.union, (each.range() for each in dates), empty)

    @cached_property
    def _followed(self) -> dict[int, isl.Set]:
        """By depth: dates with a barrier after them in the same iteration of the loop there."""
        return {
            depth: _after(depth + 1, self._depth).intersect_range(self._barrier_dates).domain()
            for depth in range(self._width, self._depth)
        }

    @cached_property
    def _preceded(self) -> dict[int, isl.Set]:
        """By depth: dates with a barrier before them in the same iteration of the loop there."""
        return {
            depth: _after(depth + 1, self._depth).intersect_domain(self._barrier_dates).range()
            for depth in range(self._width, self._depth)
        }

    @cached_property
    def _has_symbolic_tiles(self) -> bool:
        return next(marks_of_tiles(self._mark.schedule.root), None) is not None


def _function(function: isl.PwAff) -> isl.PwAff | None:
    """A function as it is everywhere, if it is the same in all of its domain."""
    pieces: list[isl.Aff] = []
    function.foreach_piece(lambda _, value: pieces.append(value))
    return isl.PwAff.from_aff(pieces[0]) if len(pieces) == 1 else None


def _equal_up_to(count: int, depth: int) -> isl.Map:
    """`{ [d] -> [e] }`: dates that agree in the first entries."""
    space = isl.Space.alloc(isl.DEFAULT_CONTEXT, 0, depth, depth)
    relation = isl.Map.universe(space)
    for position in range(count):
        relation = relation.equate(isl.dim_type.in_, position, isl.dim_type.out, position)
    return relation


def _ordered_at(position: int, depth: int) -> isl.Map:
    """`{ [d] -> [e] }`: dates that the entry at `position` is the first one to order."""
    relation = _equal_up_to(position, depth)
    return relation.order_lt(isl.dim_type.in_, position, isl.dim_type.out, position)


def _after(first: int, depth: int) -> isl.Map:
    """`{ [d] -> [e] }`: e is after d, and they agree in the first entries."""
    parts = (_ordered_at(position, depth) for position in range(first, depth))
    empty = isl.Map.empty(isl.Space.alloc(isl.DEFAULT_CONTEXT, 0, depth, depth))
    return reduce(isl.Map.union, parts, empty)
