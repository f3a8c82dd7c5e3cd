// Arrays that each iteration overwrites, wherever they are declared.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 400, M = 300, WIDEST = 1024 };

static void declared_around(int n, int m, const double *restrict a, double *restrict out) {
  double row[WIDEST];
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++) row[j] = sqrt(a[i * m + j]);
    for (int j = 1; j < m; j++) row[j] += 0.5 * row[j - 1];
    for (int j = 0; j < m; j++) out[i * m + j] = row[j] / row[m - 1];
  }
}

static void allocated_around(int n, int m, const double *restrict a, double *restrict out) {
  double *row = malloc(m * sizeof(double)), *more = calloc(m + 1, sizeof *more);
  if (row == NULL || !more) exit(1);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++) row[j] = sqrt(a[i * m + j]);
    more[m] = 1;
    for (int j = m - 1; j >= 0; j--) more[j] = more[j + 1] * 0.5 + row[j];
    for (int j = 0; j < m; j++) out[i * m + j] = more[j];
  }
  free(row);
  free(more);
}

static void of_variable_size(int n, int m, const double *restrict a, double *restrict out) {
  double row[m + 2][2];
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++) row[j][0] = sqrt(a[i * m + j]), row[j][1] = j;
    for (int j = 1; j < m; j++) row[j][0] += row[j - 1][0] * row[j][1];
    for (int j = 0; j < m; j++) out[i * m + j] = row[j][0];
  }
}

static void declared_inside(int n, int m, const double *restrict a, double *restrict out) {
  for (int i = 0; i < n; i++) {
    double row[m];
    for (int j = 0; j < m; j++) row[j] = sqrt(a[i * m + j]);
    for (int j = 1; j < m; j++) row[j] += 0.5 * row[j - 1];
    for (int j = 0; j < m; j++) out[i * m + j] = row[m - 1 - j];
  }
}

static void allocated_inside(int n, int m, const double *restrict a, double *restrict out) {
  for (int i = 0; i < n; i++) {
    double *row = (double *)malloc(sizeof(double) * (size_t)m);
    int sums_i = m;
    double *sums = calloc((size_t)sums_i, sizeof *sums);
    for (int j = 0; j < m; j++) row[j] = sqrt(a[i * m + j]);
    for (int j = 1; j < m; j++) sums[j / 2] += row[j] * row[j - 1];
    for (int j = 0; j < m; j++) out[i * m + j] = row[j] + sums[j];
    free(sums);
    free(row);
  }
}

static void thomas(int n, int m, const double *restrict a, double *restrict out) {
  double c[WIDEST];
  for (int i = 0; i < n; i++) {
    c[0] = 0.25;
    out[i * m] = a[i * m] * 0.25;
    for (int j = 1; j < m; j++) {
      double w = 1.0 / (4.0 - c[j - 1]);
      c[j] = w;
      out[i * m + j] = (a[i * m + j] + out[i * m + j - 1]) * w;
    }
    for (int j = m - 2; j >= 0; j--) out[i * m + j] += c[j] * out[i * m + j + 1];
  }
}

// Data says which elements are accessed; of all ranks, it is not known that they are written.
static void histograms(int n, int m, const unsigned char *restrict a, int *restrict out) {
  for (int i = 0; i < n; i++) {
    int count[256] = {0}, most = 0;
    for (int j = 0; j < m; j++) count[a[i * m + j]]++;
    for (int v = 0; v < 256; v++)
      if (count[v] > count[most]) most = v;
    out[i] = most;
  }
}

static void ranks(int n, int m, const unsigned char *restrict a, int *restrict out) {
  int before[16], place[WIDEST];
  for (int i = 0; i < n; i++) {
    for (int v = 0; v < 16; v++) before[v] = 0;
    for (int j = 0; j < m; j++) before[a[i * m + j] & 15]++;
    for (int v = 1; v < 16; v++) before[v] += before[v - 1];
    for (int j = m - 1; j >= 0; j--) {
      int key = a[i * m + j] & 15;
      before[key]--;
      place[before[key]] = j;
    }
    for (int j = 0; j < m; j++) out[i * m + j] = place[j];
  }
}

// Others may read what the last iterations leave in an array; data says what is left in bins.
static double shared[WIDEST], triangle[WIDEST];
static int bins[64];
static void of_file(int n, int m, const double *restrict a, double *restrict out) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++) shared[j] = sqrt(a[i * m + j]);
    for (int j = 1; j < m; j++) shared[j] += 0.5 * shared[j - 1];
    for (int j = 0; j < m; j++) out[i * m + j] = shared[j] / shared[m - 1];
  }
}

