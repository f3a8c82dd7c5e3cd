/* heat-3d of PolyBench/C 4.2.1: the heat equation in three dimensions.
   Arrays are static. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "suite.h"

#if defined SMALL_DATASET
#define TSTEPS 40
#define N 20
#elif defined MEDIUM_DATASET
#define TSTEPS 100
#define N 40
#elif defined LARGE_DATASET
#define TSTEPS 500
#define N 120
#elif defined EXTRALARGE_DATASET
#define TSTEPS 1000
#define N 200
#else
#define TSTEPS 20
#define N 10
#endif

static double A[N][N][N];
static double B[N][N][N];

static void kernel_heat_3d(void)
{
  int t, i, j, k;

#pragma scop
  for (t = 1; t <= TSTEPS; t++) {
    for (i = 1; i < N - 1; i++) {
      for (j = 1; j < N - 1; j++) {
        for (k = 1; k < N - 1; k++) {
          B[i][j][k] = 0.125 * (A[i + 1][j][k] - 2.0 * A[i][j][k] + A[i - 1][j][k])
                     + 0.125 * (A[i][j + 1][k] - 2.0 * A[i][j][k] + A[i][j - 1][k])
                     + 0.125 * (A[i][j][k + 1] - 2.0 * A[i][j][k] + A[i][j][k - 1])
                     + A[i][j][k];
        }
      }
    }
    for (i = 1; i < N - 1; i++) {
      for (j = 1; j < N - 1; j++) {
        for (k = 1; k < N - 1; k++) {
          A[i][j][k] = 0.125 * (B[i + 1][j][k] - 2.0 * B[i][j][k] + B[i - 1][j][k])
                     + 0.125 * (B[i][j + 1][k] - 2.0 * B[i][j][k] + B[i][j - 1][k])
                     + 0.125 * (B[i][j][k + 1] - 2.0 * B[i][j][k] + B[i][j][k - 1])
                     + B[i][j][k];
        }
      }
    }
  }
#pragma endscop
}

int main(void)
{
  fill_uniform(&A[0][0][0], N * N * N, 1);
  fill_uniform(&B[0][0][0], N * N * N, 2);
  start_clock();
  kernel_heat_3d();
  stop_clock();
  report("A", A, sizeof(double) * N * N * N);
  report("B", B, sizeof(double) * N * N * N);
  return 0;
}
