/* atax of PolyBench/C 4.2.1: y := A^T * A * x.
   Arrays are flattened, and accessed through macros. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "suite.h"

#if defined SMALL_DATASET
#define M 116
#define N 124
#elif defined MEDIUM_DATASET
#define M 390
#define N 410
#elif defined LARGE_DATASET
#define M 1900
#define N 2100
#elif defined EXTRALARGE_DATASET
#define M 1800
#define N 2200
#else
#define M 38
#define N 42
#endif

#define A(i, j) A[(i) * n + (j)]

static void kernel_atax(int m, int n, double *A, double *x, double *y, double *tmp)
{
  int i, j;

#pragma scop
  for (i = 0; i < n; i++)
    y[i] = 0;
  for (i = 0; i < m; i++) {
    tmp[i] = 0.0;
    for (j = 0; j < n; j++)
      tmp[i] = tmp[i] + A(i, j) * x[j];
    for (j = 0; j < n; j++)
      y[j] = y[j] + A(i, j) * tmp[i];
  }
#pragma endscop
}

int main(void)
{
  double *A = allocate(M * N, sizeof(double));
  double *x = allocate(N, sizeof(double));
  double *y = allocate(N, sizeof(double));
  double *tmp = allocate(M, sizeof(double));
  fill_uniform(A, M * N, 1);
  fill_uniform(x, N, 2);
  fill_uniform(y, N, 3);
  fill_uniform(tmp, M, 4);
  start_clock();
  kernel_atax(M, N, A, x, y, tmp);
  stop_clock();
  report("y", y, sizeof(double) * N);
  report("tmp", tmp, sizeof(double) * M);
  free(A);
  free(x);
  free(y);
  free(tmp);
  return 0;
}
