// RUN: polyir-cc --target=cuda %s -o %t.c 2>&1 | filecheck %s
// RUN: grep -v CHECK %t.c | grep -v '^// ' | filecheck %s --check-prefix TEXT

// Kernels would be launched for each row, and wait for each other: the host is faster.
// CHECK: polyir-cc: 0 of 1 region transformed, 1 best as it is
// TEXT:      for (int i = 0; i < n; i++) {
// TEXT-NEXT:   x[i] = b[i];
// TEXT-NEXT:   for (int j = 0; j < i; j++)
void solve(int n, double L[restrict n][n], double *restrict x, double *restrict b) {
#pragma scop
  for (int i = 0; i < n; i++) {
    x[i] = b[i];
    for (int j = 0; j < i; j++)
      x[i] -= L[i][j] * x[j];
    x[i] /= L[i][i];
  }
#pragma endscop
}
