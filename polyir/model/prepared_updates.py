"""Statements that update elements, rewritten so that their updates may run in any order."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects import affine, arith, func, math, scf
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import SSAValue

from polyir.dialects.scop import ScopOp, StmtOp
from polyir.model.extrema import are_same, choice_of, simplify_extrema
from polyir.model.raising.effects import stores_in
from polyir.model.reductions import updated_arrays, updates_of
from polyir.model.scop import scop_of, statement_of
from polyir.model.splitting import names_taken, parts_of, split_statements
from polyir.model.statements import AccessKind
from polyir.model.updates import Update, update_of


def prepare_updates(op: ScopOp) -> None:
    """Prepare statements that update some element more than once for another order.

    Those with several stores are cut, and the scop may lose its dependences (`split_updates`).
    Minima and maxima are simplified (`polyir.model.extrema.simplify_extrema`), and sums of integers
    may overflow.
    """
    split_updates(op, simplify=True)
    scop = scop_of(op)
    for statement in scop.bodies:
        if update_of(statement) is None and updated_arrays(statement, scop.context):
            simplify_extrema(statement.op)
    for update in updates_of(scop_of(op)).found:
        update.chain.allow_overflow()


def may_have_exact_updates(scops: Iterable[ScopOp]) -> bool:
    """Whether updates may be the same in any order: sums of integers, minima and maxima.

    Whether they are, `has_exact_updates` says, once they are prepared.
    """
    found: list[bool] = []
    for op in scops:
        scop = scop_of(op)
        for statement in scop.bodies:
            arrays = updated_arrays(statement, scop.context)
            stores = (
                each for each in stores_in(statement.op) if isinstance(each.op, affine.StoreOp)
            )
            names = {scop.arrays[name]: name for name in arrays}
            values = [each.value for each in stores if each.memref in names]
            found += [_is_number_or_chosen(each) for each in values] or [False] * len(arrays)
    return bool(found) and all(found)


def _is_number_or_chosen(value: SSAValue) -> bool:
    """Whether a value is an integer, or may be a minimum or maximum."""
    chosen = (arith.SelectOp, arith.MaxnumfOp, arith.MinnumfOp, func.CallOp, scf.IfOp)
    return isinstance(value.type, IntegerType) or isinstance(value.owner, chosen)


def has_exact_updates(scops: Iterable[ScopOp]) -> bool:
    """Whether there are updates that may run in any order, and all give the same results in any.

    Integers that wrap around have the same sum. Minima and maxima that keep the old number beside
    NaN are the same unless there are zeros of both signs.
    """
    updates = [update for op in scops for update in updates_of(scop_of(op)).found]
    return bool(updates) and all(map(_is_exact, updates))


def _is_exact(update: Update) -> bool:
    choice = update.combiner.choice
    if isinstance(update.element_type, IntegerType):
        return True
    if choice is not None:
        choices = [choice_of(step) for step in update.chain.steps]
        return choice.keeps_old and all(
            each is not None and _has_positive_zeros(each.first) for each in choices
        )
    if update.combiner.operation not in (arith.MaxnumfOp, arith.MinnumfOp):
        return False
    combined = {*(step.results[0] for step in update.chain.steps), update.chain.load.results[0]}
    others = [each for step in update.chain.steps for each in step.operands]
    return all(_has_positive_zeros(each) for each in others if each not in combined)


def _has_positive_zeros(value: SSAValue) -> bool:
    """Whether a floating-point number is not -0.0."""
    match value.owner:
        case math.AbsFOp() | math.ExpOp() | arith.SIToFPOp() | arith.UIToFPOp():
            return True
        case arith.MulfOp(lhs=left, rhs=right):
            return left is right or are_same(left, right)
        case arith.AddfOp(lhs=left, rhs=right):
            return _has_positive_zeros(left) and _has_positive_zeros(right)
        case math.SqrtOp(operand=inner) | arith.ExtFOp(input=inner) | arith.TruncFOp(input=inner):
            return _has_positive_zeros(inner)
        case _:
            return False


def split_updates(op: ScopOp, simplify: bool = False) -> tuple[str, ...]:
    """Cut statements with several stores into parts if one of these is an update; their names.

    If there is one, the scop loses its dependences. One with local arrays stays as it is. With
    `simplify`, minima and maxima of parts are simplified, too.
    """
    found: dict[StmtOp, tuple[StmtOp, ...]] = {}
    taken = names_taken(op)
    for statement in () if op.local_arrays else scop_of(op).bodies:
        writes = [each for each in statement.accesses if each.kind is not AccessKind.READ]
        if len(writes) > 1 and updated_arrays(statement, op.context.data):
            parts = parts_of(op, statement.op, taken)
            if len(parts) > 1 and any(_is_update(op, part, simplify) for part in parts):
                found[statement.op] = parts
    if found:
        split_statements(op, found)
    return tuple(statement.sym_name.data for statement in found)


def _is_update(op: ScopOp, part: StmtOp, simplify: bool) -> bool:
    """Whether a part of a statement updates some element more than once."""
    if simplify:
        simplify_extrema(part)
    statement = statement_of(op, part)
    return update_of(statement) is not None and bool(updated_arrays(statement, op.context.data))
