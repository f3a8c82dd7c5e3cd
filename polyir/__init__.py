"""polyir: a polyhedral compiler in Python, built on xDSL and isl.

The public functions are those of `polyir.api`, the classes those of `polyir.api.program`; they are
imported when they are first used, so that importing a part of polyir does not import all of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from polyir.api import compile, emit, lower, parse, run_pipeline
    from polyir.api.program import Program, ScheduleTree

    __version__: str

__all__ = ["Program", "ScheduleTree", "compile", "emit", "lower", "parse", "run_pipeline"]


def __getattr__(name: str) -> object:
    if name == "__version__":
        from importlib.metadata import version

        return version("polyir")
    if name not in __all__:
        raise AttributeError(f"module 'polyir' has no attribute '{name}'")
    from polyir import api
    from polyir.api import program

    return getattr(program if name in ("Program", "ScheduleTree") else api, name)


def __dir__() -> list[str]:
    return [*globals(), *__all__, "__version__"]
