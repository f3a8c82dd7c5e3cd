"""Arrays of GPU kernels in shared memory and in registers.

S. Verdoolaege, J. C. Juega, A. Cohen, J. I. Gómez, C. Tenllado, F. Catthoor, "Polyhedral parallel
code generation for CUDA" (TACO 2013), section 5.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from math import prod
from typing import Literal

from xdsl.dialects.builtin import MemRefType

from polyir.base.diagnostics import OptionError
from polyir.dialects.loop_attributes import GpuDimension, LoopAttributes, MapAttr
from polyir.model.analysis import DataflowError
from polyir.model.dataflow import ArrayFlow, array_flow
from polyir.model.gpu import kernel_marks
from polyir.model.scop import Scop
from polyir.model.statements import AccessKind
from polyir.model.tree_loops import member_steps
from polyir.model.vectors import element_bytes
from polyir.transform.copied_elements import NOT_THERE, surely_there
from polyir.transform.copy_statements import CopyLoop, element_functions
from polyir.transform.gpu.barriers import has_blocks, is_block
from polyir.transform.gpu.copy_loops import (
    iterations_and_elements,
    shared_copy_loops,
    shared_copy_vectors,
)
from polyir.transform.gpu.device import Device
from polyir.transform.gpu.double_buffers import (
    BUFFERS,
    BufferedCopies,
    FirstAndLater,
    iterations_ahead,
)
from polyir.transform.gpu.register_tiles import SplitBands, with_register_tiles
from polyir.transform.gpu.thread_use import ElementUse, ThreadedKernel, accesses_at_most
from polyir.transform.promote import (
    LocalCopies,
    LocalForm,
    PromoteOptions,
    Promotion,
    local_copies_in,
    names_in_scop,
)
from polyir.transform.reference_groups import (
    LoopBody,
    NotPromotableError,
    PromotedReference,
    ReferenceGroup,
    body_of_loop,
    boxed_groups,
    references_in,
)
from polyir.transform.tile import by_sizes
from polyir.transform.walk import BAND
from polyir.tree import ScheduleNode
from polyir.tree.addresses import LoopPosition, TreePath, node_at
from polyir.tree.names import name_list, statements_of

SharedArrays = Literal["auto", "all", "none"]
Registers = Literal["auto", "none"]
Vectors = Literal["auto", "none"]


@dataclass(frozen=True)
class GpuPromoteOptions:
    """What GPU kernels keep in shared memory and in registers.

    `shared=auto` is what several threads of a block access, and what neighbouring threads access
    in places that are not neighbours; `all` is all that fits. `registers=auto` is what a single
    thread accesses several times. Only `arrays` are promoted if any are named. All shared arrays of
    a kernel together take at most `limit` bytes. `padding` elements are added to the last dimension
    of shared arrays: by default, one where threads access columns, which would all be in the same
    bank otherwise. With `vectors=auto`, a thread copies 16 bytes of a row at once from or to shared
    memory, where all of them are to be copied and are aligned. With `buffers=2`, an iteration of a
    sequential loop over tiles copies what the next one reads, to the other half of an array of
    twice the size. With `kernels`, only these have arrays in shared memory; the first one is 0.
    """

    shared: SharedArrays = "auto"
    registers: Registers = "auto"
    arrays: tuple[str, ...] = ()
    limit: int = 0
    padding: int | None = None
    vectors: Vectors = "auto"
    buffers: int = 1
    kernels: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if self.buffers not in (1, BUFFERS):
            raise OptionError(f"buffers must be 1 or {BUFFERS}: buffers={self.buffers}")
        if self.padding is not None and self.padding < 0:
            raise OptionError(f"padding must not be negative: padding={self.padding}")
        if self.limit < 0:
            raise OptionError(f"limit must not be negative: limit={self.limit}")


def plan_gpu_promotion(scop: Scop, options: GpuPromoteOptions, device: Device) -> Promotion:
    """What is to be promoted in the kernels of a scop, which is not changed.

    The references to an array are grouped as by `plan_promotion`, inside each loop of a kernel, the
    outermost one first.

    - A group whose elements are accessed by one thread each, several times, is kept in registers.
      It is promoted directly outside the outermost loop whose iterations access the same elements.
    - A group whose elements several threads access, or that is not coalesced, is kept in shared
      memory: inside the loops over tiles that are mapped to blocks, and inside as few sequential
      loops over tiles as make it fit.

        band [ti, tj] block y, block x        band [ti, tj] block y, block x
          band [tk]                             mark #poly.local<@C_private>
            band [i, j, k] thread y, x    =>      sequence
                                                    C_in: band [i, j] thread y, x
                                                    band [tk]
                                                      mark #poly.local<@A_shared>
                                                        sequence
                                                          A_in: band [a, b] thread y, x
                                                          band [i, j, k] thread y, x
                                                    C_out: band [i, j] thread y, x

    The loops of copies are mapped to threads: to shared memory so that neighbouring threads copy
    neighbouring elements, to registers so that each thread copies its own.

    Raises `OptionError` for unknown arrays.
    """
    unknown = [name for name in options.arrays if name not in scop.arrays]
    if unknown:
        known = ", ".join(scop.arrays)
        raise OptionError(f"there is no array {unknown[0]} (the scop accesses {known})")
    planner = _Planner(scop, options, device)
    for number, mark in enumerate(kernel_marks(scop.schedule.root)):
        planner.plan_kernel(mark, is_sharing=not options.kernels or number in options.kernels)
    return planner.result()


@dataclass(frozen=True, eq=False)
class _Candidate:
    """A group, and how it could be kept; `shape` is that of the array."""

    group: ReferenceGroup
    form: LocalForm
    shape: tuple[int, ...]
    size: int

    def __str__(self) -> str:
        elements = f"{by_sizes(self.shape)} elements" if self.shape else "one element"
        if self.form.space == "private":
            return f"a thread keeps {elements} in registers"
        return f"a block keeps {elements} in shared memory, {self.size} bytes"


@dataclass(frozen=True, eq=False)
class _Choice:
    """A group that is promoted inside a loop; with `ahead`, one of these iterations ahead."""

    loop: LoopPosition
    place: LoopBody
    array: str
    candidate: _Candidate
    ahead: FirstAndLater | None = None

    def loops_to_split(self) -> Iterator[LoopPosition]:
        """The loops that must be the last members of their bands."""
        yield self.loop
        if self.ahead is not None and self.loop.member > 0:
            yield replace(self.loop, member=self.loop.member - 1)


class _Planner:
    """Finds the groups to promote in the kernels of one scop."""

    def __init__(self, scop: Scop, options: GpuPromoteOptions, device: Device) -> None:
        self._scop = scop
        self._options = options
        self._device = device
        self._choices: list[tuple[str, _Choice]] = []
        self._reasons: list[str] = []
        self._flows: dict[str, ArrayFlow] = {}

    def plan_kernel(self, mark: ScheduleNode, is_sharing: bool) -> None:
        """Choose what to promote in the kernel below `mark`, which may be sharing memory."""
        options = self._options if is_sharing else replace(self._options, shared="none")
        search = _Search(self._scop, ThreadedKernel.below(mark), options, self._device)
        names = name_list(statements_of(mark))
        for array in self._options.arrays or tuple(self._scop.arrays):
            reasons = search.promote(array)
            if any(choice.array == array for choice in search.choices):
                reasons = self._find_flow(array, search) or reasons
            self._reasons += [f"{names}: {array} stays in global memory: {why}" for why in reasons]
        for array, why in search.copy_ahead():
            self._reasons.append(f"{names}: no tile of {array} is copied ahead: {why}")
        self._choices += [(names, choice) for choice in search.choices]

    def _find_flow(self, array: str, search: _Search) -> tuple[str, ...]:
        """Find what flows through an array; if isl cannot, leave it where it is, and say so."""
        try:
            if array not in self._flows:
                self._flows[array] = array_flow(self._scop, array)
        except DataflowError as error:
            search.forget(array)
            return (error.message,)
        return ()

    def result(self) -> Promotion:
        """All that was chosen, in one tree."""
        choices = [choice for _, choice in self._choices]
        in_registers = [
            (choice.loop, {each.statement for each in choice.candidate.group.references})
            for choice in choices
            if choice.candidate.form.space == "private" and choice.candidate.shape
        ]
        places = {loop for choice in choices for loop in choice.loops_to_split()}
        unrolled = with_register_tiles(self._scop.schedule, in_registers, places)
        loops = SplitBands(unrolled, places)
        taken = names_in_scop(self._scop)
        # Where marks stand in the same place, those of loops inside are inner ones.
        ahead: dict[LoopPosition, LocalCopies] = {}
        copies: dict[LoopPosition, LocalCopies] = {}
        done: list[str] = []
        for names, choice in self._choices:
            place = replace(choice.place, schedule=loops.schedule, path=loops.inside(choice.loop))
            if choice.ahead is None:
                ordinary = LocalCopies(self._scop, place, PromoteOptions(), taken)
                builder = copies.setdefault(choice.loop, ordinary)
            else:
                buffered = BufferedCopies(self._scop, place, taken, choice.ahead)
                builder = ahead.setdefault(choice.loop, buffered)
            array, candidate = choice.array, choice.candidate
            kept = builder.add_group(array, candidate.group, self._flows[array], candidate.form)
            done.append(f"{names}: of {array}, {candidate} ({kept.local.name}), {kept}")
        is_named = bool(self._options.arrays)
        promotion = local_copies_in(loops.schedule, (*ahead.values(), *copies.values()))
        return replace(
            promotion,
            done=tuple(done if is_named else done + self._reasons),
            missed=tuple(self._reasons) if is_named else (),
        )


@dataclass(frozen=True)
class _Around:
    """The loops around a place: the axes of the threads that run them.

    Shared memory is filled inside loops over tiles, and outside of those that threads run.
    """

    can_share: bool = True
    axes: frozenset[str] = frozenset()

    def inside(self, attributes: LoopAttributes, step: int) -> _Around:
        """What is around inside one more loop."""
        mapped = [each.data for each in attributes if isinstance(each, MapAttr)]
        axes = frozenset(each.axis for each in mapped if each.level == "thread")
        is_over_tiles = step > 1 or any(each.level == "block" for each in mapped)
        return _Around(self.can_share and is_over_tiles and not axes, self.axes | axes)


class _Search:
    """Finds the groups to promote in one kernel."""

    def __init__(
        self, scop: Scop, kernel: ThreadedKernel, options: GpuPromoteOptions, device: Device
    ) -> None:
        self._device = device
        self.choices: list[_Choice] = []
        self._scop = scop
        self._kernel = kernel
        self._options = options
        self._used = 0
        self._promoted: list[PromotedReference] = []
        # By the statement and the number of the access: why it is to global memory.
        self._reasons: dict[tuple[str, int], str] = {}

    def promote(self, array: str) -> tuple[str, ...]:
        """Promote the references to an array; why not, for those that were not."""
        self._promoted, self._reasons = [], {}
        if self._kernel.axes:
            top = self._kernel.mark.child(0)
            self._visit(array, top, top.path, _Around())
        done = {(each.statement, each.access) for each in self._promoted}
        return tuple(dict.fromkeys(why for key, why in self._reasons.items() if key not in done))

    def forget(self, array: str) -> None:
        """Promote nothing of an array after all."""
        own = [choice for choice in self.choices if choice.array == array]
        self.choices = [choice for choice in self.choices if choice.array != array]
        shared = (each.candidate for each in own if each.candidate.form.space == "workgroup")
        self._used -= sum(candidate.size for candidate in shared)

    def copy_ahead(self) -> Iterator[tuple[str, str]]:
        """Copy what the next iteration reads, where that is possible; why not, for other arrays."""
        for position, choice in enumerate(self.choices if self._options.buffers > 1 else ()):
            candidate = choice.candidate
            kinds = {each.kind for each in candidate.group.references}
            if candidate.form.space != "workgroup" or AccessKind.READ not in kinds:
                continue
            node = node_at(self._scop.schedule, choice.loop.path)
            is_written = any(
                kind is not AccessKind.READ for kind in self._kinds(choice.array, node)
            )
            ahead = iterations_ahead(choice.loop, choice.place, node, is_written)
            left = self._options.limit - self._used
            if isinstance(ahead, FirstAndLater) and candidate.size > left:
                ahead = (
                    f"it takes {candidate.size} more bytes of shared memory, and {left} are left"
                )
            if isinstance(ahead, str):
                yield choice.array, ahead
                continue
            self._used += candidate.size
            shape, size = (BUFFERS, *candidate.shape), BUFFERS * candidate.size
            twice = replace(candidate, shape=shape, size=size)
            self.choices[position] = replace(choice, candidate=twice, ahead=ahead)

    def _visit(self, array: str, node: ScheduleNode, path: TreePath, around: _Around) -> None:
        """Visit the places from `node` down."""
        if next(self._kinds(array, node), None) is None:
            return
        if node.kind is BAND:
            steps, loops = member_steps(node), node.loop_attributes
            for member, attributes in enumerate(loops):
                around = around.inside(attributes, steps[member])
                if not any(map(is_block, loops[member + 1 :])) and not has_blocks(node.child(0)):
                    self._try(array, LoopPosition(path, member), around)
        for position in range(node.n_children):
            self._visit(array, node.child(position), (*path, position), around)

    def _kinds(self, array: str, node: ScheduleNode) -> Iterator[AccessKind]:
        """The kinds of accesses to an array below a node."""
        names = set(statements_of(node))
        for body in self._scop.bodies:
            if body.name in names:
                yield from (each.kind for each in body.accesses if each.array == array)

    def _try(self, array: str, loop: LoopPosition, around: _Around) -> None:
        """Promote the groups for which this is the place."""
        place = body_of_loop(self._scop.schedule, loop, "a tile")
        if place is None:
            return
        try:
            references = references_in(self._scop, array, place)
        except NotPromotableError as error:
            names = statements_of(self._kernel.mark)
            self._reasons |= {(name, 0): str(error) for name in names}
            return
        left = tuple(each for each in references if not self._is_promoted(each))
        groups = boxed_groups(left)
        boxed = [reference for group in groups for reference in group.references]
        if around.can_share:
            unboxed = [each for each in left if each not in boxed]
            self._note(unboxed, "the elements that a tile accesses fit in no box of constant size")
        there = surely_there(self._scop, array)
        for group in groups:
            if there is not None and not group.footprint.range().is_subset(there):
                self._note(group.references, NOT_THERE)
                continue
            use = ElementUse.of_group(self._kernel, place, group)
            candidate = self._registers(array, place, group, use, around)
            if candidate is not None:
                if not use.is_as_good_inside(place):
                    self._choose(_Choice(loop, place, array, candidate))
                continue
            reason = self._why_not_shared(group, use)
            if reason is None and around.can_share:
                candidate = self._shared(array, place, group)
                reason = self._why_too_large(candidate) or self._why_useless(place, group)
                if reason is None:
                    self._used += candidate.size
                    self._choose(_Choice(loop, place, array, candidate))
            if reason is not None and around.can_share:
                self._note(group.references, reason)

    def _is_promoted(self, reference: PromotedReference) -> bool:
        return any(
            (each.statement, each.access) == (reference.statement, reference.access)
            and reference.relation.is_subset(each.relation)
            for each in self._promoted
        )

    def _note(self, references: Collection[PromotedReference], reason: str) -> None:
        self._reasons |= {(each.statement, each.access): reason for each in references}

    def _choose(self, choice: _Choice) -> None:
        self.choices.append(choice)
        self._promoted += choice.candidate.group.references

    # Registers

    def _registers(
        self,
        array: str,
        place: LoopBody,
        group: ReferenceGroup,
        use: ElementUse,
        around: _Around,
    ) -> _Candidate | None:
        """A group in registers; `None` unless one thread accesses each element, in a loop."""
        if self._options.registers == "none" or not use.is_of_one_thread:
            return None
        if not use.is_repeated(node_at(place.schedule, place.path)):
            return None
        rank = len(group.box)
        elements = element_functions(iterations_and_elements(place, rank), rank)
        loops: list[CopyLoop] = []
        for axis in reversed(self._kernel.axes):
            values = None if axis in around.axes else self._kernel.values.get(axis)
            if values is not None and not values.domain().is_disjoint(use.touched.domain()):
                function = use.value(values)
                if function is None:
                    return None
                same = (
                    each
                    for each in elements
                    if each.intersect_domain(function.domain()).is_equal(function)
                )
                loops.append(
                    CopyLoop(next(same, function), (MapAttr(GpuDimension("thread", axis)),))
                )
        group = replace(group, strides=use.strides(group.sizes))
        shape = tuple(cells for cells in group.cells if cells > 1)
        if prod(shape) > self._device.registers:
            return None
        if shape:
            loops = [replace(loop, unrolled=True) for loop in loops]
        loops += [
            CopyLoop(element, unrolled=bool(shape))
            for element in elements
            if not any(loop.function.is_equal(element) for loop in loops)
        ]
        form = LocalForm(f"{array}_private", "private", "exact", 0, tuple(loops))
        return _Candidate(group, form, shape, self._bytes(array, shape))

    # Shared memory

    def _why_not_shared(self, group: ReferenceGroup, use: ElementUse) -> str | None:
        """Why a group need not be in shared memory; `None` if it is to be there."""
        if self._options.shared == "none":
            return "shared=none"
        if self._options.shared == "all" or not use.is_of_one_thread:
            return None
        if not all(map(self._kernel.is_coalesced, group.references)):
            return None
        return "each element is accessed by one thread, and accesses are coalesced"

    def _why_too_large(self, candidate: _Candidate) -> str | None:
        limit = self._options.limit
        if self._used + candidate.size <= limit:
            return None
        return (
            f"a tile of {by_sizes(candidate.shape)} elements takes {candidate.size} bytes of "
            f"shared memory, and {limit - self._used} of {limit} are left"
        )

    def _why_useless(self, place: LoopBody, group: ReferenceGroup) -> str | None:
        """Why copies would cost more than they save; `None` if they would not."""
        if self._options.shared == "all":
            return None
        accesses = accesses_at_most(place, group)
        copied = prod(group.sizes)
        # Without reuse, what is copied is accessed in the right order, if there are rows of it.
        has_rows = any(size > 1 for size in group.sizes[-1:])
        is_coalesced = all(map(self._kernel.is_coalesced, group.references))
        uses = 1 if has_rows and not is_coalesced else 2
        if accesses is None or accesses >= uses * copied:
            return None
        return f"a tile accesses {copied} elements {accesses} times, which does not pay"

    def _shared(self, array: str, place: LoopBody, group: ReferenceGroup) -> _Candidate:
        """A group in shared memory."""
        shape = [cells for cells in group.cells if cells > 1]
        padding = self._options.padding
        if padding is None:
            in_rows = all(map(self._kernel.is_coalesced, group.references))
            padding = 0 if in_rows or len(shape) < 2 else 1
        if shape:
            shape[-1] += padding
        # What other blocks may be writing is not copied.
        is_written = any(
            kind is not AccessKind.READ for kind in self._kinds(array, self._kernel.mark)
        )
        vectors = shared_copy_vectors(self._kernel, place, group.box, self._type(array))
        form = LocalForm(
            f"{array}_shared",
            "workgroup",
            "exact" if is_written else "box",
            padding,
            shared_copy_loops(self._kernel, place, group.box),
            None if self._options.vectors == "none" else vectors,
        )
        return _Candidate(group, form, tuple(shape), self._bytes(array, shape))

    def _bytes(self, array: str, shape: Collection[int]) -> int:
        return prod(shape) * element_bytes(self._type(array))

    def _type(self, array: str) -> MemRefType:
        type = self._scop.arrays[array].type
        assert isinstance(type, MemRefType)
        return type
