"""What a kernel needs at least: floating-point operations, and bytes that have to move.

Counted from the polyhedral model of the untransformed kernel. The number of points of a set is
a polynomial in the sizes (Ehrhart), for PolyBench's domains one polynomial for all sizes that
are not tiny. isl counts the points for a grid of small sizes, the polynomial through them gives
the number for large ones, and further sizes that isl counts confirm the polynomial.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod
from typing import Final

import islpy as isl
from kernels import Kernel, Sizes
from xdsl.dialects.builtin import MemRefType
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument, SSAValue

from polyir import api
from polyir.base.diagnostics import remarks_to
from polyir.dialects.scop import scops_in
from polyir.model.scop import Scop, scop_of
from polyir.model.statements import AccessKind, Statement
from polyir.tree.isl_border import to_isl

FIRST_SIZE: Final = 7
"""The smallest size that is sampled: no loop of a kernel is empty there."""

OPERATIONS: Final = (
    *("arith.addf", "arith.subf", "arith.mulf", "arith.divf", "math.fma"),
    *("arith.maximumf", "arith.minimumf", "arith.maxnumf", "arith.minnumf"),
    *("math.sqrt", "math.exp", "math.powf", "math.log", "math.sin", "math.cos"),
)
"""One floating-point operation each, also a root or a division that takes the time of many."""


class CountError(Exception):
    """The number of points is not a polynomial in the sizes, or there is no model to count."""


@dataclass(frozen=True)
class Work:
    """What one call of a kernel needs.

    `read_bytes` are the elements of its arguments that are read before they are written;
    `written_bytes` those that are written; `footprint` all bytes that it touches.
    """

    operations: int
    read_bytes: int
    written_bytes: int
    footprint: int

    @property
    def bytes(self) -> int:
        """What has to come from, and go to, where the arguments are before and after."""
        return self.read_bytes + self.written_bytes


def work_of(kernel: Kernel, sizes: Sizes) -> Work:
    """The work of a kernel. Raises `CountError`."""
    with remarks_to(lambda remark: None):
        module = api.run_pipeline(api.parse(kernel.path.read_text()), "poly-raise")
    scops = [scop_of(op) for op in scops_in(module)]
    functions = [op for op in module.ops if isinstance(op, FuncOp)]
    if len(scops) != 1 or len(functions) != 1:
        raise CountError(f"{kernel.name} has {len(scops)} scops, not one")
    scop, arguments = scops[0], functions[0].body.block.args
    given = _sizes_by_parameter(scop, arguments, kernel, sizes)
    operations = sum(
        _operations(statement) * count_points(statement.domain, given)
        for statement in scop.statements
    )
    writes = scop.accesses(AccessKind.WRITE, AccessKind.MAY_WRITE)
    reads = scop.accesses(AccessKind.READ)

    def bytes_of(accesses: isl.UnionMap) -> int:
        return _bytes(accesses.intersect_params(scop.context), scop.arrays, given)

    return Work(
        operations,
        bytes_of(_first_reads(scop)),
        bytes_of(scop.accesses(AccessKind.WRITE)),
        bytes_of(reads.union(writes)),
    )


def _sizes_by_parameter(
    scop: Scop, arguments: Sequence[BlockArgument], kernel: Kernel, sizes: Sizes
) -> dict[str, int]:
    """The sizes under isl's names. Raises `CountError` for a parameter that is not a size."""
    values: dict[SSAValue, int] = {
        argument: sizes[name] for argument, name in zip(arguments, kernel.size_names, strict=False)
    }
    given: dict[str, int] = {}
    for name, value in scop.op.parameter_values.items():
        if value not in values:
            raise CountError(f"{kernel.name}: parameter {name} is not one of the sizes")
        given[name] = values[value]
    return given


def _operations(statement: Statement) -> int:
    """The floating-point operations that every instance executes."""
    return sum(op.name in OPERATIONS for op in statement.op.body.block.ops)


def _first_reads(scop: Scop) -> isl.UnionMap:
    """The reads that no instance has surely written before.

    A read behind a write of the same array in one instance is left out whole: the result may
    lack reads, and what is counted from it remains a lower bound.
    """
    reads = isl.UnionMap.empty(scop.context.get_space())
    for statement in scop.statements:
        written: list[str] = []
        for access in statement.accesses:
            if access.kind is AccessKind.READ and access.array not in written:
                reads = reads.union(isl.UnionMap.from_map(access.relation))
            elif access.kind is not AccessKind.READ:
                written.append(access.array)
    info = isl.UnionAccessInfo.from_sink(reads)
    info = info.set_must_source(scop.accesses(AccessKind.WRITE)).set_schedule(to_isl(scop.schedule))
    return info.compute_flow().get_must_no_source()


def _bytes(accesses: isl.UnionMap, arrays: Mapping[str, SSAValue], sizes: Mapping[str, int]) -> int:
    """The size of the accessed elements of the function's arguments."""
    elements = accesses.range().coalesce()
    total = 0
    for part in (elements.get_set_list().get_at(n) for n in range(elements.n_set())):
        array = arrays[part.get_tuple_name()]
        if isinstance(array, BlockArgument) and isinstance(array.type, MemRefType):
            total += count_points(part, sizes) * _element_bytes(array.type)
    return total


