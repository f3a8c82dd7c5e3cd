/* 2mm of PolyBench/C 4.2.1: D := alpha * A * B * C + beta * D.
   Arrays are flattened, and accessed through macros. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "suite.h"

#if defined SMALL_DATASET
#define NI 40
#define NJ 50
#define NK 70
#define NL 80
#elif defined MEDIUM_DATASET
#define NI 180
#define NJ 190
#define NK 210
#define NL 220
#elif defined LARGE_DATASET
#define NI 800
#define NJ 900
#define NK 1100
#define NL 1200
#elif defined EXTRALARGE_DATASET
#define NI 1600
#define NJ 1800
#define NK 2200
#define NL 2400
#else
#define NI 16
#define NJ 18
#define NK 22
#define NL 24
#endif

#define tmp(i, j) tmp[(i) * nj + (j)]
#define A(i, j) A[(i) * nk + (j)]
#define B(i, j) B[(i) * nj + (j)]
#define C(i, j) C[(i) * nl + (j)]
#define D(i, j) D[(i) * nl + (j)]

static void kernel_2mm(int ni, int nj, int nk, int nl, double alpha, double beta, double *tmp,
                       double *A, double *B, double *C, double *D)
{
  int i, j, k;

#pragma scop
  /* D := alpha*A*B*C + beta*D */
  for (i = 0; i < ni; i++)
    for (j = 0; j < nj; j++) {
      tmp(i, j) = 0.0;
      for (k = 0; k < nk; ++k)
        tmp(i, j) += alpha * A(i, k) * B(k, j);
    }
  for (i = 0; i < ni; i++)
    for (j = 0; j < nl; j++) {
      D(i, j) *= beta;
      for (k = 0; k < nj; ++k)
        D(i, j) += tmp(i, k) * C(k, j);
    }
#pragma endscop
}

int main(void)
{
  double *tmp = allocate(NI * NJ, sizeof(double));
  double *A = allocate(NI * NK, sizeof(double));
  double *B = allocate(NK * NJ, sizeof(double));
  double *C = allocate(NJ * NL, sizeof(double));
  double *D = allocate(NI * NL, sizeof(double));
  fill_uniform(tmp, NI * NJ, 1);
  fill_uniform(A, NI * NK, 2);
  fill_uniform(B, NK * NJ, 3);
  fill_uniform(C, NJ * NL, 4);
  fill_uniform(D, NI * NL, 5);
  start_clock();
  kernel_2mm(NI, NJ, NK, NL, 1.5, 1.2, tmp, A, B, C, D);
  stop_clock();
  report("tmp", tmp, sizeof(double) * NI * NJ);
  report("D", D, sizeof(double) * NI * NL);
  free(tmp);
  free(A);
  free(B);
  free(C);
  free(D);
  return 0;
}
