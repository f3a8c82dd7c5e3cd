"""The affine dialect's operations as functions of the operands of their maps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects import affine, arith
from xdsl.dialects.builtin import (
    AffineMapAttr,
    AffineSetAttr,
    ArrayAttr,
    DenseArrayBase,
    DenseIntElementsAttr,
    IndexType,
    IntegerAttr,
    TensorType,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineConstraintKind,
    AffineExpr,
    AffineSet,
)

from polyir.dialects.affine_extra import MaxOp, PrefetchOp, affine_load, affine_store
from polyir.model.affine import NotAffineError
from polyir.model.index_expressions import (
    Constraint,
    IndexExpression,
    combine,
    compose,
    expression_of,
    map_of,
    set_of,
)


def map_operands(op: Operation) -> slice | None:
    """Where among its operands those of the maps of `op` stand; `None` if it has no maps."""
    match op:
        case affine.LoadOp() | affine.VectorLoadOp() | PrefetchOp():
            return slice(1, None)
        case affine.StoreOp() | affine.VectorStoreOp():
            return slice(2, None)
        case affine.ForOp():
            return slice(0, len(op.lowerBoundOperands) + len(op.upperBoundOperands))
        case affine.ApplyOp() | affine.MinOp() | MaxOp() | affine.IfOp() | affine.ParallelOp():
            return slice(0, None)
        case _:
            return None


def set_map_operands(op: Operation, operands: Sequence[IndexExpression]) -> None:
    """Let `operands` take the places of the operands of `op`'s maps.

    They are composed into the maps, which are simplified and name each value once.
    """
    match op:
        case (
            affine.LoadOp()
            | affine.VectorLoadOp()
            | PrefetchOp()
            | affine.StoreOp()
            | affine.VectorStoreOp()
        ):
            # A parameter is a dimension here, so that the short form, without `symbol(...)`,
            # reads back as the same map.
            map, values = map_of(compose(op.map.data, operands), dimensions_only=True)
            others = len(op.operands) - len(op.indices)
            op.operands = (*op.operands[:others], *values)
            op.map = AffineMapAttr(map)
        case affine.ApplyOp() | affine.MinOp() | MaxOp():
            map, op.operands = map_of(compose(op.map.data, operands))
            op.map = AffineMapAttr(map)
        case affine.IfOp():
            op.condition, op.operands = set_of(constraints_of(op.condition.data, operands))
        case affine.ForOp():
            _set_loop_operands(op, operands)
        case affine.ParallelOp():
            count = op.lowerBoundsMap.data.num_dims + op.lowerBoundsMap.data.num_symbols
            lower, lower_values = map_of(compose(op.lowerBoundsMap.data, operands[:count]))
            upper, upper_values = map_of(compose(op.upperBoundsMap.data, operands[count:]))
            op.lowerBoundsMap, op.upperBoundsMap = AffineMapAttr(lower), AffineMapAttr(upper)
            op.operands = (*lower_values, *upper_values)
        case _:
            raise AssertionError(f"{op.name} has no maps")


def _set_loop_operands(op: affine.ForOp, operands: Sequence[IndexExpression]) -> None:
    count = len(op.lowerBoundOperands)
    lower = compose(op.lowerBoundMap.data, operands[:count])
    upper = compose(op.upperBoundMap.data, operands[count:])
    set_bounds(op, lower, upper)


def set_bounds(
    op: affine.ForOp | affine.ParallelOp,
    lower: Sequence[IndexExpression],
    upper: Sequence[IndexExpression],
) -> None:
    """Let a loop with one counter run from the maximum of `lower` to the minimum of `upper`."""
    lower_map, lower_values = map_of(lower)
    upper_map, upper_values = map_of(upper)
    if isinstance(op, affine.ForOp):
        op.lowerBoundMap, op.upperBoundMap = AffineMapAttr(lower_map), AffineMapAttr(upper_map)
        initial = tuple(op.inits)
        op.operands = (*lower_values, *upper_values, *initial)
        sizes = [len(lower_values), len(upper_values), len(initial)]
        op.properties["operandSegmentSizes"] = DenseArrayBase.from_list(i32, sizes)
        return
    op.lowerBoundsMap, op.upperBoundsMap = AffineMapAttr(lower_map), AffineMapAttr(upper_map)
    one = TensorType(i32, [1])
    op.lowerBoundsGroups = DenseIntElementsAttr.from_list(one, [len(lower)])
    op.upperBoundsGroups = DenseIntElementsAttr.from_list(one, [len(upper)])
    op.operands = (*lower_values, *upper_values)


def load_at(
    array: SSAValue, subscripts: Sequence[IndexExpression], type: Attribute | None = None
) -> Operation:
    """A load of an element, or of a vector of the type that is given."""
    return affine_load(array, *map_of(subscripts, dimensions_only=True), type)


def store_at(value: SSAValue, array: SSAValue, subscripts: Sequence[IndexExpression]) -> Operation:
    """A store of an element, or of a vector."""
    return affine_store(value, array, *map_of(subscripts, dimensions_only=True))


def is_semi_affine(op: Operation) -> bool:
    """Whether a map or set of `op` is beyond affine expressions.

    It then has a product of variables, or a division by a variable or by a number that is not
    positive.
    """
    return any(
        isinstance(part, AffineBinaryOpExpr)
        and part.kind is not AffineBinaryOpKind.Add
        and not isinstance(part.rhs, AffineConstantExpr)
        and not (part.kind is AffineBinaryOpKind.Mul and isinstance(part.lhs, AffineConstantExpr))
        for expression in _expressions(op)
        for part in expression.dfs()
    ) or has_undefined_division(op)


def has_undefined_division(op: Operation) -> bool:
    """Whether a map or set of `op` divides by a constant that is zero or negative."""
    return any(
        isinstance(part, AffineBinaryOpExpr)
        and part.kind in _DIVISIONS
        and isinstance(part.rhs, AffineConstantExpr)
        and part.rhs.value <= 0
        for expression in _expressions(op)
        for part in expression.dfs()
    )


UNDEFINED_DIVISION = "a division by zero or by a negative number is undefined"
_DIVISIONS = (AffineBinaryOpKind.FloorDiv, AffineBinaryOpKind.CeilDiv, AffineBinaryOpKind.Mod)


def _expressions(op: Operation) -> Iterator[AffineExpr]:
    """The expressions in the maps and the set of `op`."""
    for attribute in op.properties.values():
        match attribute:
            case AffineMapAttr(data=affine_map):
                yield from affine_map.results
            case AffineSetAttr(data=affine_set):
                for constraint in affine_set.constraints:
                    yield from (constraint.lhs, constraint.rhs)
            case _:
                pass


def computed_expression(
    op: Operation, operands: Sequence[IndexExpression]
) -> IndexExpression | None:
    """The affine expression that `op` computes from `operands`, or `None`."""
    try:
        match op, operands:
            case affine.ApplyOp(map=AffineMapAttr(data=map)), _:
                dimensions, symbols = operands[: map.num_dims], operands[map.num_dims :]
                return expression_of(map.results[0], dimensions, symbols)
            case arith.ConstantOp(value=IntegerAttr(value=number)), _:
                return IndexExpression((), number.data)
            case arith.AddiOp(), [left, right]:
                return left + right
            case arith.SubiOp(), [left, right]:
                return left - right
            case arith.MuliOp(), [left, right]:
                return combine(AffineBinaryOpKind.Mul, left, right)
            case _:
                return None
    except NotAffineError:
        return None


def written_out(value: SSAValue, known: dict[SSAValue, IndexExpression]) -> IndexExpression:
    """`value` as an expression, with the affine arithmetic that computes it; `known` is a cache."""
    if value not in known:
        found = None
        if isinstance(value.owner, Operation) and isinstance(value.type, IndexType):
            operands = [written_out(operand, known) for operand in value.owner.operands]
            found = computed_expression(value.owner, operands)
        known[value] = found or IndexExpression.of(value)
    return known[value]


def constraints_of(
    condition: AffineSet, operands: Sequence[IndexExpression]
) -> tuple[Constraint, ...]:
    """The constraints of `condition` on `operands`, dimensions first."""
    dimensions, symbols = operands[: condition.num_dims], operands[condition.num_dims :]
    constraints = []
    for constraint in condition.constraints:
        left = expression_of(constraint.lhs, dimensions, symbols)
        right = expression_of(constraint.rhs, dimensions, symbols)
        if constraint.kind is AffineConstraintKind.le:
            left, right = right, left
        is_equality = constraint.kind is AffineConstraintKind.eq
        constraints.append(Constraint(left - right, is_equality))
    return tuple(constraints)


def sequential_loop(
    lower: Sequence[IndexExpression], upper: Sequence[IndexExpression], step: int, body: Block
) -> affine.ForOp:
    """`affine.for`, from the greatest of `lower` to below the least of `upper`."""
    lower_map, lower_operands = map_of(lower)
    upper_map, upper_operands = map_of(upper)
    return affine.ForOp.from_region(
        lower_operands,
        upper_operands,
        [],
        [],
        AffineMapAttr(lower_map),
        AffineMapAttr(upper_map),
        Region(body),
        step,
    )


def parallel_loop(
    lower: Sequence[IndexExpression], upper: Sequence[IndexExpression], step: int, body: Block
) -> affine.ParallelOp:
    """`affine.parallel` with one counter, with the same bounds."""
    return parallel_loops([lower], [upper], [step], body)


def parallel_loops(
    lower: Sequence[Sequence[IndexExpression]],
    upper: Sequence[Sequence[IndexExpression]],
    steps: Sequence[int],
    body: Block,
) -> affine.ParallelOp:
    """`affine.parallel` with several counters, each with such bounds."""
    lower_map, lower_operands = map_of([each for bounds in lower for each in bounds])
    upper_map, upper_operands = map_of([each for bounds in upper for each in bounds])
    return affine.ParallelOp.build(
        operands=[(*lower_operands, *upper_operands)],
        result_types=[[]],
        properties={
            "reductions": ArrayAttr([]),
            "lowerBoundsMap": AffineMapAttr(lower_map),
            "lowerBoundsGroups": _groups(lower),
            "upperBoundsMap": AffineMapAttr(upper_map),
            "upperBoundsGroups": _groups(upper),
            "steps": ArrayAttr([IntegerAttr(step, i64) for step in steps]),
        },
        regions=[Region(body)],
    )


def _groups(bounds: Sequence[Sequence[IndexExpression]]) -> DenseIntElementsAttr:
    """How many results of a map are combined into the bound of each loop."""
    sizes = [len(each) for each in bounds]
    return DenseIntElementsAttr.from_list(TensorType(i32, [len(sizes)]), sizes)
