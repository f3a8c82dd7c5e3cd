"""Small affine programs written as nested tuples, and the constraints on their schedules.

    loop("i", "0 <= i < N", statement("S", writes="x[i]", reads="x[i]; A[i]"))

Dependences come from isl's dataflow analysis, so that the tests of the schedulers need nothing
but isl.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import islpy as isl

from polyir.schedule.constraints import ScheduleConstraints


@dataclass(frozen=True)
class Statement:
    name: str
    writes: str
    reads: str


@dataclass(frozen=True)
class Loop:
    iterator: str
    condition: str
    body: tuple[Loop | Statement, ...]


def statement(name: str, writes: str, reads: str = "") -> Statement:
    return Statement(name, writes, reads)


def loop(iterator: str, condition: str, *body: Loop | Statement) -> Loop:
    return Loop(iterator, condition, body)


@dataclass(frozen=True)
class _Placed:
    """A statement with its iterators, its conditions and its place in the original order."""

    statement: Statement
    iterators: tuple[str, ...]
    conditions: tuple[str, ...]
    order: tuple[str, ...]

    def relation(self, parameters: str, target: str) -> str:
        source = f"{self.statement.name}[{', '.join(self.iterators)}]"
        condition = " and ".join(self.conditions) or "true"
        return f"[{parameters}] -> {{ {source} -> {target} : {condition} }}"


def _placed(
    body: tuple[Loop | Statement, ...],
    iterators: tuple[str, ...] = (),
    conditions: tuple[str, ...] = (),
    order: tuple[str, ...] = (),
) -> Iterator[_Placed]:
    for index, item in enumerate(body):
        here = (*order, str(index))
        if isinstance(item, Statement):
            yield _Placed(item, iterators, conditions, here)
        else:
            yield from _placed(
                item.body,
                (*iterators, item.iterator),
                (*conditions, item.condition),
                (*here, item.iterator),
            )


def original_schedule(parameters: str, *program: Loop | Statement) -> isl.UnionMap:
    """The order in which the program as written runs its statement instances."""
    placed = list(_placed(program))
    length = max(len(each.order) for each in placed)
    schedule = isl.UnionMap("{ }")
    for each in placed:
        padded = (*each.order, *["0"] * (length - len(each.order)))
        text = each.relation(parameters, f"[{', '.join(padded)}]")
        schedule = schedule.union(isl.UnionMap(text))
    return schedule


def constraints_of(
    parameters: str,
    context: str,
    *program: Loop | Statement,
    input_dependences: bool = False,
) -> ScheduleConstraints:
    """The constraints of a program: flow, anti and output dependences."""
    schedule = original_schedule(parameters, *program)
    reads, writes = isl.UnionMap("{ }"), isl.UnionMap("{ }")
    placed = list(_placed(program))
    for each in placed:
        for access in filter(None, map(str.strip, each.statement.reads.split(";"))):
            reads = reads.union(isl.UnionMap(each.relation(parameters, access)))
        for access in filter(None, map(str.strip, each.statement.writes.split(";"))):
            writes = writes.union(isl.UnionMap(each.relation(parameters, access)))
    flow = _last(reads, writes, schedule)
    output = _last(writes, writes, schedule)
    anti = (
        isl.UnionAccessInfo.from_sink(writes)
        .set_may_source(reads)
        .set_must_source(writes)
        .set_schedule_map(schedule)
        .compute_flow()
        .get_may_dependence()
    )
    anti = anti.subtract(output)
    validity = flow.union(output).union(anti).coalesce()
    proximity = validity
    if input_dependences:
        proximity = proximity.union(_last(reads, reads, schedule)).coalesce()
    return ScheduleConstraints(
        schedule.domain(),
        isl.Set(f"[{parameters}] -> {{ : {context} }}"),
        validity,
        proximity,
        tuple(each.statement.name for each in placed),
        coincidence=validity,
    )


def _last(sink: isl.UnionMap, source: isl.UnionMap, schedule: isl.UnionMap) -> isl.UnionMap:
    """For every access of `sink`, from the last access of `source` before it."""
    return (
        isl.UnionAccessInfo.from_sink(sink)
        .set_must_source(source)
        .set_schedule_map(schedule)
        .compute_flow()
        .get_must_dependence()
    )
