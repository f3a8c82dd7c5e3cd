// What only the body of a `while` loop reads may not be readable before it: it is read there.
// RUN: polyir-cc --poly-raise=data-loops --privatize --mark-parallel %s | grep -v CHECK | filecheck %s

// CHECK-LABEL: void body(
// CHECK: #pragma omp parallel for
// CHECK: while (
// CHECK-NEXT: k_1[i] += (*limit);
void body(int n, const int *limit, const int *restrict a, int *restrict b) {
  for (int i = 0; i < n; i++) {
    int k = 0;
    while (k < a[i])
      k += *limit;
    b[i] = k;
  }
}
