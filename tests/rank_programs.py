"""Distributed programs, built and run for tests on ranks of this machine.

All memory that a rank allocates is filled with a pattern, so that an element that it should have
received and did not shows in the result. The main program is not that of `polyir.runtime.ranks`:
it calls the function several times, so that `mpiexec` starts once for all sizes, and gives the
arrays no room to spare, for the address sanitiser.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import numpy as np

from polyir.runtime.compiler import CompilationError, run_command
from polyir.runtime.functions import numpy_type
from polyir.runtime.mpi import MISSING_MPI, find_mpi, has_mpi
from polyir.runtime.ranks import RanksError, run_ranks
from polyir.target.abi import ArrayParameter, Signature

Argument = np.ndarray | int | float

FLAGS = ("-std=c99", "-O1", "-ffp-contract=off")
SANITIZED = (*FLAGS, "-g", "-fsanitize=address,undefined", "-fno-sanitize=vla-bound")
ENVIRONMENT = {
    "ASAN_OPTIONS": "detect_leaks=0",
    "UBSAN_OPTIONS": "halt_on_error=1",
    # Ranks that wait for each other in shared memory of MPICH never leave the processor, and a
    # message takes a time slice where there are more ranks than processors: a tenth of the speed.
    "MPIR_CVAR_NOLOCAL": "1",
    # The same holds for threads of ranks.
    "OMP_WAIT_POLICY": "passive",
}

THREADS = 2
"""Threads of each rank, in programs with OpenMP."""

BUSY_LIMIT = "POLYIR_TEST_BUSY_LIMIT"
"""The environment variable with how many seconds of a processor a rank may compute, if it is set.

A rank that computes for longer ends the run with `BUSY`. Ranks that wait for each other for ever
do not count as computing.
"""

BUSY = "computes for too long"

PATTERN = 0xCB
"""Each byte of memory that nothing was written to: -1.3e57 as a double, and no usual integer."""


def missing_mpi() -> str:
    """Why there is no MPI to run ranks with; empty if there is."""
    return "" if has_mpi() else MISSING_MPI


@dataclass
class Call:
    """What came of one call: the arguments, and the most bytes that each rank had allocated.

    `peaks_in_steps` are without the messages by which arrays are scattered and gathered;
    `messages` are those that all ranks sent in steps.
    """

    arguments: list[Argument]
    peaks: list[int]
    peaks_in_steps: list[int]
    messages: int = 0


@dataclass(frozen=True)
class RankProgram:
    """A program that calls a distributed function once for each set of arguments."""

    path: Path
    signature: Signature

    def run(
        self, calls: Sequence[Sequence[Argument]], ranks: int, seconds: float = 60
    ) -> list[Call]:
        """The results of calls; raises `RanksError`, also after so many `seconds`."""
        with tempfile.TemporaryDirectory() as folder, patch.dict(os.environ, ENVIRONMENT):
            given, taken = (Path(folder) / name for name in ("given", "taken"))
            given.write_bytes(_packed(self.signature, calls))
            command = [str(each) for each in (self.path, given, taken)]
            output = run_ranks(command, ranks, seconds, THREADS)
            content = taken.read_bytes() if taken.exists() else b""
        arrays = [each for call in calls for each in call if isinstance(each, np.ndarray)]
        if len(content) != sum(each.nbytes for each in arrays):
            raise RanksError(f"{ranks} ranks gave no result:\n{output}")
        results = [
            Call(arguments, [0] * ranks, [0] * ranks)
            for arguments in _unpacked(self.signature, calls, content)
        ]
        for line in output.splitlines():
            match line.split():
                case ["peak", call, rank, most, in_steps, messages]:
                    results[int(call)].peaks[int(rank)] = int(most)
                    results[int(call)].peaks_in_steps[int(rank)] = int(in_steps)
                    results[int(call)].messages += int(messages)
        return results


def build(
    source: str, signature: Signature, path: Path, flags: Sequence[str] = FLAGS
) -> RankProgram:
    """Compile a distributed function with a main program; raises `CompilationError`."""
    text = path.with_suffix(".c")
    text.write_text("\n".join((filled(source), _main(signature))))
    done = run_command([find_mpi().compiler, *flags, str(text), "-o", str(path), "-lm"])
    if done.returncode:
        raise CompilationError(done.stderr[:3000])
    return RankProgram(path, signature)


def filled(source: str) -> str:
    """The C of a function whose memory begins with the pattern, and is counted."""
    source = source.replace("message = polyir_mpi_malloc(", "message = allocate_message(")
    return "\n".join((_PRELUDE, source, "#undef malloc\n#undef free"))


def _packed(signature: Signature, calls: Sequence[Sequence[Argument]]) -> bytes:
    return np.int64(len(calls)).tobytes() + b"".join(
        part for arguments in calls for part in _packed_call(signature, arguments)
    )


def _packed_call(signature: Signature, arguments: Sequence[Argument]) -> Iterator[bytes]:
    for parameter, value in zip(signature.parameters, arguments, strict=True):
        if not isinstance(parameter, ArrayParameter):
            yield np.array(value, numpy_type(parameter.type)).tobytes()
            continue
        assert isinstance(value, np.ndarray)
        shape = [value.shape[d] for d in parameter.type.dynamic_dimensions]
        yield np.array([*shape, value.nbytes], np.int64).tobytes()
        yield value.tobytes()


def _unpacked(
    signature: Signature, calls: Sequence[Sequence[Argument]], content: bytes
) -> Iterator[list[Argument]]:
    place = 0
    for arguments in calls:
        values: list[Argument] = []
        for value in arguments:
            if isinstance(value, np.ndarray):
                part = np.frombuffer(content, value.dtype, value.size, place)
                place += value.nbytes
                values.append(part.reshape(value.shape))
            else:
                values.append(value)
        yield values


def _main(signature: Signature) -> str:
    lines: list[str] = []
    passed: list[str] = []
    written: list[str] = []
    for number, parameter in enumerate(signature.parameters):
        name = f"a{number}"
        if not isinstance(parameter, ArrayParameter):
            lines += [f"{parameter.type.value} {name};", f"take(given, &{name}, sizeof {name});"]
            passed.append(name)
            continue
        extents = [f"{name}_{d}" for d in parameter.type.dynamic_dimensions]
        for extent in (*extents, f"{name}_bytes"):
            lines += [f"int64_t {extent};", f"take(given, &{extent}, sizeof {extent});"]
        element = parameter.type.element.value
        lines.append(f"{element} *{name} = take_array(given, {name}_bytes, rank);")
        shape = parameter.type.extents
        inner = "".join(f"[{extent}]" for extent in shape[1:])
        cast = f"({element} (*){inner})" if len(shape) > 1 and None not in shape else ""
        passed += [f"{cast}{name}", *extents]
        written += [f"put(taken, {name}, {name}_bytes);", f"free({name});"]
    call = f"{signature.symbol}({', '.join(passed)});"
    return (
        _MAIN.replace("ARGUMENTS", "\n    ".join(lines))
        .replace("CALL", call)
        .replace("WRITTEN", "\n    ".join(written))
    )


_PRELUDE = f"""\
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <malloc.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t waits;

