/* ludcmp of PolyBench/C 4.2.1: a system of linear equations by LU factorisation.
   Arrays are parameters of variable size. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "suite.h"

#if defined SMALL_DATASET
#define N 120
#elif defined MEDIUM_DATASET
#define N 400
#elif defined LARGE_DATASET
#define N 2000
#elif defined EXTRALARGE_DATASET
#define N 4000
#else
#define N 40
#endif

static void kernel_ludcmp(int n, double A[n][n], double b[n], double x[n], double y[n])
{
  int i, j, k;
  double w;

#pragma scop
  for (i = 0; i < n; i++) {
    for (j = 0; j < i; j++) {
      w = A[i][j];
      for (k = 0; k < j; k++)
        w -= A[i][k] * A[k][j];
      A[i][j] = w / A[j][j];
    }
    for (j = i; j < n; j++) {
      w = A[i][j];
      for (k = 0; k < i; k++)
        w -= A[i][k] * A[k][j];
      A[i][j] = w;
    }
  }
  for (i = 0; i < n; i++) {
    w = b[i];
    for (j = 0; j < i; j++)
      w -= A[i][j] * y[j];
    y[i] = w;
  }
  for (i = n - 1; i >= 0; i--) {
    w = y[i];
    for (j = i + 1; j < n; j++)
      w -= A[i][j] * x[j];
    x[i] = w / A[i][i];
  }
#pragma endscop
}

int main(void)
{
  double (*A)[N] = allocate(N*N, sizeof(double));
  double *b = allocate(N, sizeof(double));
  double *x = allocate(N, sizeof(double));
  double *y = allocate(N, sizeof(double));
  fill_dominant(&A[0][0], N, 1);
  fill_uniform(b, N, 2);
  fill_uniform(x, N, 3);
  fill_uniform(y, N, 4);
  start_clock();
  kernel_ludcmp(N, A, b, x, y);
  stop_clock();
  report("A", A, sizeof(double) * N * N);
  report("x", x, sizeof(double) * N);
  report("y", y, sizeof(double) * N);
  free(A);
  free(b);
  free(x);
  free(y);
  return 0;
}
