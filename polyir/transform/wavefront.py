"""Pipelined-parallel schedules: wavefronts over the loops of a permutable band."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce
from typing import Literal

import islpy as isl

from polyir.base.diagnostics import OptionError
from polyir.dialects.dependence import Dependences
from polyir.dialects.mark_attributes import SymbolicTiles
from polyir.model.outcome import Outcome
from polyir.model.tree_loops import member_steps
from polyir.proofs.bands import active_at, annotate_bands, band_facts
from polyir.sets.values import isl_value
from polyir.transform.bands import (
    Degrees,
    anchored,
    degrees_of_band,
    replace_band,
    split_at,
    start_at,
    too_few_degrees,
)
from polyir.transform.loop_attributes import settled
from polyir.transform.tile import is_within_tiles, runs_over_tiles
from polyir.transform.walk import BAND, because, below_marks, no_permutable_band, summary
from polyir.tree import BandMember, Schedule, ScheduleNode, mapped_children
from polyir.tree.addresses import LoopAddress
from polyir.tree.names import describe_band
from polyir.tree.symbolic_tiles import replace_tiles, tiled_loops, tiles_at

Which = Literal["outermost", "inner"]
"""The bands that get wavefronts: the outermost ones, or the innermost two loops of each nest."""


@dataclass(frozen=True)
class WavefrontOptions:
    """How many loops are to run in parallel inside each wavefront: `degrees`, or as many as can.

    With `loop`, only bands from that loop on get wavefronts.

    Raises `OptionError` where `degrees` is less than 1, or given for the inner loops, of which
    one becomes parallel.
    """

    degrees: Degrees = 1
    which: Which = "outermost"
    loop: LoopAddress | None = None

    def __post_init__(self) -> None:
        if self.which == "inner" and self.degrees != 1:
            raise OptionError(
                f"with which=inner, one loop becomes parallel: degrees={self.degrees}"
            )
        if self.degrees != "all" and self.degrees < 1:
            raise OptionError(f"degrees must be 1 or more, or all: degrees={self.degrees}")


def wavefront(
    schedule: Schedule, dependences: Dependences, options: WavefrontOptions | None = None
) -> Outcome:
    """Make the outermost permutable band of each nest parallel by wavefronts.

    With m degrees, the loops (t_1, ..., t_k) of a band without a parallel loop become

        band [t_1 + ... + t_(m+1)]                 the wavefronts, one after the other
          band [t_2, ..., t_k]                     the first m coincident

    (Bondhugula et al., section 3.9, where m is k - 1). No member of a permutable band decreases
    along a dependence; so two instances that depend on each other and are in one wavefront
    agree in t_1, ..., t_(m+1), and what is left of the band is parallel in its first m loops.
    The two bands stay permutable. What is below, the point loops of a tiled band, stays.

    Tiles of symbolic sizes have no band for their loops: their mark says that they run in
    wavefronts, and the points stay.

    The members are summed in their own steps: tiles of different sizes count as one each. If
    the steps agree, loops keep them; if not, the loops count tiles.

    With `which=inner`, each innermost permutable band gets a parallel innermost loop, where its
    iterations wait for each other: another of its loops, if one is parallel inside all others, or
    one of wavefronts over the last two:

        band [i, j]    =>    band [i + j]
                               band [j]              parallel

    Right inside tiles, a parallel loop around several nests moves inside them, if the iterations
    of one of them wait:

        band [i]               sequence
          sequence               S0: band [j]
            S0: band [j]   =>      band [i]              parallel
            S1: band [k]         S1: band [k]
                                   band [i]              parallel

    A processor then works on several iterations of the innermost loop at once, which hides the
    latency of operations and loads. Loops over tiles stay as they are.

    Bands with a coincident member are already parallel and are not changed. In a tree that
    nobody has scheduled yet, bands are merged first (`start_at`).

    Raises `LegalityError` if the result violates a dependence, which tells of a band that was
    wrongly called permutable; `OptionError` for
    an address of no loop.
    """
    if dependences.reductions:
        # Updates that go back may be in one wavefront.
        dependences = dependences.in_order()
        schedule = annotate_bands(schedule, dependences)
    options = options or WavefrontOptions()
    builder = _Wavefronts(options.degrees, dependences)
    start = start_at(schedule, dependences, options.loop, "the wavefront")
    visit = builder.visit_inner if options.which == "inner" else builder.visit
    result = visit(start).schedule
    if not builder.done:
        return Outcome(schedule, (), (builder.explain(start.schedule),), name="not-tiled")
    done = (*builder.done, *builder.parallel)
    missed = (*builder.short, *builder.refused)
    return settled(schedule, result, dependences, "the wavefront", done, missed, exact_flags=False)


class _Wavefronts:
    """Makes the wavefronts of one tree and notes what it did."""

    def __init__(self, degrees: Degrees, dependences: Dependences) -> None:
        self.done: list[str] = []
        self.short: list[str] = []
        self.parallel: list[str] = []
        self.refused: list[str] = []
        self._degrees = degrees
        self._dependences = dependences

    def visit(self, node: ScheduleNode) -> ScheduleNode:
        """The tree from `node` down with its outermost permutable bands made parallel."""
        tiles = tiles_at(node)
        if tiles is not None:
            return self._visit_tiles(node, tiles)
        if node.kind is not BAND:
            return mapped_children(node, self.visit)
        flags, name = node.coincident, describe_band(node)
        if any(flags):
            loop = flags.index(True) + 1
            self.parallel.append(f"loop {loop} of {name} is already parallel")
            return node
        if len(flags) > 1 and node.permutable:
            if not node.is_subtree_anchored:
                return self._skew(node)
            self.refused.append(anchored(node))
            return node
        if len(flags) > 1:
            self.refused.append(f"{name} is not permutable{because(node, self._dependences)}")
        return mapped_children(node, self.visit)

    def visit_inner(self, node: ScheduleNode) -> ScheduleNode:
        """The tree from `node` down with the last loop of its innermost bands made parallel."""
        if node.kind is not BAND:
            return mapped_children(node, self.visit_inner)
        if node.child(0).has(BAND):
            sunk = self._sunk(node)
            return mapped_children(node, self.visit_inner) if sunk is None else sunk
        count, name = len(node.members), describe_band(node)
        if count < 2 or not node.permutable or runs_over_tiles(node):
            return node
        if node.is_subtree_anchored:
            self.refused.append(anchored(node))
            return node
        free = self._parallel_innermost(node)
        if count - 1 in free:
            self.parallel.append(f"loop {count} of {name} is already parallel")
            return node
        if free:
            self.done.append(f"moved loop {free[-1] + 1} of {name} innermost: it is parallel")
            members = list(node.members)
            members.append(members.pop(free[-1]))
            return replace_band(node, members, True)
        self.done.append(
            f"skewed loops {count - 1} and {count} of {name} into wavefronts: the last one is "
            "parallel"
        )
        skewed = wavefront_band(split_at(node, count - 2), 1)
        return skewed.parent() if count > 2 else skewed

    def _sunk(self, band: ScheduleNode) -> ScheduleNode | None:
        """`band` with its last loop moved inside all others, if that is parallel and they wait.

        Only within tiles: there are few iterations then, whose data fit into the cache.
        """
        if band.is_subtree_anchored:
            # Reported for the innermost bands.
            return None
        last, name = len(band.members) - 1, describe_band(band)
        inner = split_at(band, last)
        if not is_within_tiles(band) and not is_within_tiles(inner):
            return None
        facts = band_facts(active_at(band, self._dependences), band.band.functions_by_statement)
        if not facts.coincident[last] or not self._waits(band.child(0)):
            return None
        self.done.append(f"moved loop {last + 1} of {name} inside all others: it is parallel")
        sunk = inner.sink()
        return sunk.parent() if last else sunk

    def _waits(self, node: ScheduleNode) -> bool:
        """Whether the last loop of an innermost band from `node` down is not parallel."""
        if node.kind is BAND and not node.child(0).has(BAND):
            actives = active_at(node, self._dependences)
            return not band_facts(actives, node.band.functions_by_statement).parallel[-1]
        return any(self._waits(node.child(position)) for position in range(node.n_children))

    def _parallel_innermost(self, band: ScheduleNode) -> tuple[int, ...]:
        """The members of a permutable band that would be parallel as its innermost loop."""
        members, actives = band.band.functions_by_statement, active_at(band, self._dependences)
        orders = (
            (*members[:each], *members[each + 1 :], members[each]) for each in range(len(members))
        )
        return tuple(
            place for place, order in enumerate(orders) if band_facts(actives, order).parallel[-1]
        )

    def _visit_tiles(self, mark: ScheduleNode, tiles: SymbolicTiles) -> ScheduleNode:
        """Tiles of symbolic sizes with their loops made parallel."""
        flags = [loop.is_coincident for loop in tiled_loops(mark)]
        if tiles.wavefront or any(flags):
            self.parallel.append("a loop over the tiles is already parallel")
            return mark
        if len(flags) < 2:
            self.refused.append("there is only one loop over the tiles")
            return mark
        name = f"the tiles of {describe_band(below_marks(mark))}"
        degrees = self._degrees_of(len(flags), name)
        return replace_tiles(mark, replace(tiles, wavefront=degrees))

    def _skew(self, band: ScheduleNode) -> ScheduleNode:
        degrees = self._degrees_of(len(band.members), describe_band(band))
        return wavefront_band(band, degrees)

    def _degrees_of(self, members: int, name: str) -> int:
        """How many of so many loops become parallel; it is noted."""
        degrees = degrees_of_band(members, self._degrees)
        self.done.append(
            f"skewed loops 1 to {degrees + 1} of {name} into wavefronts: "
            f"{degrees} loop{'s' * (degrees != 1)} inside can run in parallel"
        )
        if self._degrees != "all" and degrees < self._degrees:
            self.short.append(too_few_degrees(name, degrees, self._degrees))
        return degrees

    def explain(self, schedule: Schedule) -> str:
        """Why there is no wavefront in `schedule`."""
        nothing = self.parallel or self.refused
        reasons = nothing or [no_permutable_band(schedule, self._dependences)]
        return f"no wavefronts were created: {summary(reasons)}"


def wavefront_band(band: ScheduleNode, degrees: int) -> ScheduleNode:
    """The band of the wavefronts in the place of the permutable `band` (see `wavefront`).

    `degrees` must be less than the members of the band.
    """
    members = _counted(band, degrees + 1)
    rest = [
        replace(member, is_coincident=position < degrees)
        for position, member in enumerate(members[1:])
    ]
    sums = reduce(isl.UnionPwAff.add, (member.function for member in members[: degrees + 1]))
    return replace_band(band, rest, True).insert_band([BandMember(sums)], True)


def _counted(band: ScheduleNode, summed: int) -> tuple[BandMember, ...]:
    """The members of a band, the first `summed` of them in one common step.

    A member with the step s has the values o + s z with one o, and floor(o / s) + z counts.
    """
    members = band.members
    steps = member_steps(band)[:summed]
    if len(set(steps)) == 1:
        return members
    return (*map(_quotient, members, steps), *members[summed:])


def _quotient(member: BandMember, step: int) -> BandMember:
    return member.with_function(member.function.scale_down_val(isl_value(step)).floor())
