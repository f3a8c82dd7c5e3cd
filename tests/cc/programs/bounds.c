/* Bounds in memory, conditions below conditions on data, and names that are macros. */
#include <stdio.h>

struct sizes {
  int count, each[3];
};
static struct sizes all = {9, {4, 5, 6}};
static int size[3] = {3, 8, 2};
static struct { double first[10], second[10]; } both;
#define a both.first
#define b both.second
#define ti both.first[0]

static void bounds(const int *n, struct sizes *p, int k) {
#pragma scop
  for (int i = 0; i < *n; i++)
    a[i] += i;
  for (int i = 0; i < size[1] && i < size[0] * 2; i++)
    for (int j = 0; j < p->each[2]; j++)
      b[i] += a[j] * 0.5;
  for (int i = 0; i < p->each[k]; i++)
    a[i] -= b[i];
#pragma endscop
}

static void conditions(int n, int m) {
#pragma scop
  if ((1 < 2) < 3)
    a[0] += 1;
  for (int i = 0; i < n; i++)
    if (a[i] > b[i]) {
      if (m > i)
        b[i] = a[i] + 1;
      else if (i % 2 == 0 && a[i] > 3)
        b[i] = 3;
    } else if (m == 3)
      a[i] = b[i] - 1;
#pragma endscop
}

int main(void) {
  int n = 7;
  for (int i = 0; i < 10; i++) {
    a[i] = i * 7 % 5;
    b[i] = i * 5 % 7;
  }
  bounds(&n, &all, 1);
  for (int m = 0; m < 6; m++)
    conditions(10, m);
  for (int i = 0; i < 10; i++)
    printf("%.17g %.17g\n", a[i], b[i]);
  return 0;
}
