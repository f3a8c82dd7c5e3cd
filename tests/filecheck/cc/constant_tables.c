// RUN: polyir-cc --quiet --detect --pluto-schedule --mark-parallel %s -o %t.c && grep -v CHECK %t.c | filecheck %s && gcc -fsyntax-only -Wall -Wextra -Werror -Wno-unknown-pragmas %t.c

// What tables say of the elements that are accessed is known.

// CHECK-LABEL: void neighbours(
// CHECK:      #pragma omp parallel for
// CHECK-NEXT: for (long i = 1; i < (long)n - 1; i++) {
// CHECK-NEXT:   for (long j = 1; j < (long)n - 1; j++) {
// CHECK-NEXT:     b[i][j] = 0.0 + a[i + 1][j] + a[i][j + 1] + a[i - 1][j] + a[i][j - 1];
void neighbours(int n, double a[restrict n][n], double b[restrict n][n]) {
  static const int dx[] = {1, 0, -1, 0}, dy[4] = {[1] = 1, [3] = -1};
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++) {
      double s = 0;
      for (int d = 0; d < 4; d++) s += a[i + dx[d]][j + dy[d]];
      b[i][j] = s;
    }
}

// The function only reads the table, which is not const, and steps over some of its rows.
// CHECK-LABEL: int jumps(
// CHECK:        k = 3;
// CHECK:      for (long i = 3; i < (long)n - 2; i++) {
// CHECK-NEXT:   out[i] = 0;
// CHECK-NEXT:   out[i] += in[i + 2];
// CHECK-NEXT:   out[i] += in[i - 3];
int jumps(int n, const int *restrict in, int *restrict out) {
  short moves[3][2] = {{2, 1}, {1, 0}, {-3, 1}};
  int k = 0;
  for (int i = 0; i < n; i++) {
    out[i] = 0;
    for (k = 0; k < 3; k++) {
      if (!moves[k][1]) continue;
      const int to = i + moves[k][0];
      if (to < 0 || to >= n) continue;
      out[i] += in[to];
    }
  }
  return k;
}

// Weights leave the loop as it is.
// CHECK-LABEL: void weights(
// CHECK: for (long k = 0; k < 3; k++) {
// CHECK-NEXT: b[i] += w[k] * a[i + k];
static const double w[3] = {0.25, 0.5, 0.25};
void weights(int n, const double *restrict a, double *restrict b) {
  for (int i = 0; i < n - 2; i++)
    for (int k = 0; k < 3; k++) b[i] += w[k] * a[i + k];
}

// Someone else may change the first table, and the function changes the second one.
// CHECK-LABEL: void left(
// CHECK: b[i] += a[i + (long)steps[k]];
// CHECK: b[i] += a[i + (long)own[k]];
int steps[2] = {1, -1};
void left(int n, const double *restrict a, double *restrict b) {
  int own[2] = {1, -1};
  for (int i = 1; i < n - 1; i++)
    for (int k = 0; k < 2; k++) b[i] += a[i + steps[k]];
  own[0] = n;
  for (int i = 1; i < n - 1; i++)
    for (int k = 0; k < 2; k++) b[i] += a[i + own[k]];
}
