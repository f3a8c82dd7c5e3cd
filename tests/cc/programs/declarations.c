/* Alignment wherever C lets it stand, and imaginary constants outside the region. */
#include <complex.h>
#include <stdalign.h>
#include <stdio.h>
#define N 50
alignas(64) static float A[N][N];
static float alignas(32) B[N][N];
float _Alignas(_Alignof(double)) C[N], D[N];
_Alignas(16) _Alignas(32) static const double E[4] = {1, 2, 3, 4};
typedef struct { _Alignas(16) double x, y; } aligned_pair;
static aligned_pair pairs[N];
static double complex w;
static double _Complex waves[N];
static double phase(int n) { return cimag(n * 1.5i) + creal(waves[n]); }
static void fill(int n, const float *restrict from, double to[restrict n]) {
#pragma scop
  for (int i = 0; i < n; i++) to[i] = from[i] * 2;
#pragma endscop
  waves[3] = to[3] + 2.0if;
}
int main(void) {
  _Alignas(32) double local[N]; double alignas(16) other[N];
  w = 2.0 + 3.0 * I + 2i + 0x1p3i + 1.5e2fi;
  printf("%s", "1.5i alignas(3)\n");
#pragma scop
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) { A[i][j] += i - j; B[j][i] += A[i][j]; pairs[i].y += j; }
  for (int i = 0; i < N; i++) C[i] = D[i] + E[2];
  for (int i = 0; i < N; i++) { _Alignas(8) double t = C[i]; local[i] = t * i; other[i] = t; }
#pragma endscop
  fill(N, C, local);
  printf("%g %g %g %g %g\n", A[3][4], B[3][7] + C[4], pairs[3].y, cimag(w), phase(3));
  printf("%g\n", local[7] + other[9]);
  return 0;
}
