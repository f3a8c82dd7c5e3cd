"""A team of Python threads that runs the parallel loops of compiled code.

Compiled code passes a parallel loop to the team as a task (a compiled function that runs a part of
the iterations), its context, and the range of iterations. Each thread calls the task through
ctypes, which releases the interpreter's lock, so that the parts run at the same time.
"""

from __future__ import annotations

import ctypes
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from math import inf
from typing import Final

from polyir.base.limits import processors

_TaskType = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
_Callback = ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64
)


@dataclass
class Task:
    """The code of a parallel loop, and its cost.

    `run(context, first, last)` runs the iterations from `first` up to but not including `last`.
    `cost` is the time in seconds that one iteration took on one thread, when it was last measured.
    """

    run: Callable[[int | None, int, int], object]
    cost: float = inf


_PARTS_PER_THREAD: Final = 4
"""There are more parts than threads because iterations often differ in their work."""


_WORTH_SHARING: Final = 60e-6
"""Seconds of work below which waking other threads costs more time than it saves."""


class ThreadTeam:
    """Runs parallel loops. The calling thread takes part; nested parallel loops are sequential."""

    def __init__(self, count: int) -> None:
        # Compiled code reads it.
        self._count = ctypes.c_int64(count)
        self._pool: ThreadPoolExecutor | None = None
        self._pool_size = 0
        self._tasks: dict[int, Task] = {}
        self._error: BaseException | None = None
        self._lock = threading.Lock()
        self._state = threading.local()
        # Compiled code only has its address: keep it alive.
        self._callback = _Callback(self._run)

    @property
    def address(self) -> int:
        """The address of the function that compiled code calls."""
        address = ctypes.cast(self._callback, ctypes.c_void_p).value
        assert address is not None
        return address

    @property
    def count_address(self) -> int:
        """The address of the number of threads, an `i64`."""
        return ctypes.addressof(self._count)

    @contextmanager
    def threads(self, count: int) -> Iterator[None]:
        """Use `count` threads inside the `with` block."""
        if count < 1:
            raise ValueError(f"the number of threads must be at least 1, not {count}")
        before = self._count.value
        self._count.value = count
        try:
            yield
        finally:
            self._count.value = before

    def _run(self, task: int, context: int | None, lower: int, upper: int, step: int) -> None:
        """The function that compiled code calls; the loop has at least one iteration."""
        try:
            if task not in self._tasks:
                self._tasks[task] = Task(_TaskType(task))
            self.run(self._tasks[task], context, lower, upper, step)
        except BaseException as error:
            # An exception cannot pass through compiled code: `raise_error` raises it later.
            self._error = self._error or error

    def raise_error(self) -> None:
        """Raise the first exception of the parallel loops since the last call.

        The loop that it interrupted is incomplete.
        """
        error, self._error = self._error, None
        if error is not None:
            raise error

    def run(self, task: Task, context: int | None, lower: int, upper: int, step: int) -> None:
        """Run the iterations: in this thread alone if sharing them would take longer."""
        iterations = -((lower - upper) // step)
        threads = min(self._count.value, iterations)
        start = time.perf_counter()
        if threads < 2 or task.cost * iterations < _WORTH_SHARING or self._is_inside():
            task.run(context, lower, upper)
            threads = 1
        else:
            parts = _parts(lower, upper, step, min(iterations, threads * _PARTS_PER_THREAD))
            self._share(task, context, parts, threads)
        task.cost = (time.perf_counter() - start) * threads / iterations

    def _is_inside(self) -> bool:
        """Whether this thread runs a part of a parallel loop."""
        return getattr(self._state, "is_inside", False)

    def _share(
        self,
        task: Task,
        context: int | None,
        parts: Sequence[tuple[int, int]],
        threads: int,
    ) -> None:
        """Run all parts on that many threads, one of which is this one."""
        # The iterator of a list yields each part once, even to several threads.
        remaining = iter(parts)

        def work() -> None:
            self._state.is_inside = True
            try:
                for first, last in remaining:
                    task.run(context, first, last)
            finally:
                self._state.is_inside = False

        helpers = self._submit(work, threads - 1)
        work()
        for helper in helpers:
            # A helper that has not started yet has nothing left to do.
            if not helper.cancel():
                helper.result()

    def _submit(self, work: Callable[[], None], count: int) -> list[Future[None]]:
        """Run `work` in `count` other threads, or in as many as the system allows."""
        with self._lock:
            if self._pool is None or self._pool_size < count:
                if self._pool is not None:
                    self._pool.shutdown(wait=False)
                self._pool_size = count
                self._pool = ThreadPoolExecutor(count, "polyir")
            helpers: list[Future[None]] = []
            with suppress(RuntimeError):
                for _ in range(count):
                    helpers.append(self._pool.submit(work))
            return helpers


def _parts(lower: int, upper: int, step: int, count: int) -> list[tuple[int, int]]:
    """The range in `count` parts whose lengths differ by one iteration at most."""
    iterations = -((lower - upper) // step)
    bounds = [lower + step * (iterations * number // count) for number in range(count)]
    return list(zip(bounds, [*bounds[1:], upper], strict=True))


def default_thread_count() -> int:
    """The value of `OMP_NUM_THREADS`, or else the number of processors this process may use."""
    wanted = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    if wanted.isdigit() and int(wanted) > 0:
        return int(wanted)
    return processors()
