"""From a variant and a kernel's original to shared libraries, in processes with a time limit."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from .bridge import RUN, BridgeError, bridge_text
from .calls import Parameter
from .originals import Original
from .variants import INPUT, OUTPUT, Language, Variant


class Contraction(StrEnum):
    """Whether a compiler may make one operation of `a * b + c`; given to it as a flag."""

    OFF = "off"
    FAST = "fast"


class ToolError(Exception):
    """A tool did not do its work; the text says why."""


class ToolTimeoutError(ToolError):
    """A tool took longer than it may."""


@dataclass(frozen=True)
class Source:
    """C text to be compiled, and how long the tool worked on it.

    The function `symbol` runs the kernel.
    """

    path: Path
    symbol: str
    headers: Path
    parameters: tuple[Parameter, ...]
    tool_seconds: float


@dataclass(frozen=True)
class Library:
    """A shared library, and how long the compiler took."""

    path: Path
    compile_seconds: float


def make_source(variant: Variant, original: Original, folder: Path, limit: float) -> Source:
    """Run the variant's tool on the original, in `folder`. Raises `ToolError`."""
    if variant.tool is None:
        return _source(original, original.c, original.c_parameters, folder, 0.0)
    is_mlir = variant.reads is Language.MLIR
    # Some tools write files beside their input.
    given = folder / ("in.mlir" if is_mlir else "in.c")
    shutil.copy(original.mlir if is_mlir else original.c, given)
    for header in original.headers.glob("*.h"):
        shutil.copy(header, folder)
    output = folder / "out.c"
    command = [
        word.replace(INPUT, str(given)).replace(OUTPUT, str(output)) for word in variant.tool
    ]
    start = time.perf_counter()
    printed = run_limited(command, folder, limit)
    seconds = time.perf_counter() - start
    if not any(OUTPUT in word for word in variant.tool):
        output.write_text(printed)
    if not output.exists() or not output.read_text().strip():
        raise ToolError("the tool succeeded, but wrote nothing")
    if is_mlir:
        symbol = original.kernel.function
        return Source(output, symbol, folder, original.mlir_parameters, seconds)
    return _source(original, output, original.c_parameters, folder, seconds)


def _source(
    original: Original, path: Path, parameters: tuple[Parameter, ...], folder: Path, seconds: float
) -> Source:
    """The C form, with the bridge if it is a whole program. Raises `ToolError`."""
    if not original.is_program:
        return Source(path, original.kernel.function, original.headers, parameters, seconds)
    bridge = folder / "bridge.c"
    try:
        bridge.write_text(bridge_text(original.kernel, path.read_text(), str(path)))
    except BridgeError as error:
        raise ToolError(str(error)) from None
    return Source(bridge, RUN, original.headers, parameters, seconds)


def compile_library(
    variant: Variant, source: Source, contraction: Contraction, folder: Path, limit: float
) -> Library:
    """Compile the C text into a library in `folder`. Raises `ToolError`."""
    library = folder / f"contraction-{contraction}.so"
    compiler = variant.compiler
    command = [compiler.program, *compiler.flags, f"-ffp-contract={contraction}", "-w"]
    command += ["-shared", "-fPIC", f"-I{source.headers}", str(source.path), "-o", str(library)]
    start = time.perf_counter()
    run_limited([*command, *compiler.libraries], folder, limit)
    return Library(library, time.perf_counter() - start)


def run_limited(
    command: list[str],
    folder: Path,
    limit: float,
    environment: Mapping[str, str] | None = None,
) -> str:
    """The standard output of a command run in `folder`, by default in this environment.

    Raises `ToolTimeoutError` after `limit` seconds, when the command and all that it has started
    are stopped, and `ToolError` if it is not there or fails.
    """
    try:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            # A group of its own, to be stopped as a whole: polycc is a script.
            start_new_session=True,
        )
    except OSError as error:
        raise ToolError(f"cannot run {command[0]}: {error.strerror}") from None
    with process:
        try:
            output, errors = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise ToolTimeoutError(f"{Path(command[0]).name} took more than {limit:g} s") from None
    if process.returncode != 0:
        raise ToolError(_reason(command[0], process.returncode, errors or output))
    return output


_LONGEST_REASON: Final = 200


def _reason(program: str, code: int, messages: str) -> str:
    """One line that says how a program failed: its first error message, or else its last line."""
    lines = [line.strip() for line in messages.splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line.lower()]
    line = (errors or lines[-1:] or ["no message"])[0]
    return f"{Path(program).name}: {exit_reason(code)}: {line[:_LONGEST_REASON]}"


def exit_reason(code: int) -> str:
    """An exit code in words, as `subprocess` gives it: negative for a signal."""
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"stopped by {signal.Signals(-code).name}"
    except ValueError:
        return f"stopped by signal {-code}"
