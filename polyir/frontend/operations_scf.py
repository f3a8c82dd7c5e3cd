"""The operations of the scf dialect that the grammar knows."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from lark import Token, Tree
from xdsl.dialects import scf
from xdsl.dialects.builtin import i1
from xdsl.ir import Operation, Region
from xdsl.traits import IsTerminator

from polyir.frontend.operation_reader import INDEX, Handler, OperationReader, plural, segments
from polyir.frontend.operations_affine import loop_carried
from polyir.frontend.source import Branch, tree


def _for(reader: OperationReader, node: Tree[Token]) -> Operation:
    _, variable, lower, upper, step, iter_args, type_part, body, attributes = node.children
    names, initial, types = loop_carried(reader, iter_args)
    type_nodes = tree(type_part).children
    variable_type = reader.type(type_nodes[0]) if type_nodes else INDEX
    bounds = [reader.operand(bound, variable_type) for bound in (lower, upper, step)]
    region = reader.single_block(body, [(variable, variable_type), *zip(names, types, strict=True)])
    _end_with_yield(reader, body, region, len(types))
    return scf.ForOp.create(
        operands=[*bounds, *initial],
        result_types=types,
        attributes=reader.dictionary(attributes),
        regions=[region],
    )


def _end_with_yield(reader: OperationReader, place: Branch, region: Region, results: int) -> None:
    last = region.block.last_op
    if last is not None and last.has_trait(IsTerminator, value_if_unregistered=False):
        return
    if results:
        reader.source.fail(place, f"expected 'scf.yield' of {plural(results, 'value')} at the end")
    region.block.add_op(scf.YieldOp())


def _if(reader: OperationReader, node: Tree[Token]) -> Operation:
    _, condition, results, then_body, else_part, attributes = node.children
    types = reader.types(results)
    condition_value = reader.operand(condition, i1)
    then_region = reader.single_block(then_body)
    _end_with_yield(reader, then_body, then_region, len(types))
    else_region = Region()
    if tree(else_part).children:
        (else_body,) = tree(else_part).children
        else_region = reader.single_block(else_body)
        _end_with_yield(reader, else_body, else_region, len(types))
    elif types:
        reader.source.fail(results, "expected 'else', as the operation has results")
    operation = scf.IfOp.create(
        operands=[condition_value],
        result_types=types,
        attributes=reader.dictionary(attributes),
        regions=[then_region, else_region],
    )
    for region in (then_region, else_region):
        last = region.block.last_op if region.blocks else None
        if isinstance(last, scf.YieldOp) and tuple(last.operand_types) != types:
            reader.fail_at(
                last, "type mismatch: the values differ from the results of the 'scf.if'"
            )
    return operation


def _parallel(reader: OperationReader, node: Tree[Token]) -> Operation:
    _, variables, lower, upper, steps, init, results, body, attributes = node.children
    names = tree(variables).children
    groups = [
        reader.operands(part, [INDEX] * len(names), part if tree(part).children else variables)
        for part in (lower, upper, steps)
    ]
    types = reader.types(results)
    initial = []
    if tree(init).children:
        initial = reader.operands(tree(init).children[0], types)
    elif types:
        reader.source.fail(results, "expected 'init(...)' with a value for each result")
    region = reader.single_block(body, [(name, INDEX) for name in names])
    last = region.block.last_op
    if last is None or not last.has_trait(IsTerminator, value_if_unregistered=False):
        if types:
            reader.source.fail(body, "expected 'scf.reduce' with a region for each result")
        region.block.add_op(scf.ReduceOp())
    return scf.ParallelOp.create(
        operands=[value for group in (*groups, initial) for value in group],
        result_types=types,
        properties={"operandSegmentSizes": segments(*(len(group) for group in (*groups, initial)))},
        attributes=reader.dictionary(attributes),
        regions=[region],
    )


def _reduce(reader: OperationReader, node: Tree[Token]) -> Operation:
    _, reduced = node.children
    parts = tree(reduced).children
    values = [part for part in parts if isinstance(part, Token)]
    if not values:
        return scf.ReduceOp.create()
    types_node, *bodies = parts[len(values) :]
    types = reader.types(types_node)
    if len(types) != len(values) or len(bodies) != len(values):
        reader.source.fail(reduced, f"expected {plural(len(values), 'type')} and as many regions")
    return scf.ReduceOp.create(
        operands=[
            reader.operand(value, value_type)
            for value, value_type in zip(values, types, strict=True)
        ],
        regions=[reader.region(body) for body in bodies],
    )


HANDLERS: Mapping[str, Handler] = MappingProxyType(
    {
        "scf_for": _for,
        "scf_if": _if,
        "scf_parallel": _parallel,
        "scf_reduce": _reduce,
    }
)
