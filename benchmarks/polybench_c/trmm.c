/* trmm of PolyBench/C 4.2.1: B := alpha * A^T * B with a triangular A.
   Arrays are parameters of variable size. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "suite.h"

#if defined SMALL_DATASET
#define M 60
#define N 80
#elif defined MEDIUM_DATASET
#define M 200
#define N 240
#elif defined LARGE_DATASET
#define M 1000
#define N 1200
#elif defined EXTRALARGE_DATASET
#define M 2000
#define N 2600
#else
#define M 20
#define N 30
#endif

static void kernel_trmm(int m, int n, double alpha, double A[m][m], double B[m][n])
{
  int i, j, k;

#pragma scop
  for (i = 0; i < m; i++)
    for (j = 0; j < n; j++) {
      for (k = i + 1; k < m; k++)
        B[i][j] += A[k][i] * B[k][j];
      B[i][j] = alpha * B[i][j];
    }
#pragma endscop
}

int main(void)
{
  double (*A)[M] = allocate(M * M, sizeof(double));
  double (*B)[N] = allocate(M * N, sizeof(double));
  fill_uniform(&A[0][0], M * M, 1);
  fill_uniform(&B[0][0], M * N, 2);
  start_clock();
  kernel_trmm(M, N, 1.5, A, B);
  stop_clock();
  report("B", B, sizeof(double) * M * N);
  free(A);
  free(B);
  return 0;
}
