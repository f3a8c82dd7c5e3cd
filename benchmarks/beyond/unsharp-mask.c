/* An unsharp mask on an image of nc channels: it is blurred along both directions, and a pixel that
   differs from the blurred image is moved away from it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "suite.h"

#if defined SMALL_DATASET
#define NC 3
#define NX 40
#define NY 45
#elif defined MEDIUM_DATASET
#define NC 3
#define NX 200
#define NY 240
#elif defined LARGE_DATASET
#define NC 3
#define NX 3000
#define NY 4000
#elif defined EXTRALARGE_DATASET
#define NC 3
#define NX 4000
#define NY 6000
#else
#define NC 2
#define NX 14
#define NY 15
#endif

static void kernel_unsharp_mask(int nc, int nx, int ny, float threshold, float weight,
                                float image[nc][nx][ny], float rows[nc][nx][ny],
                                float blurred[nc][nx][ny], float result[nc][nx][ny])
{
  int c, i, j;

#pragma scop
  for (c = 0; c < nc; c++)
    for (i = 2; i < nx - 2; i++)
      for (j = 0; j < ny; j++)
        rows[c][i][j] = 0.0625f * (image[c][i - 2][j] + 4.0f * image[c][i - 1][j] + 6.0f * image[c][i][j]
                                   + 4.0f * image[c][i + 1][j] + image[c][i + 2][j]);
  for (c = 0; c < nc; c++)
    for (i = 2; i < nx - 2; i++)
      for (j = 2; j < ny - 2; j++)
        blurred[c][i][j] = 0.0625f * (rows[c][i][j - 2] + 4.0f * rows[c][i][j - 1] + 6.0f * rows[c][i][j]
                                      + 4.0f * rows[c][i][j + 1] + rows[c][i][j + 2]);
  for (c = 0; c < nc; c++)
    for (i = 2; i < nx - 2; i++)
      for (j = 2; j < ny - 2; j++)
        result[c][i][j] = fabsf(image[c][i][j] - blurred[c][i][j]) < threshold
                              ? image[c][i][j]
                              : image[c][i][j] * (1.0f + weight) - blurred[c][i][j] * weight;
#pragma endscop
}

int main(void)
{
  float (*image)[NX][NY] = allocate(NC * NX * NY, sizeof(float));
  float (*rows)[NX][NY] = allocate(NC * NX * NY, sizeof(float));
  float (*blurred)[NX][NY] = allocate(NC * NX * NY, sizeof(float));
  float (*result)[NX][NY] = allocate(NC * NX * NY, sizeof(float));
  fill_single(&image[0][0][0], NC * NX * NY, 1);
  fill_single(&rows[0][0][0], NC * NX * NY, 2);
  fill_single(&blurred[0][0][0], NC * NX * NY, 3);
  fill_single(&result[0][0][0], NC * NX * NY, 4);
  start_clock();
  kernel_unsharp_mask(NC, NX, NY, 0.25f, 1.5f, image, rows, blurred, result);
  stop_clock();
  report("rows", rows, sizeof(float) * NC * NX * NY);
  report("blurred", blurred, sizeof(float) * NC * NX * NY);
  report("result", result, sizeof(float) * NC * NX * NY);
  free(image);
  free(rows);
  free(blurred);
  free(result);
  return 0;
}
