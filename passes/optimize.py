"""The pass `optimize`."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby, islice
from typing import Final, Literal

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from polyir.cost.machine import Machine, describe, machine_of_option
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
from polyir.limits import ResourceError, Step, processors, started
from polyir.loops.packing import pack
from polyir.loops.scalar_replacement import scalar_replacement
from polyir.loops.vectorize import vectorize
from polyir.model.outcome import Outcome
from polyir.model.proof import is_proved, remember_proof
from polyir.model.scop import scop_of
from polyir.passes.intra_tile_order import IntraTileOrderPass
from polyir.passes.mark_parallel import MarkParallelPass
from polyir.passes.options import PassWithOptions
from polyir.passes.pack import PackPass
from polyir.passes.pluto_schedule import PlutoSchedulePass
from polyir.passes.prerequisites import analysed_scops, lower_scops, replace_tree, scops_in
from polyir.passes.privatize import PrivatizePass
from polyir.passes.register_tile import RegisterTilePass
from polyir.passes.scalar_replacement import ScalarReplacementPass
from polyir.passes.spatial_schedule import SpatialSchedulePass
from polyir.passes.split_sequential import SplitSequentialPass
from polyir.passes.tile import TilePass
from polyir.passes.vectorize import VectorizePass
from polyir.passes.wavefront import WavefrontPass

WORTH: Final = 0.9
"""A function is changed if the model says that it then takes at most this part of the time."""

BETTER: Final = 0.97
"""A pipeline must take at most this part of the time of the best one like it, before it.

Those without tiles come first. Tiles must be worth it, as a change is."""

MOST_ACCESSES: Final = 64
"""Skewed tiles with vectors inside take long to find for programs with more accesses than this."""

GOOD_ENOUGH: Final = 2.5
"""Nothing more is tried at this many times the time that its arithmetic takes at the least.

