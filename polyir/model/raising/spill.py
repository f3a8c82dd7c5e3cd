"""Values that one part of a run computes and another uses become memory of rank 0.

A value is recomputed where it is used if its loads still return the same values there.
Otherwise, it is stored where it is computed, and loaded where it is used:

    %x = affine.load %A[%i]                 %x = affine.load %A[%i]
                                            affine.store %x, %x_cell[]
    affine.for %j = 0 to %n {        =>     affine.for %j = 0 to %n {
                                              %x_1 = affine.load %x_cell[]
      affine.store %x, %A[%j]                 affine.store %x_1, %A[%j]
    }                                       }
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import affine, func
from xdsl.ir import Operation, SSAValue, Use

from polyir.model.raising.normalise import load_cell, new_cell, store_cell
from polyir.model.raising.run import Run
from polyir.model.raising.values import RunValues


@dataclass(frozen=True)
class _Spill:
    """`value` must be kept in memory for its use in `user`, or after the run (`None`)."""

    value: SSAValue
    user: Operation | None


def spill(function: func.FuncOp, run: Run) -> RunValues:
    """Keep values in memory that cannot be recomputed; returns the new order and data flow.

    Afterwards, no value of the run is used after it, and every operation that a root depends on is
    in its segment or can be executed again at the root.
    """
    cells: dict[SSAValue, SSAValue] = {}
    while True:
        values = RunValues(run.operations, run.finder().reader)
        needed = _needed(run, values)
        if needed is None:
            break
        if needed.value not in cells:
            cells[needed.value] = new_cell(function, needed.value)
            _store(needed.value, cells[needed.value])
        _load(run, needed, cells[needed.value], values)
    _compute_behind(run, values)
    return values


def _needed(run: Run, values: RunValues) -> _Spill | None:
    """The first value that must be kept in memory."""
    for root in values.roots:
        found = _needed_by(root, values)
        if found is not None:
            return found
    for value in _used_behind(run, values):
        if not _is_stable(value, None, values):
            return _Spill(value, None)
    return None


def _needed_by(root: Operation, values: RunValues) -> _Spill | None:
    """A value from another segment that `root` uses and that has changed."""
    waiting, seen = [root], {root: None}
    while waiting:
        user = waiting.pop()
        for value, owner in values.producers(user):
            if values.segment[owner] != values.segment[root]:
                if not _is_stable(value, root, values):
                    return _Spill(value, user)
            elif owner not in seen:
                seen[owner] = None
                waiting.append(owner)
    return None


def _is_stable(value: SSAValue, target: Operation | None, values: RunValues) -> bool:
    """Whether recomputing `value` at `target` gives the same result."""
    owner = value.owner
    assert isinstance(owner, Operation)
    sources = (*values.slice_of(owner), owner)
    return not any(values.conflicts(source, target) for source in sources)


def _store(value: SSAValue, cell: SSAValue) -> None:
    """Store a value where it is computed."""
    owner = value.owner
    assert isinstance(owner, Operation)
    _insert_after(store_cell(value, cell, owner), owner)


def _load(run: Run, needed: _Spill, cell: SSAValue, values: RunValues) -> None:
    """Load a value where it is needed."""
    value, user = needed.value, needed.user
    if user is None:
        # The store of the value is not a use after the run, though it is not in `values`.
        uses = [use for use in _uses_behind(value, values) if not _is_store_to(use, cell)]
        load = load_cell(cell, value, run.operations[-1])
        _insert_after(load, run.operations[-1])
    else:
        uses = [use for use in value.uses if user.is_ancestor(use.operation)]
        load = load_cell(cell, value, user)
        assert user.parent is not None
        user.parent.insert_op_before(load, user)
    _replace_uses(uses, load.result)


def _compute_behind(run: Run, values: RunValues) -> None:
    """Recompute values after the run for their uses there."""
    used = _used_behind(run, values)
    needed: dict[Operation, None] = {}
    for value in used:
        owner = value.owner
        assert isinstance(owner, Operation)
        needed |= dict.fromkeys((*values.slice_of(owner), owner))
    clones: dict[SSAValue, SSAValue] = {}
    last = run.operations[-1]
    for op in sorted(needed, key=values.position.__getitem__):
        clone = op.clone(clones)
        _insert_after(clone, last)
        last = clone
    for value in used:
        _replace_uses(_uses_behind(value, values), clones[value])


def _used_behind(run: Run, values: RunValues) -> tuple[SSAValue, ...]:
    """The values of the run that are used after it."""
    results = (result for op in run.operations for result in op.results)
    return tuple(result for result in results if _uses_behind(result, values))


def _uses_behind(value: SSAValue, values: RunValues) -> list[Use]:
    return [use for use in value.uses if not values.contains(use.operation)]


def _is_store_to(use: Use, cell: SSAValue) -> bool:
    return isinstance(use.operation, affine.StoreOp) and use.operation.memref is cell


def _replace_uses(uses: Sequence[Use], value: SSAValue) -> None:
    for use in uses:
        use.operation.operands[use.index] = value


def _insert_after(op: Operation, existing: Operation) -> None:
    assert existing.parent is not None
    existing.parent.insert_op_after(op, existing)
