"""Loops over tiles of sizes that are known at run time, as scf operations.

They are `scf.for` and `scf.parallel`, because the affine dialect only has constant steps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce

from xdsl.builder import Builder
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint

from polyir.codegen.affine_loops import AstRange, with_loop_attributes
from polyir.codegen.ast_expressions import materialize
from polyir.dialects.loop_attributes import LoopAttributes, ParallelAttr
from polyir.dialects.mark_attributes import SymbolicTiles
from polyir.model.index_expressions import IndexExpression

LARGEST_SIZE = 1 << 32
"""Larger sizes count as this one, so that sums of a few sizes do not overflow."""

Ends = Sequence[tuple[IndexExpression, IndexExpression]]
"""The least and the greatest value of each loop over points."""


@dataclass(frozen=True)
class Origin:
    """A loop over first points of tiles: the size, and the first point if enclosing loops give it.

    With a `value`, the loop of the AST only tests whether the tile has points.
    """

    size: SSAValue
    attributes: LoopAttributes = ()
    value: SSAValue | None = None


@dataclass(frozen=True)
class TileNest:
    """The place inside loops over tiles, and the loops that the AST must generate."""

    builder: Builder
    origins: tuple[Origin, ...]


def usable_size(size: SSAValue, builder: Builder) -> SSAValue:
    """`size` from 1 to `LARGEST_SIZE`: smaller sizes count as 1."""
    top = builder.insert(arith.MinSIOp(size, _constant(LARGEST_SIZE, builder))).result
    result = builder.insert(arith.MaxSIOp(top, _constant(1, builder))).result
    result.name_hint = f"{size.name_hint}_used" if size.name_hint else None
    return result


def combined(
    bounds: Sequence[IndexExpression],
    operation: Callable[[SSAValue, SSAValue], Operation],
    builder: Builder,
) -> SSAValue:
    """The maximum or minimum of bounds, computed at the builder's insertion point."""
    values = [materialize(bound, builder) for bound in bounds]
    return reduce(lambda left, right: _insert(operation(left, right), builder), values)


def open_origin(origin: Origin, range: AstRange, builder: Builder) -> tuple[Builder, SSAValue]:
    """The place inside a loop over the multiples of a size in `range`, and the multiple there.

    If the first point is given, the loop becomes a test that it is in the range.
    """
    value = origin.value
    end = combined(range.upper, arith.MinSIOp, builder)
    if value is None:
        lower = _first_multiple(range.lower, origin.size, builder)
        builder, value = _open_loop(lower, end, origin.size, origin.attributes, builder)
    else:
        first = combined(range.lower, arith.MaxSIOp, builder)
        above = _insert(arith.CmpiOp(value, first, "sge"), builder)
        below = _insert(arith.CmpiOp(value, end, "slt"), builder)
        builder = _open_test(_insert(arith.AndIOp(above, below), builder), builder)
    if range.step > 1:
        distance = _insert(
            arith.SubiOp(value, combined(range.lower, arith.MaxSIOp, builder)), builder
        )
        rest = _insert(arith.RemSIOp(distance, _constant(range.step, builder)), builder)
        on_grid = _insert(arith.CmpiOp(rest, _constant(0, builder), "eq"), builder)
        builder = _open_test(on_grid, builder)
    return builder, value


def _first_multiple(
    bounds: Sequence[IndexExpression], size: SSAValue, builder: Builder
) -> SSAValue:
    """The first multiple of `size` that no bound exceeds.

    The first multiple of T from b on is the last one up to b + T - 1. The bound for first points
    of tiles with a point from c on is c - T + 1, so this is the last multiple up to c.
    """
    reach = IndexExpression.of(size).shift(-1)
    points = [bound + reach for bound in bounds]
    if all(point.is_constant for point in points):
        greatest = max(point.constant for point in points)
        return _first_point(IndexExpression((), greatest), size, builder)
    point = IndexExpression.of(combined(points, arith.MaxSIOp, builder))
    return _first_point(point, size, builder)


def open_tile_loops(
    tiles: SymbolicTiles,
    sizes: Sequence[SSAValue],
    ends: Ends,
    builder: Builder,
    front: Builder,
    name: Callable[[int], str],
) -> TileNest:
    """Create those loops over tiles that are not in the AST.

    These are the loops of a wavefront, and all loops over the box; both need the `ends` of the
    points. The origins of the other loops have no value. `front` builds before all loops, `name`
    gives a loop its name.
    """
    origins = [Origin(*pair) for pair in zip(sizes, tiles.loops, strict=True)]
    given: list[SSAValue] = []
    if tiles.wavefront:
        count = tiles.wavefront + 1
        positions = _Positions(sizes[:count], ends[:count], front)
        builder, given = positions.open_wavefront(tiles.loops, builder, name)
    if tiles.origins == "box":
        for position in range(len(given), len(sizes)):
            size, (least, greatest) = sizes[position], ends[position]
            lower = _first_point(least, size, front, f"first{position}")
            end = materialize(greatest.shift(1), front)
            builder, value = _open_loop(lower, end, size, tiles.loops[position], builder)
            value.name_hint = name(position)
            given.append(value)
    known = [Origin(size, value=value) for size, value in zip(sizes, given, strict=False)]
    return TileNest(builder, (*known, *origins[len(given) :]))


