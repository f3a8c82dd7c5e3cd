/* symm of PolyBench/C 4.2.1: C := alpha * A * B + beta * C with a symmetric A.
   Arrays are static. */
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

static double C[M][N];
static double A[M][M];
static double B[M][N];

static void kernel_symm(double alpha, double beta)
{
  int i, j, k;
  double temp2;

#pragma scop
  for (i = 0; i < M; i++)
    for (j = 0; j < N; j++) {
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
  fill_uniform(&C[0][0], M * N, 1);
  fill_uniform(&A[0][0], M * M, 2);
  fill_uniform(&B[0][0], M * N, 3);
  start_clock();
  kernel_symm(1.5, 1.2);
  stop_clock();
  report("C", C, sizeof(double) * M * N);
  return 0;
}
