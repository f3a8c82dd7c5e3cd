// A copy of a temporary for each iteration may take more memory than the arrays.
// RUN: polyir-cc %s --passes="optimize{threads=2}" --remarks 2>&1 | filecheck %s
static double a[20000], s[400];

// CHECK: untiled-locality: not possible: copies of row may need more memory than the arrays
// CHECK: chosen: private
// CHECK: double (*restrict row_local_by_thread)[20000] = polyir_aligned_alloc(64,
// CHECK: if (row_local_by_thread) {
// CHECK-NEXT: #pragma omp parallel for
// CHECK: } else {
// CHECK-NEXT: for (int i = 0; i < n; i++) {
// CHECK-NEXT: double row[20000];
void rows(int n) {
  for (int i = 0; i < n; i++) {
    double row[20000];
    for (int j = 0; j < 20000; j++)
      row[j] = a[j] * i;
    for (int j = 1; j < 19999; j++)
      s[i] += row[19999 - j] * row[j - 1];
  }
}
