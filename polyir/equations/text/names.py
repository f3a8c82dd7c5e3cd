"""Names of dimensions: which ones are in force where, for the reader and the printer alike.

In array notation an expression says `A[i, j - 1]`, and names stand for the dimensions of the point
at hand. They come from the equation, from sets and functions around the expression, or else are
`i0`, `i1`, and so on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import islpy as isl

from polyir.sets.lists import parameters_of

Names = tuple[str, ...]


def position_names(count: int, taken: Iterable[str] = ()) -> Names:
    """`i0`, `i1`, ..., none of them among those that are taken."""
    return completed([None] * count, taken)


def completed(known: Sequence[str | None], taken: Iterable[str] = ()) -> Names:
    """Names for all dimensions: those that are known, and by position where there is none."""
    used = {*taken, *(name for name in known if name)}
    found: list[str] = []
    for position, name in enumerate(known):
        chosen = name or f"i{position}"
        while name is None and chosen in used:
            chosen += "_"
        used.add(chosen)
        found.append(chosen)
    return tuple(found)


def names_of(domain: isl.Set | isl.MultiAff, fallback: Names | None = None) -> Names:
    """The names of the dimensions of a set, or of the arguments of a function.

    If they are not distinct from each other and the parameters, `fallback` if that fits, or else
    names by position.
    """
    kind = isl.dim_type.in_ if isinstance(domain, isl.MultiAff) else isl.dim_type.set
    count = domain.dim(kind)
    space = domain.get_space()
    found = [space.get_dim_name(kind, position) for position in range(count)]
    parameters = parameters_of(space)
    named = [name for name in found if name is not None and name not in parameters]
    if len(set(named)) == count:
        return tuple(named)
    if fallback is not None and len(fallback) == count:
        return fallback
    return position_names(count, parameters)


def names_behind(function: isl.MultiAff, names: Names, parameters: Names) -> Names:
    """The names for the point to which a function maps the one with `names`.

    A name stays with its value: `(i, j -> j, i + 1)` leads to `j, i1`.
    """
    if len(names) != function.dim(isl.dim_type.in_):
        return position_names(function.dim(isl.dim_type.out), parameters)
    space = function.get_space().domain()
    arguments = isl.MultiAff.identity(space.map_from_set())
    known: list[str | None] = []
    for position in range(function.dim(isl.dim_type.out)):
        value = function.get_at(position)
        same = [
            name
            for argument, name in enumerate(names)
            if value.plain_is_equal(arguments.get_at(argument)) and name not in known
        ]
        known.append(same[0] if same else None)
    return completed(known, parameters)
