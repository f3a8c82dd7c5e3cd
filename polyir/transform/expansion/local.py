"""Local copies: private memory that is allocated inside the loop that needs it.

Privatization makes an array with a cell for each iteration. Once a schedule is chosen, such an
array can be a variable of the loop's body instead: where no value goes from one iteration to
another, an iteration needs no more than the elements that it accesses itself (the private clause
of a parallel loop; Li, "Array privatization for parallel execution of loops", 1992).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod

import islpy as isl
from xdsl.dialects import affine, memref
from xdsl.dialects.builtin import MemRefType, UnitAttr
from xdsl.ir import SSAValue

from polyir.dialects.affine_extra import MaxOp
from polyir.dialects.mark_attributes import LocalAttr
from polyir.dialects.scop import ScopOp
from polyir.isl_trees import node_type
from polyir.model.dataflow import array_flow
from polyir.model.outcome import Outcome
from polyir.model.scop import Scop, scop_of
from polyir.model.symbolic_tiles import tiles_at
from polyir.model.tree import insert_mark
from polyir.transform.address import Path, Place, node_at
from polyir.transform.expansion.contract import Cell, Moduli, require_apart, successive_moduli
from polyir.transform.expansion.subscripts import StatementValues
from polyir.transform.expansion.temporaries import (
    allocation_of,
    extents_of,
    is_access,
    remove_unused,
)
from polyir.transform.walk import BAND, MARK

LOCAL = "polyir.local"
"""The attribute of an allocation that is to become local copies, if the schedule allows it."""

MOST_CELLS = 1 << 13
"""The largest copy, in elements: threads have little stack."""


def request_local(memory: SSAValue) -> None:
    """Ask for local copies of an array."""
    allocation_of(memory).attributes[LOCAL] = UnitAttr()


@dataclass(frozen=True)
class LocalCopy:
    """A copy in each iteration of the loop at `place`, its subscripts taken by `moduli`."""

    place: Place
    moduli: Moduli
    cells: int


Plan = Mapping[SSAValue, LocalCopy]
"""The arrays that get local copies."""


def plan_copies(scop: Scop) -> Plan:
    """Find a loop for each array of which local copies were asked for; nothing is changed.

    Of the loops that will do, the one is taken for which a copy has the fewest elements, the
    innermost of several. That is exact: no value goes from one iteration of the loops down to
    it to another, and any two elements of one iteration have different cells.
    """
    found = {
        memory: _best_copy(scop, name)
        for name, memory in scop.arrays.items()
        if _is_requested(memory)
    }
    return {memory: copy for memory, copy in found.items() if copy is not None}


def localise(op: ScopOp, plan: Plan) -> Outcome:
    """Let the arrays of a plan be allocated in loops; the others that it was asked for stay.

        memref.alloc(%n) : memref<?xf64>          memref.alloca() : memref<f64>
        band [i]                                  band [i]
          S0[i] writes t[i]              =>         mark #poly.local<"t">
          S1[i] reads t[i]                            S0[i] writes t[]
                                                      S1[i] reads t[]

    The mark says that each iteration of the loops around it has a copy of its own. Comes last:
    the dependences of the scop do not know of the copies.
    """
    done: list[str] = []
    missed: list[str] = []
    copies: list[tuple[Place, SSAValue]] = []
    schedule = scop_of(op).schedule
    for name, memory in scop_of(op).arrays.items():
        if not _is_requested(memory):
            continue
        del allocation_of(memory).attributes[LOCAL]
        copy = plan.get(memory)
        if copy is None:
            missed.append(
                f"{name} stays as it is: no loop keeps its values to one iteration, in "
                f"{MOST_CELLS} elements or fewer"
            )
            continue
        place = copy.place
        loop = node_at(schedule, place.path).get_schedule_depth() + place.member + 1
        local = _rewrite(op, memory, copy.moduli)
        done.append(f"{name} has a copy in each iteration of loop {loop}: {local.type}")
        copies.append((place, local))
    names = {memory: name for name, memory in scop_of(op).arrays.items()}
    # From the inside out: marks further out do not move the places further in.
    for place, local in sorted(copies, key=lambda copy: _depth(copy[0]), reverse=True):
        inside = _inside(node_at(schedule, place.path), place.member)
        schedule = insert_mark(inside, LocalAttr(names[local])).get_schedule()
    return Outcome(schedule, tuple(done), tuple(missed))


def _is_requested(memory: SSAValue) -> bool:
    owner = memory.owner
    return isinstance(owner, memref.AllocOp | memref.AllocaOp) and LOCAL in owner.attributes


def _depth(place: Place) -> tuple[int, int]:
    return len(place.path), place.member


def _inside(band: isl.ScheduleNode, member: int) -> isl.ScheduleNode:
    """The node inside a member of a band, which is split behind it."""
    if member + 1 < band.band_n_member():
        band = band.band_split(member + 1)
    return band.child(0)


def _best_copy(scop: Scop, array: str) -> LocalCopy | None:
    """The smallest copy that an iteration of a loop can have of its own, if there is one."""
    elements = isl.UnionMap.empty(scop.context.get_space())
    for statement in scop.statements:
        for access in statement.accesses:
            if access.array == array:
                elements = elements.union(isl.UnionMap.from_map(access.relation))
    extents = extents_of(scop.arrays[array])
    values = _values(scop, array)
    best: LocalCopy | None = None
    for place, dates in _places(scop.schedule, elements.domain()):
        crossing = values.apply_domain(dates).apply_range(dates)
        if not crossing.is_subset(isl.UnionSet.identity(crossing.domain())):
            continue
        iterations = elements.reverse().apply_range(dates)
        together = iterations.apply_range(iterations.reverse())
        together = together.subtract(isl.UnionSet.identity(iterations.domain()))
        moduli = successive_moduli(together, len(extents))
        sizes = [
            extent if modulus is None else modulus
            for extent, modulus in zip(extents, moduli, strict=True)
        ]
        known = [size for size in sizes if isinstance(size, int)]
        cells = prod(known)
        if len(known) < len(sizes) or cells > MOST_CELLS:
            continue
        if best is None or cells <= best.cells:
            require_apart(together, moduli, array)
            best = LocalCopy(place, moduli, cells)
    return best


def _values(scop: Scop, array: str) -> isl.UnionMap:
    """`{ W[i] -> R[j] }`: the values of an array, from where they are written to their reads."""
    values = isl.UnionMap.empty(scop.context.get_space())
    for read in array_flow(scop, array).reads:
        for relation in read.sources:
            values = values.union(isl.UnionMap.from_map(relation))
    return values


def _places(
    schedule: isl.Schedule, instances: isl.UnionSet
) -> Iterator[tuple[Place, isl.UnionMap]]:
    """The loops around all of `instances`, outer ones first, with `{ S[i] -> [iteration] }`.

    Without those of which an iteration may run in several tiles of symbolic sizes.
    """
    node = schedule.get_root().child(0)
    path: Path = (0,)
    tiled = 0
    while node_type(node) in (BAND, MARK, *_CHILDREN):
        if node_type(node) is BAND:
            if node.is_subtree_anchored():
                return
            for member in range(node.band_n_member()):
                tiled = max(0, tiled - 1)
                if tiled > 0:
                    continue
                dates = _inside(node, member).get_prefix_schedule_union_map()
                yield Place(path, member), dates.intersect_domain(instances)
        elif node_type(node) is MARK:
            tiles = tiles_at(node)
            tiled = max(tiled, 0 if tiles is None else len(tiles.sizes))
        else:
            holders = [
                number
                for number in range(node.n_children())
                if not node.child(number).child(0).get_domain().is_disjoint(instances)
            ]
            if len(holders) != 1:
                return
            node, path = node.child(holders[0]), (*path, holders[0])
        node, path = node.child(0), (*path, 0)


_CHILDREN = (isl.schedule_node_type.sequence, isl.schedule_node_type.set)


def _rewrite(op: ScopOp, old: SSAValue, moduli: Moduli) -> SSAValue:
    """Let all accesses go to a copy, allocated in front of the scop for now."""
    scop = scop_of(op)
    cell = Cell(moduli)
    assert isinstance(old.type, MemRefType)
    shape = [extent for extent in cell.extents(extents_of(old)) if isinstance(extent, int)]
    type = MemRefType(old.type.element_type, shape, old.type.layout, old.type.memory_space)
    copy = memref.AllocaOp.build(operands=[[], []], result_types=[type])
    copy.location = op.location
    copy.memref.name_hint = old.name_hint
    assert op.parent is not None
    op.parent.insert_op_before(copy, op)
    for statement in scop.statements:
        values = StatementValues(scop, statement)
        for access in statement.accesses:
            if scop.arrays[access.array] is old:
                operation = is_access(access.operation)
                values.redirect(
                    operation, copy.memref, cell.subscripts(values.subscripts(operation))
                )
    extents = {each for size in allocation_of(old).dynamic_sizes if (each := _computed(size))}
    remove_unused(old)
    for each in extents:
        if each.result.first_use is None and each.parent is not None:
            each.parent.erase_op(each)
    return copy.memref


def _computed(size: SSAValue) -> affine.MinOp | MaxOp | None:
    """What computes an extent in front of a scop."""
    return size.owner if isinstance(size.owner, affine.MinOp | MaxOp) else None
