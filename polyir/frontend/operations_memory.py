"""The operations of the memref dialect, and those with one operand and its type."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from lark import Token, Tree
from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import (
    IntegerAttr,
    MemRefType,
    StringAttr,
    SymbolRefAttr,
    TensorType,
    UnitAttr,
    UnrankedMemRefType,
    i64,
)
from xdsl.ir import Attribute, Operation

from polyir.base.diagnostics import nearest
from polyir.dialects import affine_extra
from polyir.dialects.affine_semantics import REDUCTION_KINDS
from polyir.frontend.literals import string, symbol
from polyir.frontend.operation_reader import (
    INDEX,
    Handler,
    OperationReader,
    plural,
    segments,
    split_properties,
)
from polyir.frontend.source import Branch, token, tree

_ALLOCATIONS: Mapping[str, type[Operation]] = MappingProxyType(
    {"memref.alloc": memref.AllocOp, "memref.alloca": memref.AllocaOp}
)
_UNARY: Mapping[str, type[Operation]] = MappingProxyType(
    {
        "memref.dealloc": memref.DeallocOp,
        "memref.rank": affine_extra.RankOp,
        "scf.reduce.return": scf.ReduceReturnOp,
    }
)


def _memref_type(reader: OperationReader, type_node: Branch) -> MemRefType[Attribute]:
    memref_type = reader.type(type_node)
    if not isinstance(memref_type, MemRefType):
        reader.source.fail(type_node, f"expected a memref type, not {memref_type}")
    return memref_type


def _alloc(reader: OperationReader, node: Tree[Token]) -> Operation:
    name, sizes_node, brackets, attributes, type_node = node.children
    memref_type = _memref_type(reader, type_node)
    sizes = reader.index_operands(sizes_node)
    dynamic = sum(extent < 0 for extent in memref_type.get_shape())
    if len(sizes) != dynamic:
        reader.source.fail(
            type_node,
            f"expected {plural(dynamic, 'size')}, one for each '?' of the type, found {len(sizes)}",
        )
    symbols_node = tree(brackets).children
    symbols = reader.index_operands(symbols_node[0]) if symbols_node else []
    operation_type = _ALLOCATIONS[str(name)]
    properties, others = split_properties(operation_type, reader.dictionary(attributes))
    properties["operandSegmentSizes"] = segments(len(sizes), len(symbols))
    return operation_type.create(
        operands=[*sizes, *symbols],
        result_types=[memref_type],
        properties=properties,
        attributes=others,
    )


def _subscripted(
    reader: OperationReader, base: Branch, subscripts: Branch, type_node: Branch
) -> tuple[list[Attribute], list[Branch]]:
    """The types and the names of the operands of an access: the memref, then its subscripts."""
    memref_type = _memref_type(reader, type_node)
    names = tree(subscripts).children
    rank = memref_type.get_num_dims()
    if len(names) != rank:
        reader.source.fail(
            names[0] if names else base,
            f"expected {plural(rank, 'subscript')}, one per dimension, found {len(names)}",
        )
    return [memref_type, *[INDEX] * rank], [base, *names]


def _load(reader: OperationReader, node: Tree[Token]) -> Operation:
    _, base, subscripts, attributes, type_node = node.children
    types, names = _subscripted(reader, base, subscripts, type_node)
    properties, others = split_properties(memref.LoadOp, reader.dictionary(attributes))
    return memref.LoadOp.create(
        operands=list(map(reader.operand, names, types)),
        result_types=[_memref_type(reader, type_node).get_element_type()],
        properties=properties,
        attributes=others,
    )


def _store(reader: OperationReader, node: Tree[Token]) -> Operation:
    _, value, base, subscripts, attributes, type_node = node.children
    types, names = _subscripted(reader, base, subscripts, type_node)
    element_type = _memref_type(reader, type_node).get_element_type()
    properties, others = split_properties(memref.StoreOp, reader.dictionary(attributes))
    return memref.StoreOp.create(
        operands=[reader.operand(value, element_type), *map(reader.operand, names, types)],
        properties=properties,
        attributes=others,
    )


def _dim(reader: OperationReader, node: Tree[Token]) -> Operation:
    _, source, index, attributes, type_node = node.children
    source_type = reader.type(type_node)
    if not isinstance(source_type, MemRefType | UnrankedMemRefType):
        reader.source.fail(type_node, f"expected a memref type, not {source_type}")
    return memref.DimOp.create(
        operands=[reader.operand(source, source_type), reader.operand(index, INDEX)],
        result_types=[INDEX],
        attributes=reader.dictionary(attributes),
    )


def _copy(reader: OperationReader, node: Tree[Token]) -> Operation:
    _, source, target, attributes, source_type, target_type = node.children
    return memref.CopyOp.create(
        operands=[
            reader.operand(source, reader.type(source_type)),
            reader.operand(target, reader.type(target_type)),
        ],
        attributes=reader.dictionary(attributes),
    )


def _global(reader: OperationReader, node: Tree[Token]) -> Operation:
    _, visibility, constant, name, type_node, value, attributes = node.children
    memref_type = _memref_type(reader, type_node)
    properties, others = split_properties(memref.GlobalOp, reader.dictionary(attributes))
    properties |= {
        "sym_name": reader.attributes.symbol_name(name),
        "sym_visibility": StringAttr(
            "public" if visibility is None else string(reader.source, token(visibility))
        ),
        "type": memref_type,
    }
    if value is not None and tree(value).data == "uninitialized":
        properties["initial_value"] = UnitAttr()
    elif value is not None:
        value_type = TensorType(memref_type.get_element_type(), memref_type.get_shape())
        properties["initial_value"] = reader.attributes.dense_of_type(value, value_type)
    if constant is not None:
        properties["constant"] = UnitAttr()
    return affine_extra.GlobalOp.create(properties=properties, attributes=others)


def _atomic(reader: OperationReader, node: Tree[Token]) -> Operation:
    _, kind, value, base, subscripts, attributes, type_node = node.children
    if str(kind) not in REDUCTION_KINDS:
        hint = nearest(str(kind), REDUCTION_KINDS)
        reader.source.fail(kind, f"unknown kind of 'memref.atomic_rmw': '{kind}'{hint}")
    function_type = reader.attributes.function_type(type_node)
    inputs, outputs = function_type.inputs.data, function_type.outputs.data
    if len(inputs) != 2 or len(outputs) != 1 or not isinstance(inputs[1], MemRefType):
        reader.source.fail(type_node, "expected the types (value, memref) -> result")
    names = tree(subscripts).children
    types = [*inputs, *[INDEX] * inputs[1].get_num_dims()]
    if len(names) != len(types) - 2:
        reader.source.fail(base, f"expected {plural(len(types) - 2, 'subscript')}")
    return memref.AtomicRMWOp.create(
        operands=list(map(reader.operand, [value, base, *names], types)),
        result_types=outputs,
        properties={"kind": IntegerAttr(REDUCTION_KINDS.index(str(kind)), i64)},
        attributes=reader.dictionary(attributes),
    )


def _get_global(reader: OperationReader, node: Tree[Token]) -> Operation:
    _, name, type_node, attributes = node.children
    return memref.GetGlobalOp.create(
        result_types=[reader.type(type_node)],
        properties={"name": SymbolRefAttr(symbol(reader.source, token(name)))},
        attributes=reader.dictionary(attributes),
    )


def _unary(reader: OperationReader, node: Tree[Token]) -> Operation:
    name, operand, attributes, type_node = node.children
    operation_type = _UNARY[str(name)]
    return operation_type.create(
        operands=[reader.operand(operand, reader.type(type_node))],
        result_types=[INDEX] if operation_type is affine_extra.RankOp else [],
        attributes=reader.dictionary(attributes),
    )


HANDLERS: Mapping[str, Handler] = MappingProxyType(
    {
        "memref_alloc": _alloc,
        "memref_load": _load,
        "memref_store": _store,
        "memref_dim": _dim,
        "memref_copy": _copy,
        "memref_global": _global,
        "memref_atomic": _atomic,
        "memref_get_global": _get_global,
        "unary": _unary,
    }
)