static void as_parameter(int n, int m, double *c, double *d, double *u) {
  for (int i = 0; i < n; i++) {
    c[0] = 0, d[0] = u[i * m];
    for (int j = 1; j < m - 1; j++) {
      double w = 1 / (1.5 - 0.25 * c[j - 1]);
      c[j] = 0.25 * w;
      d[j] = (u[i * m + j] + 0.25 * d[j - 1]) * w;
    }
    for (int j = m - 2; j > 0; j--) u[i * m + j] = d[j] + c[j] * u[i * m + j + 1];
  }
}

static void shorter_each_time(int n, const double *restrict a, double *restrict out) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n - i; j++) triangle[j] = a[i * n + j] * 0.5;
    for (int j = 0; j < n - i; j++) out[i * n + j] = triangle[n - i - 1 - j];
  }
}

static void counted(int n, int m, const unsigned char *restrict a, int *restrict out) {
  for (int i = 0; i < n; i++) {
    for (int v = 0; v < 64; v++) bins[v] = 0;
    for (int j = 0; j < m; j++) bins[a[i * m + j] & 63]++;
    for (int v = 0; v < 64; v++) out[i * 64 + v] = bins[v];
  }
}

// What follows reads an element, or keeps the address.
static void read_after(int n, int m, const double *restrict a, double *restrict out) {
  double row[WIDEST];
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++) row[j] = sqrt(a[i * m + j]);
    for (int j = 1; j < m; j++) row[j] += 0.5 * row[j - 1];
    for (int j = 0; j < m; j++) out[i * m + j] = row[j];
  }
  out[0] = row[1];
}

// An iteration reads what the one before has left, or what there was before all of them.
static void carried(int n, int m, const double *restrict a, double *restrict out) {
  double row[WIDEST];
  for (int j = 0; j < m; j++) row[j] = j;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++) out[i * m + j] = row[j] + a[i * m + j];
    for (int j = 1; j < m; j++) row[j] = 0.5 * row[j - 1] + a[i * m + j];
  }
}

static void fill(double *v, long n) {
  for (long i = 0; i < n; i++) v[i] = rand() % 1000 * 0.01;
}
static long total(const int *v, long n) {
  unsigned s = 0;
  for (long i = 0; i < n; i++) s = s * 31 + v[i];
  return s;
}
static void print(const char *name, const double *v, long n) {
  double s = 0;
  for (long i = 0; i < n; i++) s = s * 0.999 + v[i];
  printf("%s %.15g\n", name, s);
}

int main(void) {
  double *a = malloc(N * M * sizeof *a), *out = malloc(N * M * sizeof *out);
  srand(1);
  fill(a, N * M);
  declared_around(N, M, a, out), print("declared_around", out, N * M);
  allocated_around(N, M, a, out), print("allocated_around", out, N * M);
  of_variable_size(N, M, a, out), print("of_variable_size", out, N * M);
  declared_inside(N, M, a, out), print("declared_inside", out, N * M);
  allocated_inside(N, M, a, out), print("allocated_inside", out, N * M);
  thomas(N, M, a, out), print("thomas", out, N * M);
  read_after(N, M, a, out), print("read_after", out, N * M);
  carried(N, M, a, out), print("carried", out, N * M);
  unsigned char *bytes = (unsigned char *)a;
  for (int i = 0; i < N * M; i++) bytes[i] = rand() % 251;
  int *numbers = calloc(N * M, sizeof *numbers);
  histograms(N, M, bytes, numbers), printf("histograms %ld\n", total(numbers, N));
  ranks(N, M, bytes, numbers), printf("ranks %ld\n", total(numbers, N * M));
  unsigned char *others = malloc(N * M);
  memcpy(others, bytes, N * M);
  fill(a, N * M);
  of_file(N, M, a, out), print("of_file", out, N * M), print("of_file", shared, WIDEST);
  double c[WIDEST] = {1}, d[WIDEST] = {2};
  for (int n = N; n >= 0; n -= 133) {
    as_parameter(n, M, c, d, a);
    print("as_parameter", a, N * M), print("c", c, WIDEST), print("d", d, WIDEST);
  }
  as_parameter(60, 80, a + 40, d, a), print("overlapping", a, N * M);
  fill(a, N * M);
  shorter_each_time(M, a, out), print("shorter", out, M * M), print("triangle", triangle, M);
  counted(N, M, others, numbers), printf("counted %ld %ld\n", total(numbers, N * M), total(bins, 64));
  free(numbers);
  free(others);
  free(a);
  free(out);
  return 0;
}
