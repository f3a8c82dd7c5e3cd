/* The local alignment of two sequences by Smith and Waterman with a linear gap penalty. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "suite.h"

#if defined SMALL_DATASET
#define N 120
#define M 130
#elif defined MEDIUM_DATASET
#define N 800
#define M 900
#elif defined LARGE_DATASET
#define N 5000
#define M 6000
#elif defined EXTRALARGE_DATASET
#define N 12000
#define M 13000
#else
#define N 30
#define M 34
#endif

#define max(x, y) ((x) > (y) ? (x) : (y))
#define score(x, y) ((x) == (y) ? 3 : -3)

static void kernel_smith_waterman(int n, int m, char a[n], char b[m], int H[n][m])
{
  int i, j;

#pragma scop
  for (i = 1; i < n; i++)
    for (j = 1; j < m; j++)
      H[i][j] = max(max(H[i - 1][j - 1] + score(a[i], b[j]), 0), max(H[i - 1][j] - 2, H[i][j - 1] - 2));
#pragma endscop
}

int main(void)
{
  char *a = allocate(N, sizeof(char));
  char *b = allocate(M, sizeof(char));
  int (*H)[M] = allocate(N * M, sizeof(int));
  fill_bases(a, N, 1);
  fill_bases(b, M, 2);
  fill_penalties(&H[0][0], N * M, 3);
  start_clock();
  kernel_smith_waterman(N, M, a, b, H);
  stop_clock();
  report("H", H, sizeof(int) * N * M);
  free(a);
  free(b);
  free(H);
  return 0;
}
