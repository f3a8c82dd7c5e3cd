"""The machine that this runs on, measured by a C program."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from dataclasses import fields, replace
from importlib.resources import as_file, files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from polyir.base.diagnostics import PolyirError
from polyir.choose.machine import Machine
from polyir.choose.this_machine import machine_of_system

FLAGS: Final = ("-O2", "-march=native", "-fno-math-errno", "-ffp-contract=fast", "-fopenmp")
LIMIT: Final = 120.0
"""Seconds; it takes a few on a machine with nothing else to do."""


def measured_machine(compiler: str = "cc") -> Machine:
    """The machine of the system, with the speeds that a C program measures in some seconds.

    Sizes and numbers of units stay those that Linux says. Raises `PolyirError` if the program
    cannot be compiled or run.
    """
    machine = machine_of_system()
    width = machine.vector_bits // 8
    with TemporaryDirectory() as folder, as_file(_SOURCE) as source:
        program = Path(folder) / "measure"
        command = [compiler, *FLAGS, f"-DVECTOR_BYTES={width}", str(source), "-o", str(program)]
        _run([*command, "-lm"])
        sizes = (str(cache.bytes) for cache in machine.caches)
        return _with_measured(machine, _run([str(program), *sizes]))


_SOURCE: Final = files("polyir.choose") / "measure_machine.c"


def _run(command: list[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT)
    except FileNotFoundError:
        raise PolyirError(
            f"cannot measure the machine: there is no '{command[0]}'", name="not-measured"
        ) from None
    except subprocess.TimeoutExpired:
        raise PolyirError(
            f"cannot measure the machine: more than {LIMIT:g} s", name="not-measured"
        ) from None
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise PolyirError(
            f"cannot measure the machine: {Path(command[0]).name}: {lines[-1]}", name="not-measured"
        )
    return done.stdout


def _with_measured(machine: Machine, printed: str) -> Machine:
    """The machine with the numbers of lines `name value` and `cache LEVEL rate`."""
    types: Mapping[str, object] = {field.name: field.type for field in fields(Machine)}
    caches = list(machine.caches)
    found: dict[str, Any] = {}
    for line in printed.splitlines():
        name, *words = line.split()
        if name == "cache":
            level = int(words[0])
            caches[level] = replace(caches[level], bandwidth=float(words[1]))
        else:
            found[name] = int(words[0]) if types[name] == "int" else float(words[0])
    return replace(machine, caches=tuple(caches), **found)
