"""The steps that passes consist of, for whoever measures them: passes run others inside."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

Observer = Callable[[str, ModuleOp], AbstractContextManager[None]]
"""Gets the name of a step that begins and what it works on, and is left when it ends."""


def _unobserved(name: str, module: ModuleOp) -> AbstractContextManager[None]:
    return nullcontext()


_observer: ContextVar[Observer] = ContextVar("polyir_inner_steps", default=_unobserved)
_is_shown: ContextVar[bool] = ContextVar("polyir_programs_are_shown", default=False)


def programs_are_shown() -> bool:
    """Whether an observer looks at the program after each step.

    A pass that has tried steps on copies then does those that it takes to the program, one by one.
    """
    return _is_shown.get()


def inner_step(name: str, module: ModuleOp) -> AbstractContextManager[None]:
    """What is done to `module` inside the `with` block is a step of its own.

    It is called as the pass that does it. Steps in worker processes are not seen.
    """
    return _observer.get()(name, module)


def apply_inside(inner: ModulePass, ctx: Context, module: ModuleOp) -> None:
    """Apply a pass as a step of another one, or of a target."""
    with inner_step(inner.name, module):
        inner.apply(ctx, module)


@contextmanager
def inner_steps_to(observer: Observer, shows_programs: bool = False) -> Iterator[None]:
    """Show all steps inside the `with` block to `observer`, and to those around it.

    With `shows_programs`, it looks at the program after each (`programs_are_shown`).
    """
    outer = _observer.get()

    @contextmanager
    def both(name: str, module: ModuleOp) -> Iterator[None]:
        with outer(name, module), observer(name, module):
            yield

    token, shown = _observer.set(both), _is_shown.set(shows_programs or _is_shown.get())
    try:
        yield
    finally:
        _observer.reset(token)
        _is_shown.reset(shown)
