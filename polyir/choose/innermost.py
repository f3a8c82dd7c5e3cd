"""The cycles of one instance of a statement in its innermost loop."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import ceil, inf, prod
from typing import Final

import islpy as isl
from xdsl.ir import SSAValue

from polyir.choose.loop_tree import Loop, directions
from polyir.choose.machine import Machine
from polyir.choose.program import Kind, Reference, StatementModel, chain_cycles
from polyir.choose.regions import Form
from polyir.dialects.dependence import Dependence
from polyir.dialects.loop_attributes import MOST_COPIES
from polyir.sets.values import isl_value

STORE_TO_LOAD = 5.0
"""Cycles until a load sees what was stored right before."""

BLOCK_VECTORS = 3
"""The vectors of a row of a block."""

SINGLE_PRECISION = 0.6
"""The part of the time of a division, root or function of double precision that one of float takes:
each digit of the result costs as much (Fog, "Instruction tables")."""

INTERLEAVED = 4
"""C compilers load and store up to so many interleaved sequences in vectors, and shuffle them."""

LOOP_OPERATIONS = 2
"""The instructions of a loop itself in an iteration: the counter, and the test and jump."""

MOST_OVERLAP_TESTS = 10
"""C compilers make no vectors of a loop that needs more tests before it: gcc's default
(`vect-max-version-for-alias-checks`); clang's is 8 (`runtime-memory-check-threshold`)."""

LONGEST_DISTANCE = 8
"""Dependences over more iterations of the innermost loop than these hold nothing up."""


@dataclass(frozen=True)
class InstanceCost:
    """What one instance costs: `cycles` as the innermost loop runs it, `scalar_cycles` alone.

    `lanes` is how many run at once, `strided` how many references move by more than an element,
    `chain` the latency of the dependences that the loop carries. If it `has_rest`, what is left
    after the last whole vector runs in vectors of half the size, and then alone. If `masked` is
    not 0, as many instances run together, some of them for nothing; a vector outside of whole
    blocks takes `partial` cycles if that is not 0. `in_flight` is how many
    instances a processor has at once that do not depend on each other but by the chain; 0 if the
    loop around carries a dependence, too.
    """

    cycles: float
    scalar_cycles: float
    lanes: int
    strided: int
    chain: float
    has_rest: bool = False
    masked: int = 0
    partial: float = 0.0
    in_flight: float = 0.0

    def cycles_of(self, iterations: float) -> float:
        """The cycles of an instance in a loop of so many iterations."""
        if self.in_flight:
            # The next iterations of the loop around begin while a short chain is computed.
            part = min(1.0, iterations / self.in_flight)
            return max(self.cycles, part * self.chain)
        if self.partial:
            whole = iterations // self.masked * self.masked
            rest = ceil((iterations - whole) / self.lanes) * self.partial
            return (whole * self.cycles + rest) / max(1.0, iterations)
        if self.masked:
            return self.cycles * ceil(iterations / self.masked) * self.masked / max(1.0, iterations)
        if not self.has_rest or self.lanes <= 1:
            return self.cycles
        whole = iterations // self.lanes * self.lanes
        # C compilers have a loop with vectors of half the size for the rest.
        half = self.lanes // 2
        halves = (iterations - whole) // half * half if half > 1 else 0.0
        alone = iterations - whole - halves
        total = (whole + 2 * halves) * self.cycles + alone * self.scalar_cycles
        return min(total / max(1.0, iterations), self.scalar_cycles)


