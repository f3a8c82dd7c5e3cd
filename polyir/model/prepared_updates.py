"""Statements that update elements, rewritten so that their updates may run in any order."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects.builtin import IntegerType, MemRefType
from xdsl.ir import Attribute

from polyir.dialects.scop import ScopOp, StmtOp
from polyir.model.extrema import simplify_extrema
from polyir.model.reductions import updated_arrays, updates_of
from polyir.model.scop import scop_of, statement_of
from polyir.model.splitting import names_taken, parts_of, split_statements
from polyir.model.statements import AccessKind
from polyir.model.updates import update_of


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


def are_of_integers(scops: Iterable[ScopOp]) -> bool:
    """Whether statements update some elements more than once, and all of these are integers.

    Integers that wrap around have the same sum in any order.
    """
    types: list[Attribute] = []
    for op in scops:
        scop = scop_of(op)
        for statement in scop.bodies:
            for name in updated_arrays(statement, scop.context):
                array = scop.arrays[name].type
                types.append(array.element_type if isinstance(array, MemRefType) else array)
    return bool(types) and all(isinstance(each, IntegerType) for each in types)


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
