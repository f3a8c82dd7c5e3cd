"""The main program, in C, around a kernel that all ranks call.

It is called with the names of three files and a number: the arguments, the arrays that come out,
a report, and how often the kernel runs, each time with the arguments as they were. All ranks read
the numbers and the extents; only the first one has the arrays. The report has a line `time SECONDS`
for each run, and for the last one `FUNCTION MESSAGES BYTES`, what all ranks have sent by each
function of MPI. These are counted by MPI's profiling interface: the functions are defined here, and
call those that MPI has under another name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from polyir.runtime.functions import numpy_type
from polyir.runtime.measure import Argument
from polyir.target.abi import ArrayParameter, Signature, symbol_name

COUNTED: Final = ("MPI_Send", "MPI_Isend")
"""The functions whose messages are counted, in the order of the report."""


def rank_program(source: str, signature: Signature) -> str:
    """The text of a program: the kernel of `signature`, which `source` defines, and `main`."""
    taken: list[str] = []
    passed: list[str] = []
    written: list[str] = []
    freed: list[str] = []
    for number, parameter in enumerate(signature.parameters):
        name = f"argument_{number}"
        if not isinstance(parameter, ArrayParameter):
            taken += _number(parameter.type.value, name)
            passed.append(name)
            continue
        extents = [f"{name}_{d}" for d in parameter.type.dynamic_dimensions]
        for each in (*extents, f"{name}_bytes"):
            taken += _number("int64_t", each)
        # It becomes any pointer, also one to rows of known length.
        taken.append(f"void *{name} = take_array(given, {name}_bytes, rank);")
        passed += [name, *extents]
        written.append(f"put(taken, {name}, {name}_bytes);")
        freed.append(f"free({name});")
    call = f"{symbol_name(signature.symbol)}({', '.join(passed)});"
    main = _MAIN.format(
        taken=_lines(taken, 4),
        call=call,
        written=_lines(written, 6),
        freed=_lines(freed, 4),
        count=len(COUNTED),
        names=", ".join(f'"{name}"' for name in COUNTED),
    )
    return f"{source}\n{main}"


def packed(signature: Signature, arguments: Sequence[Argument]) -> Iterator[bytes]:
    """The content of the file with the arguments."""
    for parameter, value in zip(signature.parameters, arguments, strict=True):
        if isinstance(parameter, ArrayParameter):
            assert isinstance(value, np.ndarray)
            extents = [value.shape[d] for d in parameter.type.dynamic_dimensions]
            yield np.array([*extents, value.nbytes], np.int64).tobytes()
            yield value.tobytes()
        else:
            yield np.array(value, numpy_type(parameter.type)).tobytes()


def unpacked(arguments: Sequence[Argument], content: bytes) -> list[Argument]:
    """The arguments with the arrays that a program wrote."""
    values: list[Argument] = []
    place = 0
    for value in arguments:
        if isinstance(value, np.ndarray):
            read = np.frombuffer(content, value.dtype, value.size, place)
            values.append(read.reshape(value.shape))
            place += value.nbytes
        else:
            values.append(value)
    return values


def _number(type: str, name: str) -> list[str]:
    return [f"{type} {name};", f"take(given, &{name}, sizeof {name});"]


def _lines(lines: Sequence[str], indentation: int) -> str:
    return "\n".join(f"{' ' * indentation}{line}" for line in lines)


_MAIN: Final = """\
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// The library has it since C11; with -std=c99, its header does not declare it.
void *aligned_alloc(size_t alignment, size_t size);

static const char *const functions[] = {{{names}}};
static long long sent[{count}][2];

static void fail(const char *what) {{
  fprintf(stderr, "error: %s\\n", what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}}

static FILE *opened(const char *name, const char *how) {{
  FILE *file = fopen(name, how);
  if (!file)
    fail(name);
  return file;
}}

// With POLYIR_MESSAGE_LOG=FILE, rank R writes a line for each message that it sends to FILE.R.
static void log_message(int function, int target, long long bytes) {{
  static FILE *file;
  const char *name = getenv("POLYIR_MESSAGE_LOG");
  if (!name)
    return;
  if (!file) {{
    char own[4096];
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(own, sizeof own, "%s.%d", name, rank);
    file = opened(own, "w");
  }}
  fprintf(file, "%s %d %lld\\n", functions[function], target, bytes);
}}

static void count_message(int function, int target, int count, MPI_Datatype type) {{
  int size = 0;
  MPI_Type_size(type, &size);
#pragma omp critical
  log_message(function, target, (long long)count * size);
#pragma omp atomic
  sent[function][0]++;
#pragma omp atomic
  sent[function][1] += (long long)count * size;
}}

int MPI_Send(const void *buffer, int count, MPI_Datatype type, int target, int tag,
             MPI_Comm ranks) {{
  count_message(0, target, count, type);
  return PMPI_Send(buffer, count, type, target, tag, ranks);
}}

int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int target, int tag,
              MPI_Comm ranks, MPI_Request *request) {{
  count_message(1, target, count, type);
  return PMPI_Isend(buffer, count, type, target, tag, ranks, request);
}}

static void take(FILE *file, void *to, size_t size) {{
  if (size && fread(to, 1, size, file) != size)
    fail("cannot read the arguments");
}}

// The first rank has the array; others have no memory for it.
static void *take_array(FILE *file, int64_t size, int rank) {{
  if (rank) {{
    if (fseek(file, (long)size, SEEK_CUR))
      fail("cannot read the arguments");
    return NULL;
  }}
  void *array = aligned_alloc(64, (size_t)size / 64 * 64 + 64);
  if (!array)
    fail("there is no memory for the arguments");
  take(file, array, (size_t)size);
  return array;
}}

static void put(FILE *file, const void *from, int64_t size) {{
  if (size && fwrite(from, 1, (size_t)size, file) != (size_t)size)
    fail("cannot write the results");
}}

int main(int count, char **names) {{
  int level, rank;
  MPI_Init_thread(&count, &names, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (count != 5)
    fail("expected three files and a number");
  const int runs = atoi(names[4]);
  FILE *given = opened(names[1], "rb");
  FILE *report = rank ? NULL : opened(names[3], "w");
  for (int run = 0; run < runs; run++) {{
    rewind(given);
{taken}
    for (int k = 0; k < {count}; k++)
      sent[k][0] = sent[k][1] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    {call}
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
      fprintf(report, "time %.9f\\n", MPI_Wtime() - start);
    if (rank == 0 && run == runs - 1) {{
      FILE *taken = opened(names[2], "wb");
{written}
      if (fclose(taken))
        fail("cannot write the results");
    }}
{freed}
  }}
  fclose(given);
  long long all[{count}][2];
  MPI_Reduce(sent, all, 2 * {count}, MPI_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) {{
    for (int k = 0; k < {count}; k++)
      fprintf(report, "%s %lld %lld\\n", functions[k], all[k][0], all[k][1]);
    fclose(report);
  }}
  MPI_Finalize();
  return 0;
}}
"""
