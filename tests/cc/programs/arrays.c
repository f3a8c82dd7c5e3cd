// Arrays of every form: static, VLA, pointer to array, flattened, in structures, indirect.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct grid {
  int n, m;
  double scale;
  double *data;
  double row[32];
  double plane[8][32];
};

struct point {
  double x, y;
  float w[3];
};

typedef double matrix_t[32][32];
typedef unsigned long index_t;

static matrix_t S;
static double total;
static int idx[64];

#define AT(A, i, j) A[(i) * n + (j)]

static double hash(const void *memory, size_t size) {
  const unsigned char *bytes = memory;
  unsigned long h = 5381;
  for (size_t i = 0; i < size; i++)
    h = h * 33 + bytes[i];
  return (double)(h >> 11);
}

static void fill(double *a, int n) {
  for (int i = 0; i < n; i++)
    a[i] = (i * 37 % 101) / 16.0 - 2;
}

static void vla(int n, int m, double A[n][m], double (*B)[m], double C[restrict n]) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      A[i][j] += B[i][j] * C[i] + S[i][j];
#pragma endscop
}

static void pointer_to_array(double (*A)[32][32], double (*p)[32]) {
#pragma scop
  for (int i = 1; i < 32; i++)
    for (int j = 0; j < 32; j++)
      (*A)[i][j] = (*A)[i - 1][j] * 0.5 + (*p)[j];
#pragma endscop
}

static void flattened(int n, double *A, double *restrict B, const double *x) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      AT(A, i, j) = AT(B, j, i) + x[i] * x[j] + *x;
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++)
      B[i * n + j] = (A[(i - 1) * n + j] + A[(i + 1) * n + j] + A[i * n + j - 1] + A[i * n + (j + 1)]) * 0.25;
  for (int i = 0; i < n; i++)
    B[i * n + n - 1] = *(A + i * n) + A[n * i + n - 1];
#pragma endscop
}

static void overlapping(int n, double *A) {
  // Rows of n elements that are accessed beyond their end: no array of two dimensions.
#pragma scop
  for (int i = 0; i < n - 1; i++)
    for (int j = 0; j < n + 3; j++)
      A[i * n + j] = A[i * n + j] * 0.5 + j;
#pragma endscop
}

static void constant_stride(double *A) {
#pragma scop
  for (int i = 0; i < 20; i++)
    for (int j = 0; j < 20; j++)
      A[i * 20 + j] = A[j * 20 + i] + 1;
#pragma endscop
}

static void structures(struct grid *g, struct grid local, struct point *p) {
#pragma scop
  for (int i = 0; i < g->n; i++) {
    g->row[i] = g->row[i] * g->scale + local.row[i];
    g->data[i] += g->row[i];
    for (int j = 0; j < g->m; j++)
      g->plane[i % 8][j] = g->plane[i % 8][j] + g->data[i] * local.plane[3][j];
  }
  for (int i = 0; i < 16; i++) {
    p[i].x = p[i].y * 2 + i;
    p[i].y -= p[i].x;
    for (int k = 0; k < 3; k++)
      p[i].w[k] += (float)p[i].x * k;
  }
  p->x = 3.5;
#pragma endscop
}

static void indirect(int n, double *restrict A, double *restrict B, const int *perm) {
#pragma scop
  for (int i = 0; i < n; i++)
    A[perm[i]] = A[perm[i]] + B[i];
  for (int i = 0; i < n; i++)
    B[i] = A[idx[perm[i]] % 7] + A[perm[n - 1 - i] / 2];
#pragma endscop
}

static void scalars(int n, double *A, double *out, int *count) {
  double s = 0.0, t;
  int c = 3;
#pragma scop
  for (int i = 0; i < n; i++) {
    double u = A[i] * 2, v;
    v = u + 1;
    u = v * v;
    int k = i + 1;
    t = u - v;
    s += t;
    c += k;
    {
      double w = s;
      if (i > 3)
        w += 1;
      A[i] = w + A[(k - 1)];
    }
    total += A[i];
  }
  *out = s;
  *count += c;
#pragma endscop
}

static void local_array(int n, double A[n][8]) {
#pragma scop
  for (int i = 0; i < n; i++) {
    double t[8];
    for (int j = 0; j < 8; j++)
      t[j] = A[i][j] * (j + 1);
    for (int j = 0; j < 8; j++)
      A[i][j] = t[7 - j];
  }
#pragma endscop
}

static inline double square(double x) { return x * x; }
static int smaller(int a, int b) { return a < b ? a : b; }

static void calls(index_t n, double A[n], float *F) {
#pragma scop
  for (index_t i = 0; i < n; i++) {
    A[i] = sqrt(fabs(A[i])) + pow(A[i] > 0 ? A[i] : 1, 0.3) + exp(-A[i]) + square(A[i] - 1);
    F[i] = sqrtf(fabsf(F[i])) + expf(F[i] / 64) * sinf(F[i]) + fminf(F[i], 2) + (float)hypot(F[i], A[i]);
    A[i] += floor(A[i] * 3) + fmod(A[i], 2.0) + smaller((int)i, 5) + atan2(A[i], 2) + abs((int)i - 7);
  }
  for (int i = 0; i < smaller(20, 15); i++)
    A[i] = A[smaller(i, 3)] + INFINITY * 0 + log(2.0 + i);
#pragma endscop
}

int main(void) {
  double *a = malloc(sizeof *a * 2048), *b = malloc(sizeof *b * 2048), *c = malloc(sizeof *c * 2048);
  float *f = malloc(sizeof *f * 64);
  static struct grid g, h;
  static struct point p[16];
  int perm[64], count = 1;
  double out = 0;
  fill(a, 2048), fill(b, 2048), fill(c, 2048), fill(&S[0][0], 1024);
  fill(g.row, 32), fill(h.row, 32), fill(&h.plane[0][0], 256);
  for (int i = 0; i < 64; i++)
    perm[i] = i * 29 % 64, idx[i] = i * 5 % 64, f[i] = i / 3.0f - 5;
  for (int i = 0; i < 16; i++)
    p[i].y = i - 3;
  g.n = 30, g.m = 31, g.scale = 0.75, g.data = b;
  vla(20, 30, (double (*)[30])a, (double (*)[30])b, c);
  printf("%a\n", hash(a, 16384));
  pointer_to_array(&S, (double (*)[32])c);
  printf("%a\n", hash(S, sizeof S));
  flattened(31, a, b, c);
  printf("%a %a\n", hash(a, 16384), hash(b, 16384));
  overlapping(20, a);
  constant_stride(a);
  printf("%a\n", hash(a, 16384));
  structures(&g, h, p);
  printf("%a %a %a\n", hash(g.row, sizeof g.row), hash(g.plane, sizeof g.plane), hash(b, 16384));
  printf("%a\n", hash(p, sizeof p));
  indirect(64, a, b, perm);
  printf("%a %a\n", hash(a, 16384), hash(b, 16384));
  scalars(50, a, &out, &count);
  printf("%a %d %a %a\n", out, count, total, hash(a, 16384));
  local_array(40, (double (*)[8])a);
  printf("%a\n", hash(a, 16384));
  calls(40, b, f);
  printf("%a %a\n", hash(b, 16384), hash(f, 256));
  free(a), free(b), free(c), free(f);
  return 0;
}
