/* Products of many small matrices. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "suite.h"

#if defined SMALL_DATASET
#define NB 40
#define NI 9
#define NJ 8
#define NK 10
#elif defined MEDIUM_DATASET
#define NB 600
#define NI 12
#define NJ 14
#define NK 13
#elif defined LARGE_DATASET
#define NB 4000
#define NI 40
#define NJ 44
#define NK 48
#elif defined EXTRALARGE_DATASET
#define NB 6000
#define NI 56
#define NJ 60
#define NK 64
#else
#define NB 7
#define NI 5
#define NJ 6
#define NK 4
#endif

static void kernel_batched_gemm(int nb, int ni, int nj, int nk, double A[nb][ni][nk],
                                double B[nb][nk][nj], double C[nb][ni][nj])
{
  int b, i, j, k;

#pragma scop
  for (b = 0; b < nb; b++)
    for (i = 0; i < ni; i++)
      for (j = 0; j < nj; j++) {
        C[b][i][j] = 0.0;
        for (k = 0; k < nk; k++)
          C[b][i][j] += A[b][i][k] * B[b][k][j];
      }
#pragma endscop
}

int main(void)
{
  double (*A)[NI][NK] = allocate(NB * NI * NK, sizeof(double));
  double (*B)[NK][NJ] = allocate(NB * NK * NJ, sizeof(double));
  double (*C)[NI][NJ] = allocate(NB * NI * NJ, sizeof(double));
  fill_uniform(&A[0][0][0], NB * NI * NK, 1);
  fill_uniform(&B[0][0][0], NB * NK * NJ, 2);
  fill_uniform(&C[0][0][0], NB * NI * NJ, 3);
  start_clock();
  kernel_batched_gemm(NB, NI, NJ, NK, A, B, C);
  stop_clock();
  report("C", C, sizeof(double) * NB * NI * NJ);
  free(A);
  free(B);
  free(C);
  return 0;
}
