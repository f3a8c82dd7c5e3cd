"""The steps that passes consist of, for whoever measures them: passes run others inside."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

Observer = Callable[[str], AbstractContextManager[None]]
"""Gets the name of a step that begins, and is left when it ends."""


def _unobserved(name: str) -> AbstractContextManager[None]:
    return nullcontext()


_observer: ContextVar[Observer] = ContextVar("polyir_inner_steps", default=_unobserved)


def inner_step(name: str) -> AbstractContextManager[None]:
    """What is done inside the `with` block is a step of its own, called as the pass that does it.

    Steps in worker processes (`polyir.limits`) are not seen.
    """
    return _observer.get()(name)


def apply_inside(inner: ModulePass, ctx: Context, module: ModuleOp) -> None:
    """Apply a pass as a step of another one, or of a target."""
    with inner_step(inner.name):
        inner.apply(ctx, module)


@contextmanager
def inner_steps_to(observer: Observer) -> Iterator[None]:
    """Show all steps inside the `with` block to `observer`."""
    token = _observer.set(observer)
    try:
        yield
    finally:
        _observer.reset(token)
