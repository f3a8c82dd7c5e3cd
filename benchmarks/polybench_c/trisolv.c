/* trisolv of PolyBench/C 4.2.1: a triangular system of equations.
   Arrays are parameters of variable size. */
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

static void kernel_trisolv(int n, double L[n][n], double x[n], double b[n])
{
  int i, j;

#pragma scop
  for (i = 0; i < n; i++) {
    x[i] = b[i];
    for (j = 0; j < i; j++)
      x[i] -= L[i][j] * x[j];
    x[i] = x[i] / L[i][i];
  }
#pragma endscop
}

int main(void)
{
  double (*L)[N] = allocate(N*N, sizeof(double));
  double *x = allocate(N, sizeof(double));
  double *b = allocate(N, sizeof(double));
  fill_dominant(&L[0][0], N, 1);
  fill_uniform(x, N, 2);
  fill_uniform(b, N, 3);
  start_clock();
  kernel_trisolv(N, L, x, b);
  stop_clock();
  report("x", x, sizeof(double) * N);
  free(L);
  free(x);
  free(b);
  return 0;
}
