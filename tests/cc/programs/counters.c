// Counters whose values after their loops are used in the region, and not after it.
#include <stdio.h>

static double A[100], B[100], C[10][10], D[100][100];

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

/* Small and unsigned counters that do not step past the largest number of their types. */
static void stepping(int m, unsigned n, short s) {
#pragma scop
  for (unsigned char i = 0; i < 250; i += 6)
    D[i / 100][i % 100] += 1;
  for (unsigned i = 0; i < n; i += 3)
    A[i] += 2;
  for (unsigned i = n; i > 5; i -= 5)
    A[i] += 3;
  for (short i = 0; i < 200; i += 7)
    D[i / 2][3] += s;
  for (unsigned i = 0; i < 90 && i < n; i += 10)
    B[i] += m;
  for (unsigned char i = 3; i < m; i += 4)
    B[i] += i;
#pragma endscop
  for (int i = 0; i < 100; i++)
    printf("stepping %g %g %g %g\n", A[i], B[i], D[i][3], D[i % 3][i]);
}

int main(void) {
  for (int k = 0; k < 100; k++)
    B[k] = k;
  after(40);
  after(0);
  of_inner_loop(10);
  stepping(88, 97, 3);
  stepping(-3, 0, -2);
}
