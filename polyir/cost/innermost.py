"""The cycles of one instance of a statement in its innermost loop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import islpy as isl

from polyir.cost.loop_tree import Loop, directions
from polyir.cost.machine import Machine
from polyir.cost.program import Reference, StatementModel, chain_cycles

STORE_TO_LOAD = 5.0
"""Cycles until a load sees what was stored right before."""

LONGEST_DISTANCE = 8
"""Dependences over more iterations of the innermost loop than these hold nothing up."""


@dataclass(frozen=True)
class Kernel:
    """What one instance costs: `cycles` as the innermost loop runs it, `scalar_cycles` alone.

    `lanes` is how many run at once, `strided` how many references move by more than an element,
    `chain` the latency of the dependences that the loop carries.
    """

    cycles: float
    scalar_cycles: float
    lanes: int
    strided: int
    chain: float


def kernel_of(
    statements: Mapping[str, StatementModel], loops: Sequence[Loop], name: str, machine: Machine
) -> Kernel:
    """The cost of an instance of a statement in the last of the loops."""
    model = statements[name]
    direction = directions(loops, {name: model}, name) if loops else None
    scalar = _throughput(model, machine, direction, 1)
    if direction is None:
        return Kernel(scalar, scalar, 1, 0, 0.0)
    moves = [_move(reference, direction) for reference in model.references]
    strided = sum(move is None for move in moves)
    distance = _carried(model.orders, direction)
    chain = 0.0
    for array, distances in model.flows:
        own = _carried((distances,), direction)
        if own:
            stays = all(m == 0 for r, m in zip(model.references, moves, strict=True) if r.array == array and r.is_write)  # noqa: E501
            latency = chain_cycles(model.statement, array, _latencies(machine))
            chain = max(chain, (latency + (0.0 if stays else STORE_TO_LOAD)) / own)
    bits = 8 * max((r.bytes for r in model.references), default=8)
    lanes = max(1, machine.vector_bits // bits)
    writes_strided = any(
        m is None or abs(m) > 1 for r, m in zip(model.references, moves, strict=True) if r.is_write
    )
    if distance or writes_strided or model.work.is_branching or model.work.functions:
        return Kernel(max(scalar, chain), max(scalar, chain), 1, strided, chain)
    vector = _throughput(model, machine, direction, lanes) / lanes
    if vector >= scalar:
        lanes, vector = 1, scalar
    return Kernel(vector, scalar, lanes, strided, chain)


def _latencies(machine: Machine) -> dict[str, float]:
    return {
        "": machine.integer_latency,
        "arith.addf": machine.add_latency,
        "arith.subf": machine.add_latency,
        "arith.mulf": machine.multiply_latency,
        "math.fma": machine.multiply_latency,
        "arith.divf": machine.division_latency,
        "math.sqrt": 1.5 * machine.division_latency,
    }


def _move(reference: Reference, direction: Sequence[float]) -> float | None:
    """By how many elements a reference moves in a row; `None` where it leaves the row."""
    if reference.subscripts is None:
        return None
    moves = [sum(f * direction[v] for v, f in form.terms) for form in reference.subscripts]
    if any(abs(move) > 1e-9 for move in moves[:-1]):
        return None
    return moves[-1] if moves else 0.0


def _carried(distances: Sequence[isl.Set], direction: Sequence[float]) -> int:
    """The smallest number of iterations over which a dependence on itself goes; 0 if none does."""
    for count in range(1, LONGEST_DISTANCE + 1):
        for each in distances:
            point = each
            for position, entry in enumerate(direction):
                value = isl.Val(round(entry * count))
                point = point.fix_val(isl.dim_type.set, position, value)
            if not point.is_empty():
                return count
    return 0


def _throughput(
    model: StatementModel, machine: Machine, direction: Sequence[float] | None, lanes: int
) -> float:
    """The cycles that the units need for one operation of so many lanes of each kind."""
    loads = stores = 0.0
    for reference in model.references:
        move = _move(reference, direction) if direction is not None else None
        if move == 0:
            continue
        # Elements that are not neighbours are loaded and put together one by one.
        amount = 1.0 if lanes == 1 or (move is not None and abs(move) == 1) else 1.5 * lanes
        if reference.is_write:
            stores += amount
        else:
            loads += amount
    work = model.work
    units = machine.vector_fma if lanes > 1 else max(2.0, machine.vector_fma)
    operations = work.arithmetic + work.others + loads + stores
    cycles = max(
        work.arithmetic / units,
        loads / machine.vector_loads,
        stores / machine.vector_stores,
        operations / machine.issue_width,
    )
    cycles = max(cycles, lanes * work.divisions * machine.division_cycles)
    cycles = max(cycles, lanes * work.roots * machine.root_cycles)
    return cycles + lanes * work.functions * machine.function_cycles
