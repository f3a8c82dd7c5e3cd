/* What compilers have notes and warnings about: vectors as arguments, and loops marked as vectors
 * that call functions. */
#include <math.h>

static double a[96][96], b[96][96], c[96][96];
static float fa[96][96], fb[96][96], fc[96][96];
static int ia[96][96], ib[96][96], ic[96][96];

static double bent(double x) { return x > 1 ? sqrt(x) : cbrt(x); }

void sines(int n, double *restrict y, const double *restrict x) {
  for (int i = 0; i < n; i++)
    y[i] = sin(x[i]) + exp(x[i]);
}
void powers(int n, float *restrict y, const float *restrict x) {
  for (int i = 1; i < n; i++)
    y[i] = powf(x[i - 1], 1.5f) - sinf(x[i]);
}
void rows(int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i][j] = log(b[i][j] + 1) * c[i][j];
}
void columns(int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[j][i] += tanh(b[j][i]);
}
void chosen(int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      c[i][j] = a[i][j] > 0 ? atan(a[i][j]) : b[i][j];
}
void inlined(int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      b[i][j] = bent(a[i][j]) + fmod(c[i][j], 3);
}
void rounded(int n, double *restrict y, const double *restrict x) {
  for (int i = 0; i < n; i++)
    y[i] = floor(x[i]) + fabs(x[i]) + fmax(x[i], 2);
}
void sums(int n, double *restrict y) {
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int j = 0; j < n; j++)
      s += cos(a[i][j]) * b[j][i];
    y[i] = s;
  }
}
void doubles(int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[k][j];
}
void floats(int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        fc[i][j] += fa[i][k] * fb[k][j];
}
void integers(int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        ic[i][j] += ia[i][k] * ib[k][j];
}
void symmetric(int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      for (int k = 0; k < n; k++)
        c[i][j] += a[i][k] * a[j][k];
}
void stencil(int steps, int n) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        fb[i][j] = 0.25f * (fa[i - 1][j] + fa[i + 1][j] + fa[i][j - 1] + fa[i][j + 1]);
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        fa[i][j] = fb[i][j];
  }
}
