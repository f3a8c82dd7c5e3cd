/* doitgen of PolyBench/C 4.2.1: multiresolution analysis.
   Arrays are flattened, and accessed through macros. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "suite.h"

#if defined SMALL_DATASET
#define NR 25
#define NQ 20
#define NP 30
#elif defined MEDIUM_DATASET
#define NR 50
#define NQ 40
#define NP 60
#elif defined LARGE_DATASET
#define NR 150
#define NQ 140
#define NP 160
#elif defined EXTRALARGE_DATASET
#define NR 250
#define NQ 220
#define NP 270
#else
#define NR 10
#define NQ 8
#define NP 12
#endif

#define A(i, j, k) A[((i) * nq + (j)) * np + (k)]
#define C4(i, j) C4[(i) * np + (j)]

static void kernel_doitgen(int nr, int nq, int np, double *A, double *C4, double *sum)
{
  int r, q, p, s;

#pragma scop
  for (r = 0; r < nr; r++)
    for (q = 0; q < nq; q++) {
      for (p = 0; p < np; p++) {
        sum[p] = 0.0;
        for (s = 0; s < np; s++)
          sum[p] += A(r, q, s) * C4(s, p);
      }
      for (p = 0; p < np; p++)
        A(r, q, p) = sum[p];
    }
#pragma endscop
}

int main(void)
{
  double *A = allocate(NR * NQ * NP, sizeof(double));
  double *C4 = allocate(NP * NP, sizeof(double));
  double *sum = allocate(NP, sizeof(double));
  fill_uniform(A, NR * NQ * NP, 1);
  fill_uniform(C4, NP * NP, 2);
  fill_uniform(sum, NP, 3);
  start_clock();
  kernel_doitgen(NR, NQ, NP, A, C4, sum);
  stop_clock();
  report("A", A, sizeof(double) * NR * NQ * NP);
  report("sum", sum, sizeof(double) * NP);
  free(A);
  free(C4);
  free(sum);
  return 0;
}