class _Positions:
    """The positions of tiles along several loops: 0 for the tile that starts at 0, and so on."""

    def __init__(self, sizes: Sequence[SSAValue], ends: Ends, front: Builder) -> None:
        self._sizes = sizes
        self._first: list[IndexExpression] = []
        self._last: list[IndexExpression] = []
        for loop, (size, (least, greatest)) in enumerate(zip(sizes, ends, strict=True)):
            self._first.append(_tile_of(least, size, front, f"first{loop}"))
            self._last.append(_tile_of(greatest, size, front, f"last{loop}"))

    def open_wavefront(
        self, loops: Sequence[LoopAttributes], builder: Builder, name: Callable[[int], str]
    ) -> tuple[Builder, list[SSAValue]]:
        """Create a loop over sums w of positions, and loops over all positions except the first.

        The first one is w minus the others. Returns the place inside, and the first points.
        """
        lowest, highest = _sum(self._first), _sum(self._last)
        builder, wave = _loop((lowest,), (highest,), loops[0], builder)
        wave.name_hint = "wave"
        rest, positions = IndexExpression.of(wave), []
        for loop in range(1, len(self._sizes)):
            others = [0, *range(loop + 1, len(self._sizes))]
            # What is left for the other loops must be in their reach.
            greatest = rest - _sum([self._first[other] for other in others])
            least = rest - _sum([self._last[other] for other in others])
            builder, position = _loop(
                (self._first[loop], least), (self._last[loop], greatest), loops[loop], builder
            )
            position.name_hint = f"position{loop}"
            positions.append(IndexExpression.of(position))
            rest = rest - positions[-1]
        firsts: list[SSAValue] = []
        for loop, each in enumerate((rest, *positions)):
            firsts.append(
                _insert(arith.MuliOp(materialize(each, builder), self._sizes[loop]), builder)
            )
            firsts[-1].name_hint = name(loop)
        return builder, firsts


def _sum(expressions: Sequence[IndexExpression]) -> IndexExpression:
    return reduce(IndexExpression.__add__, expressions)


def _loop(
    lower: Sequence[IndexExpression],
    last: Sequence[IndexExpression],
    attributes: LoopAttributes,
    builder: Builder,
) -> tuple[Builder, SSAValue]:
    """A loop from the greatest of `lower` to the least of `last`."""
    first = combined(lower, arith.MaxSIOp, builder)
    end = combined([bound.shift(1) for bound in last], arith.MinSIOp, builder)
    return _open_loop(first, end, _constant(1, builder), attributes, builder)


def _open_loop(
    lower: SSAValue, end: SSAValue, step: SSAValue, attributes: LoopAttributes, builder: Builder
) -> tuple[Builder, SSAValue]:
    """The place inside a new loop, and its variable."""
    is_parallel = ParallelAttr() in attributes
    last = scf.ReduceOp() if is_parallel else scf.YieldOp()
    body = Block([last], arg_types=[IndexType()])
    loop = (
        scf.ParallelOp([lower], [end], [step], Region(body))
        if is_parallel
        else scf.ForOp(lower, end, step, [], body)
    )
    builder.insert(with_loop_attributes(loop, attributes))
    return Builder(InsertPoint.before(last)), body.args[0]


def _open_test(condition: SSAValue, builder: Builder) -> Builder:
    last = scf.YieldOp()
    builder.insert(scf.IfOp(condition, [], Region(Block([last]))))
    return Builder(InsertPoint.before(last))


def _tile_of(
    point: IndexExpression, size: SSAValue, builder: Builder, name: str | None = None
) -> IndexExpression:
    """The position of the tile that a point is in."""
    if point == IndexExpression():
        return point
    position = _insert(arith.FloorDivSIOp(materialize(point, builder), size), builder)
    position.name_hint = name
    return IndexExpression.of(position)


def _first_point(
    point: IndexExpression, size: SSAValue, builder: Builder, name: str | None = None
) -> SSAValue:
    """The first point of the tile that a point is in."""
    position = materialize(_tile_of(point, size, builder), builder)
    if point == IndexExpression():
        return position
    first = _insert(arith.MuliOp(position, size), builder)
    first.name_hint = name
    return first


def _constant(value: int, builder: Builder) -> SSAValue:
    return builder.insert(arith.ConstantOp(IntegerAttr.from_index_int_value(value))).result


def _insert(operation: Operation, builder: Builder) -> SSAValue:
    return builder.insert(operation).results[0]
