/* sizeof of types, arrays, elements, variables and expressions; extents from initialisers. */
#include <stddef.h>
#include <stdio.h>
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define LENGTH(a) (sizeof a / sizeof *a)
struct point { double x; char tag; float y; };
static double a[100], g[7][9];
static struct point points[12];
static int primes[] = {2, 3, 5, 7, 11, [8] = 23};
static float table[][2] = {{1, 2}, {3, 4}, {5, 6}};
static long double wide[5];
static double *lines[6];
enum { N = sizeof(g) / sizeof(double) };
static char bytes[sizeof(primes) / sizeof(primes[0]) + 2];
int main(void) {
  double local[30], sum[ARRAY_SIZE(primes)];
  float x = 3;
#pragma scop
  for (size_t i = 0; i < ARRAY_SIZE(a); i++) a[i] = 2.0 * i;
  for (int i = 0; i < (int)LENGTH(g); i++)
    for (unsigned j = 0; j < ARRAY_SIZE(g[0]); j++) g[i][j] = i + j + N;
  for (int i = 0; i < (int)(sizeof(points) / sizeof(struct point)); i++) points[i].x = i;
  for (size_t i = 0; i < ARRAY_SIZE(primes); i++)
    sum[i] = primes[i] + sizeof(x) + sizeof(x + 1.0) + sizeof a[0] + sizeof(lines) + sizeof i;
  for (int i = 0; i < (int)ARRAY_SIZE(table); i++) table[i][1] += i;
  for (int i = 0; i < (int)ARRAY_SIZE(local); i++) {
    int copy[4][5];
    for (int j = 0; j < (int)ARRAY_SIZE(copy); j++)
      for (size_t k = 0; k < sizeof copy[0] / sizeof copy[0][0]; k++) copy[j][k] = i + j + (int)k;
    local[i] = copy[3][4] + sizeof(copy) + sizeof copy / sizeof(int) + sizeof *copy;
    local[i] += ARRAY_SIZE(wide) + ARRAY_SIZE(lines) + sizeof(float) + sizeof((char)i);
    local[i] += sizeof(x + 1.0) / sizeof(x + 1.0f);
  }
  for (size_t i = 0; i < sizeof(bytes); i++) bytes[i] = (char)i;
#pragma endscop
  double total = wide[0] + (lines[0] != NULL);
  for (int i = 0; i < 100; i++) total += a[i];
  for (int i = 0; i < 63; i++) total += g[i / 9][i % 9] * i;
  for (int i = 0; i < 12; i++) total += points[i].x;
  for (int i = 0; i < 9; i++) total += sum[i];
  for (int i = 0; i < 6; i++) total += table[i / 2][i % 2];
  for (int i = 0; i < 30; i++) total += local[i];
  for (int i = 0; i < 11; i++) total += bytes[i];
  printf("%.17g %d\n", total, (int)sizeof bytes);
  return 0;
}
