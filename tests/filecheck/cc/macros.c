// Names that are made here are not macros of the file: parameters of helpers, loop counters.
// RUN: polyir-cc --pluto-schedule --tile=32 --mark-parallel %s -o %t.c && grep -v CHECK %t.c | filecheck %s && gcc -fsyntax-only -Wall -Werror -Wno-unknown-pragmas %t.c
static struct { double first[100][100], second[100]; } both;
#define a both.first
#define b both.second
#define ti both.second[0]
#define first_1 (0)

// CHECK: static inline long polyir_min(long a_1, long b_1) {
// CHECK-NEXT: return a_1 < b_1 ? a_1 : b_1;
// CHECK: static inline int polyir_disjoint(const volatile void *first_1_1, const volatile void *end_1,
// CHECK: for (long ti_1 = 0; ti_1 < n; ti_1 += 32) {
void scale(int n, double *c) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i][j] = b[i] * a[i][j] + c[j];
#pragma endscop
}
