"""Dependences enumerated, as plain Python values."""

from __future__ import annotations

from collections.abc import Iterable

import islpy as isl
from loop_programs import SIZE

from polyir.dialects.dependence import Dependence, DependenceKind

Instance = tuple[str, tuple[int, ...]]
Pair = tuple[DependenceKind, str, Instance, Instance]


def pairs_of(dependences: Iterable[Dependence]) -> set[Pair]:
    """All pairs of instances for the size that programs are executed with."""
    pairs: set[Pair] = set()
    for item in dependences:
        sources = item.relation.dim(isl.dim_type.in_)
        position = item.relation.find_dim_by_name(isl.dim_type.param, "n")
        relation = item.relation
        if position >= 0:
            relation = relation.fix_val(isl.dim_type.param, position, isl.Val(SIZE))
            relation = relation.project_out(isl.dim_type.param, position, 1)
        points: list[isl.Point] = []
        relation.wrap().flatten().foreach_point(points.append)
        for point in points:
            space = point.get_space()
            values = tuple(
                int(point.get_coordinate_val(isl.dim_type.set, i).to_python())
                for i in range(space.dim(isl.dim_type.set))
            )
            source, target = values[:sources], values[sources:]
            pairs.add((item.kind, item.array, (item.source, source), (item.target, target)))
    return pairs
