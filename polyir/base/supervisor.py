"""A supervisor of a tool: where a step of it dies, the tool runs again, without that step.

isl may crash, and it may compute for hours without a way to stop it. A worker process for each step
contains both (`base.limits`), but what it finds must be pickled, isl objects as text: that takes a
quarter of a compilation. Under a supervisor, steps run in the process of the tool. Where one kills
it, the supervisor begins another, which does the same up to that step and raises the error of the
step there. What the first process has printed is not printed again.

On a terminal, the supervisor shows what the tool does, if that takes long.
"""

from __future__ import annotations

import io
import os
import select
import shutil
import signal
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from mmap import mmap
from pathlib import Path
from time import monotonic
from typing import IO, Any, Final, TextIO

INTERRUPTED: Final = 128 + signal.SIGINT
"""The exit code of a tool that Ctrl-C ends, as shells have it."""

_FROM_OUTSIDE: Final = {
    getattr(signal, name, None) for name in ("SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM", "SIGIO")
}
"""Signals that end the tool, whatever step it is in."""

_STEP: Final = 0
"""The place in the shared memory of the step that runs; 0: none. Written bytes are beside it."""

_IS_SHOWN: Final = 3
"""The place of whether the terminal's last line says what the tool does."""

_NUMBERS: Final = 4 * 8
_TEXT: Final = 200
"""The bytes of shared memory before the text on what the tool does, and of that text."""

PATIENCE: Final = 2.0
"""After how many seconds the terminal shows what the tool does: most inputs take less."""


@dataclass
class Process:
    """The process of a tool that is supervised, from inside.

    `failures` has the number of each step that killed an earlier one, with the signal. The
    supervisor reads `shared` when this one has died: the step that runs, and how many bytes are
    written to standard output (1) and to standard error (2); `activity` has, as text that ends with
    zeros, what this one does. `kept_inputs` are what it has read.
    """

    failures: dict[int, int]
    shared: memoryview
    activity: memoryview
    kept_inputs: IO[bytes]
    _steps: int = field(default=0, init=False)

    @property
    def is_in_step(self) -> bool:
        """Whether a step runs, which the supervisor leaves out if this process dies now."""
        return bool(self.shared[_STEP])

    def failure_of_next_step(self) -> int | None:
        """Number the next step. The signal that killed an earlier process in it, if one did."""
        self._steps += 1
        return self.failures.get(self._steps)

    @contextmanager
    def step(self, seconds: float) -> Iterator[None]:
        """Let this process die after so many seconds of processor time in the `with` block."""
        self.shared[_STEP] = self._steps
        signal.setitimer(signal.ITIMER_PROF, seconds)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            self.shared[_STEP] = 0


process: Process | None = None
"""This process, if it is supervised."""


def supervised() -> None:
    """Return in a new process. This one watches it, and ends as it does.

    It simply returns on systems without Linux's files in memory, and where a standard stream is
    closed.
    """
    if not hasattr(os, "memfd_create") or None in (sys.stdin, sys.stdout, sys.stderr):
        return
    failures: dict[int, int] = {}
    again = [0, 0, 0]
    kept_inputs = os.fdopen(os.memfd_create("inputs"), "w+b")
    while True:
        memory = memoryview(mmap(-1, _NUMBERS + _TEXT))
        shared, activity = memory[:_NUMBERS].cast("q"), memory[_NUMBERS:]
        watched, held = os.pipe()
        this = Process(failures, shared, activity, kept_inputs)
        child = os.fork()
        if not child:
            os.close(held)
            _end_with_supervisor(watched)
            _begin(this, again)
            return
        os.close(watched)
        status = _await(child, this)
        os.close(held)
        step, number = shared[_STEP], os.WTERMSIG(status)
        if not os.WIFSIGNALED(status) or not step or number in _FROM_OUTSIDE:
            _end_with(status)
        failures[step] = number
        again = [*map(max, again, shared)]
        os.lseek(kept_inputs.fileno(), 0, os.SEEK_SET)


@contextmanager
def doing(what: str) -> Iterator[None]:
    """Say what this process does in the `with` block; it comes after what is done around it.

    A supervisor shows it on a terminal, if that takes long.
    """
    if process is None:
        yield
        return
    around = bytes(process.activity)
    text = around.rstrip(b"\0") + what.encode()
    process.activity[:] = text[:_TEXT].ljust(_TEXT, b"\0")
    try:
        yield
    finally:
        process.activity[:] = around


