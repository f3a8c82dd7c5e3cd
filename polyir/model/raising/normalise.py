"""Values that loops carry and conditionals yield become memory of rank 0.

    %s = affine.for %i = 0 to %n iter_args(%a = %zero) -> (f64) {
      ...
      affine.yield %next : f64
    }

becomes, with `%a_cell = memref.alloca() : memref<f64>` at the entry of the function,

    affine.store %zero, %a_cell[]
    affine.for %i = 0 to %n {
      %a = affine.load %a_cell[]
      ...
      affine.store %next, %a_cell[]
    }
    %s = affine.load %a_cell[]

All cells are loaded before the first one is stored, so that values may be yielded in any order.
What a parallel loop reduces becomes memory in the same way: each iteration combines its value with
the cell, in the order of the loop, which is one of the orders that MLIR allows.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import affine, func, memref, scf
from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import Block, Operation, Region, SSAValue

from polyir.dialects.reductions import combination_of, neutral_element
from polyir.model.raising.control import (
    ConditionalOp,
    LoopOp,
    branches_of,
    is_control,
    is_data_loop,
)
from polyir.model.raising.effects import ALLOCATIONS
from polyir.model.raising.parameters import ParameterFinder
from polyir.model.raising.run import Run


def normalise(function: func.FuncOp, run: Run, shares_cells: bool = False) -> None:
    """Put the values that loops of `run` carry into memory, and move invariant values before it.

    With `shares_cells`, a loop that only goes on with a value that the loop around it carries uses
    the cell of that one, so that a reduction of several loops updates one cell:

        %s = affine.for %i ... iter_args(%a = %zero) {
          %t = affine.for %j ... iter_args(%b = %a) { ... }
          affine.yield %t
        }

    Afterwards, no loop or static conditional of the run has a result, but for those that are part
    of statements, and every allocation and every parameter is before the run.
    """
    finder = run.finder()
    for inner in run.walk():
        is_carried = inner.results and is_control(inner, finder.reader)
        if is_carried and not _is_in_data_loop(inner, run, finder):
            _put_in_memory(function, inner, shares_cells)
    _move_memory(run)
    _hoist_invariant(run)


def _is_in_data_loop(op: Operation, run: Run, finder: ParameterFinder) -> bool:
    """Whether `op` is inside a loop of the run that belongs to a statement."""
    parent = op.parent_op() if op.parent is not run.block else None
    while parent is not None:
        if isinstance(parent, scf.ForOp) and is_data_loop(parent, finder.reader):
            return True
        parent = parent.parent_op() if parent.parent is not run.block else None
    return False


def new_cell(function: func.FuncOp, value: SSAValue) -> SSAValue:
    """A memref of rank 0 for `value`, allocated at the entry of `function`."""
    cell = memref.AllocaOp.get(value.type, shape=[])
    cell.location = function.location
    cell.memref.name_hint = value.name_hint
    entry = function.body.block if len(function.body.blocks) == 1 else function.body.blocks[0]
    first = entry.first_op
    assert first is not None
    entry.insert_op_before(cell, first)
    return cell.memref


def store_cell(value: SSAValue, cell: SSAValue, at: Operation) -> affine.StoreOp:
    """A store of `value`, located at `at`."""
    store = affine.StoreOp(value, cell, [])
    store.location = at.location
    return store


def load_cell(cell: SSAValue, like: SSAValue, at: Operation) -> affine.LoadOp:
    """A load, located at `at`, whose result has the name of `like`."""
    load = affine.LoadOp(cell, [])
    load.location = at.location
    load.result.name_hint = like.name_hint
    return load


def _put_in_memory(function: func.FuncOp, op: Operation, shares_cells: bool) -> None:
    if isinstance(op, affine.ForOp | scf.ForOp):
        _loop_to_memory(function, op, shares_cells)
    elif isinstance(op, affine.ParallelOp | scf.ParallelOp):
        _reduction_to_memory(function, op)
    elif isinstance(op, affine.IfOp | scf.IfOp):
        _conditional_to_memory(function, op)


def _loop_to_memory(
    function: func.FuncOp, loop: affine.ForOp | scf.ForOp, shares_cells: bool
) -> None:
    block, body = loop.parent, loop.body.block
    assert block is not None
    initial = loop.inits if isinstance(loop, affine.ForOp) else loop.iter_args
    carried = body.args[1:]
    cells: list[SSAValue] = []
    for argument, value, result in zip(carried, initial, loop.results, strict=True):
        shared = _shared_cell(loop, value, result) if shares_cells else None
        cells.append(new_cell(function, argument) if shared is None else shared)
        if shared is None:
            block.insert_op_before(store_cell(value, cells[-1], loop), loop)
    loads = [load_cell(cell, arg, loop) for cell, arg in zip(cells, carried, strict=True)]
    first = body.first_op
    assert first is not None
    body.insert_ops_before(loads, first)
    for argument, load in zip(carried, loads, strict=True):
        argument.replace_all_uses_with(load.result)
        body.erase_arg(argument)
    _store_yielded(body, cells)
    _load_results(loop, cells)
    region = loop.detach_region(loop.body)
    _replace(loop, _without_carried(loop, region))


def _reduction_to_memory(function: func.FuncOp, loop: affine.ParallelOp | scf.ParallelOp) -> None:
    block, body = loop.parent, loop.body.block
    terminator = body.last_op
    assert block is not None
    assert isinstance(terminator, affine.YieldOp | scf.ReduceOp)
    cells = [new_cell(function, result) for result in loop.results]
    for number, (cell, result) in enumerate(zip(cells, loop.results, strict=True)):
        load = load_cell(cell, result, loop)
        value = terminator.operands[number]
        if isinstance(loop, scf.ParallelOp):
            assert isinstance(terminator, scf.ReduceOp)
            initial = loop.initVals[number]
            combine = terminator.reductions[number].block
            for argument, operand in zip(combine.args, (load.result, value), strict=True):
                argument.replace_all_uses_with(operand)
            last = combine.last_op
            assert isinstance(last, scf.ReduceReturnOp)
            combined = last.result
            combine.erase_op(last)
            operations = [combine.detach_op(op) for op in tuple(combine.ops)]
        else:
            kind = loop.reductions.data[number].data
            neutral, combination = neutral_element(kind, result.type), combination_of(kind)
            assert neutral is not None
            assert combination is not None
            block.insert_op_before(neutral, loop)
            initial = neutral.result
            operations = [combination(load.result, value)]
            operations[0].location = loop.location
            combined = operations[0].results[0]
        block.insert_op_before(store_cell(initial, cell, loop), loop)
        body.insert_ops_before([load, *operations, store_cell(combined, cell, loop)], terminator)
    _load_results(loop, cells)
    body.erase_op(terminator)
    region = loop.detach_region(loop.body)
    if isinstance(loop, scf.ParallelOp):
        body.add_op(scf.ReduceOp((), ()))
        new: LoopOp = scf.ParallelOp(loop.lowerBound, loop.upperBound, loop.step, region)
    else:
        body.add_op(affine.YieldOp.get())
        properties = {**loop.properties, "reductions": ArrayAttr(())}
        operands = loop.map_operands
        new = type(loop).create(operands=operands, properties=properties, regions=[region])
    _replace(loop, new)


def _shared_cell(loop: LoopOp, initial: SSAValue, result: SSAValue) -> SSAValue | None:
    """The cell that a loop goes on with: it loads it first, and stores what it carried in it last.

    Only it uses what is loaded, and only the store what it carried; between the load and the store,
    nothing else accesses the cell. Then the store is erased.
    """
    load, block = initial.owner, loop.parent
    assert block is not None
    stores = [use.operation for use in result.uses]
    if not isinstance(load, affine.LoadOp) or len(stores) != 1 or len(list(initial.uses)) != 1:
        return None
    (store,) = stores
    cell = load.memref
    if not isinstance(store, affine.StoreOp) or store.memref is not cell or load.indices:
        return None
    if load.parent is not block or store.parent is not block:
        return None
    if not isinstance(cell.owner, memref.AllocaOp):
        return None
    users = [use.operation for use in cell.uses if block.is_ancestor(use.operation)]
    if set(users) != {load, store}:
        return None
    block.erase_op(store)
    return cell


def _without_carried(loop: affine.ForOp | scf.ForOp, body: Region) -> affine.ForOp | scf.ForOp:
    """`loop` with `body` and without iteration arguments."""
    if isinstance(loop, scf.ForOp):
        return scf.ForOp(loop.lb, loop.ub, loop.step, [], body)
    return affine.ForOp.from_region(
        loop.lowerBoundOperands,
        loop.upperBoundOperands,
        [],
        [],
        loop.lowerBoundMap,
        loop.upperBoundMap,
        body,
        loop.step,
    )


def _conditional_to_memory(function: func.FuncOp, conditional: ConditionalOp) -> None:
    cells = [new_cell(function, result) for result in conditional.results]
    for branch in branches_of(conditional):
        _store_yielded(branch.block, cells)
    _load_results(conditional, cells)
    regions = [conditional.detach_region(branch) for branch in branches_of(conditional)]
    new = type(conditional).create(
        operands=conditional.operands, properties=conditional.properties, regions=regions
    )
    _replace(conditional, new)


def _store_yielded(block: Block, cells: Sequence[SSAValue]) -> None:
    """Store what the terminator of `block` yields, and yield nothing."""
    terminator = block.last_op
    assert isinstance(terminator, affine.YieldOp | scf.YieldOp)
    stores = [
        store_cell(value, cell, terminator)
        for value, cell in zip(terminator.arguments, cells, strict=True)
    ]
    block.insert_ops_before(stores, terminator)
    terminator.operands = ()


def _load_results(op: Operation, cells: Sequence[SSAValue]) -> None:
    """Load the values that `op` left in memory after it, where they are used."""
    block = op.parent
    assert block is not None
    for result, cell in reversed(tuple(zip(op.results, cells, strict=True))):
        if any(True for _ in result.uses):
            load = load_cell(cell, result, op)
            block.insert_op_after(load, op)
            result.replace_all_uses_with(load.result)


def _replace(old: LoopOp | ConditionalOp, new: Operation) -> None:
    block = old.parent
    assert block is not None
    new.location = old.location
    new.attributes = old.attributes
    block.insert_op_before(new, old)
    block.erase_op(old)


def _move_memory(run: Run) -> None:
    """Move allocations before the run, and deallocations in its loops after it.

    The sizes of the allocations do not change in the run, and an iteration that allocates memory
    cannot depend on its previous contents.
    """
    _move_globals(run)
    finder = run.finder()
    for inner in run.walk():
        if isinstance(inner, ALLOCATIONS):
            _hoist(inner, run.first, finder)
    last = run.operations[-1]
    for inner in run.walk():
        if isinstance(inner, memref.DeallocOp):
            _detach(inner)
            run.block.insert_op_after(inner, last)


def _move_globals(run: Run) -> None:
    """Get each global that the run uses once, before the run: one value per memory."""
    finder = run.finder()
    values: dict[str, SSAValue] = {}
    for inner in run.walk():
        for position, operand in enumerate(inner.operands):
            owner = operand.owner
            if isinstance(owner, memref.GetGlobalOp):
                name = owner.name_.root_reference.data
                if name not in values and not finder.is_inside(operand):
                    values[name] = operand
                elif name not in values:
                    clone = owner.clone()
                    run.block.insert_op_before(clone, run.first)
                    values[name] = clone.memref
                inner.operands[position] = values[name]


def _hoist_invariant(run: Run) -> None:
    """Move operations that only depend on earlier values before the run.

    These are pure operations directly in the run, and parameters computed anywhere in it.
    """
    finder = run.finder()
    for inner in run.walk():
        finder.collect(inner)
    computed = [result for op in run.operations for result in op.results]
    for value in (*computed, *finder.parameters):
        owner = value.owner
        if finder.is_inside(value) and finder.is_invariant(value):
            assert isinstance(owner, Operation)
            _hoist(owner, run.first, finder)


def _hoist(op: Operation, target: Operation, finder: ParameterFinder) -> None:
    """Move `op` before `target`, after the operations that it uses."""
    if op.parent is target.parent and op.is_before_in_block(target):
        return
    for operand in op.operands:
        if finder.is_inside(operand) and isinstance(operand.owner, Operation):
            _hoist(operand.owner, target, finder)
    _detach(op)
    block = target.parent
    assert block is not None
    block.insert_op_before(op, target)


def _detach(op: Operation) -> None:
    assert op.parent is not None
    op.parent.detach_op(op)
