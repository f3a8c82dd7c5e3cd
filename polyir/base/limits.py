"""Limits on what a step of a pass may take, so that no input keeps polyir busy for ever.

A step may use so much processor time and no more. The commands compute it in their own process,
which a supervisor begins again without it where needed (`base.supervisor`). Elsewhere, and where
several run at once, it is computed in a forked copy of the process, and its result comes back
through a pipe. A step that takes too long ends the run with an error.
Time decides nothing else: where something can be done instead, a number of isl's operations says
when (`within_operations`, `base.budgets`). A step in which isl crashes is one that is refused.
Whoever drives the passes sets the limit with `time_limited_to`.
"""

from __future__ import annotations

import faulthandler
import gc
import io
import os
import pickle
import select
import signal
import sys
import traceback
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import IO, Final, Generic, NoReturn, TypeVar
from warnings import catch_warnings, simplefilter

import islpy as isl
from xdsl.ir import Block, Operation, Region, SSAValue

from polyir.base import supervisor
from polyir.base.budgets import Budget
from polyir.base.diagnostics import PolyirError, SourceLocation
from polyir.sets.pickle import IslPickler

DEFAULT_TIME_LIMIT: Final = 20.0
"""Seconds of processor time. A user waits no longer for a step that may still fail."""

Result = TypeVar("Result")

_limit: ContextVar[float] = ContextVar("polyir_time_limit", default=DEFAULT_TIME_LIMIT)
_counted = 0
"""At least so many operations of isl have been counted since the outermost budget began."""
_is_worker = False


class ResourceError(PolyirError):
    """A step takes longer than it may, or isl crashes in it."""

    name = "too-complex"


class TimeLimitError(ResourceError):
    """A step takes longer than it may: with more time, it might have a result.

    Nothing is done instead, or the output would depend on the time (`time_errors_raised`).
    """

    name = "time-limit"


class CrashError(ResourceError):
    """isl crashes in a step: it would crash again, however much time there is."""

    name = "isl-crash"


@contextmanager
def time_limited_to(seconds: float) -> Iterator[None]:
    """Limit every step inside the `with` block to so much processor time; 0 means no limit."""
    token = _limit.set(seconds)
    try:
        yield
    finally:
        _limit.reset(token)


def time_limit() -> float:
    """The seconds of processor time that each step may take here; 0 means no limit."""
    return _limit.get()


def limited(
    step: str,
    compute: Callable[[], Result],
    location: SourceLocation | None = None,
    ir: Operation | None = None,
    known: Sequence[object] = (),
) -> Result:
    """What `compute` returns or raises, computed under the limit in force.

    Under a supervisor (`base.supervisor`), it is computed here, otherwise in a worker process.
    `step` names what is done, for the message. `compute` must not rely on side effects: what it
    changes in the memory of a worker is lost. What it returns and raises is pickled there; isl
    objects may be part of it, and so may be operations, blocks and values of `ir` and the operands
    from outside, which come back as the same objects, as those that are `known` do. Inside another
    step, without a limit, and where processes cannot be forked, `compute` is simply called.

    Raises `TimeLimitError` if `compute` exceeds the limit, and `CrashError` if it crashes.
    """
    seconds, process = _limit.get(), supervisor.process
    if process is None or not seconds or _is_in_step():
        return started(step, compute, location, ir, known).result()
    if (number := process.failure_of_next_step()) is not None:
        raise _failure(step, seconds, number, location)
    with process.step(seconds):
        return compute()


def _is_in_step() -> bool:
    process = supervisor.process
    return _is_worker or (process is not None and process.is_in_step)


@dataclass
class Step(Generic[Result]):
    """What was handed to a worker process, or is computed when it is asked for."""

    _name: str
    _compute: Callable[[], Result]
    _location: SourceLocation | None
    _seconds: float
    _worker: int = 0
    reader: int = -1
    _known: Sequence[object] = ()

    def result(self) -> Result:
        """As `limited`, once."""
        if not self._worker:
            return self._compute()
        try:
            self.is_done(None)
        except BaseException:
            self.stop()
            raise
        answer, status = self._ended()
        if os.WIFSIGNALED(status):
            raise _failure(self._name, self._seconds, os.WTERMSIG(status), self._location)
        is_error, value = _Unpickler(io.BytesIO(answer), self._known).load()
        if is_error:
            raise value
        result: Result = value
        return result

    def is_done(self, seconds: float | None = 0.0) -> bool:
        """Whether no worker computes it any more, in so many seconds at the latest."""
        return not self._worker or _is_ready([self.reader], seconds)

    def stop(self) -> None:
        """End the worker if its result was not asked for."""
        if self._worker:
            os.kill(self._worker, signal.SIGKILL)
            self._ended()

    def _ended(self) -> tuple[bytes, int]:
        """What the worker writes, and how it ends."""
        worker, self._worker = self._worker, 0
        return _await(worker, self.reader)


