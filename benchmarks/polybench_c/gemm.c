/* gemm of PolyBench/C 4.2.1: C := alpha * A * B + beta * C.
   Arrays are parameters of variable size. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "suite.h"

#if defined SMALL_DATASET
#define NI 60
#define NJ 70
#define NK 80
#elif defined MEDIUM_DATASET
#define NI 200
#define NJ 220
#define NK 240
#elif defined LARGE_DATASET
#define NI 1000
#define NJ 1100
#define NK 1200
#elif defined EXTRALARGE_DATASET
#define NI 2000
#define NJ 2300
#define NK 2600
#else
#define NI 20
#define NJ 25
#define NK 30
#endif

static void kernel_gemm(int ni, int nj, int nk, double alpha, double beta, double C[ni][nj],
                        double A[ni][nk], double B[nk][nj])
{
  int i, j, k;

#pragma scop
  for (i = 0; i < ni; i++) {
    for (j = 0; j < nj; j++)
      C[i][j] *= beta;
    for (k = 0; k < nk; k++) {
      for (j = 0; j < nj; j++)
        C[i][j] += alpha * A[i][k] * B[k][j];
    }
  }
#pragma endscop
}

int main(void)
{
  double (*C)[NJ] = allocate(NI*NJ, sizeof(double));
  double (*A)[NK] = allocate(NI*NK, sizeof(double));
  double (*B)[NJ] = allocate(NK*NJ, sizeof(double));
  fill_uniform(&C[0][0], NI * NJ, 1);
  fill_uniform(&A[0][0], NI * NK, 2);
  fill_uniform(&B[0][0], NK * NJ, 3);
  start_clock();
  kernel_gemm(NI, NJ, NK, 1.5, 1.2, C, A, B);
  stop_clock();
  report("C", C, sizeof(double) * NI * NJ);
  free(C);
  free(A);
  free(B);
  return 0;
}
