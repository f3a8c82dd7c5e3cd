/* `do { } while (0)`, with and without jumps to its end. */
#include <stdio.h>
#define ADD2(x, y, by) do { (x) += (by); (y) -= (by); } while (0)
#define CLIP(x, most) do { if ((x) <= (most)) break; (x) = (most); } while (0)
#define SET(k, v) do { int k_ = (k); if (k_ == 3) continue; b[k_][2] = (v); } while (0)
#define TWICE(s) do { do { s; } while (0); do { s; } while (0); } while (0L)
static double a[40][40], b[40][40], c[40];
static double least(double x) { do { if (x > 3) x = 3; } while (0); return x; }
static void twice(int n, double *x) { for (int i = 0; i < n; i++) TWICE(x[i] *= 0.75); }
int main(void) {
  for (int i = 0; i < 1600; i++) a[i / 40][i % 40] = b[i % 40][i / 40] = i % 13;
#pragma scop
  for (int i = 0; i < 40; i++)
    for (int j = 0; j < 40; j++) {
      ADD2(a[i][j], b[j][i], 0.5 * i);
      CLIP(a[i][j], 7);
      if (j > i) TWICE(a[i][j] *= 0.5); else ADD2(a[i][j], b[j][i], 1);
    }
  for (int i = 0; i < 40; i++)
    do { SET(i, 4); c[i] = least(i); } while (0);
  for (int i = 0; i < 40; i++) do a[i][i] += c[i]; while (0);
  for (int i = 0; i < 40; i++) {
    if (i == 5) continue;
    do { if (c[i] > 2) { c[i] = 1; break; } for (int k = 0; k < 40; k++) { if (k == i) continue; c[i] += b[i][k]; } } while (0);
    c[i] += 1;
  }
  twice(40, c);
#pragma endscop
  for (int i = 0; i < 40; i++) printf("%.17g %.17g %.17g\n", a[i][3], b[i][2], c[i]);
  return 0;
}
