/* correlation of PolyBench/C 4.2.1: correlation of the columns of a matrix.
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

static void kernel_correlation(int m, int n, double float_n, double data[n][m],
                               double corr[m][m], double mean[m], double stddev[m])
{
  int i, j, k;
  double eps = 0.1;

#pragma scop
  for (j = 0; j < m; j++) {
    mean[j] = 0.0;
    for (i = 0; i < n; i++)
      mean[j] += data[i][j];
    mean[j] /= float_n;
  }
  for (j = 0; j < m; j++) {
    stddev[j] = 0.0;
    for (i = 0; i < n; i++)
      stddev[j] += (data[i][j] - mean[j]) * (data[i][j] - mean[j]);
    stddev[j] /= float_n;
    stddev[j] = sqrt(stddev[j]);
    /* A deviation near zero would be divided by. */
    stddev[j] = stddev[j] <= eps ? 1.0 : stddev[j];
  }
  /* Center and reduce the column vectors. */
  for (i = 0; i < n; i++)
    for (j = 0; j < m; j++) {
      data[i][j] -= mean[j];
      data[i][j] /= sqrt(float_n) * stddev[j];
    }
  /* Calculate the m * m correlation matrix. */
  for (i = 0; i < m - 1; i++) {
    corr[i][i] = 1.0;
    for (j = i + 1; j < m; j++) {
      corr[i][j] = 0.0;
      for (k = 0; k < n; k++)
        corr[i][j] += (data[k][i] * data[k][j]);
      corr[j][i] = corr[i][j];
    }
  }
  corr[m - 1][m - 1] = 1.0;
#pragma endscop
}

int main(void)
{
  double (*data)[M] = allocate(N*M, sizeof(double));
  double (*corr)[M] = allocate(M*M, sizeof(double));
  double *mean = allocate(M, sizeof(double));
  double *stddev = allocate(M, sizeof(double));
  fill_spread(&data[0][0], N, M, 1);
  fill_uniform(&corr[0][0], M * M, 2);
  fill_uniform(mean, M, 3);
  fill_uniform(stddev, M, 4);
  start_clock();
  kernel_correlation(M, N, (double)N, data, corr, mean, stddev);
  stop_clock();
  report("data", data, sizeof(double) * N * M);
  report("corr", corr, sizeof(double) * M * M);
  report("mean", mean, sizeof(double) * M);
  report("stddev", stddev, sizeof(double) * M);
  free(data);
  free(corr);
  free(mean);
  free(stddev);
  return 0;
}
