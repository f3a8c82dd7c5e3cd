"""A team of Python threads that runs the parallel loops of compiled code.

Compiled code hands a parallel loop to the team: a task, which is a compiled function that runs
a part of the iterations, its context, and the range. Each thread calls the task through ctypes,
which releases the interpreter's lock, so that the parts run at the same time.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Final

_Task = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
_Callback = ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64
)

_PARTS_PER_THREAD: Final = 4
"""More parts than threads, for iterations often differ in their work, as those of a triangle."""


class ThreadTeam:
    """Runs parallel loops; the calling thread takes part, inner parallel loops are sequential."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._pool: ThreadPoolExecutor | None = None
        self._pool_size = 0
        self._lock = threading.Lock()
        self._state = threading.local()
        # Kept here, for compiled code knows its address only.
        self._callback = _Callback(self._run)

    @property
    def address(self) -> int:
        """The address of the function that compiled code calls."""
        address = ctypes.cast(self._callback, ctypes.c_void_p).value
        assert address is not None
        return address

    @contextmanager
    def threads(self, count: int) -> Iterator[None]:
        """Use `count` threads inside the `with` block."""
        if count < 1:
            raise ValueError(f"a program has 1 thread or more, not {count}")
        before = self._count
        self._count = count
        try:
            yield
        finally:
            self._count = before

    def _run(self, task: int, context: int | None, lower: int, upper: int, step: int) -> None:
        function = _Task(task)
        iterations = -((lower - upper) // step)
        threads = min(self._count, iterations)
        if threads < 2 or getattr(self._state, "is_inside", False):
            function(context, lower, upper)
            return
        parts = iter(_parts(lower, upper, step, min(iterations, threads * _PARTS_PER_THREAD)))

        def work() -> None:
            # A list iterator hands out each part once, also to several threads.
            self._state.is_inside = True
            try:
                for first, last in parts:
                    function(context, first, last)
            finally:
                self._state.is_inside = False

        helpers = [self._submit(work) for _ in range(threads - 1)]
        work()
        for helper in helpers:
            # One that has not begun by now has nothing left to do.
            if not helper.cancel():
                helper.result()

    def _submit(self, work: Callable[[], None]) -> Future[None]:
        with self._lock:
            if self._pool is None or self._pool_size < self._count - 1:
                if self._pool is not None:
                    self._pool.shutdown(wait=False)
                self._pool_size = self._count - 1
                self._pool = ThreadPoolExecutor(self._pool_size, "polyir")
            return self._pool.submit(work)


def _parts(lower: int, upper: int, step: int, count: int) -> list[tuple[int, int]]:
    """The range in `count` parts whose lengths differ by one iteration at most."""
    iterations = -((lower - upper) // step)
    bounds = [lower + step * (iterations * number // count) for number in range(count)]
    return list(zip(bounds, [*bounds[1:], upper], strict=True))


def default_thread_count() -> int:
    """What `OMP_NUM_THREADS` says, or else the number of processors this process may use."""
    wanted = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    if wanted.isdigit() and int(wanted) > 0:
        return int(wanted)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
