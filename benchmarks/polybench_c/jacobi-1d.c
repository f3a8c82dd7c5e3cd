/* jacobi-1d of PolyBench/C 4.2.1: a stencil in one dimension.
   Arrays are parameters of variable size. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "suite.h"

#if defined SMALL_DATASET
#define TSTEPS 40
#define N 120
#elif defined MEDIUM_DATASET
#define TSTEPS 100
#define N 400
#elif defined LARGE_DATASET
#define TSTEPS 500
#define N 2000
#elif defined EXTRALARGE_DATASET
#define TSTEPS 1000
#define N 4000
#else
#define TSTEPS 20
#define N 30
#endif

static void kernel_jacobi_1d(int tsteps, int n, double A[n], double B[n])
{
  int t, i;

#pragma scop
  for (t = 0; t < tsteps; t++) {
    for (i = 1; i < n - 1; i++)
      B[i] = 0.33333 * (A[i - 1] + A[i] + A[i + 1]);
    for (i = 1; i < n - 1; i++)
      A[i] = 0.33333 * (B[i - 1] + B[i] + B[i + 1]);
  }
#pragma endscop
}

int main(void)
{
  double *A = allocate(N, sizeof(double));
  double *B = allocate(N, sizeof(double));
  fill_uniform(A, N, 1);
  fill_uniform(B, N, 2);
  start_clock();
  kernel_jacobi_1d(TSTEPS, N, A, B);
  stop_clock();
  report("A", A, sizeof(double) * N);
  report("B", B, sizeof(double) * N);
  free(A);
  free(B);
  return 0;
}
