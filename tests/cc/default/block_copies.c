// Calls of memset and memcpy are loops over elements.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 200, TIMES = 20 };

static void smooth(int n, int steps, double *u, double *v) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++) v[i] = 0.3 * (u[i - 1] + u[i] + u[i + 1]);
    memcpy(u + 1, v + 1, (n - 2) * sizeof(double));
  }
}

static void heat(int steps, double a[N][N], double b[N][N]) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        b[i][j] = 0.25 * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
    memcpy(a, b, N * N * sizeof(double));
  }
}

static void product(size_t n, const float *restrict x, float *restrict y) {
  for (size_t i = 0; i < n; i++) {
    memset(y + i * n, 0, n * sizeof *y);
    for (size_t k = 0; k < n; k++)
      for (size_t j = 0; j < n; j++) y[i * n + j] += x[i * n + k] * x[k * n + j];
  }
}

static void means(int n, int m, const int *restrict k, double *restrict h) {
  for (int i = 0; i < n; i++) {
    double b[8];
    (void)memset(b, 0, sizeof b);
    for (int j = 0; j < m; j++) b[j % 8] += k[i * m + j];
    memcpy(&h[i * 8], b, sizeof(b));
  }
}

static void bytes(int n, int m, unsigned char *im, const unsigned char *src, int c) {
  for (int i = 0; i < n; i++) {
    memset(&im[i * m], c, m);
    for (int j = 1; j < m; j++) im[i * m + j] ^= src[i * m + j - 1];
  }
}

static void rows(int n, int32_t (*p)[16], int32_t (*q)[16]) {
  for (int i = 0; i < n; i++) {
    memset(p[i], -1, sizeof p[i]);
    memcpy(q[i], p[i], sizeof(int32_t) * 8);
  }
}

// Parts that overlap, other types, sizes that are no number of elements, other bytes.
static void left(int n, float *r, int32_t *k) {
  for (int i = 1; i < n; i++) {
    memmove(r + i - 1, r + i, sizeof(float) * 3);
    r[i] += 1;
  }
  for (int i = 0; i < n; i++) memcpy(&k[i], &r[i], sizeof(float));
  for (int i = 0; i < n; i++) memset(&k[i], 1, 3), k[i] += 1;
  for (int i = 0; i < n; i++) memset(&k[i], 2, sizeof(int32_t)), k[i] += i;
}

static double sum(const double *a, long n) {
  double s = 0;
  for (long i = 0; i < n; i++) s = s * 0.99 + a[i];
  return s;
}
static unsigned hash(const void *p, long n) {
  unsigned h = 1;
  for (long i = 0; i < n; i++) h = h * 31 + ((const unsigned char *)p)[i];
  return h;
}

int main(void) {
  double *u = malloc(N * N * sizeof *u), *v = malloc(N * N * sizeof *v);
  int *k = malloc(N * N * sizeof *k), *l = calloc(N * N, sizeof *l);
  float *x = malloc(N * N * sizeof *x), *y = calloc(N * N, sizeof *y);
  for (int large = 0; large < 2; large++) {
    int n = large ? N : 2;
    srand(large);
    for (int i = 0; i < N * N; i++) {
      u[i] = v[i] = rand() % 100, k[i] = rand() % 50, x[i] = rand() % 9;
    }
    smooth(n * n, TIMES, u, v), printf("smooth %.17g\n", sum(u, N * N));
    heat(large * TIMES, (void *)u, (void *)v), printf("heat %.17g\n", sum(u, N * N));
    product(n, x, y), printf("product %u\n", hash(y, 4 * N * N));
    means(n, N, k, v), printf("means %.17g\n", sum(v, N * N));
    bytes(n, N, (unsigned char *)k, (unsigned char *)l, 300 + n);
    printf("bytes %u\n", hash(k, 4 * N * N));
    rows(n * 10, (void *)k, (void *)l), printf("rows %u\n", hash(l, 4 * N * N));
    left(n, x, l), printf("left %u %u\n", hash(x, 4 * N * N), hash(l, 4 * N * N));
  }
  free(u), free(v), free(k), free(l), free(x), free(y);
  return 0;
}
