"""Dense constants: `dense<...>` literals of every shape and element type."""

from __future__ import annotations

import math

from lark import Token, Tree
from xdsl.dialects.builtin import (
    AnyFloat,
    BytesAttr,
    ComplexType,
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerType,
    MemRefType,
    TensorType,
    VectorType,
)
from xdsl.ir import Attribute

from polyir.frontend.literals import floating, integer_literal, string
from polyir.frontend.source import Branch, SourceText, token, tree

# A splat of this many elements is kept element by element by xDSL.
_MAXIMUM_ELEMENTS = 2**24


def read_dense(
    source: SourceText, branch: Branch, dense_type: Attribute, type_node: Branch
) -> DenseIntOrFPElementsAttr:
    """The constant of a `dense_literal` node of the type `dense_type`, read from `type_node`."""
    if not isinstance(dense_type, MemRefType | TensorType | VectorType):
        source.fail(type_node, f"expected a tensor or vector type, not {dense_type}")
    element_type = dense_type.get_element_type()
    if not isinstance(element_type, IntegerType | IndexType | AnyFloat | ComplexType):
        source.fail(type_node, f"a dense constant cannot have elements of type {element_type}")
    shape = dense_type.get_shape()
    if any(extent < 0 for extent in shape):
        source.fail(type_node, "a dense constant must have a static shape")
    if math.prod(shape) > _MAXIMUM_ELEMENTS:
        source.fail(
            type_node, f"a dense constant must not have more than {_MAXIMUM_ELEMENTS} elements"
        )
    (content,) = tree(branch).children
    if content is None:
        values: list[Tree[Token]] = []
        if math.prod(shape):
            source.fail(branch, f"expected {math.prod(shape)} elements, as the type requires")
    elif tree(content).data == "hexadecimal":
        return _from_bytes(source, tree(content), dense_type, element_type)
    else:
        values = _elements(source, tree(content), shape)
    numbers = [_value(source, value, element_type) for value in values]
    # The element values fit the element type, which the checker cannot know.
    return DenseIntOrFPElementsAttr.from_list(dense_type, numbers)  # type: ignore[arg-type]


def _elements(source: SourceText, node: Tree[Token], shape: tuple[int, ...]) -> list[Tree[Token]]:
    """The elements of nested lists of the shape `shape`; one element alone stands for all."""
    if node.data != "element_list":
        return [node] * math.prod(shape)
    level = [node]
    for extent in shape:
        for nested in level:
            if nested.data != "element_list" or len(nested.children) != extent:
                source.fail(nested, f"expected a list of {extent} elements, as the type requires")
        level = [tree(child) for nested in level for child in nested.children]
    for element in level:
        if element.data == "element_list":
            source.fail(element, "the constant has more dimensions than its type")
    return level


def _value(
    source: SourceText, node: Tree[Token], element_type: Attribute
) -> int | float | tuple[int | float, ...]:
    if isinstance(element_type, ComplexType):
        if node.data != "complex_element":
            source.fail(node, "expected a complex number such as (1.0, 2.0)")
        return tuple(
            _scalar(source, tree(part), element_type.element_type) for part in node.children
        )
    if node.data == "complex_element":
        source.fail(node, f"expected a number, as the element type is {element_type}")
    return _scalar(source, node, element_type)


def _scalar(source: SourceText, node: Tree[Token], element_type: Attribute) -> int | float:
    if isinstance(element_type, AnyFloat):
        if node.data == "boolean":
            source.fail(node, "expected a floating-point literal")
        return floating(source, node, element_type)
    if node.data == "boolean":
        if element_type != IntegerType(1):
            source.fail(node, f"expected an integer, as the element type is {element_type}")
        return int(node.children[0] == "true")
    if token(node.children[0]).type == "FLOAT":
        source.fail(node, f"expected an integer, as the element type is {element_type}")
    return integer_literal(source, node)


def _from_bytes(
    source: SourceText,
    node: Tree[Token],
    dense_type: MemRefType | TensorType | VectorType,
    element_type: IntegerType | IndexType | AnyFloat | ComplexType,
) -> DenseIntOrFPElementsAttr:
    """The constant of a string of hexadecimal digits: its bytes, or those of its one element."""
    digits = string(source, token(node.children[0]))
    try:
        data = bytes.fromhex(digits.removeprefix("0x"))
    except ValueError as error:
        raise source.error(node, "expected hexadecimal digits after 0x") from error
    count = math.prod(dense_type.get_shape())
    if not digits.startswith("0x") or len(data) == 0:
        source.fail(node, "expected a string of hexadecimal digits that begins with 0x")
    if element_type == IntegerType(1):
        return DenseIntOrFPElementsAttr.from_list(dense_type, _bits(source, node, data, count))  # type: ignore[type-var, return-value]
    if len(data) == element_type.compile_time_size:
        data *= count
    if len(data) != count * element_type.compile_time_size:
        source.fail(
            node,
            f"expected the bytes of {count} elements of type {element_type}, as the type requires",
        )
    return DenseIntOrFPElementsAttr(dense_type, BytesAttr(data))  # type: ignore[arg-type]


def _bits(source: SourceText, node: Tree[Token], data: bytes, count: int) -> list[int]:
    """The booleans that `data` packs, eight a byte, the first one lowest; or a splat."""
    if len(data) == 1 and data[0] in (0x00, 0xFF):
        return [data[0] & 1] * count
    if len(data) != (count + 7) // 8:
        source.fail(
            node, f"expected the bytes of {count} booleans, eight per byte, as the type requires"
        )
    return [data[position // 8] >> position % 8 & 1 for position in range(count)]
