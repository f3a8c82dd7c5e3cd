// Rows and columns whose last vectors are not whole, in arrays that end there.
#include <stdio.h>
static double c[19][19], x[19][21], y[21][19];

static void sums_in_scalars(int n, double out[n][19], double left[n][21]) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 19; j++) {
      double sum = 0.0;
      for (int k = 0; k < 21; k++)
        sum += left[i][k] * y[k][j];
      out[i][j] = sum;
    }
#pragma endscop
}

static void sums_in_place(int n, int m) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < m; k++)
        c[i][j] += x[i][k] * y[k][j];
#pragma endscop
}

// The pointer is where the last row ends, whichever code was executed.
static double *sums_through_pointer(int n, int m, double *p) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0.0;
      for (int k = 0; k < m; k++)
        sum += x[i][k] * y[k][j];
      *p++ = sum;
    }
#pragma endscop
  return p;
}

int main(void) {
  for (int j = 0; j < 19 * 21; j++) {
    x[j / 21][j % 21] = j % 7;
    y[j / 19][j % 19] = j % 5;
  }
  sums_in_scalars(19, c, x);
  sums_in_place(19, 21);
  sums_in_place(0, 21);
  sums_in_place(17, 0);
  double all = sums_through_pointer(18, 21, c[0]) - c[0];
  for (int j = 0; j < 19 * 19; j++)
    all += c[j / 19][j % 19] * (j % 17);
  printf("%a\n", all);
  return 0;
}
