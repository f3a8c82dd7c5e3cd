// Functions of the file in place of their calls.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define N 40

struct field { int n; double step; double data[N]; };

static double A[N][N], B[N][N], x[N], y[N];
static int order[N];
static double total, scale = 1.5;
static int used;

static void show(const char *name) {
  double sum = 0;
  for (int i = 0; i < N; i++) {
    sum = sum * 0.75 + x[i] + 2 * y[i] + order[i];
    for (int j = 0; j < N; j++)
      sum = sum * 0.75 + A[i][j] - B[i][j];
  }
  printf("%s %a %a %d\n", name, sum, total, used);
}

static void init_row(int n, double *row, double start) {
  int i;
  for (i = 0; i < n; i++) {
    row[i] = start * scale;
    start += 0.5;
  }
}

static void transpose(int n, double to[N][N], double from[N][N]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      to[i][j] = from[j][i];
}

static double dot(int n, const double *a, const double *b) {
  double s = 0;
  for (int i = 0; i < n; i++)
    s += a[i] * b[i];
  return s;
}

static void multiply(int n, double m[][N], double *v, double *w) {
  for (int i = 0; i < n; i++)
    w[i] = dot(n, m[i], v);
}

// An assigned parameter is a copy; `return` ends the function only.
static void bounded_add(int n, int k, double v) {
  if (k < 0)
    return;
  if (k >= n)
    k = n - 1;
  v *= 2;
  x[k] += v;
  if (k == 3) {
    used = used + 1;
    return;
  }
  y[k] -= v;
}

static int step(struct field *f, int i) {
  f->data[i] = f->step * i;
  return f->n + i;
}

static inline double at(const double *p, int i, int j) { return p[i * 5 + j]; }

static void set(double *p, double v) { *p = v; }

static double running(double v) {
  total += v;
  return total;
}

static void rows(int n) {
#pragma scop
  for (int i = 0; i < n; i++)
    init_row(n, A[i], i);
  transpose(n, B, A);
#pragma endscop
  show("rows");
}

static void products(int n) {
#pragma scop
  init_row(n, x, 0.25);
  multiply(n, A, x, y);
  total = dot(n, x, y);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      B[i][j] = B[i][j] * 0.5 + scale * dot(n, A[i], B[j]) - dot(3, x, y);
#pragma endscop
  show("products");
}

static void hidden(int n) {
  int i = 3, k = 5;
#pragma scop
  for (int j = 0; j < n; j++) {
    double s = j, a = 2;
    bounded_add(n - 4, j - 2, s + a);
    bounded_add(i, k, a);
    x[j] += s + i + k;
  }
#pragma endscop
  printf("%d %d ", i, k);
  show("hidden");
}

static void members(int n) {
  struct field f = {n, 0.125, {0}};
  int last = 0;
#pragma scop
  for (int i = 0; i < n; i++) {
    order[i] = step(&f, i);
    last = step(&f, n - 1);
  }
#pragma endscop
  for (int i = 0; i < n; i++)
    x[i] += f.data[i];
  printf("%d ", last);
  show("members");
}

static void single_values(int n) {
  double z[25];
#pragma scop
  for (int i = 0; i < 25; i++)
    set(&z[i], i * 0.5);
  for (int i = 1; i < 5; i++)
    for (int j = 0; j < 5; j++)
      z[i * 5 + j] = at(z, i - 1, j) * 2 + (j > 0 ? at(z, i, j - 1) : 1);
  for (int i = 0; i < n; i++)
    y[i] = running(z[7]);
#pragma endscop
  for (int i = 0; i < 25; i++)
    printf("%g ", z[i]);
  show("single_values");
}

// The row is chosen before the function changes what chooses it.
static int current;
static void fill_and_move(double *row, int n) {
  for (int i = 0; i < n; i++) {
    current = i;
    row[i] = i;
  }
}

static void moving(int n) {
#pragma scop
  fill_and_move(A[current], n);
  fill_and_move(B[current], n);
#pragma endscop
  show("moving");
}

static void counters(int n) {
  int i, j;
#pragma scop
  for (i = 0; i < n; i++) {
    init_row(i, y, i);
    (void)running(y[0]);
  }
  j = i;
#pragma endscop
  printf("%d ", j);
  show("counters");
}

// Names of inner blocks hide those around them, from their declaration on.
static void covers(int n, double t) {
  { double scale = t; x[0] = scale; }
  for (int i = 1; i < n; i++) {
    x[i] = x[i - 1] + scale - t;
    double t = y[i];
    x[i] += t;
  }
  y[0] += t + n;
  { int n = 4; y[n] = n; }
}

static void covered(int n) {
#pragma scop
  for (int i = 0; i < 3; i++)
    covers(n, i);
#pragma endscop
  show("covered");
}

int main(void) {
  for (int i = 0; i < N; i++)
    order[i] = i % 7;
  rows(N);
  products(30);
  hidden(20);
  members(15);
  single_values(22);
  moving(12);
  counters(9);
  counters(0);
  covered(30);
  return 0;
}
