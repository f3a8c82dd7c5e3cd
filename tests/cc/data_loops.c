/* Loops whose bounds come out of memory: what can be parallel around them, and what cannot. */
#include <stdio.h>
#include <stdlib.h>

#define N 20000
#define ROW 9
#define WIDTH 24

typedef struct {
  int n;
  int *start, *column;
  double *value;
} matrix;

static int start[N + 1], column[ROW * N], length[N];
static double value[ROW * N], x[N], y[N], wide[N][WIDTH], tall[N][WIDTH];

static void product(int n, const int *start, const int *column, const double *restrict value,
                    const double *restrict x, double *restrict y) {
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int k = start[i]; k < start[i + 1]; k++)
      sum += value[k] * x[column[k]];
    y[i] = sum;
  }
}

/* What it accesses is compared before, on several threads. */
static void product_of_pointers(int n, const int *start, const int *column, const double *value,
                                const double *x, double *y) {
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int k = start[i]; k < start[i + 1]; k++)
      sum += value[k] * x[column[k]];
    y[i] = sum;
  }
}

static void product_in_memory(long n) {
  for (long i = 0; i < n; i++) {
    y[i] = 0.5;
    for (int k = start[i]; k < start[i + 1]; k++)
      y[i] += value[k] * x[column[k]];
  }
}

static void product_of_structure(const matrix *a, const double *restrict x, double *restrict y) {
  for (int i = 0; i < a->n; i++) {
    double sum = y[i];
    for (int k = a->start[i]; k < a->start[i + 1]; ++k)
      sum -= a->value[k] * x[a->column[k]];
    y[i] = sum;
  }
}

static void product_of_rows(void) {
  for (int i = 0; i < N; i++)
    for (int k = start[i]; k < start[i + 1]; k++)
      for (int j = 0; j < WIDTH; j++)
        wide[i][j] += value[k] * tall[column[k]][j];
}

static void rank(int n, double part) {
  for (int i = 0; i < n; i++) {
    double sum = 0.15 / n;
    for (int k = start[i + 1] - 1; k >= start[i]; k--) {
      int other = column[k];
      if (length[other] > 0)
        sum += part * x[other] / length[other];
    }
    y[i] = sum;
  }
}

static void greatest(int n) {
  for (int i = 0; i < n; i++) {
    double most = -1;
    for (int j = 0; j < length[i]; j++)
      if (tall[i][j] > most)
        most = tall[i][j];
    y[i] = most;
  }
}

static void neighbours_of_neighbours(int n) {
  for (int i = 0; i < n; i++) {
    int count = 0;
    for (int k = start[i]; k < start[i + 1]; k++)
      for (int l = start[column[k]]; l < start[column[k] + 1]; l++)
        count += column[l] > i;
    x[i] = count % 17;
  }
}

static void rows_and_lengths(int n) {
  for (int i = 0; i < n; i++) {
    for (int k = start[i]; k < start[i + 1]; k++)
      y[i] += k % 3;
    for (int j = 0; j < WIDTH; j++)
      wide[i][j] = wide[i][j] * 0.5 + y[i];
  }
}

static void in_time(int steps) {
  for (int t = 0; t < steps; t++) {
    for (int i = 0; i < N; i++) {
      double sum = 0;
      for (int k = start[i]; k < start[i + 1]; k++)
        sum += value[k] * x[column[k]];
      y[i] = sum;
    }
    for (int i = 0; i < N; i++)
      x[i] = 0.25 * x[i] + 0.125 * y[i];
  }
}

/* Each row needs those before it. */
static void solve(int n) {
  for (int i = 0; i < n; i++) {
    double sum = x[i];
    for (int k = start[i]; k < start[i + 1]; k++)
      if (column[k] < i)
        sum -= value[k] * y[column[k]];
    y[i] = sum;
  }
}

static void scatter(int n) {
  for (int i = 0; i < n; i++)
    for (int k = start[i]; k < start[i + 1]; k++)
      y[column[k]] += value[k] * x[i];
}

/* What is written is a bound of the next iteration. */
static void lengths(int n) {
  for (int i = 0; i + 1 < n; i++) {
    int sum = 1;
    for (int j = 0; j < length[i]; j++)
      sum += j;
    length[i + 1] = sum % 7;
  }
}

static void print(const char *title) {
  double sum = 0;
  for (int i = 0; i < N; i++) {
    sum = sum * 0.75 + x[i] + 3 * y[i] + length[i];
    for (int j = 0; j < WIDTH; j++)
      sum = sum * 0.875 + wide[i][j];
  }
  printf("%s %.17g\n", title, sum);
}

int main(void) {
  int k = 0;
  for (int i = 0; i < N; i++) {
    start[i] = k;
    length[i] = i * 7 % WIDTH;
    x[i] = i % 13 - 5.5;
    for (int d = -4; d <= 4 && i % 11 != 3; d++)
      if (i + 7 * d >= 0 && i + 7 * d < N) {
        column[k] = i + 7 * d;
        value[k++] = 0.125 / (d + 5);
      }
    for (int j = 0; j < WIDTH; j++)
      tall[i][j] = (i * 3 + j * 5) % 19 - 8.75;
  }
  start[N] = k;
  matrix a = {N, start, column, value};
  product(N, start, column, value, x, y), print("product");
  product_of_pointers(N, start, column, value, x, y), print("product of pointers");
  product_of_pointers(N, start, column, value, x, x), print("product in place");
  product_of_pointers(N - 40, start, column, value, x, x + 33), print("product of one array");
  /* A row that is not next to the one before: the replay takes all rows. */
  int end = start[100];
  start[100] = start[101] + 3;
  product_of_pointers(N, start, column, value, x, y), print("product of rows that overlap");
  product_of_pointers(N - 40, start, column, value, x, x + 33), print("the same in one array");
  start[100] = end;
  product_in_memory(N), print("product in memory");
  product_of_structure(&a, x, y), print("product of structure");
  product_of_rows(), print("product of rows");
  rank(N, 0.85), print("rank");
  greatest(N), print("greatest");
  neighbours_of_neighbours(N), print("neighbours of neighbours");
  rows_and_lengths(N), print("rows and lengths");
  in_time(3), print("in time");
  solve(N), print("solve");
  scatter(N), print("scatter");
  lengths(N), print("lengths");
}
