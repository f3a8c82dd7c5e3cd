"""The pass `optimize`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from polyir.base.diagnostics import (
    OptionError,
    Remark,
    errors_at,
    remark,
    remarks_to,
    report,
)
from polyir.base.inner_steps import apply_inside
from polyir.choose.gpu import GENERIC_GPU
from polyir.choose.machine import describe, machine_of_option, machine_text
from polyir.dialects.scop import scops_in
from polyir.model.prepared_updates import has_exact_updates, may_have_exact_updates
from polyir.passes.options import PassWithOptions
from polyir.passes.poly_dependences import PolyDependencesPass
from polyir.passes.prerequisites import analysed_scops
from polyir.passes.strategy_names import BEST, ROOFLINE, CostModelName, StrategyName
from polyir.transform.gpu.placement import SequentialParts

if TYPE_CHECKING:
    from polyir.choose.schedule_choice import Made, ScheduleChoice

TargetName = Literal["cpu", "gpu"]


@dataclass(frozen=True)
class OptimizePass(PassWithOptions):
    """Give each loop nest the schedule that the cost model says is the fastest.

    Some pipelines are tried on each function, each as it would run alone, and the cost model
    (`polyir.choose.model`) estimates the time of each, and of the original order. Nests that run
    one after the other may come from several of them. A function is left in its original order,
    without parallel loops, if nothing makes it clearly faster. Otherwise, it is lowered to loops,
    with vectors, and array elements in SSA values. If sizes are not known, it keeps its original
    loops beside these, and runs them where the sizes are small.

    `threads` is how many threads run parallel loops, by default one a core; with 1, no loop is
    marked as parallel. `machine` is the name of a machine, or a JSON file or text that describes
    one (`polyir.choose.machine`); by default, it is the one that this runs on. Remarks have the
    numbers, and the `machine` that gives the same result on another computer. `strategy` names a
    pipeline that is to be used whatever the model says. Other packages can add machines, strategies
    and cost models. With `reassociate`, floating-point sums, products, minima and maxima may be
    computed in another order, in vectors of partial results, which rounds them differently. Those
    of integers, and minima and maxima of numbers that are not -0.0, may be in any case, in
    functions that have no others.

    With `target=gpu`, nests become kernels (`map-to-gpu`): schedules with tiles of several sizes
    are compared by a model of a device (`polyir.choose.gpu_model`), with and without copies in
    shared memory. A function stays as it is where kernels take a millisecond or more and the host
    would take less.
    `sequential` says where parts without parallel loops run, as for `gpu-kernels`; on the device,
    there is no choice of the host.

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
    strategy: StrategyName = BEST
    reassociate: bool = False
    cost_model: CostModelName = ROOFLINE

    target: TargetName = "cpu"
    sequential: SequentialParts = "auto"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.threads is not None and self.threads < 1:
            raise OptionError(f"threads must be 1 or more: threads={self.threads}")
        choose = self._choice_for_gpu(ctx) if self.target == "gpu" else self._choice(ctx, op)
        if self.reassociate:
            apply_inside(PolyDependencesPass(reassociate=True), ctx, op)
        analysed_scops(op, self.name)
        for function in _functions_in(op):
            scops = scops_in(function)
            # What was too hard to analyse would be tried again for each strategy.
            if scops and all(scop.dependences is not None for scop in scops):
                with errors_at(function):
                    choose(function)

    def _choice(self, ctx: Context, op: ModuleOp) -> Callable[[FuncOp], None]:
        """What gives a function loops for a machine, which remarks name."""
        machine = machine_of_option(self.machine)
        remark(self.name, f"for {describe(machine)}", op)
        if self.machine in ("", "this"):
            again = f"machine='{machine_text(machine)}'"
            remark(self.name, f"for the same result on another computer: {again}", op)

        def choose(function: FuncOp) -> None:
            if self.strategy != BEST:
                choice_of(function, self.reassociate).use(self.strategy)
                return
            if self.reassociate or not may_have_exact_updates(scops_in(function)):
                choice_of(function, self.reassociate).make()
                return
            # What is the same in any order may run in any.
            declarations = [each for each in _functions_in(op) if each.is_declaration]
            other = ModuleOp([each.clone() for each in (function, *declarations)])
            made, said = make_quietly(function, reassociate=False)
            with remarks_to(lambda _: None):
                PolyDependencesPass(reassociate=True).apply(ctx, other)
            changed = _functions_in(other)[0]
            scops = scops_in(changed)
            if all(scop.dependences for scop in scops) and has_exact_updates(scops):
                better, more = make_quietly(changed, reassociate=True)
                if better > made:
                    said = more
                    function.detach_region(function.body).erase()
                    function.add_region(changed.detach_region(changed.body))
            for each in said:
                report(each)

        def make_quietly(function: FuncOp, reassociate: bool) -> tuple[Made, list[Remark]]:
            said: list[Remark] = []
            with remarks_to(said.append):
                return choice_of(function, reassociate).make(), said

        def choice_of(function: FuncOp, reassociate: bool) -> ScheduleChoice:
            # It takes long to import, and the dependences are computed without it.
            from polyir.choose.schedule_choice import ScheduleChoice

            return ScheduleChoice(
                ctx,
                function,
                machine,
                self.threads,
                reassociate=reassociate,
                cost_model=self.cost_model.model(),
            )

        return choose

    def _choice_for_gpu(self, ctx: Context) -> Callable[[FuncOp], None]:
        """What gives a function kernels."""
        defaults = OptimizePass()
        for name in ("threads", "machine", "strategy", "reassociate", "cost_model"):
            if getattr(self, name) != getattr(defaults, name):
                option = name.replace("_", "-")
                raise OptionError(f"{option} is for target=cpu, and target=gpu was given")

        def choose(function: FuncOp) -> None:
            from polyir.choose.gpu_choice import GpuChoice

            GpuChoice(ctx, function, GENERIC_GPU, self.sequential).make()

        return choose


def _functions_in(op: ModuleOp) -> list[FuncOp]:
    """The functions of a program, in order."""
    return [each for each in op.walk() if isinstance(each, FuncOp)]
