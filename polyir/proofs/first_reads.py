"""Which of two accesses is executed first, where loops around both may reverse their textual order.

In

    affine.for %t = 0 to 9 {
      affine.if affine_set<(d0) : (d0 - 5 >= 0)>(%t) { load }
      affine.if affine_set<(d0) : (d0 == 0)>(%t) { store }
    }

the store comes first.
"""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects import affine, gpu, memref, scf
from xdsl.ir import BlockArgument, Operation, Region, SSAValue

_LOOPS = (affine.ForOp, affine.ParallelOp, scf.ForOp, scf.ParallelOp, scf.WhileOp)

Chain = tuple[Operation, ...]
"""An operation with all operations around it, the outermost first."""


def chain_of(op: Operation, launch: Operation) -> Chain:
    """The operations around one in a kernel, and around the launch of this kernel."""
    inside = _with_ancestors(op)
    return inside if launch in inside else (*_with_ancestors(launch), *inside)


def _with_ancestors(op: Operation) -> Chain:
    found: list[Operation] = []
    inner: Operation | None = op
    while inner is not None:
        found.append(inner)
        inner = inner.parent_op()
    return tuple(reversed(found))


def may_be_executed_later(load: Chain, store: Chain) -> bool:
    """Whether a store, later in the text, may be executed before the first execution of a load.

    That needs a loop around both, in whose first iterations a condition or a loop around the load
    alone may keep it from being executed.
    """
    common = 0
    while common < min(len(load), len(store)) and load[common] is store[common]:
        common += 1
    loops = [op for op in load[:common] if op.name in _LOOP_NAMES]
    if not loops:
        return False
    alone = load[common:]
    if common < min(len(load), len(store)):
        # The branches of one condition.
        inside, other = load[common].parent_region(), store[common].parent_region()
        if inside is not other and load[common - 1] is load[common].parent_op():
            alone = load[common - 1 :]
    launches = [op for op in load if isinstance(op, gpu.LaunchFuncOp)]
    varying = _Varying(loops, launches)
    return any(varying.depends(op.operands) for op in alone if op.name in _CONDITIONAL_NAMES)


_LOOP_NAMES = frozenset(loop.name for loop in _LOOPS)
"""xDSL's operations, and those that are corrected, by name."""

_CONDITIONAL_NAMES = _LOOP_NAMES | {affine.IfOp.name, scf.IfOp.name, scf.IndexSwitchOp.name}
"""What may not execute the operations inside it."""


class _Varying:
    """What may change from one iteration of some nested loops to the next.

    A parameter of a kernel is what the launch passes.
    """

    def __init__(self, loops: list[Operation], launches: list[gpu.LaunchFuncOp]) -> None:
        self._loops = loops
        self._launches = launches

    def depends(self, values: Iterable[SSAValue]) -> bool:
        """Whether one of the values may change."""
        return any(self._varies(value) for value in values)

    def _varies(self, value: SSAValue) -> bool:
        owner = value.owner
        around = owner if isinstance(owner, Operation) else owner.parent_op()
        if isinstance(around, gpu.FuncOp) and isinstance(value, BlockArgument):
            return any(
                self._varies(launch.kernelOperands[value.index])
                for launch in self._launches
                if value.index < len(launch.kernelOperands)
            )
        in_kernel = around is not None and any(
            isinstance(op, gpu.FuncOp) for op in _with_ancestors(around)
        )
        in_loop = around is not None and any(_is_inside(around, loop) for loop in self._loops)
        if around is None or not (in_kernel or in_loop):
            return False
        if isinstance(value, BlockArgument):
            if isinstance(around, gpu.LaunchOp):
                # The numbers of blocks and threads, and of how many there are.
                return self.depends(around.operands)
            # The iterator of one of the loops, or of another one, or a carried value.
            is_iterator = value.index == 0 and around.name in _LOOP_NAMES
            return around in self._loops or not is_iterator or self.depends(around.operands)
        assert isinstance(owner, Operation)
        if isinstance(owner, gpu.BlockIdOp | gpu.ThreadIdOp | memref.DimOp):
            return False
        is_computed = owner.name.startswith(("arith.", "affine.apply", "affine.min", "affine.max"))
        return not is_computed or self.depends(owner.operands)


def _is_inside(op: Operation, loop: Operation) -> bool:
    inner: Operation | None = op
    while inner is not None:
        if inner is loop:
            return True
        parent: Region | None = inner.parent_region()
        inner = None if parent is None else parent.parent_op()
    return False
