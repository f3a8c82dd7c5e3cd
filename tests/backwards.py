"""Programs whose parallel loops run backwards: a dependence in one of them changes the results."""

from __future__ import annotations

from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import ModuleOp, StringAttr, SymbolRefAttr
from xdsl.ir import Block, Region
from xdsl.rewriter import Rewriter

PREFIX = "backwards_"
"""What the names of functions begin with."""


def backwards(module: ModuleOp) -> ModuleOp:
    """A copy of loops whose parallel loops run one iteration after the other, the last one first.

    These are loops with one counter and the step 1, as inspectors are for. Functions get names with
    a prefix, so that they go beside the original ones.
    """
    result = module.clone()
    for op in result.walk():
        if isinstance(op, func.FuncOp):
            op.sym_name = StringAttr(f"{PREFIX}{op.sym_name.data}")
        elif isinstance(op, func.CallOp):
            op.callee = SymbolRefAttr(f"{PREFIX}{op.callee.root_reference.data}")
    loops = [op for op in result.walk() if isinstance(op, scf.ParallelOp)]
    for loop in reversed(loops):
        if len(loop.body.block.args) == 1 and not loop.results:
            _run_backwards(loop)
    result.verify()
    return result


def with_backwards(*modules: ModuleOp) -> ModuleOp:
    """The functions of modules of loops, and those that run backwards."""
    both = [*modules, *map(backwards, modules)]
    return ModuleOp([op.clone() for module in both for op in module.body.block.ops])


def _run_backwards(loop: scf.ParallelOp) -> None:
    (lower,), (upper,), (step,) = loop.lowerBound, loop.upperBound, loop.step
    old = loop.body.block
    body = Block(arg_types=[old.args[0].type])
    last = arith.SubiOp(upper, step)
    distance = arith.SubiOp(body.args[0], lower)
    counter = arith.SubiOp(last.result, distance.result)
    body.add_ops([distance, counter])
    old.args[0].replace_all_uses_with(counter.result)
    for op in tuple(old.ops):
        if op is not old.last_op:
            op.detach()
            body.add_op(op)
    body.add_op(scf.YieldOp())
    Rewriter.replace_op(loop, [last, scf.ForOp(lower, upper, step, [], Region(body))], [])
