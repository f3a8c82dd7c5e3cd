// Neighbours that tables name, borders that clamp or wrap, and arrays with initialisers.
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 300, M = 250 };
typedef struct { double f[9]; } Cell;

static const int dx[] = {1, 0, -1, 0}, dy[4] = {0, 1, 0, -1};
static const signed char knight[8][2] = {{1, 2},  {2, 1},  {-1, 2},  {-2, 1},
                                         {1, -2}, {2, -1}, {-1, -2}, {-2, -1}};
static const int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
static const double weight[9] = {4.0 / 9, 1.0 / 9, 1.0 / 9, 1.0 / 9, 1.0 / 9, [6] = 1.0 / 36};
int changed[3] = {-1, 0, 1};

static void neighbours(int n, int m, double a[n][m], double b[n][m]) {
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < m - 1; j++) {
      double s = 0;
      for (int d = 0; d < 4; d++) s += a[i + dx[d]][j + dy[d]];
      b[i][j] = 0.25 * s;
    }
}

static void moves(int n, int m, const int *g, int *out) {
  int i, j, k;
  for (i = 0; i < n; ++i)
    for (j = 0; j < m; ++j) {
      int found = 0;
      for (k = 0; k < (int)(sizeof knight / sizeof knight[0]); ++k) {
        const int r = i + knight[k][0], c = j + knight[k][1];
        if (r < 0 || r >= n) continue;
        if (c < 0 || c >= m) continue;
        found += g[r * m + c] & 7;
      }
      out[i * m + j] = found + k;
    }
}

static void collide(int nx, int ny, const Cell *src, Cell *dst, double omega) {
  for (int y = 0; y < ny; y++)
    for (int x = 0; x < nx; x++) {
      const Cell *c = &src[y * nx + x];
      double rho = 0, ux = 0, uy = 0;
      for (int q = 0; q < 9; q++) {
        rho += c->f[q];
        ux += cx[q] * c->f[q];
        uy += cy[q] * c->f[q];
      }
      for (int q = 0; q < 9; q++) {
        double e = weight[q] * (rho + cx[q] * ux + cy[q] * uy);
        int to_x = (x + cx[q] + nx) % nx, to_y = (y + cy[q] + ny) % ny;
        dst[to_y * nx + to_x].f[q] = c->f[q] + omega * (e - c->f[q]);
      }
    }
}

static void stream(int n, int m, double a[n][m], double b[n][m]) {
  int sx[3] = {0, 1, -1}, sy[] = {1, -1, 0};
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      b[i][j] = 0;
      for (int k = 2; k >= 0; k--) {
        int p = i - sx[k], q = j - sy[k];
        if (p < 0) p += n;
        else if (p >= n) p -= n;
        if (q < 0) q = m - 1;
        if (q == m) q = 0;
        b[i][j] += a[p][q] * (k + 1);
      }
    }
}

static int clamped(int v, int low, int high) { return v < low ? low : v > high ? high : v; }
static void borders(int h, int w, const unsigned char *in, unsigned char *out) {
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      int s = 0;
      for (int i = -1; i <= 1; i++)
        for (int j = -1; j <= 1; j++)
          s += in[clamped(y + i, 0, h - 1) * w + clamped(x + j, 0, w - 1)];
      int left = x > 0 ? x - 1 : 0, right = x;
      if (right < w - 1) right++;
      out[y * w + x] = (s + in[y * w + left] - in[y * w + right]) / 9;
    }
}

static void colours(int h, int w, unsigned char (*in)[3], unsigned char (*out)[3]) {
  for (int y = 1; y < h - 1; y++)
    for (int x = 0; x < w; x++)
      for (int c = 0; c < 3; c++)
        out[y * w + x][c] = (in[(y - 1) * w + x][c] + in[(y + 1) * w + x][c]) / 2;
}

