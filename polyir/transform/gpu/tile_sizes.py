"""The default tiles of GPU kernels, so small that what is copied to shared memory fits there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import reduce
from math import prod

import islpy as isl
from xdsl.dialects.builtin import MemRefType

from polyir.model.scop import Scop
from polyir.model.tree_loops import schedules_below
from polyir.model.vectors import element_bytes
from polyir.sets.boxes import box_of_images, sizes_of
from polyir.sets.maps import moved_along
from polyir.transform.gpu.device import Device
from polyir.transform.reference_groups import (
    LoopBody,
    NotPromotableError,
    PromotedReference,
    references_in,
)
from polyir.transform.tile import insert_tiles
from polyir.tree import ScheduleNode


def tile_sizes(given: Sequence[int], members: int) -> tuple[int, ...]:
    """The sizes for a band with so many members: the last one holds for all further loops."""
    return (*given[:members], *(given[-1],) * (members - len(given)))


def default_tile(
    scop: Scop, band: ScheduleNode, parallel: int, limit: int | None, device: Device
) -> tuple[int, ...]:
    """The sizes for a band whose first members are parallel.

    With a `limit`, the tiles of arrays in which neighbouring threads access elements that are not
    neighbours take at most so many bytes together, if sizes can be found for it: such arrays are
    copied to shared memory. Sequential loops become shorter first, and then a single parallel one.
    """
    sizes = tile_sizes(device.tiles[min(parallel, len(device.tiles)) - 1], len(band.members))
    if limit is None or parallel == len(sizes):
        return sizes
    jumping = _jumping_accesses(scop, band, parallel)
    if not jumping:
        return sizes
    for smaller in _smaller(sizes, parallel, device):
        if _bytes_of_tiles(scop, band, smaller, jumping) <= limit:
            return smaller
    return sizes


def _smaller(sizes: tuple[int, ...], parallel: int, device: Device) -> Iterator[tuple[int, ...]]:
    outer, inner = sizes[:parallel], sizes[parallel:]
    yield sizes
    rows = tuple(min(size, device.line) for size in inner)
    yield (*outer, *rows)
    if parallel == 1:
        size = outer[0] // 2
        while size >= device.warp:
            yield (size, *rows)
            size //= 2


def _jumping_accesses(scop: Scop, band: ScheduleNode, parallel: int) -> frozenset[tuple[str, int]]:
    """Accesses, by statement and number, that jump along each of the parallel members."""
    found: set[tuple[str, int]] = set()
    bodies = {body.name: body for body in scop.bodies}
    for dates in schedules_below(band):
        body = bodies[dates.get_tuple_name(isl.dim_type.in_)]
        for number, access in enumerate(body.accesses):
            scores = (
                access_score(access.relation, following_instances(dates, band, member))
                for member in range(parallel)
            )
            if all(score < 0 for score in scores):
                found.add((body.name, number))
    return frozenset(found)


def _bytes_of_tiles(
    scop: Scop,
    band: ScheduleNode,
    sizes: tuple[int, ...],
    chosen: frozenset[tuple[str, int]],
) -> int:
    """What the parts of arrays take that chosen accesses touch in a tile.

    Those that fit in no box of constant size are not counted: they are not copied.
    """
    blocks = [replace(member, attributes=()) for member in band.members]
    points = insert_tiles(band, blocks, sizes, band.permutable).child(0)
    around = points.prefix_schedule.intersect_domain(points.domain)
    place = LoopBody(points.schedule, points.path, around, "a tile")
    total = 0
    for array, value in scop.arrays.items():
        try:
            references = references_in(scop, array, place)
        except NotPromotableError:
            continue
        own = [each for each in references if (each.statement, each.access) in chosen]
        assert isinstance(value.type, MemRefType)
        total += _cells(own) * element_bytes(value.type)
    return total


def _cells(references: Sequence[PromotedReference]) -> int:
    """The cells of a box around references, with one column for padding."""
    if not references:
        return 0
    box = box_of_images(reduce(isl.Map.union, (each.footprint for each in references)))
    if not box:
        return 0
    *rows, last = sizes_of(box)
    return prod(rows) * (last + 1)


# ------------------------------------------------------------------------- neighbouring threads


def following_instances(dates: isl.Map, band: ScheduleNode, position: int) -> isl.Map:
    """`{ S[i] -> S[i'] }`: what the next iteration of a member of a band runs."""
    depth = band.schedule_depth + position
    return dates.apply_range(moved_along(dates.range().get_space(), depth, 1)).apply_range(
        dates.reverse()
    )


def access_score(relation: isl.Map, following: isl.Map) -> int:
    """How well neighbouring threads share what they access, if they run following instances.

    2 for the next element, 0 for the same one, -1 for another.
    """
    moves = relation.reverse().apply_range(following).apply_range(relation).deltas()
    if moves.is_empty():
        return 0
    hull = isl.Set.from_basic_set(moves.affine_hull())
    values = [
        hull.plain_get_val_if_fixed(isl.dim_type.set, dimension)
        for dimension in range(moves.dim(isl.dim_type.set))
    ]
    if all(value.is_zero() for value in values):
        return 0
    is_next = values[-1].is_one() or values[-1].is_negone()
    return 2 if is_next and all(value.is_zero() for value in values[:-1]) else -1
