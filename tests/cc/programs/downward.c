/* Counters that change in the condition of their loop. */
#include <stdio.h>

static double A[40], B[40];

static int downward(int n, int low) {
  int i, j, k, m;
#pragma scop
  for (i = n; i-- > 0;)
    A[i] += B[i] * 0.5 + i;
  for (j = n; --j >= low;)
    for (unsigned u = (unsigned)n; u-- > 0;)
      B[u] = A[u] + A[j] * 0.25;
  for (k = n; k--;)
    A[k] -= B[n - 1 - k];
  for (m = low; m++ < n;)
    B[m] += A[m] * 0.125 - m;
#pragma endscop
  return i + 10 * j + 100 * k + 1000 * m;
}

static unsigned long sizes(unsigned long n) {
  unsigned long i;
#pragma scop
  for (i = n; i-- > 0;)
    A[i] += B[i];
#pragma endscop
  return i;
}

int main(void) {
  for (int i = 0; i < 40; i++) {
    A[i] = i % 7;
    B[i] = i % 5;
  }
  printf("%d", downward(20, 3));
  printf(" %d", downward(2, 9));
  printf(" %d", downward(0, 0));
  printf(" %lx %lx\n", sizes(11), sizes(0));
  for (int i = 0; i < 40; i++)
    printf("%.17g %.17g\n", A[i], B[i]);
  return 0;
}
