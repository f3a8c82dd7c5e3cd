/* seidel-2d of PolyBench/C 4.2.1: a stencil in place.
   Arrays are parameters of variable size. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "suite.h"

#if defined SMALL_DATASET
#define TSTEPS 40
#define N 120
#elif defined MEDIUM_DATASET
#define TSTEPS 100
#define N 400
#elif defined LARGE_DATASET
#define TSTEPS 500
#define N 2000
#elif defined EXTRALARGE_DATASET
#define TSTEPS 1000
#define N 4000
#else
#define TSTEPS 20
#define N 40
#endif

static void kernel_seidel_2d(int tsteps, int n, double A[n][n])
{
  int t, i, j;

#pragma scop
  for (t = 0; t <= tsteps - 1; t++)
    for (i = 1; i <= n - 2; i++)
      for (j = 1; j <= n - 2; j++)
        A[i][j] = (A[i - 1][j - 1] + A[i - 1][j] + A[i - 1][j + 1]
                   + A[i][j - 1] + A[i][j] + A[i][j + 1]
                   + A[i + 1][j - 1] + A[i + 1][j] + A[i + 1][j + 1]) / 9.0;
#pragma endscop
}

int main(void)
{
  double (*A)[N] = allocate(N*N, sizeof(double));
  fill_uniform(&A[0][0], N * N, 1);
  start_clock();
  kernel_seidel_2d(TSTEPS, N, A);
  stop_clock();
  report("A", A, sizeof(double) * N * N);
  free(A);
  return 0;
}
