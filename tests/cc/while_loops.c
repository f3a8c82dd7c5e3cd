/* Loops that go on as long as something holds: what can be parallel around them, and what cannot. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define N 20000
#define WIDTH 24

static int key[N], count[N], next[N];
static double x[N], y[N], rows[N][WIDTH];

static void escapes(unsigned char *restrict image, int width, int height, double step, int most) {
  for (int py = 0; py < height; py++) {
    for (int px = 0; px < width; px++) {
      double cx = px * step - 2, cy = py * step - 1;
      double re = 0, im = 0;
      int n = 0;
      while (re * re + im * im <= 4.0 && n < most) {
        double next_re = re * re - im * im + cx;
        im = 2 * re * im + cy;
        re = next_re;
        n++;
      }
      image[py * width + px] = (unsigned char)n;
    }
  }
}

static void collatz(long n) {
  for (long i = 0; i < n; i++) {
    long value = i + 1;
    int steps = 0;
    while (value != 1) {
      if (value % 2 == 0)
        value /= 2;
      else
        value = 3 * value + 1;
      ++steps;
    }
    count[i] = steps;
  }
}

/* The body runs once at least. */
static void roots(int n, const double *restrict a, double *restrict r) {
  for (int i = 0; i < n; i++) {
    double guess = a[i] + 1, last;
    do {
      last = guess;
      guess = 0.5 * (last + a[i] / last);
    } while (fabs(guess - last) > 1e-9 * guess);
    r[i] = guess;
  }
}

/* What is read depends on what was read. */
static void search(int n, const int *restrict sorted, const double *restrict wanted,
                   int *restrict at) {
  for (int i = 0; i < n; i++) {
    int low = 0, high = n;
    while (low < high) {
      int middle = (low + high) / 2;
      if (sorted[middle] < wanted[i])
        low = middle + 1;
      else
        high = middle;
    }
    at[i] = low;
  }
}

/* A test that must come before a read, and writes to one row. */
static void sort_rows(int n) {
  for (int i = 0; i < n; i++) {
    for (int j = 1; j < WIDTH; j++) {
      double own = rows[i][j];
      int k = j - 1;
      while (k >= 0 && rows[i][k] > own) {
        rows[i][k + 1] = rows[i][k];
        k = k - 1;
      }
      rows[i][k + 1] = own;
    }
  }
}

static void chains(int n) {
  for (int i = 0; i < n; i++) {
    int j = i, length = 0;
    while (next[j] >= 0) {
      for (int k = 0; k < 3; k++)
        length += k;
      j = next[j];
      int digits = j;
      while (digits > 0) {
        digits /= 10;
        length++;
      }
    }
    count[i] = length;
  }
}

/* The same as `escapes`, with break. */
static void escapes_in_time(unsigned char *restrict image, int width, int height, double step,
                            int most) {
  for (int py = 0; py < height; py++)
    for (int px = 0; px < width; px++) {
      double cx = px * step - 2, cy = py * step - 1, re = 0, im = 0;
      int n;
      for (n = 0; n < most; n++) {
        double re2 = re * re, im2 = im * im;
        if (re2 + im2 > 4.0)
          break;
        im = 2 * re * im + cy;
        re = re2 - im2 + cx;
      }
      image[py * width + px] = (unsigned char)n;
    }
}

static int escape(double cx, double cy, int most) {
  double re = 0, im = 0;
  for (int n = 0; n < most; n++) {
    double next_re = re * re - im * im + cx;
    if (re * re + im * im > 4.0)
      return n;
    im = 2 * re * im + cy;
    re = next_re;
  }
  return most;
}

static void escapes_called(unsigned char *image, int width, int height, int most) {
  for (int py = 0; py < height; py++)
    for (int px = 0; px < width; px++)
      image[py * width + px] =
          (unsigned char)escape(px * 3.0 / width - 2, py * 2.0 / height - 1, most);
}

