/* Integers that the statements of loops step by constants, and loops that do not reset them. */
#include <stdio.h>
#include <stddef.h>
#define SIZE 4000
static double a[SIZE], b[SIZE], c[SIZE];
static int last[20];
static void print(const char *t) {
  double s = 0;
  for (int k = 0; k < SIZE; k++) s = s * (k % 8 ? 0.75 : 7.5) + a[k] + 3 * b[k] + 5 * c[k];
  printf("%s %.17g", t, s);
  for (int k = 0; k < 20; k++) printf(" %d", last[k]);
  printf("\n");
}
static void body(int n) {
  int pos = 3;
#pragma scop
  for (int i = 0; i < n; i++) {
    a[pos] = b[pos] * 0.5 + i;
    pos++;
    a[pos] += i;
    pos += 2;
  }
#pragma endscop
  last[0] = pos;
}
static void header(int n, int m) {
  int pos = 0, i, j;
#pragma scop
  for (i = 0; i < n; i++)
    for (j = 0; j < m; j++, pos++)
      a[pos] = b[pos] + c[i] * j;
#pragma endscop
  last[1] = pos;
}
static void several(int n) {
  int t = 0, u = n, v = 7;
#pragma scop
  for (int i = 0; i < n; i += 2) {
    a[t] = b[u];
    for (int j = 0; j < 5; j++) {
      c[v] += a[t] * j;
      v += 3;
      u--;
    }
    t += 2;
    u += 6;
  }
#pragma endscop
  last[2] = t; last[3] = u; last[4] = v;
}
static void reset(int n) {
  int pos;
#pragma scop
  for (int i = 0; i < n; i++) {
    pos = i;
    for (int j = 0; j < 10; j++) {
      a[pos] += b[i + 10 * j];
      pos += 20;
    }
  }
#pragma endscop
}
static void declared(int n, int m) {
#pragma scop
  int q = 5;
  for (int i = 0; i < n; i++) {
    int pos = 2 * i;
    for (int j = 0; j < m; j++) {
      a[pos] += b[q];
      pos++;
      q++;
    }
  }
#pragma endscop
}
static void triangle(int n) {
  int pos = 0;
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      a[pos] = b[pos] + i;
      pos++;
    }
#pragma endscop
  last[5] = pos;
}
static void branches(int n, int m) {
  int pos = 0, q = 1;
#pragma scop
  for (int i = 0; i < n; i++) {
    if (i < m) {
      a[pos] = i;
      pos++;
    } else {
      b[pos] = i;
      pos++;
    }
    if (c[i] > 2)
      q += 2;
    a[q] += 1;
  }
#pragma endscop
  last[6] = pos + q;
}
static void inside(int n) {
  int t = 0, u = 0;
#pragma scop
  for (int i = 0; i < n; i++) {
    c[t++] = a[i] * 2;
    c[t++] = b[u++];
    a[i] = b[++u];
    double x = b[u++];
    if (a[--t] > 1)
      a[t++] = x;
    else
      b[t++] = x;
  }
#pragma endscop
  last[7] = t; last[8] = u;
}
static void types(int n, short s, unsigned char ch, size_t z) {
  unsigned char x = 0;
  unsigned w = 4000000000u;
  long l = 4;
#pragma scop
  for (int i = 0; i < 70; i++) { a[x] += i; x += 4; }
  for (int i = 0; i < n; i++) { a[w - 4000000000u] += i; w++; }
  for (int i = 0; i < n; i++) { a[l] += s; l += 3; s++; }
  for (int i = 0; i < n; i++) { b[z] += ch; ch++; z += 2; }
#pragma endscop
  last[9] = s; last[10] = ch; last[11] = (int)z; last[12] = (int)(w + x); last[13] = (int)l;
}
static int counter;
static void global(int n) {
#pragma scop
  for (int i = 0; i < n; i++) {
    a[counter] = i;
    counter += 2;
  }
#pragma endscop
}
static void again(int n) {
  int pos = 0, k;
  for (k = 0; k < 3; k++) {
#pragma scop
    for (int i = 0; i < n; i++) {
      a[pos] = b[i] + k;
      pos++;
    }
#pragma endscop
  }
}
static void pair(int n, int m) {
  int p = 1, q = 2;
#pragma scop
  for (int i = 0; i < n; i++) { a[p] += b[q]; p += m; q++; }
  p = q + 3;
  q = p + n;
  a[p] = 1;
#pragma endscop
  last[14] = p; last[15] = q;
}
static void pack(int n, int m, int lda, const double *restrict x, double *restrict y) {
  int t = 0;
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      y[t++] = x[i * lda + j];
#pragma endscop
  last[16] = t;
}
int main(void) {
  for (int k = 0; k < SIZE; k++) { a[k] = k % 7; b[k] = k % 5; c[k] = k % 3 - 1; }
  for (int n = 0; n < 24; n += 23) {
    body(n); print("body");
    header(n, 11); header(n, 0); header(n, -3); print("header");
    several(n + 1); several(n); print("several");
    reset(n); print("reset");
    declared(n, 9); declared(n, 0); print("declared");
    triangle(n); print("triangle");
    branches(n, 5); print("branches");
    inside(n); print("inside");
    types(n, 5, 250, 9); print("types");
    global(n); last[17] = counter; print("global");
    again(n); print("again");
    pair(n, 3); print("pair");
    pack(n, 9, 12, a, c); pack(n, 9, 5, a, c); print("pack");
  }
}
