/* Subscripts that go round: remainders by sizes. */
#include <stddef.h>
#include <stdio.h>

#define MOST 40

static double A[MOST * MOST], B[MOST * MOST], x[MOST * MOST], y[MOST * MOST], w[MOST];
static unsigned char cells[MOST * MOST], next[MOST * MOST];

static void ring(int n, const double *a, double *b) {
#pragma scop
  for (int i = 0; i < n; i++)
    b[i] = 0.25 * (a[(i - 1 + n) % n] + a[(i + 1) % n]) + 0.5 * a[i];
#pragma endscop
}

static void torus(int n, int m, double a[n][m], double b[n][m]) {
#pragma scop
  for (int i = 0; i < n; i++) {
    int up = (i + n - 1) % n, down = (i + 1) % n;
    for (int j = 0; j < m; j++)
      b[i][j] = 0.25 * (a[up][j] + a[down][j] + a[i][(j + m - 1) % m] + a[i][(j + 1) % m]);
  }
#pragma endscop
}

static void life(const unsigned char *a, unsigned char *b, int h, int w) {
#pragma scop
  for (int i = 0; i < h; i++)
    for (int j = 0; j < w; j++) {
      int n = 0;
      for (int di = -1; di <= 1; di++)
        for (int dj = -1; dj <= 1; dj++)
          if (di != 0 || dj != 0)
            n += a[((i + di + h) % h) * w + (j + dj + w) % w];
      b[i * w + j] = n == 3 || (n == 2 && a[i * w + j]);
    }
#pragma endscop
}

static void convolved(size_t n, const double *restrict a, const double *restrict b,
                      double *restrict c) {
#pragma scop
  for (size_t i = 0; i < n; i++) {
    c[i] = 0;
    for (size_t j = 0; j < n; j++)
      c[i] += a[j] * b[(i + n - j) % n];
  }
#pragma endscop
}

/* What is written goes round, in both directions of time. */
static void shifted(int n, int m, double *a) {
#pragma scop
  for (int t = 0; t < m; t++)
    for (int i = 0; i < n; i++)
      a[(i + 1) % n] = 0.5 * a[i] + a[(2 * i + n) % n];
#pragma endscop
}

/* Who knows how often n goes into i + k, or whether what is left is negative? */
static void by_any(int n, int k, double *restrict a, const double *restrict b) {
#pragma scop
  for (int i = 0; i < n; i++)
    a[i] += b[(i + k) % n] + b[(i - n + 1) % n + n - 1];
#pragma endscop
}

static void print(const char *title, int n) {
  double sum = 0;
  for (int i = 0; i < MOST * MOST; i++)
    sum = 0.875 * sum + A[i] + 3 * B[i] + x[i] - y[i] + next[i] + w[i % MOST];
  printf("%s %d %.17g\n", title, n, sum);
}

int main(void) {
  for (int i = 0; i < MOST * MOST; i++) {
    A[i] = i * 7 % 23 - 5.5;
    x[i] = i * 5 % 19 + 0.25;
    cells[i] = i * 11 % 7 < 3;
  }
  for (int n = 0; n < MOST; n += n < 4 ? 1 : 11) {
    ring(n, x, y), print("ring", n);
    ring(n, x, x), print("ring in place", n);
    torus(n, n / 2 + 1, (double(*)[n / 2 + 1])A, (double(*)[n / 2 + 1])B), print("torus", n);
    life(cells, next, n, n + 2), print("life", n);
    convolved((size_t)n, x, A, w), print("convolved", n);
    shifted(n, 3, x), print("shifted", n);
    by_any(n, 2 * n + 3, B, A), print("by any", n);
  }
}