static void find(int n, int m) {
  for (int i = 0; i < n; i++) {
    int at = -1;
    for (int k = i % 64; k < m; k++) {
      if (key[k] % 2)
        continue;
      if (key[k] > i / 8) {
        at = k;
        break;
      }
    }
    count[i] = at;
  }
}

static void back(int n) {
  for (int i = 0; i < n; i++) {
    int k = i, kept = 0;
    while (1) {
      if (next[k] < 0)
        break;
      k = next[k];
      if (k % 3 == 0)
        continue;
      kept++;
    }
    count[i] = kept;
  }
}

static void primes(int n) {
  for (int i = 2; i < n; i++) {
    int is_prime = 1;
    for (int d = 2; d * d <= i; d++)
      if (i % d == 0) {
        is_prime = 0;
        break;
      }
    count[i] = is_prime;
  }
}

static void halvings(int n) {
  for (int i = 0; i < n; i++) {
    double value = x[i];
    int k = 20;
    do {
      value *= 0.5;
      if (value < 0.01)
        break;
      k--;
    } while (k > 0);
    y[i] = value + k;
  }
}

static void countdowns(int n) {
  for (int i = 0; i < n; i++) {
    int k = i % 50, sum = 0;
    while (k-- > 0)
      sum += k;
    count[i] = sum;
  }
}

/* Headers that do not count. */
static void lists(int n) {
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int k = count[i]; k >= 0; k = next[k]) {
      if (x[k] > 70)
        continue;
      sum += x[k];
    }
    y[i] = sum;
  }
}

static void bits(int n) {
  for (int i = 0; i < n; i++) {
    int ones = 0;
    for (int rest = i; rest > 0; rest /= 2)
      ones += rest % 2;
    count[i] = ones;
  }
}

static void quadratures(int n) {
  for (int i = 0; i < n; i++) {
    double sum = 0, t;
    for (t = 0.125; t < x[i]; t += 0.5, sum += 1)
      sum += t * t;
    y[i] = sum + t;
  }
}

/* Each element needs the one before. */
static void decays(int n) {
  for (int i = 1; i < n; i++) {
    double value = y[i - 1] + x[i];
    while (value > 1)
      value *= 0.5;
    y[i] = value;
  }
}

static void scatter(int n) {
  for (int i = 0; i < n; i++) {
    int j = i;
    while (next[j] >= 0)
      j = next[j];
    y[j] += x[i];
  }
}

static void print(const char *title) {
  double sum = 0;
  for (int i = 0; i < N; i++) {
    sum = sum * 0.75 + x[i] + 3 * y[i] + count[i] + key[i];
    for (int j = 0; j < WIDTH; j++)
      sum = sum * 0.875 + rows[i][j];
  }
  printf("%s %.17g\n", title, sum);
}

static unsigned char image[200 * 100];

static void print_image(const char *title) {
  unsigned sum = 0;
  for (int i = 0; i < 200 * 100; i++)
    sum = 31 * sum + image[i];
  printf("%s %u\n", title, sum);
}

int main(void) {
  for (int i = 0; i < N; i++) {
    key[i] = 3 * i;
    next[i] = i % 7 == 0 ? -1 : i - 1;
    x[i] = i * 37 % 101 + 0.5;
    for (int j = 0; j < WIDTH; j++)
      rows[i][j] = (i * 7 + j * 11) % 23;
  }
  escapes(image, 200, 100, 0.02, 100), print_image("escapes");
  escapes_in_time(image, 200, 100, 0.015, 80), print_image("escapes in time");
  escapes_called(image, 200, 100, 90), print_image("escapes called");
  collatz(N), print("collatz");
  roots(N, x, y), print("roots");
  search(N, key, x, count), print("search");
  sort_rows(N), print("sort rows");
  chains(N), print("chains");
  find(N, N), print("find");
  back(N), print("back");
  primes(N), print("primes");
  halvings(N), print("halvings");
  countdowns(N), print("countdowns");
  lists(N), print("lists");
  bits(N), print("bits");
  quadratures(N), print("quadratures");
  decays(N), print("decays");
  scatter(N), print("scatter");
}
