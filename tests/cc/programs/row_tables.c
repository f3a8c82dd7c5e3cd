/* Arrays of pointers to rows, which lie in order, in reverse, anywhere, or in one place. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define SIZE 45

typedef struct {
  int rows, columns;
  float **row;
} image;

enum { UP, DOWN, MIXED, TOGETHER, SHARED, KINDS };

static void **table(int kind, int rows, size_t bytes) {
  void **p = malloc(rows * sizeof *p);
  char *all = malloc(rows * bytes);
  for (int i = 0; i < rows; i++) {
    int at = kind == DOWN ? rows - 1 - i : kind == MIXED ? 7 * i % rows : i;
    p[i] = kind == TOGETHER ? malloc(bytes) : all + (kind == SHARED ? at / 2 : at) * bytes;
  }
  return p;
}

static double **numbers(int kind, int rows, int columns) {
  double **p = (double **)table(kind, rows, columns * sizeof **p);
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++)
      p[i][j] = ((i * 31 + j * 17) % 23 - 11) / 64. + (i == j) * 4;
  return p;
}

static void print(const char *title, int rows, int columns, double **p) {
  double sum = 0;
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++)
      sum = sum / 7 + p[i][j];
  printf("%s %.17g\n", title, sum);
}

static void product(int n, int m, int l, double **a, double **b, double **c) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      double s = 0;
      for (int k = 0; k < l; k++)
        s += a[i][k] * b[k][j];
      c[i][j] = s;
    }
#pragma endscop
}

static void transposed(int n, double **a, double **b, double **c) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i][j] += a[k][i] * b[j][k];
#pragma endscop
}

static void decomposed(int n, double **a) {
#pragma scop
  for (int k = 0; k < n; k++)
    for (int i = k + 1; i < n; i++) {
      a[i][k] /= a[k][k];
      for (int j = k + 1; j < n; j++)
        a[i][j] -= a[i][k] * a[k][j] / 8;
    }
#pragma endscop
}

static void times(int n, int m, double **a, const double *x, double *y) {
#pragma scop
  for (int i = 0; i < n; i++) {
    y[i] = 0;
    for (int j = 0; j < m; j++)
      y[i] += a[i][j] * x[j];
  }
#pragma endscop
}

static void relaxed(int steps, int n, double **a, double **b) {
#pragma scop
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        b[i][j] = 0.2 * (a[i][j] + a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        a[i][j] = b[i][j];
  }
#pragma endscop
}

static void blurred(const image *in, image *out) {
#pragma scop
  for (int i = 1; i < in->rows - 1; i++)
    for (int j = 1; j < in->columns - 1; j++) {
      float s = 0;
      for (int k = -1; k <= 1; k++)
        for (int l = -1; l <= 1; l++)
          s += in->row[i + k][j + l];
      out->row[i][j] = s / 9;
    }
#pragma endscop
}

static void bright(int n, int m, uint8_t **p) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      p[i][j] = p[i][j] > 200 ? 255 : p[i][j] + 55;
#pragma endscop
}

static void within(int n, double *rows[SIZE]) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      rows[i][j] = 2 * rows[i][j] + j;
#pragma endscop
}

static void images(int kind, int n) {
  image in = {n, n + 3, (float **)table(kind, n, (n + 3) * sizeof(float))};
  image out = {n, n + 3, (float **)table(kind, n, (n + 3) * sizeof(float))};
  uint8_t **bytes = (uint8_t **)table(kind, n, n + 3);
  double sum = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n + 3; j++) {
      in.row[i][j] = i * j % 13;
      out.row[i][j] = 1;
      bytes[i][j] = i * 77 + j * 13;
    }
  blurred(&in, &out);
  bright(n, n + 3, bytes);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n + 3; j++)
      sum = sum / 3 + out.row[i][j] + bytes[i][j];
  printf("images %.17g\n", sum);
}

int main(void) {
  for (int kind = 0; kind < KINDS; kind++)
    for (int n = 1; n <= SIZE; n += 1 + n / 3) {
      double **a = numbers(kind, n, SIZE), **b = numbers(kind, SIZE, n), **c = numbers(kind, n, n);
      double x[SIZE], y[SIZE];
      for (int i = 0; i < SIZE; i++)
        x[i] = y[i] = i % 5 - 2;
      product(n, n, SIZE, a, b, c);
      print("product", n, n, c);
      product(n, n, n, a, c, a);
      print("product in place", n, n, a);
      transposed(n, a, b, c);
      print("transposed", n, n, c);
      times(n, SIZE, a, x, y);
      print("times", 1, n, (double *[]){y});
      times(n, n, a, x, a[n / 2]);
      print("times into a row", n, n, a);
      relaxed(3, n, c, numbers(kind, n, n));
      print("relaxed", n, n, c);
      double **d = numbers(kind, n, n);
      decomposed(n, d);
      print("decomposed", n, n, d);
      within(n, d);
      print("within", n, n, d);
      images(kind, n + 2);
    }
  return 0;
}
