// Sums that are computed anew for each result, in memory that is read and overwritten.
#include <stdio.h>
#define N 40

static long a[2 * N], s[N], w[N];

static void sums(int n) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      s[i] += a[j];
#pragma endscop
}

static void windows(int n) {
#pragma scop
  for (int i = 0; i < n; i++) {
    long total = s[i];
    for (int j = 0; j < n; j++)
      total -= a[i + j];
    w[i] = total;
  }
#pragma endscop
}

int main(void) {
  for (int i = 0; i < 2 * N; i++)
    a[i] = (i * 37) % 101 - 50;
  for (int i = 0; i < N; i++)
    s[i] = i;
  sums(N);
  windows(N);
  for (int i = 0; i < N; i++)
    printf("%ld %ld\n", s[i], w[i]);
  return 0;
}
