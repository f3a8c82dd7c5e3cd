"""isl's collections from and as Python tuples, in isl's own (deterministic) order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce

import islpy as isl


def sets_of(union: isl.UnionSet) -> tuple[isl.Set, ...]:
    """The sets of a union set, one a space."""
    items = union.get_set_list()
    return tuple(items.get_at(position) for position in range(items.n_set()))


def maps_of(union: isl.UnionMap) -> tuple[isl.Map, ...]:
    """The maps of a union map, one a space."""
    items = union.get_map_list()
    return tuple(items.get_at(position) for position in range(items.n_map()))


def maps_by_statement(union: isl.UnionMap) -> dict[str, isl.Map]:
    """The maps of `{ S[i] -> [t] }` by the names of their statements, each of which has one."""
    return {each.get_tuple_name(isl.dim_type.in_): each for each in maps_of(union)}


def functions_of(union: isl.UnionPwAff) -> tuple[isl.PwAff, ...]:
    """The functions of a union, one a space."""
    items = union.get_pw_aff_list()
    return tuple(items.get_at(position) for position in range(items.n_pw_aff()))


def union_set(parts: Iterable[isl.Set], space: isl.Space) -> isl.UnionSet:
    """The points of all `parts`, with the parameters of `space`."""
    return reduce(isl.UnionSet.union, map(isl.UnionSet.from_set, parts), isl.UnionSet.empty(space))


def union_map(parts: Iterable[isl.Map], space: isl.Space) -> isl.UnionMap:
    """The pairs of all `parts`, with the parameters of `space`."""
    return reduce(isl.UnionMap.union, map(isl.UnionMap.from_map, parts), isl.UnionMap.empty(space))


def basic_sets_of(union: isl.Set) -> tuple[isl.BasicSet, ...]:
    """The basic sets of a set; they may overlap (`make_disjoint` first if that matters)."""
    return tuple(union.get_basic_sets())


def basic_maps_of(union: isl.Map) -> tuple[isl.BasicMap, ...]:
    """The basic maps of a map; they may overlap (`make_disjoint` first if that matters)."""
    return tuple(union.get_basic_maps())


def pieces_of(function: isl.PwMultiAff) -> list[tuple[isl.Set, isl.MultiAff]]:
    """The expressions of a function, each with the points for which it is."""
    pieces: list[tuple[isl.Set, isl.MultiAff]] = []
    function.foreach_piece(lambda domain, piece: pieces.append((domain, piece)))
    return pieces


def parameters_of(space: isl.Space) -> tuple[str, ...]:
    """The names of the parameters of a space, in order."""
    count = space.dim(isl.dim_type.param)
    names = (space.get_dim_name(isl.dim_type.param, position) for position in range(count))
    return tuple(name for name in names if name is not None)


Printable = (
    isl.Set
    | isl.UnionSet
    | isl.UnionMap
    | isl.UnionPwAff
    | isl.MultiUnionPwAff
    | isl.UnionPwMultiAff
    | isl.Aff
    | isl.MultiAff
    | isl.PwQPolynomial
)


def text_of(item: Printable) -> str:
    """isl's notation of an object, the parts of a union sorted by their tuples, S9 before S10.

    isl prints them in the order of a hash table, which depends on how the object was made.
    """
    match item:
        case isl.UnionSet():
            return _union_text(item, sets_of(item))
        case isl.UnionMap():
            return _union_text(item, maps_of(item))
        case isl.UnionPwMultiAff():
            functions = item.get_pw_multi_aff_list()
            count = functions.n_pw_multi_aff()
            return _union_text(item, [functions.get_at(position) for position in range(count)])
        case isl.UnionPwAff():
            return _prefix(item) + _member_text(item)
        case isl.MultiUnionPwAff() if item.dim(isl.dim_type.set):
            members = [_member_text(item.get_at(n)) for n in range(item.dim(isl.dim_type.set))]
            return _prefix(item) + f"[{', '.join(members)}]"
        case _:
            return str(item)


def _member_text(member: isl.UnionPwAff) -> str:
    return _braced(functions_of(member))


def _union_text(union: Printable, parts: Sequence[object]) -> str:
    return _prefix(union) + _braced(parts) if len(parts) > 1 else str(union)


def _prefix(item: Printable) -> str:
    names = parameters_of(item.get_space())
    return f"[{', '.join(names)}] -> " if names else ""


def _braced(parts: Sequence[object]) -> str:
    texts = [str(part) for part in parts]
    bodies = [text[text.index("{") + 1 : text.rindex("}")].strip() for text in texts]
    return f"{{ {'; '.join(sorted(bodies, key=_by_tuple))} }}" if bodies else "{  }"


def _by_tuple(body: str) -> tuple[int, str]:
    name = body.partition("[")[0]
    return len(name), body
