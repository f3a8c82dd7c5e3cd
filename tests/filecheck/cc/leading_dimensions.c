// Flat arrays whose rows may be longer than what is accessed: a condition is tested at run time.
// RUN: polyir-cc --pluto-schedule --tile=32 --mark-parallel %s 2>/dev/null | grep -v CHECK | filecheck %s

// CHECK-LABEL: void gemm(
// CHECK: if (lda >= m && ldb >= k && ldc >= m) {
// CHECK-NEXT: #pragma omp parallel for
// CHECK-NEXT: for (long tj = 0; tj < n; tj += 32) {
// CHECK: c[j * ldc + i] += a[l * lda + i] * b[j * ldb + l];
// CHECK: } else {
// CHECK-NEXT: gemm_original(m, n, k, a, lda, b, ldb, c, ldc);
void gemm(int m, int n, int k, const double *restrict a, int lda, const double *restrict b, int ldb,
          double *restrict c, int ldc) {
#pragma scop
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++)
      for (int l = 0; l < k; l++)
        c[i + j * ldc] += a[i + l * lda] * b[l + j * ldb];
#pragma endscop
}

// The check of addresses follows. A test that another one implies is left out.
// CHECK-LABEL: void smooth
// CHECK: if (width >= (long)m + 2 &&
// CHECK-NEXT: n >= 1 && m >= 1 &&
// CHECK-NEXT: polyir_disjoint(&from[0], &from[((long)n + 1) * width + (long)m + 1] + 1,
// CHECK: #pragma omp parallel for
void smooth(int n, int m, int width, float *to, const float *from) {
#pragma scop
  for (int i = 1; i <= n; i++)
    for (int j = 1; j <= m; j++)
      to[i * width + j] = from[(i - 1) * width + j - 1] + from[(i + 1) * width + j + 1];
#pragma endscop
}

// Nothing is tested that the code shows.
// CHECK-LABEL: void shown
// CHECK: if (m <= ld) {
// CHECK-NEXT: #pragma omp parallel for
// CHECK: a[i * ld + j]
// CHECK-NOT: else
void shown(int n, int m, int ld, double *a) {
#pragma scop
  if (m <= ld)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++)
        a[i * ld + j] += j;
#pragma endscop
}

// A number as the length of rows. If all is known, one dimension is enough.
// CHECK-LABEL: void number
// CHECK: if (100 >= m) {
// CHECK: a[i * 100 + j] += b[100 * i];
void number(int n, int m, double *restrict a, const double *restrict b) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      a[i * 100 + j] += b[100 * i];
#pragma endscop
}

// No condition with which loops have next to no iterations.
// CHECK-LABEL: void windows
// CHECK-NOT: if (
// CHECK-LABEL: void across
// CHECK-NOT: if (
void windows(int n, int m, double *restrict a, const double *restrict b) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      a[2 * i + j] += b[j];
#pragma endscop
}
void across(int n, int m, int ld, double *a) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      a[(i + 1) * ld + j - 1] += a[i * ld + j];
#pragma endscop
}
