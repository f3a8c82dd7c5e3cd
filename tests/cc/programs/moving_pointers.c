/* Pointers that a region moves: they are arrays, and counters are their subscripts. */
#include <stdio.h>
#include <stddef.h>
#define SIZE 4000
struct point { double x, y; };
static double a[SIZE], b[SIZE], c[SIZE];
static struct point points[SIZE];
static long last[20];
static void print(const char *t) {
  double s = 0;
  for (int k = 0; k < SIZE; k++) s = s * (k % 8 ? 0.75 : 7.5) + a[k] + 3 * b[k] + 5 * c[k] + points[k].x;
  printf("%s %.17g", t, s);
  for (int k = 0; k < 20; k++) printf(" %ld", last[k]);
  printf("\n");
}
static void copy(int n, double *to, const double *from) {
  double *start = to;
#pragma scop
  for (int i = 0; i < n; i++)
    *to++ = *from++ * 2;
#pragma endscop
  last[0] = to - start;
}
static void nest(int n, int m, double *restrict p, const double *restrict q) {
#pragma scop
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++) {
      *p = *p * 0.5 + q[j];
      p++;
    }
    q += m;
  }
#pragma endscop
}
static void row(int n, int m, double *x) {
#pragma scop
  for (int i = 0; i < n; i++) {
    double *r = x + i * m;
    const double *s = &b[i];
    for (int j = 0; j < m; j++)
      *r++ += *s++ + c[j];
  }
#pragma endscop
}
static void bounds(int n) {
  double *p;
#pragma scop
  for (p = a; p < a + n; p++)
    *p += 1;
  for (p = &a[n - 1]; p >= a; --p)
    *p *= 0.5;
  for (double *q = b; q != b + n; q++)
    *q = q[1];
#pragma endscop
  last[1] = p - a;
}
static void member(int n, struct point *p) {
#pragma scop
  for (int i = 0; i < n; i++) {
    p->x = p->y * 0.5 + i;
    (*p).y += p[1].x;
    p++;
  }
#pragma endscop
}
static double *place = a;
static void global(int n) {
#pragma scop
  for (int i = 0; i < n; i++) {
    *place = i;
    place += 3;
    place[-1] = *(place - 3) + *(1 + place);
  }
#pragma endscop
  last[2] = place - a;
}
static void rows(int n, double (*p)[20]) {
#pragma scop
  for (int i = 0; i < n; i++, p++)
    for (int j = 0; j < 20; j++)
      (*p)[j] += p[1][j] * 0.5;
#pragma endscop
}
static void backwards(int n, double *p) {
  p += n;
#pragma scop
  for (int i = 0; i < n; i++)
    *--p += i;
#pragma endscop
  last[3] = p - a;
}
static void image(int w, int h, int stride, unsigned char *img) {
  unsigned char *line = img;
#pragma scop
  for (int y = 0; y < h; y++) {
    unsigned char *px = line;
    for (int x = 0; x < w; x++) {
      px[0] = 255 - px[0];
      px[1] = px[2] / 2;
      px += 3;
    }
    line += stride;
  }
#pragma endscop
}
static unsigned char img[4000];
int main(void) {
  for (int k = 0; k < SIZE; k++) { a[k] = k % 7; b[k] = k % 5; c[k] = k % 3 - 1; points[k].x = k % 9; points[k].y = 3; img[k] = k; }
  for (int n = 0; n < 24; n += 23) {
    copy(n, a, b); print("copy");
    copy(n, a + 3, a); print("copy overlapping");
    nest(n, 10, a, c); nest(n, 0, a, c); print("nest");
    row(n, 10, a); row(n, -1, a); print("row");
    bounds(n); print("bounds");
    member(n, points); print("member");
    global(n); print("global");
    rows(n, (double (*)[20])a); print("rows");
    backwards(n, a); print("backwards");
    image(5, n, 17, img); image(9, n, 17, img);
    for (int k = 0; k < 1000; k++) a[k] += img[k];
    print("image");
  }
}
