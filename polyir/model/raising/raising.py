"""From affine IR to static control parts: `poly.scop` operations in place of loop nests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from polyir.dialects.scop import ScopOp
from polyir.model.raising.build import build_scop
from polyir.model.raising.context import allocated_sizes
from polyir.model.raising.normalise import normalise
from polyir.model.raising.regions import Left, find_runs
from polyir.model.raising.run import Run
from polyir.model.raising.spill import spill


@dataclass(frozen=True)
class RaiseOutcome:
    """The new scops, and the operations that were not raised, with the reasons.

    Both in program order, outer operations before inner ones.
    """

    scops: tuple[ScopOp, ...]
    left: tuple[Left, ...]


def raise_function(
    function: func.FuncOp, shares_cells: bool = False, data_loops: bool = False
) -> RaiseOutcome:
    """Replace the maximal static control parts of `function` by `poly.scop` operations.

    Loops, conditions and subscripts may be affine in iterators and parameters; values that
    loops carry, or that one statement computes and another uses, become memory of rank 0.
    Loops that are never executed are removed. The rest of the function does not change. With
    `shares_cells`, loops that go on with what the loop around carries use its memory. With
    `data_loops`, inner loops whose bounds come out of memory are part of statements; else the loops
    around them stay as they are.
    """
    found = find_runs(function, data_loops)
    # Allocations in loops are moved before them; their sizes are not known to be sizes.
    sizes = allocated_sizes(function)
    # Each run is looked up in turn: the one before it may have been its neighbour.
    scops = [
        _raise_run(function, Run.of(operations), sizes, shares_cells) for operations in found.runs
    ]
    return RaiseOutcome(tuple(scop for scop in scops if scop is not None), found.left)


def raise_module(module: ModuleOp, data_loops: bool = False) -> RaiseOutcome:
    """Raise every function of `module` (`raise_function`)."""
    outcomes = [
        raise_function(op, data_loops=data_loops)
        for op in module.walk()
        if isinstance(op, func.FuncOp)
    ]
    return RaiseOutcome(
        tuple(scop for outcome in outcomes for scop in outcome.scops),
        tuple(left for outcome in outcomes for left in outcome.left),
    )


def _raise_run(
    function: func.FuncOp, run: Run, sizes: Sequence[SSAValue], shares_cells: bool
) -> ScopOp | None:
    normalise(function, run, shares_cells)
    values = spill(function, run)
    scop = build_scop(run, values, sizes)
    operations = run.operations
    if scop is not None:
        run.block.insert_op_before(scop, operations[0])
    for op in reversed(operations):
        run.block.erase_op(op)
    return scop
