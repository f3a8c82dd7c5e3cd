"""Loops over the points of sets visit each point once, compared with isl's list of points."""

from __future__ import annotations

import islpy as isl
import numpy as np
import pytest
from xdsl.dialects import func
from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, MemRefType, ModuleOp
from xdsl.ir import SSAValue
from xdsl.rewriter import InsertPoint

import polyir
from polyir.distributed.scan import bounds, row_of, scan
from polyir.loops.code import Code

SETS = (
    # A triangle, a strip of a diagonal, whose bounds have coefficients, and several pieces.
    ("[n, k] -> { [x, y] : 0 <= x < n and x <= y < k }", True),
    ("[n, k] -> { [x, y] : n <= 3 x + 2 y <= k and 0 <= x and 2 x <= 3 y + n }", True),
    ("[n, k] -> { [x] : 0 <= x < n or k <= x < k + n }", False),
    # Tiles: a division of the row's subscript, which is fixed by another coordinate.
    (
        "[n, k] -> { [x, y] : 0 <= x < n and 0 <= y < n and "
        "8 * floor((2 x + y) / 8) = 8 * k - 8 * floor(x / 8) }",
        True,
    ),
    ("[n, k] -> { [x, y, z] : 0 <= x, z <= n and x <= z and y = 2 x - k and k mod 3 = 2 }", True),
    # Strides, along a row and outside, and what only a hole in a row tells from an interval.
    ("[n, k] -> { [x, y] : 0 <= x < n and 0 <= y < n and (x + y + k) mod 3 = 0 }", False),
    ("[n, k] -> { [x, y] : 0 <= x < n and x mod 2 = 0 and k <= y < n }", True),
    ("[n, k] -> { [x, y] : 0 <= x, y < n and (exists e : y = 2 e or y = 5 e + x) }", False),
    # The bounds of x are 0 and 4 where n and k let any x be: these conditions are no bounds.
    ("[n, k] -> { [x, y] : 0, 5 n <= x < 5 k and 2 x < y <= 10 and y mod 3 = 1 }", False),
    ("[n, k] -> { [x = 5, y] : n <= y <= k }", True),
    ("[n, k] -> { [] : n < k and (n + k) mod 2 = 0 }", False),
)


def visited_by(text: str, in_rows: bool) -> ModuleOp:
    """A function that stores the points that loops visit, and returns how many there are."""
    points = isl.Set(text)
    rank = points.dim(isl.dim_type.set)
    memory = MemRefType(IndexType(), [DYNAMIC_INDEX, max(rank, 1)])
    function = func.FuncOp("visit", ([IndexType(), IndexType(), memory], [IndexType()]))
    n, k, found = function.args
    code = Code(InsertPoint.at_end(function.body.block))
    cell = code.cell("count")
    code.store(0, cell)
    values: dict[str, SSAValue] = {"n": n, "k": k}
    row = row_of(points) if in_rows else None
    starts = points.project_out(isl.dim_type.set, rank - 1, 1) if row is not None else points

    def store(body: Code, *point: SSAValue) -> None:
        count = body.load(cell)
        for position, value in enumerate(point):
            body.store(value, found, count, position)
        body.store(body.sum(count, 1), cell)

    def visit(body: Code, start: list[SSAValue]) -> None:
        if row is None:
            store(body, *start)
            return
        first, last = bounds(body, row, start, values)
        with body.loop("e", first, body.sum(last, 1)) as (inner, value):
            store(inner, *start, value)

    scan(code, starts, [f"x{d}" for d in range(starts.dim(isl.dim_type.set))], values, visit)
    code.add(func.ReturnOp(code.load(cell)))
    return ModuleOp([function])


def points_of(text: str, n: int, k: int) -> list[tuple[int, ...]]:
    points = isl.Set(text)
    for position, value in enumerate((n, k)):
        points = points.fix_val(isl.dim_type.param, position, isl.Val(value))
    rank = points.dim(isl.dim_type.set)
    found: list[tuple[int, ...]] = []
    points.foreach_point(
        lambda each: found.append(
            tuple(
                int(each.get_coordinate_val(isl.dim_type.set, d).to_python()) for d in range(rank)
            )
        )
    )
    return sorted(found)


@pytest.mark.parametrize(("text", "in_rows"), SETS)
def test_points(text: str, in_rows: bool) -> None:
    rank = isl.Set(text).dim(isl.dim_type.set)
    if rank:
        assert (row_of(isl.Set(text)) is not None) == in_rows
    kernel = polyir.compile(str(visited_by(text, in_rows)), "")
    some = False
    for n in range(-3, 20, 4):
        for k in range(-4, 20, 3):
            expected = points_of(text, n, k)
            found = np.full((max(len(expected), 1) + 1, max(rank, 1)), -99)
            assert kernel.visit(n, k, found) == len(expected), (n, k)
            visited = [tuple(map(int, point[:rank])) for point in found[: len(expected)]]
            assert sorted(visited) == expected, (n, k)
            some = some or bool(expected)
    assert some
