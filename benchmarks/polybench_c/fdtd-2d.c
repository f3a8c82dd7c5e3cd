/* fdtd-2d of PolyBench/C 4.2.1: finite differences in the time domain.
   Arrays are parameters of variable size. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "suite.h"

#if defined SMALL_DATASET
#define TMAX 40
#define NX 60
#define NY 80
#elif defined MEDIUM_DATASET
#define TMAX 100
#define NX 200
#define NY 240
#elif defined LARGE_DATASET
#define TMAX 500
#define NX 1000
#define NY 1200
#elif defined EXTRALARGE_DATASET
#define TMAX 1000
#define NX 2000
#define NY 2600
#else
#define TMAX 20
#define NX 20
#define NY 30
#endif

static void kernel_fdtd_2d(int tmax, int nx, int ny, double ex[nx][ny], double ey[nx][ny],
                           double hz[nx][ny], double fict[tmax])
{
  int t, i, j;

#pragma scop
  for (t = 0; t < tmax; t++) {
    for (j = 0; j < ny; j++)
      ey[0][j] = fict[t];
    for (i = 1; i < nx; i++)
      for (j = 0; j < ny; j++)
        ey[i][j] = ey[i][j] - 0.5 * (hz[i][j] - hz[i - 1][j]);
    for (i = 0; i < nx; i++)
      for (j = 1; j < ny; j++)
        ex[i][j] = ex[i][j] - 0.5 * (hz[i][j] - hz[i][j - 1]);
    for (i = 0; i < nx - 1; i++)
      for (j = 0; j < ny - 1; j++)
        hz[i][j] = hz[i][j] - 0.7 * (ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j]);
  }
#pragma endscop
}

int main(void)
{
  double (*ex)[NY] = allocate(NX*NY, sizeof(double));
  double (*ey)[NY] = allocate(NX*NY, sizeof(double));
  double (*hz)[NY] = allocate(NX*NY, sizeof(double));
  double *fict = allocate(TMAX, sizeof(double));
  fill_uniform(&ex[0][0], NX * NY, 1);
  fill_uniform(&ey[0][0], NX * NY, 2);
  fill_uniform(&hz[0][0], NX * NY, 3);
  fill_uniform(fict, TMAX, 4);
  start_clock();
  kernel_fdtd_2d(TMAX, NX, NY, ex, ey, hz, fict);
  stop_clock();
  report("ex", ex, sizeof(double) * NX * NY);
  report("ey", ey, sizeof(double) * NX * NY);
  report("hz", hz, sizeof(double) * NX * NY);
  free(ex);
  free(ey);
  free(hz);
  free(fict);
  return 0;
}
