/* gesummv of PolyBench/C 4.2.1: y := alpha * A * x + beta * B * x.
   Arrays are parameters of variable size. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "suite.h"

#if defined SMALL_DATASET
#define N 90
#elif defined MEDIUM_DATASET
#define N 250
#elif defined LARGE_DATASET
#define N 1300
#elif defined EXTRALARGE_DATASET
#define N 2800
#else
#define N 30
#endif

static void kernel_gesummv(int n, double alpha, double beta, double A[n][n], double B[n][n],
                           double tmp[n], double x[n], double y[n])
{
  int i, j;

#pragma scop
  for (i = 0; i < n; i++) {
    tmp[i] = 0.0;
    y[i] = 0.0;
    for (j = 0; j < n; j++) {
      tmp[i] = A[i][j] * x[j] + tmp[i];
      y[i] = B[i][j] * x[j] + y[i];
    }
    y[i] = alpha * tmp[i] + beta * y[i];
  }
#pragma endscop
}

int main(void)
{
  double (*A)[N] = allocate(N*N, sizeof(double));
  double (*B)[N] = allocate(N*N, sizeof(double));
  double *tmp = allocate(N, sizeof(double));
  double *x = allocate(N, sizeof(double));
  double *y = allocate(N, sizeof(double));
  fill_uniform(&A[0][0], N * N, 1);
  fill_uniform(&B[0][0], N * N, 2);
  fill_uniform(tmp, N, 3);
  fill_uniform(x, N, 4);
  fill_uniform(y, N, 5);
  start_clock();
  kernel_gesummv(N, 1.5, 1.2, A, B, tmp, x, y);
  stop_clock();
  report("tmp", tmp, sizeof(double) * N);
  report("y", y, sizeof(double) * N);
  free(A);
  free(B);
  free(tmp);
  free(x);
  free(y);
  return 0;
}