def started(
    step: str,
    compute: Callable[[], Result],
    location: SourceLocation | None = None,
    ir: Operation | None = None,
    known: Sequence[object] = (),
) -> Step[Result]:
    """A worker that computes what `limited` would return; several may run at once.

    Objects that are `known` come back as the same objects, as those of `ir` do.
    """
    seconds = _limit.get()
    begun = Step(step, compute, location, seconds)
    if _is_in_step() or not seconds or not hasattr(os, "fork"):
        return begun
    known = [*known, *(_objects_of(ir) if ir is not None else ())]
    reader, writer = os.pipe()

    def work() -> NoReturn:
        os.close(reader)
        _work(compute, seconds, known, writer)

    try:
        worker = forked(work)
    except OSError:
        os.close(reader)
        os.close(writer)
        return begun
    os.close(writer)
    return replace(begun, _worker=worker, reader=reader, _known=known)


def forked(work: Callable[[], NoReturn]) -> int:
    """The number of a new process that does `work`. Raises `OSError` if there can be none."""
    # What is still in the buffers would be written by both processes.
    _flush()
    with catch_warnings():
        # About threads, such as those of NumPy, which the new process lacks. It uses none.
        simplefilter("ignore", DeprecationWarning)
        process = os.fork()
    if not process:
        work()
    return process


def _flush() -> None:
    # A stream that is closed is none.
    for stream in filter(None, (sys.stdout, sys.stderr)):
        stream.flush()


def in_order(
    step: str,
    computations: Iterable[Callable[[], Result]],
    location: SourceLocation | None = None,
    known: Callable[[], Sequence[object]] = tuple,
) -> Generator[Step[Result], None, None]:
    """A step for each of `computations`, in their order, each when it is done.

    As many run at once as there are processors; what comes out does not depend on how many. What
    is `known` when a step begins comes back from it as the same objects. Whoever needs no further
    one must close the generator: that ends those that were begun in vain.
    """
    waiting = iter(computations)
    begun: deque[Step[Result]] = deque()
    try:
        while True:
            # One look at each: a step may end between two.
            running = [each for each in begun if not each.is_done()]
            is_free = len(running) < processors()
            if is_free and (computation := next(waiting, None)) is not None:
                begun.append(started(step, computation, location, known=known()))
                continue
            if not begun:
                return
            if running and running[0] is begun[0]:
                _is_ready([each.reader for each in running], None)
            else:
                yield begun.popleft()
    finally:
        for each in begun:
            each.stop()


