"""Loops over convex sets around the instances of statements, with a test for each instance.

isl generates loops from the exact sets. For statements on several lattices under a schedule with
large coefficients, its projections take minutes, or it fails ("input involves unknown divs"). Loops
over a convex set without divisions are easy, and so are the tests inside, where all is fixed.
"""

from __future__ import annotations

from typing import Final

import islpy as isl

from polyir.sets.lists import sets_of
from polyir.tree import LEAF, Domain, Expansion, Node, Schedule

_SUFFIX: Final = "~"
"""Ends the name of the tuple of a point in the set around a statement; no statement has it."""


def is_wider(name: str) -> bool:
    """Whether a tuple of this name stands for a point around the instances of a statement."""
    return name.endswith(_SUFFIX)


def with_wider_domains(schedule: Schedule, context: isl.Set) -> Schedule | None:
    """`schedule` over convex sets around the instances, for parameters in `context`.

        domain S[i] : i mod 2 = 0 or i mod 3 = 0, 0 <= i < n       domain S~[i] : 0 <= i < n
          band [i]                                             =>    band [i]
                                                                       expansion S~[i] -> S[i]

    The tree must not add or remove instances itself. `None` if no set is wider than the instances.
    """
    domain = schedule.domain
    wider = isl.UnionSet.empty(domain.get_space())
    back = isl.UnionMap.empty(domain.get_space())
    is_new = False
    for instances in sets_of(domain.intersect_params(context)):
        around = _convex_superset(instances).intersect_params(context)
        is_new = is_new or not around.is_subset(instances)
        name = instances.get_tuple_name() + _SUFFIX
        renamed = isl.Map.identity(instances.get_space().map_from_set())
        renamed = renamed.set_tuple_name(isl.dim_type.in_, name)
        back = back.union(isl.UnionMap.from_map(renamed))
        wider = wider.union(isl.UnionSet.from_set(around.set_tuple_name(name)))
    if not is_new:
        return None
    pulled = schedule.pulled_back(isl.UnionPwMultiAff.from_union_map(back)).tree
    contraction = back.reverse().intersect_domain(domain)
    points = Expansion((LEAF,), isl.UnionPwMultiAff.from_union_map(contraction), back)

    def expanded(node: Node) -> Node:
        return node.with_children(map(expanded, node.children)) if node.children else points

    return Schedule(Domain((expanded(pulled.children[0]),), wider))


def _convex_superset(instances: isl.Set) -> isl.Set:
    """A convex set without divisions around `instances`; these if it has no bounds."""
    hull = isl.Set.from_basic_set(instances.compute_divs().simple_hull().remove_divs())
    return hull if hull.is_bounded() else instances
