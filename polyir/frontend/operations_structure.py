"""Modules, functions, calls, terminators, and the generic form of any operation."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from lark import Token, Tree
from xdsl.dialects import affine, func, memref, scf
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    SymbolRefAttr,
)
from xdsl.ir import Attribute, Block, Operation, Region

from polyir.base.diagnostics import nearest
from polyir.dialects import affine_extra
from polyir.dialects.affine_semantics import REDUCTION_KINDS
from polyir.dialects.rare_operations import load_rare_operations
from polyir.dialects.shaped_operations import operation_on
from polyir.frontend.gpu_forms import as_in_xdsl, corrected, remove_end
from polyir.frontend.literals import string, symbol
from polyir.frontend.operation_reader import Handler, OperationReader, plural, split_properties
from polyir.frontend.source import Branch, token, tree

_TERMINATORS: Mapping[str, type[Operation]] = MappingProxyType(
    {
        "return": func.ReturnOp,
        "func.return": func.ReturnOp,
        "affine.yield": affine.YieldOp,
        "scf.yield": scf.YieldOp,
    }
)


def _module(reader: OperationReader, node: Tree[Token]) -> Operation:
    _, name, attributes, body = node.children
    region = reader.single_block(body, isolated=True)
    return ModuleOp(
        region,
        reader.dictionary(attributes),
        None if name is None else reader.attributes.symbol_name(name),
    )


def _func(reader: OperationReader, node: Tree[Token]) -> Operation:
    _, visibility, name, parameters, results, attributes, body = node.children
    inputs: list[Attribute] = []
    input_attributes: list[DictionaryAttr] = []
    names: list[tuple[Branch, Attribute]] = []
    for branch in tree(parameters).children:
        parameter = tree(branch)
        named = parameter.data == "argument"
        type_node, dictionary = parameter.children[1:3] if named else parameter.children[:2]
        inputs.append(reader.type(type_node))
        input_attributes.append(DictionaryAttr(reader.dictionary(dictionary)))
        if named:
            names.append((parameter, inputs[-1]))
        elif body is not None and not _begins_with_label(tree(body)):
            reader.source.fail(parameter, "expected an argument such as %x: type")
    if names and len(names) != len(inputs):
        reader.source.fail(
            parameters, "either all arguments of a function must have names, or none"
        )
    outputs, output_attributes = _func_results(reader, tree(results))
    region = Region()
    if body is not None:
        region = reader.region(body, names, isolated=True)
        if region.first_block is None:
            region.add_block(Block())
    scope = tree(visibility).children
    properties: dict[str, Attribute] = {
        "sym_name": reader.attributes.symbol_name(name),
        "function_type": FunctionType.from_lists(inputs, outputs),
    }
    if scope:
        properties["sym_visibility"] = StringAttr(str(scope[0]))
    if any(dictionary.data for dictionary in input_attributes):
        properties["arg_attrs"] = ArrayAttr(input_attributes)
    if any(dictionary.data for dictionary in output_attributes):
        properties["res_attrs"] = ArrayAttr(output_attributes)
    return func.FuncOp.create(
        properties=properties, attributes=reader.dictionary(attributes), regions=[region]
    )


def _begins_with_label(body: Tree[Token]) -> bool:
    """Whether the first block of a region has a label, which may name its arguments."""
    operations, *labelled = body.children
    return bool(labelled) and not tree(operations).children


def _func_results(
    reader: OperationReader, node: Tree[Token]
) -> tuple[list[Attribute], list[DictionaryAttr]]:
    outputs: list[Attribute] = []
    attributes: list[DictionaryAttr] = []
    for branch in node.children:
        result = tree(branch)
        if result.data == "func_result":
            type_node, dictionary = result.children
            outputs.append(reader.type(type_node))
            attributes.append(DictionaryAttr(reader.dictionary(dictionary)))
        else:
            outputs.append(reader.type(result))
            attributes.append(DictionaryAttr({}))
    return outputs, attributes


def _call(reader: OperationReader, node: Tree[Token]) -> Operation:
    _, callee, operands, attributes, type_node = node.children
    function_type = reader.attributes.function_type(type_node)
    return func.CallOp.create(
        operands=reader.operands(operands, function_type.inputs.data, operands),
        result_types=function_type.outputs.data,
        properties={"callee": SymbolRefAttr(symbol(reader.source, token(callee)))},
        attributes=reader.dictionary(attributes),
    )


def _terminator(reader: OperationReader, node: Tree[Token]) -> Operation:
    name, attributes, yielded = node.children
    *values, types = tree(yielded).children or [yielded]
    value_types = reader.types(types)
    if len(values) != len(value_types):
        reader.source.fail(types, f"expected {plural(len(values), 'type')}, one for each value")
    return _TERMINATORS[str(name)].create(
        operands=[
            reader.operand(value, value_type)
            for value, value_type in zip(values, value_types, strict=True)
        ],
        attributes=reader.dictionary(attributes),
    )


def _generic(reader: OperationReader, node: Tree[Token]) -> Operation:
    name_token, operands, successors, properties, regions, attributes, type_node = node.children
    operation_type = _operation_type(reader, token(name_token))
    function_type = reader.attributes.function_type(type_node)
    if function_type.inputs.data:
        operation_type = operation_on(operation_type, function_type.inputs.data[0])
    own, others = split_properties(operation_type, reader.dictionary(attributes))
    own |= reader.dictionary(properties)
    _adapt_to_xdsl(operation_type, own)
    if operation_type.name.startswith("gpu."):
        own, others = as_in_xdsl(operation_type, own, others, len(function_type.inputs))
    isolated = operation_type in (ModuleOp, func.FuncOp)
    operation = operation_type.create(
        operands=reader.operands(operands, function_type.inputs.data, name_token),
        result_types=function_type.outputs.data,
        properties=own,
        attributes=others,
        successors=reader.successors(successors),
        regions=[reader.region(region, isolated=isolated) for region in tree(regions).children],
    )
    if operation.name == "gpu.module":
        remove_end(operation)
    return operation


def _operation_type(reader: OperationReader, name_token: Token) -> type[Operation]:
    name = string(reader.source, name_token)
    operation_type = reader.context.get_optional_op(name)
    if operation_type is None:
        load_rare_operations(reader.context, reader.source.text)
        operation_type = reader.context.get_optional_op(name)
    if operation_type is None:
        hint = nearest(name, (operation.name for operation in reader.context.loaded_ops))
        reader.source.fail(name_token, f"unknown operation '{name}'{hint}")
    if name.startswith("gpu."):
        return corrected(operation_type)
    return _CORRECTED.get(operation_type, operation_type)


_CORRECTED: Mapping[type[Operation], type[Operation]] = MappingProxyType(
    {
        affine.ParallelOp: affine_extra.ParallelOp,
        memref.GlobalOp: affine_extra.GlobalOp,
        memref.RankOp: affine_extra.RankOp,
    }
)
"""Operations that xDSL verifies in another way than MLIR, and their correct classes."""


def _adapt_to_xdsl(operation_type: type[Operation], properties: dict[str, Attribute]) -> None:
    """Replace the few properties that xDSL spells otherwise than MLIR."""
    if operation_type is affine_extra.ParallelOp:
        kinds = properties.get("reductions")
        if isinstance(kinds, ArrayAttr):
            properties["reductions"] = ArrayAttr(
                StringAttr(REDUCTION_KINDS[kind.value.data])
                if isinstance(kind, IntegerAttr) and kind.value.data in range(len(REDUCTION_KINDS))
                else kind
                for kind in kinds
            )
    if operation_type is affine_extra.GlobalOp:
        properties.setdefault("sym_visibility", StringAttr("public"))


HANDLERS: Mapping[str, Handler] = MappingProxyType(
    {
        "module": _module,
        "func": _func,
        "call": _call,
        "terminator": _terminator,
        "generic": _generic,
    }
)
