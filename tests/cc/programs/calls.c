// Calls of functions that only compute are operations; the others here are inlined.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 48

struct grid { double scale; double weights[4]; int count; };

static double A[N], B[N], C[N][N];
static const double table[5] = {1.5, -2.25, 0.5, 8, 3};
static double filter[3] = {0.25, 0.5, 0.25};
static int limit = 30;
static struct grid grid = {2.0, {1, 2, 3, 4}, 20};

double declared_only(double x, int n);
static int rounded(double x);

static void show(const char *name) {
  double sum = 0;
  for (int i = 0; i < N; i++) {
    sum = sum * 0.75 + A[i] + 2 * B[i];
    for (int j = 0; j < N; j++)
      sum = sum * 0.75 + C[i][j];
  }
  printf("%s %a\n", name, sum);
}

static double clamp(double x, double low, double high) {
  if (x < low)
    return low;
  return x > high ? high : x;
}

static double looked_up(int i) { return table[i % 5] * limit; }

static unsigned hash(unsigned x) {
  for (int k = 0; k < 5; k++) {
    if (x % 7 == 3)
      break;
    x = x * 2654435761u + k;
    x ^= x >> 13;
  }
  return x;
}

// Recomputed at each call from memory that the region does not write.
static double smoothed(int n, const double *x, const double *weights, int at) {
  double window[3], sum = 0;
  for (int k = 0; k < 3; k++) {
    int from = at + k - 1;
    if (from < 0 || from >= n)
      window[k] = 0;
    else
      window[k] = x[from];
  }
  for (int k = 3; k-- > 0;)
    sum += 0;
  for (int k = 0; k < 3; k++)
    sum += window[k] * weights[k];
  return sum;
}

static double of_members(const struct grid *g, int i) {
  double sum = 0;
  for (int k = 0; k < 4; ++k)
    sum += g->weights[k] * (i + k);
  return sum * g->scale;
}

static _Bool is_even(long k) { return labs(k) % 2 == 0; }

static void scalars(int n) {
#pragma scop
  for (int i = 0; i < n; i++) {
    A[i] = clamp(B[i] * 3 - i, -4, 4) + looked_up(i);
    if (is_even(i) && A[i] > 0)
      A[i] += sqrt(fabs(B[i])) + hash((unsigned)i) % 1000u;
    B[i] = rounded(A[i]) + declared_only(B[i], i);
  }
#pragma endscop
  show("scalars");
}

static void nested(int n) {
#pragma scop
  for (int i = 1; i < n; i++)
    for (int j = 1; j < n; j++)
      C[i][j] = clamp(clamp(C[i - 1][j], -50, 60) + C[i][j - 1] * 0.5, -70, 80);
#pragma endscop
  show("nested");
}

static void of_arrays(int n, const double *restrict in) {
#pragma scop
  for (int i = 0; i < n; i++)
    A[i] = smoothed(n, in, filter, i) + smoothed(n - 1, in + 1, &filter[0], i % 2);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      C[i][j] += of_members(&grid, i - j) * A[i];
#pragma endscop
  show("of_arrays");
}

static int count_of(int n) {
  if (n > 40)
    return 40;
  return n - 1;
}

static void bounded(int n) {
#pragma scop
  for (int i = 0; i < count_of(n); i++)
    for (int j = i; j < n; j++)
      C[i][j] = C[i][j] * 0.5 + looked_up(j);
#pragma endscop
  show("bounded");
}

// Division by zero where it is not called.
static int ratio(int a, int b) {
  int q = a / b;
  return q + 1;
}

static void guarded(int n, int m) {
#pragma scop
  for (int i = 0; i < n; i++) {
    if (m > 0)
      A[i] += ratio(i, m);
    B[i] += i == 0 ? 7 : ratio(n, i);
  }
#pragma endscop
  show("guarded");
}

__attribute__((const)) static int twice(int k) {
  int calls = 0;
  while (calls < k)
    calls++;
  return calls * 2;
}

[[gnu::pure]] static double promised(const double *p, int k) {
  int from = k;
  do
    from /= 2;
  while (from > 4);
  return p[from];
}

static void attributes(int n) {
  double *local = malloc(N * sizeof *local);
#pragma scop
  for (int i = 0; i < n; i++)
    local[i] = twice(i) + promised(table, i);
#pragma endscop
  for (int i = 0; i < n; i++)
    A[i] = local[i];
  free(local);
  show("attributes");
}

int main(void) {
  for (int i = 0; i < N; i++) {
    B[i] = i * 0.5 - 7;
    for (int j = 0; j < N; j++)
      C[i][j] = (i * 7 + j * 3) % 11;
  }
  scalars(N);
  nested(N);
  double in[N];
  memcpy(in, B, sizeof in);
  of_arrays(40, in);
  bounded(N);
  bounded(0);
  guarded(N, 3);
  guarded(N, 0);
  attributes(40);
  return 0;
}

double declared_only(double x, int n) {
  double sum = 0;
  for (int k = n; k > 0; k -= 3)
    sum = sum * 0.5 + x;
  return sum;
}

static int rounded(double x) {
  switch ((int)x % 3) {
  case 0: return (int)x;
  case 1: return (int)(x + 0.5);
  default: break;
  }
  return -1;
}
