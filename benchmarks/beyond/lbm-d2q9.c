/* A lattice Boltzmann method with 9 velocities in two dimensions (D2Q9): in each step the
   populations f relax towards equilibrium, then g streams to the neighbours. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "suite.h"

#if defined SMALL_DATASET
#define TSTEPS 10
#define NX 30
#define NY 34
#elif defined MEDIUM_DATASET
#define TSTEPS 40
#define NX 100
#define NY 120
#elif defined LARGE_DATASET
#define TSTEPS 60
#define NX 500
#define NY 600
#elif defined EXTRALARGE_DATASET
#define TSTEPS 100
#define NX 1000
#define NY 1200
#else
#define TSTEPS 5
#define NX 12
#define NY 14
#endif

#define weight_rest 0.4444444444444444
#define weight_axis 0.1111111111111111
#define weight_corner 0.027777777777777776

/* A population f relaxes towards equilibrium; u is the velocity along its direction. */
#define at_rest(f, weight, rho, ux, uy) \
  ((f) - omega * ((f) - (weight) * (rho) * (1.0 - 1.5 * ((ux) * (ux) + (uy) * (uy)))))
#define relaxed(f, weight, rho, u, ux, uy) \
  ((f) - omega * ((f) - (weight) * (rho) \
                  * (1.0 + 3.0 * (u) + 4.5 * (u) * (u) - 1.5 * ((ux) * (ux) + (uy) * (uy)))))

static void kernel_lbm_d2q9(int tsteps, int nx, int ny, double omega, double f[9][nx][ny],
                            double g[9][nx][ny], double rho[nx][ny], double ux[nx][ny],
                            double uy[nx][ny])
{
  int t, i, j;

#pragma scop
  for (t = 0; t < tsteps; t++) {
    for (i = 0; i < nx; i++)
      for (j = 0; j < ny; j++) {
        rho[i][j] = f[0][i][j] + f[1][i][j] + f[2][i][j] + f[3][i][j] + f[4][i][j] + f[5][i][j]
                    + f[6][i][j] + f[7][i][j] + f[8][i][j];
        ux[i][j] = (f[1][i][j] - f[3][i][j] + f[5][i][j] - f[6][i][j] - f[7][i][j] + f[8][i][j])
                   / rho[i][j];
        uy[i][j] = (f[2][i][j] - f[4][i][j] + f[5][i][j] + f[6][i][j] - f[7][i][j] - f[8][i][j])
                   / rho[i][j];
        g[0][i][j] = at_rest(f[0][i][j], weight_rest, rho[i][j], ux[i][j], uy[i][j]);
        g[1][i][j] = relaxed(f[1][i][j], weight_axis, rho[i][j], ux[i][j], ux[i][j], uy[i][j]);
        g[2][i][j] = relaxed(f[2][i][j], weight_axis, rho[i][j], uy[i][j], ux[i][j], uy[i][j]);
        g[3][i][j] = relaxed(f[3][i][j], weight_axis, rho[i][j], -ux[i][j], ux[i][j], uy[i][j]);
        g[4][i][j] = relaxed(f[4][i][j], weight_axis, rho[i][j], -uy[i][j], ux[i][j], uy[i][j]);
        g[5][i][j] = relaxed(f[5][i][j], weight_corner, rho[i][j], ux[i][j] + uy[i][j],
                               ux[i][j], uy[i][j]);
        g[6][i][j] = relaxed(f[6][i][j], weight_corner, rho[i][j], -ux[i][j] + uy[i][j],
                               ux[i][j], uy[i][j]);
        g[7][i][j] = relaxed(f[7][i][j], weight_corner, rho[i][j], -ux[i][j] - uy[i][j],
                               ux[i][j], uy[i][j]);
        g[8][i][j] = relaxed(f[8][i][j], weight_corner, rho[i][j], ux[i][j] - uy[i][j],
                               ux[i][j], uy[i][j]);
      }
    for (i = 1; i < nx - 1; i++)
      for (j = 1; j < ny - 1; j++) {
        f[1][i][j] = g[1][i][j - 1];
        f[2][i][j] = g[2][i - 1][j];
        f[3][i][j] = g[3][i][j + 1];
        f[4][i][j] = g[4][i + 1][j];
        f[5][i][j] = g[5][i - 1][j - 1];
        f[6][i][j] = g[6][i - 1][j + 1];
        f[7][i][j] = g[7][i + 1][j + 1];
        f[8][i][j] = g[8][i + 1][j - 1];
      }
  }
#pragma endscop
}

int main(void)
{
  double (*f)[NX][NY] = allocate(9 * NX * NY, sizeof(double));
  double (*g)[NX][NY] = allocate(9 * NX * NY, sizeof(double));
  double (*rho)[NY] = allocate(NX * NY, sizeof(double));
  double (*ux)[NY] = allocate(NX * NY, sizeof(double));
  double (*uy)[NY] = allocate(NX * NY, sizeof(double));
  fill_populations(&f[0][0][0], 9 * NX * NY, 1);
  fill_uniform(&g[0][0][0], 9 * NX * NY, 2);
  fill_uniform(&rho[0][0], NX * NY, 3);
  fill_uniform(&ux[0][0], NX * NY, 4);
  fill_uniform(&uy[0][0], NX * NY, 5);
  start_clock();
  kernel_lbm_d2q9(TSTEPS, NX, NY, 1.2, f, g, rho, ux, uy);
  stop_clock();
  report("f", f, sizeof(double) * 9 * NX * NY);
  report("g", g, sizeof(double) * 9 * NX * NY);
  report("rho", rho, sizeof(double) * NX * NY);
  report("ux", ux, sizeof(double) * NX * NY);
  report("uy", uy, sizeof(double) * NX * NY);
  free(f);
  free(g);
  free(rho);
  free(ux);
  free(uy);
  return 0;
}
