/* bicg of PolyBench/C 4.2.1: the kernel of the BiCGStab solver.
   Arrays are parameters of variable size. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "suite.h"

#if defined SMALL_DATASET
#define M 116
#define N 124
#elif defined MEDIUM_DATASET
#define M 390
#define N 410
#elif defined LARGE_DATASET
#define M 1900
#define N 2100
#elif defined EXTRALARGE_DATASET
#define M 1800
#define N 2200
#else
#define M 38
#define N 42
#endif

static void kernel_bicg(int m, int n, double A[n][m], double s[m], double q[n], double p[m],
                        double r[n])
{
  int i, j;

#pragma scop
  for (i = 0; i < m; i++)
    s[i] = 0;
  for (i = 0; i < n; i++) {
    q[i] = 0.0;
    for (j = 0; j < m; j++) {
      s[j] = s[j] + r[i] * A[i][j];
      q[i] = q[i] + A[i][j] * p[j];
    }
  }
#pragma endscop
}

int main(void)
{
  double (*A)[M] = allocate(N * M, sizeof(double));
  double *s = allocate(M, sizeof(double));
  double *q = allocate(N, sizeof(double));
  double *p = allocate(M, sizeof(double));
  double *r = allocate(N, sizeof(double));
  fill_uniform(&A[0][0], N * M, 1);
  fill_uniform(s, M, 2);
  fill_uniform(q, N, 3);
  fill_uniform(p, M, 4);
  fill_uniform(r, N, 5);
  start_clock();
  kernel_bicg(M, N, A, s, q, p, r);
  stop_clock();
  report("s", s, sizeof(double) * M);
  report("q", q, sizeof(double) * N);
  free(A);
  free(s);
  free(q);
  free(p);
  free(r);
  return 0;
}
