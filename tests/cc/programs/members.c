// Members of structures in arrays: the elements of such an array are not neighbours in memory.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct vec { double x, y, z; };
struct body { struct vec at, speed; double mass; float w[3]; int kind; };
struct single { double value; };
struct grid { int n; struct vec *cells; struct vec fixed[40]; struct { float re, im; } z[6][24]; };

static void one_dimension(int n, struct body *b) {
#pragma scop
  for (int i = 0; i < n; i++) {
    b[i].at.x = b[i].at.y * 2 + i;
    b[i].at.y -= b[i].at.x;
    b[i].mass += b[i].speed.z;
  }
#pragma endscop
}

static void constant_extent(struct body *b) {
#pragma scop
  for (int i = 0; i < 16; i++)
    b[i].speed.y -= b[i].speed.x;
  for (int i = 0; i < 16; i++)
    for (int k = 0; k < 3; k++)
      b[i].w[k] += (float)b[i].speed.y * k;
  b->mass = 3.5;
#pragma endscop
}

static void flattened(int n, int m, struct vec *restrict p, struct vec *restrict q) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      p[i * m + j].x = p[i * m + j].y * 2 + q[i * m + j].z;
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < m - 1; j++)
      q[i * m + j].y = (p[(i - 1) * m + j].x + p[(i + 1) * m + j].x + p[i * m + j - 1].x) * 0.25;
#pragma endscop
}

static void product(int n, struct vec A[n][n], struct single B[n][n], struct vec C[n][n]) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        C[i][j].z += A[i][k].x * B[k][j].value;
#pragma endscop
}

static void inside(struct grid *g) {
#pragma scop
  for (int t = 0; t < 4; t++) {
    for (int i = 1; i < 39; i++)
      g->fixed[i].x = 0.5 * (g->fixed[i - 1].y + g->fixed[i + 1].y);
    for (int i = 1; i < 39; i++)
      g->fixed[i].y = g->fixed[i].x;
  }
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 24; j++) {
      g->z[i][j].re = g->z[i][j].re * 2 - g->z[i][j].im;
      g->z[i][j].im += g->z[i][j].re;
    }
  for (int i = 0; i < g->n; i++)
    g->cells[i].z = g->cells[i].x * g->cells[i].y;
#pragma endscop
}

static double sum(const void *memory, size_t count) {
  double total = 0;
  for (size_t i = 0; i < count; i++)
    total = total * 1.0625 + ((const double *)memory)[i];
  return total;
}

int main(void) {
  static struct body b[64];
  static struct grid g;
  static struct vec p[400], q[400], A[20][20], C[20][20];
  static struct single B[20][20];
  for (int i = 0; i < 64; i++) {
    b[i].at.y = i * 0.5, b[i].speed = (struct vec){i, 2.0 - i, i % 5}, b[i].mass = 1;
  }
  for (int i = 0; i < 400; i++) {
    p[i] = (struct vec){i % 7, i % 11, i % 13}, q[i] = (struct vec){i % 3, i % 5, i % 17};
    A[i / 20][i % 20] = p[i], C[i / 20][i % 20] = q[i], B[i / 20][i % 20].value = i % 9;
  }
  for (int i = 0; i < 40; i++)
    g.fixed[i].y = i * i % 19;
  for (int i = 0; i < 144; i++)
    g.z[i / 24][i % 24].re = i % 8, g.z[i / 24][i % 24].im = i % 6;
  g.n = 200, g.cells = q;
  one_dimension(50, b);
  constant_extent(b);
  for (int i = 0; i < 64; i++)
    printf("%a %a %a %a\n", sum(&b[i], 7), b[i].w[0], b[i].w[1], b[i].w[2]);
  flattened(19, 20, p, q);
  printf("%a %a\n", sum(p, 1200), sum(q, 1200));
  product(20, A, B, C);
  printf("%a\n", sum(C, 1200));
  inside(&g);
  printf("%a %a\n", sum(g.fixed, 120), sum(q, 1200));
  for (int i = 0; i < 144; i++)
    printf("%a %a\n", g.z[i / 24][i % 24].re, g.z[i / 24][i % 24].im);
  return 0;
}
