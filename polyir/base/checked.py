"""What a check gives up on is never silent: a remark, or an error where checks are required."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from xdsl.ir import Operation

from polyir.base.diagnostics import PolyirError, location_of, remark

_are_required: ContextVar[bool] = ContextVar("polyir_checks_are_required", default=False)


class UncheckedError(PolyirError):
    """Something is not checked that must be, as checks are required."""

    name = "not-checked"


@contextmanager
def checks_required() -> Iterator[None]:
    """Inside the `with` block, what is not checked is an error."""
    token = _are_required.set(True)
    try:
        yield
    finally:
        _are_required.reset(token)


def not_checked(pass_name: str, why: str, op: Operation) -> None:
    """Report that a check was not made, or gave up; `why` names it.

    Raises `UncheckedError` inside `checks_required`.
    """
    if _are_required.get():
        raise UncheckedError(f"not checked: {why} (--require-checked)", location_of(op))
    remark(pass_name, f"not checked: {why}", op)