def read_input(name: str) -> bytes:
    """The bytes of a file; "-" is standard input. Raises `OSError`.

    What is not a file, and so can be read only once, is kept for another process that must read it.
    """
    is_file = name != "-" and stat.S_ISREG(Path(name).stat().st_mode)
    kept = None if process is None or is_file else process.kept_inputs
    if kept is not None and (length := kept.read(_LENGTH)):
        return kept.read(int.from_bytes(length, sys.byteorder))
    data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    if kept is not None:
        kept.write(len(data).to_bytes(_LENGTH, sys.byteorder) + data)
        kept.flush()
    return data


_LENGTH: Final = 8
"""The bytes of the number before each kept input."""


def _end_with_supervisor(watched: int) -> None:
    """Let this process end when the other end of a pipe is closed."""
    # Windows has no such module.
    import fcntl

    fcntl.fcntl(watched, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(watched, fcntl.F_SETFL, fcntl.fcntl(watched, fcntl.F_GETFL) | os.O_ASYNC)


def _begin(this: Process, again: list[int]) -> None:
    global process
    process = this
    sys.stdout = _text(sys.stdout, _Stream(1, this, again[1]))
    sys.stderr = _text(sys.stderr, _Stream(2, this, again[2]))


def _text(stream: TextIO, raw: _Stream) -> TextIO:
    """A stream of text to `raw`, otherwise like another one."""
    # With PYTHONUNBUFFERED, only the latter is true.
    at_lines = any(getattr(stream, name, False) for name in ("line_buffering", "write_through"))
    return io.TextIOWrapper(
        io.BufferedWriter(raw), stream.encoding, stream.errors, line_buffering=at_lines
    )


class _Stream(io.FileIO):
    """Standard output or error. What an earlier process wrote there is not written again."""

    def __init__(self, file: int, this: Process, again: int) -> None:
        super().__init__(file, "wb", closefd=False)
        self._file = file
        self._shared = this.shared
        self._again = again
        self._alone = partial(_alone, this.kept_inputs) if os.isatty(2) else nullcontext

    def write(self, data: Any) -> int:
        with self._alone():
            if self._shared[_IS_SHOWN]:
                _clear(self._shared)
            skipped = min(len(data), max(0, self._again - self._shared[self._file]))
            count = skipped
            if skipped < len(data):
                count += super().write(data[skipped:]) or 0
            self._shared[self._file] += count
            return count


@contextmanager
def _alone(file: IO[bytes]) -> Iterator[None]:
    """Keep the other process, which has this file, too, from writing to the terminal."""
    # Windows has no such module.
    import fcntl

    fcntl.lockf(file, fcntl.LOCK_EX)
    try:
        yield
    finally:
        fcntl.lockf(file, fcntl.LOCK_UN)


def _await(child: int, this: Process) -> int:
    """How the process of the tool ends. What interrupts this one ends both."""
    try:
        if sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
            _show_until_end(child, this)
        return os.waitpid(child, 0)[1]
    except KeyboardInterrupt:
        os._exit(INTERRUPTED)


def _show_until_end(child: int, this: Process) -> None:
    """Show what a process does, in a line that it clears before it prints anything."""
    ended = select.poll()
    try:
        ended.register(os.pidfd_open(child), select.POLLIN)
    except OSError:  # an old Linux
        return
    tool, begin, wait = Path(sys.argv[0]).name, monotonic(), PATIENCE
    while not ended.poll(1000 * wait):
        wait = PATIENCE / 4
        with _alone(this.kept_inputs):
            text = bytes(this.activity).rstrip(b"\0").decode(errors="replace")
            words = (f"{tool}:", text, f"{monotonic() - begin:.0f} s")
            line = " ".join(filter(None, words))[: shutil.get_terminal_size().columns - 1]
            os.write(2, f"\r\x1b[K{line}".encode())
            this.shared[_IS_SHOWN] = 1
    if this.shared[_IS_SHOWN]:
        _clear(this.shared)


def _clear(shared: memoryview) -> None:
    """Clear the line that says what the tool does."""
    shared[_IS_SHOWN] = 0
    os.write(2, b"\r\x1b[K")


def _end_with(status: int) -> None:
    """End as another process did."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.WEXITSTATUS(status))
