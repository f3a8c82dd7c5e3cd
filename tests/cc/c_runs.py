"""C programs before and after polyir-cc, compiled and run."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from large_sizes import all_sizes_are_large

from polyir.tools.polyir_cc import main

FLAGS = ("-std=gnu99", "-O1", "-fopenmp", "-ffp-contract=off")
WARNINGS = ("-Wall", "-Wextra", "-Werror")


def transformed(source: Path, target: Path, *options: str) -> int:
    """Run polyir-cc on a file, without worker processes; returns its exit code."""
    return main([str(source), "-o", str(target), "--time-limit=0", *options])


def compiled(source: Path, *flags: str, compiler: str = "gcc") -> Path:
    """The program of a C file, compiled with the flags of all tests and `flags`."""
    program = source.with_suffix(".exe")
    command = [compiler, *FLAGS, *flags, str(source), "-o", str(program), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return program


def reference(source: Path, *flags: str) -> Path:
    """The program of a C file as it was given: not optimised, which takes a third of the time."""
    return compiled(source, *flags, "-O0")


def output_of(program: Path, threads: int = 1) -> str:
    """What a program prints."""
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads)}
    done = subprocess.run(
        [str(program)], capture_output=True, text=True, check=True, env=environment, timeout=60
    )
    return done.stdout


def check_same_output(source: Path, folder: Path, *options: str) -> str:
    """Check that a file is transformed whole, without warnings, and prints the same.

    Returns the transformed text.
    """
    target = folder / source.name
    original = folder / f"original_{source.name}"
    original.write_bytes(source.read_bytes())
    with all_sizes_are_large():
        assert transformed(source, target, *options) == 0
    expected = output_of(reference(original, "-Wno-unknown-pragmas"))
    program = compiled(target, *WARNINGS)
    assert expected
    for threads in (1, 2):
        assert output_of(program, threads) == expected
    return target.read_text()
