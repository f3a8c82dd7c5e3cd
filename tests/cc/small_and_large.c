#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct grid {
  int rows, columns;
};

static double *numbers(int count) {
  double *found = malloc(sizeof(double) * count);
  for (int i = 0; i < count; i++)
    found[i] = i % 17 - 0.3 * (i % 5);
  return found;
}

static void product(int n, int m, double (*c)[n], double (*a)[m], double (*b)[n]) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < m; k++)
        c[i][j] += a[i][k] * b[k][j];
#pragma endscop
}

static void stencil(int steps, int n, double (*restrict a)[n], double (*restrict b)[n]) {
#pragma scop
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        b[i][j] = 0.2 * (a[i][j] + a[i][j - 1] + a[i][j + 1] + a[i - 1][j] + a[i + 1][j]);
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        a[i][j] = b[i][j];
  }
#pragma endscop
}

/* The counter has its value after the loop in both versions. */
static void roots(const struct grid *g, int n, double *a, double *b, int *last) {
  int i;
#pragma scop
  for (i = 0; i < n; i++)
    for (int j = 0; j < g->columns; j++)
      b[i * g->columns + j] = exp(a[i * g->columns + j] * 0.01) + n;
#pragma endscop
  *last = i;
}

static double sum(const double *a, int count) {
  double total = 0.0;
  for (int i = 0; i < count; i++)
    total += a[i] * (i % 7 + 1);
  return total;
}

int main(void) {
  const int sizes[] = {0, 1, 5, 130};
  for (int number = 0; number < 4; number++) {
    const int n = sizes[number], count = n * n;
    double *a = numbers(count), *b = numbers(count), *c = numbers(count);
    product(n, n, (void *)c, (void *)a, (void *)b);
    printf("%.17g\n", sum(c, count));
    stencil(7, n, (void *)a, (void *)b);
    printf("%.17g %.17g\n", sum(a, count), sum(b, count));
    int last;
    const struct grid g = {n, n};
    roots(&g, n, a, b, &last);
    printf("%.17g %d\n", sum(b, count), last);
    free(a);
    free(b);
    free(c);
  }
  return 0;
}
