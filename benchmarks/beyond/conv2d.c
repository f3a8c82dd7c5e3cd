/* A convolution of an image of nc channels with nk filters of size nr x ns, and the gradients of
   its result with respect to the filters and to the image. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "suite.h"

#if defined SMALL_DATASET
#define NK 8
#define NC 6
#define NH 18
#define NW 17
#define NP 16
#define NQ 15
#define NR 3
#define NS 3
#elif defined MEDIUM_DATASET
#define NK 16
#define NC 12
#define NH 34
#define NW 36
#define NP 30
#define NQ 32
#define NR 5
#define NS 5
#elif defined LARGE_DATASET
#define NK 48
#define NC 32
#define NH 66
#define NW 66
#define NP 64
#define NQ 64
#define NR 3
#define NS 3
#elif defined EXTRALARGE_DATASET
#define NK 96
#define NC 64
#define NH 114
#define NW 114
#define NP 112
#define NQ 112
#define NR 3
#define NS 3
#else
#define NK 4
#define NC 3
#define NH 9
#define NW 7
#define NP 7
#define NQ 6
#define NR 3
#define NS 2
#endif

static void kernel_conv2d(int nk, int nc, int nh, int nw, int np, int nq, int nr, int ns,
                          float image[nc][nh][nw], float filters[nk][nc][nr][ns],
                          float result[nk][np][nq], float d_result[nk][np][nq],
                          float d_filters[nk][nc][nr][ns], float d_image[nc][nh][nw])
{
  int k, c, y, x, r, s;

#pragma scop
  for (k = 0; k < nk; k++)
    for (y = 0; y < np; y++)
      for (x = 0; x < nq; x++) {
        result[k][y][x] = 0.0f;
        for (c = 0; c < nc; c++)
          for (r = 0; r < nr; r++)
            for (s = 0; s < ns; s++)
              result[k][y][x] += filters[k][c][r][s] * image[c][y + r][x + s];
      }
  for (k = 0; k < nk; k++)
    for (c = 0; c < nc; c++)
      for (r = 0; r < nr; r++)
        for (s = 0; s < ns; s++) {
          d_filters[k][c][r][s] = 0.0f;
          for (y = 0; y < np; y++)
            for (x = 0; x < nq; x++)
              d_filters[k][c][r][s] += d_result[k][y][x] * image[c][y + r][x + s];
        }
  for (c = 0; c < nc; c++)
    for (y = 0; y < np + nr - 1; y++)
      for (x = 0; x < nq + ns - 1; x++)
        d_image[c][y][x] = 0.0f;
  for (k = 0; k < nk; k++)
    for (c = 0; c < nc; c++)
      for (y = 0; y < np; y++)
        for (x = 0; x < nq; x++)
          for (r = 0; r < nr; r++)
            for (s = 0; s < ns; s++)
              d_image[c][y + r][x + s] += d_result[k][y][x] * filters[k][c][r][s];
#pragma endscop
}

int main(void)
{
  float (*image)[NH][NW] = allocate(NC * NH * NW, sizeof(float));
  float (*filters)[NC][NR][NS] = allocate(NK * NC * NR * NS, sizeof(float));
  float (*result)[NP][NQ] = allocate(NK * NP * NQ, sizeof(float));
  float (*d_result)[NP][NQ] = allocate(NK * NP * NQ, sizeof(float));
  float (*d_filters)[NC][NR][NS] = allocate(NK * NC * NR * NS, sizeof(float));
  float (*d_image)[NH][NW] = allocate(NC * NH * NW, sizeof(float));
  fill_single(&image[0][0][0], NC * NH * NW, 1);
  fill_single(&filters[0][0][0][0], NK * NC * NR * NS, 2);
  fill_single(&result[0][0][0], NK * NP * NQ, 3);
  fill_single(&d_result[0][0][0], NK * NP * NQ, 4);
  fill_single(&d_filters[0][0][0][0], NK * NC * NR * NS, 5);
  fill_single(&d_image[0][0][0], NC * NH * NW, 6);
  start_clock();
  kernel_conv2d(NK, NC, NH, NW, NP, NQ, NR, NS, image, filters, result,
                d_result, d_filters, d_image);
  stop_clock();
  report("result", result, sizeof(float) * NK * NP * NQ);
  report("d_filters", d_filters, sizeof(float) * NK * NC * NR * NS);
  report("d_image", d_image, sizeof(float) * NC * NH * NW);
  free(image);
  free(filters);
  free(result);
  free(d_result);
  free(d_filters);
  free(d_image);
  return 0;
}
