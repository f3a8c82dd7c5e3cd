// RUN: polyir-cc --quiet --detect --pluto-schedule --mark-parallel %s -o %t.c && grep -v CHECK %t.c | filecheck %s && gcc -fsyntax-only -Wall -Wextra -Werror -Wno-unknown-pragmas %t.c

// What a step leads to is the beginning of a row.

// CHECK-LABEL: void butterflies(
// CHECK:      if (len >= half &&
// CHECK:        #pragma omp parallel for
// CHECK-NEXT:   for (long i_step = 0; i_step < ((long)n + len - 1) / polyir_max(len, 1); i_step++) {
// CHECK-NEXT:     for (long j = 0; j < half; j++) {
// CHECK-NEXT:       const double x = a[i_step * len + j];
// CHECK-NEXT:       const double y = a[i_step * len + j + half];
void butterflies(int n, int len, int half, double *a) {
  for (int i = 0; i < n; i += len)
    for (int j = 0; j < half; j++) {
      double x = a[i + j], y = a[i + j + half];
      a[i + j] = x + y;
      a[i + j + half] = x - y;
    }
}

// The last one is included, and the counter starts at a parameter.
// CHECK-LABEL: void multiples(
// CHECK:        for (long k_step = 0; k_step < (n + p - p * p) / polyir_max(p, 1); k_step++) {
// CHECK-NEXT:     is_composite[k_step * p + (long)p * p] = 1;
void multiples(long n, long p, char *is_composite) {
  for (long k = p * p; k <= n; k += p)
    is_composite[k] = 1;
}

// The loop changes its step, and data is the step.
// CHECK-LABEL: void left(
// CHECK-NEXT: for (int i = 0; i < n; i += s)
// CHECK: for (int i = 0; i < n; i += steps[0])
void left(int n, int s, const int *restrict steps, double *restrict a) {
  for (int i = 0; i < n; i += s)
    a[i] = s++;
  for (int i = 0; i < n; i += steps[0])
    a[i] = 1;
}
