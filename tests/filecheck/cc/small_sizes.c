// Small sizes run the original statements: that is tested before what takes longer.
// RUN: polyir-cc --passes="optimize{machine=%S/../transform/Inputs/four_cores.json}" %s | grep -v CHECK | filecheck %s
#include <math.h>

// CHECK: static __attribute__((__noinline__, __aligned__(64))) void transpose_original(int n, int m, double a[restrict m][n], double b[restrict n][m]) {
// CHECK-NEXT: for (int i = 0; i < n; i++)
// CHECK-NEXT: for (int j = 0; j < m; j++)
// CHECK-NEXT: b[i][j] = exp(a[j][i]); // as it was
// CHECK-NEXT: }
// CHECK-LABEL: void transpose(
// CHECK-NEXT: if (n >= 2 && (double)n * (double)m >= {{[0-9]+}}.0 && polyir_threads() > 1) {
// CHECK-NEXT: #pragma omp parallel for
// CHECK: } else {
// CHECK-NEXT: transpose_original(n, m, a, b);
// CHECK-NEXT: }
void transpose(int n, int m, double a[restrict m][n], double b[restrict n][m]) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      b[i][j] = exp(a[j][i]); // as it was
#pragma endscop
}

// CHECK-LABEL: void addresses(
// CHECK-NEXT: if (n >= {{[0-9]+}} &&
// CHECK-NEXT: polyir_disjoint(
// CHECK: #pragma omp parallel for
// CHECK: } else {
void addresses(int n, double (*a)[100], double (*b)[100]) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 100; j++)
      b[i][j] = exp(a[i][j]);
#pragma endscop
}

// A size that the region may read only where its loop has iterations is tested after that.
struct grid { int n, m; };
// CHECK-LABEL: void members(
// CHECK-NEXT: if (t >= 1 && g->n >= 1) {
// CHECK-NEXT: if ({{.*}}(double)t * (double)g->n * (double)(*m) >= {{[0-9]+}}.0{{.*}}) {
// CHECK: #pragma omp parallel for
// CHECK: } else {
// CHECK: members_original(t, g, m, a, b);
void members(int t, const struct grid *g, const int *m, double a[restrict][1000], double b[restrict][1000]) {
#pragma scop
  for (int k = 0; k < t; k++)
    for (int i = 0; i < g->n; i++)
      for (int j = 0; j < *m; j++)
        b[i][j] += exp(a[i][j]);
#pragma endscop
}

// All sizes are known: only the number of threads is not.
// CHECK-LABEL: void known(
// CHECK-NEXT: if (polyir_threads() > 1) {
// CHECK-NEXT: #pragma omp parallel for
void known(double a[restrict 1000][1000], double b[restrict 1000][1000]) {
#pragma scop
  for (int i = 0; i < 1000; i++)
    for (int j = 0; j < 1000; j++)
      b[i][j] = exp(a[i][j]);
#pragma endscop
}
