// Loops whose bounds come out of memory are parts of statements, if loops around them are parallel.
// RUN: polyir-cc --optimize="threads=2 machine=%S/../../machines/256.json" %s -o %t.c 2>&1 | filecheck %s --check-prefix SUMMARY
// RUN: grep -v CHECK %t.c | filecheck %s

// SUMMARY: polyir-cc: 2 loop nests transformed

// Loops inside of them have vectors; one thread runs the original.
// CHECK: static {{.*}} void rows_original(
// CHECK: void rows(
// CHECK: if (n >= {{[0-9]+}} && polyir_threads() > 1) {
// CHECK-NEXT: #pragma omp parallel for
// CHECK-NEXT: for (long i = 0; i < n; i++) {
// CHECK: for (long k = {{.*}}; k < {{.*}}; k++) {
// CHECK: #pragma omp simd simdlen(4)
// CHECK-NEXT: for (long j = 0; j < 16; j++) {
// CHECK: } else {
// CHECK-NEXT: rows_original(n, start, column, value, b, c);
void rows(int n, const int *start, const int *column, const double *restrict value,
          const double (*restrict b)[16], double (*restrict c)[16]) {
  for (int i = 0; i < n; i++)
    for (int k = start[i]; k < start[i + 1]; k++)
      for (int j = 0; j < 16; j++)
        c[i][j] += value[k] * b[column[k]][j];
}

// A replay of the accesses, in one run if rows are next to each other, is worth it with two threads.
// CHECK: static void product_subscripts(
// CHECK: ordered = polyir_min(ordered, (long)start[i] <= (long)start[i + 1] ? 1 : 0);
// CHECK: void product(
// CHECK: int runs = n >= {{[0-9]+}} && polyir_threads() > 1;
// CHECK-NEXT: if (runs) {
// CHECK: product_subscripts(start, column, n, &value_first, &value_last, &x_first, &x_last);
// CHECK-NEXT: runs = n >= 1 &&
// CHECK-NEXT: polyir_disjoint(
// CHECK: if (runs) {
// CHECK-NEXT: #pragma omp parallel for
void product(int n, const int *start, const int *column, const double *value, const double *x,
             double *y) {
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int k = start[i]; k < start[i + 1]; k++)
      sum += value[k] * x[column[k]];
    y[i] = sum;
  }
}
