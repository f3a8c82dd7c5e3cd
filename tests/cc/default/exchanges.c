// Loops over time that exchange pointers, or integers that say where the new values are.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 70
#define SWAP(type, a, b) \
  do { \
    type swapped = a; \
    a = b; \
    b = swapped; \
  } while (0)

typedef double *row;
typedef struct {
  int n, steps;
  double *now, *next;
} grid;

static double *first, *second;

static void two(int n, int steps, double *u) {
  double *v = malloc(n * n * sizeof(double));
  memcpy(v, u, n * n * sizeof(double));
  double *a = u, *b = v;
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        b[i * n + j] = 0.25 * (a[(i - 1) * n + j] + a[(i + 1) * n + j] + a[i * n + j - 1] +
                               a[i * n + j + 1] + t);
    double *tmp = a;
    a = b;
    b = tmp;
  }
  if (a != u) memcpy(u, a, n * n * sizeof(double));
  free(v);
}

static void three(int n, int steps, double (*restrict p)[n], double (*restrict c)[n],
                  double (*restrict x)[n], double *result) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        x[i][j] = 1.5 * c[i][j] - 0.5 * p[i][j] +
                  0.1 * (c[i - 1][j] + c[i + 1][j] + c[i][j - 1] + c[i][j + 1] - 4 * c[i][j]);
    double (*s)[n] = p;
    p = c;
    c = x;
    x = s;
  }
  *result = p[n / 2][n / 3] + 3 * c[n / 2][n / 3] + 5 * x[n / 2][n / 3];
}

static void members(grid *g) {
  int n = g->n;
  for (int t = g->steps; t > 0; t--) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        g->next[i * n + j] = 0.2 * (g->now[i * n + j] + g->now[(i - 1) * n + j] +
                                    g->now[(i + 1) * n + j] + g->now[i * n + j - 1]) + 0.01 * t;
    SWAP(double *, g->now, g->next);
  }
}

static void declared_around(int n, int steps, row restrict a, row restrict b, double *result) {
  int t, i = 0, j;
  row old = b;
  for (t = 0; t < steps; t += 3) {
    for (i = 1; i < n - 1; i++)
      for (j = 1; j < n - 1; j++) b[i * n + j] = 0.5 * (a[i * n + j] + a[i * n - n + j]) + t;
    old = b;
    b = a;
    a = old;
  }
  *result = a[n + 1] + 2 * b[n + 2] + 3 * old[n + 3] + t + 10 * i;
}

static void exchanged_first(int n, int steps) {
  for (int t = 1; t <= steps; t++) {
    SWAP(double *, first, second);
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        second[i * n + j] = 0.5 * first[i * n + j - 1] + 0.25 * first[i * n + j + 1] + t % 3;
  }
}

static void planes(int n, int steps, double u[2][n][n], double *result) {
  int now = 0, next = 1;
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        u[next][i][j] = 0.5 * u[now][i - 1][j] + 0.25 * u[now][i][j] + 0.25 * u[now][i + 1][j];
    SWAP(int, now, next);
  }
  *result = u[now][n / 2][n / 3] - next;
}

static void other_plane(int n, int steps, double u[2][n][n], double *result) {
  int now = 0;
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        u[1 - now][i][j] = 0.5 * u[now][i - 1][j] + 0.25 * u[now][i][j] + 0.25 * u[now][i + 1][j];
    now = 1 - now;
  }
  *result = u[now][n / 2][n / 3] - now;
}

static void relax(int n, const double *restrict a, double *restrict b) {
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++) b[i * n + j] = 0.5 * (a[(i - 1) * n + j] + a[(i + 1) * n + j]);
}

static void exchange(double **a, double **b) {
  double *t = *a;
  *a = *b;
  *b = t;
}

static void in_functions(int n, int steps, double *restrict a, double *restrict b, double *result) {
  for (int k = 0; k < 2; k++) {
    for (int t = 0; t < steps; t++) {
      relax(n, a, b);
      exchange(&a, &b);
    }
    a[n + 1] += k;
  }
  *result = a[n + 2] - b[n + 3];
}

// What is read after the loop is in either array.
static void allocated(int n, int steps, double *result) {
  double *a = malloc(n * n * sizeof *a), *b = malloc(n * n * sizeof *b);
  for (int i = 0; i < n * n; i++) a[i] = b[i] = i % 5;
  for (int t = 0; t < steps; t++) {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) b[i * n + j] = a[i * n + j] * 0.5 + t;
    exchange(&a, &b);
  }
  for (int i = 0; i < n * n; i++) *result += a[i];
  for (int t = 0; t < steps; t++) {
    for (int i = 0; i < n * n; i++) b[i] = a[i] * 0.25 + t;
    SWAP(double *, a, b);
  }
  for (int i = 0; i < n * n; i++) *result += a[i];
  free(a), free(b);
}

static double u[3][N * N], results[9];

static double sum_of(const double *a, long n) {
  double s = 0;
  for (long i = 0; i < n; i++) s += a[i] * (1 + i % 7);
  return s;
}

int main(void) {
  for (int steps = -1; steps < 9; steps++)
    for (int n = 2; n <= N; n += 34) {
      for (int i = 0; i < 3 * N * N; i++) u[i / (N * N)][i % (N * N)] = i * 7 % 13;
      two(n, steps, u[0]);
      three(n, steps, (double (*)[n])u[0], (double (*)[n])u[1], (double (*)[n])u[2], results);
      grid g = {n, steps, u[0], u[2]};
      members(&g);
      results[1] = sum_of(g.now, n * n) - 3 * sum_of(g.next, n * n);
      declared_around(n, 2 * steps, u[1], u[2], results + 2);
      first = u[0], second = u[2];
      exchanged_first(n, steps);
      results[3] = sum_of(first, n * n) - 3 * sum_of(second, n * n);
      if (2 * n < N) {
        planes(n, steps, (double (*)[n][n])u[0], results + 4);
        other_plane(n, steps, (double (*)[n][n])u[1], results + 5);
      }
      in_functions(n, steps, u[0], u[1], results + 6);
      results[7] = 0;
      allocated(n, steps, results + 7);
      for (int k = 0; k < 8; k++) printf(" %.12g", results[k]);
      printf(" %.12g\n", sum_of(u[0], 3L * N * N));
    }
  return 0;
}
