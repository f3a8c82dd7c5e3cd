"""Views of arrays, and coordinates of linear indices, as accesses and arithmetic.

`fold_views` lets every access through a view with strides (`memref.subview`, `collapse_shape`,
`expand_shape`, `reinterpret_cast`) access the array itself, so that targets need no strides. Views
of all of a row-major array become `memref.reinterpret_cast` operations, which targets have.
`expand_index_operations` writes `affine.delinearize_index` as affine maps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from xdsl.builder import Builder
from xdsl.dialects import affine, arith, memref, scf
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    IntegerAttr,
    MemRefType,
)
from xdsl.ir import Block, Operation, OpResult, Region, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineExpr,
    AffineMap,
)
from xdsl.rewriter import InsertPoint, Rewriter

from polyir.base.diagnostics import PolyirError, location_of
from polyir.dialects.affine_extra import DelinearizeIndexOp
from polyir.dialects.strided_views import Part, is_row_major, kept_dimensions, parts
from polyir.loops.affine_to_scf import constant_index
from polyir.model.affine import NotAffineError
from polyir.model.index_expressions import IndexExpression, map_of
from polyir.model.memory_accesses import MemoryAccess, access_of

# -------------------------------------------------------------------- coordinates


def expand_index_operations(root: Operation, only_affine: bool = False) -> None:
    """Replace each `affine.delinearize_index` below `root` by `affine.apply` operations.

    As in MLIR, the first coordinate is a quotient without a bound. A basis of constants gives
    affine maps, another one semi-affine maps; with `only_affine`, the latter stays as it is.
    """
    for op in tuple(root.walk()):
        if isinstance(op, DelinearizeIndexOp):
            sizes = [_constant(size) for size in op.basis[1:]]
            if not only_affine or all(size is not None and size > 0 for size in sizes):
                _expand_coordinates(op)


def _expand_coordinates(op: DelinearizeIndexOp) -> None:
    sizes: list[AffineExpr] = []
    symbols: list[SSAValue] = []
    # The first size is not used: the first coordinate has no bound.
    for size in op.basis[1:]:
        number = _constant(size)
        if number is not None and number > 0:
            sizes.append(AffineExpr.constant(number))
        else:
            sizes.append(AffineExpr.symbol(len(symbols)))
            symbols.append(size)
    builder = Builder(InsertPoint.before(op))
    for coordinate, result in zip(_coordinates(sizes), op.results, strict=True):
        map = AffineMapAttr(AffineMap(1, len(symbols), (coordinate,)))
        apply = affine.ApplyOp([op.linear_index, *symbols], map)
        apply.location = op.location
        builder.insert(apply)
        apply.result.name_hint = result.name_hint
        result.replace_all_uses_with(apply.result)
    Rewriter.erase_op(op)


def _coordinates(sizes: Sequence[AffineExpr]) -> list[AffineExpr]:
    """The coordinates of d0, outermost first, in a box with these sizes below the outermost."""
    strides: list[AffineExpr] = []
    for size in reversed(sizes):
        strides.insert(0, _binary(AffineBinaryOpKind.Mul, strides[0], size) if strides else size)
    rest: AffineExpr = AffineExpr.dimension(0)
    found: list[AffineExpr] = []
    for stride in strides:
        found.append(_binary(AffineBinaryOpKind.FloorDiv, rest, stride))
        rest = _binary(AffineBinaryOpKind.Mod, rest, stride)
    return [*found, rest]


def _binary(kind: AffineBinaryOpKind, left: AffineExpr, right: AffineExpr) -> AffineExpr:
    """xDSL has operators for affine expressions only, and these may be semi-affine."""
    numbers = isinstance(left, AffineConstantExpr) and isinstance(right, AffineConstantExpr)
    if numbers and kind is AffineBinaryOpKind.Mul:
        return left * right
    if isinstance(left, AffineConstantExpr) and kind is AffineBinaryOpKind.Mul:
        # As MLIR has it, the constant of a product is on the right.
        left, right = right, left
    return AffineBinaryOpExpr(kind, left, right)


def _constant(value: SSAValue) -> int | None:
    owner = value.owner
    if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr):
        return owner.value.value.data
    return None


# -------------------------------------------------------------------- views

_Reshape = memref.CollapseShapeOp | memref.ExpandShapeOp


@dataclass(frozen=True)
class _View:
    """A part of `array`, whose element 0 is at `offsets` of the array.

    Dimension k of the view goes along dimension `dimensions[k]` of the array, in steps of
    `strides[k]`, and has `sizes[k]` elements.
    """

    array: SSAValue
    offsets: tuple[Part, ...]
    strides: tuple[Part, ...]
    sizes: tuple[Part, ...]
    dimensions: tuple[int, ...]


def fold_views(root: Operation) -> None:
    """Replace the uses of every view with strides below `root` by uses of the array.

    Raises `PolyirError`, at the operation, where a view is used in another way than to access
    elements, to ask for a size, to copy or for another view: passed to a function, for example.
    """
    views: dict[SSAValue, _View] = {}
    for op in tuple(root.walk()):
        match op:
            case memref.SubviewOp():
                views[op.result] = _part(op, views)
            case memref.CastOp() if op.source in views:
                views[op.results[0]] = _cast(op, views[op.source])
            case memref.CollapseShapeOp() | memref.ExpandShapeOp():
                _fold_reshape(op, views)
            case memref.ReinterpretCastOp():
                _fold_reinterpretation(op, views)
            case _ if any(operand in views for operand in op.operands):
                _fold_use(op, views)
    for value in reversed(views):
        assert isinstance(value, OpResult)
        Rewriter.erase_op(value.op)


def _part(op: memref.SubviewOp, views: dict[SSAValue, _View]) -> _View:
    offsets = parts(op.static_offsets, op.offsets)
    strides = parts(op.static_strides, op.strides)
    sizes = parts(op.static_sizes, op.sizes)
    assert isinstance(op.result.type, MemRefType)
    shape = op.result.type.get_shape()
    kept = kept_dimensions(op.static_sizes.get_values(), shape)
    if kept is None:
        raise PolyirError(
            f"the sizes of the view do not make {op.result.type}",
            location_of(op),
            name="unsupported-view",
        )
    builder = Builder(InsertPoint.before(op))
    outer = views.get(op.source) or _whole(op.source, builder)
    moved = tuple(outer.offsets)
    for dimension, step, offset in zip(outer.dimensions, outer.strides, offsets, strict=True):
        start = _sum(moved[dimension], _product(step, offset, builder), builder)
        moved = (*moved[:dimension], start, *moved[dimension + 1 :])
    return _View(
        outer.array,
        moved,
        tuple(_product(outer.strides[each], strides[each], builder) for each in kept),
        tuple(sizes[each] for each in kept),
        tuple(outer.dimensions[each] for each in kept),
    )


def _whole(array: SSAValue, builder: Builder) -> _View:
    """All of an array."""
    assert isinstance(array.type, MemRefType)
    shape = array.type.get_shape()
    sizes = tuple(
        builder.insert(memref.DimOp(array, constant_index(n, builder))).result
        if extent == DYNAMIC_INDEX
        else extent
        for n, extent in enumerate(shape)
    )
    rank = len(shape)
    return _View(array, (0,) * rank, (1,) * rank, sizes, tuple(range(rank)))


def _cast(op: memref.CastOp, view: _View) -> _View:
    result = op.results[0].type
    if not isinstance(result, MemRefType):
        raise PolyirError(
            "a view cannot be cast to a memref of unknown rank",
            location_of(op),
            name="unsupported-view",
        )
    sizes = (
        size if extent == DYNAMIC_INDEX else extent
        for size, extent in zip(view.sizes, result.get_shape(), strict=True)
    )
    return replace(view, sizes=tuple(sizes))


def _fold_reinterpretation(op: memref.ReinterpretCastOp, views: dict[SSAValue, _View]) -> None:
    """A result with strides is a view, and is folded. A row-major result stays an operation.

    As in MLIR, the offset counts from the first element of the array that `op.source` views.
    """
    array = views[op.source].array if op.source in views else op.source
    op.operands = [array, *tuple(op.operands)[1:]]
    if is_row_major(op.result.type):
        return
    row = _row(array, Builder(InsertPoint.before(op)))
    (offset,) = parts(op.static_offsets, op.offsets)
    strides, sizes = parts(op.static_strides, op.strides), parts(op.static_sizes, op.sizes)
    views[op.result] = _View(row, (offset,), strides, sizes, (0,) * len(sizes))


def _fold_reshape(op: _Reshape, views: dict[SSAValue, _View]) -> None:
    """All of a row-major array gets other extents, and another view other strides."""
    builder = Builder(InsertPoint.before(op))
    view = views.get(op.src)
    groups = [[each.value.data for each in group] for group in op.reassociation]
    if view is None:
        sizes = _sizes(op, groups, _whole(op.src, builder).sizes, builder)
        whole = memref.ReinterpretCastOp.from_dynamic(
            op.src, [0], sizes, _steps(sizes, builder), op.result.type
        )
        whole.location = op.location
        Rewriter.replace_op(op, whole)
        return
    row = _in_a_row(view, builder)
    sizes = _sizes(op, groups, view.sizes, builder)
    strides: list[Part] = [0] * len(sizes)
    for number, group in enumerate(groups):
        if isinstance(op, memref.CollapseShapeOp):
            # A dimension of one element may have any stride.
            inner = [each for each in group if view.sizes[each] != 1] or group
            strides[number] = row.strides[inner[-1]]
        else:
            steps = _steps([sizes[each] for each in group], builder)
            for each, step in zip(group, steps, strict=True):
                strides[each] = _product(row.strides[number], step, builder)
    views[op.result] = replace(
        row, strides=tuple(strides), sizes=tuple(sizes), dimensions=(0,) * len(sizes)
    )


def _sizes(
    op: _Reshape, groups: Sequence[Sequence[int]], sizes: Sequence[Part], builder: Builder
) -> Sequence[Part]:
    """The sizes of the result; `sizes` are those of the source."""
    if isinstance(op, memref.ExpandShapeOp):
        return parts(op.static_output_shape, op.output_shape)
    return [_count([sizes[dimension] for dimension in group], builder) for group in groups]


def _count(sizes: Sequence[Part], builder: Builder) -> Part:
    """The number of elements."""
    count: Part = 1
    for size in sizes:
        count = _product(count, size, builder)
    return count


def _steps(sizes: Sequence[Part], builder: Builder) -> list[Part]:
    """The strides of a row-major array."""
    return [_count(sizes[position + 1 :], builder) for position in range(len(sizes))]


def _in_a_row(view: _View, builder: Builder) -> _View:
    """The same view, as one of the elements of the array in a row."""
    steps = _steps(_whole(view.array, builder).sizes, builder)
    offset: Part = 0
    for start, step in zip(view.offsets, steps, strict=True):
        offset = _sum(offset, _product(start, step, builder), builder)
    strides = tuple(
        _product(stride, steps[dimension], builder)
        for stride, dimension in zip(view.strides, view.dimensions, strict=True)
    )
    row = _row(view.array, builder)
    return _View(row, (offset,), strides, view.sizes, (0,) * len(view.sizes))


def _row(array: SSAValue, builder: Builder) -> SSAValue:
    """The elements of a row-major array in one dimension."""
    assert isinstance(array.type, MemRefType)
    if array.type.get_num_dims() == 1:
        return array
    count = _count(_whole(array, builder).sizes, builder)
    extent = count if isinstance(count, int) else DYNAMIC_INDEX
    type = MemRefType(array.type.element_type, [extent], memory_space=array.type.memory_space)
    row = memref.ReinterpretCastOp.from_dynamic(array, [0], [count], [1], type)
    row.result.name_hint = array.name_hint
    result: SSAValue = builder.insert(row).result
    return result


def _fold_use(op: Operation, views: dict[SSAValue, _View]) -> None:
    access = access_of(op)
    if access is not None and access.is_certain:
        _fold_access(access, views)
        return
    match op:
        case memref.DimOp():
            _fold_size(op, views[op.source])
        case memref.CopyOp():
            for each in _copy_by_elements(op, views):
                _fold_use(each, views)
        case _:
            raise PolyirError(
                f"{op.name} of a view with strides is not supported by the targets",
                location_of(op),
                name="unsupported-view",
            )


def _fold_access(access: MemoryAccess, views: dict[SSAValue, _View]) -> None:
    """Compose the map with the offsets and strides, or compute the indices if it is not affine."""
    if access.memref not in views:
        return
    view, builder = views[access.memref], Builder(InsertPoint.before(access.op))
    _require_adjacent(access, view)
    indices, map = list(access.indices), access.map
    if map is not None:
        try:
            composed, values = map_of(_composed(view, access.subscripts()))
        except NotAffineError:
            maps = (AffineMap(map.num_dims, map.num_symbols, (each,)) for each in map.results)
            applied = (affine.ApplyOp(indices, AffineMapAttr(each)) for each in maps)
            indices = [builder.insert(each).result for each in applied]
        else:
            access.move(view.array, values, composed)
            return
    outer = [index_value(each, builder) for each in _indices(view, indices, builder)]
    access.move(view.array, outer, None if map is None else AffineMap.identity(len(outer)))


def _indices(view: _View, inner: Sequence[Part], builder: Builder) -> list[Part]:
    """The indices in the array of the element `inner` of its view."""
    indices = list(view.offsets)
    for dimension, stride, index in zip(view.dimensions, view.strides, inner, strict=True):
        indices[dimension] = _sum(indices[dimension], _product(stride, index, builder), builder)
    return indices


def _composed(view: _View, inner: Sequence[IndexExpression]) -> list[IndexExpression]:
    """The indices in the array; raises `NotAffineError` for a product of variables."""
    indices = [_expression(offset) for offset in view.offsets]
    for dimension, stride, index in zip(view.dimensions, view.strides, inner, strict=True):
        if isinstance(stride, int):
            indices[dimension] = indices[dimension] + index.scale(stride)
        elif index.is_constant:
            indices[dimension] = indices[dimension] + _expression(stride).scale(index.constant)
        else:
            raise NotAffineError("a stride that is not constant")
    return indices


def _expression(part: Part) -> IndexExpression:
    return IndexExpression((), part) if isinstance(part, int) else IndexExpression.of(part)


def _require_adjacent(access: MemoryAccess, view: _View) -> None:
    """A vector is in adjacent elements of the array."""
    last = len(view.offsets) - 1
    if access.extents and (view.dimensions[-1:] != (last,) or view.strides[-1] != 1):
        raise PolyirError(
            f"{access.op.name} of a view whose elements are not adjacent is not supported",
            location_of(access.op),
            name="unsupported-view",
        )


def _fold_size(op: memref.DimOp, view: _View) -> None:
    position = _constant(op.index)
    if position is None or not 0 <= position < len(view.sizes):
        raise PolyirError(
            "expected a constant index of a dimension in memref.dim",
            location_of(op),
            name="unsupported-view",
        )
    size = index_value(view.sizes[position], Builder(InsertPoint.before(op)))
    op.result.replace_all_uses_with(size)
    Rewriter.erase_op(op)


def _copy_by_elements(
    op: memref.CopyOp, views: dict[SSAValue, _View]
) -> tuple[memref.LoadOp, memref.StoreOp]:
    """Replace a copy by a loop nest; its load and its store."""
    known = views.get(op.source) or views[op.destination]
    builder = Builder(InsertPoint.before(op))
    zero, one = constant_index(0, builder), constant_index(1, builder)
    counters: list[SSAValue] = []
    for size in known.sizes:
        body = Region(Block([scf.YieldOp()], arg_types=[zero.type]))
        builder.insert(scf.ForOp(zero, index_value(size, builder), one, [], body))
        counters.append(body.block.args[0])
        builder = Builder(InsertPoint.at_start(body.block))
    load = builder.insert(memref.LoadOp.get(op.source, counters))
    store = builder.insert(memref.StoreOp.get(load.res, op.destination, counters))
    Rewriter.erase_op(op)
    return load, store


def index_value(part: Part, builder: Builder) -> SSAValue:
    """The part as a value of type index."""
    return part if isinstance(part, SSAValue) else constant_index(part, builder)


def _product(left: Part, right: Part, builder: Builder) -> Part:
    if isinstance(left, int) and isinstance(right, int):
        return left * right
    for number, other in ((left, right), (right, left)):
        if number == 0 or number == 1:
            return number and other
    operands = (index_value(left, builder), index_value(right, builder))
    return builder.insert(arith.MuliOp(*operands)).result


def _sum(left: Part, right: Part, builder: Builder) -> Part:
    if isinstance(left, int) and isinstance(right, int):
        return left + right
    for number, other in ((left, right), (right, left)):
        if number == 0:
            return other
    operands = (index_value(left, builder), index_value(right, builder))
    return builder.insert(arith.AddiOp(*operands)).result
