"""Simpler forms of sets and relations, and convex sets around sets."""

from __future__ import annotations

from typing import TypeVar

import islpy as isl

Relation = TypeVar("Relation", isl.Set, isl.Map, isl.UnionMap)
Pieces = TypeVar("Pieces", isl.Set, isl.Map, isl.UnionSet, isl.UnionMap, isl.PwAff)


def simplified(relation: Relation) -> Relation:
    """The same set or relation in fewer parts, if isl can: its coalescing fails for some hexagons.

    Divisions that constraints determine are replaced: in a tile of number t, floor(i/32) is t.
    Without them, isl sees which parts have a common form.
    """
    relation = relation.detect_equalities()
    try:
        return relation.compute_divs().coalesce()
    except isl.Error:
        return relation


def coalesced(item: Pieces) -> Pieces:
    """A relation or a function in fewer parts, unless isl fails: it does for some divisions."""
    try:
        return item.coalesce()
    except isl.Error:
        return item


def convex_if_possible(values: isl.Set) -> isl.Set:
    """The set as one basic set if it is one: isl's coalescing does not see that of all unions."""
    values = coalesced(values)
    if values.n_basic_set() > 1:
        hull = isl.Set.from_basic_set(values.simple_hull())
        if hull.is_subset(values):
            return hull
    return values


def convex_with_strides(values: isl.Set) -> isl.Set:
    """A convex set around `values`, but for their strides; the values if it has no bounds."""
    hull = isl.Set.from_basic_set(_tightened(values.simple_hull().remove_divs(), values))
    if not hull.is_bounded():
        return values.coalesce()
    for position in range(values.dim(isl.dim_type.set)):
        info = values.get_stride_info(position)
        stride, offset = info.get_stride(), info.get_offset()
        if stride.gt(isl.Val(1)):
            space = offset.get_domain_space()
            value = isl.Aff.var_on_domain(space, isl.dim_type.set, position)
            distance = isl.PwAff.from_aff(value.sub(offset).mod_val(stride))
            hull = hull.intersect(distance.zero_set())
    return hull


def _tightened(hull: isl.BasicSet, values: isl.Set) -> isl.BasicSet:
    """The part of the hull of `values` in which its constraints hold with no room to spare.

    Without divisions, n - 4 <= x stands for n <= 4 floor(x/4) + 3, where the values may begin at n.
    """
    for constraint in hull.get_constraints():
        least = values.min_val(constraint.get_aff())
        if not constraint.is_equality() and least.is_int() and least.is_pos():
            function = constraint.get_aff().add_constant_val(least.neg())
            hull = hull.add_constraint(isl.Constraint.inequality_from_aff(function))
    return hull
