// Extents that are known when the program runs, and may be 0 or less: arrays, rows, temporaries.
#include <stdio.h>
static double memory[6][1200];

static void rows(int n, int m, double t[n][m], double u[n][m]) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      t[i][j] = 2 * t[i][j] + u[i][j];
#pragma endscop
}

static void transposed(int n, int m, double t[n][m], double u[m][n]) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      t[i][j] += u[j][i];
#pragma endscop
}

static void products(int n, int m, int l, double c[n][m], double a[n][l], double b[l][m]) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      for (int k = 0; k < l; k++)
        c[i][j] += a[i][k] * b[k][j];
#pragma endscop
}

static void sums_of_columns(int n, int m, double t[n][m], double *restrict s) {
#pragma scop
  for (int j = 0; j < m; j++) {
    double sum = 0;
    for (int i = 0; i < n; i++)
      sum += t[i][j];
    s[j] = sum;
  }
#pragma endscop
}

static void stencil(int steps, int n, int m, double a[n][m], double b[n][m]) {
#pragma scop
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < m - 1; j++)
        b[i][j] = 0.25 * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < m - 1; j++)
        a[i][j] = b[i][j];
  }
#pragma endscop
}

static void inner(int n, int m, double t[n][2 * m - 3], double *restrict s) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 2; j < m; j++)
      t[i][2 * j - 4] = s[j] + t[i][2 * j - 3];
#pragma endscop
}

static void planes(int n, int m, int l, float t[n][m][l], float u[l][m][n]) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      for (int k = 0; k < l; k++)
        t[i][j][k] += u[k][j][i] * 0.5f;
#pragma endscop
}

int main(void) {
  const int sizes[] = {19, 1, 0, -1, 2, 3};
  for (int j = 0; j < 6 * 1200; j++)
    memory[j / 1200][j % 1200] = j % 13 - j % 7;
  double *a = memory[0], *b = memory[1], *c = memory[2];
  for (int p = 0; p < 6; p++)
    for (int q = 0; q < 6; q++) {
      const int n = sizes[p], m = sizes[q];
      rows(n, m, (void *)a, (void *)b);
      transposed(n, m, (void *)a, (void *)b);
      products(n, m, sizes[(p + q) % 2], (void *)a, (void *)b, (void *)c);
      sums_of_columns(n, m, (void *)a, b);
      stencil(3, n, m, (void *)a, (void *)b);
      inner(n, m, (void *)a, c);
      planes(n, m, 3, (void *)memory[4], (void *)memory[5]);
    }
  double all = 0;
  for (int j = 0; j < 6 * 1200; j++)
    all += memory[j / 1200][j % 1200] * (j % 97 + 1);
  printf("%a\n", all);
  return 0;
}
