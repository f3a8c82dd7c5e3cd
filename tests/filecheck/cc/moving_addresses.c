// RUN: polyir-cc --pluto-schedule --tile=32 --mark-parallel --assume-no-alias %s -o %t.c && grep -v CHECK %t.c | filecheck %s && gcc -fsyntax-only -Wall -Werror -Wno-unknown-pragmas %t.c

// The addresses of the two accesses move by opposite steps: gcc before version 14 may leave out the
// call of such a function.

// CHECK:      static inline void polyir_has_effects(void) {
// CHECK-NEXT: #if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 14
// CHECK-NEXT:   __asm__ volatile("" : : : "memory");
// CHECK-NEXT: #endif
// CHECK-NEXT: }
static double A[100][100];

// CHECK:      void transposed(long n) {
// CHECK:        polyir_has_effects();
// CHECK-NEXT:   for (
void transposed(long n) {
#pragma scop
  for (long t = 1; t < n; t++)
    for (long i = 0; i < t; i++)
      A[i][t - i] = A[t - i][i] + A[i][t - i - 1];
#pragma endscop
}

// CHECK:      void copied(long n) {
// CHECK-NOT:    polyir_has_effects
// CHECK:        #pragma omp parallel for
void copied(long n) {
#pragma scop
  for (long t = 1; t < n; t++)
    for (long i = 0; i < t; i++)
      A[t][i] = A[t][i + 1];
#pragma endscop
}
