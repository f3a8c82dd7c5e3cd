/* Old-style definitions, attributes and builtins that do not matter. */
#include <stdio.h>

#define UNLIKELY(x) __builtin_expect(!!(x), 0)
static double A[100], B[100] __attribute__((aligned(64)));
__extension__ typedef long long wide;

static int old_style(n, a, x)
     int n; /* the size */
     double *a;
     float x;
{
  int i;
#pragma scop
  for (i = 0; i < n; i++)
    a[i] = i * x;
#pragma endscop
  return i;
}

static __inline__ int twice(int x) { return 2 * x; }

static wide
with_attribute(n)
     int n __attribute__((unused));
{
#pragma scop
  for (int i = 0; i < n; i++)
    B[i] = twice(n) - i;
#pragma endscop
  return n;
}

__attribute__((noinline, noclone)) static void
attributes(int n __attribute__((unused)), double *__restrict__ a, const double *__restrict b)
    __asm__("other_name");

static void attributes(int n, double *__restrict__ a, const double *__restrict b)
{
  int k __attribute__((unused)) = 4;
#pragma scop
  for (__signed__ int i = 0; i < n; i++) {
    if (__builtin_expect(i > 3, 1))
      a[i] += b[i];
    if (UNLIKELY(b[i] > 5))
      a[i] = __builtin_expect(n, 50) * 2.0 + __extension__ k;
  }
#pragma endscop
}

int main(argc, argv)
     int argc;
     char **argv;
{
  int n = old_style(60, A, 0.3f);
  wide m = with_attribute(50);
  attributes(n, A, B);
  for (int i = 0; i < 60; i++)
    printf("%.17g %.17g\n", A[i], B[i]);
  printf("%lld %d\n", m, argc > 5 || argv == 0);
  return 0;
}
