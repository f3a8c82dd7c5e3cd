/* mvt of PolyBench/C 4.2.1: products of a matrix and of its transpose with vectors.
   Arrays are flattened, and accessed through macros. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "suite.h"

#if defined SMALL_DATASET
#define N 120
#elif defined MEDIUM_DATASET
#define N 400
#elif defined LARGE_DATASET
#define N 2000
#elif defined EXTRALARGE_DATASET
#define N 4000
#else
#define N 40
#endif

#define A(i, j) A[(i) * n + (j)]

static void kernel_mvt(int n, double *x1, double *x2, double *y_1, double *y_2, double *A)
{
  int i, j;

#pragma scop
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      x1[i] = x1[i] + A(i, j) * y_1[j];
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      x2[i] = x2[i] + A(j, i) * y_2[j];
#pragma endscop
}

int main(void)
{
  double *x1 = allocate(N, sizeof(double));
  double *x2 = allocate(N, sizeof(double));
  double *y_1 = allocate(N, sizeof(double));
  double *y_2 = allocate(N, sizeof(double));
  double *A = allocate(N * N, sizeof(double));
  fill_uniform(x1, N, 1);
  fill_uniform(x2, N, 2);
  fill_uniform(y_1, N, 3);
  fill_uniform(y_2, N, 4);
  fill_uniform(A, N * N, 5);
  start_clock();
  kernel_mvt(N, x1, x2, y_1, y_2, A);
  stop_clock();
  report("x1", x1, sizeof(double) * N);
  report("x2", x2, sizeof(double) * N);
  free(x1);
  free(x2);
  free(y_1);
  free(y_2);
  free(A);
  return 0;
}
