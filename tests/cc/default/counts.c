// What is added to integers in any order has the same sum.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 600, M = 900 };
static int a[N][M], b[M];
static uint8_t image[N][M];
static uint64_t edges[N][(N + 63) / 64];
static long out[8];

static void primes(int n) {
  int count = 0;
  for (int i = 2; i < n; i++) {
    int prime = 1;
    for (int j = 2; j * j <= i; j++)
      if (i % j == 0) {
        prime = 0;
        break;
      }
    if (prime) count++;
  }
  out[0] = count;
}

static void steps(long n) {
  long total = 0;
  int most = 0;
  for (long i = 1; i < n; i++) {
    long x = i;
    int own = 0;
    while (x != 1) {
      x = x % 2 ? 3 * x + 1 : x / 2;
      total++;
      own++;
    }
    if (own > most) most = own;
  }
  out[0] = total, out[1] = most;
}

static void moments(int h, int w, const uint8_t *pixels, int t) {
  long count = 0, sum = 0, sum_x = 0, sum_y = 0;
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++)
      if (pixels[y * w + x] > t) {
        count++;
        sum += pixels[y * w + x];
        sum_x += x;
        sum_y -= y;
      }
  out[0] = count, out[1] = sum, out[2] = sum_x, out[3] = sum_y;
}

static void best_row(int n, int m) {
  int best = -1, least = 1 << 30;
  for (int i = 0; i < n; i++) {
    int s = 0;
    for (int j = 0; j < m; j++) s += a[i][j] * b[j];
    if (s > best) best = s;
    if (least >= s) least = s;
  }
  out[0] = best, out[1] = least;
}

static void checksum(int n, int m, const uint8_t *d) {
  unsigned x = 0;
  for (int i = 0; i < n; i++) {
    unsigned h = 2166136261u;
    for (int j = 0; j < m; j++) {
      h ^= d[i * m + j];
      h *= 16777619u;
    }
    x ^= h;
  }
  out[0] = x;
}

static void triangles(int n) {
  long found = 0;
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++)
      if (edges[i][j / 64] >> (j % 64) & 1)
        for (int w = 0; w < (N + 63) / 64; w++)
          found += __builtin_popcountll(edges[i][w] & edges[j][w]);
  out[0] = found;
}

static void inversions(int n, const int *values) {
  long count = 0;
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++)
      if (values[i] > values[j]) count++;
  out[0] = count;
}

static void random_bits(int n, int m) {
  long ones = 0;
  for (int i = 0; i < n; i++) {
    unsigned x = a[i][0];
    for (int j = 0; j < m; j++) {
      x = x * 1664525u + 1013904223u;
      ones += x >> 31;
    }
  }
  out[0] = ones;
}

// Of floating-point numbers, the order stays.
static void weights(int n, int m) {
  long count = 0;
  double sum = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      if (a[i][j] > 10) {
        count++;
        sum += a[i][j] * 0.1;
      }
  out[0] = count, out[1] = (long)(sum * 1e6);
}

static void print(const char *name) {
  printf("%s", name);
  for (int i = 0; i < 8; i++) printf(" %ld", out[i]);
  printf("\n");
  for (int i = 0; i < 8; i++) out[i] = 0;
}

int main(void) {
  srand(1);
  for (int j = 0; j < M; j++) b[j] = rand() % 7 - 3;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++) a[i][j] = rand() % 100, image[i][j] = rand();
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) edges[i][j / 64] |= (uint64_t)(rand() % 3 == 0) << j % 64;
  primes(20000), print("primes");
  steps(20000), print("steps");
  moments(N, M, &image[0][0], 100), print("moments");
  best_row(N, M), print("best_row");
  checksum(N, M, &image[0][0]), print("checksum");
  triangles(N), print("triangles");
  inversions(4000, &a[0][0]), print("inversions");
  random_bits(N, M), print("random_bits");
  weights(N, M), print("weights");
  return 0;
}
