"""Whether computing something a second time takes time that counts."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects.builtin import IndexType
from xdsl.ir import Operation

from polyir.dialects.pure_functions import is_pure_call

_QUICK = frozenset(
    (
        *("constant", "negf"),
        *("bitcast", "extf", "extsi", "extui", "fptosi", "fptoui", "index_cast", "index_castui"),
        *("sitofp", "truncf", "trunci", "uitofp"),
    )
)

_QUICK_FUNCTIONS = frozenset(("absf", "absi", "copysign", "fma"))

_DIVISIONS = frozenset(
    (
        *("div", "divf", "remf"),
        *("ceildivsi", "ceildivui", "divsi", "divui", "floordivsi", "remsi", "remui"),
    )
)


def is_work(op: Operation) -> bool:
    """Whether `op`, or something inside it, computes.

    Loads, constants, conversions and addresses do not count: to repeat them costs little, and they
    are often repeated anyway.
    """
    return any(map(_computes, op.walk()))


def is_much_work(operations: Iterable[Operation]) -> bool:
    """Whether operations are more than one sum or product; a division or a function is enough."""
    work = [inner for op in operations for inner in op.walk() if _computes(inner)]
    return len(work) > 1 or any(map(_takes_long, work))


def _computes(op: Operation) -> bool:
    dialect, _, name = op.name.partition(".")
    if all(isinstance(result.type, IndexType) for result in op.results):
        return False
    return is_pure_call(op) or (dialect in ("arith", "complex", "math") and name not in _QUICK)


def _takes_long(op: Operation) -> bool:
    dialect, _, name = op.name.partition(".")
    if dialect == "math":
        return name not in _QUICK_FUNCTIONS
    return name in _DIVISIONS or is_pure_call(op)
