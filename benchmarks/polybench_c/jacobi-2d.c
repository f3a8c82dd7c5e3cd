/* jacobi-2d of PolyBench/C 4.2.1: a stencil in two dimensions.
   Arrays are parameters of variable size. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "suite.h"

#if defined SMALL_DATASET
#define TSTEPS 40
#define N 90
#elif defined MEDIUM_DATASET
#define TSTEPS 100
#define N 250
#elif defined LARGE_DATASET
#define TSTEPS 500
#define N 1300
#elif defined EXTRALARGE_DATASET
#define TSTEPS 1000
#define N 2800
#else
#define TSTEPS 20
#define N 30
#endif

static void kernel_jacobi_2d(int tsteps, int n, double A[n][n], double B[n][n])
{
  int t, i, j;

#pragma scop
  for (t = 0; t < tsteps; t++) {
    for (i = 1; i < n - 1; i++)
      for (j = 1; j < n - 1; j++)
        B[i][j] = 0.2 * (A[i][j] + A[i][j - 1] + A[i][1 + j] + A[1 + i][j] + A[i - 1][j]);
    for (i = 1; i < n - 1; i++)
      for (j = 1; j < n - 1; j++)
        A[i][j] = 0.2 * (B[i][j] + B[i][j - 1] + B[i][1 + j] + B[1 + i][j] + B[i - 1][j]);
  }
#pragma endscop
}

int main(void)
{
  double (*A)[N] = allocate(N * N, sizeof(double));
  double (*B)[N] = allocate(N * N, sizeof(double));
  fill_uniform(&A[0][0], N * N, 1);
  fill_uniform(&B[0][0], N * N, 2);
  start_clock();
  kernel_jacobi_2d(TSTEPS, N, A, B);
  stop_clock();
  report("A", A, sizeof(double) * N * N);
  report("B", B, sizeof(double) * N * N);
  free(A);
  free(B);
  return 0;
}
