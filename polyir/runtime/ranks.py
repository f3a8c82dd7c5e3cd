"""Run a distributed program on ranks of this machine: compile it with MPI, and start `mpiexec`.

The first rank has the arrays. It reads the arguments from a file, and writes the arrays to another
one; all ranks read the numbers and the extents (`rank_program.py`). If the program is one to which
each rank passes its part of the arrays, it reads and writes that part.
"""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from polyir.base.diagnostics import PolyirError
from polyir.runtime.compiler import CompilationError, CompilerOptions, run_command
from polyir.runtime.measure import Argument
from polyir.runtime.mpi import find_mpi
from polyir.runtime.rank_program import COUNTED, packed, rank_program, unpacked
from polyir.target.abi import Signature

DEFAULT_RUN_LIMIT: Final = 60.0
"""How many seconds ranks may take unless told otherwise."""

_GRACE: Final = 5.0
"""How many seconds `mpiexec` gets to end its ranks."""

_TO_FILE: Final = 'exec "$@" >> "$0" 2>&1'
"""The shell's command by which ranks print to a file: launchers that end all ranks because one of
them failed may lose what this one has printed."""

_MOST_SHOWN: Final = 4000
"""How many characters of what ranks printed an error has."""


class RanksError(PolyirError):
    """A run on ranks that failed; the message has what the ranks printed."""

    name = "ranks-failed"


@dataclass(frozen=True)
class Sent:
    """The messages that all ranks have sent by one function of MPI, and their length in bytes."""

    messages: int
    bytes: int


@dataclass(frozen=True)
class RankReport:
    """The time of each run of a kernel on ranks, in seconds, and the messages of one run.

    `sent` has `MPI_Send`, for what the first rank gives and gets, and `MPI_Isend`, for the steps.
    """

    times: tuple[float, ...]
    sent: dict[str, Sent]
    printed: str


def build_program(source: str, signature: Signature, options: CompilerOptions, to: Path) -> None:
    """Compile the kernel of `signature` and a main program that calls it to the file `to`.

    The compiler is `mpicc`, that of `options` is not used. Raises `CompilationError`.
    """
    if signature.results:
        message = f"@{signature.symbol} returns a number, which only the first rank would have"
        raise CompilationError(message)
    text = to.with_suffix(".c")
    text.write_text(rank_program(source, signature), encoding="utf-8")
    command = [find_mpi().compiler, *options.flags, str(text), "-o", str(to), "-lm"]
    done = run_command(command)
    if done.returncode:
        raise CompilationError(f"{command[0]} failed:\n{done.stderr.strip()}")


def run_on_ranks(
    program: Path,
    signature: Signature,
    arguments: Sequence[Argument],
    ranks: int,
    time_limit: float = DEFAULT_RUN_LIMIT,
    threads: int = 1,
    repeat: int = 1,
) -> tuple[list[Argument], RankReport]:
    """The arguments after a call on so many ranks, and its times and messages.

    Each rank has `threads` threads; the kernel runs `repeat` times, each time with `arguments`.
    Raises `RanksError` if a rank fails, or all of it takes longer than `time_limit` seconds.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        given, taken, report = (folder / each for each in ("given", "taken", "report"))
        given.write_bytes(b"".join(packed(signature, arguments)))
        files = [str(each) for each in (program, given, taken, report)]
        printed = run_ranks([*files, str(repeat)], ranks, time_limit, threads)
        if not (taken.exists() and report.exists()):
            raise RanksError(f"{ranks} ranks gave no result{_shown(printed)}")
        return unpacked(arguments, taken.read_bytes()), _report(report.read_text(), printed)


def run_ranks(program: Sequence[str], ranks: int, time_limit: float, threads: int = 1) -> str:
    """Run a program and its arguments on so many ranks; what these printed. Raises `RanksError`.

    After `time_limit` seconds, all its processes are ended.
    """
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads)}
    if ranks * threads > (os.cpu_count() or 1):
        # Ranks that wait for messages in shared memory of MPICH never leave the processor.
        environment.setdefault("MPIR_CVAR_NOLOCAL", "1")
    with tempfile.TemporaryDirectory() as folder:
        of_ranks, of_launcher = Path(folder) / "ranks", Path(folder) / "launcher"
        command = find_mpi().command(ranks, ["sh", "-c", _TO_FILE, str(of_ranks), *program])
        code = _exit_code(command, environment, time_limit, of_launcher)
        said = [
            each.read_text(errors="replace") for each in (of_ranks, of_launcher) if each.exists()
        ]
    printed = "".join(said).strip()
    if code is None:
        raise RanksError(f"{ranks} ranks took longer than {time_limit:g} seconds{_shown(printed)}")
    if code:
        raise RanksError(f"{ranks} ranks failed with code {code}{_shown(printed)}")
    return printed


def _exit_code(
    command: Sequence[str], environment: dict[str, str], time_limit: float, output: Path
) -> int | None:
    """The exit code of a launcher that prints to a file, or none if it took too long."""
    # A pipe would stay open for as long as any process has it.
    with output.open("wb") as opened:
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=opened,
                stderr=subprocess.STDOUT,
                env=environment,
                start_new_session=True,
            )
        except OSError as error:
            raise RanksError(f"cannot run {command[0]}: {error.strerror}") from error
        try:
            return process.wait(time_limit)
        except subprocess.TimeoutExpired:
            return None
        finally:
            _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a launcher that still runs, with its ranks: it knows them, and so is asked first."""
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _shown(printed: str) -> str:
    """What ranks printed as the end of a message; of a long text, the end."""
    if not printed:
        return ""
    return f":\n{printed if len(printed) <= _MOST_SHOWN else f'... {printed[-_MOST_SHOWN:]}'}"


def _report(text: str, printed: str) -> RankReport:
    times: list[float] = []
    sent = {name: Sent(0, 0) for name in COUNTED}
    for line in text.splitlines():
        name, *numbers = line.split()
        if name == "time":
            times.append(float(numbers[0]))
        else:
            sent[name] = Sent(*map(int, numbers))
    return RankReport(tuple(times), sent, printed)
