/* syrk of PolyBench/C 4.2.1: C := alpha * A * A^T + beta * C.
   Arrays are parameters of variable size. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "suite.h"

#if defined SMALL_DATASET
#define N 80
#define M 60
#elif defined MEDIUM_DATASET
#define N 240
#define M 200
#elif defined LARGE_DATASET
#define N 1200
#define M 1000
#elif defined EXTRALARGE_DATASET
#define N 2600
#define M 2000
#else
#define N 30
#define M 20
#endif

static void kernel_syrk(int n, int m, double alpha, double beta, double C[n][n], double A[n][m])
{
  int i, j, k;

#pragma scop
  for (i = 0; i < n; i++) {
    for (j = 0; j <= i; j++)
      C[i][j] *= beta;
    for (k = 0; k < m; k++) {
      for (j = 0; j <= i; j++)
        C[i][j] += alpha * A[i][k] * A[j][k];
    }
  }
#pragma endscop
}

int main(void)
{
  double (*C)[N] = allocate(N * N, sizeof(double));
  double (*A)[M] = allocate(N * M, sizeof(double));
  fill_uniform(&C[0][0], N * N, 1);
  fill_uniform(&A[0][0], N * M, 2);
  start_clock();
  kernel_syrk(N, M, 1.5, 1.2, C, A);
  stop_clock();
  report("C", C, sizeof(double) * N * N);
  free(C);
  free(A);
  return 0;
}
