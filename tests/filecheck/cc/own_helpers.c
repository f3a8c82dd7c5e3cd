// A file may have functions with the names of helpers: polyir-cc writes such files.
// RUN: polyir-cc --pluto-schedule --tile=32 --mark-parallel %s -o %t.c && grep -v CHECK %t.c | filecheck %s && gcc -fsyntax-only -Wall -Werror -Wno-unknown-pragmas %t.c
static inline long polyir_min(long a, long b) {
  return a < b ? a : b;
}

// CHECK: static inline long polyir_min_1(long a, long b) {
// CHECK: i < polyir_min_1(n, ti + 32)
long scale(int n, double A[restrict 100][100]) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      A[i][j] = 2 * A[i][j];
#pragma endscop
  return polyir_min(n, 100);
}