Programs without sums get all that they have: their arithmetic is seldom what limits them."""

TASK: Final = "the search for a schedule"

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
    "split",
    "parallel",
    "reductions",
]
"""`best` by the cost model, or a pipeline; `original` is the original order."""


@dataclass(frozen=True)
class _Strategy:
    """A pipeline of passes on scops, by a name for remarks.

    Passes change the `memory`, then the `scheduler` makes a tree, and the `steps` change that.
    With `sums`, it is for programs with statements that add up elements of a result; without, for
    those that have none and not many accesses; `None` for all. One that is `packed` then lets loops
    read operands from contiguous arrays. `if_scheduled`, it is not tried if its scheduler changes
    nothing.
    """

    name: StrategyName
    memory: tuple[ModulePass, ...]
    scheduler: tuple[ModulePass, ...]
    steps: tuple[ModulePass, ...]
    sums: bool | None = None
    packed: bool = False
    if_scheduled: bool = False

    @property
    def is_simple(self) -> bool:
        """Whether no loops over tiles are made, but for those of blocks."""
        return not any(isinstance(each, TilePass) for each in self.steps)

    @property
    def before(self) -> tuple[ModulePass, ...]:
        """The passes before the steps."""
        return self.memory + self.scheduler


def _strategies(
    machine: Machine, element_bytes: int, depth: int, reassociate: bool
) -> tuple[_Strategy, ...]:
    """What is tried, in this order; those with the same scheduler come one after the other.

    Register blocks fill three quarters of the vector registers with results. `depth` is the number
    of loops around statements: the more there are, the smaller the tiles of stencils are. With
    `reassociate`, sums may be computed in another order.
    """
    width = max(2, machine.vector_bits // (8 * element_bytes))
    apart, fused = (PlutoSchedulePass(fuse="none"),), (PlutoSchedulePass(),)
    spatial = (SpatialSchedulePass(),)
    private = (PrivatizePass(loops="all"),)
    parallel = MarkParallelPass(schedule="balanced", reassociate=reassociate)
    wavefront = WavefrontPass()
    rows = machine.vector_registers // 4
    blocks = RegisterTilePass(rows=rows, vectors=3, width=width, reassociate=reassociate)
    masked = replace(blocks, masked=True)
    whole = replace(masked, tiles=(96, 192, 384))
    tiles, flat = TilePass(sizes=(96, 96, 256)), TilePass(sizes=(48, 48, 240))
    in_waves = (flat, wavefront, parallel, blocks)
    in_tiles = (TilePass(), wavefront, IntraTileOrderPass(), parallel, blocks)
    last, chains = IntraTileOrderPass(distribute=False), WavefrontPass(which="inner")
    sweeps = TilePass(sizes=(32,), min_width=1)
    long = TilePass(sizes=(16, 32, 256) if depth <= 3 else (4, 8, 32, 512))
    in_time = (last, long, wavefront, IntraTileOrderPass(), chains, parallel, blocks)
    found = (
        _Strategy("packed-blocks", (), apart, (whole, parallel), sums=True, packed=True),
        _Strategy("register-blocks", (), apart, (tiles, parallel, blocks), sums=True),
        _Strategy("untiled-blocks", (), apart, (parallel, masked), sums=True),
        _Strategy("blocks-in-waves", private, spatial, in_waves, sums=True),
        _Strategy("locality", private, spatial, in_tiles, sums=False),
        _Strategy("untiled-locality", private, spatial, (parallel, blocks)),
        _Strategy("tiles", (), fused, (TilePass(), wavefront, parallel, blocks), sums=False),
        _Strategy("time-tiles", (), fused, in_time, sums=False),
        _Strategy("sweeps", (), (), (sweeps, chains, parallel, blocks), sums=False),
        _Strategy("split", (), (SplitSequentialPass(),), (parallel, blocks), if_scheduled=True),
        _Strategy("parallel", (), (), (parallel, blocks)),
    )
    # Where only sums are slow, parallel regions may take longer than they do.
    return (*found, _Strategy("reductions", (), (), (blocks,))) if reassociate else found


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
    in its original order, without parallel loops, if nothing makes it clearly faster. Otherwise, it
    is lowered to loops, with vectors, and array elements in SSA values.

    `threads` is how many threads run parallel loops, by default one a core; with 1, no loop is
    marked as parallel. `machine` is a JSON file that describes the machine
    (`polyir.cost.machine`); by default, it is the one that this runs on. Remarks have the numbers.
    `strategy` names a pipeline that is to be used whatever the model says. With `reassociate`,
    floating-point sums, products, minima and maxima may be computed in another order, in vectors
    of partial results, which rounds them differently.

    Before (`C[i, j] += A[i, k] * B[k, j]`):

        affine.for %i = 0 to %n {
          affine.for %j = 0 to %n {
            affine.for %k = 0 to %n {

    After `--optimize=strategy=tiles`, which the model would not choose here:

        affine.parallel (%ti) = (0) to (symbol(%n)) step (32) {
          affine.for %tj = 0 to %n step 32 {
            affine.for %tk = 0 to %n step 32 {
              ... blocks of 8 x 24 elements of C in registers, in vectors of 8
    """

    name = "optimize"

    threads: int | None = None
    machine: str = ""
    strategy: StrategyName = "best"
    reassociate: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.threads is not None and self.threads < 1:
            raise OptionError(f"threads must be 1 or more: threads={self.threads}")
        machine = machine_of_option(self.machine)
        remark(self.name, f"for {describe(machine)}", op)
        analysed_scops(op, self.name)
        for function in [each for each in op.walk() if isinstance(each, FuncOp)]:
            scops = scops_in(function)
            # What was too hard to analyse would be tried again for each strategy.
            if scops and all(scop.dependences is not None for scop in scops):
                choice = _Choice(ctx, function, machine, self)
                if self.strategy == "best":
                    choice.make()
                else:
                    choice.use(self.strategy)


@dataclass(frozen=True)
class _Candidate:
    """What a strategy makes of the scops of a function, and the cycles that they take then.

    There is one of the `trees` and one of the `estimates` of the cost model for each scop;
    `remarks` are those of the passes.
    """

    strategy: _Strategy
    trees: tuple[Outcome, ...]
    cycles: float
    estimates: tuple[str, ...]
    remarks: tuple[Remark, ...]


