"""Which instances touch the same element, or the same cache line.

A cache line is what `C` neighbours along the last subscript make up, wherever the array starts.
Zinenko et al., "Unified Polyhedral Modeling of Temporal and Spatial Locality", 2017, sections 4.1
to 4.3.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce

import islpy as isl

from polyir.model.analysis import flow_in_tree
from polyir.model.scop import Scop
from polyir.schedule.linear import Row, completing_rows, rank
from polyir.schedule.spatial.references import (
    ArrayReference,
    by_linear_part,
    by_pattern,
    references_of,
)
from polyir.schedule.tree import AffineRow, affine_function
from polyir.sets.lists import basic_maps_of, maps_of, parameters_of
from polyir.sets.values import isl_value
from polyir.tree.order import MOST_REMEMBERED


@dataclass(frozen=True)
class ReuseGroup:
    """References to one array with equal linear parts, and what they reuse.

    `temporal` relates instances that touch the same element, the earlier one first; `spatial`
    relates those that touch the same line at different places.
    """

    references: tuple[ArrayReference, ...]
    temporal: isl.UnionMap
    spatial: isl.UnionMap


def reuse_groups(scop: Scop, line_size: int) -> tuple[ReuseGroup, ...]:
    """The reuse of all affine references of `scop`, for lines of `line_size` elements.

    Each instance is related to the last one before it that touches the element or line, be it by
    a read or a write, and to the last one of its own statement, which is what counts where that
    statement is scheduled alone.
    """
    references = references_of(scop)
    return tuple(
        ReuseGroup(
            group,
            _temporal(group, [each for each in references if each.array == group[0].array], scop),
            _united([_spatial(each, scop, line_size) for each in by_pattern(group)], scop),
        )
        for group in by_linear_part(references)
    )


def _temporal(
    sinks: Sequence[ArrayReference], references: Sequence[ArrayReference], scop: Scop
) -> isl.UnionMap:
    """`{ source[i] -> sink[j] }`: the same element, without non-uniform reuse in a statement.

    No affine schedule makes use of the latter (section 4.3).
    """

    def elements(of: Sequence[ArrayReference]) -> isl.UnionMap:
        return _united([isl.UnionMap.from_map(each.relation) for each in of], scop)

    last = _last(references, sinks, elements, scop, _have_no_reuse)
    return _united([_without_non_uniform_parts(piece) for piece in maps_of(last)], scop)


def _spatial(references: Sequence[ArrayReference], scop: Scop, line_size: int) -> isl.UnionMap:
    """`{ source[i] -> sink[j] }`: the same line, at different points of the pattern.

    The subscripts are completed, so that iterations of loops that do not occur in them touch
    different lines.
    """
    if not references[0].subscripts:
        # It is not known where a scalar is in memory, or whether it is in memory at all.
        return _united([], scop)
    dimensions = max(len(_completion(each)) for each in references)

    def lines(of: Sequence[ArrayReference]) -> isl.UnionMap:
        return _united([_completed(each, dimensions, line_size) for each in of], scop)

    def points(of: Sequence[ArrayReference]) -> isl.UnionMap:
        return _united([_completed(each, dimensions, None) for each in of], scop)

    last = _last(references, references, lines, scop)
    point = points(references)
    return last.subtract(point.apply_range(point.reverse()))


Touched = Callable[[Sequence[ArrayReference]], isl.UnionMap]
"""What references touch, `{ S[i] -> line[...] }`."""


def _have_no_reuse(references: Sequence[ArrayReference]) -> bool:
    """Whether references of one statement touch an element in one instance only.

    They have the same subscripts, which are different for all iterations.
    """
    if len({each.subscripts for each in references}) > 1:
        return False
    first = references[0]
    return rank([row.coefficients for row in first.subscripts], first.depth) == first.depth


def _last(
    sources: Sequence[ArrayReference],
    sinks: Sequence[ArrayReference],
    touched: Touched,
    scop: Scop,
    have_no_reuse: Callable[[Sequence[ArrayReference]], bool] = lambda references: False,
) -> isl.UnionMap:
    """`{ source[i] -> sink[j] }`: the last instances before the sink that touch what it touches.

    They are the last one of all, and the last one of the sink's own statement. It is not looked
    for among references of a statement that `have_no_reuse`.
    """
    found = _last_before(touched(sources), touched(sinks), scop)
    if len({each.statement for each in (*sources, *sinks)}) == 1:
        return found.coalesce()
    for statement in dict.fromkeys(each.statement for each in sinks):
        own_sources, own_sinks = (
            [each for each in references if each.statement == statement]
            for references in (sources, sinks)
        )
        if not have_no_reuse([*own_sources, *own_sinks]):
            found = found.union(_last_before(touched(own_sources), touched(own_sinks), scop))
    return found.coalesce()


def _last_before(sources: isl.UnionMap, sinks: isl.UnionMap, scop: Scop) -> isl.UnionMap:
    info = isl.UnionAccessInfo.from_sink(sinks).set_must_source(sources)
    order = scop.schedule.within(sources.union(sinks).domain())
    return flow_in_tree(info, order).get_full_may_dependence().range_factor_domain()


def _without_non_uniform_parts(relation: isl.Map) -> isl.UnionMap:
    """`relation` without those parts inside one statement whose distance varies."""
    kinds = isl.dim_type
    if relation.get_tuple_name(kinds.in_) != relation.get_tuple_name(kinds.out):
        return isl.UnionMap.from_map(relation)
    kept = isl.Map.empty(relation.get_space())
    for piece in basic_maps_of(relation):
        part = isl.Map.from_basic_map(piece)
        distances = part.deltas()
        distances = distances.project_out(kinds.param, 0, distances.dim(kinds.param))
        if distances.is_singleton():
            kept = kept.union(part)
    return isl.UnionMap.from_map(kept.coalesce())


# It is asked of the references to an array, and then of those of each statement.
@lru_cache(MOST_REMEMBERED)
def _completion(reference: ArrayReference) -> tuple[Row, ...]:
    rows = [row.coefficients for row in reference.subscripts]
    return completing_rows(rows, reference.depth)


def _completed(reference: ArrayReference, dimensions: int, line_size: int | None) -> isl.UnionMap:
    """`{ S[i] -> line[...] }`: the completed subscripts, with the line instead of the last one.

    The first `dimensions` rows are those of the completion, zero where the statement has fewer.
    Without a `line_size`, the last subscript is its linear part: a point of the pattern.
    """
    parameters = tuple(parameters_of(reference.relation.get_space()))
    return _completed_with(reference, parameters, dimensions, line_size)


# Relations can be equal with other parameters, which the result has as well.
@lru_cache(MOST_REMEMBERED)
def _completed_with(
    reference: ArrayReference,
    parameters: tuple[str, ...],
    dimensions: int,
    line_size: int | None,
) -> isl.UnionMap:
    instances = reference.relation.domain()
    completion = _completion(reference)
    padding = [(0,) * reference.depth] * (dimensions - len(completion))
    rows = [*(AffineRow(row, 0) for row in (*padding, *completion)), *reference.subscripts]
    functions = [affine_function(row, instances.get_space()) for row in rows]
    if line_size is None:
        functions[-1] = functions[-1].set_constant_val(0)
    else:
        functions[-1] = functions[-1].scale_down_val(isl_value(line_size)).floor()
    result = isl.Map.from_domain(instances)
    for function in functions:
        result = result.flat_range_product(isl.Map.from_aff(function))
    return isl.UnionMap.from_map(result.set_tuple_name(isl.dim_type.out, reference.array))


def _united(parts: Sequence[isl.UnionMap], scop: Scop) -> isl.UnionMap:
    """The union of `parts`, restricted to the context of `scop`."""
    union = reduce(isl.UnionMap.union, parts, isl.UnionMap.empty(scop.context.get_space()))
    return union.intersect_params(scop.context).coalesce()
