/* 3mm of PolyBench/C 4.2.1: G := (A * B) * (C * D).
   Arrays are parameters of variable size. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "suite.h"

#if defined SMALL_DATASET
#define NI 40
#define NJ 50
#define NK 60
#define NL 70
#define NM 80
#elif defined MEDIUM_DATASET
#define NI 180
#define NJ 190
#define NK 200
#define NL 210
#define NM 220
#elif defined LARGE_DATASET
#define NI 800
#define NJ 900
#define NK 1000
#define NL 1100
#define NM 1200
#elif defined EXTRALARGE_DATASET
#define NI 1600
#define NJ 1800
#define NK 2000
#define NL 2200
#define NM 2400
#else
#define NI 16
#define NJ 18
#define NK 20
#define NL 22
#define NM 24
#endif

static void kernel_3mm(int ni, int nj, int nk, int nl, int nm, double E[ni][nj],
                       double A[ni][nk], double B[nk][nj], double F[nj][nl], double C[nj][nm],
                       double D[nm][nl], double G[ni][nl])
{
  int i, j, k;

#pragma scop
  /* E := A*B */
  for (i = 0; i < ni; i++)
    for (j = 0; j < nj; j++) {
      E[i][j] = 0.0;
      for (k = 0; k < nk; ++k)
        E[i][j] += A[i][k] * B[k][j];
    }
  /* F := C*D */
  for (i = 0; i < nj; i++)
    for (j = 0; j < nl; j++) {
      F[i][j] = 0.0;
      for (k = 0; k < nm; ++k)
        F[i][j] += C[i][k] * D[k][j];
    }
  /* G := E*F */
  for (i = 0; i < ni; i++)
    for (j = 0; j < nl; j++) {
      G[i][j] = 0.0;
      for (k = 0; k < nj; ++k)
        G[i][j] += E[i][k] * F[k][j];
    }
#pragma endscop
}

int main(void)
{
  double (*E)[NJ] = allocate(NI*NJ, sizeof(double));
  double (*A)[NK] = allocate(NI*NK, sizeof(double));
  double (*B)[NJ] = allocate(NK*NJ, sizeof(double));
  double (*F)[NL] = allocate(NJ*NL, sizeof(double));
  double (*C)[NM] = allocate(NJ*NM, sizeof(double));
  double (*D)[NL] = allocate(NM*NL, sizeof(double));
  double (*G)[NL] = allocate(NI*NL, sizeof(double));
  fill_uniform(&E[0][0], NI * NJ, 1);
  fill_uniform(&A[0][0], NI * NK, 2);
  fill_uniform(&B[0][0], NK * NJ, 3);
  fill_uniform(&F[0][0], NJ * NL, 4);
  fill_uniform(&C[0][0], NJ * NM, 5);
  fill_uniform(&D[0][0], NM * NL, 6);
  fill_uniform(&G[0][0], NI * NL, 7);
  start_clock();
  kernel_3mm(NI, NJ, NK, NL, NM, E, A, B, F, C, D, G);
  stop_clock();
  report("E", E, sizeof(double) * NI * NJ);
  report("F", F, sizeof(double) * NJ * NL);
  report("G", G, sizeof(double) * NI * NL);
  free(E);
  free(A);
  free(B);
  free(F);
  free(C);
  free(D);
  free(G);
  return 0;
}
