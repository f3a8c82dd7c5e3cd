/* gemver of PolyBench/C 4.2.1: multiplications of a vector by a matrix and additions.
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

static void kernel_gemver(int n, double alpha, double beta, double *A, double *u1, double *v1,
                          double *u2, double *v2, double *w, double *x, double *y, double *z)
{
  int i, j;

#pragma scop
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      A(i, j) = A(i, j) + u1[i] * v1[j] + u2[i] * v2[j];
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      x[i] = x[i] + beta * A(j, i) * y[j];
  for (i = 0; i < n; i++)
    x[i] = x[i] + z[i];
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      w[i] = w[i] + alpha * A(i, j) * x[j];
#pragma endscop
}

int main(void)
{
  double *A = allocate(N * N, sizeof(double));
  double *u1 = allocate(N, sizeof(double));
  double *v1 = allocate(N, sizeof(double));
  double *u2 = allocate(N, sizeof(double));
  double *v2 = allocate(N, sizeof(double));
  double *w = allocate(N, sizeof(double));
  double *x = allocate(N, sizeof(double));
  double *y = allocate(N, sizeof(double));
  double *z = allocate(N, sizeof(double));
  fill_uniform(A, N * N, 1);
  fill_uniform(u1, N, 2);
  fill_uniform(v1, N, 3);
  fill_uniform(u2, N, 4);
  fill_uniform(v2, N, 5);
  fill_uniform(w, N, 6);
  fill_uniform(x, N, 7);
  fill_uniform(y, N, 8);
  fill_uniform(z, N, 9);
  start_clock();
  kernel_gemver(N, 1.5, 1.2, A, u1, v1, u2, v2, w, x, y, z);
  stop_clock();
  report("A", A, sizeof(double) * N * N);
  report("w", w, sizeof(double) * N);
  report("x", x, sizeof(double) * N);
  free(A);
  free(u1);
  free(v1);
  free(u2);
  free(v2);
  free(w);
  free(x);
  free(y);
  free(z);
  return 0;
}
