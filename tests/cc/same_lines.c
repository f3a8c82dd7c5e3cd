// Loops on lines with other code: one-line functions, two loops, bodies of others, macros, texts.
#include <stdio.h>

#define LOOP(i, n) for (int i = 0; i < (n); i++) { \
  sum += a[i]; } puts("for (;;) { }");
#define EACH(i, n) for (int i = 0; i < (n); i++)
#define TWICE(x) do { for (int q = 0; q < 2; q++) { x; } } while (0)

static const char *text = "for (int i = 0; i < n; i++) { a; b; }"; static int after; /* for { ; } */

static void scale(int n, double *a) { for (int i = 0; i < n; i++) a[i] = 2 * a[i] + 1; }
static double mixed(int n, double *a) { double sum = 0; LOOP(k, n) EACH(i, n) sum += a[i]; TWICE(sum += 1); for (int i = 0; i < n; i++) sum += 2 * a[i]; // for (;;) { ; }
  for (int i = 0; i < n; i++) { if (a[i] > 3) { a[i] = 1; } else { a[i] = 2; } } return sum; } static int count(int n) { int c = 0; for (int i = 0; i < n; i++) c += i; return c; }
static void bodies(int n, double *a, double *b) {
  int k = n; while (k-- > n - 2) for (int i = 0; i < n; i++) a[i] += k; if (k) for (int i = 1; i < n; i++) b[i] = a[i - 1]; else for (int i = 0; i < n; i++) b[i] = 0;
  do for (int i = 0; i < n; i++) b[i] += a[i]; while (k-- > n - 5); after = k; for (int i = 0; i < n; i++) { for (int j = 0; j < n; j++) { a[i] += b[j]; } } for (int i = 0; i < n; i++) b[i] = a[i];
  switch (k) { case 3: for (int i = 0; i < n; i++) a[i] = 4; break; default: for (int i = 0; i < n; i++) a[i] -= b[n - 1 - i]; }
  { for (int i = 0; i < n; i++) a[i] /= 2; } for (int i = 0, *p = &k; i < n; i++) a[i] += *p; again: for (int i = 0; i < n; i++) b[i] += i; if (k++ < 3 - n) goto again;
}

int main(void) { double a[100], b[100]; for (int i = 0; i < 100; i++) { a[i] = i % 7; b[i] = i % 5; } scale(100, a);
  printf("%g %d %s\n", mixed(100, a), count(10), text); bodies(50, a, b); for (int i = 0; i < 100; i++) printf("%a %a\n", a[i], b[i]); printf("%d\n", after); return 0; }
