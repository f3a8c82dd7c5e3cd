"""Loops and conditions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import affine, scf
from xdsl.dialects.builtin import AffineSetAttr
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.traits import IsTerminator

from polyir.target.c.affine import condition, literal, maximum, minimum
from polyir.target.c.body import Body
from polyir.target.c.expressions import Expression, IntegerLiteral, Name, Variable, compare
from polyir.target.c.types import scalar_type
from polyir.target.c.uses import set_sides


@dataclass(frozen=True)
class Loop:
    """One counted loop: from `lower` in steps of `step`, below `upper` (or up to it)."""

    counter: SSAValue
    lower: Expression
    upper: Expression
    step: Expression
    is_inclusive: bool = False


def loop_head(body: Body, loop: Loop) -> str:
    """`for (...) {`, with a variable for the counter in the current scope."""
    type = scalar_type(loop.counter.type)
    lower = body.text(loop.lower)
    variable = body.names.for_value(loop.counter, "i")
    name = variable.name
    body.bind(loop.counter, Name(type, variable))
    if isinstance(loop.step, IntegerLiteral) and loop.step.value == 1:
        increment = f"{name}++"
    else:
        increment = f"{name} += {body.text(loop.step)}"
    # As an expression, so that an upper bound that is a conditional gets its parentheses.
    test = body.text(compare("<=" if loop.is_inclusive else "<", Name(type, variable), loop.upper))
    declaration = f"{body.type_name(type)} {name} = {lower}"
    return f"for ({declaration}; {test}; {increment}) {{"


def emit_affine_for(body: Body, op: affine.ForOp) -> None:
    block = op.body.block
    loop = Loop(
        block.args[0],
        maximum(body.take_map(op.lowerBoundMap.data, op.lowerBoundOperands)),
        minimum(body.take_map(op.upperBoundMap.data, op.upperBoundOperands)),
        literal(op.step.value.data),
    )
    _emit_for(body, op, loop, op.inits)


def emit_scf_for(body: Body, op: scf.ForOp) -> None:
    loop = Loop(
        op.body.block.args[0],
        body.take_invariant(op.lb),
        body.take_invariant(op.ub),
        body.take_invariant(op.step),
    )
    _emit_for(body, op, loop, op.iter_args)


def _emit_for(body: Body, op: Operation, loop: Loop, inits: Sequence[SSAValue]) -> None:
    """A sequential loop; what it carries lives in variables that keep the results after it."""
    block = op.regions[0].block
    carried = declare_carried(body, op, inits, block.args[1:])
    body.before_region(op)
    with body.names.scope(), body.writer.block(loop_head(body, loop)):
        emit_carrying_block(body, block, carried)


def declare_carried(
    body: Body, op: Operation, inits: Sequence[SSAValue], arguments: Sequence[SSAValue]
) -> list[Variable | None]:
    """Declare a variable for each value that a loop carries; `None` for one that nobody reads."""
    carried: list[Variable | None] = []
    for init, argument, result in zip(inits, arguments, op.results, strict=True):
        if not (body.is_used(argument) or body.is_used(result)):
            carried.append(None)
            continue
        variable = declare_variable(body, result, body.take(init), argument.name_hint)
        body.bind(argument, Name(scalar_type(result.type, op), variable))
        carried.append(variable)
    return carried


def declare_variable(
    body: Body, result: SSAValue, start: Expression, other_name: str | None = None
) -> Variable:
    """A variable that will hold `result` and begins with `start`."""
    type = scalar_type(result.type)
    text = body.text(start)
    # One name for several results says less than the names of what the loop carries.
    names = (result.name_hint, other_name)
    is_only_result = isinstance(result.owner, Operation) and len(result.owner.results) == 1
    first, second = names if is_only_result else reversed(names)
    variable = body.names.fresh(first or second or "t")
    body.writer.line(f"{body.type_name(type)} {variable.name} = {text};")
    body.writer.mark_used(variable)
    body.bind(result, Name(type, variable))
    return variable


def emit_carrying_block(body: Body, block: Block, targets: Sequence[Variable | None]) -> None:
    """A block whose terminator's operands are assigned to `targets`."""
    terminator = body.emit_block(block)
    pairs = [
        (target, body.take(operand))
        for target, operand in zip(targets, terminator.operands if terminator else (), strict=True)
        if target is not None
    ]
    body.assign([target for target, _ in pairs], [value for _, value in pairs])


def emit_affine_if(body: Body, op: affine.IfOp) -> None:
    _emit_if(body, op, affine_condition(body, op.condition, op.args))


def affine_condition(body: Body, attribute: AffineSetAttr, operands: Sequence[SSAValue]) -> str:
    """The text of the test whether `operands` lie in a set."""
    set = attribute.data
    taken = body.take_operands(set_sides(set), set.num_dims, operands)
    return body.text(condition(set, taken))


def emit_scf_if(body: Body, op: scf.IfOp) -> None:
    _emit_if(body, op, body.text(body.take(op.cond)))


def _emit_if(body: Body, op: affine.IfOp | scf.IfOp, test: str) -> None:
    """A condition; its results are variables that each branch assigns."""
    targets: list[Variable | None] = []
    for result in op.results:
        if not body.is_used(result):
            targets.append(None)
            continue
        type = scalar_type(result.type, op)
        variable = body.names.for_value(result, "t")
        body.writer.line(f"{body.type_name(type)} {variable.name};")
        body.bind(result, Name(type, variable))
        targets.append(variable)
    body.before_region(op)
    then, otherwise = op.regions
    has_else = not _is_empty(otherwise)
    with body.nested(f"if ({test}) {{", "} else {" if has_else else "}"):
        emit_carrying_block(body, then.block, targets)
    if has_else:
        with body.nested(""):
            emit_carrying_block(body, otherwise.block, targets)
    body.writer.mark_used(*(target for target in targets if target is not None))


def _is_empty(region: Region) -> bool:
    """Whether a region does nothing: it has no block, or one with a mere terminator."""
    block = region.blocks.first
    if block is None or block.last_op is None:
        return True
    only = block.last_op
    return block.first_op is only and only.has_trait(IsTerminator()) and not only.operands
