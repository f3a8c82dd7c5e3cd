"""The parts of a schedule tree that become GPU kernels.

Verdoolaege, Juega, Cohen, Gómez, Tenllado, Catthoor: Polyhedral Parallel Code Generation for CUDA
(TACO 2013), section 4.
"""

from __future__ import annotations

from dataclasses import replace

from polyir.dialects.dependence import Dependences
from polyir.dialects.mark_attributes import KernelAttr, KernelSizes
from polyir.model.gpu import axis_of, is_kernel_mark, is_one_block
from polyir.model.outcome import Outcome
from polyir.proofs.bands import band_facts
from polyir.transform.bands import replace_band
from polyir.transform.gpu.one_block import join_blocks
from polyir.transform.gpu.placement import Placer
from polyir.transform.loop_attributes import settled
from polyir.transform.parallel import runs_once
from polyir.transform.walk import BAND
from polyir.transform.wavefront import wavefront_band
from polyir.tree import Schedule, ScheduleNode
from polyir.tree.names import name_list, statements_of
from polyir.tree.order import Active, all_active, below, still_active

KERNEL = KernelAttr(KernelSizes())
ON_HOST = KernelAttr(KernelSizes(on_host=True))


def gpu_kernels(
    schedule: Schedule, dependences: Dependences, placer: Placer | None = None
) -> Outcome:
    """Put a mark `#poly.kernel` above each part of the tree that is to be a kernel.

    A kernel begins at the outermost band with a member that is coincident, or parallel inside the
    members before it. The loops around it stay on the host, and launch the kernel once an
    iteration. Of a permutable band, the coincident members become the outermost ones:

        band [t, i, j] coincident [0, 1, 1]      mark #poly.kernel
                                            =>     band [i, j, t] coincident [1, 1, 0]

    A permutable band without a parallel member gets wavefronts, which the host runs one after the
    other. What is below a mark `#poly.one_block` without a parallel loop around is a kernel, too,
    together with its neighbours (`join_blocks`).

    A part without parallel loops is a kernel of a single thread, unless `placer` decides
    that the host runs it.
    """
    marker = _Marker(placer)
    root = join_blocks(schedule).root
    actives = all_active(dependences.ordering)
    node, is_parallel = marker.visit(root.child(0), actives)
    if not is_parallel:
        node = marker.mark_sequential(node, is_everything=True)
    done = tuple(marker.done)
    outcome = settled(schedule, node.schedule, dependences, "mapping to kernels", done)
    return replace(outcome, missed=(*outcome.missed, *marker.missed))


class _Marker:
    """Marks the kernels of one tree, and notes them in the order of the tree."""

    def __init__(self, placer: Placer | None) -> None:
        self.done: list[str] = []
        self.missed: list[str] = []
        self._placer = placer

    def mark_sequential(self, node: ScheduleNode, is_everything: bool = False) -> ScheduleNode:
        """A mark above a part without parallel loops; `is_everything`: there is no other part."""
        what = "without a parallel loop" if is_everything else "of a single thread"
        if self._placer is None:
            return self.mark(node, what)
        placement = self._placer.place(node, is_everything)
        if not placement.on_host:
            return self.mark(node, what, f" ({placement.reason})")
        depth = node.schedule_depth
        loops = f"inside {depth} loop{'s' * (depth != 1)}" if depth else "once"
        names = name_list(statements_of(node))
        if is_everything and placement.is_estimated:
            self.missed.append(
                f"nothing runs on the device: no loop around {names} is parallel "
                f"({placement.reason})"
            )
        else:
            self.done.append(f"{names}: runs on the host, {loops} ({placement.reason})")
        return node.insert_mark(ON_HOST)

    def mark(self, node: ScheduleNode, what: str, reason: str = "") -> ScheduleNode:
        """A mark above `node`, which is returned."""
        depth = node.schedule_depth
        loops = f"inside {depth} loop{'s' * (depth != 1)} of the host" if depth else "launched once"
        self.done.append(f"{name_list(statements_of(node))}: a kernel {what}, {loops}{reason}")
        return node.insert_mark(KERNEL)

    def visit(self, node: ScheduleNode, actives: tuple[Active, ...]) -> tuple[ScheduleNode, bool]:
        """The tree from `node` down with its kernels; whether there is a parallel one.

        If there is not, there is no mark either.
        """
        if is_kernel_mark(node):
            return node, True
        if is_one_block(node):
            return self.mark(node, "of one block"), True
        if node.kind is BAND:
            return self._visit_band(node, actives)
        return self._visit_children(node, actives)

    def _visit_children(
        self, node: ScheduleNode, actives: tuple[Active, ...]
    ) -> tuple[ScheduleNode, bool]:
        """As `visit`; beside a parallel part, all others become kernels, too."""
        sequential: list[int] = []
        count = node.n_children
        for position, inner in enumerate(below(node, actives)):
            child, is_parallel = self.visit(node.child(position), inner)
            node = child.parent()
            if not is_parallel:
                sequential.append(position)
        if len(sequential) == count:
            return node, False
        for position in sequential:
            # Of a filter, what is below it.
            child = node.child(position).child(0)
            node = self.mark_sequential(child).parent().parent()
        return node, True

    def _visit_band(
        self, band: ScheduleNode, actives: tuple[Active, ...]
    ) -> tuple[ScheduleNode, bool]:
        members = band.band.functions_by_statement
        facts = band_facts(actives, members)
        several = [not runs_once(band, position) for position in range(len(members))]
        coincident = [
            position for position, flag in enumerate(facts.coincident) if flag and several[position]
        ]
        if coincident and (facts.permutable or coincident == list(range(len(coincident)))):
            band = _with_first(band, coincident, facts.permutable)
            return self.mark(band, _loops(len(coincident))), True
        # Wavefronts need one loop of the host.
        has_waves = facts.permutable and sum(several) > 1 and not band.is_subtree_anchored
        for position in range(1, 2 if has_waves else len(members)):
            if facts.parallel[position] and several[position]:
                inner = actives
                for member in members[:position]:
                    inner = still_active(inner, member)
                outer = band.split(position)
                node, _ = self._visit_band(outer.child(0), inner)
                return node.parent(), True
        if has_waves:
            # No member is parallel, but all but one are inside a wavefront.
            waves = wavefront_band(band, len(members) - 1)
            inner = still_active(actives, waves.band.functions_by_statement[0])
            node, is_parallel = self._visit_band(waves.child(0), inner)
            return node.parent(), is_parallel
        return self._visit_children(band, actives)


def _loops(count: int) -> str:
    return f"with {count} parallel loop{'s' * (count != 1)}"


def _with_first(band: ScheduleNode, chosen: list[int], permutable: bool) -> ScheduleNode:
    """The band with the chosen members first, of these the one for neighbouring threads last."""
    members = band.members
    others = [position for position in range(len(members)) if position not in chosen]
    chosen = sorted(chosen, key=lambda each: axis_of(members[each].attributes, "thread") == "x")
    order = [*chosen, *others]
    flagged = [replace(members[p], is_coincident=p in chosen) for p in order]
    if order == list(range(len(members))) or band.is_subtree_anchored:
        return band
    return replace_band(band, flagged, permutable)
