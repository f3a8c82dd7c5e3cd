"""Operations on memory that other threads may change at the same time."""

from __future__ import annotations

from xdsl.dialects import memref

from polyir.dialects.affine_semantics import REDUCTION_KINDS
from polyir.target.abi import ATOMIC, Scalar, scalar_type
from polyir.target.c.affine import linear_index
from polyir.target.c.body import Body
from polyir.target.c.helpers import HELPERS
from polyir.target.c.memory import flat_pointer
from polyir.target.c.syntax import CallStatement, Name
from polyir.target.errors import unsupported


def translate_atomic(body: Body, op: memref.AtomicRMWOp) -> None:
    """A call of a helper, by GCC's built-in functions for atomic operations."""
    kind = REDUCTION_KINDS[op.kind.value.data]
    function, type = f"{ATOMIC}{kind}", scalar_type(op.value.type, op)
    if not body.dialect.has_vectors or function not in HELPERS or type is not Scalar.INT64:
        what = f"memref.atomic_rmw {kind} on {type.value}"
        raise unsupported(op, f"{what} is not supported by {body.dialect.target}")
    array = body.array(op.memref)
    place = linear_index([body.value(index) for index in op.indices], array.extents)
    arguments = (flat_pointer(array), place, body.value(op.value))
    if not body.is_live(op.result):
        body.add(CallStatement(function, arguments))
        return
    variable = body.names.for_value(op.result, "t")
    body.bind(op.result, Name(type, variable))
    body.add(CallStatement(function, arguments, type, variable))
