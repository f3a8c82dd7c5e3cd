"""Reductions whose updates are divided among ranks: each rank has partial results of its own.

    band [i]                    sequence
      S[i]: X[f] += e             filter S: band [i], divided among ranks
                          =>        P[f] += e
                                  filter result: X[c] += P[c]

P is in the memory of each rank, and not divided. Before a step, a rank sets it to the neutral
element; after the step, MPI combines the P of all ranks. X[c] is updated once, so that the value
that it had before counts once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import islpy as isl
from xdsl.ir import Attribute, SSAValue

from polyir.dialects.dependence import Dependence, Dependences
from polyir.dialects.reductions import Combiner
from polyir.model.scop import Scop, scop_of
from polyir.sets.boxes import from_lower
from polyir.transform.bands import split_at
from polyir.transform.expansion.allocator import Allocator
from polyir.transform.reassociation.builder import PartialResultsBuilder
from polyir.transform.reassociation.partial_results import Namer, PartialResults
from polyir.transform.reassociation.private_results import results_below
from polyir.transform.reassociation.reduction_loops import ReductionLoops
from polyir.transform.reassociation.tree import changed_at, filter_of_new
from polyir.tree import Band, Filter, Node, Schedule, ScheduleNode, SequenceNode
from polyir.tree.addresses import TreePath, node_at
from polyir.tree.operations import set_schedule
from polyir.tree.order import Active, all_active


@dataclass(frozen=True)
class DividedReduction:
    """An array P that each rank has for itself, and what MPI combines of it.

    `name` is that of P in the scop, `array` that of X, and `updates` are the statements that update
    P. `rows` is
    `{ [v, r] }`: the subscripts r, along the outermost dimension of P, of what is updated in the
    iteration v of the loops around; it is `None` if P has one element. The statement `result` adds
    P to the original array.
    """

    name: str
    array: str
    combiner: Combiner
    element: Attribute
    updates: tuple[str, ...]
    result: str
    rows: isl.Set | None


@dataclass(frozen=True)
class DividedReductions:
    """A scop in which updates of reductions are divided, and why others are not, in words.

    The first loop of each band around `updates` is said to be coincident, which it is but for the
    partial results. `dependences` are those that were known, with the names that arrays have now:
    what is between `updates` of one P goes through P. There are none with the statements that add P
    to an array.
    """

    scop: Scop
    results: tuple[DividedReduction, ...]
    reasons: tuple[str, ...]
    dependences: Dependences | None

    @property
    def names(self) -> tuple[str, ...]:
        """The arrays that each rank has for itself."""
        return tuple(each.name for each in self.results)

    @property
    def updates(self) -> tuple[str, ...]:
        """The statements that update them."""
        return tuple(dict.fromkeys(name for each in self.results for name in each.updates))


def divided_reductions(scop: Scop) -> DividedReductions:
    """Rewrite a scop, so that loops that carry nothing but reductions are divided among ranks.

    Of each nest, that is the outermost loop that carries only dependences of the kind `reduction`,
    if no loop that is coincident is around it. The scop has no dependences after it.
    """
    known = scop.dependences
    if known is None or not known.reductions:
        return DividedReductions(scop, (), (), known)
    search = _Search(scop)
    found = tuple(search.visit(scop.schedule.root, all_active(known.ordering)))
    reasons = tuple(dict.fromkeys(search.reasons))
    if not found:
        return DividedReductions(scop, (), reasons, known)
    changed, results = _rewritten(scop, found)
    renamed = _renamed(known, _new_names(scop, changed), results)
    return DividedReductions(changed, results, reasons, renamed)


def has_divided_reductions(scop: Scop) -> bool:
    """Whether `divided_reductions` would rewrite a scop."""
    known = scop.dependences
    if known is None or not known.reductions:
        return False
    loops = _Search(scop).visit(scop.schedule.root, all_active(known.ordering))
    return next(loops, None) is not None


@dataclass(frozen=True)
class _Loop:
    """A member of the band at `path` that carries only reductions, and the arrays that it updates.

    `depth` loops are around it.
    """

    path: TreePath
    member: int
    depth: int
    arrays: tuple[PartialResults, ...]


class _Search(ReductionLoops[_Loop]):
    """The loops that are divided: no loop around them is coincident."""

    left_out = "is not divided"

    def _ends(self, band: ScheduleNode, position: int, carried: Sequence[Active]) -> bool:
        return band.coincident[position] or not carried

    def _planned(self, band: ScheduleNode, position: int, carried: Sequence[Active]) -> _Loop:
        node = split_at(band, position)
        names = dict.fromkeys(each.dependence.array for each in carried)
        arrays = tuple(results_below(self._scop, self._updates, node, name) for name in names)
        return _Loop(band.path, position, band.schedule_depth + position, arrays)


def _rewritten(scop: Scop, loops: Sequence[_Loop]) -> tuple[Scop, tuple[DividedReduction, ...]]:
    """Give a scop partial results, and the tree in which these loops are divided."""
    op, schedule = scop.op, scop.schedule
    allocator = Allocator(op)
    memories: list[tuple[SSAValue, DividedReduction]] = []
    # What is done to a subtree leaves the paths to those before it as they are.
    for loop in reversed(loops):
        results: list[isl.Set] = []
        own: list[tuple[SSAValue, DividedReduction]] = []
        for array in loop.arrays:
            name = Namer(scop, array.updates[0].statement.name)("result")
            domain = array.domain(name, {})
            # MPI takes arrays: a number is one of a single element.
            builder = PartialResultsBuilder(op, scop, array, padding=1)
            memory = builder.allocate(allocator)
            builder.accumulate(lambda update, values: ())
            own_results = [builder.partial(domain, (), loop.depth)]
            total = builder.combination(domain, builder.result(domain), own_results, updates=True)
            builder.insert([total])
            results.append(domain)
            first = array.updates[0]
            partial = DividedReduction(
                name="",
                array=array.name,
                combiner=first.combiner,
                element=first.element_type,
                updates=tuple(each.statement.name for each in array.updates),
                result=name,
                rows=_rows(array),
            )
            own.append((memory, partial))
        memories = [*own, *memories]
        schedule = _with_results(schedule, loop, results)
    set_schedule(op, schedule)
    op.dependences = None
    changed = scop_of(op)
    names = {value: name for name, value in changed.arrays.items()}
    return changed, tuple(replace(partial, name=names[memory]) for memory, partial in memories)


def _new_names(before: Scop, after: Scop) -> dict[str, str]:
    """The names of arrays by those that they had before."""
    names = {memory: name for name, memory in after.arrays.items()}
    return {name: names[memory] for name, memory in before.arrays.items()}


def _renamed(
    known: Dependences, names: Mapping[str, str], results: Sequence[DividedReduction]
) -> Dependences:
    """`dependences` of `DividedReductions`. Nothing else than updates accesses P."""

    def name_of(item: Dependence) -> str:
        ends = {item.source, item.target}
        partial = (
            each.name for each in results if each.array == item.array and ends <= {*each.updates}
        )
        return next(partial, names[item.array])

    items = tuple(replace(each, array=name_of(each)) for each in known.items)
    return replace(known, items=items)


def _rows(array: PartialResults) -> isl.Set | None:
    """`{ [v, r] }` of `DividedReduction`."""
    if not array.box:
        return None
    depth, count = array.depth, array.cells.dim(isl.dim_type.set)
    rows = array.cells.project_out(isl.dim_type.set, depth + 1, count - depth - 1)
    move = isl.MultiAff.identity_on_domain_space(rows.get_space())
    (row,) = from_lower([move.get_at(depth)], array.box[:1])
    return rows.apply(isl.Map.from_multi_aff(move.set_at(depth, row)))


def _with_results(schedule: Schedule, loop: _Loop, results: Sequence[isl.Set]) -> Schedule:
    """The tree with a loop that is said to be coincident, and the result statements after it."""
    node = split_at(node_at(schedule, loop.path), loop.member)

    def change(band: Node) -> Node:
        assert isinstance(band, Band)
        first, *others = band.members
        divided = replace(band, members=(replace(first, is_coincident=True), *others))
        updates = Filter((divided,), first.function.domain().universe())
        after = (filter_of_new(each, loop.depth) for each in results)
        return SequenceNode((updates, *after))

    return changed_at(node.schedule, node.path, results, change)