def instance_cost(
    statements: Mapping[str, StatementModel],
    loops: Sequence[Loop],
    name: str,
    machine: Machine,
    is_held: bool = False,
    packed: bool = False,
    unrolled: Sequence[Loop] = (),
) -> InstanceCost:
    """The cost of an instance of a statement in the last of the loops.

    `is_held` says that a dependence on another statement keeps it from being vector code, `packed`
    that blocks read operands from contiguous arrays. Instances in loops that are `unrolled` are
    straight-line code in that loop.
    """
    model = statements[name]
    if unrolled and loops:
        loops = (*loops[:-1], *unrolled, loops[-1])
    direction = directions(loops, {name: model}, name) if loops else None
    scalar = _in_turns(model, machine, _throughput(model, machine, direction, 1))
    if direction is None:
        return InstanceCost(scalar, scalar, 1, 0, 0.0)
    is_simple = not (model.work.is_conditional or model.work.is_branching)
    if loops[-1].width and not unrolled and is_simple:
        return _vector_kernel(model, loops, name, machine, scalar, packed)
    if loops[-1].rows and len(loops) > 1 and is_simple:
        return _row_kernel(model, loops, name, machine, scalar)
    return _plain_loop(model, loops, direction, machine, is_held, len(unrolled))


def _plain_loop(
    model: StatementModel,
    loops: Sequence[Loop],
    direction: Sequence[float],
    machine: Machine,
    is_held: bool,
    unrolled: int,
) -> InstanceCost:
    """The cost in a loop of which a C compiler makes what it can, or vectors of unrolled loops.

    Elements that do not move in the `unrolled` loops, of which there are so many, are loaded and
    stored once for all copies.
    """
    name = model.name
    copies = _copies_of(model, loops, unrolled)
    # One test and one step of the counter, for all statements of the loop.
    own = LOOP_OPERATIONS / len(loops[-1].functions) if not unrolled else 0.0
    scalar = _throughput(model, machine, direction, 1, copies, operations=own)
    scalar = _in_turns(model, machine, scalar)
    moves = [_move(reference, direction) for reference in model.references]
    strided = sum(move is None for move in moves)
    distance = _carried(model.orders, direction)
    copies_in_all = prod(copies.counts)
    chain = _carried_chain(model, loops, direction, machine) / copies_in_all
    if distance:
        # Copies that the next iteration waits for wait for each other, too.
        for inner in loops[-1 - unrolled : -1]:
            others = (each for each in loops if each is not inner)
            if way := directions([*others, inner], {name: model}, name):
                chain = max(chain, _carried_chain(model, loops, way, machine))
    # Around loops that are unrolled, what `vectorize` makes costs what a compiler's vectors do.
    width = loops[-1].width if unrolled else 0
    bits = machine.vector_bits if width else min(machine.vector_bits, machine.compiler_vector_bits)
    lanes = max(1, min(width or bits, bits // (8 * model.bytes)))
    writes_strided = any(
        m is None or abs(m) > INTERLEAVED
        for r, m in zip(model.references, moves, strict=True)
        if r.is_write
    )
    kinds = (Kind.FUNCTION, Kind.ROOT, Kind.QUOTIENT)
    is_scalar = model.work.is_branching or model.work.count(*kinds)
    if _is_integer_sum(model, direction):
        distance, chain = 0, 0.0
    if distance or is_held or writes_strided or is_scalar:
        alone = max(scalar, chain)
        if chain > scalar and len(loops) > 1 + unrolled and not unrolled:
            way = directions([*loops[:-2], loops[-1], loops[-2]], {name: model}, name)
            if way and not any(_carried((each,), way) for _, each in model.flows):
                flying = machine.reorder_operations / operations_of(model)
                return InstanceCost(scalar, alone, 1, strided, chain, in_flight=flying)
        return InstanceCost(alone, alone, 1, strided, chain)
    vector = _throughput(model, machine, direction, lanes, copies, bits)
    vector /= lanes * VECTOR_EFFICIENCY
    if vector >= scalar:
        lanes, vector = 1, scalar
    masked = lanes if width else 0
    return InstanceCost(vector, scalar, lanes, strided, chain, has_rest=not width, masked=masked)


def _in_turns(model: StatementModel, machine: Machine, cycles: float) -> float:
    """The cycles of an instance whose body takes so many, but for loops in it."""
    if not model.work.is_branching:
        return cycles
    # A loop inside most often adds something up, and its end is predicted wrongly.
    return model.work.turns * max(cycles, machine.add_latency) + machine.loop_cycles


def _carried_chain(
    model: StatementModel, loops: Sequence[Loop], direction: Sequence[float], machine: Machine
) -> float:
    """The latency of what instances in a direction wait for, of the one before."""
    chain = 0.0
    for array, distances in model.flows:
        own = _carried((distances,), direction)
        if own:
            # What the next iteration reads, C compilers keep in a register, if loops are long.
            is_kept = own == 1 and not any(loop.runs_over_tiles for loop in loops)
            through_memory = 0.0 if is_kept else STORE_TO_LOAD
            latency = _chain(model, array, direction, machine, through_memory, own)
            chain = max(chain, latency / own)
    return chain


@dataclass(frozen=True)
class _Copies:
    """The copies of a statement in unrolled loops.

    Each loop has a number of iterations, `counts`, and references that access other elements in
    each of them, `moving`.
    """

    counts: tuple[float, ...] = ()
    moving: tuple[frozenset[int], ...] = ()

    def share(self, needed: frozenset[int] | None) -> float:
        """The part of the copies that do what needs these references, instead of sharing it."""
        pairs = zip(self.counts, self.moving, strict=True)
        return prod(1 / n for n, moving in pairs if needed is not None and not needed & moving)


def _copies_of(model: StatementModel, loops: Sequence[Loop], unrolled: int) -> _Copies:
    """The copies of a statement in so many unrolled loops around the last one."""
    functions = [loop.functions[model.name] for loop in loops[-1 - unrolled : -1]]
    counts = [model.constant.extent(each.linear) / model.step(each) for each in functions]
    moving = []
    for function in functions:
        variables = {v for v, _ in function.linear.terms}
        moving.append(
            frozenset(
                place
                for place, reference in enumerate(model.references)
                if reference.subscripts is None
                or any(v in variables for form in reference.subscripts for v, _ in form.terms)
            )
        )
    return _Copies(tuple(counts), tuple(moving))


def operations_of(model: StatementModel) -> int:
    """About how many instructions an instance of a statement is."""
    return max(1, len(model.work.operations) + len(model.references))


def _is_integer_sum(model: StatementModel, direction: Sequence[float]) -> bool:
    """Whether all that a loop carries are sums of integers and the like, in one place each."""
    arrays = {array for array, _ in model.flows}
    if not arrays:
        return False
    for reference in model.references:
        if reference.array in arrays:
            moves = _moves(reference, direction)
            if moves is None or any(moves) or not reference.is_integer:
                return False
    return any(_combining(model, arrays) <= group for group in _ASSOCIATIVE)


def _combining(model: StatementModel, arrays: Collection[str]) -> set[str]:
    """The operations that lead from loads of some arrays to stores, without casts."""
    accesses = {access.operation: access for access in model.statement.accesses}
    carried: set[SSAValue] = set()
    found: set[str] = set()
    for op in model.statement.op.body.block.walk():
        access = accesses.get(op)
        if access is not None:
            carried.update(op.results if access.array in arrays else ())
        elif not carried.isdisjoint(op.operands):
            carried.update(op.results)
            found.add(op.name)
    return found - {"arith.extsi", "arith.extui", "arith.trunci"}


_ASSOCIATIVE: Final = (
    frozenset({"arith.addi", "arith.subi"}),
    frozenset({"arith.muli"}),
    frozenset({"arith.andi"}),
    frozenset({"arith.ori"}),
    frozenset({"arith.xori"}),
    frozenset({"arith.cmpi", "arith.select", "arith.maxsi", "arith.minsi", "scf.if"}),
    frozenset({"arith.maxui", "arith.minui"}),
)
"""Operations that C compilers combine partial results by."""


VECTOR_EFFICIENCY = 0.6
"""The part of the peak that vector code reaches: loads wait and cross lines, chains are short."""


SHUFFLE = 3.0
"""Cycles until a shuffle of lanes is done."""

GATHER = 6.0
"""The loads that one element of a vector costs that is not next to the others, in a block.

Fitted to the run times of PolyBench's kernels on one machine."""


def _vector_kernel(
    model: StatementModel,
    loops: Sequence[Loop],
    name: str,
    machine: Machine,
    scalar: float,
    packed: bool,
) -> InstanceCost:
    """The cost in a loop that runs in vectors, or in a block of rows of vectors.

    What does not move along the loop around a block stays in registers. Rows along that loop are
    transposed.
    """
    lanes = max(1, min(loops[-1].width, machine.vector_bits // (8 * model.bytes)))
    rows = loops[-2].rows if len(loops) > 1 else 0
    along = _moves_along(model, loops, name, -1)
    across = _moves_along(model, loops, name, -2) if rows else [0.0] * len(along)
    around: Sequence[float | None] = [None] * len(along)
    if loops[-1].is_reduction:
        around = along
    elif is_block(loops, model):
        around = _moves_along(model, loops, name, -3 if rows else -2)
    vectors = BLOCK_VECTORS if rows else 1
    copies = max(1, rows) * vectors

    def amount_of(needed: frozenset[int] | None) -> float:
        if needed is None:
            return copies
        if not any(around[place] != 0 for place in needed):
            return 0.0
        amount = vectors if any(along[place] != 0 for place in needed) else 1
        return amount * (rows if any(across[place] != 0 for place in needed) else 1)

    loads = stores = 0.0
    strided = 0
    for place, reference in enumerate(model.references):
        amount = amount_of(frozenset((place,)))
        if not amount:
            continue
        if along[place] != 0:
            is_near = along[place] in (1, -1) or (packed and not reference.is_write)
            is_transposed = not is_near and not rows and around[place] == 1
            strided += not is_near and not is_transposed
            each_vector = 1.0 if is_near else GATHER * lanes
            if is_transposed:
                # One load and log2(lanes) shuffles, of which there are half as many in a cycle.
                each_vector = 2.0 * lanes.bit_length() - 1.0
            amount *= each_vector
        if reference.is_write:
            stores += amount
        else:
            loads += amount
    cycles = _cycles(model, machine, loads, stores, amount_of, lanes)
    each = cycles / (copies * lanes * VECTOR_EFFICIENCY)
    if each >= scalar:
        return InstanceCost(scalar, scalar, lanes, strided, 0.0)
    # Blocks that are not whole change rows in place, which other rows of them may need.
    partial = masked_cycles([model], machine) if rows and _is_in_place(model) else 0.0
    masked = vectors * lanes
    return InstanceCost(each, scalar, lanes, strided, 0.0, masked=masked, partial=partial)


def _is_in_place(model: StatementModel) -> bool:
    """Whether a statement changes elements of an array of which it reads other ones."""
    written = {each.array: each.subscripts for each in model.references if each.is_write}
    return any(
        not each.is_write and each.array in written and each.subscripts != written[each.array]
        for each in model.references
    )


def masked_cycles(models: Sequence[StatementModel], machine: Machine) -> float:
    """The cycles that the masked vector after the last whole one takes longer than others.

    Where rows are changed in place, the first vector of the next one waits until it is in memory.
    """
    in_place = any(
        one.is_write and not other.is_write and one.array == other.array
        for model in models
        for one in model.references
        for other in model.references
    )
    return machine.mask_cycles + (machine.stalled_load_cycles if in_place else 0.0)


def combination_cycles(width: int, machine: Machine) -> float:
    """The cycles after a reduction in vectors: the vectors are combined, then halves of one.

    Each step is a shuffle of lanes and an operation, which wait for the step before.
    """
    return (2 + width.bit_length() - 1) * (machine.add_latency + SHUFFLE)


def _moves_along(
    model: StatementModel, loops: Sequence[Loop], name: str, place: int
) -> list[float | None]:
    """By how many elements references move in a row with one of the loops, the others fixed."""
    if len(loops) < -place:
        return [None] * len(model.references)
    others = [loop for loop in loops if loop is not loops[place]]
    way = directions([*others, loops[place]], {name: model}, name)
    return [None if way is None else _move(each, way) for each in model.references]


def is_block(loops: Sequence[Loop], model: StatementModel) -> bool:
    """Whether the last loop, in vectors, has a constant number of iterations, all unrolled.

    Without rows, that needs full tiles that are apart from partial ones, or vectors of elements
    that are not successive.
    """
    name = model.name
    if not loops[-1].width:
        return False
    form = loops[-1].functions[name].linear
    is_strip = any(
        division.form == form and division.size <= MOST_COPIES * loops[-1].width
        for loop in loops[:-1]
        if name in loop.functions
        for division in loop.functions[name].divisions
    )
    if not is_strip or loops[-2].rows or any(each.is_apart for each in loops):
        return is_strip
    return any(move not in (0, 1, -1) for move in _moves_along(model, loops, name, -1))


def _row_kernel(
    model: StatementModel, loops: Sequence[Loop], name: str, machine: Machine, scalar: float
) -> InstanceCost:
    """The cost in a block of rows without vectors, each a sum that the loop around adds up."""
    rows = loops[-1].rows
    order = [*loops[:-2], loops[-1], loops[-2]]
    way = directions(order, {name: model}, name)
    if way is None:
        return InstanceCost(scalar, scalar, 1, 0, 0.0)
    chain = max((_chain(model, array, way, machine) for array, _ in model.flows), default=0.0)
    cycles = max(_throughput(model, machine, way, 1), chain / rows)
    return InstanceCost(cycles, max(scalar, chain), 1, 0, chain)


def _chain(
    model: StatementModel,
    array: str,
    direction: Sequence[float],
    machine: Machine,
    through_memory: float = STORE_TO_LOAD,
    distance: int = 1,
) -> float:
    """The latency from an iteration's value in an array to that of the one so far away.

    `through_memory` is added where that reads another element.
    """
    moves = [_moves(reference, direction) for reference in model.accesses]
    writes = [each for each in model.accesses if each.array == array and each.is_write]
    written = [_moves(each, direction) for each in writes]
    reads = {
        access.operation
        for access, reference, move in zip(
            model.statement.accesses, model.accesses, moves, strict=True
        )
        if reference.array == array
        and not reference.is_write
        and move in written
        and any(_may_read(reference, each, move, distance) for each in writes)
    }
    latency = chain_cycles(model.statement, reads, array, _latencies(machine))
    stays = all(move is not None and not any(move) for move in written)
    return latency + (0.0 if stays else through_memory)


def _may_read(
    read: Reference, write: Reference, move: Sequence[float] | None, distance: int
) -> bool:
    """Whether a reference may read what another one has written so many iterations before."""
    if read.subscripts is None or write.subscripts is None or move is None:
        return True
    return not any(
        one.terms == other.terms and abs(other.constant - one.constant - distance * step) > 1e-6
        for one, other, step in zip(read.subscripts, write.subscripts, move, strict=True)
    )


def _moves(reference: Reference, direction: Sequence[float]) -> tuple[float, ...] | None:
    """By how much each subscript moves; `None` where that is not known."""
    if reference.subscripts is None:
        return None
    return tuple(
        round(sum(f * direction[v] for v, f in form.terms), 9) for form in reference.subscripts
    )


def overlap_tests(models: Sequence[StatementModel], in_parallel: bool) -> int:
    """How often a C compiler tests that two rows do not overlap, before it runs a loop in vectors.

    It does so for each row that the loop writes and each other row of the same array, for it does
    not know the lengths of rows. In a parallel region, it does so for all arrays: gcc moves the
    region to a function of its own, where pointers are not known to be `restrict`.
    """
    rows: dict[tuple[str, tuple[Form, ...]], bool] = {}
    for model in models:
        for each in model.references:
            # What an iteration has for itself is in registers or on the stack.
            if each.subscripts is not None and each.elements == inf:
                key = (each.array, each.subscripts[:-1])
                rows[key] = rows.get(key, False) or each.is_write
    pairs = combinations(rows.items(), 2)
    return sum(
        (one_is_written or other_is_written) and (in_parallel or one[0] == other[0])
        for (one, one_is_written), (other, other_is_written) in pairs
    )


def held_statements(loops: Sequence[Loop], dependences: Sequence[Dependence]) -> frozenset[str]:
    """The statements that a dependence between two of them, carried by the last loop, holds up.

    That is one between instances in near iterations of that loop, in one iteration of all others.
    """
    held: set[str] = set()
    for dependence in dependences:
        source, target = dependence.source, dependence.target
        if source == target or not {source, target} <= set(loops[-1].functions):
            continue
        if _is_carried(dependence.relation, source, target, loops):
            held |= {source, target}
    return frozenset(held)


def _is_carried(relation: isl.Map, source: str, target: str, loops: Sequence[Loop]) -> bool:
    for loop in loops:
        if source not in loop.functions or target not in loop.functions:
            return False
        one, other = loop.functions[source], loop.functions[target]
        if one.divisions or other.divisions:
            # Points that are in one iteration of the loops in a tile are in one tile.
            continue
        distance = _difference(relation.get_space(), one.linear, other.linear)
        if loop is loops[-1]:
            near = isl.Constraint.inequality_from_aff(distance.add_constant_val(isl.Val(-1)))
            far = isl.Constraint.inequality_from_aff(
                distance.neg().add_constant_val(isl_value(LONGEST_DISTANCE))
            )
            return not _restricted(_restricted(relation, near), far).is_empty()
        relation = _restricted(relation, isl.Constraint.equality_from_aff(distance))
    return False


def _restricted(relation: isl.Map, constraint: isl.Constraint) -> isl.Map:
    part = isl.Set.from_basic_set(
        isl.BasicSet.universe(constraint.get_space()).add_constraint(constraint)
    )
    return part.intersect(relation.wrap()).unwrap()


def _difference(space: isl.Space, source: Form, target: Form) -> isl.Aff:
    """`target - source`, a function of the pairs of instances."""
    result = isl.Aff.zero_on_domain(isl.LocalSpace.from_space(space.wrap()))
    first = space.dim(isl.dim_type.in_)
    for form, offset, sign in ((source, 0, -1), (target, first, 1)):
        for variable, factor in form.terms:
            value = isl_value(sign * round(factor))
            result = result.add_coefficient_val(isl.dim_type.in_, offset + variable, value)
    return result.add_constant_val(isl_value(round(target.constant - source.constant)))


_QUOTIENTS = ("arith.divsi", "arith.divui", "arith.remsi", "arith.remui")
_EXTREMA = ("arith.maxnumf", "arith.minnumf", "arith.maximumf", "arith.minimumf")


def _latencies(machine: Machine) -> dict[str, float]:
    return {
        "": machine.integer_latency,
        "arith.addf": machine.add_latency,
        "arith.subf": machine.add_latency,
        **dict.fromkeys(_EXTREMA, machine.add_latency),
        "arith.mulf": machine.multiply_latency,
        "math.fma": machine.multiply_latency,
        **dict.fromkeys(_QUOTIENTS, machine.integer_division_cycles),
        "arith.divf": machine.division_latency,
        "math.sqrt": 1.5 * machine.division_latency,
    }


def _move(reference: Reference, direction: Sequence[float]) -> float | None:
    """By how many elements a reference moves in a row; `None` where it leaves the row.

    In `A[i][j][0]` with rows of two elements, it moves by two with `j`.
    """
    if reference.subscripts is None:
        return None
    moves = [sum(f * direction[v] for v, f in form.terms) for form in reference.subscripts]
    size, total = 1, moves[-1] if moves else 0.0
    for move, extent in zip(reversed(moves[:-1]), reversed(reference.extents), strict=False):
        size *= extent
        total += size * move
    known = len(reference.extents) + 1
    if any(abs(move) > 1e-9 for move in moves[: max(0, len(moves) - known)]):
        return None
    return total if abs(total) <= INTERLEAVED or not any(moves[:-1]) else None


def _carried(distances: Sequence[isl.Set], direction: Sequence[float]) -> int:
    """The smallest number of iterations over which a dependence on itself goes; 0 if none does."""
    for count in range(1, LONGEST_DISTANCE + 1):
        for each in distances:
            point = each
            for position, entry in enumerate(direction):
                value = isl_value(round(entry * count))
                point = point.fix_val(isl.dim_type.set, position, value)
            if not point.is_empty():
                return count
    return 0


def _throughput(
    model: StatementModel,
    machine: Machine,
    direction: Sequence[float] | None,
    lanes: int,
    copies: _Copies = _Copies(),
    bits: int = 0,
    operations: float = 0.0,
) -> float:
    """The cycles that the units need for one operation of so many lanes of each kind.

    What `copies` share is done once. What stays the same along the direction is done before the
    loop. `bits` are those of a vector, and `operations` are further ones of any kind.
    """
    moves = [None if direction is None else _move(each, direction) for each in model.references]

    def amount_of(needed: frozenset[int] | None) -> float:
        if direction is not None and needed is not None and not any(moves[p] != 0 for p in needed):
            return 0.0
        return copies.share(needed)

    loads = stores = 0.0
    for place, (reference, move) in enumerate(zip(model.references, moves, strict=True)):
        share = amount_of(frozenset((place,)))
        # Elements that are not neighbours are loaded and put together one by one, or in whole
        # vectors of which each has some.
        amount = 1.0
        if lanes > 1 and (move is None or abs(move) > 1):
            amount = 2.0 if move is not None and abs(move) <= INTERLEAVED else 1.5 * lanes
        if reference.is_write:
            stores += share * amount
        else:
            loads += share * amount
    return _cycles(model, machine, loads, stores, amount_of, lanes, bits, operations)


def _cycles(
    model: StatementModel,
    machine: Machine,
    loads: float,
    stores: float,
    amount_of: Callable[[frozenset[int] | None], float],
    lanes: int,
    bits: int = 0,
    operations: float = 0.0,
) -> float:
    """The cycles of copies of a statement, each of so many lanes, with these accesses.

    There is an `amount_of` what needs some references (`Work.operations`). Vectors have so many
    `bits`, by default those of the machine. `operations` are further ones.
    """
    amounts = dict.fromkeys(Kind, 0.0)
    for kind, needed in model.work.operations:
        amounts[kind] += amount_of(needed)
    arithmetic = amounts[Kind.ARITHMETIC]
    bits = (bits or machine.vector_bits) if lanes > 1 else 64
    # Units that take two halves of a wide vector one after the other take two narrow ones at once.
    narrow = max(1.0, machine.vector_bits / bits)
    units = min(machine.vector_fma * narrow, max(2.0, machine.vector_fma))
    loads_at_once = min(machine.vector_loads * narrow, max(2.0, machine.vector_loads))
    stores_at_once = min(machine.vector_stores * narrow, max(1.0, machine.vector_stores))
    cycles = max(
        arithmetic / units,
        loads / loads_at_once,
        stores / stores_at_once,
        (arithmetic + amounts[Kind.OTHER] + loads + stores + operations) / machine.issue_width,
    )
    shorter = SINGLE_PRECISION if model.bytes <= 4 else 1.0
    # A divider takes as long for one element as for all that it divides at once.
    steps = max(1.0, bits / machine.division_bits) if lanes > 1 else 1.0
    if lanes == 1:
        # Divisions of one iteration are one of a short vector.
        together = model.work.count(Kind.DIVISION, Kind.ROOT)
        steps /= max(1, min(together, 16 // max(4, model.bytes)))
    cycles = max(cycles, steps * shorter * amounts[Kind.DIVISION] * machine.division_cycles)
    cycles = max(cycles, steps * shorter * amounts[Kind.ROOT] * machine.root_cycles)
    cycles = max(cycles, lanes * amounts[Kind.QUOTIENT] * machine.integer_division_cycles)
    return cycles + lanes * shorter * amounts[Kind.FUNCTION] * machine.function_cycles
