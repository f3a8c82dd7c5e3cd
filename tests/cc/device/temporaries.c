/* Temporaries that are declared in loops, or around them and used in them only. */
#include <stdio.h>
#define N 60
static float p[N][N], q[N][N], out[N][N], k3[3][3], img[N * N], res[N * N], sorted[N * N];
static double sums[N];
static void conv3x3(const float *in, float *to, int h, int w, const float k[3][3]) {
#pragma scop
  for (int y = 1; y < h - 1; y++)
    for (int x = 1; x < w - 1; x++) {
      float s = 0.0f;
      for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
          s += k[dy + 1][dx + 1] * in[(y + dy) * w + (x + dx)];
      to[y * w + x] = s;
    }
#pragma endscop
}
static double a[N][N], b[N][N], low[N][N], norm[N], most[N];
static int where[N];
static void triangle(int n) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      double sum = 0, bound;
      for (int k = n - 1; k >= j; k--)
        sum += a[i][k] * b[k][j];
      bound = sum > 9 ? 9 : sum;
      low[i][j] = bound - sum * 0.5;
    }
#pragma endscop
}
static void two_sums(int n) {
#pragma scop
  for (int i = 0; i < n; i += 2) {
    double dot = 0, square = 1;
    for (int j = 0; j < n; j++) {
      dot += a[i][j] * b[j][i];
      square += a[i][j] * a[i][j];
    }
    norm[i] = dot / square;
  }
#pragma endscop
}
static void median(const float *restrict in, float *restrict out, int h, int w) {
#pragma scop
  for (int y = 1; y < h - 1; y++)
    for (int x = 0; x < w; x++) {
      float p = in[(y - 1) * w + x], q = in[y * w + x], r = in[(y + 1) * w + x], t;
      if (p > q) { t = p; p = q; q = t; }
      if (q > r) { t = q; q = r; r = t; }
      if (p > q) { t = p; p = q; q = t; }
      out[y * w + x] = q;
    }
#pragma endscop
}
static void extrema(int n) {
#pragma scop
  for (int i = 0; i < n; i++) {
    double largest = a[i][0];
    int number = 0;
    for (int j = 1; j < n; j++)
      if (a[i][j] > largest) {
        largest = a[i][j];
        number++;
      }
    most[i] = largest;
    where[i] = number;
  }
#pragma endscop
}
int main(void) {
  for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) { p[i][j] = i % 7; q[i][j] = j % 5; img[i * N + j] = (i * j) % 11; }
  for (int i = 0; i < 9; i++) k3[i / 3][i % 3] = i;
  float best;
#pragma scop
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      float acc = 0;
      for (int k = 0; k < N; k++) acc += p[i][k] * q[k][j];
      out[i][j] = acc;
    }
#pragma endscop
#pragma scop
  for (int i = 0; i < N; i++) {
    double row[4];
    for (int c = 0; c < 4; c++) row[c] = 0;
    for (int j = 0; j < N; j++) row[j % 4] += out[i][j];
    sums[i] = row[0] * row[1] - row[2] * row[3];
  }
#pragma endscop
#pragma scop
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      best = p[i][j];
      if (q[i][j] > best) best = q[i][j];
      float twice = best * 2, sum;
      sum = twice + 1;
      p[i][j] = sum;
    }
#pragma endscop
  conv3x3(img, res, N, N, (const float (*)[3])k3);
  for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) { a[i][j] = i * j % 13; b[i][j] = (i + 3 * j) % 7; }
  triangle(N); triangle(0); two_sums(N - 1); extrema(N); extrema(1); median(img, sorted, N, N - 1); median(img, sorted, 2, 0);
  for (int i = 0; i < N; i++)
    printf("%.17g %.17g %.17g %d %g\n", low[i][i / 2], norm[i], most[i], where[i], sorted[i * 30 + 7]);
  for (int i = 0; i < N; i++) printf("%g %g %g %g\n", out[i][3], sums[i], p[i][i], res[i * N + i]);
  return 0;
}
