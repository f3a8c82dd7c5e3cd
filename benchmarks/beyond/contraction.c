/* A contraction of two tensors of 4 indices each over 2 of them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "suite.h"

#if defined SMALL_DATASET
#define NI 8
#define NJ 9
#define NK 10
#define NL 11
#define NM 7
#define NN 6
#elif defined MEDIUM_DATASET
#define NI 14
#define NJ 16
#define NK 15
#define NL 18
#define NM 13
#define NN 12
#elif defined LARGE_DATASET
#define NI 24
#define NJ 28
#define NK 26
#define NL 32
#define NM 20
#define NN 22
#elif defined EXTRALARGE_DATASET
#define NI 36
#define NJ 40
#define NK 38
#define NL 44
#define NM 34
#define NN 32
#else
#define NI 4
#define NJ 5
#define NK 6
#define NL 7
#define NM 3
#define NN 4
#endif

static void kernel_contraction(int ni, int nj, int nk, int nl, int nm, int nn,
                               double A[ni][nm][nj][nn], double B[nn][nk][nm][nl],
                               double C[ni][nj][nk][nl])
{
  int i, j, k, l, m, n;

#pragma scop
  for (i = 0; i < ni; i++)
    for (j = 0; j < nj; j++)
      for (k = 0; k < nk; k++)
        for (l = 0; l < nl; l++) {
          C[i][j][k][l] = 0.0;
          for (m = 0; m < nm; m++)
            for (n = 0; n < nn; n++)
              C[i][j][k][l] += A[i][m][j][n] * B[n][k][m][l];
        }
#pragma endscop
}

int main(void)
{
  double (*A)[NM][NJ][NN] = allocate(NI * NM * NJ * NN, sizeof(double));
  double (*B)[NK][NM][NL] = allocate(NN * NK * NM * NL, sizeof(double));
  double (*C)[NJ][NK][NL] = allocate(NI * NJ * NK * NL, sizeof(double));
  fill_uniform(&A[0][0][0][0], NI * NM * NJ * NN, 1);
  fill_uniform(&B[0][0][0][0], NN * NK * NM * NL, 2);
  fill_uniform(&C[0][0][0][0], NI * NJ * NK * NL, 3);
  start_clock();
  kernel_contraction(NI, NJ, NK, NL, NM, NN, A, B, C);
  stop_clock();
  report("C", C, sizeof(double) * NI * NJ * NK * NL);
  free(A);
  free(B);
  free(C);
  return 0;
}
