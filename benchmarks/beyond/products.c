/* Matrix products with the loops in every order: of transposed operands, with a symmetric operand S
   of which only the lower triangle is read, and with a symmetric result C6 of which only that is
   computed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "suite.h"

#if defined SMALL_DATASET
#define N 60
#elif defined MEDIUM_DATASET
#define N 180
#elif defined LARGE_DATASET
#define N 560
#elif defined EXTRALARGE_DATASET
#define N 1100
#else
#define N 17
#endif

static void kernel_products(int n, double A[n][n], double B[n][n], double S[n][n], double C1[n][n],
                            double C2[n][n], double C3[n][n], double C4[n][n], double C5[n][n],
                            double C6[n][n])
{
  int i, j, k;

#pragma scop
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      for (k = 0; k < n; k++)
        C1[i][j] += A[k][i] * B[k][j];
  for (i = 0; i < n; i++)
    for (k = 0; k < n; k++)
      for (j = 0; j < n; j++)
        C2[i][j] += A[i][k] * B[j][k];
  for (j = 0; j < n; j++)
    for (i = 0; i < n; i++)
      for (k = 0; k < n; k++)
        C3[i][j] += A[k][i] * B[j][k];
  for (j = 0; j < n; j++)
    for (k = 0; k < n; k++)
      for (i = 0; i < n; i++)
        C4[i][j] += A[i][k] * B[k][j];
  for (k = 0; k < n; k++) {
    for (i = 0; i < k; i++)
      for (j = 0; j < n; j++)
        C5[i][j] += S[k][i] * B[k][j];
    for (i = k; i < n; i++)
      for (j = 0; j < n; j++)
        C5[i][j] += S[i][k] * B[k][j];
  }
  for (k = 0; k < n; k++)
    for (j = 0; j < n; j++)
      for (i = j; i < n; i++)
        C6[i][j] += A[i][k] * A[j][k];
#pragma endscop
}

int main(void)
{
  double (*A)[N] = allocate(N * N, sizeof(double));
  double (*B)[N] = allocate(N * N, sizeof(double));
  double (*S)[N] = allocate(N * N, sizeof(double));
  double (*C1)[N] = allocate(N * N, sizeof(double));
  double (*C2)[N] = allocate(N * N, sizeof(double));
  double (*C3)[N] = allocate(N * N, sizeof(double));
  double (*C4)[N] = allocate(N * N, sizeof(double));
  double (*C5)[N] = allocate(N * N, sizeof(double));
  double (*C6)[N] = allocate(N * N, sizeof(double));
  fill_uniform(&A[0][0], N * N, 1);
  fill_uniform(&B[0][0], N * N, 2);
  fill_uniform(&S[0][0], N * N, 3);
  fill_uniform(&C1[0][0], N * N, 4);
  fill_uniform(&C2[0][0], N * N, 5);
  fill_uniform(&C3[0][0], N * N, 6);
  fill_uniform(&C4[0][0], N * N, 7);
  fill_uniform(&C5[0][0], N * N, 8);
  fill_uniform(&C6[0][0], N * N, 9);
  start_clock();
  kernel_products(N, A, B, S, C1, C2, C3, C4, C5, C6);
  stop_clock();
  report("C1", C1, sizeof(double) * N * N);
  report("C2", C2, sizeof(double) * N * N);
  report("C3", C3, sizeof(double) * N * N);
  report("C4", C4, sizeof(double) * N * N);
  report("C5", C5, sizeof(double) * N * N);
  report("C6", C6, sizeof(double) * N * N);
  free(A);
  free(B);
  free(S);
  free(C1);
  free(C2);
  free(C3);
  free(C4);
  free(C5);
  free(C6);
  return 0;
}
