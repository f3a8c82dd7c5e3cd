/* Arrays of _Bool, which take a byte in memory and a bit in a vector. */
#include <stdbool.h>
#include <stdio.h>

#define N 43

static _Bool solid[N][N], any[N], all[N], reach[N][N], odd[N][N], left[N][N], right[N][N];
static bool flags[3 * N], last, kept[N];
static double f[N][N], g[N][N], h[N][N];
static int count[N], total[N][N];

static void masks(int n) {
#pragma scop
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++) {
      g[i][j] = (f[i][j - 1] + f[i][j + 1] + f[i - 1][j] + f[i + 1][j]) / 4;
      solid[i][j] = g[i][j] > 0.4;
    }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      h[i][j] = solid[i][j] ? f[i][j] : g[i][j] + 1;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      count[i] += solid[i][j];
#pragma endscop
}

static void logic(int n) {
#pragma scop
  for (int i = 0; i < n; i++) {
    any[i] = 0;
    all[i] = 1;
    for (int j = 0; j < n; j++) {
      any[i] |= solid[i][j];
      all[i] &= !solid[i][j];
    }
  }
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        reach[i][j] |= reach[i][k] & reach[k][j];
#pragma endscop
}

static void products(int n) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        odd[i][j] ^= left[i][k] & right[k][j];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        total[i][j] += left[i][k] * right[k][j];
#pragma endscop
}

static void others(int n) {
#pragma scop
  for (int i = 0; i < 3 * n; i++)
    flags[i] = !flags[i];
  for (int i = 1; i < 2 * n; i++)
    flags[i] = flags[i - 1] != flags[i];
  for (int i = 0; i < n; i++)
    kept[i] = flags[3 * i] + 2 * flags[i];
  for (int i = 0; i < n; i++)
    last = last || kept[i];
  for (int i = 0; i < n; i++)
    kept[n - 1 - i] = f[i][0];
#pragma endscop
}

int main(void) {
  int sum = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      f[i][j] = (i * j) % 3 / 2.0;
      reach[i][j] = j == i + 1 || (i * j) % 31 == 7;
      left[i][j] = (i * 7 + j * j) % 3 == 1;
      right[i][j] = (i * i + j) % 5 < 2;
      flags[i + j] = (i + j) % 7 < 3;
    }
  masks(N);
  logic(N);
  products(N);
  others(N);
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++)
      sum = (sum * 31 + solid[i][j] * 5 + reach[i][j] * 3 + odd[i][j] * 2 + total[i][j]) % 1000003;
    printf("%d %d %d %d %d %d %a\n", sum, any[i], all[i], count[i], flags[2 * i], kept[i], h[i][3]);
  }
  printf("%d\n", last);
  return 0;
}
