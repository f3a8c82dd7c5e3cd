// RUN: polyir-cc --quiet --detect --pluto-schedule --mark-parallel %s -o %t.c && grep -v CHECK %t.c | filecheck %s && gcc -fsyntax-only -Wall -Wextra -Werror -Wno-unknown-pragmas %t.c

// Loops are split where subscripts reach a border: nothing is chosen between.

// CHECK-LABEL: void smooth(
// CHECK:      for (long j = 1; j < (long)n - 1; j++) {
// CHECK-NEXT:   b[i * n + j] = a[i * n + j - 1] + a[i * n + j + 1];
void smooth(int n, const double *restrict a, double *restrict b) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      b[i * n + j] = a[i * n + (j > 0 ? j - 1 : 0)] + a[i * n + (j < n - 1 ? j + 1 : n - 1)];
}

// Of what is clamped at both ends, only what the counter can reach is left.
// CHECK-LABEL: void shift(
// CHECK:      for (long i = 3; i < n; i++) {
// CHECK-NEXT:   b[i] = a[i - 2];
static int clamped(int v, int low, int high) { return v < low ? low : v > high ? high : v; }
void shift(int n, const double *restrict a, double *restrict b) {
  for (int i = 0; i < n; i++) b[i] = a[clamped(i - 2, 0, n - 1)];
}

// A statement may choose, and a condition may follow another one.
// CHECK-LABEL: void rings(
// CHECK:      for (long i = 2; i < (long)n - 2; i++) {
// CHECK-NEXT:   b[i] = a[i - 2] + a[i + 2];
void rings(int n, const double *restrict a, double *restrict b) {
  for (int i = 0; i < n; i++) {
    int left = i - 2, right = i + 2;
    if (left < 0) left += n;
    else if (left >= n) left -= n;
    if (right >= n) right -= n;
    if (left < 0) left = 0;
    b[i] = a[left] + a[right];
  }
}
