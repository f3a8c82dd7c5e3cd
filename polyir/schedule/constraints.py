"""The input of schedulers in isl's manner: separate relations for separate purposes.

Paper 001 (Zinenko et al., Unified Polyhedral Modeling of Temporal and Spatial Locality),
section 3.1.
"""

from __future__ import annotations

from dataclasses import dataclass

import islpy as isl

from polyir.isl_lists import maps_of
from polyir.schedule.problem import SchedulingProblem


@dataclass(frozen=True)
class ConditionalOrder:
    """Relations of live-range reordering (Verdoolaege and Cohen, 2016), for one array.

    `live_ranges` relates each write of the array to the reads of its value; `order` relates
    instances of which the first must run before the second, unless every live range that
    touches one of the two is kept inside one iteration of the loops that change the order.
    """

    array: str
    live_ranges: isl.UnionMap
    order: isl.UnionMap


@dataclass(frozen=True)
class ScheduleConstraints(SchedulingProblem):
    """A scheduling problem that says apart what must be ordered, near and simultaneous.

    `coincidence` maps instances that must run in one iteration of a loop if the loop is to be
    parallel. `conditional` is what live-range reordering leaves to choose; empty where all
    false dependences are in `validity`.
    """

    coincidence: isl.UnionMap
    conditional: tuple[ConditionalOrder, ...] = ()

    def live_ranges(self) -> isl.UnionMap:
        """The live ranges of all arrays, each end tagged: `{ [S[i] -> A[]] -> [T[j] -> A[]] }`."""
        return self._tagged([(each.array, each.live_ranges) for each in self.conditional])

    def conditional_order(self) -> isl.UnionMap:
        """The conditional order of all arrays, tagged in the same way."""
        return self._tagged([(each.array, each.order) for each in self.conditional])

    def _tagged(self, relations: list[tuple[str, isl.UnionMap]]) -> isl.UnionMap:
        space = self.validity.get_space()
        tagged = isl.UnionMap.empty(space)
        for array, relation in relations:
            tag = isl.Set.universe(space.params().add_named_tuple_id_ui(isl.Id(array), 0))
            loop = isl.Map.identity(tag.get_space().map_from_set())
            for piece in maps_of(relation):
                tagged = tagged.union(isl.UnionMap.from_map(piece.product(loop)))
        return tagged
