// `continue` is a condition around the rest of the body.
#include <stdio.h>

static double A[60], B[60], C[60][60];
static int flags[60];

static void show(const char *name) {
  double sum = 0;
  for (int i = 0; i < 60; i++) {
    sum = sum * 0.75 + A[i] + 2 * B[i];
    for (int j = 0; j < 60; j++)
      sum = sum * 0.75 + C[i][j];
  }
  printf("%s %a\n", name, sum);
}

static void affine(int n) {
  int i, j;
#pragma scop
  for (i = 0; i < n; i++) {
    A[i] = i;
    if (i < 5)
      continue;
    for (j = 0; j < n; j++) {
      if (i == j || j < 3)
        continue;
      C[i][j] = C[j][i] + A[i];
    }
    B[i] = A[i] - 1;
  }
#pragma endscop
  show("affine");
}

static void of_data(int n) {
#pragma scop
  for (int i = 0; i < n; i++) {
    double t = B[i];
    if (flags[i] > 2) {
      A[i] = -t;
      if (flags[i] == 3)
        continue;
      t = t + 1;
    } else if (flags[i] == 1) {
      continue;
    } else {
      A[i] += 1;
    }
    A[i] += t;
    B[i] = t;
  }
#pragma endscop
  show("of_data");
}

static void nested(int n, int m) {
#pragma scop
  for (int i = 0; i < n; i++) {
    double t = 2;
    if (i > 3) {
      double t = i;
      if (m < i) {
        { A[i] = t; continue; }
        A[i] = 3;
      }
      B[i] = t * 2;
      if (i > 20) {
        if (i > 30)
          continue;
        B[i] -= 1;
      }
    }
    for (int j = i; j < n; j++) {
      C[i][j] += t;
      if (C[i][j] < 4 && j > 2)
        continue;
      else
        C[j][i] -= 1;
    }
    B[i] += t;
    continue;
    A[i] = 100;
  }
#pragma endscop
  show("nested");
}

static void downward(int n) {
  int i;
#pragma scop
  for (i = n; i-- > 0;) {
    if (i == 7)
      continue;
    A[i] = B[i] + i;
  }
#pragma endscop
  printf("%d ", i);
  show("downward");
}

int main(void) {
  for (int i = 0; i < 60; i++) {
    flags[i] = i % 5;
    B[i] = i * 0.5;
  }
  affine(60);
  affine(0);
  of_data(50);
  nested(40, 25);
  nested(60, 0);
  downward(55);
  return 0;
}
