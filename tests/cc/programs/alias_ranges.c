/* Ranges of elements in pieces: each function is called with two pointers at all distances. */
#include <stdio.h>
static double buffer[1200];
static int clampi(int v, int lo, int hi) { return v < lo ? lo : (v > hi ? hi : v); }

static void first_apart(int n, double *y, double *r) {
#pragma scop
  y[0] = -r[0];
  for (int k = 1; k < n; k++)
    y[k] = r[k] + y[k - 1];
#pragma endscop
}
static void last_apart(int n, double *y, double *r) {
#pragma scop
  for (int k = 0; k < n - 1; k++)
    y[k] = r[k];
  y[n + 3] = r[n + 2] * 2;
#pragma endscop
}
static void guarded(int n, int k, double *y, double *r) {
#pragma scop
  if (k > 2)
    y[n] = 1;
  for (int i = 0; i < n; i++) {
    y[i] += r[i];
    if (k > 5)
      y[i + k] += r[i + 1];
  }
#pragma endscop
}
static void two_loops(int n, int m, double *y, double *r) {
#pragma scop
  for (int i = 0; i < n; i++)
    y[i] = r[i + 1];
  for (int i = 3; i < m; i++)
    y[i] += r[2 * i];
#pragma endscop
}
static void maybe_empty(int n, int m, int l, double *y, double *r) {
#pragma scop
  for (int i = 2; i < n; i++)
    y[i] = r[i];
  for (int i = 20; i < m; i++)
    y[i] += r[i - 1];
  for (int i = 5; i < l; i++)
    y[2 * i] += r[40 - i];
#pragma endscop
}
static void clamped(int n, double *y, double *r) {
#pragma scop
  for (int i = 0; i < n; i++)
    y[i] = r[clampi(i - 1, 0, n - 1)] + r[clampi(i + 2, 0, n - 1)];
#pragma endscop
}
static void clamped_image(int h, int w, double *y, double *r) {
#pragma scop
  for (int i = 0; i < h; i++)
    for (int j = 0; j < w; j++)
      y[i * w + j] = r[clampi(i - 1, 0, h - 1) * w + clampi(j + 1, 0, w - 1)]
                     + r[clampi(i + 1, 0, h - 1) * w + clampi(j - 1, 0, w - 1)];
#pragma endscop
}
static void written_border(int n, double *y, double *r) {
#pragma scop
  for (int i = 0; i < n; i++)
    y[i == 0 ? 0 : i - 1] += r[i == n - 1 ? n - 1 : i + 1];
#pragma endscop
}
static void strided(int n, double *y, double *r) {
#pragma scop
  for (int i = 1; i < n; i += 3)
    y[2 * i] = r[3 * i - 1];
  for (int i = n - 1; i > 4; i -= 2)
    y[i] += r[i + 1];
#pragma endscop
}
static void only_read(int n, double *y, double *r, double *s, double *t) {
#pragma scop
  for (int i = 0; i < n; i++)
    y[i] = r[i] + s[2 * i] * t[i];
#pragma endscop
}
static void beside_others(int n, double *y, double *r, const int *which) {
#pragma scop
  y[n] = r[0] + which[0];
  for (int i = 0; i < n; i++)
    y[i] = r[which[1] + i];
#pragma endscop
}
static void seldom(int n, int k, double *y, double *r, double *s) {
#pragma scop
  for (int i = 0; i < n; i++) {
    y[i] = r[i];
    if (k == 3)
      y[i] += s[i];
  }
#pragma endscop
}
static void rows(int n, double (*y)[20], double *r) {
#pragma scop
  for (int j = 0; j < 20; j++)
    y[0][j] = r[j];
  for (int i = 1; i < n; i++)
    for (int j = 0; j < i; j++)
      y[i][j] = y[i - 1][j] + r[i];
#pragma endscop
}
static void tested_twice(int n, double *y, double *r) {
#pragma scop
  for (int i = 0; i < n; i++)
    y[i] = r[i > 2 && i < n - 3 ? i + 3 : 2 * i] + (i == 5 || i == 7 ? i - 5 : i) * 0.5;
#pragma endscop
}
static void params(int lo, int hi, double *y, double *r) {
#pragma scop
  for (int i = 0; i < 20; i++)
    y[i] = r[clampi(i, lo, hi)];
#pragma endscop
}
static void periodic(int n, double *y, double *r) {
#pragma scop
  for (int i = 0; i < n; i++)
    y[i] = r[i == 0 ? n - 1 : i - 1];
#pragma endscop
}

