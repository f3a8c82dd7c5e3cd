/* covariance of PolyBench/C 4.2.1: covariance of the columns of a matrix.
   Arrays are parameters of variable size. */
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

static void kernel_covariance(int m, int n, double float_n, double data[n][m], double cov[m][m],
                              double mean[m])
{
  int i, j, k;

#pragma scop
  for (j = 0; j < m; j++) {
    mean[j] = 0.0;
    for (i = 0; i < n; i++)
      mean[j] += data[i][j];
    mean[j] /= float_n;
  }
  for (i = 0; i < n; i++)
    for (j = 0; j < m; j++)
      data[i][j] -= mean[j];
  for (i = 0; i < m; i++)
    for (j = i; j < m; j++) {
      cov[i][j] = 0.0;
      for (k = 0; k < n; k++)
        cov[i][j] += data[k][i] * data[k][j];
      cov[i][j] /= (float_n - 1.0);
      cov[j][i] = cov[i][j];
    }
#pragma endscop
}

int main(void)
{
  double (*data)[M] = allocate(N * M, sizeof(double));
  double (*cov)[M] = allocate(M * M, sizeof(double));
  double *mean = allocate(M, sizeof(double));
  fill_uniform(&data[0][0], N * M, 1);
  fill_uniform(&cov[0][0], M * M, 2);
  fill_uniform(mean, M, 3);
  start_clock();
  kernel_covariance(M, N, (double)N, data, cov, mean);
  stop_clock();
  report("data", data, sizeof(double) * N * M);
  report("cov", cov, sizeof(double) * M * M);
  report("mean", mean, sizeof(double) * M);
  free(data);
  free(cov);
  free(mean);
  return 0;
}
