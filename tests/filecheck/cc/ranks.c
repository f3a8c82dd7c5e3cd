// RUN: not polyir-cc --mpi --tile=4 --distribute-memory %s -o %t.c 2>&1 | filecheck %s --check-prefix LEFT
// RUN: grep -v CHECK %t.c | grep -v '^// ' | filecheck %s
// RUN: filecheck %s --input-file %t_ranks.c --check-prefix RANKS
// RUN: not polyir-cc --mpi %s 2>&1 | filecheck %s --check-prefix OUTPUT
// RUN: not polyir-cc --mpi --tile=4 %s -o %t.c 2>&1 | filecheck %s --check-prefix PASSES
// RUN: not polyir-cc --mpi --target=cuda %s -o %t.c 2>&1 | filecheck %s --check-prefix TARGET

// OUTPUT: error: --mpi writes two files, and needs -o for their names
// PASSES: error: --mpi needs --distribute-memory among the passes, or no passes
// TARGET: error: --target does not go with --mpi

// CHECK:      void ranks_ranks_0(long, long, double *, long, double, double *, long, long, float *);
// CHECK:      void whole(long n, int m, double A[restrict n][m], double *restrict b, double x) {
// CHECK-NEXT:   static float table[8][9];
// CHECK-NEXT: {
// CHECK-NEXT:   // All ranks call this; the arrays are those of the first one.
// CHECK-NEXT:   ranks_ranks_0(n, m, (double *)b, 0, x, (double *)A, 0, (long)(sizeof(A[0]) / sizeof(A[0][0])),
// CHECK-NEXT:       (float *)table);
// CHECK-NEXT: }
// CHECK-NEXT:   return;
// CHECK-NEXT: }

// RANKS: #include <mpi.h>
// RANKS: void ranks_ranks_0(
void whole(long n, int m, double A[restrict n][m], double *restrict b, double x) {
  static float table[8][9];
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      A[i][j] += b[i] * x;
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 9; j++)
      table[i][j] = table[i][j] + 1;
#pragma endscop
  return;
}

// LEFT: ranks.c:{{[0-9]+:[0-9]+}}: warning: region not transformed: other statements of its function would need the arrays on all ranks
double followed(int n, double *restrict A) {
  int i;
#pragma scop
  for (i = 0; i < n; i++)
    A[i] = 2 * A[i];
#pragma endscop
  return A[0];
}

// LEFT: ranks.c:{{[0-9]+:[0-9]+}}: warning: region not transformed: pointers that may lead to one array
void aliased(int n, double *A, double *B) {
#pragma scop
  for (int i = 0; i < n; i++)
    A[i] = B[i];
#pragma endscop
}

struct point {
  double x, y;
};

// LEFT: ranks.c:{{[0-9]+:[0-9]+}}: warning: region not transformed: 'A[].x' is not contiguous in memory
void members(int n, struct point *A) {
#pragma scop
  for (int i = 0; i < n; i++)
    A[i].x = i;
#pragma endscop
}
