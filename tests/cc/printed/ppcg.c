/* What PPCG prints: macros with statements of GNU C, tiles, and points inside of them. */
#include <stdio.h>
#define ppcg_min(x, y) ({ __typeof__(x) _x = (x); __typeof__(y) _y = (y); _x < _y ? _x : _y; })
#define ppcg_max(x, y) ({ __typeof__(x) _x = (x); __typeof__(y) _y = (y); _x > _y ? _x : _y; })
#define ppcg_fdiv_q(n, d) (((n) < 0) ? -((-(n) + (d) - 1) / (d)) : (n) / (d))
#define SQUARE(x) ({ int v_ = (x); v_ * v_; })
#define N 50
static double a[N][N], b[N];
static void points(int n, int m) {
#pragma scop
  for (int c0 = 0; c0 < n; c0 += 32)
    for (int c1 = 0; c1 <= ppcg_min(n - 1, c0 + 31); c1 += 32)
      for (int c2 = 0; c2 <= ppcg_min(31, n - c0 - 1); c2 += 1)
        for (int c3 = 0; c3 <= ppcg_min(ppcg_min(31, m - c1 - 1), c0 - c1 + c2); c3 += 1)
          a[c0 + c2][c1 + c3] += SQUARE(c2) + c3;
  for (int c0 = 32 * ppcg_fdiv_q(3 - m, 32); c0 < n; c0 += 32)
    for (int c1 = ppcg_max(ppcg_max(0, -c0), c0 - n + 30); c1 <= ppcg_min(31, n - c0 - 1); c1 += 1)
      b[c0 + c1] += ({ const float w = 0.5f; w + c1; });
#pragma endscop
}
int main(void) {
  points(N, N);
  points(37, 20);
  for (int i = 0; i < N; i++) printf("%g %g %g\n", a[i][0], a[i][i], b[i]);
  return 0;
}
