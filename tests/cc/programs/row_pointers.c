/* Pointers to rows, with products of type size_t, and subscripts that are divided. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { ROWS = 12, COLUMNS = 37 };
static float x[4 * ROWS * COLUMNS], y[4 * ROWS * COLUMNS];

static void print(const char *title) {
  double sum = 0;
  for (int k = 0; k < 4 * ROWS * COLUMNS; k++) {
    sum = sum / 3 + y[k];
    x[k] = k % 91 - y[k] / 7;
  }
  printf("%s %.17g\n", title, sum);
}

static void rows(int m, int n, const float *in, float *out) {
#pragma scop
  for (int r = 0; r < m; r++) {
    const float *p = in + (size_t)r * n;
    float *q = out + (size_t)r * n;
    for (int i = 0; i < n; i++)
      q[i] = 2 * p[i];
  }
#pragma endscop
}

static void normalised(int m, int n, const float *in, const float *gain, float *out) {
#pragma scop
  for (int r = 0; r < m; r++) {
    const float *p = in + (size_t)r * n;
    float *q = out + (size_t)r * n;
    float mean = 0, variance = 0;
    for (int i = 0; i < n; i++)
      mean += p[i];
    mean /= n;
    for (int i = 0; i < n; i++) {
      float d = p[i] - mean;
      variance += d * d;
    }
    for (int i = 0; i < n; i++)
      q[i] = (p[i] - mean) / (variance + 1) * gain[i];
  }
#pragma endscop
}

static void planes(int d, int m, int n, const float *restrict in, float *restrict out) {
#pragma scop
  for (int k = 0; k < d; k++)
    for (int r = 0; r < m; r++) {
      const float *p = in + ((size_t)k * m + r) * n;
      for (int i = 1; i < n; i++)
        out[((size_t)k * m + r) * n + i] = p[i] - p[i - 1];
    }
#pragma endscop
}

static void signed_offset(int m, int n, const float *restrict in, float *restrict out) {
#pragma scop
  for (int r = 0; r < m; r++) {
    const float *p = &in[(ptrdiff_t)((size_t)r * n)];
    for (int i = 0; i < n; i++)
      out[(long)r * n + i] = p[i] + 1;
  }
#pragma endscop
}

static void enlarged(int m, int n, const float *in, float *out) {
#pragma scop
  for (int r = 0; r < 2 * m; r++)
    for (int i = 0; i < 2 * n; i++)
      out[r * (2 * n) + i] = in[r / 2 * n + i / 2];
#pragma endscop
}

static void between(int m, int n, const float *in, float *out) {
#pragma scop
  for (int r = 0; r < 2 * m - 2; r++)
    for (int i = 0; i < 2 * n - 2; i++) {
      int a = r / 2, b = i / 2;
      float u = (r % 2) * 0.5f, v = (i % 2) * 0.5f;
      out[r * (2 * n - 2) + i] = (1 - u) * ((1 - v) * in[a * n + b] + v * in[a * n + b + 1]) +
                                 u * ((1 - v) * in[(a + 1) * n + b] + v * in[(a + 1) * n + b + 1]);
    }
#pragma endscop
}

static void halved(int m, int n, const float *restrict in, float *restrict out) {
#pragma scop
  for (int r = 0; r < m; r++)
    for (int i = 0; i < n; i++)
      out[(r / 3) * n + i] += in[r * n + (i + 1) / 2];
#pragma endscop
}

int main(void) {
  print("nothing");
  for (int n = 1; n <= COLUMNS; n += 12) {
    rows(ROWS, n, x, y);
    print("rows");
    normalised(ROWS, n, x, x + 5, y);
    print("normalised");
    planes(3, ROWS / 2, n, x, y);
    print("planes");
    signed_offset(ROWS, n, x, y);
    print("signed offset");
    enlarged(ROWS, n, x, y);
    print("enlarged");
    between(ROWS, n, x, y);
    print("between");
    halved(ROWS, n, x, y);
    print("halved");
    rows(ROWS, -n, x, y);
    print("none");
  }
  return 0;
}
