/* Steps and divisors whose common multiples are beyond 64 bits: coefficients of schedulers. */
#include <stdint.h>
#include <stdio.h>

#define N 64

static int64_t a[N], b[N], c[N], d[N], e[N], f[N];

static void three(int least, int greatest) {
#pragma scop
  for (int i = 0; i < greatest; i += 500000000)
    a[i / 500000000] += 1;
  for (int i = 2147483644; i > least; i -= 700000000)
    b[i / 200000000 + 20] += i % 10;
  for (int i = -2147483643; i < -least; i += 700000000)
    b[-(i / 200000000) + 30] += 1;
#pragma endscop
}

static void chain(long n) {
#pragma scop
  for (long i = 0; i < n; i += 3000000019)
    c[i / 3000000019] += 2;
  for (long i = 1; i < n; i += 4000000007)
    c[i / 4000000007 + 30] += i % 3000000001;
#pragma endscop
}

static void backwards(long n) {
#pragma scop
  for (long i = n; i > 0; i -= 2147483647)
    d[i / 2147483647] = d[i / 2147483647 + 1] + i % 2147483629;
  for (long i = n - 1; i >= 0; i -= 4294967291)
    e[i / 4294967291] = d[i / 4294967291] * 3;
#pragma endscop
}

static void conditions(int n, long k) {
#pragma scop
  for (int i = 0; i < n; i++)
    if (6000000011 * i < k && (i * 7000000001 + k) % 9000000011 > 4000000000)
      e[i] += 4;
    else if (5000000029 * i - 3000000019 * (n - i) > k)
      e[n - i] -= i;
#pragma endscop
}

static void subscripts(int n, long s) {
#pragma scop
  for (int i = 1; i < n; i++)
    f[(i * 4000000007) / 5000000029] += f[((i - 1) * 6000000011) / 7000000001] + s;
  for (int i = 0; i < n; i++)
    f[(s + i) / 1000000000000000003] += a[i];
#pragma endscop
}

int main(void) {
  three(800000000, 1200000000);
  three(2147483646, 0);
  chain(90000000000);
  chain(-1);
  backwards(60000000000);
  conditions(30, 80000000000);
  conditions(30, -80000000000);
  subscripts(40, 3);
  for (int i = 0; i < N; i++)
    printf("%ld %ld %ld %ld %ld %ld\n", a[i], b[i], c[i], d[i], e[i], f[i]);
  return 0;
}
