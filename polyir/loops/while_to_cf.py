"""`scf.while` as branches; xDSL's `convert-scf-to-cf` converts other loops and conditionals."""

from __future__ import annotations

from xdsl.dialects import cf, scf
from xdsl.ir import Operation
from xdsl.rewriter import BlockInsertPoint, Rewriter


def convert_while_to_cf(root: Operation) -> None:
    """Replace every `scf.while` below `root`; its blocks go to the region around it.

    As in MLIR, the block that follows takes the loop's results as arguments. The regions of loops
    around it may have several blocks afterwards, until those are converted too.
    """
    for op in tuple(root.walk()):
        if isinstance(op, scf.WhileOp):
            _convert(op)


def _convert(op: scf.WhileOp) -> None:
    block = op.parent_block()
    assert block is not None
    following = block.split_before(op)
    for position, result in enumerate(op.results):
        argument = following.insert_arg(result.type, position)
        argument.name_hint = result.name_hint
        result.replace_all_uses_with(argument)
    before, after = op.before_region.blocks[0], op.after_region.blocks[0]
    condition, end = op.before_region.blocks[-1].last_op, op.after_region.blocks[-1].last_op
    assert isinstance(condition, scf.ConditionOp)
    assert isinstance(end, scf.YieldOp)
    block.add_op(cf.BranchOp(before, *op.arguments))
    branch = cf.ConditionalBranchOp(
        condition.condition, after, condition.args, following, condition.args
    )
    Rewriter.replace_op(condition, branch)
    Rewriter.replace_op(end, cf.BranchOp(before, *end.arguments))
    for region in (op.before_region, op.after_region):
        Rewriter.inline_region(region, BlockInsertPoint.before(following))
    Rewriter.erase_op(op)
