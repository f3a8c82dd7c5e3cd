/* Scalars that are defined once and used by several statements; numbers in memory; loops whose
 * sizes are and are not multiples of vectors. */
#include <stdio.h>

typedef struct { float *x, *y, *z, *vx, *vy, *vz; unsigned long n; float step; } particles;
typedef struct { int rows, columns; double scale; double *a; } image;
static double a[72][72], b[72][72], c[72][72], d[200], e[200], f[200];
static int p[200], q[200];
static float memory[6][60];

// Three sums need one distance.
static void forces(particles *p, float dt) {
#pragma scop
  for (unsigned long i = 0; i < p->n; i++) {
    float fx = 0, fy = 0, fz = 0;
    for (unsigned long j = 0; j < p->n; j++) {
      float dx = p->x[j] - p->x[i], dy = p->y[j] - p->y[i], dz = p->z[j] - p->z[i];
      float d = dx * dx + dy * dy + dz * dz + 1e-3f;
      fx += dx / d; fy += dy / d; fz += dz / d;
    }
    p->vx[i] += dt * fx; p->vy[i] += dt * fy; p->vz[i] += dt * fz;
  }
#pragma endscop
}

// An element that changes between two uses of the scalar that was loaded from it.
static void swapped(int n) {
#pragma scop
  for (int i = 0; i < n; i++) {
    double t = d[i];
    d[i] = e[i] * 2 - t;
    e[i] = t + 1;
    f[i] += d[i] * t;
  }
#pragma endscop
}

// The same expression before and after a store.
static void changed(int n) {
#pragma scop
  for (int i = 1; i < n; i++) {
    d[i] = d[i - 1] * e[i] + 0.5;
    f[i] = d[i - 1] * e[i] + 0.5;
    d[i - 1] = 3;
    e[i] = d[i - 1] * e[i] + 0.5;
  }
#pragma endscop
}

// Integers, one of them a subscript, and a quotient that only some iterations compute.
static void integers(int n, int m) {
#pragma scop
  for (int i = 0; i < n; i++) {
    int k = p[i] * 3 + 1, r = k % 7 - (i - m);
    q[i] = k + r;
    p[i] = r * k - (m - (r - k));
    if (i > m) {
      d[i] = k / (i - m) + 0.25 * k;
      e[i] = k / (i - m) - 0.25 * r;
    }
  }
#pragma endscop
}

// Sizes that are members, in loops that are vectors of rows with a rest.
static void scaled(const image *g, double *out) {
#pragma scop
  for (int i = 0; i < g->rows; i++)
    for (int j = 0; j < g->columns; j++) {
      double v = g->a[i * 72 + j] * g->scale, w = v * v;
      out[i * 72 + j] = v + w;
      c[i][j] += w - v;
    }
#pragma endscop
}

// Rows that end, and start, where no vector does.
static void triangle(int n) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      double s = 0.5 * (a[i][j] + b[j][i]);
      a[i][j] = s * 0.5;
      b[j][i] = s * s;
    }
#pragma endscop
}

// A scalar in memory that a condition may set: one definition cannot take its place.
static void conditional(int n) {
#pragma scop
  for (int i = 0; i < n; i++) {
    double t = d[i] * 2;
    if (e[i] > 1)
      t = e[i] - d[i];
    d[i] = t * t;
    f[i] = t - 1;
  }
#pragma endscop
}

// Scalars without a value where they are declared, which conditions on data set.
static void set_by_conditions(int n) {
#pragma scop
  for (int i = 0; i < n; i++) {
    double t;
    if (d[i] > 3) { t = d[i] * 2; e[i] = t + 1; }
  }
  for (int i = 0; i < n; i++) {
    double low = d[i], high = e[i], t;
    if (low > high) { t = low; low = high; high = t; }
    f[i] = low - high * 2;
  }
  for (int i = 0; i < n; i++) {
    int k;
    if (p[i] > 30) k = p[i] * 2;
    else if (p[i] > 9) k = 7;
    else k = q[i];
    q[i] = k;
  }
  for (int i = 0; i < n; i++) {
    double t;
    if (e[i] > 3) t = e[i] * 2;
    if (e[i] > 3) d[i] = t;
  }
  for (int i = 0; i < 72; i++)
    for (int j = 0; j < 72; j++) {
      float t, u;
      if (a[i][j] > b[i][j]) { t = a[i][j]; u = t * t; }
      else { u = b[i][j]; t = u; }
      c[i][j] += t - u;
    }
#pragma endscop
}

int main(void) {
  particles all = {memory[0], memory[1], memory[2], memory[3], memory[4], memory[5], 53, 0.5f};
  image g = {61, 59, 0.75, &a[0][0]};
  for (int i = 0; i < 6 * 60; i++) memory[i / 60][i % 60] = (float)(i * 7 % 31) * 0.25f;
  for (int i = 0; i < 72 * 72; i++) {
    a[i / 72][i % 72] = i * 5 % 23;
    b[i / 72][i % 72] = i * 3 % 19;
  }
  for (int i = 0; i < 200; i++) {
    d[i] = i % 13; e[i] = i * 3 % 7; f[i] = i; p[i] = i * 17 % 41;
  }
  forces(&all, 0.125f);
  swapped(197);
  changed(200);
  integers(199, 11);
  integers(0, 3);
  scaled(&g, &b[0][0]);
  g.rows = 0;
  scaled(&g, &b[0][0]);
  triangle(67);
  conditional(193);
  set_by_conditions(198);
  set_by_conditions(0);
  for (int i = 0; i < 6 * 60; i++) printf("%.9g ", memory[i / 60][i % 60]);
  for (int i = 0; i < 72; i++) for (int j = 0; j < 72; j += 5)
    printf("%.17g %.17g %.17g\n", a[i][j], b[i][j], c[i][j]);
  for (int i = 0; i < 200; i++) printf("%.17g %.17g %.17g %d %d\n", d[i], e[i], f[i], p[i], q[i]);
  return 0;
}
