"""Tiles, blocks and threads of GPU kernels.

Verdoolaege, Juega, Cohen, Gómez, Tenllado, Catthoor: Polyhedral Parallel Code Generation for CUDA
(TACO 2013), section 4.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import prod

import islpy as isl

from polyir.base.diagnostics import OptionError
from polyir.dialects.dependence import Dependences
from polyir.dialects.loop_attributes import GpuDimension, LoopAttributes, MapAttr
from polyir.dialects.mark_attributes import KernelAttr, KernelSizes
from polyir.model.gpu import AXES, is_kernel_mark, is_one_block, sizes_of_kernel
from polyir.model.outcome import Outcome
from polyir.model.scop import Scop
from polyir.model.tree_loops import member_steps, schedules_below
from polyir.proofs.bands import facts_of_band
from polyir.sets.boxes import most_values
from polyir.transform.gpu.device import Device
from polyir.transform.gpu.kernels import gpu_kernels
from polyir.transform.gpu.one_block import has_one_block
from polyir.transform.gpu.tile_sizes import (
    access_score,
    default_tile,
    following_instances,
    tile_sizes,
)
from polyir.transform.loop_attributes import cut, settled
from polyir.transform.parallel import runs_once
from polyir.transform.tile import by_sizes, insert_tiles, runs_over_tiles
from polyir.transform.walk import BAND
from polyir.tree import BandMember, Schedule, ScheduleNode, mapped_children
from polyir.tree.names import name_list, statements_of


@dataclass(frozen=True)
class GpuTileOptions:
    """The tiles of kernels: one size for each loop of the outermost band of a kernel.

    The last size holds for all further loops. Without sizes, they depend on the number of parallel
    loops: 256; 32 x 32; 4 x 4 x 32. With a `limit`, these are made smaller where what is to be
    copied to shared memory would take more bytes. With `parallel`, only kernels with so many
    parallel loops are tiled; 3 stands for more, too.
    """

    tile: tuple[int, ...] = ()
    limit: int | None = None
    parallel: int = 0

    def __post_init__(self) -> None:
        if any(size < 1 for size in self.tile):
            raise OptionError(f"tile sizes must be 1 or more: tile={_listed(self.tile)}")
        if not 0 <= self.parallel <= len(AXES):
            raise OptionError(f"parallel must be 1, 2 or 3: parallel={self.parallel}")


@dataclass(frozen=True)
class GpuMapOptions:
    """The blocks of kernels.

    `block` are the threads of a block along x, y and z, `grid` the largest numbers of blocks.
    Without sizes, a block has as many threads as a tile has points, but at most 256: one thread
    along x for each point of a tile, the rest along y and z.
    """

    block: tuple[int, ...] = ()
    grid: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        for name, sizes in (("block", self.block), ("grid", self.grid)):
            if len(sizes) > 3 or any(size < 1 for size in sizes):
                given = _listed(sizes)
                raise OptionError(f"{name} takes up to three sizes of 1 or more: {name}={given}")

    def require_on(self, device: Device) -> None:
        """Raise `OptionError` if a device has no such blocks."""
        extents, given = device.block_extents, _listed(self.block)
        if any(size > most for size, most in zip(self.block, extents, strict=False)):
            raise OptionError(f"a block has at most {by_sizes(extents)} threads: block={given}")
        threads, most = prod(self.block), device.most_threads
        if threads > most:
            raise OptionError(f"a block has at most {most} threads: block={given} has {threads}")


def _listed(sizes: Sequence[int]) -> str:
    return ",".join(map(str, sizes))


def _with_kernels(schedule: Schedule, dependences: Dependences) -> ScheduleNode:
    """The root of the tree with its kernels marked."""
    return gpu_kernels(schedule, dependences).schedule.root


def gpu_tile(
    scop: Scop, dependences: Dependences, options: GpuTileOptions, device: Device
) -> Outcome:
    """Tile the outermost band of each kernel, unless its loops run over tiles already.

        mark #poly.kernel              mark #poly.kernel
          band [i, j, k]       =>        band [32 floor(i/32), 32 floor(j/32), 32 floor(k/32)]
                                           band [i, j, k]

    Of a band that is not permutable, only the loops outside are tiled that are coincident.
    """
    done: list[str] = []
    left: list[str] = []
    schedule = scop.schedule

    def tiled(node: ScheduleNode) -> ScheduleNode:
        if node.kind is not BAND or runs_over_tiles(node) or is_one_block(node.child(0)):
            return node
        if node.is_subtree_anchored:
            # isl inserts no band there.
            names = name_list(statements_of(node))
            left.append(f"{names}: not tiled: AST options below name loops by their depth")
            return node
        flags = node.coincident
        parallel = len(_leading(flags))
        if not parallel or options.parallel not in (0, min(parallel, len(device.tiles))):
            return node
        if not node.permutable and parallel < len(flags):
            node = node.split(parallel)
        members = node.members
        sizes = (
            tile_sizes(options.tile, len(members))
            if options.tile
            else default_tile(scop, node, parallel, options.limit, device)
        )
        parts = [cut(member.attributes) for member in members]
        names = name_list(statements_of(node))
        loops = f"{len(members)} loop{'s' * (len(members) != 1)}"
        done.append(f"tiled {loops} around {names} by {by_sizes(sizes)}")
        blocks = [
            replace(member, attributes=outer)
            for member, (outer, _) in zip(members, parts, strict=True)
        ]
        permutable = node.permutable
        return insert_tiles(
            node.with_loop_attributes([inner for _, inner in parts]), blocks, sizes, permutable
        )

    root = _at_kernels(
        _with_kernels(schedule, dependences), lambda mark: tiled(mark.child(0)).parent()
    )
    result = root.schedule
    return settled(schedule, result, dependences, "tiling", done, left, exact_flags=False)


def gpu_map(
    scop: Scop, dependences: Dependences, options: GpuMapOptions, device: Device
) -> Outcome:
    """Map the loops over tiles of each kernel to blocks, and the parallel ones inside to threads.

        mark #poly.kernel                       mark #poly.kernel<block [32, 8]>
          band [32 floor(i/32), ...]      =>      band [...] loop_attributes [[#poly.map<block y>],
            band [i, j]                                                       [#poly.map<block x>]]
                                                    band [i, j] ... #poly.map<thread y>, ...

    The loop along which most accesses are to neighbouring elements is mapped to x, unless one has
    the attribute already; so neighbouring threads access neighbouring elements.
    """
    mapper = _Mapper(scop, options, dependences, device)
    root = _at_kernels(_with_kernels(scop.schedule, dependences), mapper.map_kernel)
    result = root.schedule
    return settled(scop.schedule, result, dependences, "mapping", mapper.done, exact_flags=False)


class _Mapper:
    """Maps the kernels of a tree, and notes what it did."""

    def __init__(
        self, scop: Scop, options: GpuMapOptions, dependences: Dependences, device: Device
    ) -> None:
        self.done: list[str] = []
        self._scop = scop
        self._options = options
        self._dependences = dependences
        self._device = device

    def map_kernel(self, mark: ScheduleNode) -> ScheduleNode:
        """The kernel below `mark` with its mapping; a part of the host stays as it is."""
        if sizes_of_kernel(mark).on_host:
            return mark
        extents: list[int] = []
        node = mark.child(0)
        if node.kind is BAND and any(node.coincident):
            node = self._map_blocks(node)
            node = mapped_children(node, lambda inner: self._map_threads(inner, extents))
        elif has_one_block(node):
            node = _in_block(self._map_threads(node, extents))
        mark = node.parent()
        block = self._block(extents)
        names = name_list(statements_of(mark))
        threads = f"{by_sizes(block)} threads" if block else "one thread"
        self.done.append(f"{names}: blocks of {threads}")
        attribute = KernelAttr(KernelSizes(block, self._options.grid))
        return mark.delete().insert_mark(attribute)

    def _map_blocks(self, band: ScheduleNode) -> ScheduleNode:
        chosen = _leading(band.coincident)
        points = band.child(0)
        is_tiled = points.kind is BAND and len(points.members) == len(band.members)
        by_axis = self._by_axis(points if is_tiled else band, chosen)
        return _mapped(band, by_axis, "block")

    def _by_axis(self, band: ScheduleNode, chosen: Sequence[int]) -> list[int]:
        """The chosen members in the order of the axes that they are mapped to, x first."""
        given = [
            position
            for position in chosen
            if MapAttr(GpuDimension("thread", "x")) in band.loop_attributes[position]
        ]
        first = given[0] if given else max(chosen, key=lambda each: (self._score(band, each), each))
        return [first, *(each for each in reversed(chosen) if each != first)][:3]

    def _score(self, band: ScheduleNode, position: int) -> int:
        """How many accesses move to the next element with the member, less those that jump."""
        score = 0
        for dates in schedules_below(band):
            (statement,) = (
                each
                for each in self._scop.bodies
                if each.name == dates.get_tuple_name(isl.dim_type.in_)
            )
            following = following_instances(dates, band, position)
            for access in statement.accesses:
                score += access_score(access.relation, following)
        return score

    def _map_threads(self, node: ScheduleNode, extents: list[int]) -> ScheduleNode:
        """Map the outermost parallel loops from `node` down, up to three."""
        if node.kind is not BAND:
            return mapped_children(node, lambda inner: self._map_threads(inner, extents))
        flags = node.coincident
        several = [not runs_once(node, position) for position in range(len(flags))]
        chosen = [position for position in _leading(flags) if several[position]]
        if not chosen:
            facts = facts_of_band(node, self._dependences)
            parallel = (
                position
                for position, flag in enumerate(facts.parallel)
                if flag and several[position]
            )
            first = next(parallel, None)
            chosen = [] if first is None else [first]
        if not chosen:
            return mapped_children(node, lambda inner: self._map_threads(inner, extents))
        by_axis = self._by_axis(node, chosen)
        for axis, size in enumerate(_extents(node, by_axis, self._device.threads)):
            extents[axis : axis + 1] = [max([size, *extents[axis : axis + 1]])]
        return _mapped(node, by_axis, "thread")

    def _block(self, extents: Sequence[int]) -> tuple[int, ...]:
        """The threads of a block for loops of so many iterations in a tile, x first."""
        if self._options.block:
            return self._options.block[: len(extents)]
        block: list[int] = []
        left = self._device.threads
        for extent, most in zip(extents, self._device.block_extents, strict=False):
            block.append(max(1, min(extent, left, most)))
            left //= block[-1]
        return tuple(block)


def _leading(flags: Sequence[bool]) -> list[int]:
    """The positions of the first members that are coincident."""
    count = next((position for position, flag in enumerate(flags) if not flag), len(flags))
    return list(range(count))


def _in_block(node: ScheduleNode) -> ScheduleNode:
    """A loop with one iteration above `node`, which is returned: the only block runs it."""
    only = isl.UnionPwAff.val_on_domain(node.universe_domain, isl.Val(0))
    block = MapAttr(GpuDimension("block", "x"))
    return node.insert_band([BandMember(only, is_coincident=True, attributes=(block,))])


def _mapped(band: ScheduleNode, by_axis: Sequence[int], level: str) -> ScheduleNode:
    """The band with members mapped to x, y and z, in this order."""
    loops = list(band.loop_attributes)
    for axis, position in zip(AXES, by_axis, strict=False):
        others: LoopAttributes = tuple(
            each for each in loops[position] if not isinstance(each, MapAttr)
        )
        loops[position] = (*others, MapAttr(GpuDimension(level, axis)))
    return band.with_loop_attributes(loops)


def _extents(band: ScheduleNode, chosen: Sequence[int], unknown: int) -> list[int]:
    """How many iterations the chosen members have in one iteration of the loops around, at most.

    `unknown` for a loop whose iterations have no constant bound.
    """
    around = band.prefix_schedule.intersect_domain(band.domain)
    steps = member_steps(band)
    found: list[int] = []
    for position in chosen:
        values = isl.UnionMap.from_union_pw_aff(band.members[position].function).intersect_domain(
            band.domain
        )
        here = isl.Map.from_union_map(around.reverse().apply_range(values))
        most = most_values(here)
        found.append(unknown if most is None else (most - 1) // steps[position] + 1)
    return found


def _at_kernels(node: ScheduleNode, change: Callable[[ScheduleNode], ScheduleNode]) -> ScheduleNode:
    """The tree from `node` down with each mark of a kernel, and what is below it, changed."""
    if is_kernel_mark(node):
        return change(node)
    return mapped_children(node, lambda inner: _at_kernels(inner, change))
