"""Parallel loops as OpenMP: a team of threads that share the iterations.

An array that each iteration has for itself is one of the thread: it is allocated once for all
iterations that the thread runs.

The variable of an `omp.loop_nest` is not a valid operand of affine maps: operations in the loop's
body that depend on it become scf, memref and arith operations; the rest stays affine. The
attributes of a parallel loop become those of its `omp.wsloop`.
"""

from __future__ import annotations

from xdsl.builder import Builder
from xdsl.dialects import affine, memref, omp, scf
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from polyir.loops.affine_to_scf import constant_index, legalize_affine, parallel_loop_bounds
from polyir.model.iteration_arrays import arrays_of_iterations

ParallelLoop = affine.ParallelOp | scf.ParallelOp


def convert_parallel_to_omp(root: Operation) -> tuple[ParallelLoop, ...]:
    """Convert the outermost parallel loops below `root` to `omp.parallel` around `omp.wsloop`.

    Inner parallel loops keep their form: the team runs each of its iterations in one thread.
    Returns the loops that are not converted because they compute a reduction.
    """
    left: list[ParallelLoop] = []
    for region in root.regions:
        for block in region.blocks:
            for op in tuple(block.ops):
                # A loop without counters runs once: it has nothing to share.
                if not isinstance(op, ParallelLoop) or not op.body.block.args:
                    left += convert_parallel_to_omp(op)
                elif op.results:
                    left.append(op)
                else:
                    _convert(op)
    return tuple(left)


def _convert(op: ParallelLoop) -> None:
    """Replace one parallel loop, whose bounds are computed in front of the team."""
    builder = Builder(InsertPoint.before(op))
    lower, upper, steps = _range(op, builder)
    body = Region()
    op.body.move_blocks(body)
    last = body.block.last_op
    if isinstance(last, affine.YieldOp | scf.ReduceOp):
        Rewriter.erase_op(last)
    body.block.add_op(omp.YieldOp())
    arrays = arrays_of_iterations(body.block)
    for allocation, free in arrays:
        allocation.detach()
        free.detach()
    nest = omp.LoopNestOp.build(operands=[lower, upper, steps], regions=[body])
    loop = omp.WsLoopOp.build(operands=[[]] * 6 + [None], regions=[Region(Block([nest]))])
    loop.attributes.update(op.attributes)
    allocations, frees = zip(*arrays, strict=True) if arrays else ((), ())
    team = omp.ParallelOp.build(
        operands=[[], [], None, None, [], []],
        regions=[Region(Block([*allocations, loop, *frees, omp.TerminatorOp()]))],
    )
    for new in (nest, loop, team):
        new.location = op.location
    builder.insert(team)
    Rewriter.erase_op(op)
    for inner in tuple(nest.body.block.ops):
        legalize_affine(inner)


def _range(
    op: ParallelLoop, builder: Builder
) -> tuple[list[SSAValue], list[SSAValue], list[SSAValue]]:
    """The lower bounds, the exclusive upper bounds and the steps."""
    if isinstance(op, scf.ParallelOp):
        return list(op.lowerBound), list(op.upperBound), list(op.step)
    lower, upper = parallel_loop_bounds(op, builder)
    return lower, upper, [constant_index(step.value.data, builder) for step in op.steps]


def convert_omp_to_parallel(root: Operation) -> None:
    """Convert the teams below `root` that run one loop nest back to `scf.parallel`.

    Each iteration allocates what the threads had, on the heap or on the stack. Other teams stay,
    and so do those with clauses, which parallel loops cannot express.
    """
    for op in tuple(root.walk()):
        if isinstance(op, omp.ParallelOp):
            _convert_team(op)


def _convert_team(op: omp.ParallelOp) -> None:
    arrays = arrays_of_iterations(op.region.block)
    ends: list[Operation] = [each for array in arrays for each in array]
    on_stack = [
        each
        for each in op.region.block.ops
        if isinstance(each, memref.AllocaOp) and not each.operands
    ]
    others = [each for each in op.region.block.ops if each not in (*ends, *on_stack)]
    loop = others[0]
    if op.operands or not isinstance(loop, omp.WsLoopOp) or loop.operands:
        return
    nest = loop.body.block.first_op
    is_only = isinstance(others[1], omp.TerminatorOp)
    if not is_only or not isinstance(nest, omp.LoopNestOp) or nest.loop_inclusive is not None:
        return
    body = Region()
    nest.body.move_blocks(body)
    last = body.block.last_op
    if isinstance(last, omp.YieldOp):
        Rewriter.erase_op(last)
    for allocation, free in arrays:
        allocation.detach()
        free.detach()
        Rewriter.insert_op(allocation, InsertPoint.at_start(body.block))
        body.block.add_op(free)
    for array in on_stack:
        array.detach()
        Rewriter.insert_op(array, InsertPoint.at_start(body.block))
    body.block.add_op(scf.ReduceOp())
    parallel = scf.ParallelOp(nest.lowerBound, nest.upperBound, nest.step, body)
    parallel.location = op.location
    parallel.attributes.update(loop.attributes)
    Rewriter.replace_op(op, parallel)
