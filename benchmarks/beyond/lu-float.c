/* LU decomposition without pivoting in single precision: each step updates the rest of the matrix. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "suite.h"

#if defined SMALL_DATASET
#define N 120
#elif defined MEDIUM_DATASET
#define N 400
#elif defined LARGE_DATASET
#define N 1600
#elif defined EXTRALARGE_DATASET
#define N 3200
#else
#define N 40
#endif

static void kernel_lu_float(int n, float A[n][n])
{
  int i, j, k;

#pragma scop
  for (k = 0; k < n; k++) {
    for (i = k + 1; i < n; i++)
      A[i][k] /= A[k][k];
    for (i = k + 1; i < n; i++)
      for (j = k + 1; j < n; j++)
        A[i][j] -= A[i][k] * A[k][j];
  }
#pragma endscop
}

int main(void)
{
  float (*A)[N] = allocate(N * N, sizeof(float));
  fill_dominant_single(&A[0][0], N, 1);
  start_clock();
  kernel_lu_float(N, A);
  stop_clock();
  report("A", A, sizeof(float) * N * N);
  free(A);
  return 0;
}
