"""The dependences of what one rank runs in a step, from those of the whole program."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import islpy as isl

from polyir.dialects.dependence import Dependence, Dependences
from polyir.sets.hulls import coalesced
from polyir.sets.lists import maps_of, union_map


def dependences_within(
    known: Dependences,
    instances: isl.UnionSet,
    statements: Collection[str],
    names: Mapping[str, str],
) -> Dependences:
    """The dependences between `instances`, which are those of `statements`.

    They order as much as all together: what is between the two ends of a chain of dependences is
    in the same step and, as a divided loop carries nothing but reductions, of the same rank. Of
    reductions, each pair is there. `names` are the new names of arrays; there are no dependences
    through others.
    """
    items: list[Dependence] = []
    for each in known.items:
        if each.source in statements and each.target in statements:
            ends = isl.UnionMap.from_map(each.relation)
            ends = ends.intersect_domain(instances).intersect_range(instances)
            items += (
                Dependence(each.kind, names[each.array], coalesced(relation))
                for relation in maps_of(ends)
                if not relation.is_empty()
            )
    return Dependences(known.value_based, tuple(items), _order_of(known.order, statements))


def _order_of(order: isl.UnionMap | None, statements: Collection[str]) -> isl.UnionMap | None:
    """The order of some statements."""
    if order is None:
        return None
    own = (e for e in maps_of(order) if e.get_tuple_name(isl.dim_type.in_) in statements)
    return union_map(own, order.get_space())
