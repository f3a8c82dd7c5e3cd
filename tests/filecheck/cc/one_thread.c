// What is only parallel is as fast on one thread as the source is, or slower: gcc moves the loop to a function of its own, where pointers are not `restrict`.
// RUN: polyir-cc --passes="optimize{machine=%S/../transform/Inputs/four_cores.json}" %s --remarks -o - 2>&1 | grep -v CHECK | filecheck %s

// CHECK: remark: [optimize] with n below {{[0-9]+}}, the original order runs
// CHECK-NEXT: remark: [optimize] on one thread, the original order is as fast
// CHECK: static inline long polyir_threads(void) {
// CHECK-LABEL: void products(
// CHECK-NEXT: if (n >= {{[0-9]+}} && polyir_threads() > 1) {
// CHECK-NEXT: #pragma omp parallel for
// CHECK: } else {
// CHECK-NEXT: products_original(n, c, a, b);
void products(int n, float *restrict c, float *restrict a, float *restrict b) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++) {
        c[(i * 3 + j) * 3 + k] = 0;
        for (int l = 0; l < 3; l++)
          c[(i * 3 + j) * 3 + k] += a[(i * 3 + j) * 3 + l] * b[(i * 3 + l) * 3 + k];
      }
}

// Without `restrict`, the check of polyir-cc is worth something on one thread, too.
// CHECK-LABEL: void checked(
// CHECK-NEXT: if (n >= {{[0-9]+}} &&
// CHECK-NEXT: polyir_disjoint(
// CHECK: double c_value = 0.0;
// CHECK-NEXT: for (long l = 0; l < 6; l++) {
void checked(int n, double c[n][6][6], double a[n][6][6], double b[n][6][6]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 6; j++)
      for (int k = 0; k < 6; k++) {
        c[i][j][k] = 0;
        for (int l = 0; l < 6; l++)
          c[i][j][k] += a[i][j][l] * b[i][l][k];
      }
}
