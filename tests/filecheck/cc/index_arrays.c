// Loops whose bounds come out of index arrays, with inspector and executor as functions of the file.
// RUN: polyir-cc --passes=inspect-wavefronts %s | grep -v CHECK | filecheck %s
// RUN: polyir-cc --passes=poly-raise --detect --remarks %s 2>&1 | filecheck %s --check-prefix AFFINE
// AFFINE: remark: loop left: the start of 'k' is not affine

// CHECK: static _Bool lower_inspector(
// CHECK: const int *restrict col,
// CHECK: long x_first = 0;
// CHECK-NEXT: long x_last = -1;
// CHECK: for (long k = {{.*}}; k < {{.*}}; k++) {
// CHECK: x_last = polyir_max(x_last, {{.*}});
// CHECK: long *restrict x_read = __builtin_malloc({{.*}});
// CHECK-NEXT: long *restrict x_written = __builtin_malloc({{.*}});
// CHECK-NEXT: if (!x_read || !x_written) {
// CHECK-NEXT: __builtin_free(x_written);
// CHECK-NEXT: __builtin_free(x_read);
// CHECK-NEXT: return 0;
// CHECK-NEXT: }
// CHECK: long *restrict wavefront = __builtin_malloc({{.*}});
// CHECK-NEXT: if (!wavefront) {
// CHECK-NEXT: __builtin_free(x_written);
// CHECK-NEXT: __builtin_free(x_read);
// CHECK-NEXT: return 0;
// CHECK: return 1;
// CHECK: static void lower_executor(
// CHECK: #pragma omp parallel for
// CHECK: double sum = b[i];
// CHECK: sum -= v[k] * x[col[k]];
// CHECK-LABEL: void lower(int n
void lower(int n, const int *rowptr, const int *col, const double *restrict v,
           const double *restrict b, double *restrict x) {
// CHECK: if (order && starts && lower_inspector({{.*}}&wavefronts)) {
// CHECK-NEXT: lower_executor({{.*}}
// CHECK-NEXT: } else {
// CHECK-NEXT: lower_original(n, rowptr, col, v, b, x);
#pragma scop
  for (int i = 0; i < n; i++) {
    double sum = b[i];
    for (int k = rowptr[i]; k < rowptr[i + 1]; k++)
      sum -= v[k] * x[col[k]];
    x[i] = sum;
  }
#pragma endscop
// CHECK: __builtin_free(order);
}
