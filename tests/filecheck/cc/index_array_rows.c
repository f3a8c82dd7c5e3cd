// Loops over the rows of a sparse matrix, whose bounds come out of memory, are part of statements.
// RUN: polyir-cc --poly-raise=data-loops --privatize --promote --mark-parallel %s | filecheck %s

// CHECK: void rows
// CHECK: #pragma omp parallel for
// CHECK-NEXT: for (long i = 0; i < n; i++) {
// CHECK: for (long k = {{.*}}; k < {{.*}}; k++) {
// CHECK-NEXT: v[k] *= d[i];
void rows(int n, const int *restrict rp, double *restrict v, const double *restrict d) {
#pragma polyir index_array(rp: nondecreasing)
#pragma scop
  for (int i = 0; i < n; i++)
    for (int k = rp[i]; k < rp[i + 1]; k++)
      v[k] *= d[i];
#pragma endscop
}

// Nothing need be said of rp where only y[i] is written.
// CHECK: void product
// CHECK: #pragma omp parallel for
// CHECK-NEXT: for (long i = 0; i < n; i++) {
// CHECK-NEXT: double sum_local = 0.0;
// CHECK: sum_local += v[k] * x[(long)col[k]];
// CHECK: y[i] = sum_local;
void product(int n, const int *restrict rp, const int *restrict col, const double *restrict v,
             const double *restrict x, double *restrict y) {
#pragma scop
  for (int i = 0; i < n; i++) {
    double sum = 0.0;
    for (int k = rp[i]; k < rp[i + 1]; k++)
      sum += v[k] * x[col[k]];
    y[i] = sum;
  }
#pragma endscop
}
