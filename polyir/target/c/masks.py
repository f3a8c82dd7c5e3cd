"""The C type of each vector, above all of masks: vectors of `i1`, which have no width in MLIR.

In C, a mask has the width of what was compared. Where that is not known, as for constants, it is
the width of what the mask selects.
"""

from __future__ import annotations

from typing import Final

from xdsl.dialects.builtin import MemRefType, VectorType, i1
from xdsl.ir import Attribute, Block, Operation, SSAValue

from polyir.target.abi import Scalar, scalar_type
from polyir.target.c.types import Vector
from polyir.target.c.vector_helpers import mask_of
from polyir.target.errors import unsupported

_WIDTHS: Final = {8: Scalar.INT64, 16: Scalar.INT32, 32: Scalar.INT16, 64: Scalar.INT8}


def is_mask(type: Attribute) -> bool:
    """Whether a type is that of a mask."""
    return isinstance(type, VectorType) and type.element_type == i1


def vector_type(value: SSAValue, op: Operation | None = None) -> Vector:
    """The C type of a value whose type is a vector; raises `TargetError` if it has none."""
    type = value.type
    assert isinstance(type, VectorType)
    shape = type.get_shape()
    lanes = shape[0] if len(shape) == 1 else 0
    if not lanes or lanes & (lanes - 1) or type.get_num_scalable_dims():
        raise unsupported(
            op or _owner(value),
            f"type '{type}' is not supported: a vector in C has one dimension whose size is a "
            "power of two",
        )
    if not is_mask(type):
        return Vector(scalar_type(type.element_type, op or _owner(value)), lanes)
    element = _defined(value, {}) or _used(value, {}) or _default(lanes)
    return Vector(element, lanes)


def _owner(value: SSAValue) -> Operation | None:
    owner = value.owner
    return owner if isinstance(owner, Operation) else owner.parent_op()


def _default(lanes: int) -> Scalar:
    """The width of masks that fill a vector of 512 bits."""
    return next((type for most, type in _WIDTHS.items() if lanes <= most), Scalar.INT8)


def _width_of(type: Attribute) -> Scalar | None:
    """The width of masks for values of a type that is not a mask."""
    if isinstance(type, VectorType | MemRefType) and type.element_type != i1:
        return mask_of(Vector(scalar_type(type.element_type), 1)).element
    return None


_Seen = dict[SSAValue, None]


def _defined(value: SSAValue, seen: _Seen) -> Scalar | None:
    """The width of what a mask is computed from; `None` if it has any."""
    if value in seen:
        return None
    seen[value] = None
    op = value.owner
    if isinstance(op, Block):
        return _carried(value, op, seen)
    if op.name in ("arith.cmpf", "arith.cmpi", "arith.trunci"):
        operand = op.operands[0]
        return _width_of(operand.type) or _defined(operand, seen)
    if op.regions:
        ends = (region.blocks.last.last_op for region in op.regions if region.blocks.last)
        number = next(n for n, result in enumerate(op.results) if result is value)
        yielded = (end.operands[number] for end in ends if end and number < len(end.operands))
        return next((found for each in yielded if (found := _defined(each, seen))), None)
    masks = (operand for operand in op.operands if is_mask(operand.type))
    return next((found for each in masks if (found := _defined(each, seen))), None)


def _carried(value: SSAValue, block: Block, seen: _Seen) -> Scalar | None:
    """The width of a mask that a loop carries: that of its first value, or of the next ones."""
    op, last = block.parent_op(), block.last_op
    if op is None or last is None:
        return None
    number = next(n for n, argument in enumerate(block.args) if argument is value)
    from_end = len(block.args) - number
    candidates = [last.operands[-from_end]] if from_end <= len(last.operands) else []
    if from_end <= len(op.operands):
        candidates.insert(0, op.operands[-from_end])
    same = (each for each in candidates if is_mask(each.type))
    return next((found for each in same if (found := _defined(each, seen))), None)


def _used(value: SSAValue, seen: _Seen) -> Scalar | None:
    """The width of what a mask selects; `None` if that is not known."""
    if value in seen:
        return None
    seen[value] = None
    for use in value.uses:
        op = use.operation
        types = (*(each.type for each in op.results), *(each.type for each in op.operands))
        known = [found for type in types if (found := _width_of(type))]
        if known and op.name != "vector.create_mask":
            return known[0]
        others = (each for each in op.operands if each is not value and is_mask(each.type))
        results = (each for each in op.results if is_mask(each.type))
        found = next((each for other in others if (each := _defined(other, {}))), None)
        found = found or next((each for result in results if (each := _used(result, seen))), None)
        if found:
            return found
    return None
