"""A process of its own that loads one library, runs its kernel and times it.

    python -m harness.worker JOB.json

A crash or an endless loop is then this process's alone. Commands come as lines on standard
input, and each is answered by one line of JSON on standard output:

- `record`: run once and save the results as the job's `results`;
- `time SECONDS`: run until that much time is measured, at least once.

Whether the results are right is for the process that asks. It imports little, for it starts often.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
import time
import zlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, TextIO

import numpy as np
import numpy.typing as npt
from beyond_kernels import ALL_KERNELS
from kernels import ArrayArgument, Kernel

from .bridge import AFTER, BEFORE, RUN
from .calls import c_arguments, parameter
from .memory import GuardedArguments

Array = npt.NDArray[np.generic]
Reply = dict[str, object]

MOST_RUNS: Final = 200
"""In one turn of `time`, however short they are."""


@dataclass(frozen=True)
class Job:
    """What a worker runs. All file names are paths as text, for this is sent as JSON.

    `initial` has one `.npy` file for each array, `results` those that `record` writes.
    """

    library: str
    symbol: str
    kernel: str
    parameters: tuple[str, ...]
    data_set: str
    initial: tuple[str, ...]
    results: tuple[str, ...]

    def write(self, path: Path) -> None:
        """Save the job as JSON."""
        path.write_text(json.dumps(asdict(self)))


def read_job(path: Path) -> Job:
    """The job that `write` has saved."""
    fields: dict[str, str | list[str]] = json.loads(path.read_text())
    texts = {name: value for name, value in fields.items() if isinstance(value, str)}
    lists = {name: tuple(value) for name, value in fields.items() if isinstance(value, list)}
    return Job(**texts, **lists)  # type: ignore[arg-type]


def initial_arrays(kernel: Kernel, data_set: str) -> list[Array]:
    """The arrays that a kernel is called with, in the order of its parameters."""
    arguments = kernel.make_arguments(data_set)
    return [value for value in arguments if isinstance(value, np.ndarray)]


class Program:
    """A loaded kernel and its arguments."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._kernel = ALL_KERNELS[job.kernel]
        self._initial = load_arrays(job.initial)
        self._arguments = GuardedArguments(self._values())
        kinds = [parameter(text) for text in job.parameters]
        self._passed = c_arguments(kinds, self._arguments.values)
        library = ctypes.CDLL(job.library)
        self._entry = library[job.symbol]
        is_bridged = job.symbol == RUN
        self._before = library[BEFORE] if is_bridged else None
        self._after = library[AFTER] if is_bridged else None
        self._checksum: int | None = None

    def _values(self) -> list[int | float | Array]:
        """The arguments of a call, with the arrays from the files."""
        kernel, arrays = self._kernel, iter(self._initial)
        sizes = kernel.sizes(self._job.data_set)
        values: list[int | float | Array] = list(sizes.values())
        for argument in kernel.arguments:
            if isinstance(argument, ArrayArgument):
                values.append(next(arrays))
            else:
                values.append(argument.value(sizes))
        return values

    def run(self) -> float:
        """Run on the first values; the seconds that the call took."""
        self._arguments.restore()
        entry, passed = self._entry, self._passed
        if self._before is not None:
            self._before(*passed)
        start = time.perf_counter()
        entry(*passed)
        seconds = time.perf_counter() - start
        if self._after is not None:
            self._after(*passed)
        return seconds

    def record(self) -> Reply:
        """Run once and save the arrays; wrong if something was written beside them."""
        self.run()
        for path, array in zip(self._job.results, self._arguments.arrays, strict=True):
            np.save(path, array)
        self._checksum = self._sum()
        return self._guarded()

    def time(self, seconds: float) -> Reply:
        """The times of runs of at least `seconds` together; wrong if results have changed.

        A program that is right once may have a race: the last run of each turn must have the
        bits of the run that was recorded.
        """
        times: list[float] = []
        while not times or (sum(times) < seconds and len(times) < MOST_RUNS):
            times.append(self.run())
        if self._sum() != self._checksum:
            return _wrong("a later run has another result than the one that was checked")
        return self._guarded() | {"times": times}

    def _sum(self) -> int:
        checksum = 0
        for array in self._arguments.arrays:
            checksum = zlib.crc32(np.ascontiguousarray(array).data.cast("B"), checksum)
        return checksum

    def _guarded(self) -> Reply:
        position = self._arguments.overrun()
        if position is None:
            return {"right": True}
        return _wrong(f"writes beside the array '{self._kernel.argument_names[position]}'")


def load_arrays(paths: Sequence[str]) -> list[Array]:
    """Arrays in files, mapped: workers that wait share the memory, none can change it."""
    return [np.load(path, mmap_mode="r") for path in paths]


def _wrong(reason: str) -> Reply:
    return {"right": False, "reason": reason}


def _serve(program: Program, replies: TextIO) -> None:
    for line in sys.stdin:
        command, _, rest = line.strip().partition(" ")
        match command:
            case "record":
                reply = program.record()
            case "time":
                reply = program.time(float(rest))
            case _:
                raise ValueError(f"unknown command '{line.strip()}'")
        print(json.dumps(reply), file=replies, flush=True)


def main() -> None:
    # A kernel that prints would disturb the replies: its output goes to standard error.
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    program = Program(read_job(Path(sys.argv[1])))
    print(json.dumps({"right": True}), file=replies, flush=True)
    _serve(program, replies)


if __name__ == "__main__":
    main()
