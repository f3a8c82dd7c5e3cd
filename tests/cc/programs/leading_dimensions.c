/* Matrices in flat arrays, with rows or columns that may be longer than what is accessed of them.
   Each function is also called with rows that are too short: elements overlap, and order matters. */
#include <stddef.h>
#include <stdio.h>

#define A(i, j) a[(i) + (j) * lda]
#define SIZE 4000
struct matrix { double *data; int rows, columns, stride; };
static double a1[SIZE], a2[SIZE], a3[SIZE];
static unsigned char pixels[SIZE], shades[SIZE];

static void set(void) {
  for (int k = 0; k < SIZE; k++) {
    a1[k] = k % 7 - 3 + k % 11 * 0.25;
    a2[k] = k % 5 * 0.5;
    a3[k] = k % 3 - 1;
    pixels[k] = k % 251;
    shades[k] = k % 13;
  }
}

static void print(const char *title, int n) {
  double sum = 0;
  for (int k = 0; k < SIZE; k++)
    sum = sum * (k % 8 ? 0.75 : 7.5) + a1[k] + a2[k] * 3 + a3[k] * 5 + pixels[k] * 7 + shades[k];
  printf("%s %d %.17g\n", title, n, sum);
}

static void gemm(int m, int n, int k, const double *restrict a, int lda, const double *restrict b,
                 int ldb, double *restrict c, int ldc) {
#pragma scop
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++)
      for (int l = 0; l < k; l++)
        c[i + j * ldc] += a[i + l * lda] * b[l + j * ldb];
#pragma endscop
}

static void offsets(int n, int m, double *a, int lda, const double *b, long ldb) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 1; j <= m; j++)
      a[(i + 1) * lda + j - 1] = b[(n - 1 - i) * ldb + j] * 0.5 + a[i * lda + j + 1];
#pragma endscop
}

static void image(int width, int height, int stride, unsigned char *restrict to, int to_stride,
                  const unsigned char *restrict from) {
#pragma scop
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      for (int c = 0; c < 4; c++)
        to[y * to_stride + x * 4 + c] = from[y * stride + x * 4 + c] / 2 + 10 * c;
#pragma endscop
}

static void factor(size_t n, double *a, size_t lda) {
#pragma scop
  for (size_t k = 0; k < n; k++)
    for (size_t i = k + 1; i < n; i++) {
      A(i, k) = A(i, k) / (A(k, k) + 100);
      for (size_t j = k + 1; j < n; j++)
        A(i, j) -= A(i, k) * A(k, j);
    }
#pragma endscop
}

static void part(int m, int n, int row, int column, double *a, int lda) {
#pragma scop
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      a[(row + i) * lda + column + j] = a[(row + i) * lda + column + j] * 0.5 + i - j;
#pragma endscop
}

static void tensor(int n, double *restrict t, int ldi, int ldj, const double *restrict b) {
#pragma scop
  for (int k = 0; k < n; k++)
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++)
        t[(k * ldj + j) * ldi + i] += b[k] * t[(k * ldj + j) * ldi + i] + i;
#pragma endscop
}

static void member(struct matrix *m) {
#pragma scop
  for (int i = 1; i < m->rows; i++)
    for (int j = 0; j < m->columns; j++)
      m->data[i * m->stride + j] += m->data[(i - 1) * m->stride + j];
#pragma endscop
}

/* The length of rows is a number, and what is accessed of them is not. */
static void constant(int n, int m, double *restrict a, const double *b) {
#pragma scop
  for (int i = 1; i < n; i++)
    for (int j = 0; j < m; j++)
      a[i * 40 + j] += a[(i - 1) * 40 + j + 1] * b[41 * i];
#pragma endscop
}

/* Subscripts that leave their row always: one dimension. */
static void across(int n, int m, double *a, int lda) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      a[(i + 1) * lda + j - 1] += a[i * lda + j] * 0.5;
#pragma endscop
}

int main(void) {
  for (int short_row = 0; short_row < 2; short_row++) {
    int less = short_row ? 6 : 0;
    set();
    gemm(19, 18, 17, a1, 20 - less, a2, 21 - 2 * less, a3, 19 - less);
    print("gemm", less);
    gemm(0, 18, 17, a1, 20 - less, a2, -3, a3, -5);
    print("empty", less);
    offsets(20, 17, a1, 20 - less, a1 + 3, 18 - less);
    print("offsets", less);
    offsets(20, 17, a1, 20 - less, a2, 21 - less);
    print("offsets of two arrays", less);
    image(9, 20, 40 - less, pixels, 36 - less, shades);
    print("image", less);
    factor(20, a1, 22 - less);
    print("factor", less);
    part(10, 8, 3, less ? 14 : 7, a2, 16);
    part(10, 8, 3, less ? -4 : 0, a2, 9);
    print("part", less);
    tensor(9, a1, 10 - less, 11 - less, a2);
    tensor(9, a1, 10, 11 - less, a2);
    print("tensor", less);
    struct matrix m = {a1, 20, 15, 15 - less};
    member(&m);
    print("member", less);
    constant(20, less ? 60 : 39, a1, a3);
    print("constant", less);
    across(20, 10, a1, 12 - less);
    print("across", less);
  }
  return 0;
}