static void project(int n, const float *restrict p, float *restrict q, const float *restrict r) {
  for (int i = 0; i < n; i++) {
    float v[4] = {p[3 * i], p[3 * i + 1], p[3 * i + 2], 1.0f}, o[4] = {0};
    static const float scale[] = {1, 2, 0.5f, 1};
    for (int k = 0; k < 4; k++)
      for (int c = 0; c < 4; c++) o[k] += r[4 * k + c] * v[c] * scale[k];
    for (int k = 0; k < 3; k++) q[3 * i + k] = o[k] / o[3];
  }
}

// What the table holds is not known here: somebody else may change it.
static void steps_that_change(int n, int m, double a[n][m], double b[n][m]) {
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < m - 1; j++)
      for (int d = 0; d < 3; d++) b[i][j] += a[i][j + changed[d]];
}

// The function changes its table, or lends it.
static void borrow(int *steps) { steps[0] = 1; }
static void own_steps(int n, int m, double a[n][m], double b[n][m]) {
  int steps[2] = {-1, 1}, lent[2] = {-1, 1}, flat[2][2] = {1, 0, 0, 1};
  steps[1] = 0;
  borrow(lent);
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < m - 1; j++)
      for (int d = 0; d < 2; d++) b[i][j] += a[i][j + steps[d]] - a[i + lent[d]][j] * flat[d][1];
}

static double sum_of(const double *v, long n) {
  double s = 0;
  for (long i = 0; i < n; i++) s = s * 0.999 + v[i];
  return s;
}
static long total(const unsigned char *v, long n) {
  long s = 0;
  for (long i = 0; i < n; i++) s = s * 7 % 1000003 + v[i];
  return s;
}

int main(void) {
  double *a = malloc(9 * N * M * sizeof *a), *b = calloc(9 * N * M, sizeof *b);
  int *g = malloc(N * M * sizeof *g), *out = malloc(N * M * sizeof *out);
  unsigned char *bytes = malloc(3 * N * M), *more = calloc(3, N * M);
  float *p = malloc(3 * N * M * sizeof *p), *q = malloc(3 * N * M * sizeof *q), r[16];
  srand(3);
  for (long i = 0; i < 9L * N * M; i++) a[i] = rand() % 1000 * 0.01;
  for (long i = 0; i < N * M; i++) g[i] = rand() % 1000;
  for (long i = 0; i < 3L * N * M; i++) bytes[i] = rand();
  for (long i = 0; i < 3L * N * M; i++) p[i] = rand() % 100 * 0.25f;
  for (int i = 0; i < 16; i++) r[i] = rand() % 10 + 1;
  const int sizes[][2] = {{N, M}, {1, M}, {N, 1}, {2, 3}, {N - 1, 2}, {0, 5}};
  for (int k = 0; k < 6; k++) {
    int n = sizes[k][0], m = sizes[k][1];
    neighbours(n, m, (void *)a, (void *)b), printf("neighbours %.12g\n", sum_of(b, N * M));
    moves(n, m, g, out);
    for (long i = 0; i < (long)n * m; i++) b[i] = out[i];
    printf("moves %.12g\n", sum_of(b, N * M));
    collide(m, n, (Cell *)a, (Cell *)b, 0.6), printf("collide %.12g\n", sum_of(b, 9L * N * M));
    stream(n, m, (void *)a, (void *)b), printf("stream %.12g\n", sum_of(b, N * M));
    borders(n, m, bytes, more), printf("borders %ld\n", total(more, N * M));
    colours(n, m, (void *)bytes, (void *)more), printf("colours %ld\n", total(more, 3L * N * M));
    project(n * m, p, q, r);
    for (long i = 0; i < 3L * n * m; i++) b[i] = q[i];
    printf("project %.12g\n", sum_of(b, 3L * N * M));
    steps_that_change(n, m, (void *)a, (void *)b), printf("change %.12g\n", sum_of(b, N * M));
    own_steps(n, m, (void *)a, (void *)b), printf("own %.12g\n", sum_of(b, N * M));
    changed[k % 3] = k % 2;
  }
  free(a), free(b), free(g), free(out), free(bytes), free(more), free(p), free(q);
  return 0;
}
