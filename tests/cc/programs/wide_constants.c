/* 64-bit unsigned arithmetic with numbers of 2**63 and more: hashes, masks, negative steps. */
#include <stdint.h>
#include <stdio.h>

#define N 40

static uint64_t a[N], b[N], c[N], d[N], e[N], f[N], g[N], h[N], k[N], p[N], q[N], r[N], t[N];
static int64_t s[N];
static double x[N], y[N];

static void data(int n, unsigned long u) {
#pragma scop
  for (int i = 0; i < n; i++)
    a[i] = i + 0x9e3779b97f4a7c15ull;
  for (int i = 0; i < n; i++)
    b[i] = (uint64_t)i * 0xff51afd7ed558ccdull;
  for (int i = 0; i < n; i++)
    c[i] = (i + 0x9e3779b97f4a7c15ull) / 3;
  for (int i = 0; i < n; i++)
    d[i] = (i + 0xffffffffffffffffull) % 7;
  for (int i = 0; i < n; i++)
    e[i] = (i - 0x8000000000000000ull) >> 3;
  for (int i = 0; i < n; i++)
    f[i] = u + i + 0xfffffffffffffff0ull;
  for (int i = 0; i < n; i++)
    s[i] = (int64_t)(i + 0x8000000000000000ull);
  for (int i = 0; i < n; i++)
    x[i] = (double)(i + 18446744073709551615ull);
  for (int i = 0; i < n; i++)
    r[i] = -1ul / 5 + (unsigned long)-3 + i;
  for (int i = 0; i < n; i++)
    y[i] = (double)(~0ul - i) + (-1ul > 5 ? 1.0 : 2.0);
#pragma endscop
}

static void conditions(int n, unsigned long u) {
#pragma scop
  for (int i = 0; i < n; i++)
    if (i + 0xfffffffffffffff0ull < 20)
      g[i] = i;
  for (int i = 0; i < n; i++)
    if (i < 0xc000000000000000ull)
      h[i] = i + 1;
  for (int i = 0; i < n; i++)
    if ((i + 0xfffffffffffffffbull) % 3 == 1)
      k[i] = i + 2;
  for (int i = 0; i < n; i++)
    p[i] = i + u > 0x8000000000000001ull ? 1 : 2;
  for (unsigned long i = 0; i < u; i++)
    q[i] = i * 0x8000000000000001ull;
#pragma endscop
}

/* A parameter may be as large where it is not a bound, and its quotients are those of its value. */
static void large(int n, unsigned long u, size_t half) {
#pragma scop
  for (int i = 0; i < n; i++)
    a[i] += (i + u) / 3 + (u + i) % 7;
  for (int i = 0; i < n; i++)
    b[i] += u * 77 / 3 + i;
  for (size_t i = 0; i < half / 2; i++)
    c[i + (half + 1) / 2] = c[i] * 2 + half / 3;
  for (int i = 0; i < n; i++)
    d[i / 2] += (double)(u / 2 + i) > 5e18 ? u / 9 : 1;
#pragma endscop
}

static int64_t m[64], o[64];

/* Products of steps and divisors that are beyond 2**63. */
static void steps(int least, int greatest) {
#pragma scop
  for (int i = 0; i < greatest; i += 500000000)
    m[i / 500000000] += 1;
  for (int i = 2147483644; i > least; i -= 700000000)
    o[i / 200000000 + 20] += i % 10;
  for (int i = -2147483643; i < -least; i += 700000000)
    o[-(i / 200000000) + 30] += 1;
  for (long i = 0; i < 4000000000000000000; i += 1000000000000000003)
    m[20 + i / 1000000000000000003] += i % 999999999999999989;
#pragma endscop
}

int main(void) {
  data(N, 25);
  conditions(N, 25);
  large(N, 0x9e3779b97f4a7c15, N);
  steps(800000000, 1200000000);
  for (int i = 0; i < N; i++) {
    printf("%lu %lu %lu %lu %lu %lu ", a[i], b[i], c[i], d[i], e[i], f[i]);
    printf("%lu %lu %lu %lu %lu %lu %lu ", g[i], h[i], k[i], p[i], q[i], r[i], t[i]);
    printf("%ld %a %a\n", s[i], x[i], y[i]);
  }
  for (int i = 0; i < 64; i++)
    printf("%ld %ld\n", m[i], o[i]);
  return 0;
}
