/* gramschmidt of PolyBench/C 4.2.1: QR decomposition by Gram and Schmidt.
   Arrays are parameters of variable size. */
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

static void kernel_gramschmidt(int m, int n, double A[m][n], double R[n][n], double Q[m][n])
{
  int i, j, k;
  double nrm;

#pragma scop
  for (k = 0; k < n; k++) {
    nrm = 0.0;
    for (i = 0; i < m; i++)
      nrm += A[i][k] * A[i][k];
    R[k][k] = sqrt(nrm);
    for (i = 0; i < m; i++)
      Q[i][k] = A[i][k] / R[k][k];
    for (j = k + 1; j < n; j++) {
      R[k][j] = 0.0;
      for (i = 0; i < m; i++)
        R[k][j] += Q[i][k] * A[i][j];
      for (i = 0; i < m; i++)
        A[i][j] = A[i][j] - Q[i][k] * R[k][j];
    }
  }
#pragma endscop
}

int main(void)
{
  double (*A)[N] = allocate(M*N, sizeof(double));
  double (*R)[N] = allocate(N*N, sizeof(double));
  double (*Q)[N] = allocate(M*N, sizeof(double));
  fill_uniform(&A[0][0], M * N, 1);
  fill_uniform(&R[0][0], N * N, 2);
  fill_uniform(&Q[0][0], M * N, 3);
  start_clock();
  kernel_gramschmidt(M, N, A, R, Q);
  stop_clock();
  report("A", A, sizeof(double) * M * N);
  report("R", R, sizeof(double) * N * N);
  report("Q", Q, sizeof(double) * M * N);
  free(A);
  free(R);
  free(Q);
  return 0;
}
