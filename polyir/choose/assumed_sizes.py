"""The numbers that the cost model takes parameters to be.

Of each parameter, it is the first of these that there is:

- *known*: the only value in the context;
- *stated*: what is expected of an argument (`polyir.dialects.expected_sizes`);
- *arrays*: the greatest value for which all accesses are within arrays of known or stated extents;
- *assumed*: one with which no array has more than a million elements.

The last two are the nearest value for which conditions let statements run, if there is one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import partial, reduce
from math import prod
from typing import Final

import islpy as isl
from xdsl.dialects import arith
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType
from xdsl.ir import BlockArgument, SSAValue

from polyir.base import budgets
from polyir.base.limits import within_operations
from polyir.dialects.expected_sizes import (
    LEAST,
    MOST,
    SIZE,
    expected_extents,
    expected_number,
)
from polyir.model.raising.context import known_extent, measured, outside_of_array
from polyir.model.scop import Scop
from polyir.sets.boxes import greatest_of, least_of
from polyir.sets.lists import parameters_of
from polyir.sets.maps import at_sizes, nearest_value, values_of_parameter
from polyir.sets.values import isl_value

DEFAULT_ELEMENTS: Final = 1_000_000
"""How many elements the largest array is taken to have when nothing is known of it."""

LARGER: Final = 16
"""An estimate: matrices are 2 GiB then, more than any cache has, and vectors 128 MiB.

A vector that loops inside of loops access has 1000 elements at first: that is multiplied by this
until there are a million."""

DATA_ITERATIONS: Final = 8
"""The iterations that a loop is taken to have whose bounds come out of memory.

