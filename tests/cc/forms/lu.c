/* lu of PolyBench/C 4.2.1: LU factorisation.
   Arrays are static. */
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

static double A[N][N];

static void kernel_lu(void)
{
  int i, j, k;

#pragma scop
  for (i = 0; i < N; i++) {
    for (j = 0; j < i; j++) {
      for (k = 0; k < j; k++)
        A[i][j] -= A[i][k] * A[k][j];
      A[i][j] /= A[j][j];
    }
    for (j = i; j < N; j++) {
      for (k = 0; k < i; k++)
        A[i][j] -= A[i][k] * A[k][j];
    }
  }
#pragma endscop
}

int main(void)
{
  fill_dominant(&A[0][0], N, 1);
  start_clock();
  kernel_lu();
  stop_clock();
  report("A", A, sizeof(double) * N * N);
  return 0;
}
