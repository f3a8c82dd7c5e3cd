"""What becomes of a function for which schedules are chosen: its trees, and loops made of them."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import partial

from xdsl.dialects import affine
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, Region

from polyir.base.diagnostics import PolyirError, Remark, remark, report
from polyir.base.inner_steps import apply_inside, inner_step, programs_are_shown
from polyir.base.limits import limited
from polyir.choose.candidates import Candidate, Candidates, iteration_arrays, remarks_in
from polyir.choose.machine import Machine
from polyir.choose.mixtures import Mixture
from polyir.choose.remarks import PASS_NAME
from polyir.choose.sizes import LINE_BYTES, PACKED_ELEMENTS
from polyir.choose.strategies import made
from polyir.choose.versions import LeastWork
from polyir.dialects.loop_attributes import UNROLLED_ITERATIONS
from polyir.dialects.scop import ScopOp, scops_in
from polyir.loops.iteration_spaces import is_loop
from polyir.loops.loop_ranges import ranges_of
from polyir.loops.versions import (
    SEVERAL_THREADS,
    SEVERAL_THREADS_OTHERWISE,
    VERSIONS,
    add_version,
    entry_test,
)
from polyir.model.outcome import replace_tree, require_outcome
from polyir.model.scop import scop_of
from polyir.proofs.remembered import remember_proof
from polyir.transform.promoted_scop import promote

Shown = Callable[[str], AbstractContextManager[None]]


@dataclass(frozen=True)
class Version:
    """The trees of a mixture, which run where there is a `least` work; `None` if that is any."""

    mixture: Mixture
    least: LeastWork | None = None


def replace_by(candidates: Candidates, best: Version, middle: Version | None = None) -> None:
    """Give a function the trees of a mixture, and make loops of them, with vectors where chosen.

    Where there is less work than the `least` of the best version, the one for the middle runs, and
    where there is too little for that, the original order. What is done for the best one is shown
    as steps of the program that the function is in.
    """
    function, least = candidates.function, best.least
    original = ModuleOp([function.clone()])
    entry = last = _entry_test(function, least)
    if least is not None and entry is not None:
        if middle is not None:
            last = _entry_test(function, middle.least)
        _say_limits(function, least, middle)
    copy = _loops_of(candidates, best.mixture, is_shown=True)
    if middle is not None and entry is not None:
        with remarks_in([]):
            other = _loops_of(candidates, middle.mixture)
        is_for_threads = middle.least is not None and middle.least.several_threads
        add_version(copy, other, entry, *[SEVERAL_THREADS_OTHERWISE] * is_for_threads)
    if least is not None and last is not None:
        with _shown_step("versions for sizes", function, copy):
            apply_inside(made("lower-poly"), candidates.ctx, original)
            several = [SEVERAL_THREADS] if least.several_threads else []
            add_version(copy, function_of(original), last, VERSIONS, *several)
    give_body(function, copy.detach_region(copy.body))


def _entry_test(function: FuncOp, least: LeastWork | None) -> Block | None:
    if least is None:
        return None
    return entry_test(function, least.products, least.amount, least.limits)


def _say_limits(function: FuncOp, least: LeastWork, middle: Version | None) -> None:
    """Remarks on when another version runs than the best one, which needs the `least` work."""
    last: LeastWork | None = least
    if middle is not None:
        name, last = middle.mixture.best.strategy.name, middle.least
        is_for_threads = last is not None and last.several_threads and not least.several_threads
        where = " on several threads" if is_for_threads else ""
        remark(PASS_NAME, f"with {least.text}, {name} runs{where}", function)
    if last is not None and last.text:
        remark(PASS_NAME, f"with {last.text}, the original order runs", function)
    if least.several_threads:
        remark(PASS_NAME, "on one thread, the original order is as fast", function)


def _loops_of(candidates: Candidates, mixture: Mixture, is_shown: bool = False) -> FuncOp:
    """A function with the loops of a mixture; what is done may be shown as steps."""
    best, function = mixture.best, candidates.function
    module = candidates.with_memory(best.memory)
    copy = function_of(module)
    said = list(remarks_on(candidates, mixture))
    if is_shown and programs_are_shown():
        _show_passes(candidates, best, said)
    shown = partial(_shown_step, function=function, copy=copy)
    step = shown if is_shown else lambda _: nullcontext()
    others = ", ".join(dict.fromkeys(each.strategy.name for each, _ in mixture.others))
    with step(f"nests of {others}") if others else nullcontext():
        give_trees(copy, mixture)
        for each in said:
            report(each)
    if best.strategy.copies_temporaries:
        with step("promote-private"):
            for scop in scops_in(copy):
                _keep_in_iterations(scop)
    with step("lower-poly"):
        apply_inside(made("lower-poly"), candidates.ctx, module)
    assert isinstance(candidates.machine, Machine)
    _improve_loops(copy, mixture.is_packed, candidates.machine.vector_bits, step)
    return copy


def give_trees(function: FuncOp, mixture: Mixture) -> None:
    """Give the scops of a function the trees of a mixture.

    Raises `TypeError` or `ValueError` if they are of other statements, which would be wrong code.
    """
    for scop, outcome in zip(scops_in(function), mixture.trees, strict=True):
        require_outcome(outcome, scop_of(scop))
        replace_tree(scop, outcome)
        if outcome.proved:
            remember_proof(scop)


def _show_passes(candidates: Candidates, candidate: Candidate, said: list[Remark]) -> None:
    """Do the passes of a candidate once more, as steps of the program.

    What they say again is reported of the step, and taken out of `said`.
    """
    function, strategy = candidates.function, candidate.strategy
    module = ModuleOp([function.clone()])
    # Where isl crashes, the tree that was chosen is shown all the same.
    with suppress(PolyirError):
        for each in (*strategy.before, *candidates.steps_of(strategy)):
            again: list[Remark] = []
            name = str(each.pipeline_pass_spec())
            with _shown_step(name, function, function_of(module)):
                with remarks_in(again):
                    each.apply(candidates.ctx, module)
                for one in again:
                    if one in said:
                        said.remove(one)
                        report(one)


def remarks_on(candidates: Candidates, mixture: Mixture) -> Iterator[Remark]:
    """What passes said of the nests that are taken from a candidate and from others."""
    known = frozenset(name for model in candidates.models for name in model.statements)
    gone = frozenset(name for _, names in mixture.others for name in names)
    for each in mixture.best.remarks:
        named = known.intersection(re.findall(r"\w+", each.message))
        if not named or named - gone:
            yield each
    for other, names in mixture.others:
        for each in other.remarks:
            if names.intersection(re.findall(r"\w+", each.message)):
                yield each


def _keep_in_iterations(op: ScopOp) -> None:
    """Let iterations have their temporaries for themselves."""
    plan = limited("the promotion", lambda: iteration_arrays(scop_of(op)), ir=op)
    if plan.arrays:
        promote(op, plan, "promote-private", LINE_BYTES, value_based=False)


def _improve_loops(function: FuncOp, packed: bool, bits: int, step: Shown) -> None:
    """Make vector code of the loops that were chosen for it, and keep elements in SSA values.

    Vectors have at most so many `bits`.

    Loops may read operands from contiguous arrays if they are to be `packed`. What is done is a
    `step` by the name of a pass.
    """
    from polyir.loops.common_values import share_values
    from polyir.loops.inner_vectors import mark_inner_vectors
    from polyir.loops.packing import pack
    from polyir.loops.scalar_replacement import scalar_replacement
    from polyir.loops.vectorize import vectorize

    with step("vectorize"):
        said = partial(remark, "vectorize")
        mark_inner_vectors(function, bits)
        vectorize(function, said, said)
    if packed:
        with step("pack"):
            pack(function, PACKED_ELEMENTS, LINE_BYTES, partial(remark, "pack"), ahead=True)
    with step("scalar-replacement"):
        kept = partial(remark, "scalar-replacement")
        scalar_replacement(function, 1, kept, lambda *reason: None)
        for loop in tuple(_unrolled_nests(function)):
            scalar_replacement(loop, sys.maxsize, kept, lambda *reason: None)
        share_values([function])


def _unrolled_nests(root: Operation) -> Iterator[affine.ForOp]:
    """The outermost loops of nests that C compilers unroll as a whole."""
    for region in root.regions:
        for op in (op for block in region.blocks for op in block.ops):
            loops = [each for each in op.walk() if is_loop(each)]
            if isinstance(op, affine.ForOp) and all(map(_is_unrolled, loops)):
                yield op
            else:
                yield from _unrolled_nests(op)


def _is_unrolled(loop: Operation) -> bool:
    """Whether a loop has a small constant number of iterations."""
    ranges = ranges_of(loop) if isinstance(loop, affine.ForOp) else ()
    if len(ranges) != 1 or not ranges[0].step:
        return False
    bounds = (*ranges[0].lower, *ranges[0].upper)
    if not all(bound.is_constant for bound in bounds):
        return False
    first = max(bound.constant for bound in ranges[0].lower)
    last = min(bound.constant for bound in ranges[0].upper)
    return last - first <= UNROLLED_ITERATIONS * ranges[0].step


def function_of(module: ModuleOp) -> FuncOp:
    """The one function of a module."""
    (function,) = module.ops
    assert isinstance(function, FuncOp)
    return function


@contextmanager
def _shown_step(name: str, function: FuncOp, copy: FuncOp) -> Iterator[None]:
    """Let what is done to `copy` inside the `with` block be a step of the program of `function`.

    If programs are shown, the function then has the body of the copy.
    """
    program = function.get_toplevel_object()
    if not programs_are_shown() or not isinstance(program, ModuleOp):
        yield
        return
    with inner_step(name, program):
        yield
        give_body(function, copy.body.clone())


def give_body(function: FuncOp, body: Region) -> None:
    """Let a function have another body; the one that it has is erased."""
    function.detach_region(function.body).erase()
    function.add_region(body)
