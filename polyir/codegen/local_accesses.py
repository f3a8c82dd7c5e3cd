"""Accesses to local arrays, with subscripts in terms of the enclosing loops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import islpy as isl

from polyir.base.diagnostics import PolyirError, location_of
from polyir.codegen.ast import LocalAccess, arguments_of, expression_from_isl
from polyir.model.local_arrays import LocalMark, destinations, dimensions_of_data
from polyir.model.scop import Scop
from polyir.model.vectors import first_elements
from polyir.sets.lists import maps_of
from polyir.sets.values import isl_value


def local_accesses(
    scop: Scop, marks: Sequence[LocalMark], build: isl.AstBuild
) -> tuple[LocalAccess, ...]:
    """The accesses to local arrays of the copy of a statement that `build` generates.

    Those of vectors are given by their first elements. `marks` are those of the schedule tree.
    Raises `PolyirError` if an access goes to a local array in only some of the instances that the
    copy executes.
    """
    if not marks:
        return ()
    (dates,) = maps_of(build.get_schedule())
    name = dates.get_tuple_name(isl.dim_type.in_)
    statement = next((each for each in scop.bodies if each.name == name), None)
    if statement is None:
        # A tile without instances.
        return ()
    # After the iterators of the source come the first points of symbolic tiles.
    own = statement.domain.dim(isl.dim_type.set)
    further = dates.dim(isl.dim_type.in_) - own
    instances = dates.domain().project_out(isl.dim_type.set, own, further).set_tuple_name(name)
    found: list[LocalAccess] = []
    for number, access in enumerate(statement.accesses):
        here = replace(access, relation=first_elements(access).intersect_domain(instances))
        parts = destinations(here, marks, scop.context)
        if len(parts) > 1:
            raise PolyirError(
                f"{name} accesses {access.array} in some instances and a local array in others, "
                "but one generated statement executes both",
                location_of(statement.op),
                name="local-array",
            )
        for part in parts:
            if part.mark is not None:
                of_data = _subscripts_of_data(here.relation, part.mark)
                cells = part.cells
                for place in of_data:
                    cells = cells.fix_val(isl.dim_type.out, place, isl_value(0))
                cells = cells.add_dims(isl.dim_type.in_, further)
                cells = cells.set_tuple_name(isl.dim_type.in_, name)
                subscripts = build.access_from_pw_multi_aff(_subscripts(dates, cells))
                values = map(expression_from_isl, arguments_of(subscripts)[1:])
                cell = tuple(of_data.get(place, value) for place, value in enumerate(values))
                found.append(LocalAccess(number, part.array, cell))
    return tuple(found)


def _subscripts_of_data(relation: isl.Map, mark: LocalMark) -> dict[int, int]:
    """The subscripts of the local array that are those of the access, which depend on data."""
    data = dimensions_of_data(relation)
    sent = mark.sent(relation) if data else None
    if sent is None:
        return {}
    # [i, a, l] for an instance i, an element a, and its cell l.
    points = sent.wrap().flatten()
    cell = points.dim(isl.dim_type.set) - sent.dim(isl.dim_type.out)
    element = cell - relation.dim(isl.dim_type.out)
    return {
        place: number
        for place in range(sent.dim(isl.dim_type.out))
        for number in data
        if points.is_subset(
            points.equate(isl.dim_type.set, cell + place, isl.dim_type.set, element + number)
        )
    }


def _subscripts(dates: isl.Map, cells: isl.Map) -> isl.PwMultiAff:
    """`{ [c] -> L[l] }`: the cell as a function of the loops.

    Inside loops over tiles of 8, `i mod 8` is better expressed as `c1 - c0`: an affine function of
    the loops with the same values is used, if there is one.
    """
    # isl nests the loops of inner bands in tuples of their own.
    flat = dates.range().flatten_map()
    loops = dates.apply_range(flat)
    cell = cells.reset_tuple_id(isl.dim_type.out)
    hull = isl.Set.from_basic_set(loops.flat_range_product(cell).range().affine_hull())
    functions = isl.Map.from_range(hull)
    functions = functions.move_dims(
        isl.dim_type.in_, 0, isl.dim_type.out, 0, loops.dim(isl.dim_type.out)
    )
    if not functions.is_single_valued():
        functions = loops.reverse().apply_range(cell)
    functions = flat.apply_range(functions)
    name = cells.get_tuple_name(isl.dim_type.out)
    return isl.PwMultiAff.from_map(functions.set_tuple_name(isl.dim_type.out, name))
