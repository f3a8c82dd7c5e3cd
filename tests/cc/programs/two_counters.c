/* Loops that set or step more than one variable, and steps that are constants by other names. */
#include <stdio.h>

enum { STRIDE = 3 };
static const long LARGE = 4;
static double A[200], B[200];
static float F[200];
static int last[16];

static void print(const char *title) {
  double sum = 0;
  for (int k = 0; k < 200; k++)
    sum = sum * 0.75 + A[k] + B[k] * 3 + F[k];
  printf("%s %.17g", title, sum);
  for (int k = 0; k < 16; k++)
    printf(" %d", last[k]);
  printf("\n");
}

static void both_ways(int n) {
  int i, j;
#pragma scop
  for (i = 0, j = n - 1; i < n; i++, j--)
    A[i] = B[j] * 0.5 + j;
  last[0] = i;
  last[1] = j;
  for (i = 0, j = n - 1; i < j; ++i, --j)
    B[i] += A[j];
  last[2] = i + 1000 * j;
#pragma endscop
  last[3] = i;
  last[4] = j;
}

static void declared(int n) {
#pragma scop
  for (int i = 1, j = 2 * n, end = n - 1; i <= end; i += 2, j -= 3)
    A[i + 4] += B[i] * j;
  for (long i = n, j = 0; i-- > 0; j += 5)
    B[i] += j;
  for (unsigned u = 0, v = 7; u < 9; u++, v += 2)
    A[v] += u * 0.25;
#pragma endscop
}

static void after(int n, int m) {
  int i, j, k = 5, s = 1;
#pragma scop
  for (i = m, j = m; i < n; i += 2, j++)
    A[i] += B[j];
  last[5] = i;
  last[6] = j;
  for (k = 0; k < m; k++)
    for (i = j = k; i > 0; i--, ++j)
      A[j] = A[j] * 0.5 + i;
#pragma endscop
  last[7] = i + 100 * j + 10000 * k + s;
}

static void named_steps(int n) {
  const int two = 2;
  int i, j;
#pragma scop
  const short five = 5;
  for (i = 0; i < n; i += two)
    A[i] += 1;
  for (i = 0; i < n; i = STRIDE + i)
    A[i] *= 0.5;
  for (i = n; i > 0; i -= LARGE)
    B[i] += i;
  for (i = 0, j = 0; i < n; i = i + 1, j += five)
    B[i] += j;
  for (i = n, j = 1; i >= 0; i = i - two, j = two + j)
    A[i] += B[j];
#pragma endscop
  last[8] = j;
}

/* What is set and stepped, but is not an integer, or depends on data. */
static void statements(int n) {
  int i, j;
  double x, sum;
  float *p;
#pragma scop
  for (sum = 0, i = 0; i < n; i++)
    sum += A[i];
  for (i = 0, x = 0.5; i < n; i++, x += 0.125)
    B[i] = x * sum;
  for (i = 0, j = last[0]; i < n; i++, j += 3)
    A[i] += j;
  for (x = 1, i = 0; i < n; ++i, ++x)
    A[i] += x;
#pragma endscop
  last[9] = (int)x + j;
  for (p = F, i = 0; i < n; i++, p++)
    *p = i;
}

static void at_the_end(int n) {
  int i, j, k;
  unsigned char c;
#pragma scop
  for (i = 0, j = n; i < n; i++) {
    A[i] += j;
    j--;
  }
  for (i = 0, j = n, k = 3; i < n;) {
    int t = i + k;
    B[t] += j;
    k += 2;
    i++;
    --j;
  }
  for (i = 0, c = 0; i < 50; i++, c += 4)
    F[c] += i;
#pragma endscop
  last[10] = i + j + k;
  last[11] = c;
}

int main(void) {
  for (int k = 0; k < 200; k++) {
    A[k] = k % 7;
    B[k] = k % 5;
  }
  both_ways(20);
  print("both");
  both_ways(0);
  print("none");
  both_ways(1);
  print("one");
  declared(30);
  print("declared");
  after(31, 4);
  after(4, 9);
  print("after");
  named_steps(40);
  print("named");
  statements(17);
  print("statements");
  at_the_end(25);
  at_the_end(0);
  print("end");
  return 0;
}
