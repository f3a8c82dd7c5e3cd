"""Checks in a process of their own, which may crash."""

from __future__ import annotations

import os
import signal
import traceback
from collections.abc import Callable

from polyir.tuning.processes import end_openmp_threads


def in_process(check: Callable[[], str | None], seconds: int = 60) -> str | None:
    """The result of a check in a process of its own, or how that ended; `None` if all is well.

    The process is a copy of this one, without the threads of parallel code that has run.
    """
    end_openmp_threads()
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        signal.alarm(seconds)
        try:
            found = check() or ""
        except BaseException:
            found = traceback.format_exc()
        os.write(writer, found.encode()[:60_000])
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as stream:
        found = stream.read().decode()
    _, status = os.waitpid(child, 0)
    if status:
        return f"{found}\nthe process ends with {os.waitstatus_to_exitcode(status)}"
    return found or None
