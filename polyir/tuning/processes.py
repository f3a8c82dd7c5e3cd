"""Forked copies of this process that answer requests, so that what fails in them fails alone.

A worker that crashes, exits, hangs or takes too much memory ends in an exception here. Everything
that it started, such as a C compiler, is ended with it.
"""

from __future__ import annotations

import ctypes
import faulthandler
import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from typing import Final, NoReturn

from polyir.base.limits import forked

Serve = Callable[[Connection], None]
"""What a worker does with its end of the connection. It ends with it."""

_GRACE: Final = 0.25
"""Seconds between two looks at whether a worker still runs."""


class WorkerError(Exception):
    """A worker has no answer."""


class WorkerCrashError(WorkerError):
    """The worker ended: by a signal, or because it had an error."""


class WorkerTimeoutError(WorkerError):
    """The worker took too long, and was ended."""


class Worker:
    """A forked process that runs `serve`, and may have `memory` more bytes than this one has.

    It hears nothing of Ctrl-C, and what it prints is lost.
    """

    def __init__(self, serve: Serve, memory: int = 0) -> None:
        self._connection, other = Pipe()
        end_openmp_threads()

        def work() -> NoReturn:
            self._connection.close()
            _work(serve, other, memory)

        self._process = forked(work)
        other.close()

    def send(self, request: object) -> None:
        """Send a request; that the worker has ended, `receive` says."""
        with suppress(OSError):
            self._connection.send(request)

    def receive(self, seconds: float) -> object:
        """The answer to the oldest request. Raises `WorkerError` if there is none in that time."""
        end = time.monotonic() + seconds
        while not self._has_answer(min(_GRACE, end - time.monotonic())):
            if self._has_ended() and not self._has_answer(0.0):
                raise WorkerCrashError(self._how_it_ended)
            if time.monotonic() >= end:
                self.stop()
                raise WorkerTimeoutError(f"no answer in {seconds:.3g} s")
        try:
            return self._connection.recv()
        except (EOFError, OSError):
            self.stop()
            raise WorkerCrashError(self._how_it_ended) from None

    def stop(self) -> None:
        """End the worker and all that it started."""
        if self._process:
            # It may not have begun its own group.
            for kill in (os.kill, os.killpg):
                with suppress(ProcessLookupError, PermissionError):
                    kill(self._process, signal.SIGKILL)
            self._has_ended(wait=True)
        self._connection.close()

    def _has_answer(self, seconds: float) -> bool:
        try:
            return self._connection.poll(max(0.0, seconds))
        except OSError:
            return False

    def _has_ended(self, wait: bool = False) -> bool:
        """Whether the process is gone, and how it ended, once."""
        if self._process:
            done, status = os.waitpid(self._process, 0 if wait else os.WNOHANG)
            if not done:
                return False
            self._how_it_ended = _in_words(status)
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process, signal.SIGKILL)
            self._process = 0
        return True

    _how_it_ended = "the process ended"


_PAUSE_HARD: Final = 2
"""OpenMP's `omp_pause_hard`."""


def end_openmp_threads() -> None:
    """End the threads that libgomp keeps for this one, if it is loaded.

    A forked process does not have them, and would wait for them at its first parallel region.
    LLVM's library starts again in a forked process by itself.
    """
    with suppress(OSError, AttributeError):
        library = ctypes.CDLL("libgomp.so.1", mode=os.RTLD_NOLOAD | os.RTLD_NOW)
        library.omp_pause_resource_all(_PAUSE_HARD)


def _in_words(status: int) -> str:
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        return f"the process ended by {signal.Signals(number).name}"
    return f"the process ended with code {os.WEXITSTATUS(status)}"


def _work(serve: Serve, connection: Connection, memory: int) -> NoReturn:
    """The life of a worker, which leaves nothing but its answers."""
    code = 1
    try:
        # A group of its own, which can be ended as a whole, and to which no key is sent.
        os.setsid()
        nowhere = os.open(os.devnull, os.O_RDWR)
        for standard in (0, 1, 2):
            os.dup2(nowhere, standard)
        # It would report crashes where it found standard error at the start.
        faulthandler.disable()
        sys.stdout = sys.stderr = os.fdopen(nowhere, "w")
        if memory:
            _limit_memory(memory)
        serve(connection)
        code = 0
    except (EOFError, BrokenPipeError, ConnectionResetError):
        # Whoever asks is gone.
        code = 0
    finally:
        os._exit(code)


def _limit_memory(more: int) -> None:
    """Refuse memory beyond what the process has, and `more` bytes, where the system can."""
    try:
        import resource

        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except (ImportError, OSError):
        return
    limit = pages * resource.getpagesize() + more
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if hard != resource.RLIM_INFINITY:
        limit = min(limit, hard)
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
