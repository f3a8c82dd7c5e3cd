/* Bounds in scalars that the region sets, pragmas about loops, and variables declared around it. */
#include <stdio.h>
#define min(x, y) ((x) < (y) ? (x) : (y))
#define N 40
static double a[N][N], b[N], c[N];
static int last;
static void bounds(int n) {
  int lb, ub, step, t;
  double s, most;
#pragma scop
  for (int i = 0; i < n; i++) {
    lb = 2 * i;
    ub = min(n, lb + 9);
    ub -= 1;
#pragma GCC ivdep
    for (int j = lb; j <= ub; j++) a[i][j] += i - j;
    step = i;
    if (i > 5) {
      step = i - 4;
      for (int j = step; j < i; j++) b[j] += 1;
    } else
      step++;
    b[step] += 0.5;
  }
#pragma omp parallel for schedule(static) private(s, t)
  for (int i = 0; i < n; i++) {
    s = 0;
    t = n - i;
    t = t + 1;
#pragma omp simd
    for (int j = 0; j < min(t, n); j++) s += a[i][j] * b[j];
    most = s > 3 ? 3 : s;
    c[i] = most;
  }
  for (last = 3; last < n; last += 3) c[last] += 1;
  for (int j = last - 6; j < last - 3; j++) c[j] += 2;
  for (ub = 0; ub < 2; ub++)
    for (int j = ub; j < n; j += 2) c[j] -= 0.25;
#pragma endscop
}
int main(void) {
  bounds(N);
  bounds(23);
  printf("%d\n", last);
  for (int i = 0; i < N; i++) printf("%g %.17g %.17g\n", a[i][(i * 7) % N], b[i], c[i]);
  return 0;
}