_Group = tuple[_Strategy, ...]
_Results = list[_Candidate | str]


class _Choice:
    """The choice between strategies for one function."""

    def __init__(
        self, ctx: Context, function: FuncOp, machine: Machine, options: OptimizePass
    ) -> None:
        self._ctx = ctx
        self._function = function
        self._machine = machine
        self._threads = options.threads or machine.cores
        models = [self._model(scop) for scop in scops_in(function)]
        statements = [each for model in models for each in model.statements.values()]
        self._least_cycles = sum(model.least_cycles for model in models)
        self._has_sums = any(each.is_sum for each in statements)
        self._accesses = sum(len(each.accesses) for each in statements)
        element_bytes = max(model.element_bytes for model in models)
        depth = max((len(each.region.low) for each in statements), default=0)
        self._strategies = _strategies(machine, element_bytes, depth, options.reassociate)

    def make(self) -> None:
        """Replace the function by the best candidate, if one is worth it."""
        original = self._candidate(_Strategy("original", (), (), ()), self._function)
        self._say_estimates(original)
        tried = () if self._is_good_enough(original) else self._tried()
        best = original
        for candidate in sorted(tried, key=lambda each: not each.strategy.is_simple):
            # Where tiles hardly matter, they only make loops short.
            alike = candidate.strategy.is_simple == best.strategy.is_simple
            margin = BETTER if alike and best is not original else WORTH
            if candidate.cycles < margin * best.cycles:
                best = candidate
        if best is original:
            self._say("chosen: original")
            return
        gain = original.cycles / best.cycles
        self._say(f"chosen: {best.strategy.name}, {gain:.2g} times as fast as the original order")
        self._replace_by(best)

    def use(self, name: StrategyName) -> None:
        """Replace the function by the candidate of a strategy."""
        named = tuple(each for each in self._strategies if each.name == name)
        if not named:
            return
        found = self._results(named, started(TASK, partial(self._candidates, named)))
        if found:
            self._replace_by(found[0])
        else:
            missed(OptimizePass.name, f"strategy={name} is not possible", self._function)

    def _tried(self) -> Iterator[_Candidate]:
        """The candidates of the strategies that are worth trying, until one is good enough.

        Strategies with one scheduler share what it finds. Others run at once, in processes of
        their own; what comes out does not depend on how many.
        """
        worth_trying = (each for each in self._strategies if self._is_worth_trying(each))
        # Without a scheduler, there is nothing to share.
        shared = groupby(worth_trying, lambda each: each.before or each)
        groups = (tuple(group) for _, group in shared)
        running: deque[tuple[_Group, Step[_Results]]] = deque()
        try:
            while True:
                for group in islice(groups, processors() - len(running)):
                    running.append((group, started(TASK, partial(self._candidates, group))))
                if not running:
                    return
                for candidate in self._results(*running.popleft()):
                    yield candidate
                    if self._is_good_enough(candidate):
                        return
        finally:
            for _, step in running:
                step.stop()

    def _is_worth_trying(self, strategy: _Strategy) -> bool:
        if strategy.sums is None:
            return True
        is_short = strategy.sums or self._accesses <= MOST_ACCESSES
        return strategy.sums == self._has_sums and is_short

    def _is_good_enough(self, candidate: _Candidate) -> bool:
        return self._has_sums and candidate.cycles <= GOOD_ENOUGH * self._least_cycles

    def _candidates(self, group: _Group) -> _Results:
        """What strategies with one scheduler make of the function, until one is good enough.

        Instead of a candidate, it is the reason why a pass refuses.
        """
        found: _Results = []
        before: list[Remark] = []
        try:
            with _remarks_in(before):
                scheduled = self._after(group[0].before)
        except PolyirError as error:
            return [error.message for _ in group]
        if group[0].if_scheduled and self._has_same_trees(scheduled):
            return ["there is nothing to change"]
        for strategy in group:
            module, remarks = scheduled.clone(), list(before)
            try:
                with _remarks_in(remarks):
                    for step in strategy.steps:
                        if self._threads > 1 or not _is_for_threads(step):
                            step.apply(self._ctx, module)
            except PolyirError as error:
                found.append(error.message)
                continue
            candidate = self._candidate(strategy, _function_of(module), tuple(remarks))
            found.append(candidate)
            if self._is_good_enough(candidate):
                break
        return found

    def _has_same_trees(self, module: ModuleOp) -> bool:
        """Whether the trees of a module are those of the function."""
        scops = zip(scops_in(self._function), scops_in(module), strict=True)
        return all(scop_of(a).schedule.plain_is_equal(scop_of(b).schedule) for a, b in scops)

    def _after(self, steps: tuple[ModulePass, ...]) -> ModuleOp:
        """A module with a copy of the function after some passes."""
        module = ModuleOp([self._function.clone()])
        for step in steps:
            step.apply(self._ctx, module)
        return module

    def _candidate(
        self, strategy: _Strategy, function: FuncOp, remarks: tuple[Remark, ...] = ()
    ) -> _Candidate:
        """A function with the cycles that the model finds."""
        scops = scops_in(function)
        costs = [self._model(op, strategy.packed).estimate(scop_of(op).schedule) for op in scops]
        trees = [
            Outcome(
                scop_of(op).schedule,
                dependences=None if op.dependences is None else op.dependences.data,
                proved=is_proved(op),
            )
            for op in scops
        ]
        estimates = [f"{1e3 * cost.seconds:.3g} ms; {'; '.join(cost.why)}" for cost in costs]
        cycles = sum(cost.score for cost in costs)
        return _Candidate(strategy, tuple(trees), cycles, tuple(estimates), remarks)

    def _model(self, scop: ScopOp, packed: bool = False) -> CostModel:
        return CostModel(scop_of(scop), self._machine, threads=self._threads, packed=packed)

    def _results(self, group: _Group, step: Step[_Results]) -> list[_Candidate]:
        """The candidates that a worker found, after a remark on each and each refusal."""
        try:
            results = step.result()
        except ResourceError as error:
            results = [error.message for _ in group]
        for strategy, result in zip(group, results, strict=False):
            if isinstance(result, str):
                self._say(f"{strategy.name}: not possible: {result}")
            else:
                self._say_estimates(result)
        return [each for each in results if not isinstance(each, str)]

    def _say_estimates(self, candidate: _Candidate) -> None:
        for each in candidate.estimates:
            self._say(f"{candidate.strategy.name}: {each}")

    def _say(self, message: str) -> None:
        remark(OptimizePass.name, message, self._function)

    def _replace_by(self, candidate: _Candidate) -> None:
        """Give the function the trees of a candidate, and vectors if it gets them."""
        strategy = candidate.strategy
        with _remarks_in([]):
            module = self._after(strategy.memory)
        function = _function_of(module)
        for scop, outcome in zip(scops_in(function), candidate.trees, strict=True):
            replace_tree(scop, outcome)
            if outcome.proved:
                remember_proof(scop)
        for each in candidate.remarks:
            report(each)
        self._lower(module, strategy.packed)
        old = self._function.detach_region(self._function.body)
        self._function.add_region(function.detach_region(function.body))
        old.erase()

    def _lower(self, module: ModuleOp, packed: bool) -> None:
        """Make loops of the scops of a module, vector code of those that were chosen for it."""
        function = _function_of(module)
        lower_scops(self._ctx, module)
        said = partial(remark, VectorizePass.name)
        vectorize(function, said, said)
        if packed:
            pack(function, PackPass.elements, partial(remark, PackPass.name), ahead=True)
        kept = partial(remark, ScalarReplacementPass.name)
        scalar_replacement(function, 1, kept, lambda *reason: None)


def _function_of(module: ModuleOp) -> FuncOp:
    """The one function of a module."""
    (function,) = module.ops
    assert isinstance(function, FuncOp)
    return function


@contextmanager
def _remarks_in(found: list[Remark]) -> Iterator[None]:
    """Collect what passes say; what one of them could not do is no failure of the user's pass."""
    with remarks_to(lambda each: found.append(replace(each, kind=RemarkKind.REMARK))):
        yield