An estimate: a row of the matrix of a mesh or a grid has five to thirty elements."""


class Origin(IntEnum):
    """Where a number comes from, best first."""

    KNOWN = 0
    STATED = 1
    ARRAYS = 2
    CONDITIONS = 3
    ASSUMED = 4


_WORDS: Final = ("known", "stated", "from arrays", "from conditions", "assumed")


@dataclass(frozen=True, order=True)
class AssumedSize:
    """What a parameter is taken to be, and why; the best one is the least."""

    origin: Origin
    value: int

    def __str__(self) -> str:
        return f"{self.value} ({_WORDS[self.origin]})"


_CASTS: Final = (arith.IndexCastOp, arith.ExtSIOp, arith.ExtUIOp, arith.TruncIOp)
"""What leaves the value of a size as it is."""

Sizes = Mapping[str, AssumedSize]
"""What parameters are taken to be, by name."""


def values_of(scop: Scop, sizes: Mapping[str, int] | None = None) -> dict[str, int]:
    """A number for each parameter: the one in the context, or in `sizes`, or an assumed one."""
    given = {name: AssumedSize(Origin.STATED, value) for name, value in (sizes or {}).items()}
    return {name: size.value for name, size in _sizes(scop, given).items()}


def assumed_sizes(scops: Sequence[Scop], times: int = 1) -> tuple[Sizes, ...]:
    """What the parameters of each scop of a function are taken to be.

    A value that is a parameter of several scops is the same in all of them. Of what nothing is
    known, sizes are so many times as large as otherwise.
    """
    best: dict[SSAValue, AssumedSize] = {}
    for scop in scops:
        for name, size in _sizes(scop, {}, times).items():
            value = scop.op.parameter_values[name]
            best[value] = min(size, best.get(value, size))
    return tuple(
        {name: best[value] for name, value in scop.op.parameter_values.items()} for scop in scops
    )


def times_larger(scops: Sequence[Scop]) -> int:
    """How many times as large as otherwise sizes are that are to be large (`LARGER`)."""
    sizes = [
        (default_size(scop), array.type.get_shape())
        for scop in scops
        for array in scop.arrays.values()
        if isinstance(array.type, MemRefType) and DYNAMIC_INDEX in array.type.get_shape()
    ]

    def elements(times: int) -> int:
        return max(
            prod(times * n if e == DYNAMIC_INDEX else e for e in shape) for n, shape in sizes
        )

    times = LARGER
    while sizes and elements(times) < DEFAULT_ELEMENTS:
        times *= LARGER
    return times


def parameters_left(scop: Scop) -> bool:
    """Whether there is a parameter whose value is neither in the context nor stated."""
    known = known_sizes(scop).keys() | _stated(scop, SIZE).keys()
    return not known.issuperset(parameters_of(scop.context.get_space()))


def default_size(scop: Scop) -> int:
    """What a parameter is taken to be when nothing is known of it: 1000 for matrices.

    Then no array has more than a million elements. It is at most 1000 where there are loops inside
    of loops whose numbers of iterations depend on parameters.
    """
    depth = max((_depth(each.domain) for each in scop.bodies), default=0)
    sizes: list[float] = [DEFAULT_ELEMENTS ** (1 / max(1, min(2, depth)))]
    for array in scop.arrays.values():
        extents = array.type.get_shape() if isinstance(array.type, MemRefType) else ()
        unknown = extents.count(DYNAMIC_INDEX)
        if unknown:
            rows = DEFAULT_ELEMENTS / prod(each for each in extents if each != DYNAMIC_INDEX)
            sizes.append(max(1, rows) ** (1 / unknown))
    return round(min(sizes))


def _depth(domain: isl.Set) -> int:
    """How many loops around a statement have numbers of iterations that depend on parameters."""
    rank = domain.dim(isl.dim_type.set)
    return sum(
        None in (least_of(domain, place), greatest_of(domain, place)) for place in range(rank)
    )


def _sizes(scop: Scop, given: Sizes, times: int = 1) -> Sizes:
    """What parameters are taken to be, in order; `given` is what need not be found out."""
    names = parameters_of(scop.context.get_space())
    numbers = _Numbers({**given, **known_sizes(scop)}, scop.context)
    if not numbers.found.keys() >= set(names):
        for name, value in _stated(scop, SIZE).items():
            wanted = AssumedSize(Origin.STATED, value)
            numbers.add(name, numbers.nearest(name, wanted, Origin.ARRAYS))
        left = [name for name in names if name not in numbers.found]
        hints = within_operations(budgets.EXPECTED_SIZES, partial(_hints, scop, left)) or _Hints()
        arrays = _Numbers(numbers.found, numbers.points)
        arrays.narrow(hints.within_arrays)
        from_arrays = {name: arrays.add_greatest(name, Origin.ARRAYS) for name in left}
        assumed = AssumedSize(Origin.ASSUMED, times * default_size(scop))
        numbers.narrow(hints.conditions)
        allowed = {
            name: numbers.nearest(name, from_arrays[name] or assumed, Origin.CONDITIONS)
            for name in left
        }
        for name, size in allowed.items():
            numbers.add(name, numbers.between(name, size))
    return {name: numbers.found[name] for name in names}


class _Numbers:
    """Numbers for parameters, and `points`, the values that all parameters may have with them."""

    def __init__(self, found: Sizes, points: isl.Set) -> None:
        self.found = dict(found)
        self.points = at_sizes(points, {name: size.value for name, size in found.items()})

    def add(self, name: str, size: AssumedSize) -> None:
        """Take a parameter to be of this size, unless its size is known."""
        if name not in self.found:
            self.found[name] = size
            self.points = at_sizes(self.points, {name: size.value})

    def add_greatest(self, name: str, origin: Origin) -> AssumedSize | None:
        """Take a parameter to be as large as possible, if there is a greatest size."""
        most = greatest_of(values_of_parameter(self.points, name), 0)
        if most is None or most < 1:
            return None
        self.add(name, AssumedSize(origin, most))
        return self.found[name]

    def narrow(self, sets: Iterable[isl.Set]) -> None:
        """Leave out other points than those of each set in which there are some."""
        for each in sets:
            narrower = self.points.intersect(each)
            if not narrower.is_empty():
                self.points = narrower

    def nearest(self, name: str, wanted: AssumedSize, otherwise: Origin) -> AssumedSize:
        """The size that is wanted, or else the nearest one that is possible, if there is one."""
        values = values_of_parameter(self.points, name)
        if values.is_empty():
            return wanted
        value = nearest_value(values, wanted.value)
        return wanted if value == wanted.value else AssumedSize(otherwise, value)

    def between(self, name: str, wanted: AssumedSize) -> AssumedSize:
        """The size that is wanted, or else one well within what the sizes of others allow.

        A loop from `m` to `n` is to have many iterations.
        """
        near = self.nearest(name, wanted, Origin.CONDITIONS)
        if near == wanted:
            return near
        value = near.value // 2 if near.value < wanted.value else 2 * wanted.value
        return self.nearest(name, replace(near, value=value), near.origin)


@dataclass(frozen=True)
class _Hints:
    """Sets that parameters are likely to be in."""

    within_arrays: tuple[isl.Set, ...] = ()
    conditions: tuple[isl.Set, ...] = ()


def _hints(scop: Scop, names: Collection[str]) -> _Hints:
    return _Hints(tuple(_within_arrays(scop)), tuple(_conditions(scop, names)))


def _conditions(scop: Scop, names: Collection[str]) -> Iterator[isl.Set]:
    """What parameters must be for some statement to run that they matter for."""
    yield _between_stated(scop)
    groups: dict[tuple[int, ...], None] = {}
    domains = [each.domain.params().remove_divs() for each in scop.bodies]
    for name in names:
        numbers = (n for n, domain in enumerate(domains) if _involves(domain, name))
        groups[tuple(numbers)] = None
    for group in groups:
        if group:
            yield _hull(reduce(isl.Set.union, (domains[n] for n in group)))


def _between_stated(scop: Scop) -> isl.Set:
    """What is stated as the least and the greatest size of parameters."""
    found = isl.Set.universe(scop.context.get_space())
    for name, least in _stated(scop, LEAST).items():
        position = found.find_dim_by_name(isl.dim_type.param, name)
        found = found.lower_bound_val(isl.dim_type.param, position, isl_value(least))
    for name, most in _stated(scop, MOST).items():
        position = found.find_dim_by_name(isl.dim_type.param, name)
        found = found.upper_bound_val(isl.dim_type.param, position, isl_value(most))
    return found


def _within_arrays(scop: Scop) -> Iterator[isl.Set]:
    """For each access, where it is within the array if it is executed at all."""
    for statement in scop.bodies:
        runs = _hull(statement.domain.params().remove_divs())
        for access in statement.accesses:
            is_exact = access.relation.is_single_valued()
            outside = outside_of_array(scop, access, _extent) if is_exact else []
            beyond = [access.relation.intersect_range(each).params() for each in outside]
            if beyond:
                yield _hull(runs.subtract(reduce(isl.Set.union, beyond))).gist(runs)


def _hull(points: isl.Set) -> isl.Set:
    return isl.Set.from_basic_set(points.simple_hull())


def _involves(points: isl.Set, name: str) -> bool:
    position = points.find_dim_by_name(isl.dim_type.param, name)
    return position >= 0 and bool(points.involves_dims(isl.dim_type.param, position, 1))


def known_sizes(scop: Scop) -> dict[str, AssumedSize]:
    """The parameters that have one value in the context."""
    found: dict[str, AssumedSize] = {}
    for position, name in enumerate(parameters_of(scop.context.get_space())):
        value = scop.context.plain_get_val_if_fixed(isl.dim_type.param, position)
        if value.is_int():
            found[name] = AssumedSize(Origin.KNOWN, int(value.to_python()))
    return found


def _stated(scop: Scop, attribute: str) -> dict[str, int]:
    """What an attribute of the arguments of the function says of parameters."""
    values = scop.op.parameter_values.items()
    numbers = {name: _stated_number(value, attribute) for name, value in values}
    return {name: number for name, number in numbers.items() if number is not None}


def _stated_number(value: SSAValue, attribute: str) -> int | None:
    while isinstance(value.owner, _CASTS):
        value = value.owner.operands[0]
    place = measured(value)
    if place is not None:
        return _stated_extent(*place) if attribute == SIZE else None
    return expected_number(value, attribute) if isinstance(value, BlockArgument) else None


def _stated_extent(array: SSAValue, dimension: int) -> int | None:
    extents = expected_extents(array) if isinstance(array, BlockArgument) else ()
    return extents[dimension] if extents else None


def _extent(scop: Scop, array: SSAValue, dimension: int, local: isl.LocalSpace) -> isl.PwAff | None:
    stated = _stated_extent(array, dimension)
    if stated is None:
        return known_extent(scop, array, dimension, local)
    return isl.PwAff.from_aff(isl.Aff.val_on_domain(local, isl_value(stated)))
