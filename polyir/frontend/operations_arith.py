"""Constants, and the elementwise operations of arith, math and index."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TypeVar

from lark import Token, Tree
from xdsl.dialects import arith
from xdsl.dialects.arith import FastMathFlagsAttr, IntegerOverflowAttr, IntegerOverflowFlag
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    i1,
    i64,
)
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Attribute, Operation
from xdsl.irdl import IRDLOperation
from xdsl.utils.str_enum import StrEnum

from polyir.base.diagnostics import nearest
from polyir.dialects.shaped_operations import condition_type, operation_on
from polyir.frontend.literals import word
from polyir.frontend.operation_reader import INDEX, Handler, OperationReader, plural
from polyir.frontend.source import Branch, tree
from polyir.frontend.vocabulary import INDEX_ELEMENTWISE

_PREDICATES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "arith.cmpi": tuple(arith.CMPI_COMPARISON_OPERATIONS),
        "arith.cmpf": tuple(arith.CMPF_COMPARISON_OPERATIONS),
    }
)


def _constant(reader: OperationReader, node: Tree[Token]) -> Operation:
    _, attributes, value_node = node.children
    value = reader.attributes.attribute(value_node)
    if not isinstance(value, IntegerAttr | FloatAttr | DenseIntOrFPElementsAttr):
        reader.source.fail(value_node, "expected a number or a dense constant")
    return arith.ConstantOp.create(
        result_types=[value.get_type()],
        properties={"value": value},
        attributes=reader.dictionary(attributes),
    )


def _operation_type(reader: OperationReader, branch: Branch) -> type[IRDLOperation]:
    """The class of the operation named by the token `branch`."""
    operation_type = reader.context.get_optional_op(str(branch))
    if operation_type is None or not issubclass(operation_type, IRDLOperation):
        reader.source.fail(branch, f"xDSL does not have the operation '{branch}'")
    return operation_type


def _elementwise(reader: OperationReader, node: Tree[Token]) -> Operation:
    name, operands, flags, attributes, types_node = node.children
    operation_type = _operation_type(reader, name)
    definition = operation_type.get_irdl_definition()
    operand_types, result_types = _signature(
        reader, operation_type, types_node, len(definition.operands), len(definition.results)
    )
    return operation_on(operation_type, operand_types[0]).create(
        operands=reader.operands(operands, operand_types),
        result_types=result_types,
        properties=_flags(reader, flags, operation_type),
        attributes=reader.dictionary(attributes),
    )


def _signature(
    reader: OperationReader,
    operation_type: type[Operation],
    types_node: Branch,
    operand_count: int,
    result_count: int,
) -> tuple[list[Attribute], list[Attribute]]:
    """The types of the operands and of the results, from the types that are written."""
    types = reader.types(types_node)
    written = 1
    # math takes a while to import, and most programs do without: hence a name.
    is_power = operation_type.name == "math.fpowi"
    if (
        is_power
        or operation_type is arith.AddUIExtendedOp
        or (operation_type is arith.SelectOp and len(types) == 2)
    ):
        written = 2
    if len(types) != written:
        reader.source.fail(types_node, f"expected {plural(written, 'type')}, found {len(types)}")
    if operation_type is arith.SelectOp:
        condition = types[0] if written == 2 else i1
        return [condition, types[-1], types[-1]], [types[-1]]
    if is_power:
        return list(types), [types[0]]
    if operation_type is arith.AddUIExtendedOp:
        return [types[0], types[0]], list(types)
    return [types[0]] * operand_count, [types[0]] * result_count


def _compare(reader: OperationReader, node: Tree[Token]) -> Operation:
    name, predicate, operands, flags, attributes, types_node = node.children
    operation_type = _operation_type(reader, name)
    predicates = _PREDICATES[str(name)]
    if str(predicate) not in predicates:
        hint = nearest(str(predicate), predicates)
        reader.source.fail(predicate, f"unknown predicate '{predicate}' of '{name}'{hint}")
    types = reader.types(types_node)
    if len(types) != 1:
        reader.source.fail(types_node, f"expected 1 type, found {len(types)}")
    properties = _flags(reader, flags, operation_type)
    properties["predicate"] = IntegerAttr(predicates.index(str(predicate)), i64)
    return operation_on(operation_type, types[0]).create(
        operands=reader.operands(operands, [types[0]] * 2),
        result_types=[condition_type(types[0])],
        properties=properties,
        attributes=reader.dictionary(attributes),
    )


def _conversion(reader: OperationReader, node: Tree[Token]) -> Operation:
    name, value, flags, attributes, source_type, result_type = node.children
    operation_type = _operation_type(reader, name)
    operand = reader.operand(value, reader.type(source_type))
    return operation_on(operation_type, operand.type).create(
        operands=[operand],
        result_types=[reader.type(result_type)],
        properties=_flags(reader, flags, operation_type),
        attributes=reader.dictionary(attributes),
    )


def _flags(
    reader: OperationReader, branch: Branch, operation_type: type[IRDLOperation]
) -> dict[str, Attribute]:
    """The properties that `fastmath<...>` and `overflow<...>` stand for."""
    known = operation_type.get_irdl_definition().properties
    properties: dict[str, Attribute] = {}
    for node in tree(branch).children:
        kind, *names = tree(node).children
        name = "fastmath" if kind == "fastmath" else "overflowFlags"
        if name not in known:
            reader.source.fail(kind, f"'{operation_type.name}' has no '{kind}' flags")
        if name in properties:
            reader.source.fail(kind, f"the '{kind}' flags are given twice")
        properties[name] = (
            FastMathFlagsAttr(_members(reader, names, FastMathFlag, "fast"))
            if kind == "fastmath"
            else IntegerOverflowAttr(_members(reader, names, IntegerOverflowFlag, None))
        )
    return properties


_Flag = TypeVar("_Flag", bound=StrEnum)


def _members(
    reader: OperationReader, names: Sequence[Branch], flags: type[_Flag], everything: str | None
) -> tuple[_Flag, ...]:
    """The flags with these names; `none` stands for no flag, `everything` for all of them."""
    by_name = {str(flag.value): flag for flag in flags}
    chosen: dict[str, _Flag] = {}
    for name in names:
        spelling = str(name)
        if spelling == everything:
            chosen |= by_name
        elif spelling in by_name:
            chosen[spelling] = by_name[spelling]
        elif spelling != "none":
            hint = nearest(spelling, (*by_name, "none"))
            reader.source.fail(name, f"unknown flag '{spelling}'{hint}")
    return tuple(chosen.values())


# The operations of `index` become those of `arith`, which mean the same on the type index.


def _index_constant(reader: OperationReader, node: Tree[Token]) -> Operation:
    _, attributes, value = node.children
    operation = arith.ConstantOp(IntegerAttr(word(reader.source, value), INDEX))
    operation.attributes |= reader.dictionary(attributes)
    return operation


def _index_elementwise(reader: OperationReader, node: Tree[Token]) -> Operation:
    name, operands, attributes = node.children
    operation_type = reader.context.get_op(INDEX_ELEMENTWISE[str(name)])
    return operation_type.create(
        operands=reader.operands(operands, [INDEX, INDEX]),
        result_types=[INDEX],
        attributes=reader.dictionary(attributes),
    )


def _index_compare(reader: OperationReader, node: Tree[Token]) -> Operation:
    _, predicate, operands, attributes = node.children
    predicates = _PREDICATES["arith.cmpi"]
    if str(predicate) not in predicates:
        hint = nearest(str(predicate), predicates)
        reader.source.fail(predicate, f"unknown predicate '{predicate}' of 'index.cmp'{hint}")
    left, right = reader.operands(operands, [INDEX, INDEX])
    operation = arith.CmpiOp(left, right, str(predicate))
    operation.attributes |= reader.dictionary(attributes)
    return operation


HANDLERS: Mapping[str, Handler] = MappingProxyType(
    {
        "constant": _constant,
        "elementwise": _elementwise,
        "compare": _compare,
        "conversion": _conversion,
        "index_constant": _index_constant,
        "index_elementwise": _index_elementwise,
        "index_compare": _index_compare,
    }
)
