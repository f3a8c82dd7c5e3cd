// Loops whose counters step by parameters: transforms, scans, sieves.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#define N 4096

static void fourier(int n, double *re, double *im, const double *wr, const double *wi) {
  for (int len = 2; len <= n; len <<= 1) {
    int half = len / 2, step = n / len;
    for (int i = 0; i < n; i += len)
      for (int j = 0; j < half; j++) {
        double ur = re[i + j], ui = im[i + j];
        double vr = re[i + j + half] * wr[j * step] - im[i + j + half] * wi[j * step];
        double vi = re[i + j + half] * wi[j * step] + im[i + j + half] * wr[j * step];
        re[i + j] = ur + vr, im[i + j] = ui + vi;
        re[i + j + half] = ur - vr, im[i + j + half] = ui - vi;
      }
  }
}

static void haar(int n, int rows, float *a) {
  for (int r = 0; r < rows; r++)
    for (int d = 1; 2 * d <= n; d *= 2)
      for (int i = 0; i <= n - 2 * d; i += 2 * d) {
        float x = a[r * n + i], y = a[r * n + i + d];
        a[r * n + i] = (x + y) * 0.5f;
        a[r * n + i + d] = (x - y) * 0.5f;
      }
}

static void scan(int n, double *x) {
  for (long d = 1; d < n; d *= 2)
    for (long i = 0; i < n; i += 2 * d) x[i + 2 * d - 1] += x[i + d - 1];
}

static void blocks(int first, int n, int size, const double *a, double *sums) {
  for (int i = first; i < n; i += size) {
    double s = 0;
    for (int j = 0; j < size; j++) s += sqrt(a[i + j]) * (j + i);
    sums[i] = s;
  }
}

static int primes(int n, char *is_composite) {
  int count = 0;
  for (int p = 2; p < n; p++) {
    if (is_composite[p]) continue;
    count++;
    for (long k = (long)p * p; k < n; k += p) is_composite[k] = 1;
  }
  return count;
}

// Without iterations, nothing is divided.
static void shares(int n, int m, int *restrict parts) {
  for (int i = 0; i < n; i++) parts[i] += m / n;
}

static double a[2 * N], b[2 * N], wr[N], wi[N];
static float f[N];
static char c[N];

static double sum(const double *x) {
  double s = 0;
  for (int i = 0; i < N; i++) s = s * 0.99 + x[i];
  return s;
}

int main(void) {
  for (int n = 1; n <= N; n *= 4) {
    for (int i = 0; i < N; i++) {
      a[i] = i * 7 % 13, b[i] = i * 5 % 11, f[i] = i * 3 % 17;
      wr[i] = cos(-2 * M_PI * i / n), wi[i] = sin(-2 * M_PI * i / n);
    }
    fourier(n, a, b, wr, wi);
    printf("fourier %.9g %.9g\n", sum(a), sum(b));
    haar(n, N / n, f);
    for (int i = 0; i < N; i++) a[i] = f[i];
    printf("haar %.9g\n", sum(a));
    scan(n, a);
    printf("scan %.9g\n", sum(a));
  }
  for (int size = 1; size < 3000; size += 1 + size)
    for (int first = 0; first < 900; first += 299) {
      for (int i = 0; i < 2 * N; i++) a[i] = i * 7 % 13;
      blocks(first, N - first, size, a, b);
      printf("blocks %.9g\n", sum(b));
    }
  blocks(9, 3, 5, a, b);
  printf("primes %d\n", primes(N, c));
  int parts[3] = {1, 2, 3};
  shares(0, 5, parts);
  shares(3, 50, parts);
  printf("shares %d %d\n", parts[0], parts[2]);
  return 0;
}
