"""The time of a message between two ranks of this machine: a latency, and the time of a byte."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from polyir.choose.network import Network
from polyir.runtime.mpi import find_mpi
from polyir.runtime.ranks import run_ranks

_SOURCE: Final = """\
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

// Seconds of a message of so many bytes: the best of five times as many there and back.
static double message(int rank, char *data, int bytes, int count) {
  double best = 1e9;
  for (int round = 0; round < 5; round++) {
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int k = 0; k < count; k++) {
      if (rank == 0)
        MPI_Send(data, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
      MPI_Recv(data, bytes, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (rank == 1)
        MPI_Send(data, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    }
    double taken = (MPI_Wtime() - start) / (2 * count);
    best = taken < best ? taken : best;
  }
  return best;
}

int main(int count, char **names) {
  int rank, large = 1 << 20;
  MPI_Init(&count, &names);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char *data = calloc(large, 1);
  double small = message(rank, data, 8, 1000), long_one = message(rank, data, large, 20);
  if (rank == 0)
    printf("%.9g %.9g", small, (long_one - small) / large);
  free(data);
  MPI_Finalize();
}
"""


@cache
def _measured() -> tuple[float, float]:
    with TemporaryDirectory() as folder:
        source, program = Path(folder) / "ping.c", Path(folder) / "ping"
        source.write_text(_SOURCE)
        command = [find_mpi().compiler, "-O2", str(source), "-o", str(program)]
        subprocess.run(command, check=True)
        latency, byte = run_ranks([str(program)], 2, 60).split()
    return float(latency), float(byte)


def measured_network(iteration: float) -> Network:
    """The network between two ranks of this machine: half of a message's time at each end."""
    latency, byte = _measured()
    return Network(latency / 2, byte / 2, iteration)
