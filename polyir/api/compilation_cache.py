"""Whole compilations in the cache: passes and compiler run once for the same input.

The name of an entry depends on everything that the result does: the program with the files that it
includes, the passes, the files that they read, all options, the compiler with its version, the
machine, the time limit, and polyir itself with the packages that it is made of.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Final

from xdsl.passes import ModulePass

from polyir import dialects, passes
from polyir.base.cache import (
    cache_folder,
    digest,
    is_cache_on,
    read_entry,
    write_entry,
)
from polyir.base.diagnostics import CacheError, Remark, remarks_kept, report
from polyir.base.limits import failed_steps, processors
from polyir.choose.machine import machine_of_option
from polyir.sets.pickle import pickled
from polyir.universe import PASS_NAMES, pass_type

if TYPE_CHECKING:
    from polyir.runtime import CompiledModule

_PACKAGES: Final = ("polyir", "xdsl", "islpy", "numpy", "lark", "pycparser", "llvmlite")

_SHOWING: Final = (
    "check-schedule",
    "compare-schedules",
    "dot",
    "plot-domain",
    "plot-schedule",
    "print-dependences",
    "print-interleavings",
    "print-schedule",
)
"""Passes that do more than change the program: they print, or write files."""


def cached(
    parts: Sequence[object], chain: Sequence[ModulePass], make: Callable[[], CompiledModule]
) -> CompiledModule:
    """What `make` gives, or what it gave before for the same `parts` and passes.

    What was reported is reported again. Passes of other packages, and those that print or write
    files, always run. Raises `CacheError` if the cache cannot be used safely.
    """
    if not is_cache_on() or not all(map(_is_repeatable, chain)):
        return make()
    name = digest((*_about_polyir(), *_about_passes(chain), *map(repr, parts)))
    path = cache_folder() / f"{name}.compiled"
    found = _read(path)
    if found is not None:
        remarks, module = found
        for each in remarks:
            report(each)
        return module
    before = failed_steps()
    with remarks_kept() as remarks:
        module = make()
    if failed_steps() == before:
        # The result is there, whether it can be kept or not.
        with suppress(CacheError):
            write_entry(path, pickled((remarks, module)))
    return module


def _read(path: Path) -> tuple[list[Remark], CompiledModule] | None:
    """What is in an entry; `None` if it is missing, or cannot be used any more."""
    payload = read_entry(path)
    if payload is None:
        return None
    try:
        remarks, module = pickle.loads(payload)
    except Exception:
        # Whatever is wrong with it, compiling again says so, or makes it good.
        return None
    return remarks, module


def _is_repeatable(step: ModulePass) -> bool:
    is_own = step.name in PASS_NAMES and type(step) is pass_type(step.name)
    return is_own and step.name not in _SHOWING


def _about_passes(chain: Sequence[ModulePass]) -> Iterator[str]:
    """The passes with their options, and the files that these name."""
    for step in chain:
        spec = step.pipeline_pass_spec()
        yield str(spec)
        for values in spec.parameters.values():
            for value in values:
                if isinstance(value, str) and value and Path(value).is_file():
                    yield hashlib.sha256(Path(value).read_bytes()).hexdigest()


def _about_polyir() -> Iterator[str]:
    """What the result of passes depends on besides the program."""
    yield from (_own_files(), sys.version, sys.platform, str(processors()))
    # The clock rate changes all the time, and decides nothing.
    yield repr(replace(machine_of_option(""), gigahertz=1.0))


@cache
def _own_files() -> str:
    """The versions of polyir's files, and of the packages that it is made of."""
    found: list[str] = []
    for package in _PACKAGES:
        with suppress(PackageNotFoundError):
            found.append(f"{package} {version(package)}")
    for root in (str(Path(__file__).parent), *dialects.__path__, *passes.__path__):
        for folder, _, files in sorted(os.walk(root)):
            for name in sorted(files):
                if not name.endswith(".pyc"):
                    status = (Path(folder) / name).stat()
                    found.append(f"{folder}/{name} {status.st_size} {status.st_mtime_ns}")
    return digest(found)