def processors() -> int:
    """How many processors this process may use, so many workers may run at once."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def within_operations(budget: Budget, compute: Callable[[], Result]) -> Result | None:
    """What `compute` returns, or `None` if isl's operations exceed `budget`.

    The count does not depend on the machine, so that what is computed instead may be another
    result. Inside `compute` of another limit, the operations count there, too; where that one is
    reached, an error ends both. isl has been seen to crash where it stops AST generation: that
    must be inside `limited`.
    """
    global _counted
    context = isl.DEFAULT_CONTEXT
    outer = context.get_max_operations()
    if outer:
        limit = min(outer, _operations_below(outer, budget.operations) + budget.operations)
    else:
        context.reset_operations()
        _counted = 0
        limit = budget.operations
    context.set_max_operations(limit)
    is_exceeded = True
    try:
        result = compute()
        is_exceeded = _is_exceeded(context)
    except Exception:
        # Where isl stops in a function that returns a number or a text, what comes next is no
        # error of isl's.
        is_exceeded = _is_exceeded(context)
        if not is_exceeded:
            raise
    finally:
        # isl refuses all work as long as the count is above the limit.
        if not outer:
            context.reset_operations()
        context.set_max_operations(outer)
    if not is_exceeded:
        return result
    if outer and _is_exceeded(context):
        raise isl.Error("the outer limit on the number of operations is reached")
    return None


def _operations_below(limit: int, budget: int) -> int:
    """How many operations isl has counted, fewer than `limit`, to a hundredth of `budget`.

    isl does not tell, but it stops where a limit is reached. The search begins where the last one
    ended.
    """
    global _counted
    context = isl.DEFAULT_CONTEXT
    least, precision = _counted, max(1, budget // 100)
    step = precision
    while least + step < limit:
        context.set_max_operations(least + step)
        if not _is_exceeded(context):
            break
        least += step
        step *= 4
    most = min(least + step, limit)
    while most - least > precision:
        middle = (least + most) // 2
        context.set_max_operations(middle)
        if _is_exceeded(context):
            least = middle
        else:
            most = middle
    _counted = least
    return least


def _is_exceeded(context: isl.Context) -> bool:
    """Whether isl stopped because of its limit: it then does not even make a number."""
    try:
        # Two, for a limit of one lets one more through.
        isl.Val.int_from_si(context, 1).add(isl.Val.int_from_si(context, 2))
    except isl.Error:
        return True
    return False


def _is_ready(readers: Sequence[int], seconds: float | None) -> bool:
    """Whether one of `readers` has something, in so many seconds; `None`: no limit."""
    return bool(select.select(readers, [], [], seconds)[0])


def _await(worker: int, reader: int) -> tuple[bytes, int]:
    """What the worker writes, and how it ends."""
    status = 0
    try:
        with os.fdopen(reader, "rb") as answers:
            answer = answers.read()
    except BaseException:
        os.kill(worker, signal.SIGKILL)
        raise
    finally:
        # Where SIGCHLD is ignored, nothing is left to wait for.
        with suppress(ChildProcessError):
            _, status = os.waitpid(worker, 0)
    return answer, status


def _work(
    compute: Callable[[], object], seconds: float, known: list[object], writer: int
) -> NoReturn:
    """The life of the worker, which leaves nothing but its answer."""
    global _is_worker
    _is_worker = True
    # The garbage collector must not write to the pages that are shared with the parent.
    gc.freeze()
    try:
        faulthandler.disable()
        # Both signals end the worker without a word.
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, seconds)
        try:
            answer = _pickled((False, compute()), known)
        except Exception as error:
            answer = _pickled((True, _portable(error)), known)
        with os.fdopen(writer, "wb") as answers:
            answers.write(answer)
        _flush()
    except BaseException:
        # The answer cannot be pickled: a defect of whoever computes it.
        traceback.print_exc()
        os.kill(os.getpid(), signal.SIGABRT)
    finally:
        os._exit(0)


_failures: list[ResourceError] = []
"""The errors of all steps of this process that exceeded the limit, or crashed."""


def failed_steps() -> int:
    """How many steps of this process have exceeded the limit, or crashed: others might not."""
    return len(_failures)


@contextmanager
def time_errors_raised() -> Iterator[None]:
    """Raise the first `TimeLimitError` of a step inside the `with` block, if it was caught there.

    Whoever goes on after a refusal must not do so after this one.
    """
    before = len(_failures)
    yield
    for error in _failures[before:]:
        if isinstance(error, TimeLimitError):
            raise error


_FRAMES: Final = "polyir_frames_in_worker"


def frames_in_worker(error: Exception) -> traceback.StackSummary:
    """The calls in the worker that raised `error`, outermost first; none if it was none."""
    return traceback.StackSummary.from_list(error.__dict__.get(_FRAMES, ()))


def _portable(error: Exception) -> Exception:
    """`error`, for the process that waits: one that is like it if it cannot be pickled."""
    frames = traceback.extract_tb(error.__traceback__)
    try:
        copy = pickle.loads(_pickled((True, error), []))[1]
        is_same = type(copy) is type(error)
    except Exception:
        is_same = False
    if not is_same:
        error = RuntimeError(f"{type(error).__name__}: {error}")
    if not isinstance(error, PolyirError):
        error.__dict__[_FRAMES] = [(f.filename, f.lineno, f.name, f.line) for f in frames]
        lines = "".join(frames.format())
        error.add_note(f"In a worker process:\n{lines}{type(error).__name__}: {error}")
    return error


def _failure(
    step: str, seconds: float, number: int, location: SourceLocation | None
) -> ResourceError:
    if number == signal.SIGPROF:
        message = f"{step} takes more than {seconds:g} s of processor time (--time-limit)"
        error: ResourceError = TimeLimitError(message, location)
    else:
        reason = signal.strsignal(number) or f"signal {number}"
        error = CrashError(f"{step} fails: isl crashes ({reason.lower()})", location)
    _failures.append(error)
    return error


def _objects_of(ir: Operation) -> list[object]:
    """The operations, regions, blocks and values of `ir`, and the values that it uses."""
    found: dict[int, object] = {}

    def add(item: Operation | Region | Block | SSAValue) -> None:
        found[id(item)] = item

    for op in ir.walk():
        for item in (op, *op.operands, *op.results, *op.regions):
            add(item)
        for region in op.regions:
            for block in region.blocks:
                for part in (block, *block.args):
                    add(part)
    return list(found.values())


class _Pickler(IslPickler):
    """Writes `known` objects as their positions."""

    def __init__(self, file: IO[bytes], known: list[object]) -> None:
        super().__init__(file)
        self._positions = {id(item): position for position, item in enumerate(known)}

    def persistent_id(self, item: object) -> int | None:
        return self._positions.get(id(item))


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: IO[bytes], known: Sequence[object]) -> None:
        super().__init__(file)
        self._known = known

    def persistent_load(self, position: int) -> object:
        return self._known[position]


def _pickled(answer: tuple[bool, object], known: list[object]) -> bytes:
    file = io.BytesIO()
    _Pickler(file, known).dump(answer)
    return file.getvalue()
