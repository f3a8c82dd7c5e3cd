"""Tile sizes and a grid of ranks for the outermost band of a program, by the model of tiles.

The band is that of a schedule before tiling. Its first loop is that along which a column of tiles
runs, and the next ones are divided among ranks; loops further inside are whole in each tile.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import islpy as isl

from polyir.base.diagnostics import PolyirError, location_of
from polyir.choose.network import Network
from polyir.distributed.counting import fixed, number_of_points
from polyir.distributed.time_model import Choice, best_grid
from polyir.model.scop import Scop
from polyir.sets.boxes import Ends, constant_box
from polyir.sets.lists import sets_of
from polyir.sets.values import isl_value
from polyir.tree import Band, Node


def best_tiles(
    scop: Scop, sizes: Mapping[str, int], ranks: int, network: Network, dimensions: int = 1
) -> Choice | None:
    """The sides of the grid of ranks and the tile sizes with the least time by the model.

    `dimensions` loops are divided, or fewer if there are no more. A loop whose first iterations
    come later for later columns has the slope of a line from the first to the last column. `None`
    if there are more ranks than columns. Raises `PolyirError` if the outermost band is not
    permutable, or has one loop only.
    """
    band = _band(scop.schedule.tree)
    if band is None or not band.permutable or len(band.members) < 2:
        message = "no tiles are chosen: the outermost band has no two permutable loops"
        raise PolyirError(message, location_of(scop.op), name="sizes")
    values = band.partial_schedule_map.intersect_domain(scop.domain)
    (points,) = sets_of(values.range())
    points = fixed(points.intersect_params(scop.context), sizes)
    if points.is_empty():
        return None
    ends = constant_box(points)
    extents = [last - first + 1 for first, last in ends]
    lines = range(1, min(1 + dimensions, len(extents)))
    inner, box = 1, 1
    for place, extent in enumerate(extents):
        if place > lines[-1]:
            inner *= extent
        else:
            box *= extent
    instances = sum(number_of_points(fixed(each, sizes)) for each in sets_of(scop.domain))
    # A point of the box has these instances on average, also where the box has none.
    each = replace(network, iteration=network.iteration * instances / box)
    slopes = [_slope(points, place, ends[place]) for place in lines]
    columns = [extents[place] for place in lines]
    return best_grid(columns, extents[0], ranks, each, slopes, 8 * inner)


def _band(node: Node) -> Band | None:
    """The outermost band of a tree, if it is one for all statements."""
    while not isinstance(node, Band):
        if len(node.children) != 1:
            return None
        (node,) = node.children
    return node


def _slope(points: isl.Set, place: int, ends: Ends) -> float:
    """How many iterations later the last column starts than the first one, for each column."""
    first, last = ends
    columns = (points.fix_val(isl.dim_type.set, place, isl_value(end)) for end in ends)
    begin, end = (constant_box(column)[0][0] for column in columns)
    return max(0.0, (end - begin) / max(1, last - first))