def _element_bytes(type: MemRefType) -> int:
    width = getattr(type.element_type, "bitwidth", None)
    if not isinstance(width, int):
        raise CountError(f"elements of type {type.element_type} have no size")
    return width // 8


# Counting points.


def count_points(points: isl.Set, sizes: Mapping[str, int]) -> int:
    """The number of points of a set at the sizes, which are those of its parameters.

    Dimensions that no constraint relates are counted apart: the number of points is the product.
    Raises `CountError` if it is not a polynomial in the sizes.
    """
    return prod(_count_part(part, sizes) for part in _independent_parts(points.coalesce()))


def _independent_parts(points: isl.Set) -> list[isl.Set]:
    """Sets of fewer dimensions whose product has as many points.

    A union and a set with divisions is its own only part.
    """
    count = points.dim(isl.dim_type.set)
    basic = points.get_basic_set_list()
    if count < 2 or points.n_basic_set() != 1 or basic.get_at(0).dim(isl.dim_type.div):
        return [points]
    groups: list[set[int]] = [{position} for position in range(count)]
    for constraint in basic.get_at(0).get_constraints():
        related = {n for n in range(count) if constraint.involves_dims(isl.dim_type.set, n, 1)}
        joined = set[int]().union(*(group for group in groups if group & related))
        groups = [group for group in groups if not group & related]
        groups += [joined] if joined else []
    parts: list[isl.Set] = []
    for group in groups:
        part = points
        for position in reversed(range(count)):
            if position not in group:
                part = part.project_out(isl.dim_type.set, position, 1)
        # What holds for the sizes alone would make every part depend on all of them.
        parts.append(part.gist_params(points.params()))
    return parts


PERIODS: Final = (1, 2)
"""Polynomials are tried for all sizes, then for those with the remainders of the wanted ones.

The number of points of a set with a stride of 2 is a polynomial for even and one for odd sizes.
"""


def _count_part(points: isl.Set, sizes: Mapping[str, int]) -> int:
    """The number of points by interpolation. Raises `CountError`."""
    names = [name for n, name in enumerate(_parameters(points)) if _involves(points, n)]
    wanted = [sizes[name] for name in names]
    for period in PERIODS:
        value = _interpolated(points, names, wanted, period)
        if value is not None:
            break
    else:
        raise CountError(f"the size of {points} is not a polynomial in {', '.join(names)}")
    if value.denominator != 1 or value < 0:
        raise CountError(f"the size of {points} cannot be {value}")
    return value.numerator


def _interpolated(
    points: isl.Set, names: Sequence[str], wanted: Sequence[int], period: int
) -> Fraction | None:
    """The value at `wanted` of the polynomial through sizes that differ from it by periods.

    `None` if it does not hold for further sizes.
    """
    degree = points.dim(isl.dim_type.set)

    def axis_of(size: int) -> range:
        start = FIRST_SIZE + (size - FIRST_SIZE) % period
        return range(start, start + period * (degree + 1), period)

    axes = [axis_of(size) for size in wanted]
    samples = {
        point: _count_at(points, dict(zip(names, point, strict=True))) for point in product(*axes)
    }
    for shift in (1, 3):
        # Sizes in rising and in falling order, off the grid.
        steps = [period * shift * (1 + position) for position in range(len(names))]
        for order in (steps, steps[::-1]):
            control = [axis.stop + step for axis, step in zip(axes, order, strict=True)]
            expected = _count_at(points, dict(zip(names, control, strict=True)))
            if _interpolate(samples, axes, control) != expected:
                return None
    return _interpolate(samples, axes, wanted)


def _parameters(points: isl.Set) -> list[str]:
    count = points.dim(isl.dim_type.param)
    return [points.get_dim_name(isl.dim_type.param, n) or "" for n in range(count)]


def _involves(points: isl.Set, position: int) -> bool:
    return points.involves_dims(isl.dim_type.param, position, 1)


def _count_at(points: isl.Set, sizes: Mapping[str, int]) -> int:
    """The number of points, counted by isl one by one."""
    for name, size in sizes.items():
        position = points.find_dim_by_name(isl.dim_type.param, name)
        points = points.fix_val(isl.dim_type.param, position, isl.Val.int_from_si(
            points.get_ctx(), size))  # fmt: skip
    free = points.project_out(isl.dim_type.param, 0, points.dim(isl.dim_type.param))
    if not free.is_bounded():
        raise CountError(f"{points} has points without number")
    return int(free.count_val().to_python())


def _interpolate(
    samples: Mapping[tuple[int, ...], int], axes: Sequence[range], sizes: Sequence[int]
) -> Fraction:
    """Lagrange's interpolation on a grid; `axes` has the nodes of each dimension."""
    weights = [
        {
            node: prod((Fraction(size - o, node - o) for o in axis if o != node), start=Fraction(1))
            for node in axis
        }
        for size, axis in zip(sizes, axes, strict=True)
    ]
    return sum(
        (
            count * prod((w[n] for w, n in zip(weights, point, strict=True)), start=Fraction(1))
            for point, count in samples.items()
        ),
        start=Fraction(0),
    )
