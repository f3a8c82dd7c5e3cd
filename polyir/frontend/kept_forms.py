"""Operations that are kept by their names: xDSL lacks them, or has them in another form than MLIR.

Each function reads what follows the name of the operation, in the syntax of MLIR.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from xdsl.dialects.builtin import (
    DenseArrayBase,
    IntegerAttr,
    MemRefType,
    SymbolRefAttr,
    TensorType,
    UnitAttr,
    UnregisteredOp,
    VectorType,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.parser import Parser, UnresolvedOperand

from polyir.frontend.operation_reader import INDEX, plural

Parts = tuple[Sequence[SSAValue], Sequence[Attribute], dict[str, Attribute]]
"""The operands, the types of the results and the attributes of an operation."""


def kept(
    name: str,
    operands: Sequence[SSAValue],
    types: Sequence[Attribute],
    attributes: dict[str, Attribute],
) -> Operation:
    """An operation that xDSL has in another form than MLIR: it is kept by its name."""
    return UnregisteredOp.with_name(name).create(
        operands=operands, result_types=types, attributes=attributes
    )


def _transfer(parser: Parser) -> Parts:
    """`memref.dma_start` and `memref.dma_wait`: memrefs with subscripts, and sizes."""
    names: list[tuple[UnresolvedOperand, bool]] = []
    written: list[list[UnresolvedOperand]] = []
    while True:
        names.append((parser.parse_unresolved_operand(), False))
        written.append([])
        found = parser.parse_optional_comma_separated_list(
            parser.Delimiter.SQUARE, parser.parse_unresolved_operand
        )
        if found is not None:
            names[-1] = (names[-1][0], True)
            written[-1] = found
        if parser.parse_optional_punctuation(",") is None:
            break
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
    if len(types) != sum(is_memref for _, is_memref in names):
        parser.raise_error("expected one type for each memref")
    remaining = iter(types)
    operands: list[SSAValue] = []
    for (name, is_memref), subscripts in zip(names, written, strict=True):
        operands.append(parser.resolve_operand(name, next(remaining) if is_memref else INDEX))
        operands += [parser.resolve_operand(each, INDEX) for each in subscripts]
    return operands, (), attributes


def _converted(arrow: str) -> Callable[[Parser], Parts]:
    """`%a : type arrow type`, with a size in parentheses."""

    def read(parser: Parser) -> Parts:
        name = parser.parse_unresolved_operand()
        sizes = parser.parse_optional_comma_separated_list(
            parser.Delimiter.PAREN, lambda: parser.parse_operand(INDEX)
        )
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        source = parser.parse_type()
        parser.parse_characters(arrow)
        operands = [parser.resolve_operand(name, source), *(sizes or ())]
        return operands, [parser.parse_type()], attributes

    return read


def _print(parser: Parser) -> Parts:
    name = parser.parse_unresolved_operand()
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    return [parser.resolve_operand(name, parser.parse_type())], (), attributes


def _assume_alignment(parser: Parser) -> Parts:
    """Without the result that xDSL gives it, and MLIR from version 20 on."""
    name = parser.parse_unresolved_operand()
    parser.parse_punctuation(",")
    alignment = {"alignment": IntegerAttr(parser.parse_integer(), i32)}
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    return [parser.resolve_operand(name, parser.parse_type())], (), {**alignment, **attributes}


def _memref_and_tensor(parser: Parser) -> tuple[Attribute, Attribute]:
    """A memref type that is written, and the type of tensors with the same elements."""
    type = parser.parse_type()
    if not isinstance(type, MemRefType):
        parser.raise_error("expected a memref type")
    return type, TensorType(type.get_element_type(), type.get_shape())


def _to_memref(parser: Parser) -> Parts:
    name = parser.parse_unresolved_operand()
    read_only = parser.parse_optional_keyword("read_only") is not None
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    type, tensor = _memref_and_tensor(parser)
    flag = {"read_only": UnitAttr()} if read_only else {}
    return [parser.resolve_operand(name, tensor)], [type], {**flag, **attributes}


def _function_constant(parser: Parser) -> Parts:
    attributes = parser.parse_optional_attr_dict()
    name = parser.parse_symbol_name()
    parser.parse_punctuation(":")
    value = SymbolRefAttr(name.data)
    return (), [parser.parse_type()], {"value": value, **attributes}


def _call_indirect(parser: Parser) -> Parts:
    callee = parser.parse_unresolved_operand()
    position = parser.pos
    names = parser.parse_comma_separated_list(
        parser.Delimiter.PAREN, parser.parse_unresolved_operand
    )
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    type = parser.parse_function_type()
    arguments = parser.resolve_operands(names, type.inputs.data, position)
    return [parser.resolve_operand(callee, type), *arguments], type.outputs.data, attributes


def _to_tensor(parser: Parser) -> Parts:
    """Without the type of the result, which MLIR has from version 20 on."""
    name = parser.parse_unresolved_operand()
    words = ("restrict", "writable")
    flags: dict[str, Attribute] = {
        word: UnitAttr() for word in words if parser.parse_optional_keyword(word) is not None
    }
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    type, tensor = _memref_and_tensor(parser)
    return [parser.resolve_operand(name, type)], [tensor], flags | attributes


def _get_parent(parser: Parser) -> Parts:
    """`transform.get_parent_op`."""
    name = parser.parse_unresolved_operand()
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    position = parser.pos
    type = parser.parse_function_type()
    operands = parser.resolve_operands([name], type.inputs.data, position)
    return operands, type.outputs.data, attributes


def _simplify_bounded(parser: Parser) -> Parts:
    """`transform.affine.simplify_bounded_affine_ops`."""
    target = parser.parse_unresolved_operand()
    parser.parse_keyword("with")
    operands: list[SSAValue] = []
    parser.parse_punctuation("[")
    if parser.parse_optional_punctuation("]") is None:
        position = parser.pos
        names = parser.parse_comma_separated_list(
            parser.Delimiter.NONE, parser.parse_unresolved_operand
        )
        parser.parse_punctuation(":")
        types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        parser.parse_punctuation("]")
        operands += parser.resolve_operands(names, types, position)
    bounds: dict[str, Attribute] = {}
    for word, name in (("within", "lower_bounds"), ("and", "upper_bounds")):
        parser.parse_keyword(word)
        position = parser.pos
        numbers = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)
        if len(numbers) != len(operands):
            expected = plural(len(operands), name[:-1].replace("_", " "))
            parser.raise_error(
                f"expected {expected}, one for each value, found {len(numbers)}", position
            )
        bounds[name] = DenseArrayBase.from_list(i64, numbers)
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    return [parser.resolve_operand(target, parser.parse_type()), *operands], (), bounds | attributes


def _splat(parser: Parser) -> Parts:
    name = parser.parse_unresolved_operand()
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    type = parser.parse_type()
    if not isinstance(type, VectorType | TensorType):
        parser.raise_error("expected a vector or tensor type")
    return [parser.resolve_operand(name, type.get_element_type())], [type], attributes


KEPT_FORMS: Mapping[str, Callable[[Parser], Parts]] = MappingProxyType(
    {
        "memref.dma_start": _transfer,
        "memref.dma_wait": _transfer,
        "memref.assume_alignment": _assume_alignment,
        "memref.realloc": _converted("to"),
        "memref.extract_aligned_pointer_as_index": _converted("->"),
        "vector.print": _print,
        "bufferization.to_memref": _to_memref,
        "bufferization.to_tensor": _to_tensor,
        "transform.get_parent_op": _get_parent,
        "transform.loop.unroll": _print,
        "transform.affine.simplify_bounded_affine_ops": _simplify_bounded,
        "func.constant": _function_constant,
        "func.call_indirect": _call_indirect,
        "vector.splat": _splat,
        "tensor.splat": _splat,
    }
)
"""What follows the names of these operations."""
