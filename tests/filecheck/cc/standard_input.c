// Standard input is read once, by whatever name.
// RUN: polyir-cc --mark-parallel - < %s 2>&1 | grep -v CHECK | filecheck %s
// RUN: polyir-cc --mark-parallel /dev/stdin < %s 2>&1 | grep -v CHECK | filecheck %s
// RUN: cat %s | polyir-cc --mark-parallel - 2>&1 | grep -v CHECK | filecheck %s
// RUN: cat %s | polyir-cc --mark-parallel /dev/stdin 2>&1 | grep -v CHECK | filecheck %s

// CHECK: void fill(int n, double C[n][n]) {
// CHECK: #pragma omp parallel for
// CHECK: C[i][j] = 0.0;
// CHECK-NOT: pragma endscop
// CHECK: polyir-cc: 1 region transformed (parallel)
void fill(int n, double C[n][n]) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      C[i][j] = 0;
#pragma endscop
}
