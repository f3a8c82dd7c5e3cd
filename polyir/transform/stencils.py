"""Stencils: the time steps of a nest, and how far dependences go in each of them.

The input of hexagonal tiles: Grosser, Cohen, Holewinski, Sadayappan, Verdoolaege: Hybrid
hexagonal/classical tiling for GPUs (CGO 2014).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from typing import NamedTuple

import islpy as isl

from polyir.model.distance import distances_along
from polyir.proofs.bands import Obstacle
from polyir.sets.values import isl_value
from polyir.tree.order import Active, Member, backward, forward


class NoStencilError(Exception):
    """Why the dependences of a nest are not those of a stencil, in words."""


class TimeSteps(NamedTuple):
    """Statement S runs in the time step `multiple` t + `constants[S]` in iteration t of a loop."""

    multiple: int
    constants: Mapping[str, int]

    def of(self, time: Member) -> Member:
        """The time steps of the instances, where `time` is the loop."""
        scale = isl_value(self.multiple)
        return {
            name: function.scale_val(scale).add_constant_val(isl_value(self.constants[name]))
            for name, function in time.items()
        }


class Slopes(NamedTuple):
    """The least and the greatest distance along a loop for each time step that it takes."""

    low: Fraction
    high: Fraction

    @property
    def middle(self) -> Fraction:
        """How fast the middle of what an instance depends on moves along the loop."""
        return (self.low + self.high) / 2


def time_steps(actives: Sequence[Active], members: Sequence[Member], name: str) -> TimeSteps:
    """The coarsest time steps along the first member with which each dependence takes one or more.

    Dependences between instances that all members place at the same time need not take any. The
    constants are longest paths: a dependence from S to T with the least distance d along the
    first member asks for c_T >= c_S + 1 - multiple d.

    Raises `NoStencilError` for the nest `name` if the first member carries no dependence or goes
    back along one, and if dependences within one of its iterations are cyclic.
    """
    first = members[0]
    for active in actives:
        back = backward(active, first)
        if not back.is_empty():
            obstacle = Obstacle(active.dependence, back, members)
            raise NoStencilError(f"loop 1 of {name} goes back along a dependence: {obstacle}")
    if all(forward(active, first).is_empty() for active in actives):
        raise NoStencilError(f"loop 1 of {name} carries no dependence, so it is not a time loop")
    edges = [edge for active in actives for edge in _edges(active, members)]
    for multiple in range(1, len(first) + 1):
        constants = _longest_paths(first, edges, multiple)
        if constants is not None:
            return TimeSteps(multiple, constants)
    obstacle = _cyclic(edges, members)
    raise NoStencilError(
        f"{name} cannot run in time steps of independent instances: within an iteration of loop 1, "
        f"{obstacle}"
    )


class _Edge(NamedTuple):
    """Pairs of a dependence that take `steps` time steps or more; `distance` is their least one."""

    active: Active
    distance: int
    steps: int

    @property
    def source(self) -> str:
        return self.active.dependence.source

    @property
    def target(self) -> str:
        return self.active.dependence.target


def _edges(active: Active, members: Sequence[Member]) -> list[_Edge]:
    source, target = active.dependence.source, active.dependence.target
    equal = (member[source].eq_map(member[target]) for member in members)
    same = reduce(isl.Map.intersect, equal, active.relation)
    apart = active.relation.subtract(same)
    edges: list[_Edge] = []
    if not same.is_empty():
        edges.append(_Edge(replace(active, relation=same), 0, 0))
    if not apart.is_empty():
        moved = replace(active, relation=apart)
        least = distances_along(moved.relation, members[:1]).min_val(isl.Aff("{ [d] -> [d] }"))
        edges.append(_Edge(moved, int(least.to_python()), 1))
    return edges


def _longest_paths(
    names: Iterable[str], edges: Sequence[_Edge], multiple: int
) -> dict[str, int] | None:
    """The least constants, none negative, that do what `edges` ask for; `None` if nothing does."""
    constants = dict.fromkeys(names, 0)
    for _ in range(len(constants) + 1):
        before = dict(constants)
        for edge in edges:
            wanted = constants[edge.source] + edge.steps - multiple * edge.distance
            constants[edge.target] = max(constants[edge.target], wanted)
        if constants == before:
            return constants
    return None


def _cyclic(edges: Sequence[_Edge], members: Sequence[Member]) -> Obstacle:
    """A dependence within an iteration of the first member that is part of a cycle of these."""
    within = [edge for edge in edges if edge.distance == 0]
    for edge in within:
        reached = {edge.target}
        for _ in within:
            reached |= {other.target for other in within if other.source in reached}
        if edge.steps and edge.source in reached:
            same = members[0][edge.source].eq_map(members[0][edge.target])
            relation = edge.active.relation.intersect(same)
            return Obstacle(edge.active.dependence, relation, members)
    raise AssertionError("there are time steps unless dependences in an iteration are cyclic")


def slopes_along(
    actives: Sequence[Active], time: Member, members: Sequence[Member], position: int, name: str
) -> Slopes:
    """The exact slopes along one of the members, where `time` has the time steps.

    Raises `NoStencilError` for the nest `name` if there are none.
    """
    lows: list[Fraction] = []
    highs: list[Fraction] = []
    for active in actives:
        moves = distances_along(active.relation, (time, members[position]))
        moves = moves.subtract(isl.Set("{ [0, 0] }"))
        if moves.is_empty():
            continue
        low, high = _least_multiple(moves, 1), _least_multiple(moves, -1)
        if low is None or high is None:
            obstacle = Obstacle(active.dependence, active.relation, members)
            raise NoStencilError(
                f"{name} is not a stencil: no multiple of the distance in time bounds the "
                f"distance along loop {position + 1}: {obstacle}"
            )
        lows.append(-low)
        highs.append(high)
    return Slopes(min(lows), max(highs))


def _least_multiple(moves: isl.Set, sign: int) -> Fraction | None:
    """The least c such that c dt + `sign` dx >= 0 for all (dt, dx) of `moves`; all dt are positive.

    `None` if there is none. It is a bound of a slice of the cone of coefficients of all constraints
    that `moves` satisfy.
    """
    cone = moves.remove_divs().coefficients().flatten()
    slice_ = cone.fix_val(isl.dim_type.set, 0, isl.Val(0)).fix_val(
        isl.dim_type.set, 2, isl_value(sign)
    )
    if slice_.is_empty():
        return None
    multiples = slice_.project_out(isl.dim_type.set, 2, 1).project_out(isl.dim_type.set, 0, 1)
    found: list[Fraction] = []
    for constraint in multiples.get_constraints():
        factor = int(constraint.get_coefficient_val(isl.dim_type.set, 0).to_python())
        if factor:
            found.append(Fraction(-int(constraint.get_constant_val().to_python()), factor))
    return max(found)
