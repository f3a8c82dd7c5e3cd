"""What a function requires of its arguments, so that no access is out of bounds.

The context of a scop (`polyir.model.raising.context`) leaves out constraints that would make it a
union, and says nothing about extents that the program does not query. Both are requirements here,
which are tested on numbers, before a call.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import islpy as isl
from xdsl.dialects.func import FuncOp

from polyir.base import budgets
from polyir.base.checked import not_checked
from polyir.base.diagnostics import location_of
from polyir.base.limits import within_operations
from polyir.dialects.scop import ScopOp
from polyir.model.arguments import Source, source_of
from polyir.model.raising.context import is_certain, known_extent
from polyir.model.scop import Scop, scop_of, unique_name
from polyir.model.straight_accesses import Excluded, excluded_by_straight_accesses
from polyir.sets.lists import parameters_of
from polyir.tree.added import added_statements


@dataclass(frozen=True)
class Requirement:
    """The values that a caller must not pass: a set of parameters, and what goes wrong there.

    `sources` says where the value of each parameter of `excluded` comes from.
    """

    excluded: isl.Set
    sources: tuple[Source, ...]
    reason: str

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the parameters of `excluded`."""
        return parameters_of(self.excluded.get_space())

    @property
    def context(self) -> isl.Set:
        """The values that a caller may pass."""
        return self.excluded.complement().coalesce()


def requirements_of(function: FuncOp) -> tuple[Requirement, ...]:
    """The requirements of the scops and of the accesses that every call of `function` executes.

    They are necessary, not sufficient: accesses that an instance makes or not, depending on data,
    are left out, and so are conditions on values that the caller does not choose.
    """
    entry = function.body.first_block
    scops = [op for op in (() if entry is None else entry.ops) if isinstance(op, ScopOp)]
    found = [each for op in scops for each in _of_scop(scop_of(op))]
    straight = within_operations(
        budgets.REQUIREMENTS, lambda: list(_of_straight_accesses(function))
    )
    if straight is None:
        not_checked("requirements", budgets.REQUIREMENTS.exceeded, function)
    return (*found, *(straight or ()))


def _of_straight_accesses(function: FuncOp) -> Iterator[Requirement]:
    """A requirement for each dimension of each array that is accessed outside of loops."""
    found: dict[tuple[str, int], Excluded] = {}
    for each in excluded_by_straight_accesses(function):
        before = found.get((each.array, each.dimension))
        points = each.points if before is None else before.points.union(each.points).coalesce()
        found[each.array, each.dimension] = replace(each, points=points)
    for (array, dimension), excluded in found.items():
        points, kept = excluded.points, []
        for name in parameters_of(points.get_space()):
            position = points.find_dim_by_name(isl.dim_type.param, name)
            if points.involves_dims(isl.dim_type.param, position, 1):
                kept.append(excluded.sources[name])
            else:
                points = points.project_out(isl.dim_type.param, position, 1)
        yield Requirement(points, tuple(kept), _out_of_bounds(array, dimension))


def _out_of_bounds(array: str, dimension: int) -> str:
    return f"'{array}' is accessed out of bounds in dimension {dimension}"


def _of_scop(scop: Scop) -> list[Requirement]:
    """The context of `scop` as a requirement, and those of its subscripts."""
    place = location_of(scop.op)
    context = scop.context.complement().coalesce()
    where = "" if place is None else f" at {place}"
    found = [_on_caller(scop, context, {}, f"the static control part{where} assumes it")]
    within = within_operations(budgets.REQUIREMENTS, lambda: list(_of_subscripts(scop)))
    if within is None:
        not_checked("requirements", budgets.REQUIREMENTS.exceeded, scop.op)
    return [each for each in (*found, *(within or ())) if each is not None]


def _of_subscripts(scop: Scop) -> Iterator[Requirement | None]:
    """For each bound of each array, the values for which an access is beyond it."""
    taken = {*scop.op.parameter_values, *scop.arrays}
    for name, elements in _certain_elements(scop).items():
        array = scop.arrays[name]
        for dimension in range(elements.dim(isl.dim_type.set)):
            points, extents = elements, {}
            size = known_extent(
                scop, array, dimension, isl.LocalSpace.from_space(points.get_space())
            )
            source = source_of(array)
            if size is None and source is not None:
                extent = unique_name(f"{name}_{dimension}", taken)
                points, size = _with_parameter(points, extent)
                extents = {extent: Source(source.argument, dimension)}
            subscript = isl.PwAff.var_on_domain(points.get_space(), isl.dim_type.set, dimension)
            outside = subscript.lt_set(subscript.sub(subscript))
            if size is not None:
                outside = outside.union(subscript.ge_set(size))
            reason = _out_of_bounds(name, dimension)
            yield _on_caller(scop, points.intersect(outside).params(), extents, reason)


def _certain_elements(scop: Scop) -> dict[str, isl.Set]:
    """The elements of each array that the scop accesses whatever its data, by parameters.

    They are those that the program's own statements name, wherever copies of them are kept.
    """
    found: dict[str, isl.Set] = {}
    added = added_statements(scop.schedule)
    for statement in scop.bodies:
        if statement.name in added:
            continue
        for access in statement.accesses:
            if is_certain(access, statement.op):
                elements = access.relation.range()
                before = found.get(access.array)
                found[access.array] = elements if before is None else before.union(elements)
    return {name: elements.coalesce() for name, elements in found.items()}


def _with_parameter(points: isl.Set, name: str) -> tuple[isl.Set, isl.PwAff]:
    """`points` with another parameter, and its value on their space."""
    position = points.dim(isl.dim_type.param)
    wider = points.add_dims(isl.dim_type.param, 1)
    wider = wider.set_dim_name(isl.dim_type.param, position, name)
    return wider, isl.PwAff.var_on_domain(wider.get_space(), isl.dim_type.param, position)


def _on_caller(
    scop: Scop, excluded: isl.Set, extents: Mapping[str, Source], reason: str
) -> Requirement | None:
    """The requirement that `excluded` does not hold; `None` if it never does.

    Of parameters that the caller does not choose, there must be a value that is not excluded.
    """
    values = scop.op.parameter_values
    known = {name: source_of(value) for name, value in values.items()} | dict(extents)
    for name in parameters_of(excluded.get_space()):
        position = excluded.find_dim_by_name(isl.dim_type.param, name)
        if known[name] is None:
            allowed = excluded.complement().project_out(isl.dim_type.param, position, 1)
            excluded = allowed.complement()
        elif not excluded.involves_dims(isl.dim_type.param, position, 1):
            excluded = excluded.project_out(isl.dim_type.param, position, 1)
    excluded = excluded.coalesce()
    if excluded.is_empty():
        return None
    names = parameters_of(excluded.get_space())
    sources = tuple(source for name in names if (source := known[name]) is not None)
    return Requirement(excluded, sources, reason)
