"""Strip-mining and unrolling."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce

import islpy as isl

from polyir.base.diagnostics import OptionError
from polyir.dialects.dependence import Dependences
from polyir.model.outcome import Outcome
from polyir.model.tree_loops import member_steps
from polyir.sets.boxes import most_values
from polyir.sets.lists import sets_of
from polyir.transform.bands import replace_band, require_free, single_out
from polyir.transform.loop_attributes import cut, settled
from polyir.transform.tile import tile_values
from polyir.tree import BandMember, Schedule, ScheduleNode
from polyir.tree.addresses import Directory, Loop, LoopAddress

UNROLL = isl.ast_loop_type.unroll


@dataclass(frozen=True)
class StripMineOptions:
    """Cut `loop` into strips of `size` values; raises `OptionError` for a size below 2."""

    loop: LoopAddress
    size: int

    def __post_init__(self) -> None:
        if self.size < 2:
            raise OptionError(f"size must be 2 or more: size={self.size}")


@dataclass(frozen=True)
class UnrollOptions:
    """Unroll `loop` by `factor`; 0 unrolls it completely.

    Raises `OptionError` for a factor that is 1 or negative.
    """

    loop: LoopAddress
    factor: int = 0

    def __post_init__(self) -> None:
        if self.factor < 0 or self.factor == 1:
            raise OptionError(
                f"factor must be 2 or more, or 0 to unroll completely: factor={self.factor}"
            )


@dataclass(frozen=True)
class UnrollJamOptions:
    """Unroll `loop` by `factor` inside its inner loops.

    Raises `OptionError` for a factor below 2.
    """

    loop: LoopAddress
    factor: int

    def __post_init__(self) -> None:
        if self.factor < 2:
            raise OptionError(f"factor must be 2 or more: factor={self.factor}")


def strip_mine(schedule: Schedule, dependences: Dependences, options: StripMineOptions) -> Outcome:
    """Cut a loop into a loop over strips and a loop within one strip.

        band [i]        =>        band [s floor(i / s), i]

    The order stays. Tiling is strip-mining and interchange. All flags of the result are exact.

    Raises `OptionError` for an address of no loop, `LegalityError` if the schedule violates a
    dependence as it is.
    """
    loop = Directory(schedule).loop(options.loop)
    require_free(loop.band, f"strip-mining {loop}")
    members = loop.band.members
    before, points, after = (
        members[: loop.member],
        members[loop.member],
        members[loop.member + 1 :],
    )
    outer, inner = cut(points.attributes)
    strips = BandMember(tile_values(points.function, options.size), attributes=outer)
    points = replace(points, attributes=inner)
    changed = replace_band(loop.band, (*before, strips, points, *after)).schedule
    done = f"cut {loop} into strips of {options.size}"
    return settled(schedule, changed, dependences, f"strip-mining {loop}", [done])


def unroll(schedule: Schedule, dependences: Dependences, options: UnrollOptions) -> Outcome:
    """Unroll a loop, completely or by a factor.

    By a factor f, the loop is cut into strips of f iterations, and the loop within a strip is
    generated as f copies of its body:

        band [i]        =>        band [f floor(i / f)]  options isolate (the full strips)
                                    band [i] loops [unroll]

    Full strips are isolated, so that they run without conditions; in what is left at the two
    ends each copy has its own. The order stays. All flags of the result are exact.

    Raises `OptionError` for an address of no loop, and for complete unrolling where the number
    of iterations is not a constant; `LegalityError` if the schedule violates a dependence as it
    is.
    """
    loop = Directory(schedule).loop(options.loop)
    require_free(loop.band, f"unrolling {loop}")
    if options.factor == 0:
        _require_constant_count(loop)
        changed = loop.band.with_member(loop.member, kind=UNROLL).schedule
        done = f"unrolled {loop} completely"
        return settled(schedule, changed, dependences, f"unrolling {loop}", [done])
    changed = _strips_over_unrolled(loop, options.factor).schedule
    done = f"unrolled {loop} by {options.factor}"
    return settled(schedule, changed, dependences, f"unrolling {loop}", [done])


def unroll_jam(schedule: Schedule, dependences: Dependences, options: UnrollJamOptions) -> Outcome:
    """Unroll a loop and jam the copies into its inner loops.

    The loop is cut into strips as by `unroll`, and the loop within a strip becomes the innermost
    one around each statement (Carr and Kennedy, "Improving the ratio of memory operations to
    floating-point operations in loops", 1994):

        band [i]                  band [f floor(i / f)]  options isolate (the full strips)
          band [j]        =>        band [j]
                                      band [i] loops [unroll]

    All flags of the result are exact.

    Raises `OptionError` for an address of no loop and for a loop without loops inside,
    `LegalityError` if a dependence is violated.
    """
    loop = Directory(schedule).loop(options.loop)
    require_free(loop.band, f"unrolling and jamming {loop}")
    if not _has_loop_inside(loop):
        raise OptionError(f"there is no loop inside {loop} to jam (see unroll)")
    points = _strips_over_unrolled(loop, options.factor).child(0)
    changed = points.sink().schedule
    what = f"unrolling {loop} by {options.factor} into its inner loops"
    done = f"unrolled {loop} by {options.factor} and jammed the copies"
    return settled(schedule, changed, dependences, what, [done])


def _has_loop_inside(loop: Loop) -> bool:
    directory = Directory(loop.band.schedule)
    return any(
        loop.place in part.loops and part.loops[-1] != loop.place
        for parts in directory.parts.values()
        for part in parts
    )


def _strips_over_unrolled(loop: Loop, factor: int) -> ScheduleNode:
    """The band of the strips of `factor` iterations of `loop`, above the unrolled points.

    Of the two, only the strips become a loop: they have all attributes.
    """
    size = factor * member_steps(loop.band)[loop.member]
    band = single_out(loop.band, loop.member)
    (points,) = band.members
    full = _full_strips(band, size)
    band = replace_band(band, [replace(points, kind=UNROLL, attributes=())])
    strips = BandMember(tile_values(points.function, size), attributes=points.attributes)
    return band.insert_band([strips]).changed(options=full)


def _full_strips(band: ScheduleNode, size: int) -> isl.UnionSet:
    """The AST option that isolates strips in which no statement runs some iterations only.

    `{ isolate[[outer loops] -> [strip]] }`, where `band` has the loop that is cut. A statement's
    iterations are taken from the smallest lattice around them: an iteration that the step of
    the loop leaves out is not missing.
    """
    strip_of = isl.Map(f"{{ [value] -> [{size} * floor(value / {size})] }}")
    full: isl.Map | None = None
    cut: isl.Map | None = None
    for run in _runs(band):
        missing = isl.Map.from_basic_map(run.affine_hull()).subtract(run)
        strips = run.apply_range(strip_of)
        cut_strips = strips.intersect(missing.apply_range(strip_of))
        full = strips if full is None else full.union(strips)
        cut = cut_strips if cut is None else cut.union(cut_strips)
    if full is None or cut is None:
        return isl.UnionSet("{ }")
    return isl.UnionSet.from_set(full.subtract(cut).coalesce().wrap().set_tuple_name("isolate"))


def _runs(band: ScheduleNode) -> tuple[isl.Map, ...]:
    """`{ [outer loops] -> [value] }` of the one loop of `band`, for each statement in it."""
    outer = band.prefix_schedule
    values = band.band.partial_schedule_map
    runs: list[isl.Map] = []
    for instances in sets_of(band.domain):
        if not instances.is_empty():
            own = isl.UnionSet.from_set(instances)
            run = outer.intersect_domain(own).reverse().apply_range(values.intersect_domain(own))
            runs.append(isl.Map.from_union_map(run))
    return tuple(runs)


def _require_constant_count(loop: Loop) -> None:
    """Raise `OptionError` unless a constant bounds the iterations of `loop` in each outer one."""
    runs = _runs(single_out(loop.band, loop.member))
    if not runs:
        return
    if most_values(reduce(isl.Map.union, runs)) is None:
        raise OptionError(
            f"the number of iterations of {loop} is not constant: give a factor, as in factor=4"
        )
