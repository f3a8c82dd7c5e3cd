/* floyd-warshall of PolyBench/C 4.2.1: shortest paths between all pairs.
   Arrays are parameters of variable size. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "suite.h"

#if defined SMALL_DATASET
#define N 180
#elif defined MEDIUM_DATASET
#define N 500
#elif defined LARGE_DATASET
#define N 2800
#elif defined EXTRALARGE_DATASET
#define N 5600
#else
#define N 60
#endif

static void kernel_floyd_warshall(int n, int path[n][n])
{
  int i, j, k;

#pragma scop
  for (k = 0; k < n; k++) {
    for (i = 0; i < n; i++)
      for (j = 0; j < n; j++)
        path[i][j] = path[i][j] < path[i][k] + path[k][j] ? path[i][j] : path[i][k] + path[k][j];
  }
#pragma endscop
}

int main(void)
{
  int (*path)[N] = allocate(N*N, sizeof(int));
  fill_lengths(&path[0][0], N * N, 1);
  start_clock();
  kernel_floyd_warshall(N, path);
  stop_clock();
  report("path", path, sizeof(int) * N * N);
  free(path);
  return 0;
}
