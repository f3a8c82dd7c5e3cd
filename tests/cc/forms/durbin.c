/* durbin of PolyBench/C 4.2.1: a Toeplitz system by the Levinson-Durbin recursion.
   Arrays are static. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "suite.h"

#if defined SMALL_DATASET
#define N 120
#elif defined MEDIUM_DATASET
#define N 400
#elif defined LARGE_DATASET
#define N 2000
#elif defined EXTRALARGE_DATASET
#define N 4000
#else
#define N 40
#endif

static double r[N];
static double y[N];

static void kernel_durbin(void)
{
  int i, k;
  double z[N];
  double alpha;
  double beta;
  double sum;

#pragma scop
  y[0] = -r[0];
  beta = 1.0;
  alpha = -r[0];

  for (k = 1; k < N; k++) {
    beta = (1 - alpha * alpha) * beta;
    sum = 0.0;
    for (i = 0; i < k; i++)
      sum += r[k - i - 1] * y[i];
    alpha = -(r[k] + sum) / beta;

    for (i = 0; i < k; i++)
      z[i] = y[i] + alpha * y[k - i - 1];
    for (i = 0; i < k; i++)
      y[i] = z[i];
    y[k] = alpha;
  }
#pragma endscop
}

int main(void)
{
  fill_autocorrelation(r, N, 1);
  fill_uniform(y, N, 2);
  start_clock();
  kernel_durbin();
  stop_clock();
  report("y", y, sizeof(double) * N);
  return 0;
}
