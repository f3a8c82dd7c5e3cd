"""Loops over convex sets around the instances of statements, with a test for each instance.

isl generates loops from the exact sets. For statements on several lattices under a schedule with
large coefficients, its projections take minutes, or it fails ("input involves unknown divs"). Loops
over a convex set without divisions are easy, and so are the tests inside, where all is fixed.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import islpy as isl

from polyir.isl_trees import build_tree, describe_tree
from polyir.sets.lists import sets_of

_SUFFIX: Final = "~"
"""Ends the name of the tuple of a point in the set around a statement; no statement has it."""


def is_wider(name: str) -> bool:
    """Whether a tuple of this name stands for a point around the instances of a statement."""
    return name.endswith(_SUFFIX)


def with_wider_domains(schedule: isl.Schedule, context: isl.Set) -> isl.Schedule | None:
    """`schedule` over convex sets around the instances, for parameters in `context`.

        domain S[i] : i mod 2 = 0 or i mod 3 = 0, 0 <= i < n       domain S~[i] : 0 <= i < n
          band [i]                                             =>    band [i]
                                                                       expansion S~[i] -> S[i]

    The tree must not add or remove instances itself. `None` if no set is wider than the instances.
    """
    domain = schedule.get_domain()
    wider = isl.UnionSet.empty(domain.get_space())
    back = isl.UnionMap.empty(domain.get_space())
    is_new = False
    for instances in sets_of(domain.intersect_params(context)):
        around = _around(instances).intersect_params(context)
        is_new = is_new or not around.is_subset(instances)
        name = instances.get_tuple_name() + _SUFFIX
        renamed = isl.Map.identity(instances.get_space().map_from_set())
        renamed = renamed.set_tuple_name(isl.dim_type.in_, name)
        back = back.union(isl.UnionMap.from_map(renamed))
        wider = wider.union(isl.UnionSet.from_set(around.set_tuple_name(name)))
    if not is_new:
        return None
    pulled = schedule.pullback_union_pw_multi_aff(isl.UnionPwMultiAff.from_union_map(back))
    loops = build_tree(replace(describe_tree(pulled), content=wider))
    contraction = back.reverse().intersect_domain(domain)
    instances_alone = isl.Schedule.from_domain(domain)
    return loops.expand(isl.UnionPwMultiAff.from_union_map(contraction), instances_alone)


def _around(instances: isl.Set) -> isl.Set:
    """A convex set without divisions around `instances`; these if it has no bounds."""
    hull = isl.Set.from_basic_set(instances.compute_divs().simple_hull().remove_divs())
    return hull if hull.is_bounded() else instances
