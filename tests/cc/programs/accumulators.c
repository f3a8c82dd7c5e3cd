/* Sums in variables, and what is stored of them. */
#include <math.h>
#include <stdio.h>

#define N 101
#define M 77
static double A[N][N], B[N][N], C[N][N], x[N], y[N], z[N];
static float F[M][N], G[M][N];

static void set(void) {
  for (int i = 0; i < N; i++) {
    x[i] = i % 5 - 2.25;
    y[i] = i % 7 * 0.5;
    z[i] = i % 3;
    for (int j = 0; j < N; j++) {
      A[i][j] = (i * 3 + j * 5) % 7 - 3 + 0.125 * (i % 3);
      B[i][j] = (i * 2 + j) % 5 * 0.25;
      C[i][j] = (i + j) % 9;
      if (i < M)
        F[i][j] = (i * j) % 11 - 5, G[i][j] = (i + 2 * j) % 13 * 0.25f;
    }
  }
}

static void print(const char *title) {
  double sum = 0;
  for (int i = 0; i < N; i++) {
    sum = sum * 0.75 + x[i] + 3 * y[i] + 5 * z[i];
    for (int j = 0; j < N; j++)
      sum = sum * 0.875 + A[i][j] + 5 * B[i][j] + 7 * C[i][j] + (i < M ? F[i][j] + 3 * G[i][j] : 0);
  }
  printf("%s %.17g\n", title, sum);
}

static void product(int n, int m, int k) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      double s = 0;
      for (int l = 0; l < k; l++)
        s += A[i][l] * B[l][j];
      C[i][j] = s;
    }
#pragma endscop
}

static void scaled(int n, int m, int k, double alpha, double beta) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      double s = 0;
      for (int l = 0; l < k; l++)
        s += A[i][l] * B[l][j];
      C[i][j] = alpha * s + beta * C[i][j];
    }
#pragma endscop
}

static void transposed(int n) {
#pragma scop
  for (int j = 0; j < n; j++)
    for (int i = 0; i <= j; i++) {
      double s = C[i][j];
      for (int l = i; l < n; l++)
        s -= A[l][i] * B[l][j];
      C[i][j] = s;
    }
#pragma endscop
}

static void filter(int n, int m) {
#pragma scop
  for (int i = 0; i < n - m; i++) {
    double s = 0;
    for (int k = 0; k < m; k++)
      s += x[i + k] * z[k];
    y[i] = s;
  }
#pragma endscop
}

static void rows(int n, int m) {
#pragma scop
  for (int i = 0; i < n; i++) {
    double s = 0, t = 1;
    for (int j = 0; j < m; j++) {
      s += A[i][j] * x[j];
      t += B[i][j] * s;
    }
    y[i] = s / 3;
    z[i] = t - y[i];
  }
#pragma endscop
}

static void solve(int n) {
#pragma scop
  for (int i = 0; i < n; i++) {
    double s = y[i];
    for (int j = 0; j < i; j++)
      s -= A[i][j] * y[j];
    y[i] = s / (10 + C[i][i]);
  }
#pragma endscop
}

static void windows(int n, int m) {
#pragma scop
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < m - 1; j++) {
      float least = 100, sum = 0;
      for (int u = -1; u <= 1; u++)
        for (int v = -1; v <= 1; v++) {
          least = F[i + u][j + v] < least ? F[i + u][j + v] : least;
          sum += F[i + u][j + v];
        }
      G[i][j] = sum - 9 * least;
    }
#pragma endscop
}

/* The sum goes on from row to row. */
static void running(int n, int m) {
#pragma scop
  double s = 0;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++)
      s += A[i][j];
    y[i] = s;
  }
#pragma endscop
}

int main(void) {
  for (int size = 1; size < N; size = size * 3 + 1) {
    set();
    product(size, N - 3, N);
    print("product");
    scaled(N, size, N - 1, 0.5, -0.25);
    print("scaled");
    scaled(N, N, size, 0.5, -0.25);
    print("scaled");
    transposed(size);
    print("transposed");
    filter(N, size);
    print("filter");
    rows(size, N);
    print("rows");
    solve(size);
    print("solve");
    windows(M, size);
    print("windows");
    running(size, N);
    print("running");
  }
  return 0;
}
