"""Boxes around sets and relations: between which values each coordinate of their points is.

The ends are numbers, whatever the parameters are, or functions of the parameters; of a relation,
they are functions of the points that it maps, such as the iterations of outer loops.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce

import islpy as isl

from polyir.sets.lists import basic_sets_of, parameters_of
from polyir.sets.maps import coordinate
from polyir.sets.values import isl_value

# ------------------------------------------------------------------------------------- numbers

Ends = tuple[int, int]
"""The least and the greatest value of a coordinate."""


def least_of(points: isl.Set, position: int) -> int | None:
    """The least value of a coordinate, for any values of the parameters.

    `None` if there is no bound, and for the empty set.
    """
    return _finite(points.dim_min_val(position))


def greatest_of(points: isl.Set, position: int) -> int | None:
    """The greatest value of a coordinate, as `least_of`."""
    return _finite(points.dim_max_val(position))


def _finite(value: isl.Val) -> int | None:
    return int(value.to_python()) if value.is_int() else None


def ends_of(points: isl.Set, position: int) -> tuple[int | None, int | None]:
    """The least and the greatest value of a coordinate, as `least_of`."""
    return least_of(points, position), greatest_of(points, position)


def are_apart(points: isl.Set, one: int, other: int) -> bool:
    """Whether no constraint is on two coordinates: each has any of its values with the other."""
    kind = isl.dim_type.set
    parts = [each.remove_redundancies() for each in basic_sets_of(points)]
    if len(parts) != 1 or parts[0].dim(isl.dim_type.div):
        return False
    return not any(
        constraint.involves_dims(kind, one, 1) and constraint.involves_dims(kind, other, 1)
        for constraint in parts[0].get_constraints()
    )


def constant_box(points: isl.Set) -> tuple[Ends, ...]:
    """The ends of each coordinate, for any values of the parameters.

    The set must not be empty, and all its coordinates must be bounded.
    """
    box: list[Ends] = []
    for position in range(points.dim(isl.dim_type.set)):
        least, greatest = ends_of(points, position)
        assert least is not None
        assert greatest is not None
        box.append((least, greatest))
    return tuple(box)


def shape_of(points: isl.Set) -> tuple[int, ...]:
    """How many integers the constant box has along each coordinate; 0 if there are no points."""
    if points.is_empty():
        return (0,) * points.dim(isl.dim_type.set)
    return tuple(last - first + 1 for first, last in constant_box(points))


def most_values(values: isl.Map) -> int | None:
    """How many integers there are at most between the ends of the range of one point.

    `values` is `{ [i] -> [v] }`, such as the values of a loop in an iteration of those around it.
    `None` if there is no bound for all values of the parameters.
    """
    # { [d] : i -> v and i -> v + d }
    greatest = greatest_of(values.reverse().apply_range(values).deltas(), 0)
    return None if greatest is None else greatest + 1


# ----------------------------------------------------------------------------------- functions


class NoBoxError(ValueError):
    """Points without affine bounds; the message says in which dimension."""


@dataclass(frozen=True)
class Side:
    """One dimension of a box: it starts at `lower`, and has `extent` values.

    `lower` is one affine expression, of the parameters and of what the box depends on; `extent`
    depends on the parameters only.
    """

    lower: isl.Aff
    extent: isl.PwAff

    @staticmethod
    def of(lower: isl.Aff, size: int) -> Side:
        """A side with a constant extent."""
        extent = isl.Aff.val_on_domain(lower.get_domain_space().params(), isl_value(size))
        return Side(lower, isl.PwAff.from_aff(extent))

    @cached_property
    def size(self) -> int | None:
        """The extent as a number; `None` if it depends on parameters."""
        pieces = [piece for _, piece in self.extent.get_pieces()]
        if len(pieces) != 1 or not pieces[0].is_cst():
            return None
        return int(pieces[0].get_constant_val().to_python())

    def lower_on(self, space: isl.Space) -> isl.Aff:
        """A `lower` that depends on parameters only, as an expression on the set space `space`."""
        lifted = isl.Aff.val_on_domain(space, self.lower.get_constant_val())
        for position, name in enumerate(parameters_of(self.lower.get_domain_space())):
            coefficient = self.lower.get_coefficient_val(isl.dim_type.param, position)
            if not coefficient.is_zero():
                there = space.find_dim_by_name(isl.dim_type.param, name)
                lifted = lifted.set_coefficient_val(isl.dim_type.param, there, coefficient)
        return lifted


def from_lower(cell: Sequence[isl.Aff], box: Sequence[Side]) -> list[isl.Aff]:
    """The coordinates of a cell, counted from the corner of a box."""
    return [
        each.sub(side.lower_on(each.get_domain_space()))
        for each, side in zip(cell, box, strict=True)
    ]


def constant_side(extent: int) -> Side:
    """A side that begins at 0 and has a constant extent."""
    space = isl.Space.params_alloc(isl.DEFAULT_CONTEXT, 0)
    return Side.of(isl.Aff.zero_on_domain(isl.LocalSpace.from_space(space)), extent)


Box = tuple[Side, ...]


def box_of(points: isl.Set, context: isl.Set) -> Box:
    """The smallest box around `points`, a function of the parameters within `context`.

    A lower bound that is a minimum of several expressions is replaced by a constant below it; if
    there is none, by that of a polyhedron around the points, if it is one expression. Raises
    `NoBoxError` where there is neither.
    """
    within = points.intersect_params(context)
    return tuple(
        _side(within, position, context) for position in range(points.dim(isl.dim_type.set))
    )


def _side(points: isl.Set, position: int, context: isl.Set) -> Side:
    if points.is_empty():
        zero = isl.Aff.zero_on_domain(points.get_space().params())
        return Side(zero, isl.PwAff.from_aff(zero))
    if not points.dim_is_bounded(isl.dim_type.set, position):
        raise NoBoxError(f"dimension {position + 1} is not bounded")
    lowest = points.dim_min(position).coalesce()
    lower = _plain(lowest, context)
    if lower is None and not lowest.min_val().is_int():
        # The least point of a lattice within bounds is none, where the bounds themselves may be.
        # Alone, for bounds may be in terms of other dimensions, without bounds there.
        alone = isl.Set.from_pw_aff(lowest)
        dense = isl.Set.from_basic_set(alone.remove_divs().simple_hull())
        if dense.dim_has_lower_bound(isl.dim_type.set, 0):
            lower = _plain(dense.dim_min(0).coalesce(), context)
    if lower is None:
        least = lowest.min_val()
        if not least.is_int():
            raise NoBoxError(f"dimension {position + 1} has no affine lower bound")
        lower = isl.Aff.val_on_domain(lowest.get_domain_space(), least)
    extent = points.dim_max(position).sub(isl.PwAff.from_aff(lower)).add_constant_val(isl.Val(1))
    return Side(lower, extent.gist_params(context).coalesce())


def _plain(function: isl.PwAff, context: isl.Set) -> isl.Aff | None:
    """`function` as one expression without divisions, if it is one."""
    pieces = function.gist_params(context).get_pieces()
    expressions = [expression for _, expression in pieces]
    first = expressions[0]
    has_division = first.dim(isl.dim_type.div) > 0 or not first.get_denominator_val().is_one()
    if has_division or not all(first.plain_is_equal(other) for other in expressions):
        return None
    return first


def box_of_images(relation: isl.Map, is_dynamic: bool = False) -> Box | None:
    """The smallest box of constant sizes around the images of each point that is found.

    For each dimension, one of the lower bounds that the relation has is that of the box: after S.
    Verdoolaege et al., "Polyhedral parallel code generation for CUDA" (TACO 2013), section 5.2. If
    it `is_dynamic`, a size that cannot be constant may be a function of the parameters. `None` if
    there is no such box.
    """
    sides: list[Side] = []
    for position in range(relation.dim(isl.dim_type.out)):
        side = _side_of_images(relation, position, is_dynamic)
        if side is None:
            return None
        sides.append(side)
    return tuple(sides)


def _side_of_images(relation: isl.Map, position: int, is_dynamic: bool) -> Side | None:
    values = coordinate(relation, position).reset_tuple_id(isl.dim_type.out)
    loops = values.dim(isl.dim_type.in_)
    points = values.wrap().flatten()
    hull = points.simple_hull().remove_divs()
    best: tuple[isl.Aff, int] | None = None
    dynamic: list[Side] = []
    for constraint in hull.get_constraints():
        coefficient = constraint.get_coefficient_val(isl.dim_type.set, loops)
        if constraint.is_div_constraint() or not coefficient.is_pos():
            continue
        # A lower bound: c a + f(t) >= 0.
        function = constraint.get_aff().set_coefficient_val(isl.dim_type.in_, loops, isl.Val(0))
        bound = function.neg().scale_down_val(coefficient).ceil()
        local = points.get_space()
        value = isl.Aff.var_on_domain(local, isl.dim_type.set, loops)
        last = points.max_val(value.sub(bound))
        lower = bound.drop_dims(isl.dim_type.in_, loops, 1)
        if last.is_int() and (best is None or int(last.to_python()) + 1 < best[1]):
            best = lower, int(last.to_python()) + 1
        elif is_dynamic and last.is_infty():
            inside = isl.Map.from_aff(value.sub(bound)).intersect_domain(points).range()
            if inside.dim_is_bounded(isl.dim_type.set, 0):
                greatest = inside.dim_max(0).coalesce()
                dynamic.append(Side(lower, greatest.add_constant_val(isl.Val(1))))
    if best is not None:
        return Side.of(*best)
    return min(dynamic, key=lambda each: each.extent.n_piece(), default=None)


def sizes_of(box: Box) -> tuple[int, ...]:
    """The sizes of a box, all of which must be constant."""
    sizes = tuple(side.size for side in box if side.size is not None)
    assert len(sizes) == len(box)
    return sizes


def images_in(box: Box) -> isl.Map:
    """`{ [t] -> [a] }`: the points in a box of images, whose sizes must be constant."""
    windows = [
        isl.Map.from_aff(side.lower).apply_range(isl.Map(f"{{ [o] -> [a] : o <= a < o + {size} }}"))
        for side, size in zip(box, sizes_of(box), strict=True)
    ]
    return reduce(isl.Map.flat_range_product, windows)


def interval(values: isl.Set) -> isl.Set:
    """From the least to the greatest of some values `{ [x] }`, which may have a stride."""
    if values.is_empty():
        return values
    hull = isl.Set.from_basic_set(values.simple_hull().remove_divs())
    upwards = isl.Map("{ [x] -> [y] : y >= x }")
    exact = values.lexmin().apply(upwards).intersect(values.lexmax().apply(upwards.reverse()))
    # Without divisions, 0 to 3 floor((n - 1) / 3) becomes 0 to n - 1, which is too much.
    return hull if hull.is_subset(exact) else exact.coalesce()