static double *y, *r;
static void begin(int distance) {
  for (int i = 0; i < 1200; i++)
    buffer[i] = i * 7 % 31 - 3;
  r = buffer + 400;
  y = r + distance;
}
static double total;
static void end(void) {
  for (int i = 0; i < 1200; i++)
    total += buffer[i] * (i % 97 + 1);
}

#define AT_ALL_DISTANCES(call)                                \
  total = 0;                                                  \
  for (int distance = -90; distance <= 90; distance++)        \
    begin(distance), call, end();                             \
  printf("%s %.17g\n", #call, total)

int main(void) {
  int which[2] = {3, 5};
  AT_ALL_DISTANCES(first_apart(21, y, r));
  AT_ALL_DISTANCES(first_apart(0, y, r));
  AT_ALL_DISTANCES(last_apart(19, y, r));
  AT_ALL_DISTANCES(last_apart(1, y, r));
  AT_ALL_DISTANCES(guarded(14, 7, y, r));
  AT_ALL_DISTANCES(guarded(14, 4, y, r));
  AT_ALL_DISTANCES(guarded(0, 9, y, r));
  AT_ALL_DISTANCES(guarded(9, 1, y, r));
  AT_ALL_DISTANCES(two_loops(20, 9, y, r));
  AT_ALL_DISTANCES(two_loops(0, 15, y, r));
  AT_ALL_DISTANCES(two_loops(9, 0, y, r));
  AT_ALL_DISTANCES(maybe_empty(20, 30, 12, y, r));
  AT_ALL_DISTANCES(maybe_empty(0, 30, 0, y, r));
  AT_ALL_DISTANCES(maybe_empty(0, 0, 20, y, r));
  AT_ALL_DISTANCES(maybe_empty(0, 0, 0, y, r));
  AT_ALL_DISTANCES(clamped(17, y, r));
  AT_ALL_DISTANCES(clamped(1, y, r));
  AT_ALL_DISTANCES(clamped_image(5, 7, y, r));
  AT_ALL_DISTANCES(clamped_image(1, 6, y, r));
  AT_ALL_DISTANCES(written_border(18, y, r));
  AT_ALL_DISTANCES(written_border(1, y, r));
  AT_ALL_DISTANCES(strided(22, y, r));
  AT_ALL_DISTANCES(strided(1, y, r));
  AT_ALL_DISTANCES(only_read(17, y, r, r + 3, buffer));
  AT_ALL_DISTANCES(beside_others(17, y, r, which));
  AT_ALL_DISTANCES(seldom(16, 3, y, r, buffer + 410));
  AT_ALL_DISTANCES(seldom(16, 2, y, buffer, r));
  AT_ALL_DISTANCES(rows(4, (double (*)[20])y, r));
  AT_ALL_DISTANCES(rows(0, (double (*)[20])y, r));
  AT_ALL_DISTANCES(tested_twice(15, y, r));
  AT_ALL_DISTANCES(params(3, 14, y, r));
  AT_ALL_DISTANCES(params(14, 3, y, r));
  AT_ALL_DISTANCES(periodic(15, y, r));
  AT_ALL_DISTANCES(periodic(0, y, r));
  first_apart(1, buffer, buffer + 9), clamped(0, NULL, NULL), periodic(-3, NULL, NULL);
  two_loops(0, 3, NULL, NULL), only_read(0, NULL, NULL, NULL, NULL);
  seldom(5, 2, buffer, buffer + 9, NULL);
  return 0;
}
