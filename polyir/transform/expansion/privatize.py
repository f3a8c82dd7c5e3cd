"""Privatization: temporaries get a copy per iteration of loops that they serialise falsely.

A loop that carries no value of a temporary, but reuses its memory in each iteration, has anti
and output dependences only because of that. With memory for each iteration they are gone (Li,
"Array privatization for parallel execution of loops", 1992; Maydan, Amarasinghe and Lam, "Array
data-flow analysis and its use in array privatization", 1993). That no value crosses iterations
is decided exactly from the value-based flow.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import islpy as isl
from xdsl.ir import SSAValue

from polyir.dialects.dependence import DependenceKind, Dependences
from polyir.dialects.scop import ScopOp
from polyir.model.analysis import compute_dependences
from polyir.model.dataflow import ArrayFlow, array_flow
from polyir.model.distance import common_loops
from polyir.model.legality import example_of
from polyir.model.order import Active, forward
from polyir.model.scop import Scop, scop_of
from polyir.model.statements import Statement
from polyir.transform.expansion.box import Allocator, NoBoxError, Side, box_of, on_statement
from polyir.transform.expansion.loops import Loops, PrivateLoop, false_loops
from polyir.transform.expansion.rewritten import Rewritten
from polyir.transform.expansion.subscripts import StatementValues
from polyir.transform.expansion.temporaries import (
    duplicate,
    extents_of,
    is_access,
    remove_unused,
    temporaries,
)
from polyir.transform.expansion.webs import webs_of

_NO_LOOP = "every loop that reuses its memory carries a value of it, or is sequential anyway"


def privatize(op: ScopOp, arrays: Sequence[str] = (), loops: Loops = "needed") -> Rewritten:
    """Give temporaries of a scop private copies, for the order that its tree has now.

    First the accesses of each temporary are split into webs, each with memory of its own. Then
    each web gets one dimension more for each of the chosen loops around all its statements.
    `arrays` are the only ones to look at; without them all temporaries are.

    The dependences of the scop are out of date after it.
    """
    scop = scop_of(op)
    flows, missed = temporaries(scop, arrays)
    done: list[str] = []
    memories: list[SSAValue] = []
    for name, flow in flows.items():
        parts = _split(scop, flow)
        memories += parts
        if len(parts) > 1:
            done.append(f"{name} is {len(parts)} temporaries without a common value")
    scop = scop_of(op)
    names = [name for name, memory in scop.arrays.items() if memory in memories]
    flows = {name: array_flow(scop, name) for name in names}
    dependences = compute_dependences(scop)
    chosen = false_loops(scop, dependences, flows, loops)
    allocator = Allocator(op)
    for name, private in chosen.items():
        if not private:
            if name in arrays:
                carried = _carried_value(scop, dependences, name)
                missed.append(f"{name} has no private copies: {_NO_LOOP}{carried}")
            continue
        try:
            done.append(_expand(scop, flows[name], private, allocator))
        except NoBoxError as error:
            missed.append(f"{name} has no private copies: {error}")
    return Rewritten(tuple(done), tuple(missed))


def _carried_value(scop: Scop, dependences: Dependences, array: str) -> str:
    """A pair between which a value of `array` goes to another iteration; `""` if none does."""
    for dependence in dependences.ordering:
        if dependence.array == array and dependence.kind is DependenceKind.FLOW:
            whole = Active(dependence, dependence.relation)
            for member in common_loops(scop.schedule, dependence):
                if not (relation := forward(whole, member)).is_empty():
                    return f": {example_of(relation)}"
    return ""


def _split(scop: Scop, flow: ArrayFlow) -> list[SSAValue]:
    """Give each web of an array memory of its own; the first keeps the memory that there is."""
    memory = scop.arrays[flow.array]
    memories = [memory]
    for web in webs_of(flow)[1:]:
        other = duplicate(memory)
        memories.append(other)
        for access in web.accesses:
            access.operation.operands = [
                other if operand is memory else operand for operand in access.operation.operands
            ]
    return memories


def _expand(
    scop: Scop,
    flow: ArrayFlow,
    loops: Sequence[PrivateLoop],
    allocator: Allocator,
) -> str:
    """Put the iterations of `loops` before the subscripts of an array; says so."""
    statements = [each for each in scop.statements if each.name in flow.statements]
    cells = reduce(isl.Set.union, (_iterations(each, loops) for each in statements))
    box = box_of(cells, scop.context)
    old = scop.arrays[flow.array]
    new = allocator.allocate(old, box, extents_of(old))
    for statement in statements:
        values = StatementValues(scop, statement)
        iteration = values.expressions(_private_subscripts(statement, loops, box))
        for access in flow.accesses_of(statement.name):
            operation = is_access(access.operation)
            subscripts = (*iteration, *values.subscripts(operation))
            values.redirect(operation, new, subscripts)
    remove_unused(old)
    which = ", ".join(str(loop.number) for loop in loops)
    return f"{flow.array} has a copy for each iteration of loop {which}: {new.type}"


def _iterations(statement: Statement, loops: Sequence[PrivateLoop]) -> isl.Set:
    """The values of `loops` at the instances of a statement."""
    functions = (isl.Map.from_pw_aff(loop.member[statement.name]) for loop in loops)
    start = isl.Map.from_domain(statement.domain)
    return reduce(isl.Map.flat_range_product, functions, start).range()


def _private_subscripts(
    statement: Statement, loops: Sequence[PrivateLoop], box: Sequence[Side]
) -> list[isl.Aff]:
    """The values of `loops` in a statement, counted from the corner of the box."""
    subscripts = []
    for loop, side in zip(loops, box, strict=True):
        ((_, value),) = loop.member[statement.name].get_pieces()
        subscripts.append(value.sub(on_statement(side.lower, value.get_domain_space())))
    return subscripts
