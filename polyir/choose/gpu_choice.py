"""The choice of kernels for one function: its schedule, its tiles, and what is in shared memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Final

from xdsl.context import Context
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from polyir.base.diagnostics import Remark, missed, remark, report
from polyir.base.inner_steps import apply_inside
from polyir.base.limits import ResourceError
from polyir.choose.candidates import Candidates, memory_of, remarks_in
from polyir.choose.chosen_code import function_of, give_body, give_trees, remarks_on
from polyir.choose.gpu_model import GpuModel
from polyir.choose.mixtures import Mixture, alone, mixed
from polyir.choose.model import Cost, ScheduleModel
from polyir.choose.remarks import CHOSEN, ORIGINAL, PASS_NAME
from polyir.choose.strategies import Strategy, made
from polyir.choose.thresholds import BETTER, MOST_ACCESSES
from polyir.dialects.scop import scops_in
from polyir.model.scop import Scop, scop_of
from polyir.transform.gpu.device import Device
from polyir.transform.gpu.placement import SequentialParts

TILES: Final = (
    # One parallel loop is cut into as many blocks as fill a device; of two, a thread has four
    # points, and of three, a column of eight.
    ((32, 32), (32, 32, 32), (8, 8, 32)),
    ((256, 32), (8, 32, 32), (4, 4, 32)),
    # A few thousand iterations are not enough for blocks of one warp; rows of threads are long.
    ((8, 32), (64, 32, 32), (16, 8, 32)),
)
"""The tiles that are tried, for one, two, and more parallel loops."""

SHARED_USES: Final = 16
"""An estimate: how often an element is accessed at least if a copy in shared memory may pay."""

LEAST_FOR_HOST: Final = 1000.0
"""The microseconds that kernels take at least if all runs on the host instead: for less, a program
that is for a device gets one."""

MOST_TRIED: Final = 3
"""How many candidates are mapped where kernels are too hard to prove: each takes seconds."""


@dataclass(frozen=True, eq=False)
class _Mapped:
    """A function with kernels, what its scops cost in microseconds, and what passes said of it."""

    function: FuncOp
    costs: tuple[Cost, ...]
    remarks: tuple[Remark, ...]


def _faster(mapped: _Mapped, other: _Mapped) -> list[bool]:
    """For each kernel, whether the nest that it is in is faster than in the other function.

    Kernels have numbers in one scop only; those of several are all faster, or none is.
    """
    ours, theirs = mapped.costs, other.costs
    if len(ours) > 1 or len(ours[0].nests) != len(theirs[0].nests):
        return [sum(each.score for each in ours) < sum(each.score for each in theirs)]
    pairs = zip(ours[0].nests or ours, theirs[0].nests or theirs, strict=True)
    return [one.score < each.score for one, each in pairs for _ in range(int(one.regions))]


class GpuChoice:
    """The choice between schedules with kernels for one function."""

    def __init__(
        self, ctx: Context, function: FuncOp, device: Device, sequential: SequentialParts
    ) -> None:
        self._ctx = ctx
        self._function = function
        self._sequential = sequential
        model = partial(_model, device)
        self._candidates = Candidates(ctx, function, device, 1, model, lambda _: False)

    def make(self) -> None:
        """Replace the function by the best candidate; it stays as it is if the host is faster."""
        original = self._candidates.original()
        found = list(self._candidates.of(self._strategies()))
        if not found:
            missed(
                PASS_NAME, "no kernels: no strategy is possible", self._function, name="no-strategy"
            )
            return
        best = found[0]
        for each in found[1:]:
            if each.cycles < BETTER * best.cycles:
                best = each
        is_slow = best.cycles > LEAST_FOR_HOST and original.cycles < best.cycles
        if is_slow and self._sequential != "device":
            self._say(f"{CHOSEN}{ORIGINAL}, on the host")
            return
        others = sorted((e for e in found if e is not best), key=lambda each: each.cycles)
        mixtures = mixed(self._candidates, best, others, lambda each: BETTER), *map(alone, others)
        for number, mixture in enumerate(mixtures, 1):
            try:
                mapped = self._mapped_best(mixture)
            except ResourceError:
                # The kernels of another one may be simpler to prove.
                if number == min(MOST_TRIED, len(mixtures)):
                    raise
                continue
            gain = original.cycles / mixture.cycles
            name = mixture.best.strategy.name
            self._say(f"{CHOSEN}{name}, {gain:.2g} times as fast as the host")
            self._replace_by(mixture, mapped)
            return

    def _memories(self) -> list[tuple[ModulePass, ...]]:
        """The passes for private temporaries that make a difference; none if there is none."""
        memories: list[tuple[ModulePass, ...]] = []
        known = [memory_of(self._candidates.scops)]
        for loops in "needed", "all":
            passes = (made("privatize", loops=loops),)
            memory = memory_of(self._candidates.scops_with(passes))
            if memory not in known:
                known.append(memory)
                memories.append(passes)
        # Copies of temporaries take no parallel loop away.
        return memories or [()]

    def _strategies(self) -> Iterator[Strategy]:
        """What is tried: schedules with private temporaries, in tiles of several sizes."""
        schedulers: dict[str, tuple[ModulePass, ...]] = {
            "spatial-schedule": (made("spatial-schedule", target="gpu"),),
            "isl-schedule": (made("isl-schedule", outer_coincidence=True),),
            "pluto-schedule": (made("pluto-schedule"),),
            ORIGINAL: (),
        }
        models = self._candidates.models
        statements = [each for model in models for each in model.statements.values()]
        if sum(len(each.accesses) for each in statements) > MOST_ACCESSES:
            del schedulers["pluto-schedule"]
        for memory in self._memories():
            for name, scheduler in schedulers.items():
                for sizes in TILES:
                    steps = (
                        made("gpu-kernels", sequential=self._sequential),
                        *(made("gpu-tile", tile=s, parallel=n) for n, s in enumerate(sizes, 1)),
                        made("gpu-map"),
                    )
                    yield Strategy(memory, scheduler, steps, name=name)

    def _mapped_best(self, mixture: Mixture) -> _Mapped:
        """The kernels of a mixture, with or without shared memory."""
        chosen = plain = self._mapped(mixture, shared="none")
        if self._may_share(mixture):
            # What is too hard to prove stays in global memory.
            with suppress(ResourceError):
                shared = self._mapped(mixture, shared="auto")
                kernels = _faster(shared, plain)
                if all(kernels):
                    chosen = shared
                elif any(kernels):
                    numbers = tuple(number for number, is_better in enumerate(kernels) if is_better)
                    chosen = self._mapped(mixture, shared="auto", kernels=numbers)
        return chosen

    def _replace_by(self, mixture: Mixture, mapped: _Mapped) -> None:
        """Give the function the kernels of a mixture."""
        # Tiles and threads are mapped already: what is said of them is known.
        for each in dict.fromkeys((*remarks_on(self._candidates, mixture), *mapped.remarks)):
            report(each)
        give_body(self._function, mapped.function.detach_region(mapped.function.body))

    def _mapped(self, mixture: Mixture, **options: object) -> _Mapped:
        """The function with the kernels of a mixture after `map-to-gpu` with options."""
        module = self._candidates.with_memory(mixture.best.memory)
        function, said = function_of(module), list[Remark]()
        give_trees(function, mixture)
        with remarks_in(said):
            step = made("map-to-gpu", sequential=self._sequential, **options)
            apply_inside(step, self._ctx, module)
        costs: list[Cost] = []
        for op, known in zip(scops_in(function), self._candidates.models, strict=True):
            scop = scop_of(op)
            model = self._candidates.model(scop, sizes=known.values)
            costs.append(model.estimate(scop.schedule))
        return _Mapped(function, tuple(costs), tuple(said))

    def _may_share(self, mixture: Mixture) -> bool:
        """Whether some kernel accesses elements so often that copies of them may pay."""
        scops = self._candidates.scops_with(mixture.best.memory)
        pairs = zip(self._candidates.models_of(scops), mixture.trees, strict=True)
        return any(
            isinstance(model, GpuModel) and model.most_uses(tree.schedule) >= SHARED_USES
            for model, tree in pairs
        )

    def _say(self, message: str) -> None:
        remark(PASS_NAME, message, self._function)


def _model(
    device: Device, scop: Scop, machine: object, sizes: Mapping[str, int] | None, **_: object
) -> ScheduleModel:
    return GpuModel(scop, device, sizes)
