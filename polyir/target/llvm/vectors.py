"""Operations of the vector dialect as operations of the llvm dialect and of arith.

Vectors have one dimension. A mask is a vector of `i1`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from xdsl.builder import Builder
from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    VectorType,
    i1,
    i32,
    i64,
)
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from polyir.dialects.shaped_operations import comparison
from polyir.target.errors import operation_name, unsupported
from polyir.target.llvm.arithmetic import Conversion, convert_operations, intrinsic, type_suffix


def convert_masks(module: ModuleOp) -> None:
    """Replace every `vector.create_mask` by a comparison of the numbers of its lanes.

    Its operand is an index, so this comes before the conversion of indices. Raises `TargetError`
    for vectors of several dimensions.
    """
    for op in tuple(module.walk()):
        if operation_name(op) == "vector.create_mask":
            _check_types(op)
            mask = _mask_below(op, Builder(InsertPoint.before(op)))
            mask.name_hint = op.results[0].name_hint
            op.results[0].replace_all_uses_with(mask)
            Rewriter.erase_op(op)


def convert_vector_to_llvm(module: ModuleOp) -> None:
    """Replace every operation of the vector dialect that touches no memory.

    Memrefs, masks and indices must have been converted. Raises `TargetError` for operations and
    types that have no conversion.
    """
    convert_operations(module, ("vector.",), _CONVERSIONS, _check_types)


def _check_types(op: Operation) -> None:
    """Refuse vectors that do not have one dimension."""
    for value in (*op.operands, *op.results):
        type = value.type
        if isinstance(type, VectorType) and (
            type.get_num_dims() != 1 or type.get_num_scalable_dims()
        ):
            raise unsupported(op, f"type '{type}' is not supported by the LLVM target")


def _type_of(value: SSAValue) -> VectorType:
    assert isinstance(value.type, VectorType)
    return value.type


def _lanes(value: SSAValue) -> int:
    return int(_type_of(value).get_shape()[0])


def shuffled(
    left: SSAValue, right: SSAValue, positions: Sequence[int], builder: Builder
) -> SSAValue:
    """The lanes of two vectors of one type at `positions`; -1 may be any lane."""
    # llvmlite has no lane of any value.
    mask = DenseArrayBase.from_list(i32, [max(position, 0) for position in positions])
    type = VectorType(_type_of(left).element_type, [len(positions)])
    return builder.insert(llvm.ShuffleVectorOp(left, right, mask, type)).res


def spread(value: SSAValue, lanes: int, builder: Builder) -> SSAValue:
    """The vector whose lanes are all `value`."""
    type = VectorType(value.type, [lanes])
    start = builder.insert(llvm.UndefOp(type)).res
    first = inserted(start, value, 0, builder)
    return shuffled(first, start, [0] * lanes, builder)


def inserted(vector: SSAValue, value: SSAValue, lane: int, builder: Builder) -> SSAValue:
    """The vector with another value in a lane."""
    position = builder.insert(llvm.ConstantOp(IntegerAttr(lane, i64), i64)).result
    return builder.insert(llvm.InsertElementOp(vector, value, position)).res


def extracted(vector: SSAValue, lane: int, builder: Builder) -> SSAValue:
    """The value of a lane: a vector of one lane, which has the bits of a scalar.

    xDSL has no operation for it.
    """
    single = shuffled(vector, vector, [lane], builder)
    return builder.insert(llvm.BitcastOp(single, _type_of(vector).element_type)).result


def _broadcast(op: Operation, builder: Builder) -> SSAValue:
    (value,) = op.operands
    if isinstance(value.type, VectorType):
        if value.type == op.results[0].type:
            return value
        return shuffled(value, value, [0] * _lanes(op.results[0]), builder)
    return spread(value, _lanes(op.results[0]), builder)


def _fma(op: Operation, builder: Builder) -> SSAValue:
    type = op.results[0].type
    return intrinsic(f"llvm.fma.{type_suffix(type)}", op.operands, type, builder)


def _known_lane(op: Operation, vector: SSAValue, operand: SSAValue | None) -> int:
    """The lane that an operation names by its attribute, or by a constant operand."""
    static = op.properties.get("static_position")
    if isinstance(static, DenseArrayBase):
        positions = static.get_values()
        if len(positions) == 1 and 0 <= positions[0] < _lanes(vector):
            return int(positions[0])
    if operand is None and static is None:
        return 0
    owner = None if operand is None else operand.owner
    if isinstance(owner, arith.ConstantOp | llvm.ConstantOp):
        number = owner.value
        if isinstance(number, IntegerAttr) and 0 <= number.value.data < _lanes(vector):
            return int(number.value.data)
    raise unsupported(op, f"expected a constant position in {operation_name(op)}")


def _extract(op: Operation, builder: Builder) -> SSAValue:
    vector, *position = op.operands
    lane = _known_lane(op, vector, position[0] if position else None)
    return extracted(vector, lane, builder)


def _insert(op: Operation, builder: Builder) -> SSAValue:
    value, vector, *position = op.operands
    if position and position[0].type == i64:
        return builder.insert(llvm.InsertElementOp(vector, value, position[0])).res
    lane = _known_lane(op, vector, position[0] if position else None)
    return inserted(vector, value, lane, builder)


def _shuffle(op: Operation, builder: Builder) -> SSAValue:
    """The operation of LLVM takes two vectors of one type: the shorter one is made longer."""
    left, right = op.operands
    mask = op.properties["mask"]
    assert isinstance(mask, DenseArrayBase)
    first, longest = _lanes(left), max(_lanes(left), _lanes(right))
    pair = [_lengthened(each, longest, builder) for each in (left, right)]
    positions = [int(n) if n < first else int(n) - first + longest for n in mask.get_values()]
    return shuffled(pair[0], pair[1], positions, builder)


def _lengthened(vector: SSAValue, lanes: int, builder: Builder) -> SSAValue:
    own = _lanes(vector)
    if own == lanes:
        return vector
    return shuffled(vector, vector, [n if n < own else 0 for n in range(lanes)], builder)


def _numbers(lanes: int, type: IntegerType, builder: Builder) -> SSAValue:
    """The vector 0, 1, 2, ..."""
    shape = VectorType(type, [lanes])
    values = DenseIntOrFPElementsAttr.from_list(shape, list(range(lanes)))
    return builder.insert(llvm.ConstantOp(values, shape)).result


def _step(op: Operation, builder: Builder) -> SSAValue:
    return _numbers(_lanes(op.results[0]), i64, builder)


def _mask_below(op: Operation, builder: Builder) -> SSAValue:
    """The numbers of lanes below a limit, compared in a width that fits in one vector."""
    lanes = _lanes(op.results[0])
    limit: SSAValue = builder.insert(arith.IndexCastOp(op.operands[0], i64)).result
    width = next((bits for bits in (64, 32, 16) if bits * lanes <= 512), 16)
    zero, most = (
        builder.insert(llvm.ConstantOp(IntegerAttr(number, i64), i64)).result
        for number in (0, lanes)
    )
    limit = intrinsic("llvm.smax.i64", [limit, zero], i64, builder)
    limit = intrinsic("llvm.smin.i64", [limit, most], i64, builder)
    type = IntegerType(width)
    if width < 64:
        limit = builder.insert(llvm.TruncOp(limit, type)).res
    numbers = _numbers(lanes, type, builder)
    return builder.insert(comparison("slt", numbers, spread(limit, lanes, builder))).results[0]


def _constant_mask(op: Operation, builder: Builder) -> SSAValue:
    sizes = op.properties["mask_dim_sizes"]
    assert isinstance(sizes, ArrayAttr)
    (size,) = sizes.data
    assert isinstance(size, IntegerAttr)
    lanes, shape = _lanes(op.results[0]), _type_of(op.results[0])
    bits = [int(lane < size.value.data) for lane in range(lanes)]
    values = DenseIntOrFPElementsAttr.from_list(VectorType(i1, [lanes]), bits)
    return builder.insert(llvm.ConstantOp(values, shape)).result


def _same_bits(op: Operation, builder: Builder) -> SSAValue:
    return builder.insert(llvm.BitcastOp(op.operands[0], op.results[0].type)).result


_CONVERSIONS: Final[Mapping[str, Conversion]] = MappingProxyType(
    {
        "vector.bitcast": _same_bits,
        "vector.broadcast": _broadcast,
        "vector.splat": _broadcast,
        "vector.constant_mask": _constant_mask,
        "vector.extract": _extract,
        "vector.extractelement": _extract,
        "vector.fma": _fma,
        "vector.insert": _insert,
        "vector.insertelement": _insert,
        "vector.shuffle": _shuffle,
        "vector.step": _step,
    }
)
"""The conversion of each operation, by its name."""
