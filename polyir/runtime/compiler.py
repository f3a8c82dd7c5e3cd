"""C text to a shared library, which is kept in the cache (`polyir.base.cache`).

The name of an entry depends on the text, the flags, and the compiler with its version.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from polyir.base.cache import cache_folder, digest, kept_file
from polyir.base.diagnostics import PolyirError

# Contraction would fuse a multiplication and an addition and so change the bits of results.
DEFAULT_FLAGS: Final = ("-std=c99", "-O3", "-march=native", "-fopenmp", "-ffp-contract=off")

_COMPILERS: Final = ("cc", "gcc", "clang")


class CompilationError(PolyirError):
    """There is no C compiler, or it rejected the text."""

    name = "compiler-failed"


def undefined(names: Iterable[str]) -> CompilationError:
    """The error for functions that a program calls and nothing defines."""
    shown = ", ".join(f"'{name}'" for name in names)
    return CompilationError(
        f"nothing defines {shown}: give it to polyir.compile, "
        "functions={name: C text, or a function of ctypes or Python}"
    )


@dataclass(frozen=True)
class CompilerOptions:
    """The C compiler, by default the first of `$CC`, cc, gcc and clang, and its flags.

    It may be a command with arguments: `ccache gcc -m64`.
    """

    compiler: str | None = None
    flags: tuple[str, ...] = DEFAULT_FLAGS


def find_compiler(options: CompilerOptions) -> tuple[str, ...]:
    """The command of the compiler: its path, and arguments that always come first.

    Raises `CompilationError` if there is none.
    """
    wanted = options.compiler or os.environ.get("CC", "")
    # A path may have spaces in it.
    words = [wanted] if shutil.which(wanted) else _words(wanted)
    if words and Path(words[0]).name == "polyir-cc":
        # `make CC="polyir-cc --compile"` tells all that it runs, polyir-cc as well.
        words = []
    for name in words[:1] or _COMPILERS:
        path = shutil.which(name)
        if path is not None:
            return (path, *words[1:])
    names = wanted if words else ", ".join(_COMPILERS)
    raise CompilationError(f"no C compiler found (tried {names})")


def _words(command: str) -> list[str]:
    """The words of a command, as a shell reads them."""
    try:
        return shlex.split(command)
    except ValueError:
        return [command]


def jit_available() -> bool:
    """Whether llvmlite is installed, which compiles where there is no C compiler."""
    return find_spec("llvmlite") is not None


def build_library(source: str, options: CompilerOptions) -> Path:
    """The shared library compiled from `source`, or taken from the cache.

    Raises `CompilationError` with the compiler's message if it rejects the text.
    """
    compiler = find_compiler(options)
    command = [*compiler, *options.flags, "-shared", "-fPIC"]
    name = digest((compiler_identity(compiler), *command, source))
    return kept_file(cache_folder() / f"{name}.so", lambda: _compile(command, source))


def compiler_identity(compiler: Sequence[str]) -> str:
    """What tells this compiler on this machine from others.

    The processor is part of it because of `-march=native`.
    """
    try:
        status = Path(compiler[0]).stat()
    except OSError as error:
        raise CompilationError(f"cannot run {compiler[0]}: {error.strerror}") from error
    return f"{_version_of(tuple(compiler), status.st_mtime_ns, status.st_size)}{_processor()}"


@cache
def _version_of(compiler: tuple[str, ...], changed: int, size: int) -> str:
    """What a compiler says of itself. It is asked again when its file has changed."""
    return run_command([*compiler, "--version"]).stdout


@cache
def _processor() -> str:
    """The model and the features of the processor, if the system provides them."""
    information = Path("/proc/cpuinfo")
    if not information.exists():
        return " ".join(os.uname()) if hasattr(os, "uname") else sys.platform
    kept = ("model name", "flags", "Features", "CPU part")
    lines = information.read_text(errors="replace").splitlines()
    return "\n".join(dict.fromkeys(line for line in lines if line.startswith(kept)))


def _compile(command: list[str], source: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        text, built = Path(folder) / "module.c", Path(folder) / "module.so"
        text.write_text(source, encoding="utf-8", errors="surrogateescape", newline="")
        done = run_command([*command, str(text), "-o", str(built), "-lm"])
        if done.returncode != 0:
            message = done.stderr.strip().replace(f"{folder}{os.sep}", "")
            raise CompilationError(f"the C compiler {command[0]} failed:\n{message}")
        return built.read_bytes()


def run_command(command: list[str]) -> subprocess.CompletedProcess[str]:
    """Run a program to its end. Raises `CompilationError` if it cannot be started."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise CompilationError(f"cannot run {command[0]}: {error.strerror}") from error
