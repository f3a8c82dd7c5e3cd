"""The side of the harness that starts workers and talks to them."""

from __future__ import annotations

import json
import os
import resource
import selectors
import signal
import subprocess
import sys
from pathlib import Path
from typing import Final, Self

from .build import exit_reason
from .worker import Array, Job, load_arrays

_ROOT = Path(__file__).parents[1]

_STACK_BYTES: Final = 1 << 30
"""Enough for Polly, which packs operands of matrix products into arrays on the stack."""


class WorkerError(Exception):
    """A worker crashed."""


class WorkerTimeoutError(WorkerError):
    """A worker did not answer in time."""


class WrongResultError(Exception):
    """A program computed something else than the original; the text says where."""


class Client:
    """A worker process with a number of threads; leave the `with` block to stop it."""

    def __init__(self, job: Job, folder: Path, threads: int, limit: float) -> None:
        self.job = job
        self._limit = limit
        self._errors = folder / "worker.log"
        path = folder / "job.json"
        job.write(path)
        environment = dict(os.environ)
        environment["OMP_NUM_THREADS"] = str(threads)
        environment["OMP_DYNAMIC"] = "false"
        environment["OMP_STACKSIZE"] = f"{_STACK_BYTES // 1024}K"
        # NumPy's own threads have no work in a worker.
        environment["OPENBLAS_NUM_THREADS"] = "1"
        known = environment.get("PYTHONPATH")
        environment["PYTHONPATH"] = os.pathsep.join([str(_ROOT), *([known] if known else [])])
        with self._errors.open("w") as errors:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "harness.worker", str(path)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=environment,
                start_new_session=True,
                preexec_fn=_with_large_stack,
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """End the process, whatever it does."""
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.communicate()

    def wait_until_ready(self) -> None:
        """Wait until the library is loaded. Raises `WorkerError`."""
        self._reply()

    def record(self) -> list[Array]:
        """Run once; the resulting arrays. Raises `WrongResultError` and `WorkerError`."""
        self._ask("record")
        return load_arrays(self.job.results)

    def time(self, seconds: float) -> tuple[float, ...]:
        """The times of one turn. Raises `WrongResultError` and `WorkerError`."""
        times = self._ask(f"time {seconds}")["times"]
        return tuple(float(value) for value in times)  # type: ignore[attr-defined]

    def _ask(self, command: str) -> dict[str, object]:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(f"{command}\n".encode())
            self._process.stdin.flush()
        except BrokenPipeError:
            raise self._crash() from None
        return self._reply()

    def _reply(self) -> dict[str, object]:
        pipe = self._process.stdout
        assert pipe is not None
        with selectors.DefaultSelector() as selector:
            selector.register(pipe, selectors.EVENT_READ)
            if not selector.select(self._limit):
                self.stop()
                raise WorkerTimeoutError(f"the kernel took more than {self._limit:g} s")
        line = pipe.readline()
        if not line:
            raise self._crash()
        reply: dict[str, object] = json.loads(line)
        if not reply["right"]:
            raise WrongResultError(str(reply["reason"]))
        return reply

    def _crash(self) -> WorkerError:
        code = self._process.wait()
        lines = self._errors.read_text(errors="replace").strip().splitlines()
        message = f": {lines[-1][:200]}" if lines else ""
        return WorkerError(f"running it: {exit_reason(code)}{message}")


def _with_large_stack() -> None:
    """Raise the limit of the stack of this process as far as the system allows."""
    _, most = resource.getrlimit(resource.RLIMIT_STACK)
    wanted = _STACK_BYTES if most == resource.RLIM_INFINITY else min(most, _STACK_BYTES)
    resource.setrlimit(resource.RLIMIT_STACK, (wanted, most))
