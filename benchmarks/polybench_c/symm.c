/* symm of PolyBench/C 4.2.1: C := alpha * A * B + beta * C with a symmetric A.
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

static void kernel_symm(int m, int n, double alpha, double beta, double C[m][n], double A[m][m],
                        double B[m][n])
{
  int i, j, k;
  double temp2;

#pragma scop
  for (i = 0; i < m; i++)
    for (j = 0; j < n; j++) {
      temp2 = 0;
      for (k = 0; k < i; k++) {
        C[k][j] += alpha * B[i][j] * A[i][k];
        temp2 += B[k][j] * A[i][k];
      }
      C[i][j] = beta * C[i][j] + alpha * B[i][j] * A[i][i] + alpha * temp2;
    }
#pragma endscop
}

int main(void)
{
  double (*C)[N] = allocate(M * N, sizeof(double));
  double (*A)[M] = allocate(M * M, sizeof(double));
  double (*B)[N] = allocate(M * N, sizeof(double));
  fill_uniform(&C[0][0], M * N, 1);
  fill_uniform(&A[0][0], M * M, 2);
  fill_uniform(&B[0][0], M * N, 3);
  start_clock();
  kernel_symm(M, N, 1.5, 1.2, C, A, B);
  stop_clock();
  report("C", C, sizeof(double) * M * N);
  free(C);
  free(A);
  free(B);
  return 0;
}
