/* covariance of PolyBench/C 4.2.1: covariance of the columns of a matrix.
   Arrays are static. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "suite.h"

#if defined SMALL_DATASET
#define M 80
#define N 100
#elif defined MEDIUM_DATASET
#define M 240
#define N 260
#elif defined LARGE_DATASET
#define M 1200
#define N 1400
#elif defined EXTRALARGE_DATASET
#define M 2600
#define N 3000
#else
#define M 28
#define N 32
#endif

static double data[N][M];
static double cov[M][M];
static double mean[M];

static void kernel_covariance(double float_n)
{
  int i, j, k;

#pragma scop
  for (j = 0; j < M; j++) {
    mean[j] = 0.0;
    for (i = 0; i < N; i++)
      mean[j] += data[i][j];
    mean[j] /= float_n;
  }
  for (i = 0; i < N; i++)
    for (j = 0; j < M; j++)
      data[i][j] -= mean[j];
  for (i = 0; i < M; i++)
    for (j = i; j < M; j++) {
      cov[i][j] = 0.0;
      for (k = 0; k < N; k++)
        cov[i][j] += data[k][i] * data[k][j];
      cov[i][j] /= (float_n - 1.0);
      cov[j][i] = cov[i][j];
    }
#pragma endscop
}

int main(void)
{
  fill_uniform(&data[0][0], N * M, 1);
  fill_uniform(&cov[0][0], M * M, 2);
  fill_uniform(mean, M, 3);
  start_clock();
  kernel_covariance((double)N);
  stop_clock();
  report("data", data, sizeof(double) * N * M);
  report("cov", cov, sizeof(double) * M * M);
  report("mean", mean, sizeof(double) * M);
  return 0;
}
