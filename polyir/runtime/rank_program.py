"""The main program, in C, around a kernel that all ranks call.

It is called with the names of three files and a number: the arguments, the arrays that come out, a
report, and how often the kernel runs, each time with the arguments as they were. All ranks read the
numbers and the extents; only the first one has the arrays, or each rank has its part of them, if
the kernel is for that: it asks the kernel which part, and reads and writes no other. The report has
a line `time SECONDS` for each run, and for the last one `FUNCTION MESSAGES BYTES`, what all ranks
have sent by each function of MPI. These are counted by MPI's profiling interface: the functions are
defined here, and call those that MPI has under another name.
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
    make = _first_rank if signature.part is None else _each_rank
    taken, passed, written, freed = make(signature)
    main = _MAIN.format(
        taken=_lines(taken, 4),
        call=f"{symbol_name(signature.symbol)}({', '.join(passed)});",
        written=_lines(written, 6),
        freed=_lines(freed, 4),
        count=len(COUNTED),
        names=", ".join(f'"{name}"' for name in COUNTED),
        memory=_WHOLE if signature.part is None else _PARTS,
    )
    return f"{source}\n{main}"


_Texts = tuple[list[str], list[str], list[str], list[str]]
"""Lines that take arguments, the arguments of the call, lines that write arrays, and free them."""


def _first_rank(signature: Signature) -> _Texts:
    """The first rank has the arrays."""
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
        written.append(f"  put(taken, {name}, {name}_bytes);")
        freed.append(f"free({name});")
    opened = ["if (rank == 0) {", '  FILE *taken = opened(names[2], "wb");']
    closed = ["  closed(taken);", "}"]
    return taken, passed, [*opened, *written, *closed], freed


def _each_rank(signature: Signature) -> _Texts:
    """Each rank has its part of the arrays.

    The first rank copies all to the results, and each one in turn writes its part over that.
    """
    taken: list[str] = []
    parts: list[str] = []
    numbers: list[str] = []
    passed: list[str] = []
    copied: list[str] = []
    moved: list[str] = []
    freed: list[str] = []
    row = 0
    for number, parameter in enumerate(signature.parameters):
        name = f"argument_{number}"
        if not isinstance(parameter, ArrayParameter):
            taken += _number(parameter.type.value, name)
            numbers.append(name)
            passed.append(name)
            continue
        count = len(parameter.type.extents)
        taken.append(f"int64_t {name}_extents[{count or 1}], {name}_bytes;")
        taken += [f"take(given, {name}_extents, {count} * sizeof(int64_t));"]
        taken += [f"take(given, &{name}_bytes, sizeof {name}_bytes);"]
        taken.append(f"const long {name}_at = skipped(given, {name}_bytes);")
        box = f"part + {row}, {name}_extents, {count}, sizeof({parameter.type.element.value})"
        parts.append(f"void *{name} = part_memory({box});")
        parts.append(f"move_part(given, false, {name}_at, {name}, {box});")
        passed += [name, *(f"part[{row + d}][1]" for d in range(count))]
        copied.append(f"copy(given, {name}_at, taken, {name}_bytes);")
        moved.append(f"move_part(taken, true, at, {name}, {box});")
        moved.append(f"at += (long){name}_bytes;")
        freed.append(f"free({name});")
        row += count
    assert signature.part is not None
    asked = f"{symbol_name(signature.part)}({', '.join([*numbers, 'rank', 'ranks', 'part'])});"
    written = [
        "if (rank == 0) {",
        '  FILE *taken = opened(names[2], "wb");',
        *(f"  {line}" for line in copied),
        "  closed(taken);",
        "}",
        "for (int turn = 0; turn < ranks; turn++) {",
        "  MPI_Barrier(MPI_COMM_WORLD);",
        "  if (turn != rank)",
        "    continue;",
        '  FILE *taken = opened(names[2], "r+b");',
        "  long at = 0;",
        *(f"  {line}" for line in moved),
        "  closed(taken);",
        "}",
        "MPI_Barrier(MPI_COMM_WORLD);",
    ]
    return [*taken, f"int64_t part[{row or 1}][2];", asked, *parts], passed, written, freed


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

static void put(FILE *file, const void *from, int64_t size) {{
  if (size && fwrite(from, 1, (size_t)size, file) != (size_t)size)
    fail("cannot write the results");
}}

static void closed(FILE *file) {{
  if (fclose(file))
    fail("cannot write the results");
}}

{memory}
int main(int count, char **names) {{
  int level, rank, ranks;
  MPI_Init_thread(&count, &names, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
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
    if (run == runs - 1) {{
{written}
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

_WHOLE: Final = """\
// The first rank has the array; others have no memory for it.
static void *take_array(FILE *file, int64_t size, int rank) {
  if (rank) {
    if (fseek(file, (long)size, SEEK_CUR))
      fail("cannot read the arguments");
    return NULL;
  }
  void *array = aligned_alloc(64, (size_t)size / 64 * 64 + 64);
  if (!array)
    fail("there is no memory for the arguments");
  take(file, array, (size_t)size);
  return array;
}
"""

_PARTS: Final = """\
static long skipped(FILE *file, int64_t size) {
  const long at = ftell(file);
  if (at < 0 || fseek(file, (long)size, SEEK_CUR))
    fail("cannot read the arguments");
  return at;
}

static void *part_memory(int64_t (*box)[2], const int64_t *extents, int count, size_t element) {
  (void)extents;
  for (int d = 0; d < count; d++)
    element *= (size_t)box[d][1];
  void *part = aligned_alloc(64, element / 64 * 64 + 64);
  if (!part)
    fail("there is no memory for the arguments");
  return part;
}

// Read the box of an array that is at a place in a file, or write it there, row by row.
static void move_part(FILE *file, bool writes, long at, void *part, int64_t (*box)[2],
                      const int64_t *extents, int count, size_t element) {
  int64_t rows = 1, length = count ? box[count - 1][1] : 1;
  for (int d = 0; d < count - 1; d++)
    rows *= box[d][1];
  for (int64_t row = 0; row < rows && length; row++) {
    int64_t rest = row, place = count ? box[count - 1][0] : 0, stride = 1;
    for (int d = count - 2; d >= 0; d--) {
      stride *= extents[d + 1];
      place += (box[d][0] + rest % box[d][1]) * stride;
      rest /= box[d][1];
    }
    char *memory = (char *)part + (size_t)(row * length) * element;
    if (fseek(file, at + (long)((size_t)place * element), SEEK_SET))
      fail("cannot find a part of an array");
    if (writes)
      put(file, memory, length * (int64_t)element);
    else
      take(file, memory, (size_t)length * element);
  }
}

static void copy(FILE *from, long at, FILE *to, int64_t size) {
  char some[4096];
  if (fseek(from, at, SEEK_SET))
    fail("cannot read the arguments");
  for (int64_t done = 0; done < size; done += (int64_t)sizeof some) {
    const int64_t count = size - done < (int64_t)sizeof some ? size - done : (int64_t)sizeof some;
    take(from, some, (size_t)count);
    put(to, some, count);
  }
}
"""
