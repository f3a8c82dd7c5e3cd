"""Operations on memory that other threads may change at the same time."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from xdsl.dialects import memref

from polyir.dialects.affine_semantics import atomic_kind
from polyir.target.abi import ATOMIC, Scalar, orders_threads, scalar_type
from polyir.target.c.affine import linear_index
from polyir.target.c.body import Body
from polyir.target.c.helpers import HELPERS
from polyir.target.c.memory import flat_pointer
from polyir.target.c.syntax import AtomicUpdate, CallStatement, Element, Name
from polyir.target.errors import unsupported

_OPERATORS: Final = MappingProxyType(
    {
        "addf": "+",
        "addi": "+",
        "mulf": "*",
        "muli": "*",
        "maxs": ">",
        "mins": "<",
        "andi": "&",
        "ori": "|",
    }
)
"""The operators of `AtomicUpdate` by the kinds of `memref.atomic_rmw`."""


def translate_atomic(body: Body, op: memref.AtomicRMWOp) -> None:
    """An update that is one step for all threads, which may order memory."""
    if orders_threads(op):
        _call_helper(body, op)
    else:
        _update(body, op)


def _call_helper(body: Body, op: memref.AtomicRMWOp) -> None:
    """A call of a helper, by GCC's built-in functions for atomic operations."""
    kind = atomic_kind(op)
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


def _update(body: Body, op: memref.AtomicRMWOp) -> None:
    """An update by OpenMP."""
    kind = atomic_kind(op)
    if not body.dialect.has_vectors or kind not in _OPERATORS:
        what = f"an atomic update '{kind}'"
        raise unsupported(op, f"{what} is not supported by {body.dialect.target}")
    target = body.element(op.memref, [body.value(index) for index in op.indices])
    assert isinstance(target, Element)
    body.add(AtomicUpdate(target, _OPERATORS[kind], body.value(op.value), body.openmp))