// MPICH calls this where a rank waits: it gives the processor away for a while.
int sched_yield(void) {{
  waits = 1;
  struct timespec pause = {{0, 20000}};
  return nanosleep(&pause, NULL);
}}

// Each tenth of a second of the processor without such a call is one in which the rank computes.
static void tick(int signal) {{
  static int tenths;
  static const char said[] = "a rank {BUSY}\\n";
  if (!waits && ++tenths > 10 * atof(getenv("{BUSY_LIMIT}")) &&
      write(2, said, sizeof said - 1) > 0)
    _exit(1);
  waits = 0;
}}

__attribute__((constructor)) static void start_clock(void) {{
  const struct itimerval tenth = {{{{0, 100000}}, {{0, 100000}}}};
  const struct sigaction action = {{.sa_handler = tick, .sa_flags = SA_RESTART}};
  if (getenv("{BUSY_LIMIT}")) {{
    sigaction(SIGPROF, &action, NULL);
    setitimer(ITIMER_PROF, &tenth, NULL);
  }}
}}

static int64_t allocated, most_allocated, most_in_steps, messages;

static void *allocate_message(size_t size) {{
  void *memory = malloc(size);
  if (memory) {{
    memset(memory, {PATTERN}, size);
    allocated += (int64_t)malloc_usable_size(memory);
    if (allocated > most_allocated)
      most_allocated = allocated;
  }}
  return memory;
}}

static void *allocate_filled(size_t size) {{
  void *memory = allocate_message(size);
  if (allocated > most_in_steps)
    most_in_steps = allocated;
  return memory;
}}

static void free_counted(void *memory) {{
  allocated -= (int64_t)malloc_usable_size(memory);
  free(memory);
}}

#define malloc allocate_filled
#define free free_counted
"""

_MAIN = """\
// MPI calls its own function by the other name.
int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int target, int tag,
              MPI_Comm ranks, MPI_Request *request) {
  messages++;
  return PMPI_Isend(buffer, count, type, target, tag, ranks, request);
}

static void take(FILE *file, void *to, size_t size) {
  if (fread(to, 1, size, file) != size)
    MPI_Abort(MPI_COMM_WORLD, 3);
}

static void *take_array(FILE *file, int64_t size, int rank) {
  if (rank) {
    fseek(file, (long)size, SEEK_CUR);
    return NULL;
  }
  void *array = malloc((size_t)size);
  take(file, array, (size_t)size);
  return array;
}

static void put(FILE *file, const void *from, int64_t size) {
  if (file && fwrite(from, 1, (size_t)size, file) != (size_t)size)
    MPI_Abort(MPI_COMM_WORLD, 3);
}

int main(int count, char **names) {
  // All ranks print to one file.
  setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
  MPI_Init(&count, &names);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  FILE *given = fopen(names[1], "rb"), *taken = rank ? NULL : fopen(names[2], "wb");
  int64_t calls;
  take(given, &calls, sizeof calls);
  for (int64_t k = 0; k < calls; k++) {
    ARGUMENTS
    most_allocated = most_in_steps = messages = 0;
    CALL
    printf("peak %lld %d %lld %lld %lld\\n", (long long)k, rank, (long long)most_allocated,
           (long long)most_in_steps, (long long)messages);
    if (allocated)
      MPI_Abort(MPI_COMM_WORLD, 4);
    WRITTEN
  }
  if (taken)
    fclose(taken);
  MPI_Finalize();
  return 0;
}
"""
