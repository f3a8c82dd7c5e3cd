"""Strides of memrefs, and the type of a `memref.subview`, which xDSL does not check."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    DenseArrayBase,
    IntegerType,
    MemRefType,
    NoneAttr,
    ShapedType,
    StridedLayoutAttr,
)
from xdsl.dialects.memref import SubviewOp
from xdsl.ir import SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
    AffineSymExpr,
)
from xdsl.utils.exceptions import VerifyException

Extent = int | None
"""A number, or `None` for one that is known only when the program runs."""


Part = int | SSAValue
"""A constant, or a value of type index."""


def parts(numbers: DenseArrayBase[IntegerType], values: Sequence[SSAValue]) -> tuple[Part, ...]:
    """The constants of an operation, and its values in the places of those that are dynamic."""
    remaining = iter(values)
    return tuple(
        next(remaining) if number == DYNAMIC_INDEX else number for number in numbers.get_values()
    )


@dataclass(frozen=True)
class Strides:
    """Element x of a memref is at `offset + sum(strides * x)`."""

    strides: tuple[Extent, ...]
    offset: Extent


def strides_of(memref_type: MemRefType) -> Strides | None:
    """The strides and the offset of a memref, if its layout has them."""
    identity = Strides(ShapedType.strides_for_shape(memref_type.get_shape()), 0)
    match memref_type.layout:
        case NoneAttr():
            return identity
        case StridedLayoutAttr() as layout:
            return Strides(tuple(layout.get_strides()), layout.get_offset())
        case AffineMapAttr(data=layout) if layout == AffineMap.identity(layout.num_dims):
            return identity
        case AffineMapAttr(data=layout) if len(layout.results) == 1:
            return _linear(layout.results[0], layout.num_dims)
        case _:
            return None


def is_row_major(memref_type: MemRefType) -> bool:
    """Whether the elements are in a row without gaps, the last dimension innermost."""
    if isinstance(memref_type.layout, NoneAttr):
        return True
    identity = AffineMapAttr(AffineMap.identity(memref_type.get_num_dims()))
    found = strides_of(memref_type)
    return memref_type.layout == identity or (
        found is not None
        and None not in found.strides
        and found == Strides(ShapedType.strides_for_shape(memref_type.get_shape()), 0)
    )


def _linear(expression: AffineExpr, rank: int) -> Strides | None:
    """The coefficients of the dimensions, and the rest; `None` if it is not linear in these."""
    none = (0,) * rank
    match expression:
        case AffineConstantExpr(value=value):
            return Strides(none, value)
        case AffineSymExpr():
            return Strides(none, None)
        case AffineDimExpr(position=position):
            return Strides((*none[:position], 1, *none[position + 1 :]), 0)
        case AffineBinaryOpExpr(kind=kind, lhs=lhs, rhs=rhs):
            left, right = _linear(lhs, rank), _linear(rhs, rank)
            if left is None or right is None:
                return None
            if kind is AffineBinaryOpKind.Add:
                pairs = zip(left.strides, right.strides, strict=True)
                return Strides(
                    tuple(_sum(*pair) for pair in pairs), _sum(left.offset, right.offset)
                )
            if left.strides == none:
                left, right = right, left
            if kind is AffineBinaryOpKind.Mul and right.strides == none:
                return Strides(
                    tuple(_product(stride, right.offset) for stride in left.strides),
                    _product(left.offset, right.offset),
                )
    return None


def _sum(left: Extent, right: Extent) -> Extent:
    return None if left is None or right is None else left + right


def _product(left: Extent, right: Extent) -> Extent:
    if left == 0 or right == 0:
        return 0
    return None if left is None or right is None else left * right


def verify_view(view: SubviewOp) -> None:
    """Raise `VerifyException` unless mlir-opt accepts the type of the view's result."""
    source, result = view.source.type, view.result.type
    assert isinstance(source, MemRefType)
    assert isinstance(result, MemRefType)
    expected = _full_type(view, source)
    if (
        result.element_type != expected.element_type
        or result.memory_space != expected.memory_space
        or not _is_part(expected, result)
    ):
        raise VerifyException(
            f"expected the type {expected}, where dimensions of size 1 may be left out, "
            f"found {result}"
        )


def _full_type(view: SubviewOp, source: MemRefType) -> MemRefType:
    """The type of a view with all dimensions of its source."""
    offsets, sizes, steps = (
        _parts(numbers.get_values())
        for numbers in (view.static_offsets, view.static_sizes, view.static_strides)
    )
    if not len(offsets) == len(sizes) == len(steps) == source.get_num_dims():
        raise VerifyException("needs an offset, a size and a stride for each dimension")
    if any(number is not None and number < 0 for number in (*offsets, *sizes)):
        raise VerifyException("has an offset or a size that is negative")
    if 0 in steps:
        raise VerifyException("has a stride of 0")
    whole = strides_of(source)
    if whole is None:
        raise VerifyException(f"the layout of {source} has no strides")
    offset = whole.offset
    for start, stride in zip(offsets, whole.strides, strict=True):
        offset = _sum(offset, _product(start, stride))
    layout = StridedLayoutAttr(list(map(_product, steps, whole.strides)), offset)
    shape = view.static_sizes.get_values()
    return MemRefType(source.element_type, shape, layout, source.memory_space)


def _parts(numbers: Sequence[int]) -> list[Extent]:
    return [None if number == DYNAMIC_INDEX else number for number in numbers]


def _is_part(full: MemRefType, part: MemRefType) -> bool:
    """Whether `part` is `full` without some dimensions of size 1, by the rules of mlir-opt 19.

    These compare the shapes apart from the strides.
    """
    whole, found = strides_of(full), strides_of(part)
    if whole is None or found is None or whole.offset != found.offset:
        return False
    shape = full.get_shape()
    if kept_dimensions(shape, part.get_shape()) is None:
        return False
    dropped = _dropped_by_strides(shape, whole.strides, found.strides)
    kept = [stride for number, stride in enumerate(whole.strides) if number not in dropped]
    return tuple(kept) == found.strides


def kept_dimensions(shape: Sequence[int], part: Sequence[int]) -> tuple[int, ...] | None:
    """The dimensions of `shape` that `part` has too; `None` if another one is not of size 1.

    Among adjacent dimensions of size 1, it is the first ones: their only index is 0.
    """
    kept: list[int] = []
    for number, size in enumerate(shape):
        if len(kept) < len(part) and size == part[len(kept)]:
            kept.append(number)
        elif size != 1:
            return None
    return tuple(kept) if len(kept) == len(part) else None


def _dropped_by_strides(
    shape: Sequence[int], strides: Sequence[Extent], part: Sequence[Extent]
) -> list[int]:
    """The dimensions of size 1 whose strides `part` lacks, first ones first."""
    ones = [number for number, size in enumerate(shape) if size == 1]
    excess = len(shape) - len(part)
    if excess in (0, len(ones)):
        return ones[:excess]
    surplus = Counter(strides)
    surplus.subtract(part)
    dropped: list[int] = []
    for number in ones:
        if surplus[strides[number]] > 0:
            surplus[strides[number]] -= 1
            dropped.append(number)
    return dropped
