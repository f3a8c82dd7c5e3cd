// Loops: every comparison, steps up and down, counters declared inside and outside, kept counters.
#include <stdio.h>
#include <string.h>

static int A[64][64], B[64];

static void fill(void) {
  for (int i = 0; i < 64; i++) {
    B[i] = i * 7 % 13;
    for (int j = 0; j < 64; j++)
      A[i][j] = (i * 31 + j * 17) % 101;
  }
}

static void show(const char *name) {
  unsigned long sum = 0;
  for (int i = 0; i < 64; i++) {
    sum = sum * 31 + (unsigned)B[i];
    for (int j = 0; j < 64; j++)
      sum = sum * 33 + (unsigned)A[i][j];
  }
  printf("%s %lu\n", name, sum);
}

static void comparisons(int n, int m) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 1; j <= m - 1; ++j)
      A[i][j] += A[i][j - 1];
  for (int i = n - 1; i >= 0; i--)
    for (int j = m - 2; j > 0; --j)
      A[i][j] -= 3 * A[i][j + 1];
  for (int i = 0; n > i; i++)
    for (int j = 0; m - 1 >= j; j++)
      A[i][j] ^= i;
  for (int i = 0; i != n; i++)
    B[i] += 2 * i;
  for (int i = 0; 2 * i + 1 < n; i++)
    B[2 * i] += B[2 * i + 1];
#pragma endscop
}

static void steps(int n) {
  int i, j;
#pragma scop
  for (i = 0; i < n; i += 3)
    for (j = i; j < n; j = j + 2)
      A[i][j] = A[i][j] * 2 + 1;
  for (i = n - 1; i >= 0; i -= 5)
    for (j = n - 1; j >= i; j = j - 4)
      A[i][j] = A[j][i] - 1;
  for (i = 3; i < n && i < 40; i = 2 + i)
    B[i] += i;
#pragma endscop
}

static int kept(int n) {
  int i, j = 0, total = 0;
  long k = -5;
#pragma scop
  for (i = 2; i < n; i += 4) {
    for (j = n; j > i; j -= 3)
      A[i][j - 1] += j;
    B[i] += j;
  }
  for (k = 10; k < n - 30; k++)
    total += B[k];
#pragma endscop
  return i * 10000 + j * 100 + (int)k + total;
}

static int after_region(int n) {
  int i = 77;
  for (int r = 0; r < 2; r++) {
#pragma scop
    for (i = 0; i < n; i++)
      B[i] += r + i;
#pragma endscop
    B[0] += i;
  }
  for (i = 0; i < 3; i++)
    B[1] += i;
  return i;
}

static void bounds(int n, int m) {
#pragma scop
  for (int i = 0; i < (n < m ? n : m); i++)
    for (int j = (i > 4 ? i : 4); j < (2 * i < m ? 2 * i : m); j++)
      A[i][j] = A[i][j] * 3 - j;
  for (int t = 0; t < n / 2; t++)
    for (int i = t / 2; i < n - t % 3; i++)
      B[i] += A[t][i];
  for (short s = 0; s < 10; s++)
    for (unsigned char c = 0; c < 10; c++)
      A[s][c] += s * c;
  for (unsigned u = 1; u < (unsigned)n; u++)
    for (unsigned long v = u; v < 60; v++)
      A[u - 1][v - 1] += 5;
#pragma endscop
}

int main(void) {
  fill();
  comparisons(60, 50);
  show("comparisons");
  comparisons(0, 0);
  show("empty");
  steps(61);
  show("steps");
  printf("%d %d\n", kept(50), kept(0));
  show("kept");
  printf("%d %d\n", after_region(20), after_region(-3));
  show("after");
  bounds(40, 60);
  bounds(40, 7);
  show("bounds");
  return 0;
}
