/* Gauss and Seidel's method for Poisson's equation in two dimensions, in the order of a chessboard. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "suite.h"

#if defined SMALL_DATASET
#define TSTEPS 20
#define N 70
#elif defined MEDIUM_DATASET
#define TSTEPS 50
#define N 250
#elif defined LARGE_DATASET
#define TSTEPS 100
#define N 1200
#elif defined EXTRALARGE_DATASET
#define TSTEPS 200
#define N 2400
#else
#define TSTEPS 10
#define N 24
#endif

static void kernel_red_black(int tsteps, int n, double u[n][n], double f[n][n])
{
  int t, i, j;

#pragma scop
  for (t = 0; t < tsteps; t++) {
    /* Red: i + j is even. */
    for (i = 1; i < n - 1; i += 2)
      for (j = 1; j < n - 1; j += 2)
        u[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - f[i][j]);
    for (i = 2; i < n - 1; i += 2)
      for (j = 2; j < n - 1; j += 2)
        u[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - f[i][j]);
    /* Black. */
    for (i = 1; i < n - 1; i += 2)
      for (j = 2; j < n - 1; j += 2)
        u[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - f[i][j]);
    for (i = 2; i < n - 1; i += 2)
      for (j = 1; j < n - 1; j += 2)
        u[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - f[i][j]);
  }
#pragma endscop
}

int main(void)
{
  double (*u)[N] = allocate(N * N, sizeof(double));
  double (*f)[N] = allocate(N * N, sizeof(double));
  fill_uniform(&u[0][0], N * N, 1);
  fill_uniform(&f[0][0], N * N, 2);
  start_clock();
  kernel_red_black(TSTEPS, N, u, f);
  stop_clock();
  report("u", u, sizeof(double) * N * N);
  free(u);
  free(f);
  return 0;
}
