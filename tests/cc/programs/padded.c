/* Rows in flat arrays whose length is a sum, a multiple or a part: images with borders, filters of
   some radius, channels, and images of half the size. */
#include <stddef.h>
#include <stdio.h>

#define SIZE 6000
#define AT(image, y, x) image->data[(y) * (image->width + 2 * image->border) + (x)]
struct image { float *data; int width, height, border; };
static double a1[SIZE], a2[SIZE], a3[SIZE];
static float f1[SIZE], f2[SIZE];

static void set(void) {
  for (int k = 0; k < SIZE; k++) {
    a1[k] = k % 7 - 3 + k % 11 * 0.25;
    a2[k] = k % 5 * 0.5;
    a3[k] = k % 3 - 1;
    f1[k] = k % 9 - 4;
    f2[k] = k % 4 * 0.5f;
  }
}

static void print(const char *title) {
  double sum = 0;
  for (int k = 0; k < SIZE; k++)
    sum = sum * (k % 8 ? 0.75 : 7.5) + a1[k] + a2[k] * 3 + a3[k] * 5 + f1[k] * 7 + f2[k];
  printf("%s %.17g\n", title, sum);
}

static void convolution(int n, int m, double *restrict out, const double *restrict in,
                        const double *restrict w) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      double s = 0;
      for (int u = 0; u < 3; u++)
        for (int v = 0; v < 3; v++)
          s += in[(i + u) * (m + 2) + j + v] * w[u * 3 + v];
      out[i * m + j] = s;
    }
#pragma endscop
}

static void radius(int n, int m, int r, double *restrict out, const double *restrict in,
                   const double *restrict w) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      out[i * m + j] = 0;
      for (int u = -r; u <= r; u++)
        for (int v = -r; v <= r; v++)
          out[i * m + j] += in[(i + u + r) * (m + 2 * r) + j + v + r]
                            * w[(u + r) * (2 * r + 1) + v + r];
    }
#pragma endscop
}

static void volume(size_t n, size_t m, size_t k, double *restrict out, const double *restrict in) {
#pragma scop
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < m; j++)
      for (size_t l = 0; l < k; l++)
        out[(i * m + j) * k + l] = in[((i + 1) * (m + 2) + j + 1) * (k + 2) + l + 1]
                                   - 0.25 * in[(i * (m + 2) + j + 1) * (k + 2) + l + 1]
                                   - 0.25 * in[((i + 2) * (m + 2) + j + 1) * (k + 2) + l + 2];
#pragma endscop
}

static void rows(struct image *from, struct image *to) {
#pragma scop
  for (int y = 0; y < from->height; y++)
    for (int x = 0; x < from->width; x++)
      to->data[y * to->width + x] = AT(from, y, x) + 0.5f * AT(from, y, x + 2 * from->border);
#pragma endscop
}

static void mirrored(int n, int m, double *restrict out, const double *restrict in) {
  int length = m + 4;
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      out[i * length + m - 1 - j] = in[(i + 1) * (m + 4) + j] * 2 - in[i * (m + 4) + m + 3 - j];
#pragma endscop
}

static void in_place(int n, int m, double *a) {
#pragma scop
  for (int i = 1; i <= n; i++)
    for (int j = 1; j <= m; j++)
      a[i * (m + 2) + j] = 0.25 * (a[(i - 1) * (m + 2) + j] + a[(i + 1) * (m + 2) + j]
                                   + a[i * (m + 2) + j - 1] + a[i * (m + 2) + j + 1]);
#pragma endscop
}

static void channels(int h, int w, float *restrict out, const float *restrict in) {
#pragma scop
  for (int y = 1; y < h; y++)
    for (int x = 0; x < w; x++)
      for (int k = 0; k < 3; k++)
        out[(y * w + x) * 3 + k] = in[3 * (y * w + x) + k] - in[3 * ((y - 1) * w + x) + 2 - k];
#pragma endscop
}

static void halves(int h, int w, double *restrict out, const double *restrict in) {
#pragma scop
  for (int y = 0; y < h / 2; y++)
    for (int x = 0; x < w / 2; x++)
      out[y * (w / 2) + x] = in[2 * y * w + 2 * x] + in[(2 * y + 1) * w + 2 * x + 1];
#pragma endscop
}

static void twice(int h, int w, double *restrict out, const double *restrict in) {
#pragma scop
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w / 3; x++)
      out[y * (w / 3) + x] = in[2 * y * (2 * w) + 2 * x] + in[(2 * y + 1) * (2 * w) + 2 * x + 1];
#pragma endscop
}

/* Subscripts that leave their row: one dimension, or the next row. */
static void beyond(int n, int m, double *restrict out, const double *restrict in) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      out[i * (m + 1) + j] = in[i * (m + 1) + 2 * j] + in[(i + 1) * m + j];
#pragma endscop
}

static void overlapping(int n, int m, double *a) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      a[i * (m - 1) + j] += a[(i + 1) * (m - 1) + j + 1] * 0.5;
#pragma endscop
}

int main(void) {
  set();
  convolution(23, 37, a1, a2, a3);
  print("convolution");
  convolution(1, 1, a1, a2, a3);
  convolution(0, 5, a1, a2, a3);
  convolution(5, -7, a1, a2, a3);
  print("small convolution");
  for (int r = -1; r < 4; r++) {
    radius(11, 19, r, a1, a2, a3);
    print("radius");
  }
  volume(7, 9, 17, a1, a2);
  print("volume");
  volume(0, 9, 17, a1, a2);
  print("no volume");
  struct image from = {f1, 31, 20, 2}, to = {f2, 31, 20, 0};
  rows(&from, &to);
  print("rows");
  from.data += 700;
  from.border = -3;
  rows(&from, &to);
  print("negative border");
  mirrored(20, 33, a1, a2);
  print("mirrored");
  in_place(18, 21, a3);
  print("in place");
  channels(23, 31, f1, f2);
  print("channels");
  halves(21, 35, a1, a2);
  print("halves");
  halves(-3, -35, a1, a2);
  twice(11, 35, a1, a2);
  print("twice");
  beyond(13, 16, a1, a2);
  print("beyond");
  overlapping(14, 9, a1);
  print("overlapping");
  return 0;
}
