"""Privatization: temporaries get a copy per iteration of loops that they serialise falsely.

A loop that carries no value of a temporary, but reuses its memory in each iteration, has anti
and output dependences only because of that. With memory for each iteration they are gone (Li,
"Array privatization for parallel execution of loops", 1992; Maydan, Amarasinghe and Lam, "Array
data-flow analysis and its use in array privatization", 1993). That no value crosses iterations
is decided exactly from the value-based flow.

First, each temporary is split into webs: as in register allocation, a web is a set of writes and
of the reads that their values reach. Two webs of one array can live in different memory
(renaming: Cytron and Ferrante, "What's in a name?", 1987).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce

import islpy as isl
from xdsl.ir import Operation, SSAValue

from polyir.base.limits import limited
from polyir.dialects.dependence import DependenceKind, Dependences
from polyir.model.analysis import compute_dependences
from polyir.model.dataflow import ArrayFlow, ReadFlow, array_flow
from polyir.model.distance import common_loops
from polyir.model.memory_accesses import accesses_of
from polyir.model.outcome import Rewritten
from polyir.model.scop import Scop, scop_of
from polyir.model.statements import Access, Statement
from polyir.model.temporaries import is_allocated
from polyir.sets.boxes import NoBoxError, Side, box_of, from_lower
from polyir.sets.examples import example_of
from polyir.transform.expansion.allocator import Allocator
from polyir.transform.expansion.loops import Loops, PrivateLoop, false_loops
from polyir.transform.expansion.temporaries import (
    StatementValues,
    duplicate,
    extents_of,
    remove_unused,
    temporaries,
)
from polyir.tree.order import Active, forward

_NO_LOOP = "each loop that reuses its memory carries one of its values, or is sequential anyway"


def privatize(scop: Scop, arrays: Sequence[str] = (), loops: Loops = "needed") -> Rewritten:
    """Give temporaries of a scop private copies, for the order that its tree has now.

    First the accesses of each temporary are split into webs, each with memory of its own. Then
    each web gets one dimension more for each of the chosen loops around all its statements.
    `arrays` are the only ones to look at; without them all temporaries are.

    The dependences of the scop are out of date after it.
    """
    if not arrays and not any(is_allocated(scop, name) for name in scop.arrays):
        return Rewritten()
    op = scop.op
    split = limited("privatization", lambda: _split_plan(scop, arrays, loops), ir=op)
    done: list[str] = []
    memories: list[SSAValue] = []
    for name, webs in split.webs.items():
        parts = _split(scop.arrays[name], webs)
        memories += parts
        if len(parts) > 1:
            done.append(f"split {name} into {len(parts)} temporaries that share no value")
    renamed, plan = scop, split.copies
    if plan is None:
        renamed = scop_of(op)
        names = [name for name, memory in renamed.arrays.items() if memory in memories]
        plan = limited("privatization", partial(_plan, renamed, scop, names, arrays, loops), ir=op)
    allocator = Allocator(op)
    done += [_expand(renamed, copies, allocator) for copies in plan.copies]
    return Rewritten(tuple(done), (*split.missed, *plan.missed))


def loops_freed(scop: Scop, dependences: Dependences) -> dict[str, tuple[int, ...]]:
    """The loops of the current order that private copies of temporaries would make parallel.

    For each such temporary, the numbers of its loops from the outermost. Nothing changes.
    """
    if not any(is_allocated(scop, name) for name in scop.arrays):
        return {}
    flows, _ = temporaries(scop, is_any_subscript=True)
    found = false_loops(scop, dependences, flows, "needed")
    return {
        name: tuple(loop.number for loop in private) for name, private in found.items() if private
    }


@dataclass(frozen=True)
class _PrivateCopies:
    """The loops for whose iterations an array gets copies, and the box of their values.

    `accesses` are those to the array, statement by statement.
    """

    array: str
    accesses: dict[str, list[Operation]]
    loops: tuple[PrivateLoop, ...]
    box: tuple[Side, ...]


@dataclass(frozen=True)
class _PrivatizationPlan:
    """The copies to make; what is left, and why."""

    copies: tuple[_PrivateCopies, ...]
    missed: tuple[str, ...]


@dataclass(frozen=True)
class _SplitPlan:
    """The accesses of each web of each temporary, and what is none, in words.

    If nothing is to be split, the `copies` to make are known, too.
    """

    webs: dict[str, list[list[Operation]]]
    missed: tuple[str, ...]
    copies: _PrivatizationPlan | None


def _split_plan(scop: Scop, arrays: Sequence[str], loops: Loops) -> _SplitPlan:
    """The webs of the temporaries among `arrays`."""
    flows, missed = temporaries(scop, arrays, is_any_subscript=True)
    webs = {
        name: [[access.operation for access in web.accesses] for web in webs_of(flow)]
        for name, flow in flows.items()
    }
    is_split = any(len(each) > 1 for each in webs.values())
    copies = None if is_split else _copies(scop, scop, flows, arrays, loops)
    return _SplitPlan(webs, tuple(missed), copies)


def _plan(
    scop: Scop, before: Scop, names: Sequence[str], arrays: Sequence[str], loops: Loops
) -> _PrivatizationPlan:
    """The copies for the arrays `names`; `before` is the scop before arrays were split."""
    flows = {name: array_flow(scop, name) for name in names}
    return _copies(scop, before, flows, arrays, loops)


def _copies(
    scop: Scop,
    before: Scop,
    flows: Mapping[str, ArrayFlow],
    arrays: Sequence[str],
    loops: Loops,
) -> _PrivatizationPlan:
    """The copies for the arrays of `flows`; with the reasons for what is left of `arrays`.

    The scop `before` is the one with the dependences that its operation has.
    """
    if not flows:
        return _PrivatizationPlan((), ())
    known = scop.op.dependences
    has_reductions = known is not None and bool(known.data.reductions)
    dependences = compute_dependences(
        scop, is_bounded=False, before=before, reassociate=has_reductions
    )
    copies: list[_PrivateCopies] = []
    missed: list[str] = []
    for name, private in false_loops(scop, dependences, flows, loops).items():
        if not private:
            if name in arrays:
                carried = _carried_value(scop, dependences, name)
                missed.append(f"{name} was not privatized: {_NO_LOOP}{carried}")
            continue
        flow = flows[name]
        accesses = {
            each: [access.operation for access in flow.accesses_of(each)]
            for each in flow.statements
        }
        statements = [each for each in scop.statements if each.name in accesses]
        cells = reduce(isl.Set.union, (_iterations(each, private) for each in statements))
        try:
            box = box_of(cells, scop.context)
        except NoBoxError as error:
            missed.append(f"{name} was not privatized: {error}")
        else:
            copies.append(_PrivateCopies(name, accesses, private, box))
    return _PrivatizationPlan(tuple(copies), tuple(missed))


def _carried_value(scop: Scop, dependences: Dependences, array: str) -> str:
    """A pair between which a value of `array` goes to another iteration; `""` if none does."""
    for dependence in dependences.ordering:
        if dependence.array == array and dependence.kind is DependenceKind.FLOW:
            whole = Active(dependence, dependence.relation)
            for member in common_loops(scop.schedule, dependence):
                if not (relation := forward(whole, member)).is_empty():
                    return f": {example_of(relation)}"
    return ""


def _split(memory: SSAValue, webs: Sequence[Sequence[Operation]]) -> list[SSAValue]:
    """Give the accesses of each web of an array their own memory; the first web keeps what is."""
    memories = [memory]
    for web in webs[1:]:
        other = duplicate(memory)
        memories.append(other)
        for access in web:
            access.operands = [
                other if operand is memory else operand for operand in access.operands
            ]
    return memories


def _expand(scop: Scop, copies: _PrivateCopies, allocator: Allocator) -> str:
    """Put the iterations of the loops before the subscripts of an array; says so."""
    loops = copies.loops
    old = scop.arrays[copies.array]
    new = allocator.allocate(old, copies.box, extents_of(old))
    for statement in (each for each in scop.statements if each.name in copies.accesses):
        values = StatementValues(scop, statement)
        iteration = _private_subscripts(statement, loops, copies.box)
        for operation in copies.accesses[statement.name]:
            (access,) = accesses_of(operation)
            if access.map is None:
                values.put_in_front(access, new, iteration)
                continue
            subscripts = (*values.expressions(iteration), *values.subscripts(operation))
            values.redirect(operation, new, subscripts)
    remove_unused(old)
    which = ", ".join(str(loop.number) for loop in loops)
    return f"{copies.array} has a copy for each iteration of loop {which}: {new.type}"


def _iterations(statement: Statement, loops: Sequence[PrivateLoop]) -> isl.Set:
    """The values of `loops` at the instances of a statement."""
    functions = (isl.Map.from_pw_aff(loop.member[statement.name]) for loop in loops)
    start = isl.Map.from_domain(statement.domain)
    return reduce(isl.Map.flat_range_product, functions, start).range()


def _private_subscripts(
    statement: Statement, loops: Sequence[PrivateLoop], box: Sequence[Side]
) -> list[isl.Aff]:
    """The values of `loops` in a statement, counted from the corner of the box."""
    values = []
    for loop in loops:
        ((_, value),) = loop.member[statement.name].get_pieces()
        values.append(value)
    return from_lower(values, box)


@dataclass(frozen=True)
class Web:
    """Writes of some statements, and the reads of their values."""

    writes: tuple[tuple[str, Access], ...]
    reads: tuple[ReadFlow, ...]

    @property
    def accesses(self) -> tuple[Access, ...]:
        """The writes, then the reads."""
        return (*(access for _, access in self.writes), *(read.access for read in self.reads))


def webs_of(flow: ArrayFlow) -> tuple[Web, ...]:
    """The webs of an array, in the order of their first write.

    All writes of one statement are in one web. A read without any instance is in the first.
    """
    leader: dict[str, str] = {name: name for name, _ in flow.writes}

    def find(name: str) -> str:
        while leader[name] != name:
            name = leader[name]
        return name

    for read in flow.reads:
        for sources in read.sources[1:]:
            leader[find(_source_name(sources))] = find(_source_name(read.sources[0]))
    names = list(dict.fromkeys(find(name) for name, _ in flow.writes))

    def home(read: ReadFlow) -> str:
        return find(_source_name(read.sources[0])) if read.sources else names[0]

    return tuple(
        Web(
            tuple(write for write in flow.writes if find(write[0]) == name),
            tuple(read for read in flow.reads if home(read) == name),
        )
        for name in names
    )


def _source_name(relation: isl.Map) -> str:
    name = relation.get_tuple_name(isl.dim_type.in_)
    assert name is not None
    return name
