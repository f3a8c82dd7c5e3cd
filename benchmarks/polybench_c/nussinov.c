/* nussinov of PolyBench/C 4.2.1: the secondary structure of RNA.
   Arrays are parameters of variable size. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "suite.h"

#if defined SMALL_DATASET
#define N 180
#elif defined MEDIUM_DATASET
#define N 500
#elif defined LARGE_DATASET
#define N 2500
#elif defined EXTRALARGE_DATASET
#define N 5500
#else
#define N 60
#endif

typedef char base;

#define match(b1, b2) (((b1) + (b2)) == 3 ? 1 : 0)
#define max_score(s1, s2) ((s1 >= s2) ? s1 : s2)

static void kernel_nussinov(int n, base seq[n], int table[n][n])
{
  int i, j, k;

#pragma scop
  for (i = n - 1; i >= 0; i--) {
    for (j = i + 1; j < n; j++) {
      if (j - 1 >= 0)
        table[i][j] = max_score(table[i][j], table[i][j - 1]);
      if (i + 1 < n)
        table[i][j] = max_score(table[i][j], table[i + 1][j]);
      if (j - 1 >= 0 && i + 1 < n) {
        /* don't allow adjacent elements to bond */
        if (i < j - 1)
          table[i][j] = max_score(table[i][j], table[i + 1][j - 1] + match(seq[i], seq[j]));
        else
          table[i][j] = max_score(table[i][j], table[i + 1][j - 1]);
      }
      for (k = i + 1; k < j; k++)
        table[i][j] = max_score(table[i][j], table[i][k] + table[k + 1][j]);
    }
  }
#pragma endscop
}

int main(void)
{
  base *seq = allocate(N, sizeof(base));
  int (*table)[N] = allocate(N * N, sizeof(int));
  fill_bases(seq, N, 1);
  fill_ones(&table[0][0], N * N, 2);
  start_clock();
  kernel_nussinov(N, seq, table);
  stop_clock();
  report("table", table, sizeof(int) * N * N);
  free(seq);
  free(table);
  return 0;
}
