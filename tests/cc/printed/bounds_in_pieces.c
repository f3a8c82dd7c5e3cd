/* Bounds as other tools print them, and as people write them: minima and maxima of several terms,
 * and rounded quotients of values of any sign, in macros and functions.
 */
#include <math.h>
#include <stdio.h>
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) (((a) > (b)) ? (a) : (b))
#define MIN3(a, b, c) ((a) < (b) ? ((a) < (c) ? (a) : (c)) : ((b) < (c) ? (b) : (c)))
#define CLAMP(x, lo, hi) ((x) < (lo) ? (lo) : (x) > (hi) ? (hi) : (x))
/* isl, CLooG and new versions of Pluto. */
#define floord(n, d) (((n) < 0) ? -((-(n) + (d) - 1) / (d)) : (n) / (d))
#define ceild(n, d) (((n) < 0) ? -((-(n)) / (d)) : ((n) + (d) - 1) / (d))
/* Old versions of Pluto. */
#define FLOORD(n, d) floor(((double)(n)) / ((double)(d)))
#define CEILD(n, d) ((int)ceil(((double)(n)) / ((double)(d))))
/* By hand. */
#define DIV_DOWN(a, b) ((a) / (b) - ((a) % (b) < 0))
#define DIV_UP(a, b) ((a) >= 0 ? ((a) + (b) - 1) / (b) : (a) / (b))
static inline int imin(int a, int b) { return b > a ? a : b; }
static inline int imax(int a, int b) { return a >= b ? a : b; }
static inline long floordiv(long a, long b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }
static inline long ceildiv(long a, long b) { return a / b + (a % b != 0 && (a < 0) == (b < 0)); }
static inline long mod(long a, long b) { const long r = a % b; return r < 0 ? r + b : r; }
#define N 40
static double a[N][N], b[N];
static void minima(int m, int n, int k) {
#pragma scop
  for (int jj = 0; jj < N; jj += 12) {
    for (int j = jj; j < min(min(jj + 12, m), 30); j++) b[j] += 1;
    for (int j = jj; j < min(min(min(m, n), 12 + jj), min(k, N)); j++) b[j] += 2;
    for (int j = max(jj, max(3, m - n)); j < MIN3(jj + 12, n, k); j++) b[j] += 4;
    for (int j = imax(jj, imax(m - k, 1)); j < imin(imin(jj + 12, N), imin(n, m)); j++) b[j] += 8;
    for (int j = max(0, min(jj, m)); j <= min(max(jj, 7), min(N - 1, jj + 11)); j++) b[j] += 16;
    for (int j = jj; j < (jj + 12 < m ? (jj + 12 < k ? jj + 12 : k) : (m < k ? m : k)); j++)
      b[j] += 32;
  }
  for (int i = 0; i < N; i++)
    for (int j = CLAMP(i - 3, 0, N - 1); j <= CLAMP(i + 3, 0, N - 1); j++) a[i][j] += b[j];
  for (size_t i = 0; i < N; i++)
    for (size_t j = i > 3 ? i - 3 : 0; j < (i + 4 < N ? i + 4 : N); j++) a[i][j] += b[i];
#pragma endscop
}
static void quotients(int T, int n) {
  int t, j;
#pragma scop
  for (t = 0; t < T; t++) {
    for (j = ceild(t - 30, 8); j <= floord(t + n, 8); j++) a[t][j + 10] += 1;
    for (j = ceild(-t, 4); j <= floord(5 - t, 3); j++) a[t][j + 20] += 2;
    for (j = max(max(0, CEILD(t - 30, 8)), CEILD(2 * t - n, 3)); j <= FLOORD(t + n, 8); j++)
      a[t][j] += 4;
    for (j = max(0, ceil(((double)(t - 9)) / ((double)(4)))); j <= min(9, FLOORD(t + 3, 2)); j++)
      a[t][j] += 8;
    for (j = DIV_DOWN(t - 20, 5); j < DIV_UP(n - 2 * t, 7); j++) a[t][j + 20] += 16;
    for (j = floordiv(t - 20, 8); j < ceildiv(t + n - 30, 8) + 2; j++) a[t][j + 20] += 32;
    if ((t - 7) % 3 == 0) b[t] += 64;
    if ((n - 2 * t) % 4 != 0 && t > mod(n - t, 5)) b[t] += 128;
    if (!((t - 9) % 2)) b[t] += 256;
    b[t] += floord(t - 9, 4) + (double)ceild(9 - t, 4) + FLOORD(t - 50, 7) + (t - 20) / 3 + (t > 5);
  }
#pragma endscop
}
int main(void) {
  minima(38, 25, 33);
  minima(9, 40, 20);
  quotients(N, 12);
  quotients(20, 33);
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) printf("%g ", a[i][j]);
    printf("%.17g\n", b[i]);
  }
  return 0;
}
