/* The wave equation in three dimensions, of 4th order in space and 2nd order in time. u and v are
   the last two states in turns; c is the square of the speed, scaled by the steps. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "suite.h"

#if defined SMALL_DATASET
#define TSTEPS 10
#define N 18
#elif defined MEDIUM_DATASET
#define TSTEPS 20
#define N 50
#elif defined LARGE_DATASET
#define TSTEPS 40
#define N 128
#elif defined EXTRALARGE_DATASET
#define TSTEPS 100
#define N 220
#else
#define TSTEPS 4
#define N 9
#endif

static void kernel_wave_3d(int tsteps, int n, double u[n][n][n], double v[n][n][n],
                           double c[n][n][n])
{
  int t, i, j, k;

#pragma scop
  for (t = 0; t < tsteps; t++) {
    for (i = 2; i < n - 2; i++)
      for (j = 2; j < n - 2; j++)
        for (k = 2; k < n - 2; k++)
          v[i][j][k] = 2.0 * u[i][j][k] - v[i][j][k]
                     + c[i][j][k] * (16.0 * (u[i - 1][j][k] + u[i + 1][j][k] + u[i][j - 1][k]
                                             + u[i][j + 1][k] + u[i][j][k - 1] + u[i][j][k + 1])
                                     - (u[i - 2][j][k] + u[i + 2][j][k] + u[i][j - 2][k]
                                        + u[i][j + 2][k] + u[i][j][k - 2] + u[i][j][k + 2])
                                     - 90.0 * u[i][j][k]);
    for (i = 2; i < n - 2; i++)
      for (j = 2; j < n - 2; j++)
        for (k = 2; k < n - 2; k++)
          u[i][j][k] = 2.0 * v[i][j][k] - u[i][j][k]
                     + c[i][j][k] * (16.0 * (v[i - 1][j][k] + v[i + 1][j][k] + v[i][j - 1][k]
                                             + v[i][j + 1][k] + v[i][j][k - 1] + v[i][j][k + 1])
                                     - (v[i - 2][j][k] + v[i + 2][j][k] + v[i][j - 2][k]
                                        + v[i][j + 2][k] + v[i][j][k - 2] + v[i][j][k + 2])
                                     - 90.0 * v[i][j][k]);
  }
#pragma endscop
}

int main(void)
{
  double (*u)[N][N] = allocate(N * N * N, sizeof(double));
  double (*v)[N][N] = allocate(N * N * N, sizeof(double));
  double (*c)[N][N] = allocate(N * N * N, sizeof(double));
  fill_uniform(&u[0][0][0], N * N * N, 1);
  fill_uniform(&v[0][0][0], N * N * N, 2);
  fill_speeds(&c[0][0][0], N * N * N, 3);
  start_clock();
  kernel_wave_3d(TSTEPS, N, u, v, c);
  stop_clock();
  report("u", u, sizeof(double) * N * N * N);
  report("v", v, sizeof(double) * N * N * N);
  free(u);
  free(v);
  free(c);
  return 0;
}
