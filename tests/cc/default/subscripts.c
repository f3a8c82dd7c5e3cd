// Subscripts that data, or products with parameters, decide; arrays that may overlap.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void convolve(int n, int c, int h, int w, int k, int r, int pad, int stride,
                     const float *in, const float *weights, const float *bias, float *out) {
  int oh = (h + 2 * pad - r) / stride + 1, ow = (w + 2 * pad - r) / stride + 1;
  for (int b = 0; b < n; b++)
    for (int o = 0; o < k; o++)
      for (int y = 0; y < oh; y++)
        for (int x = 0; x < ow; x++) {
          float sum = bias[o];
          for (int i = 0; i < c; i++)
            for (int dy = 0; dy < r; dy++)
              for (int dx = 0; dx < r; dx++) {
                int iy = y * stride + dy - pad, ix = x * stride + dx - pad;
                if (iy >= 0 && iy < h && ix >= 0 && ix < w)
                  sum += in[((b * c + i) * h + iy) * w + ix]
                         * weights[((o * c + i) * r + dy) * r + dx];
              }
          out[((b * k + o) * oh + y) * ow + x] = sum > 0 ? sum : 0;
        }
}

static void most_likely(int t, int s, const double *steps, const double *emit, const int *seen,
                        int m, double *v, int *from) {
  for (int i = 1; i < t; i++)
    for (int j = 0; j < s; j++) {
      double best = -1e300;
      int at = 0;
      for (int p = 0; p < s; p++) {
        double q = v[(i - 1) * s + p] + steps[p * s + j];
        if (q > best) {
          best = q;
          at = p;
        }
      }
      v[i * s + j] = best + emit[j * m + seen[i]];
      from[i * s + j] = at;
    }
}

static void checksums(int rows, int n, const uint8_t *d, const uint32_t table[256],
                      uint32_t *out) {
  for (int i = 0; i < rows; i++) {
    uint32_t c = 0xffffffffu;
    for (int j = 0; j < n; j++) c = table[(c ^ d[i * n + j]) & 0xff] ^ (c >> 8);
    out[i] = ~c;
  }
}

static void factorise(int n, double *a, int *pivots) {
  for (int k = 0; k < n; k++) {
    int p = k;
    double best = fabs(a[k * n + k]);
    for (int i = k + 1; i < n; i++)
      if (fabs(a[i * n + k]) > best) {
        best = fabs(a[i * n + k]);
        p = i;
      }
    pivots[k] = p;
    if (p != k)
      for (int j = 0; j < n; j++) {
        double t = a[k * n + j];
        a[k * n + j] = a[p * n + j];
        a[p * n + j] = t;
      }
    for (int i = k + 1; i < n; i++) {
      double f = a[i * n + k] / a[k * n + k];
      a[i * n + k] = f;
      for (int j = k + 1; j < n; j++) a[i * n + j] -= f * a[k * n + j];
    }
  }
}

static void embed(int n, int d, const int *words, const float *rows, const float *gain,
                  float *out) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < d; j++) out[i * d + j] = rows[words[i] * d + j] * gain[j];
}

static double sum_of(const float *v, long n) {
  double s = 0;
  for (long i = 0; i < n; i++) s = s * 0.999 + v[i];
  return s;
}

enum { C = 8, H = 40, K = 16, R = 3, T = 60, S = 90, M = 12, ROWS = 700, BYTES = 500 };

int main(void) {
  long elements = 2L * K * H * H;
  float *in = malloc(2 * elements * sizeof *in), *out = malloc(elements * sizeof *out);
  float *weights = malloc(K * C * R * R * sizeof *weights), bias[K];
  srand(1);
  for (int stride = 1; stride < 4; stride++)
    for (int n = 1; n < 3; n++)
      for (int overlap = 0; overlap < 2; overlap++) {
        for (long i = 0; i < 2 * elements; i++) in[i] = rand() % 1000 * 0.001f;
        for (int i = 0; i < K * C * R * R; i++) weights[i] = rand() % 100 * 0.01f - 0.5f;
        for (int i = 0; i < K; i++) bias[i] = i * 0.1f;
        float *to = overlap ? in + 100 : out;
        convolve(n, C, H, H, K, R, 1, stride, in, weights, bias, to);
        long size = (H - 1) / stride + 1;
        printf("convolve %.9g\n", sum_of(to, n * K * size * size));
      }
  double *steps = malloc(S * S * sizeof *steps), *emit = malloc(S * M * sizeof *emit);
  double *v = malloc(T * S * sizeof *v);
  int *seen = malloc(T * sizeof *seen), *from = malloc(T * S * sizeof *from);
  for (int i = 0; i < S * S; i++) steps[i] = rand() % 997 * 0.01;
  for (int i = 0; i < S * M; i++) emit[i] = rand() % 997 * 0.01;
  for (int i = 0; i < T; i++) seen[i] = rand() % M;
  for (int i = 0; i < S; i++) v[i] = i * 0.5;
  most_likely(T, S, steps, emit, seen, M, v, from);
  long path = 0;
  for (int i = S; i < T * S; i++) path = path * 31 + from[i];
  printf("most_likely %.12g %ld\n", v[T * S - 1], path);
  uint8_t *d = malloc(ROWS * BYTES);
  uint32_t table[256], sums[ROWS], all = 0;
  for (int i = 0; i < 256; i++) table[i] = (uint32_t)rand() * 3u;
  for (int i = 0; i < ROWS * BYTES; i++) d[i] = rand();
  checksums(ROWS, BYTES, d, table, sums);
  for (int i = 0; i < ROWS; i++) all = all * 31 + sums[i];
  printf("checksums %u\n", all);
  static double a[150 * 150];
  int pivots[150];
  for (int i = 0; i < 150 * 150; i++) a[i] = rand() % 1999 - 1000;
  factorise(150, a, pivots);
  double trace = 0;
  for (int i = 0; i < 150; i++) trace += a[i * 151] * (1 + pivots[i]);
  printf("factorise %.12g\n", trace);
  for (int i = 0; i < 900; i++) table[i % 256] = rand() % 500;
  embed(250, 100, (int *)table, in, out, out + 1000);
  printf("embed %.9g\n", sum_of(out, 26000));
  free(in), free(out), free(weights), free(steps), free(emit), free(v), free(seen), free(from);
  free(d);
  return 0;
}
