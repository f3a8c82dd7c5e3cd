"""A rank that dies in the middle of a program, for tests: a fault is planted in the emitted C.

Which fault, and on which rank, is in the environment, so that a program is compiled once.
"""

from __future__ import annotations

FAULTS = ("abort", "exit", "exit-as-if-well", "kill", "segmentation", "memory")
"""What a rank dies of."""

STENCIL = """
func.func @smooth(%steps: index, %n: index, %A: memref<?xf64>, %B: memref<?xf64>) {
  affine.for %t = 0 to %steps {
    affine.for %i = 1 to %n {
      %left = affine.load %A[%i - 1] : memref<?xf64>
      %here = affine.load %A[%i] : memref<?xf64>
      %sum = arith.addf %left, %here : f64
      affine.store %sum, %B[%i] : memref<?xf64>
    }
    affine.for %i = 1 to %n {
      %b = affine.load %B[%i] : memref<?xf64>
      affine.store %b, %A[%i] : memref<?xf64>
    }
  }
  return
}
"""
"""Each rank sends one element to the next one in each time step."""

PIPELINE = "feautrier-schedule,distribute-memory"

_FAULT = """
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
static void die_at_the_second_step(void) {
  static int steps;
  const char *fault = getenv("POLYIR_TEST_FAULT"), *where = getenv("POLYIR_TEST_RANK");
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (!fault || !where || rank != atoi(where) || ++steps != 2)
    return;
  if (!strcmp(fault, "abort"))
    abort();
  if (!strcmp(fault, "exit"))
    exit(3);
  if (!strcmp(fault, "exit-as-if-well"))
    exit(0);
  if (!strcmp(fault, "kill"))
    raise(SIGKILL);
  if (!strcmp(fault, "segmentation")) {
    // Python may have handlers.
    signal(SIGSEGV, SIG_DFL);
    *(volatile int *)8 = 1;
  }
  if (!strcmp(fault, "memory")) {
    const struct rlimit nothing = {0, 0};
    setrlimit(RLIMIT_AS, &nothing);
    polyir_mpi_malloc((size_t)1 << 30);
  }
}
"""
_PLACE = "static void polyir_mpi_waitall(int64_t handle, int32_t count) {\n"


def with_faults(source: str) -> str:
    """The C of a distributed function, of which a rank dies as the environment says."""
    assert _PLACE in source
    return source.replace(_PLACE, f"{_FAULT}\n{_PLACE}  die_at_the_second_step();\n")


def environment(fault: str, rank: int) -> dict[str, str]:
    """The variables that let a rank die."""
    return {"POLYIR_TEST_FAULT": fault, "POLYIR_TEST_RANK": str(rank)}
