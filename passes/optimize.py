"""The pass `optimize`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, Literal

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from polyir.cost.machine import Machine, describe, machine_from_json, machine_of_system
from polyir.cost.model import CostModel
from polyir.diagnostics import (
    OptionError,
    PolyirError,
    Remark,
    RemarkKind,
    missed,
    remark,
    remarks_to,
    report,
)
from polyir.dialects.scop import ScopOp
from polyir.loops.packing import pack
from polyir.loops.vectorize import vectorize
from polyir.model.scop import scop_of
from polyir.passes.intra_tile_order import IntraTileOrderPass
from polyir.passes.mark_parallel import MarkParallelPass
from polyir.passes.options import PassWithOptions
from polyir.passes.pack import PackPass
from polyir.passes.pluto_schedule import PlutoSchedulePass
from polyir.passes.prerequisites import analysed_scops, lower_scops, scops_in
from polyir.passes.privatize import PrivatizePass
from polyir.passes.register_tile import RegisterTilePass
from polyir.passes.spatial_schedule import SpatialSchedulePass
from polyir.passes.tile import TilePass
from polyir.passes.vectorize import VectorizePass
from polyir.passes.wavefront import WavefrontPass

WORTH: Final = 0.9
"""A function is changed if the model says that it then takes at most this part of the time."""

MOST_ACCESSES: Final = 64
"""Skewed tiles with vectors inside take long to find for programs with more accesses than this."""

GOOD_ENOUGH: Final = 2.5
"""Nothing more is tried at this many times the time that its arithmetic takes at the least."""

StrategyName = Literal[
    "best",
    "original",
    "packed-blocks",
    "register-blocks",
    "blocks-in-waves",
    "untiled-blocks",
    "locality",
    "tiles",
    "time-tiles",
    "sweeps",
    "untiled-locality",
    "parallel",
]
"""`best` by the cost model, or a pipeline; `original` is the original order."""


@dataclass(frozen=True)
class _Strategy:
    """A pipeline of passes on scops, by a name for remarks; several share their `first` passes.

    With `sums`, it is for programs with statements that add up elements of a result; without, for
    those that have none and not many accesses; `None` for all. One that is `packed` then lets loops
    read operands from contiguous arrays.
    """

    name: StrategyName
    first: tuple[ModulePass, ...]
    steps: tuple[ModulePass, ...]
    sums: bool | None = None
    packed: bool = False


def _strategies(machine: Machine, element_bytes: int) -> tuple[_Strategy, ...]:
    """What is tried, in this order.

    Register blocks fill three quarters of the vector registers with results.
    """
    width = max(2, machine.vector_bits // (8 * element_bytes))
    apart, fused = (PlutoSchedulePass(fuse="none"),), (PlutoSchedulePass(),)
    spatial = (SpatialSchedulePass(),)
    private = (PrivatizePass(loops="all"), *spatial)
    parallel, wavefront = MarkParallelPass(schedule="balanced"), WavefrontPass()
    blocks = RegisterTilePass(rows=machine.vector_registers // 4, vectors=3, width=width)
    whole = replace(blocks, masked=True, tiles=(96, 192, 384))
    tiles, flat = TilePass(sizes=(96, 96, 256)), TilePass(sizes=(48, 48, 240))
    in_tiles = (TilePass(), wavefront, IntraTileOrderPass(), parallel)
    last, chains = IntraTileOrderPass(distribute=False), WavefrontPass(which="inner")
    long, sweeps = TilePass(sizes=(16, 32, 256)), TilePass(sizes=(16,), min_width=1)
    in_time = (long, wavefront, IntraTileOrderPass(), chains, parallel, blocks)
    return (
        _Strategy("packed-blocks", apart, (whole, parallel), sums=True, packed=True),
        _Strategy("register-blocks", apart, (tiles, parallel, blocks), sums=True),
        _Strategy("blocks-in-waves", private, (flat, wavefront, parallel, blocks), sums=True),
        _Strategy("untiled-blocks", apart, (parallel, blocks), sums=True),
        _Strategy("locality", spatial, in_tiles),
        _Strategy("tiles", fused, (TilePass(), wavefront, parallel)),
        _Strategy("time-tiles", (*fused, last), in_time, sums=False),
        _Strategy("sweeps", (), (sweeps, chains, parallel, blocks), sums=False),
        _Strategy("untiled-locality", spatial, (parallel,)),
        _Strategy("parallel", (), (parallel,)),
    )


def _is_for_threads(step: ModulePass) -> bool:
    """Whether a pass only makes work for several threads; inner wavefronts help one, too."""
    if isinstance(step, WavefrontPass):
        return step.which == "outermost"
    return isinstance(step, MarkParallelPass)


@dataclass(frozen=True)
class OptimizePass(PassWithOptions):
    """Give each function the schedule that the cost model says is the fastest.

    Some pipelines are tried, each as it would run alone, and the cost model
    (`polyir.cost.model`) estimates the time of each, and of the original order. A function is left
    in its original order, without parallel loops, if nothing makes it clearly faster. One that gets
    register blocks or vectors is lowered to loops.

    `threads` is how many threads run parallel loops, by default one a core; with 1, no loop is
    marked as parallel. `machine` is a JSON file that describes the machine
    (`polyir.cost.machine`); by default, it is the one that this runs on. Remarks have the numbers.
    `strategy` names a pipeline that is to be used whatever the model says.

    Before (`C[i, j] += A[i, k] * B[k, j]`):

        poly.band "[{ S0[i, j, k] -> [(i)] }, { S0[i, j, k] -> [(j)] }, { S0[i, j, k] -> [(k)] }]"
            permutable coincident [true, true, false]

    After `--optimize=strategy=tiles`, which the model would not choose here:

        poly.band "[{ S0[i, j, k] -> [(i - (i) mod 32)] }, ...]" permutable
            coincident [true, true, false] loop_attributes [[#poly.parallel], [], []] {
          ...
    """

    name = "optimize"

    threads: int | None = None
    machine: str = ""
    strategy: StrategyName = "best"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.threads is not None and self.threads < 1:
            raise OptionError(f"threads must be 1 or more: threads={self.threads}")
        machine = machine_from_json(self.machine) if self.machine else machine_of_system()
        remark(self.name, f"for {describe(machine)}", op)
        analysed_scops(op, self.name)
        for function in [each for each in op.walk() if isinstance(each, FuncOp)]:
            scops = scops_in(function)
            # What was too hard to analyse would be tried again for each strategy.
            if scops and all(scop.dependences is not None for scop in scops):
                choice = _Choice(ctx, function, machine, self.threads or machine.cores)
                if self.strategy == "best":
                    choice.make()
                else:
                    choice.use(self.strategy)


@dataclass(frozen=True)
class _Candidate:
    """A function after some passes, the cycles that it takes, and what the passes reported."""

    strategy: _Strategy
    function: FuncOp
    cycles: float
    remarks: tuple[Remark, ...] = ()


class _Choice:
    """The choice between strategies for one function."""

    def __init__(self, ctx: Context, function: FuncOp, machine: Machine, threads: int) -> None:
        self._ctx = ctx
        self._function = function
        self._machine = machine
        self._threads = threads
        self._modules: dict[tuple[ModulePass, ...], ModuleOp] = {}

    def make(self) -> None:
        """Replace the function by the best candidate, if one is worth it."""
        models = self._models()
        least = sum(model.least_cycles for model in models)
        original = self._candidate(_Strategy("original", (), ()), self._function)
        best = original
        has_sums = any(each.is_sum for model in models for each in model.statements.values())
        accesses = sum(len(each.accesses) for model in models for each in model.statements.values())
        for strategy in self._strategies(models):
            if best.cycles <= GOOD_ENOUGH * least:
                break
            if strategy.sums is not None and strategy.sums != has_sums:
                continue
            if strategy.sums is False and accesses > MOST_ACCESSES:
                continue
            candidate = self._tried(strategy)
            worth = WORTH if best is original else 1.0
            if candidate is not None and candidate.cycles < worth * best.cycles:
                best = candidate
        if best is original:
            remark(OptimizePass.name, "chosen: original", self._function)
            return
        gain = original.cycles / best.cycles
        message = f"chosen: {best.strategy.name}, {gain:.2g} times as fast as the original order"
        remark(OptimizePass.name, message, self._function)
        self._replace_by(best)

    def use(self, name: StrategyName) -> None:
        """Replace the function by the candidate of a strategy."""
        for strategy in self._strategies(self._models()):
            if strategy.name != name:
                continue
            candidate = self._tried(strategy)
            if candidate is None:
                missed(OptimizePass.name, f"strategy={name} is not possible", self._function)
            else:
                self._replace_by(candidate)

    def _models(self) -> list[CostModel]:
        return [self._model(scop) for scop in scops_in(self._function)]

    def _strategies(self, models: Sequence[CostModel]) -> tuple[_Strategy, ...]:
        bytes = max((model.element_bytes for model in models), default=8)
        return _strategies(self._machine, bytes)

    def _replace_by(self, candidate: _Candidate) -> None:
        for each in candidate.remarks:
            report(each)
        if any(isinstance(step, RegisterTilePass) for step in candidate.strategy.steps):
            self._vectorize(candidate)
        old = self._function.detach_region(self._function.body)
        self._function.add_region(candidate.function.detach_region(candidate.function.body))
        old.erase()

    def _tried(self, strategy: _Strategy) -> _Candidate | None:
        """The function after some passes; `None` if one of them refuses it."""
        remarks: list[Remark] = []
        # What a pass could not do is no failure of what the user asked for.
        with remarks_to(lambda each: remarks.append(replace(each, kind=RemarkKind.REMARK))):
            try:
                module = self._after(strategy.first).clone()
                for step in strategy.steps:
                    if self._threads > 1 or not _is_for_threads(step):
                        step.apply(self._ctx, module)
                refusal = None
            except PolyirError as error:
                refusal = error.message
        if refusal is not None:
            remark(OptimizePass.name, f"{strategy.name}: not possible: {refusal}", self._function)
            return None
        (function,) = module.ops
        assert isinstance(function, FuncOp)
        return self._candidate(strategy, function, tuple(remarks))

    def _after(self, steps: tuple[ModulePass, ...]) -> ModuleOp:
        """A module with a copy of the function after some passes."""
        if steps not in self._modules:
            module = ModuleOp([self._function.clone()])
            for step in steps:
                step.apply(self._ctx, module)
            self._modules[steps] = module
        return self._modules[steps]

    def _candidate(
        self, strategy: _Strategy, function: FuncOp, remarks: tuple[Remark, ...] = ()
    ) -> _Candidate:
        """A function with the cycles that the model finds, which are reported."""
        costs = [
            self._model(op, strategy.packed).estimate(scop_of(op).schedule)
            for op in scops_in(function)
        ]
        for cost in costs:
            message = f"{strategy.name}: {1e3 * cost.seconds:.3g} ms; {'; '.join(cost.why)}"
            remark(OptimizePass.name, message, self._function)
        return _Candidate(strategy, function, sum(cost.score for cost in costs), remarks)

    def _model(self, scop: ScopOp, packed: bool = False) -> CostModel:
        return CostModel(scop_of(scop), self._machine, threads=self._threads, packed=packed)

    def _vectorize(self, candidate: _Candidate) -> None:
        """Make loops of the scops of a candidate, and vector code of those that were chosen."""
        module = candidate.function.parent_op()
        assert isinstance(module, ModuleOp)
        lower_scops(self._ctx, module)
        said = partial(remark, VectorizePass.name)
        vectorize(candidate.function, said, said)
        if candidate.strategy.packed:
            pack(candidate.function, PackPass.elements, partial(remark, PackPass.name))
