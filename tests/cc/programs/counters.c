// Counters whose values after their loops are used in the region, and not after it.
#include <stdio.h>

static double A[100], B[100], C[10][10];

static void after(int n) {
  int i = 7;
  double s = 0;
#pragma scop
  for (i = 0; i < n; i++)
    A[i] = B[i] * 2.0;
  s = B[i];
#pragma endscop
  printf("after %g %g\n", s, A[n / 2]);
}

static void of_inner_loop(int n) {
  int i, j = 3;
#pragma scop
  for (i = 0; i < n; i++) {
    A[i] = B[j];
    for (j = 0; j < i; j++)
      C[i][j] = A[i] + j;
    B[i] += j;
  }
#pragma endscop
  for (i = 0; i < n; i++)
    printf("inner %g %g %g\n", A[i], B[i], C[i][i / 2]);
}

int main(void) {
  for (int k = 0; k < 100; k++)
    B[k] = k;
  after(40);
  after(0);
  of_inner_loop(10);
}
