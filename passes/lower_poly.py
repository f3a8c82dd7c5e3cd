"""lower-poly: scops to loops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from xdsl.context import Context
from xdsl.dialects import affine, arith, scf
from xdsl.dialects.builtin import IndexType, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from polyir.base.checked import not_checked
from polyir.base.diagnostics import PolyirError, errors_at, idle, missed, remark
from polyir.base.limits import CrashError, ResourceError, limited
from polyir.codegen.ast_build import IncorrectAstError
from polyir.codegen.lower import lower_scop
from polyir.dialects.affine_extra import MaxOp
from polyir.dialects.scop import KEEPS_LOOPS, ScopOp, scops_in
from polyir.loops.common_values import share_values
from polyir.model.outcome import Outcome, replace_tree
from polyir.model.scop import Scop, scop_of
from polyir.proofs.remembered import (
    are_kernels_proved,
    is_unchecked,
    kernels_of,
    needs_proof,
    require_proved,
)


@dataclass(frozen=True)
class LowerPolyPass(ModulePass):
    """Replace every scop by loops that execute its schedule tree.

        poly.scop (%n as "n") context "[n] -> { : n > 0 }" {
          poly.stmt @S0 domain "[n] -> { S0[i] : 0 <= i < n }" (%i) {
            affine.store %zero, %A[%i] : memref<?xf64>
          }
          poly.domain "[n] -> { S0[i] : 0 <= i < n }" {
            poly.band "[n] -> [{ S0[i] -> [(i)] }]" permutable coincident [true]
          }
        }

    becomes

        affine.for %i = 0 to %n {
          affine.store %zero, %A[%i] : memref<?xf64>
        }

    A tree that polyir's passes have not proved legal, one that was read from text, is checked
    first, as by `check-schedule`, and its GPU kernels as by `check-gpu`; `check=false` skips that.

    With `split-loops`, loops are then split as by the pass `split-loops`. If isl
    exceeds the budgets of code generation, crashes, or does not generate correct loops, `fall-back`
    generates loops for the original order of the program, with a warning; without it, this is an
    error. GPU kernels with arrays in
    shared memory or registers are generated with all arrays in global memory before that.

    With `assume-on-device`, the arrays that functions with kernels are passed are in the memory of
    the device already, and neither copied there nor back.
    """

    name = "lower-poly"

    split_loops: bool = True
    fall_back: bool = True
    check: bool = True
    assume_on_device: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        scops = scops_in(op)
        if not scops:
            idle(self.name, "nothing to do: the module has no poly.scop", op)
        has_kernels = any(map(kernels_of, scops))
        is_checked = self.check and not is_unchecked()
        for scop in scops:
            block = scop.parent_block()
            existing = set(block.ops) if block is not None else set()
            is_split = self.split_loops and KEEPS_LOOPS not in scop.attributes
            if is_checked:
                self._check(scop)
            elif needs_proof(scop) or not are_kernels_proved(scop):
                not_checked(self.name, "the schedule tree was not proved legal", scop)
            with errors_at(scop):
                try:
                    lower_scop(scop_of(scop))
                except (IncorrectAstError, CrashError) as error:
                    self._lower_otherwise(scop, error, is_checked)
            if block is None:
                continue
            if is_split:
                self._split([op for op in block.ops if op not in existing])
            share_values([op for op in block.ops if op not in existing])
        if has_kernels:
            self._place_on_device_and_host(op)
        if has_kernels and not is_checked:
            not_checked(self.name, "the barriers of the generated kernels", op)
        elif has_kernels:
            from polyir.proofs.gpu import require_correct_code

            require_correct_code(op)

    def _place_on_device_and_host(self, module: ModuleOp) -> None:
        """Run parts between kernels on the host, and use arrays that are on the device there."""
        from xdsl.dialects import gpu

        from polyir.loops.host_parts import run_on_host
        from polyir.loops.on_device import is_assumed_on_device, use_arrays_on_device

        for function in tuple(op for op in module.walk() if isinstance(op, FuncOp)):
            run_on_host(function)
            is_assumed = self.assume_on_device or is_assumed_on_device(function)
            if is_assumed and any(isinstance(op, gpu.LaunchOp) for op in function.walk()):
                use_arrays_on_device(function)

    def _check(self, scop: ScopOp) -> None:
        try:
            require_proved(scop, self.name)
            if kernels_of(scop):
                # Few programs are for GPUs, and start-up is part of every run.
                from polyir.proofs.gpu import require_correct_kernels

                require_correct_kernels(scop, self.name)
        except ResourceError as error:
            error.message += "; lower-poly{check=false} and --no-check skip it"
            raise

    def _lower_otherwise(self, scop: ScopOp, error: PolyirError, is_checked: bool) -> None:
        """Generate what is simpler than code that isl failed to generate.

        For GPU kernels with local arrays, that is kernels with all arrays in global memory; if isl
        fails again, and for all others, loops in the program's order.
        """
        if kernels_of(scop) and scop.local_arrays and self.fall_back:
            missed(
                self.name,
                f"{error.message}: all arrays stay in global memory",
                scop,
                name="local-array",
            )
            try:
                self._lower_in_global_memory(scop, is_checked)
            except (IncorrectAstError, CrashError) as again:
                error = again
            else:
                return
        self._lower_original(scop, error)

    def _lower_in_global_memory(self, scop: ScopOp, is_checked: bool) -> None:
        """Generate code for GPU kernels without copies and local arrays."""
        # Hardly ever needed, so that they are not part of every start.
        from polyir.dialects.isl_attributes import DependencesAttr
        from polyir.model.analysis import compute_dependences
        from polyir.passes.gpu_synchronise import GpuSynchronisePass
        from polyir.proofs.copies import without_copies

        order = None if scop.dependences is None else scop.dependences.data.order
        before = without_copies(scop_of(scop), keeps_marks=True)
        replace_tree(scop, Outcome(before.schedule))
        self._keep_statements_of(scop, before)
        compute = partial(compute_dependences, scop_of(scop), value_based=False)
        found = limited("the analysis of dependences", compute)
        scop.dependences = DependencesAttr(replace(found, order=order))
        GpuSynchronisePass().rewrite(scop)
        if is_checked:
            self._check(scop)
        lower_scop(scop_of(scop))

    def _keep_statements_of(self, scop: ScopOp, before: Scop) -> None:
        """Erase the statements that `before` does not have, and all local arrays."""
        kept = {body.op for body in before.bodies}
        for op in (*scop.statements, *scop.local_arrays):
            if op not in kept:
                Rewriter.erase_op(op)

    def _lower_original(self, scop: ScopOp, error: PolyirError) -> None:
        """Generate loops for the program's order, without copies and local arrays."""
        # Hardly ever needed, so that they are not part of every start.
        from polyir.proofs.copies import without_copies
        from polyir.transform.given_schedule import tree_of_map

        order = None if scop.dependences is None else scop.dependences.data.order
        if order is None or not self.fall_back:
            raise error
        missed(
            self.name,
            f"{error.message}: the loops keep their original order",
            scop,
            name="no-loops",
        )
        before = without_copies(scop_of(scop))
        replace_tree(scop, Outcome(tree_of_map(order, before.domain)))
        self._keep_statements_of(scop, before)
        lower_scop(scop_of(scop))

    def _split(self, generated: Sequence[Operation]) -> None:
        """Split the loops among `generated`, the operations generated for a scop."""
        if not any(_is_test(op) for each in generated for op in each.walk()):
            return
        # Most programs have no test to remove, and start faster without it.
        from polyir.loops.selected_subscripts import selections_as_tests, tests_as_selections
        from polyir.loops.split_loops import SplitLimits, split_loops

        around = [block for each in generated if (block := each.parent) is not None]
        selections_as_tests(generated)
        report = partial(remark, self.name)
        split_loops(
            generated, SplitLimits(), report, report, partial(missed, self.name, name="not-split")
        )
        for block in dict.fromkeys(around):
            for op in tuple(block.ops):
                tests_as_selections(op)


def _is_test(op: Operation) -> bool:
    """Whether an operation may test a loop's counter: a condition, or a selection of an index."""
    if isinstance(op, arith.SelectOp):
        return isinstance(op.result.type, IndexType)
    return isinstance(op, affine.IfOp | scf.IfOp | affine.MinOp | MaxOp)
