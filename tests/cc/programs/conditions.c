// Conditions: affine ones with all connectives, ones on data, both together.
#include <math.h>
#include <stdio.h>

#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define N 48

static double A[N][N], B[N];
static int C[N];

static void fill(void) {
  for (int i = 0; i < N; i++) {
    B[i] = (i * 7 % 13) - 6.5;
    C[i] = i * 11 % 17 - 8;
    for (int j = 0; j < N; j++)
      A[i][j] = (i * 31 + j * 17) % 101 / 8.0;
  }
}

static void show(const char *name) {
  double sum = 0;
  for (int i = 0; i < N; i++) {
    sum = sum * 0.9 + B[i] + C[i];
    for (int j = 0; j < N; j++)
      sum = sum * 0.99 + A[i][j];
  }
  printf("%s %a\n", name, sum);
}

static void affine(int n, int k) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      if (i == j)
        A[i][j] = 1.0;
      else if (i < j && j <= i + 3)
        A[i][j] *= 0.5;
      else
        A[i][j] += 0.125;
      if (!(i + j < k || j == 3))
        A[i][j] -= 1.0;
      if (i != k && (j > 2 || i > 5))
        A[i][j] *= 1.5;
      if (i % 2 == 0)
        A[i][j] += 0.25;
      if ((i + j) / 4 == 2)
        A[i][j] -= 0.75;
    }
  if (n > 10)
    for (int i = 0; i < n; i++)
      B[i] += 1.0;
#pragma endscop
}

static void data(int n) {
#pragma scop
  for (int i = 1; i < n; i++) {
    if (C[i] > 0)
      B[i] = B[i] * 2.0;
    if (B[i] > 0.5 && C[i] != 3 && B[i - 1] < B[i])
      B[i] -= B[i - 1];
    else
      B[i] += 0.0625;
    if (i > 2 && C[i - 3] < 0)
      C[i] += C[i - 3];
    if (C[i])
      C[i] -= 1;
    if (!C[i] || B[C[i] & 15] > 1.0)
      B[i] *= 0.875;
  }
#pragma endscop
}

static void choices(int n) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      A[i][j] = i > 0 ? A[i - 1][j] + 1.0 : A[i][j] * 2;
      A[i][j] = MAX(A[i][j], B[j]);
      B[j] = B[j] > 8.0 ? 0.5 * B[j] : B[j] + (i == j ? 1 : -0.25);
    }
  for (int i = 0; i < n; i++) {
    int t = C[i] < 0 ? -C[i] : C[i];
    B[i] += fmax(t, fmin(B[i], 3.0)) + fabs(B[i]);
    C[i] = (C[i] > 2) + (B[i] <= 1.0 && C[i] >= 0) * 2 + !C[i];
  }
#pragma endscop
}

int main(void) {
  fill();
  affine(N, 20);
  affine(9, 3);
  show("affine");
  data(N);
  show("data");
  choices(N);
  show("choices");
  return 0;
}
